//! The firmware beside the reference, launch by launch.

use duet_tests::firmware::Host;
use hwmodel::cpelide::chiplet_coherence_table::{Dispatch, Outcome, Parameters, ReferenceTable};

use crate::firmware::Firmware;
use crate::synchroniser::Synchroniser;

/// The firmware and the reference, which must agree in everything.
pub struct Both<H> {
    reference: ReferenceTable,
    firmware: Firmware<H>,
}

impl<H: Host> Both<H> {
    pub fn new(firmware: Firmware<H>, parameters: &Parameters) -> Self {
        let reference = ReferenceTable::new(*parameters).expect("the parameters are legal");
        Self { reference, firmware }
    }

    fn compare(&self, of: &str, reference: Outcome, firmware: Outcome) -> Outcome {
        let sorted = |mut outcome: Outcome| {
            outcome.errors.sort_unstable();
            outcome
        };
        let (reference, firmware) = (sorted(reference), sorted(firmware));
        assert_eq!(reference, firmware, "{of}: reference, firmware");
        let every = self.reference.every();
        assert_eq!(self.firmware.every().unwrap_or(every), every, "{of}: EVERY");
        assert_eq!(self.reference.counters(), self.firmware.counters(), "{of}: counters");
        let (left, right) = (self.reference.image(), self.firmware.image());
        if left != right {
            let entries = self.reference.entries();
            let at = left.iter().zip(&right).position(|(a, b)| a != b);
            let stride = left.len() / entries.len();
            let slot = at.unwrap_or(0) / stride;
            panic!(
                "{of}: entry {slot} differs at byte {at:?}: reference {:?} {:x?}, firmware {:x?}",
                entries[slot],
                &left[slot * stride..][..stride],
                &right[slot * stride..][..stride],
            );
        }
        reference
    }
}

impl<H: Host> Synchroniser for Both<H> {
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        let reference = self.reference.launch(dispatch);
        let firmware = self.firmware.launch(dispatch);
        self.compare("launch", reference, firmware)
    }

    fn done_on(&mut self, tag: u8, chiplets: u16) {
        self.firmware.done_on(tag, chiplets);
    }

    fn finish(&mut self, tag: u8) -> Outcome {
        let reference = self.reference.finish(tag);
        let firmware = self.firmware.finish(tag);
        self.compare("end", reference, firmware)
    }

    fn image(&self) -> Vec<u8> {
        self.reference.image()
    }

    fn every(&self) -> Option<bool> {
        Some(self.reference.every())
    }

    fn counters(&self) -> [u32; 16] {
        self.reference.counters()
    }
}
