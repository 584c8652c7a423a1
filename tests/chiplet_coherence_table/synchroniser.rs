//! What decides on the operations at kernel boundaries: the reference here, any other form of it
//! elsewhere.

use ::firmware::{Cached, Indexed, Paper};
use cosim::cpelide::Native;
use duet_tests::firmware::images;
use hwmodel::cpelide::chiplet_coherence_table::{Dispatch, Outcome, Parameters, ReferenceTable};

use crate::firmware::Firmware;

/// A command processor's table. The caller performs the operations of an outcome before the next
/// call.
pub trait Synchroniser {
    /// A packet whose turn has come: all kernels before it in its stream have finished.
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome;

    /// The work-groups of the kernel with this tag are done on these chiplets, and not on all.
    /// Nothing follows.
    fn done_on(&mut self, _tag: u8, _chiplets: u16) {}

    /// All work-groups of the kernel with this tag are done.
    fn finish(&mut self, tag: u8) -> Outcome;

    /// The table's memory image.
    fn image(&self) -> Vec<u8>;

    /// The flag EVERY, where it can be seen.
    fn every(&self) -> Option<bool>;

    /// The counters by their numbers; 8 is not compared.
    fn counters(&self) -> [u32; 16];
}

impl Synchroniser for ReferenceTable {
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        self.launch(dispatch)
    }

    fn finish(&mut self, tag: u8) -> Outcome {
        self.finish(tag)
    }

    fn image(&self) -> Vec<u8> {
        self.image()
    }

    fn every(&self) -> Option<bool> {
        Some(self.every())
    }

    fn counters(&self) -> [u32; 16] {
        self.counters()
    }
}

/// A new table of each body, by name: the reference, and the firmware on its hosts in each layout.
pub fn bodies(parameters: &Parameters) -> Vec<(String, Box<dyn Synchroniser>)> {
    let reference = ReferenceTable::new(*parameters).expect("the parameters are legal");
    let mut bodies: Vec<(String, Box<dyn Synchroniser>)> = vec![
        ("the reference".into(), Box::new(reference)),
        ("the host, cached".into(), Box::new(Firmware::<Native<Cached>>::native(parameters))),
        ("the host, indexed".into(), Box::new(Firmware::<Native<Indexed>>::native(parameters))),
        ("the host, paper".into(), Box::new(Firmware::<Native<Paper>>::native(parameters))),
    ];
    for (name, image) in images() {
        let core = Firmware::core(&image, parameters);
        bodies.push((format!("the core, {name}"), Box::new(core)));
    }
    bodies
}
