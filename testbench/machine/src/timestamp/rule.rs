//! Rules of timestamp coherence that a machine can be made without (`timestamp.without`), to see
//! what each is for (specification 8.2).

use hwmodel::timestamp::gtsc_rst;
use hwmodel::timestamp::timestamp_l1::Rule as L1;
use hwmodel::timestamp::timestamp_l2::Rule as L2;

use crate::config::ConfigError;

/// A rule: of a block's model, or of what stands around the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    L1(L1),
    L2(L2),
    Reset(gtsc_rst::Rule),
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

const GTSC: &[&str] = &["gtsc-rc", "gtsc-sc"];
const TC: &[&str] = &["tc-weak", "tc-strong"];
const WEAK: &[&str] = &["tc-weak"];
const STRONG: &[&str] = &["tc-strong"];
/// Under SC an instruction waits for the one before, whatever it is.
const SC: &[&str] = &["gtsc-sc", "tc-strong"];
const RC: &[&str] = &["gtsc-rc", "tc-weak"];
const ALL: &[&str] = &["gtsc-rc", "gtsc-sc", "tc-weak", "tc-strong"];

/// All rules by name, and the designs that keep each.
const RULES: [(&str, (Rule, &[&str])); 36] = [
    ("ok", (Rule::L2(L2::Ok), GTSC)),
    ("bad", (Rule::L1(L1::Bad), GTSC)),
    ("lock", (Rule::L1(L1::Lock), GTSC)),
    ("st-after", (Rule::L1(L1::StAfter), GTSC)),
    ("renewal-of-locked", (Rule::L1(L1::RenewalOfLocked), GTSC)),
    ("renewal-of-absent", (Rule::L1(L1::RenewalOfAbsent), GTSC)),
    ("older-loads", (Rule::L1(L1::OlderLoads), GTSC)),
    ("pending-first", (Rule::L1(L1::PendingFirst), GTSC)),
    ("waiter-lease", (Rule::L1(L1::WaiterLease), GTSC)),
    ("load-raises", (Rule::L1(L1::LoadRaises), GTSC)),
    ("ack-raises", (Rule::L1(L1::AckRaises), GTSC)),
    ("miss-stale", (Rule::L1(L1::MissStale), GTSC)),
    ("store-stale", (Rule::L1(L1::StoreStale), GTSC)),
    ("stale-fill", (Rule::L1(L1::StaleFill), GTSC)),
    ("stale-holds", (Rule::L1(L1::StaleHolds), GTSC)),
    ("spin", (Rule::L1(L1::Spin), GTSC)),
    ("atomic-drops", (Rule::L1(L1::AtomicDrops), GTSC)),
    ("after-lease", (Rule::L2(L2::AfterLease), GTSC)),
    ("above-warp", (Rule::L2(L2::AboveWarp), GTSC)),
    ("remembered", (Rule::L2(L2::Remembered), GTSC)),
    ("compared", (Rule::L2(L2::Compared), GTSC)),
    ("old-generation", (Rule::L2(L2::OldGeneration), GTSC)),
    ("overflow", (Rule::L2(L2::Overflow), GTSC)),
    ("all-acks", (Rule::Reset(gtsc_rst::Rule::AllAcks), GTSC)),
    ("tc-waiter-lease", (Rule::L1(L1::WaiterLease), TC)),
    ("tc-fence", (Rule::L1(L1::Fence), WEAK)),
    ("tc-own-copy", (Rule::L1(L1::OwnCopy), TC)),
    ("tc-st-after", (Rule::L1(L1::StAfter), TC)),
    ("tc-older-loads", (Rule::L1(L1::OlderLoads), TC)),
    ("tc-waits", (Rule::L2(L2::Waits), STRONG)),
    ("tc-inclusion", (Rule::L2(L2::Inclusion), TC)),
    ("request-order", (Rule::RequestOrder, ALL)),
    ("answer-order", (Rule::AnswerOrder, ALL)),
    ("one-access", (Rule::OneAccess, SC)),
    ("barrier", (Rule::Barrier, GTSC)),
    ("barrier-loads", (Rule::BarrierLoads, RC)),
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
    let (rule, designs) = crate::config::choose(FIELD, name, &RULES)?;
    if designs.contains(&design) {
        return Ok(Some(rule));
    }
    let problem = format!("{name:?}: l1.design = {design} has no such rule");
    Err(ConfigError { field: FIELD.into(), problem })
}
