//! Rules that tests disable, one at a time, to check that they find it.

use super::choices::{ALL, Check, Choices, HOME, NONE, OTHER, SPECIFICATION};
use super::op;
use crate::common::rules::rules;

rules! {
    /// A rule of the directory (specification 4.3, 5.2, 5.5, 6.2, 12), and what it does without it.
    pub enum Rule {
        /// A remote read makes its GPU a sharer; else it is only looked up.
        ReaderIsSharer,
        /// A remote read joins the sharers; else they are forgotten.
        ReaderJoins,
        /// A local write invalidates all sharers; else none.
        LocalWriteInvalidates,
        /// A local write leaves no sharer; else all stay.
        LocalWriteClears,
        /// A remote write invalidates the other sharers; else none.
        RemoteWriteInvalidates,
        /// A remote write leaves its GPU's own copy; else that is invalidated too.
        WriterKeepsCopy,
        /// A remote write makes its GPU a sharer; else it is none.
        WriterIsSharer,
        /// A remote write makes its GPU the only sharer; else it joins.
        WriterAlone,
        /// An entry that makes room invalidates its lines; else it goes silently.
        VictimInvalidates,
        /// EVICT invalidates the entry's lines; else it goes silently.
        EvictInvalidates,
        /// An entry that goes invalidates each of its lines; else the lowest alone.
        EveryLine,
        /// Each of these lines goes to its own sharers; else to those of the lowest.
        OwnSharers,
        /// hmg: a write invalidates all four lines of the entry; else the first.
        AllOfGroup,
        /// A new entry takes a way that is free; else the oldest.
        FreeWay,
        /// Allocation makes an entry the newest; else its age stays.
        AllocationRenews,
        /// LRU: a remote access makes an entry the newest; else only its allocation.
        UseRenews,
        /// FIFO: it does not; else as LRU.
        FifoIgnoresUse,
        /// LRU: so does one of a line that the entry did not track; else not.
        NewLineIsUse,
        /// A local access is no use; else it is.
        LocalIsNoUse,
        /// FENCE goes to other GPUs alone; else to the home too.
        FenceLeavesHome,
        /// FENCE goes to the releaser too; else to all but it.
        FenceToReleaser,
        /// Ideal: EVICT does nothing; else it writes.
        IdealKeeps,
        /// `src` is a GPU; else any number is taken.
        SourceExists,
        /// A remote request is of another GPU; else of any.
        RemoteIsOther,
        /// A local request is of the home; else of any.
        LocalIsHome,
        /// Ops 6 and 7 are refused; else they are writes.
        OpExists,
        /// A bad op is reported before a bad source; else behind it.
        OpFirst,
        /// A bad source is reported before a bad address; else behind it.
        SourceFirst,
        /// Ideal: an address behind the last line is refused; else it is tracked nowhere.
        IdealEnds,
        /// The response tells the sharers before the request; else those after it.
        SharersBefore,
        /// A hit is a line that was tracked; else an entry.
        HitIsLine,
        /// `alloc` tells of a new entry; else of a new line too.
        AllocIsEntry,
        /// Refused requests have a number too; else the next one has it.
        RefusedCount,
        /// An invalidation tells the number of its request; else 0.
        Numbered,
        /// No request is 96 or more behind the oldest job; else 255.
        AgeLimit,
    }
}

impl Choices {
    /// Those of a directory that does not keep a rule.
    pub fn without(rule: Rule) -> Self {
        let [lrd, rrd, lwr, rwr] = [op::LRD, op::RRD, op::LWR, op::RWR].map(usize::from);
        let mut own = SPECIFICATION;
        match rule {
            Rule::ReaderIsSharer => own.accesses[rrd].joins = false,
            Rule::ReaderJoins => own.accesses[rrd].keep = NONE,
            Rule::LocalWriteInvalidates => own.accesses[lwr].gone = NONE,
            Rule::LocalWriteClears => own.accesses[lwr].keep = ALL,
            Rule::RemoteWriteInvalidates => own.accesses[rwr].gone = NONE,
            Rule::WriterKeepsCopy => own.accesses[rwr].spares = false,
            Rule::WriterIsSharer => own.accesses[rwr].joins = false,
            Rule::WriterAlone => own.accesses[rwr].keep = ALL,
            Rule::LocalIsNoUse => {
                for op in [lrd, lwr] {
                    own.accesses[op].is_use = true;
                }
            }
            Rule::VictimInvalidates => own.victim_invalidates = false,
            Rule::EvictInvalidates => own.evict_invalidates = false,
            Rule::EveryLine => own.every_line = false,
            Rule::OwnSharers => own.own_sharers = false,
            Rule::AllOfGroup => own.whole_group = false,
            Rule::FreeWay => own.free_way_first = false,
            Rule::AllocationRenews => own.allocation_renews = false,
            Rule::UseRenews => own.use_renews = [false, false],
            Rule::FifoIgnoresUse => own.use_renews = [true, true],
            Rule::NewLineIsUse => own.new_line_is_use = false,
            Rule::FenceLeavesHome => own.fence_to_home = true,
            Rule::FenceToReleaser => own.fence_to_releaser = false,
            Rule::IdealKeeps => own.ideal_evict = op::LWR,
            Rule::SourceExists => own.source_exists = false,
            Rule::RemoteIsOther => {
                for op in [rrd, rwr] {
                    own.sources[op] = HOME | OTHER;
                }
            }
            Rule::LocalIsHome => {
                for op in [lrd, lwr] {
                    own.sources[op] = HOME | OTHER;
                }
            }
            Rule::OpExists => {
                own.last_op = 7;
                own.sources[6..].fill(HOME | OTHER);
            }
            Rule::OpFirst => own.checks = [Check::Source, Check::Op, Check::Address],
            Rule::SourceFirst => own.checks = [Check::Op, Check::Address, Check::Source],
            Rule::IdealEnds => own.address_ends = false,
            Rule::SharersBefore => own.sharers_before = false,
            Rule::HitIsLine => own.hit_is_line = false,
            Rule::AllocIsEntry => own.alloc_is_entry = false,
            Rule::RefusedCount => own.counts_refused = false,
            Rule::Numbered => own.is_numbered = false,
            Rule::AgeLimit => own.age_limit = u8::MAX,
        }
        own
    }
}
