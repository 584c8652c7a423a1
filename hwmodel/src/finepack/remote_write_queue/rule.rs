//! Rules that tests disable, one at a time, to check that they detect it.

use ports::finepack::types::{flush_cause, op};

use super::choices::{
    ALL, BAD_DEST, BAD_OP, Charge, Choices, Done, Length, NONE, SPECIFICATION, ZERO_MASK,
};
use crate::common::rules::rules;

rules! {
    /// A rule of the queue (specification 5.2 to 5.8, 6, 12), and what it does without it.
    pub enum Rule {
        /// A store outside the packet's window flushes; else it joins the packet.
        Window,
        /// A packet's first store sets its window; else the one before stays.
        FirstSetsWindow,
        /// A store that does not fit into the payload flushes; else it joins the packet.
        Fit,
        /// A store that hits must fit, too; else only one that needs an entry.
        FitBeforeLookup,
        /// A store that needs an entry where all are in use flushes; else it goes into the last.
        Room,
        /// EXACT charges a hit for what it adds; else for all of it.
        Exact,
        /// A store that joins runs gets credit back; else it costs nothing.
        Credit,
        /// PAPER charges a hit for all of it; else for what it adds.
        Paper,
        /// A packet's length is the sum of its entries; else what it was charged.
        CostSum,
        /// A flush gives all credit back; else what was left stays.
        CreditReset,
        /// A later store overwrites in place; else the first bytes stay.
        LaterWins,
        /// A hit enables the bytes that it adds; else those of the first store alone.
        MaskGrows,
        /// A new entry has zeros in its disabled bytes; else the old bytes stay there.
        Zeros,
        /// A load that overlaps a queued store flushes; else it goes ahead.
        LoadFlushes,
        /// An atomic that overlaps a queued store flushes; else it goes ahead.
        AtomicFlushes,
        /// A load or atomic flushes for a byte that it shares; else for any of its line.
        Overlap,
        /// A load or atomic travels behind the packet that it flushes; else before it.
        RawBehind,
        /// A system release flushes; else it sends its MARKs only.
        ReleaseFlushes,
        /// A MARK travels behind the packet that its release flushes; else before it.
        MarkBehind,
        /// A system release sends a MARK to each dirty partition; else to those that it flushes.
        MarkDirty,
        /// An atomic makes its partition dirty.
        AtomicDirty,
        /// A MARK makes its partition clean; else it stays dirty.
        MarkCleans,
        /// A system release is done when its MARKs are completed; else when they are queued.
        ReleaseWaits,
        /// It waits for all of them; else for the first.
        AllMarks,
        /// It waits for MARKs that are still to be queued; else for those that are.
        LastMark,
        /// A system release waits for the one before; else it takes its place.
        SecondWaits,
        /// A GPU release flushes nothing; else it is a system release.
        GpuRelease,
        /// A GPU release gives way to the end of a system release; else its choices end is lost.
        GivesWay,
        /// A partition without stores is flushed after the timeout.
        Timeout,
        /// A store restarts the timer; else only one that needs an entry.
        StoreRestarts,
        /// A load does not change the timer; else it restarts it.
        LoadLeavesTimer,
        /// A timeout flushes when stage 2 is empty; else at once.
        TimeoutYields,
        /// A bank is free after its last entry; else after its first.
        BankHeld,
        /// A request with two tokens waits for two free entries; else for one, and loses the second
        /// token.
        BothPlaces,
        /// The tokens of a partition leave in order; else the youngest first.
        QueueOrder,
        /// Arbitration is round-robin; else the lowest partition wins.
        RoundRobin,
        /// A partition's tag counts its packets alone; else all that it sends.
        TagCountsPackets,
        /// A store or load without bytes is dropped; else it is executed.
        NoBytes,
        /// An atomic has 4 or 8 aligned bytes; else any.
        AtomicSize,
        /// A request to no other GPU is dropped; else it goes to the first.
        Destination,
        /// An operation that does not exist is dropped; else it is a GPU release.
        Operation,
        /// An atomic operation that does not exist is dropped; else it is sent.
        AtomicOperation,
        /// Of several faults the lowest code is shown; else the highest.
        LowestCode,
        /// Faults that are not shown are flagged.
        LostFlag,
        /// A completion without an outstanding MARK is an error.
        Spurious,
    }
}

