//! The firmware as a synchroniser: packets into its slots, messages out of its mailbox.

use cosim::command_processor::{self, Conf, Native};
use firmware::Layout;
use hwmodel::chiplet_coherence_table::{
    Dispatch, Outcome, Parameters, ReferenceTable, Share, SyncMode,
};

use crate::synchroniser::Synchroniser;

/// CONF of these parameters.
fn conf(parameters: &Parameters) -> u32 {
    let conf = Conf {
        chiplets: parameters.chiplets as u32,
        sync_mode: match parameters.sync_mode {
            SyncMode::None => command_processor::SyncMode::None,
            SyncMode::Baseline => command_processor::SyncMode::Baseline,
            SyncMode::Cpelide => command_processor::SyncMode::Cpelide,
            SyncMode::Hmg => command_processor::SyncMode::Hmg,
        },
        home_forward: false,
        max_structs: parameters.max_structs as u32,
        table_entries: parameters.table_entries as u32,
        long_lines: parameters.line == 128,
    };
    conf.bits()
}

/// The firmware, called directly.
pub struct Firmware<L> {
    native: Native<L>,
    parameters: Parameters,
    /// Tag and chiplets of each kernel that runs.
    running: Vec<(u8, u16)>,
}

impl<L: Layout> Firmware<L> {
    pub fn new(parameters: &Parameters) -> Self {
        let native = Native::new(conf(parameters));
        Self { native, parameters: *parameters, running: Vec::new() }
    }

    /// Runs until it waits; operations are done at once.
    fn settle(&mut self, outcome: &mut Outcome) {
        loop {
            self.native.poll();
            let mut quiet = true;
            while let Some(sent) = self.native.take_sent() {
                quiet = false;
                let (message, chiplets) = (sent.message, sent.chiplets);
                let (tag, b) = ((message >> 8) as u8, (message >> 32) as u32);
                match message & 15 {
                    1 => {
                        assert_eq!(outcome.tag, None, "operations after LAUNCH_EN");
                        let operations = message >> 16 & 3;
                        outcome.release |= if operations & 1 == 1 { chiplets } else { 0 };
                        outcome.acquire |= if operations & 2 == 2 { chiplets } else { 0 };
                        for i in (0..16).filter(|i| chiplets >> i & 1 == 1) {
                            self.native.receive(8 | i << 4 | u64::from(tag) << 8);
                        }
                    }
                    2 => {
                        let chiplet = chiplets.trailing_zeros() as u8;
                        outcome.shares.push(Share { chiplet, first: b, groups: 0 });
                    }
                    3 => outcome.shares.last_mut().expect("WG_DESC comes first").groups = b,
                    4 => {
                        outcome.tag = Some(tag);
                        self.running.push((tag, chiplets));
                    }
                    other => panic!("message of type {other}"),
                }
            }
            if quiet {
                break;
            }
        }
        outcome.errors.extend(self.native.take_errors());
        assert_eq!(self.native.exit(), None, "halted");
    }
}

impl<L: Layout> Synchroniser for Firmware<L> {
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        let mut outcome = Outcome::default();
        let conservative = self.native.counters()[7];
        let mut extension = dispatch.extension.to_vec();
        if dispatch.truncated {
            extension.resize(5000, 0);
        }
        let taken =
            self.native.submit(&dispatch.packet, &extension, dispatch.stream, dispatch.chiplets);
        assert!(taken, "no slot is free");
        self.settle(&mut outcome);
        outcome.conservative = self.native.counters()[7] != conservative;
        let signal = self.native.take_signal().unwrap_or(0);
        if outcome.tag.is_none() {
            outcome.signal = signal;
            outcome.rejected = !outcome.errors.is_empty();
        }
        outcome
    }

    fn finish(&mut self, tag: u8) -> Outcome {
        let Some(at) = self.running.iter().position(|kernel| kernel.0 == tag) else {
            return Outcome::default();
        };
        let (_, chiplets) = self.running.remove(at);
        for i in (0..16).filter(|i| chiplets >> i & 1 == 1) {
            self.native.receive(9 | i << 4 | u64::from(tag) << 8);
        }
        let mut outcome = Outcome::default();
        self.settle(&mut outcome);
        outcome.signal = self.native.take_signal().unwrap_or(0);
        outcome
    }

    fn image(&self) -> Vec<u8> {
        let n = self.parameters.chiplets;
        let words = (2 + 2 * n + usize::from(n == 16)) * self.parameters.table_entries;
        self.native.private()[..words].iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn every(&self) -> bool {
        self.native.every()
    }

    fn counters(&self) -> [u32; 16] {
        *self.native.counters()
    }
}

/// The firmware and the reference, which must agree in everything.
pub struct Both<L> {
    reference: ReferenceTable,
    firmware: Firmware<L>,
}

impl<L: Layout> Both<L> {
    pub fn new(parameters: &Parameters) -> Self {
        let reference = ReferenceTable::new(*parameters).expect("the parameters are legal");
        Self { reference, firmware: Firmware::new(parameters) }
    }

    fn compare(&self, of: &str, reference: Outcome, firmware: Outcome) -> Outcome {
        let sorted = |mut outcome: Outcome| {
            outcome.errors.sort_unstable();
            outcome
        };
        let (reference, firmware) = (sorted(reference), sorted(firmware));
        assert_eq!(reference, firmware, "{of}: reference, firmware");
        assert_eq!(self.reference.every(), self.firmware.every(), "{of}: EVERY");
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

impl<L: Layout> Synchroniser for Both<L> {
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        let reference = self.reference.launch(dispatch);
        let firmware = self.firmware.launch(dispatch);
        self.compare("launch", reference, firmware)
    }

    fn finish(&mut self, tag: u8) -> Outcome {
        let reference = self.reference.finish(tag);
        let firmware = self.firmware.finish(tag);
        self.compare("end", reference, firmware)
    }

    fn image(&self) -> Vec<u8> {
        self.reference.image()
    }

    fn every(&self) -> bool {
        self.reference.every()
    }

    fn counters(&self) -> [u32; 16] {
        self.reference.counters()
    }
}
