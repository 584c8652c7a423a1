//! Rules that can be taken away, by the names that `timestamp.without` has for them.

use hwmodel::timestamp::{gtsc_rst, timestamp_l1, timestamp_l2};

use crate::protocol::Seen;

/// A rule of a block, or of the channels between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    L1(timestamp_l1::Rule),
    L2(timestamp_l2::Rule),
    Reset(gtsc_rst::Rule),
    /// Requests of an L1 stay in order.
    RequestOrder,
    /// Answers to an L1 stay in order.
    AnswerOrder,
}

const ENDLESS: &str = "a polling warp needs unbounded accesses, and accesses are bounded";
const IN_ORDER: &str = "the bank answers the store before the L1 can hold the line again";
const MARKED: &str = "with this few accesses each old answer meets a miss that has recorded the \
                      store";
const BETWEEN: &str = "the answer must arrive within the cycles of one step";

/// Name, rule, and in which configuration that is seen.
pub const RULES: &[(&str, Rule, Seen)] = &[
    ("ok", Rule::L2(timestamp_l2::Rule::Ok), Seen::In(2)),
    ("bad", Rule::L1(timestamp_l1::Rule::Bad), Seen::In(2)),
    ("lock", Rule::L1(timestamp_l1::Rule::Lock), Seen::In(7)),
    ("st-after", Rule::L1(timestamp_l1::Rule::StAfter), Seen::In(11)),
    ("renewal-of-locked", Rule::L1(timestamp_l1::Rule::RenewalOfLocked), Seen::In(14)),
    ("renewal-of-absent", Rule::L1(timestamp_l1::Rule::RenewalOfAbsent), Seen::In(15)),
    ("older-loads", Rule::L1(timestamp_l1::Rule::OlderLoads), Seen::In(17)),
    ("pending-first", Rule::L1(timestamp_l1::Rule::PendingFirst), Seen::Never(BETWEEN)),
    ("waiter-lease", Rule::L1(timestamp_l1::Rule::WaiterLease), Seen::In(14)),
    ("load-raises", Rule::L1(timestamp_l1::Rule::LoadRaises), Seen::In(14)),
    ("ack-raises", Rule::L1(timestamp_l1::Rule::AckRaises), Seen::In(14)),
    ("miss-stale", Rule::L1(timestamp_l1::Rule::MissStale), Seen::In(1)),
    ("store-stale", Rule::L1(timestamp_l1::Rule::StoreStale), Seen::Never(IN_ORDER)),
    ("stale-fill", Rule::L1(timestamp_l1::Rule::StaleFill), Seen::In(1)),
    ("stale-holds", Rule::L1(timestamp_l1::Rule::StaleHolds), Seen::In(8)),
    ("spin", Rule::L1(timestamp_l1::Rule::Spin), Seen::Never(ENDLESS)),
    ("atomic-drops", Rule::L1(timestamp_l1::Rule::AtomicDrops), Seen::In(10)),
    ("after-lease", Rule::L2(timestamp_l2::Rule::AfterLease), Seen::In(3)),
    ("above-warp", Rule::L2(timestamp_l2::Rule::AboveWarp), Seen::In(17)),
    ("remembered", Rule::L2(timestamp_l2::Rule::Remembered), Seen::In(4)),
    ("compared", Rule::L2(timestamp_l2::Rule::Compared), Seen::In(4)),
    ("old-generation", Rule::L2(timestamp_l2::Rule::OldGeneration), Seen::In(19)),
    ("overflow", Rule::L2(timestamp_l2::Rule::Overflow), Seen::In(1)),
    ("all-acks", Rule::Reset(gtsc_rst::Rule::AllAcks), Seen::In(1)),
    ("request-order", Rule::RequestOrder, Seen::In(17)),
    ("answer-order", Rule::AnswerOrder, Seen::Never(MARKED)),
];
