//! Rules that tests take away, to see that they find it.

use crate::common::rules::rules;

rules! {
    /// A rule of the queue (specification 5.2 to 5.8, 6, 12), and what it does without it.
    pub enum Rule {
        /// A store outside the packet's window flushes; else it joins the packet.
        Window = "window",
        /// A packet's first store sets its window; else the one before stays.
        FirstSetsWindow = "first-sets-window",
        /// A store that does not fit into the payload flushes; else it joins the packet.
        Fit = "fit",
        /// A store that hits must fit, too; else only one that needs an entry.
        FitBeforeLookup = "fit-before-lookup",
        /// A store that needs an entry where all are in use flushes; else it goes into the last.
        Room = "room",
        /// EXACT charges a hit for what it adds; else for all of it.
        Exact = "exact",
        /// A store that joins runs gets credit back; else it costs nothing.
        Credit = "credit",
        /// PAPER charges a hit for all of it; else for what it adds.
        Paper = "paper",
        /// A packet's length is the sum of its entries; else what it was charged.
        CostSum = "cost-sum",
        /// A flush gives all credit back; else what was left stays.
        CreditReset = "credit-reset",
        /// A later store overwrites in place; else the first bytes stay.
        LaterWins = "later-wins",
        /// A hit enables the bytes that it adds; else those of the first store alone.
        MaskGrows = "mask-grows",
        /// A new entry has zeros in its disabled bytes; else what stood there.
        Zeros = "zeros",
        /// A load that overlaps a queued store flushes; else it goes ahead.
        LoadFlushes = "load-flushes",
        /// An atomic that overlaps a queued store flushes; else it goes ahead.
        AtomicFlushes = "atomic-flushes",
        /// A load or atomic flushes for a byte that it shares; else for any of its line.
        Overlap = "overlap",
        /// A load or atomic travels behind the packet that it flushes; else before it.
        RawBehind = "raw-behind",
        /// A system release flushes; else it sends its MARKs only.
        ReleaseFlushes = "release-flushes",
        /// A MARK travels behind the packet that its release flushes; else before it.
        MarkBehind = "mark-behind",
        /// A system release sends a MARK to each dirty partition; else to those that it flushes.
        MarkDirty = "mark-dirty",
        /// An atomic makes its partition dirty.
        AtomicDirty = "atomic-dirty",
        /// A MARK makes its partition clean; else it is dirty for ever.
        MarkCleans = "mark-cleans",
        /// A system release is done when its MARKs are completed; else when they are queued.
        ReleaseWaits = "release-waits",
        /// It waits for all of them; else for the first.
        AllMarks = "all-marks",
        /// It waits for MARKs that are still to be queued; else for those that are.
        LastMark = "last-mark",
        /// A system release waits for the one before; else it takes its place.
        SecondWaits = "second-waits",
        /// A GPU release flushes nothing; else it is a system release.
        GpuRelease = "gpu-release",
        /// A GPU release gives way to the end of a system release; else it is not told of.
        GivesWay = "gives-way",
        /// A partition without stores is flushed behind the timeout.
        Timeout = "timeout",
        /// A store restarts the timer; else only one that needs an entry.
        StoreRestarts = "store-restarts",
        /// A load leaves the timer alone; else it restarts it.
        LoadLeavesTimer = "load-leaves-timer",
        /// A timeout flushes when stage 2 is empty; else at once.
        TimeoutYields = "timeout-yields",
        /// A bank is free behind its last entry; else behind its first.
        BankHeld = "bank-held",
        /// Who queues two tokens waits for two places; else for one, and loses the second token.
        BothPlaces = "both-places",
        /// The tokens of a partition leave in their order; else the youngest first.
        QueueOrder = "queue-order",
        /// Partitions take turns; else the lowest goes first.
        RoundRobin = "round-robin",
        /// A partition's tag counts its packets alone; else all that it sends.
        TagCountsPackets = "tag-counts-packets",
        /// A store or load without bytes is dropped; else it is carried out.
        NoBytes = "no-bytes",
        /// An atomic has 4 or 8 aligned bytes; else any.
        AtomicSize = "atomic-size",
        /// A request to no other GPU is dropped; else it goes to the first.
        Destination = "destination",
        /// An operation that does not exist is dropped; else it is a GPU release.
        Operation = "operation",
        /// An atomic operation that does not exist is dropped; else it is sent.
        AtomicOperation = "atomic-operation",
        /// Of several faults the lowest code is shown; else the highest.
        LowestCode = "lowest-code",
        /// Faults that are not shown are flagged.
        LostFlag = "lost-flag",
        /// A completion that no MARK waits for is told of.
        Spurious = "spurious",
    }
}