impl Choices {
    /// The choices of a queue that does not keep a rule.
    pub fn without(rule: Rule) -> Self {
        let [store, load, atomic] = [op::STORE, op::LOAD, op::ATOMIC].map(usize::from);
        let mut choices = SPECIFICATION;
        match rule {
            Rule::Window => choices.never_flush(flush_cause::WINDOW),
            Rule::FirstSetsWindow => choices.first_sets_window = false,
            Rule::Fit => choices.never_flush(flush_cause::FULL_PAYLOAD),
            Rule::FitBeforeLookup => choices.hit_must_fit = false,
            Rule::Room => choices.never_flush(flush_cause::FULL_ENTRIES),
            Rule::Exact => choices.exact = Charge::All,
            Rule::Credit => choices.exact = Charge::PositiveGrowth,
            Rule::Paper => choices.paper = Charge::Growth,
            Rule::CostSum => choices.length = Length::Charged,
            Rule::CreditReset => choices.flush_resets_credit = false,
            Rule::LaterWins => choices.hit_keeps = ALL,
            Rule::MaskGrows => choices.hit_enables = NONE,
            Rule::Zeros => choices.clears_disabled = false,
            Rule::LoadFlushes => choices.never_flush(flush_cause::LOAD_HIT),
            Rule::AtomicFlushes => choices.never_flush(flush_cause::ATOMIC_HIT),
            Rule::Overlap => choices.raw_touches = ALL,
            Rule::RawBehind => choices.raw_behind = false,
            Rule::ReleaseFlushes => choices.never_flush(flush_cause::RELEASE),
            Rule::MarkBehind => choices.mark_behind = false,
            Rule::MarkDirty => choices.empty_gets_mark = NONE as u16,
            Rule::AtomicDirty => choices.atomic_dirties = false,
            Rule::MarkCleans => choices.mark_leaves_dirty = ALL as u16,
            Rule::ReleaseWaits => choices.release_done = Done::Pushed,
            Rule::AllMarks => choices.release_done = Done::OneCompleted,
            Rule::LastMark => choices.release_done = Done::PushedCompleted,
            Rule::SecondWaits => choices.second_waits = false,
            Rule::GpuRelease => choices.gpu_release = op::RELEASE_SYS,
            Rule::GivesWay => choices.gives_way = false,
            Rule::Timeout => choices.never_flush(flush_cause::TIMEOUT),
            Rule::StoreRestarts => choices.hit_restarts = false,
            Rule::LoadLeavesTimer => choices.load_restarts = true,
            Rule::TimeoutYields => choices.timeout_yields = false,
            Rule::BankHeld => choices.last_frees = false,
            Rule::BothPlaces => choices.two_tokens = 1,
            Rule::QueueOrder => choices.oldest_leaves = false,
            Rule::RoundRobin => choices.round_robin = false,
            Rule::TagCountsPackets => choices.tag_counts_raw = true,
            Rule::NoBytes => {
                for op in [store, load] {
                    choices.checks[op] &= !ZERO_MASK;
                }
            }
            Rule::AtomicSize => choices.checks[atomic] &= !ZERO_MASK,
            Rule::Destination => {
                for op in [store, load, atomic] {
                    choices.checks[op] &= !BAD_DEST;
                }
            }
            Rule::Operation => choices.checks[5..].fill(0),
            Rule::AtomicOperation => choices.checks[atomic] &= !BAD_OP,
            Rule::LowestCode => choices.shows_lowest = false,
            Rule::LostFlag => choices.flags_lost = false,
            Rule::Spurious => choices.spurious = 0,
        }
        choices
    }
}
