//! Rules of timestamp coherence that a machine can be made without (`timestamp.without`), to see
//! what each is for (specification 8.2).

use hwmodel::timestamp::{gtsc_l1, gtsc_l2, gtsc_rst, tc_l1, tc_l2};

use crate::config::ConfigError;

/// A rule: of a block's model, or of what stands around the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    L1(gtsc_l1::Rule),
    L2(gtsc_l2::Rule),
    Reset(gtsc_rst::Rule),
    TcL1(tc_l1::Rule),
    TcL2(tc_l2::Rule),
    /// A store stays before what its L1 asks for later.
    RequestOrder,
    /// An answer stays before what its bank answers later.
    AnswerOrder,
    /// Under SC a wave issues an access when the one before is over.
    OneAccess,
    /// A barrier hands on how late it is for each of its waves.
    Barrier,
    /// A wave is at a barrier when its loads are over.
    BarrierLoads,
}

/// All rules by name.
const RULES: [(&str, Rule); 36] = [
    ("ok", Rule::L2(gtsc_l2::Rule::Ok)),
    ("bad", Rule::L1(gtsc_l1::Rule::Bad)),
    ("lock", Rule::L1(gtsc_l1::Rule::Lock)),
    ("st-after", Rule::L1(gtsc_l1::Rule::StAfter)),
    ("renewal-of-locked", Rule::L1(gtsc_l1::Rule::RenewalOfLocked)),
    ("renewal-of-absent", Rule::L1(gtsc_l1::Rule::RenewalOfAbsent)),
    ("older-loads", Rule::L1(gtsc_l1::Rule::OlderLoads)),
    ("pending-first", Rule::L1(gtsc_l1::Rule::PendingFirst)),
    ("waiter-lease", Rule::L1(gtsc_l1::Rule::WaiterLease)),
    ("load-raises", Rule::L1(gtsc_l1::Rule::LoadRaises)),
    ("ack-raises", Rule::L1(gtsc_l1::Rule::AckRaises)),
    ("miss-stale", Rule::L1(gtsc_l1::Rule::MissStale)),
    ("store-stale", Rule::L1(gtsc_l1::Rule::StoreStale)),
    ("stale-fill", Rule::L1(gtsc_l1::Rule::StaleFill)),
    ("stale-holds", Rule::L1(gtsc_l1::Rule::StaleHolds)),
    ("spin", Rule::L1(gtsc_l1::Rule::Spin)),
    ("atomic-drops", Rule::L1(gtsc_l1::Rule::AtomicDrops)),
    ("after-lease", Rule::L2(gtsc_l2::Rule::AfterLease)),
    ("above-warp", Rule::L2(gtsc_l2::Rule::AboveWarp)),
    ("remembered", Rule::L2(gtsc_l2::Rule::Remembered)),
    ("compared", Rule::L2(gtsc_l2::Rule::Compared)),
    ("old-generation", Rule::L2(gtsc_l2::Rule::OldGeneration)),
    ("overflow", Rule::L2(gtsc_l2::Rule::Overflow)),
    ("all-acks", Rule::Reset(gtsc_rst::Rule::AllAcks)),
    ("tc-waiter-lease", Rule::TcL1(tc_l1::Rule::WaiterLease)),
    ("tc-fence", Rule::TcL1(tc_l1::Rule::Fence)),
    ("tc-own-copy", Rule::TcL1(tc_l1::Rule::OwnCopy)),
    ("tc-st-after", Rule::TcL1(tc_l1::Rule::StAfter)),
    ("tc-older-loads", Rule::TcL1(tc_l1::Rule::OlderLoads)),
    ("tc-waits", Rule::TcL2(tc_l2::Rule::Waits)),
    ("tc-inclusion", Rule::TcL2(tc_l2::Rule::Inclusion)),
    ("request-order", Rule::RequestOrder),
    ("answer-order", Rule::AnswerOrder),
    ("one-access", Rule::OneAccess),
    ("barrier", Rule::Barrier),
    ("barrier-loads", Rule::BarrierLoads),
];

/// The field.
pub const FIELD: &str = "timestamp.without";

/// What the field may say.
pub fn names() -> Vec<String> {
    RULES.map(|(name, _)| name.to_string()).to_vec()
}

/// The rule called so, of a design; none where the field is empty.
pub fn named(name: &str, design: &str) -> Result<Option<Rule>, ConfigError> {
    if name.is_empty() {
        return Ok(None);
    }
    let rule = crate::config::choose(FIELD, name, &RULES)?;
    if rule.is_of(design) {
        return Ok(Some(rule));
    }
    let problem = format!("{name:?}: l1.design = {design} has no such rule");
    Err(ConfigError { field: FIELD.into(), problem })
}

impl Rule {
    /// Whether a design keeps it.
    fn is_of(self, design: &str) -> bool {
        let is_gtsc = design.starts_with("gtsc-");
        match self {
            Self::L1(_) | Self::L2(_) | Self::Reset(_) | Self::Barrier => is_gtsc,
            Self::TcL1(tc_l1::Rule::Fence) => design == "tc-weak",
            Self::TcL2(tc_l2::Rule::Waits) => design == "tc-strong",
            Self::TcL1(_) | Self::TcL2(_) => !is_gtsc,
            Self::OneAccess => matches!(design, "gtsc-sc" | "tc-strong"),
            // Under SC an instruction waits for the one before, whatever it is.
            Self::BarrierLoads => matches!(design, "gtsc-rc" | "tc-weak"),
            Self::RequestOrder | Self::AnswerOrder => true,
        }
    }
}
