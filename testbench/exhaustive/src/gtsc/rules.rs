//! Rules that can be taken away, by the names that `timestamp.without` has for them.

use hwmodel::{gtsc_l1, gtsc_l2, gtsc_rst};

use crate::protocol::Seen;

/// A rule of a block, or of the channels between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    L1(gtsc_l1::Rule),
    L2(gtsc_l2::Rule),
    Reset(gtsc_rst::Rule),
    /// Requests of an L1 stay in order.
    RequestOrder,
    /// Answers to an L1 stay in order.
    AnswerOrder,
}

/// Name, rule, and in which configuration that is seen.
pub const RULES: &[(&str, Rule, Seen)] = &[
    ("ok", Rule::L2(gtsc_l2::Rule::Ok), Seen::In(0)),
    ("bad", Rule::L1(gtsc_l1::Rule::Bad), Seen::In(0)),
    ("lock", Rule::L1(gtsc_l1::Rule::Lock), Seen::In(0)),
    ("st-after", Rule::L1(gtsc_l1::Rule::StAfter), Seen::In(0)),
    ("renewal-of-locked", Rule::L1(gtsc_l1::Rule::RenewalOfLocked), Seen::In(0)),
    ("renewal-of-absent", Rule::L1(gtsc_l1::Rule::RenewalOfAbsent), Seen::In(0)),
    ("older-loads", Rule::L1(gtsc_l1::Rule::OlderLoads), Seen::In(0)),
    ("pending-first", Rule::L1(gtsc_l1::Rule::PendingFirst), Seen::In(0)),
    ("waiter-lease", Rule::L1(gtsc_l1::Rule::WaiterLease), Seen::In(0)),
    ("load-raises", Rule::L1(gtsc_l1::Rule::LoadRaises), Seen::In(0)),
    ("ack-raises", Rule::L1(gtsc_l1::Rule::AckRaises), Seen::In(0)),
    ("miss-stale", Rule::L1(gtsc_l1::Rule::MissStale), Seen::In(0)),
    ("store-stale", Rule::L1(gtsc_l1::Rule::StoreStale), Seen::In(0)),
    ("stale-fill", Rule::L1(gtsc_l1::Rule::StaleFill), Seen::In(0)),
    ("stale-holds", Rule::L1(gtsc_l1::Rule::StaleHolds), Seen::In(0)),
    ("spin", Rule::L1(gtsc_l1::Rule::Spin), Seen::In(0)),
    ("atomic-drops", Rule::L1(gtsc_l1::Rule::AtomicDrops), Seen::In(0)),
    ("after-lease", Rule::L2(gtsc_l2::Rule::AfterLease), Seen::In(0)),
    ("above-warp", Rule::L2(gtsc_l2::Rule::AboveWarp), Seen::In(0)),
    ("remembered", Rule::L2(gtsc_l2::Rule::Remembered), Seen::In(0)),
    ("compared", Rule::L2(gtsc_l2::Rule::Compared), Seen::In(0)),
    ("old-generation", Rule::L2(gtsc_l2::Rule::OldGeneration), Seen::In(0)),
    ("overflow", Rule::L2(gtsc_l2::Rule::Overflow), Seen::In(0)),
    ("all-acks", Rule::Reset(gtsc_rst::Rule::AllAcks), Seen::In(0)),
    ("request-order", Rule::RequestOrder, Seen::In(0)),
    ("answer-order", Rule::AnswerOrder, Seen::In(0)),
];
