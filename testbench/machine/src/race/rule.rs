//! Rules of race detection that a machine can be made without (`race_detection.without`), to see
//! what each is for: a program then shows what sequential consistency forbids (specification 6).

use hwmodel::race::{
    access_validation_unit as avu, race_detection_unit as rdu, speculative_load_queue as slq,
};

use crate::config::ConfigError;

/// A rule: of the L2 banks (specification 5.6), of the L1 and its load/store unit (5.7), or of a
/// block's model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// T1: banks serve in the order of tokens; else as requests arrive.
    TokenOrder,
    /// T2: what is done to a line keeps that order; else accesses of a line pass each other.
    LineOrder,
    /// T3: a FIFO for each SM; else one for all.
    FifoPerSm,
    /// U2: a load is looked up after the store before it has changed the copy; else as soon as that
    /// is sent.
    LookupAfterSend,
    /// U4: loads that hit while answers are outstanding may have to be done again; else they are
    /// final.
    Allocate,
    /// U5: a load whose line was checked is looked up again; else it is served unless there is a
    /// race.
    LookUpAgain,
    /// U6: a load joins the miss that is the youngest request; else any pending miss.
    JoinYoungest,
    /// U6: likewise; else the youngest read.
    JoinYoungestOfAll,
    /// U7: a line is of the epoch of its check's answer; else of that in which it comes.
    HeaderEpoch,
    /// U8: a miss is not kept behind a store or atomic to its line.
    NoInstallStores,
    /// U8: nor when its epoch is over for long.
    NoInstallSyncs,
    /// U10: an atomic takes the copy of its line away.
    AtomicTakes,
    /// U9: the copy of a line changes in the cycle after that in which its store is sent; else in
    /// that cycle.
    StoreAtSend,
    /// U11: a store waits until no older load may have to be done again.
    StoresWait,
    /// U12, 5.4: a replay drops younger loads; else only the failed one is done again.
    ReplayYounger,
    /// U12: a replay drops younger loads that have missed.
    ReplayMisses,
    /// U12, 5.4: it drops the one that is looked up in its cycle.
    ReplayLookup,
    Unit(rdu::Rule),
    Avu(avu::Rule),
    Queue(slq::Rule),
}

/// All rules by name.
const RULES: [(&str, Rule); 31] = [
    ("token-order", Rule::TokenOrder),
    ("line-order", Rule::LineOrder),
    ("fifo-per-sm", Rule::FifoPerSm),
    ("lookup-after-send", Rule::LookupAfterSend),
    ("allocate", Rule::Allocate),
    ("look-up-again", Rule::LookUpAgain),
    ("join-youngest", Rule::JoinYoungest),
    ("join-youngest-of-all", Rule::JoinYoungestOfAll),
    ("header-epoch", Rule::HeaderEpoch),
    ("no-install-stores", Rule::NoInstallStores),
    ("no-install-syncs", Rule::NoInstallSyncs),
    ("atomic-takes", Rule::AtomicTakes),
    ("store-at-send", Rule::StoreAtSend),
    ("stores-wait", Rule::StoresWait),
    ("replay-younger", Rule::ReplayYounger),
    ("replay-misses", Rule::ReplayMisses),
    ("replay-lookup", Rule::ReplayLookup),
    ("insert-first", Rule::Unit(rdu::Rule::InsertFirst)),
    ("copy-apart", Rule::Unit(rdu::Rule::CopyApart)),
    ("whole-line", Rule::Unit(rdu::Rule::WholeLine)),
    ("write-syncs", Rule::Unit(rdu::Rule::WriteSyncs)),
    ("atomic-syncs", Rule::Unit(rdu::Rule::AtomicSyncs)),
    ("queue-order", Rule::Unit(rdu::Rule::QueueOrder)),
    ("expires", Rule::Avu(avu::Rule::Expires)),
    ("live-cleared", Rule::Avu(avu::Rule::LiveCleared)),
    ("lookup-waits", Rule::Avu(avu::Rule::LookupWaits)),
    ("response-waits", Rule::Avu(avu::Rule::ResponseWaits)),
    ("all-granules", Rule::Avu(avu::Rule::AllGranules)),
    ("hits", Rule::Avu(avu::Rule::Hits)),
    ("commit-waits", Rule::Queue(slq::Rule::CommitWaits)),
    ("forced-tested", Rule::Queue(slq::Rule::ForcedTested)),
];

/// The field.
pub const FIELD: &str = "race_detection.without";

/// What the field may say.
pub fn names() -> Vec<String> {
    RULES.map(|(name, _)| name.to_string()).to_vec()
}

/// The rule called so; none where the field is empty.
pub fn named(name: &str) -> Result<Option<Rule>, ConfigError> {
    if name.is_empty() {
        return Ok(None);
    }
    crate::config::choose(FIELD, name, &RULES).map(Some)
}

impl Rule {
    /// The rule that the queue does not keep then.
    pub fn of_queue(self) -> Option<slq::Rule> {
        match self {
            Self::Queue(rule) => Some(rule),
            Self::ReplayYounger => Some(slq::Rule::ReplayDrops),
            Self::ReplayLookup => Some(slq::Rule::ReplayDropsAlloc),
            _ => None,
        }
    }
}
