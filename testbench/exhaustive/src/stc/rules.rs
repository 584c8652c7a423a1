//! Rules that can be taken away.

use hwmodel::stc::{epoch_agent, epoch_manager};

use crate::protocol::Seen;

/// A rule of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Manager(epoch_manager::Rule),
    Agent(epoch_agent::Rule),
}

const MOVES: &str = "the start epoch bit does not move in this search";
const SCANS: &str = "the scan recomputes it, and ends before another message arrives";
const FAIR: &str = "it prevents starvation by unbounded stores, and stores are bounded";

/// Name, rule, and in which configuration that is seen.
pub const RULES: &[(&str, Rule, Seen)] = &[
    ("prep-waits-for-all", Rule::Manager(epoch_manager::Rule::PrepWaitsForAll), Seen::In(0)),
    ("chg-waits-for-all", Rule::Manager(epoch_manager::Rule::ChgWaitsForAll), Seen::In(0)),
    ("rel-waits", Rule::Manager(epoch_manager::Rule::RelWaits), Seen::In(0)),
    ("hold", Rule::Manager(epoch_manager::Rule::Hold), Seen::Never(MOVES)),
    ("drain-waits", Rule::Agent(epoch_agent::Rule::DrainWaits), Seen::In(0)),
    ("count-at-load", Rule::Agent(epoch_agent::Rule::CountAtLoad), Seen::In(0)),
    ("rel-cleared", Rule::Agent(epoch_agent::Rule::RelCleared), Seen::Never(SCANS)),
    ("scanned-cleared", Rule::Agent(epoch_agent::Rule::ScannedCleared), Seen::In(0)),
    ("filter-cleared", Rule::Agent(epoch_agent::Rule::FilterCleared), Seen::In(1)),
    ("scan-demands", Rule::Agent(epoch_agent::Rule::ScanDemands), Seen::In(0)),
    ("batch", Rule::Agent(epoch_agent::Rule::Batch), Seen::Never(FAIR)),
    ("stores-wait-for-all", Rule::Agent(epoch_agent::Rule::StoresWaitForAll), Seen::In(0)),
];
