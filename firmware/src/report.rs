//! What a decision counts and finds wrong. It is reported when the decision is carried out: one
//! that is made ahead may be taken back.

use crate::aql::extension::MAX_STRUCTURES;
use crate::bus::Bus;
use crate::map::count;

/// Each structure may have two faults, of its base and of its ranges; then one ends the reading.
const MOST_FAULTS: usize = 2 * MAX_STRUCTURES + 1;

/// Counted and found wrong so far.
#[derive(Debug)]
pub struct Report {
    faults: [u8; MOST_FAULTS],
    num_faults: u8,
    pub coarsenings: u32,
    pub conservative: u32,
    pub implied: u32,
    pub mixed: u32,
    pub hulls: u32,
    /// Most entries.
    pub entries: u32,
}

impl Report {
    /// Nothing.
    pub const NEW: Self = Self {
        faults: [0; MOST_FAULTS],
        num_faults: 0,
        coarsenings: 0,
        conservative: 0,
        implied: 0,
        mixed: 0,
        hulls: 0,
        entries: 0,
    };

    /// A code to report.
    pub fn fault(&mut self, code: u32) {
        if let Some(place) = self.faults.get_mut(usize::from(self.num_faults)) {
            *place = code as u8;
            self.num_faults += 1;
        }
    }

    /// Reports all, and clears it.
    #[inline(never)]
    pub fn send<B: Bus>(&mut self, bus: &mut B) {
        for &code in self.faults.iter().take(self.num_faults.into()) {
            bus.error(code.into());
        }
        bus.count(count::COARSENINGS, self.coarsenings);
        bus.count(count::CONSERVATIVE, self.conservative);
        bus.count(count::IMPLIED, self.implied);
        bus.count(count::MIXED, self.mixed);
        bus.count(count::HULLS, self.hulls);
        if self.entries > 0 {
            bus.count_max(count::MAX_ENTRIES, self.entries);
        }
        // The faults stay where they are not read.
        let Self { num_faults, coarsenings, conservative, implied, mixed, hulls, entries, .. } =
            self;
        *num_faults = 0;
        for number in [coarsenings, conservative, implied, mixed, hulls, entries] {
            *number = 0;
        }
    }
}
