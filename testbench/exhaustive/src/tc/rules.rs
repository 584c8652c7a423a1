//! Rules that can be taken away, by the names that `timestamp.without` has for them.

use hwmodel::timestamp::{timestamp_l1, timestamp_l2};

use crate::protocol::Seen;

/// A rule of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    L1(timestamp_l1::Rule),
    L2(timestamp_l2::Rule),
}

/// Name, rule, and in which configuration that is seen.
pub const RULES: &[(&str, Rule, Seen)] = &[
    ("tc-waiter-lease", Rule::L1(timestamp_l1::Rule::WaiterLease), Seen::In(2)),
    ("tc-fence", Rule::L1(timestamp_l1::Rule::Fence), Seen::In(3)),
    ("tc-own-copy", Rule::L1(timestamp_l1::Rule::OwnCopy), Seen::In(4)),
    ("tc-st-after", Rule::L1(timestamp_l1::Rule::StAfter), Seen::In(5)),
    ("tc-older-loads", Rule::L1(timestamp_l1::Rule::OlderLoads), Seen::In(4)),
    ("tc-waits", Rule::L2(timestamp_l2::Rule::Waits), Seen::In(0)),
    ("tc-inclusion", Rule::L2(timestamp_l2::Rule::Inclusion), Seen::In(1)),
];
