//! Rules that tests take away, to see that they find it.

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
        /// A new entry has zeros in its disabled bytes; else what stood there.
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
        /// A MARK makes its partition clean; else it is dirty for ever.
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
        /// A GPU release gives way to the end of a system release; else it is not told of.
        GivesWay,
        /// A partition without stores is flushed behind the timeout.
        Timeout,
        /// A store restarts the timer; else only one that needs an entry.
        StoreRestarts,
        /// A load leaves the timer alone; else it restarts it.
        LoadLeavesTimer,
        /// A timeout flushes when stage 2 is empty; else at once.
        TimeoutYields,
        /// A bank is free behind its last entry; else behind its first.
        BankHeld,
        /// Who queues two tokens waits for two places; else for one, and loses the second token.
        BothPlaces,
        /// The tokens of a partition leave in their order; else the youngest first.
        QueueOrder,
        /// Partitions take turns; else the lowest goes first.
        RoundRobin,
        /// A partition's tag counts its packets alone; else all that it sends.
        TagCountsPackets,
        /// A store or load without bytes is dropped; else it is carried out.
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
        /// A completion that no MARK waits for is told of.
        Spurious,
    }
}
