//! What a bank did in a cycle, for those who count what a run reaches.

/// It.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// Nothing may act, or nothing exists.
    Nothing,
    /// What exists cannot act.
    Hold(Hold),
    /// A request of this `op` whose timestamps do not fit.
    Refused(u8),
    /// A line from memory whose lease does not.
    RefusedFill,
    /// B1.
    PerformedWaiter(u8),
    /// B1 of the last request of a line that goes behind it.
    PerformedLast {
        /// Of the request.
        op: u8,
        /// Its bytes go to memory.
        dirty: bool,
    },
    /// B2.
    Filled,
    /// B3.
    Appended {
        /// Others wait there for a lease.
        filled: bool,
    },
    /// B4.
    Performed(u8),
    /// A write that waits for a lease, in an MSHR.
    Waits,
    /// B5.
    Missed {
        /// A line went.
        valid: bool,
        /// Its bytes did, to memory.
        dirty: bool,
        /// The policy picked it.
        picked: bool,
    },
    /// The policy is asked.
    Asked,
    /// A request that cannot be.
    DroppedRequest,
    /// A line for which no request waits.
    DroppedFill,
    /// A step of a release or acquire: a line is written back.
    WroteBack,
    /// A step: a set is passed.
    Passed {
        /// All its lines go.
        acquires: bool,
        /// It was the last.
        last: bool,
    },
}

/// What an action wants that it does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The policy's word.
    Asks,
    /// B1: room for its answer.
    WaiterRoom,
    /// B1: a place in dram_req for the line that goes.
    LastPlace,
    /// B3: room in the queue.
    Queue,
    /// B4: room for its answer.
    Room,
    /// An MSHR to wait for a lease.
    MissToWait,
    /// B5: a way.
    Victim,
    /// B5: an MSHR.
    Miss,
    /// B5: a place in dram_req.
    Place,
    /// B5: two of them.
    Places,
    /// A release or acquire: that no line is waited for.
    SyncMisses,
    /// It: a place in dram_req.
    SyncPlace,
    /// It: the end of leases.
    SyncLent,
}

impl Did {
    /// Whether the next action must keep its distance.
    #[inline(always)]
    pub(super) fn is_action(self) -> bool {
        !matches!(self, Self::Nothing | Self::Hold(_) | Self::Refused(_) | Self::RefusedFill)
    }
}
