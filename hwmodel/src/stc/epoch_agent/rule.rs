//! Rules that tests disable, one at a time, to check that they find it.

use super::choices::{Choices, Counted, SPECIFICATION};

/// A rule of the agent (specification 5.3, 5.4, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// 5.3: DRAIN waits until no store is on its way.
    DrainWaits,
    /// 5.4: a store counts as on its way once it is in the issue register; else at the handshake.
    CountAtLoad,
    /// 5.3: a change takes back what the last epoch released.
    RelCleared,
    /// 5.3: after a change every entry is examined again.
    ScannedCleared,
    /// 5.3: after a change every band may be demanded again.
    FilterCleared,
    /// 5.4: the scan demands bands.
    ScanDemands,
    /// 5.4: stores that waited at a change are issued first.
    Batch,
    /// 6, 2: stores wait in DONE, until all CUs are in the epoch.
    StoresWaitForAll,
}

impl Choices {
    /// Those of an agent with the rule disabled.
    pub fn without(rule: Rule) -> Self {
        let mut choices = SPECIFICATION;
        match rule {
            Rule::DrainWaits => choices.drained = u16::MAX,
            Rule::CountAtLoad => choices.counted = Counted::Handshake,
            Rule::RelCleared => choices.change.clears_rel = false,
            Rule::ScannedCleared => choices.change.clears_scanned = false,
            Rule::FilterCleared => choices.change.clears_filter = false,
            Rule::ScanDemands => choices.scan_demands = false,
            Rule::Batch => choices.change.forms_batch = false,
            Rule::StoresWaitForAll => choices.issues = [true, false, false, true],
        }
        choices
    }
}
