//! Rules that tests disable one at a time, to check that they detect it.

use super::choices::{ALL, Check, Choices, HOME, NONE, OTHER, SPECIFICATION};
use super::op;
use crate::common::rules::rules;

rules! {
    /// A rule of the directory (specification 4.3, 5.2, 5.5, 6.2, 12);
    /// after "else", the behaviour without it.
    pub enum Rule {
        /// A remote read makes its GPU a sharer; else it adds none.
        ReaderIsSharer,
        /// A remote read keeps the other sharers; else it removes them.
        ReaderJoins,
        /// A local write invalidates all sharers; else none.
        LocalWriteInvalidates,
        /// A local write removes all sharers; else it keeps them.
        LocalWriteClears,
        /// A remote write invalidates the other sharers; else none.
        RemoteWriteInvalidates,
        /// A remote write spares its GPU's own copy; else it invalidates it too.
        WriterKeepsCopy,
        /// A remote write makes its GPU a sharer; else it adds none.
        WriterIsSharer,
        /// A remote write makes its GPU the only sharer; else the others stay.
        WriterAlone,
        /// A victim's lines are invalidated; else they are not.
        VictimInvalidates,
        /// EVICT invalidates the entry's lines; else it only removes the entry.
        EvictInvalidates,
        /// An EVICT job has each tracked line; else the lowest alone.
        EveryLine,
        /// Each line of an EVICT job goes to its own sharers; else to those of the lowest.
        OwnSharers,
        /// hmg: a write invalidates all four lines of the entry; else only the first.
        AllOfGroup,
        /// A new entry takes a free way if there is one; else always the oldest.
        FreeWay,
        /// Allocation makes an entry the newest; else its age stays.
        AllocationRenews,
        /// LRU: a remote access makes an entry the newest; else only its allocation.
        UseRenews,
        /// FIFO: a remote access keeps the age of its entry; else as in LRU.
        FifoIgnoresUse,
        /// LRU: a remote access to an untracked line is a use too; else not.
        NewLineIsUse,
        /// A local access is no use; else it is.
        LocalIsNoUse,
        /// FENCE goes to other GPUs alone; else to the home too.
        FenceLeavesHome,
        /// FENCE goes to the releaser too; else not.
        FenceToReleaser,
        /// Ideal: EVICT does nothing; else it acts as LWR.
        IdealKeeps,
        /// `src` is below `gpus`; else any value is legal.
        SourceExists,
        /// A remote request comes from another GPU; else from any.
        RemoteIsOther,
        /// A local request comes from the home; else from any.
        LocalIsHome,
        /// Ops 6 and 7 are refused; else they are writes.
        OpExists,
        /// An illegal op is reported before an illegal source; else after it.
        OpFirst,
        /// An illegal source is reported before an illegal address; else after it.
        SourceFirst,
        /// Ideal: an address beyond the last line is refused; else it is not tracked.
        IdealEnds,
        /// The response has the sharers before the request; else those after it.
        SharersBefore,
        /// A hit needs a tracked line; else an entry.
        HitIsLine,
        /// `alloc` reports a new entry; else a new line too.
        AllocIsEntry,
        /// A refused request takes a number; else the next request has the same.
        RefusedCount,
        /// An invalidation has the number of its request; else 0.
        Numbered,
        /// No request is accepted 96 or more numbers after the oldest job; else 255.
        AgeLimit,
    }
}

impl Choices {
    /// The specification's choices with one rule disabled.
    pub fn without(rule: Rule) -> Self {
        let [lrd, rrd, lwr, rwr] = [op::LRD, op::RRD, op::LWR, op::RWR].map(usize::from);
        let mut choices = SPECIFICATION;
        match rule {
            Rule::ReaderIsSharer => choices.accesses[rrd].joins = false,
            Rule::ReaderJoins => choices.accesses[rrd].keep = NONE,
            Rule::LocalWriteInvalidates => choices.accesses[lwr].gone = NONE,
            Rule::LocalWriteClears => choices.accesses[lwr].keep = ALL,
            Rule::RemoteWriteInvalidates => choices.accesses[rwr].gone = NONE,
            Rule::WriterKeepsCopy => choices.accesses[rwr].spares = false,
            Rule::WriterIsSharer => choices.accesses[rwr].joins = false,
            Rule::WriterAlone => choices.accesses[rwr].keep = ALL,
            Rule::LocalIsNoUse => {
                for op in [lrd, lwr] {
                    choices.accesses[op].is_use = true;
                }
            }
            Rule::VictimInvalidates => choices.victim_invalidates = false,
            Rule::EvictInvalidates => choices.evict_invalidates = false,
            Rule::EveryLine => choices.every_line = false,
            Rule::OwnSharers => choices.own_sharers = false,
            Rule::AllOfGroup => choices.whole_group = false,
            Rule::FreeWay => choices.free_way_first = false,
            Rule::AllocationRenews => choices.allocation_renews = false,
            Rule::UseRenews => choices.use_renews = [false, false],
            Rule::FifoIgnoresUse => choices.use_renews = [true, true],
            Rule::NewLineIsUse => choices.new_line_is_use = false,
            Rule::FenceLeavesHome => choices.fence_to_home = true,
            Rule::FenceToReleaser => choices.fence_to_releaser = false,
            Rule::IdealKeeps => choices.ideal_evict = op::LWR,
            Rule::SourceExists => choices.source_exists = false,
            Rule::RemoteIsOther => {
                for op in [rrd, rwr] {
                    choices.sources[op] = HOME | OTHER;
                }
            }
            Rule::LocalIsHome => {
                for op in [lrd, lwr] {
                    choices.sources[op] = HOME | OTHER;
                }
            }
            Rule::OpExists => {
                choices.last_op = 7;
                choices.sources[6..].fill(HOME | OTHER);
            }
            Rule::OpFirst => choices.checks = [Check::Source, Check::Op, Check::Address],
            Rule::SourceFirst => choices.checks = [Check::Op, Check::Address, Check::Source],
            Rule::IdealEnds => choices.address_ends = false,
            Rule::SharersBefore => choices.sharers_before = false,
            Rule::HitIsLine => choices.hit_is_line = false,
            Rule::AllocIsEntry => choices.alloc_is_entry = false,
            Rule::RefusedCount => choices.counts_refused = false,
            Rule::Numbered => choices.is_numbered = false,
            Rule::AgeLimit => choices.age_limit = u8::MAX,
        }
        choices
    }
}
