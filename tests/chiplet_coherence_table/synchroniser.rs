//! What decides on the operations at kernel boundaries: the reference here, any other form of it elsewhere.

use hwmodel::chiplet_coherence_table::{Dispatch, Outcome, Parameters, ReferenceTable};

/// A command processor's table. The caller performs the operations of an outcome before the next call.
pub trait Synchroniser {
    /// A packet whose turn has come: all kernels before it in its stream have finished.
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome;

    /// All work-groups of the kernel with this tag are done.
    fn finish(&mut self, tag: u8) -> Outcome;

    /// The table's memory image.
    fn image(&self) -> Vec<u8>;

    /// The flag EVERY.
    fn every(&self) -> bool;

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

    fn every(&self) -> bool {
        self.every()
    }

    fn counters(&self) -> [u32; 16] {
        self.counters()
    }
}

/// A new table of each body, by name.
pub fn bodies(parameters: Parameters) -> Vec<(&'static str, Box<dyn Synchroniser>)> {
    let reference = ReferenceTable::new(parameters).expect("the parameters are legal");
    vec![("the reference", Box::new(reference))]
}
