//! Actions of a bank: one in each cycle (specification 5.4, 5.8).

use ports::timestamp::types::Ask;

use super::leases::{Grant, Lease};

/// The first action of a cycle that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing may act, or nothing exists.
    Nothing,
    /// What exists cannot act.
    Hold(Hold),
    /// The timestamps of a request with this `op` do not fit.
    Overflow(u8),
    /// The lease of a line from memory does not fit.
    FillOverflow,
    /// B1.
    Waiter {
        /// Its MSHR.
        miss: usize,
        /// The `op` of the request.
        op: u8,
        /// What the request is granted.
        grant: Grant,
        /// The line is evicted with its last request; whether it is dirty.
        evicts: Option<bool>,
    },
    /// B2.
    Fill {
        /// Its MSHR.
        miss: usize,
        /// The lease of the line.
        lease: Lease,
    },
    /// B3.
    Append {
        /// The MSHR of the line.
        miss: usize,
        /// A write waits there for a lease.
        filled: bool,
    },
    /// B4.
    Perform {
        /// Where the line is.
        place: usize,
        /// The `op` of the request.
        op: u8,
        /// What the request is granted.
        grant: Grant,
    },
    /// A write waits for a lease.
    Wait {
        /// In this MSHR.
        miss: usize,
        /// Where the line is.
        place: usize,
    },
    /// B5.
    Miss {
        /// Its MSHR.
        miss: usize,
        /// Where the line will be.
        place: usize,
        /// The line stays after its last request.
        keep: bool,
        /// A line is evicted.
        valid: bool,
        /// That line is dirty.
        dirty: bool,
        /// The policy picked the way.
        picked: bool,
    },
    /// B5: the policy must choose the way first.
    Query(Ask),
    /// Error 1.
    BadRequest,
    /// Error 2.
    BadFill,
    /// A release or acquire writes the line of this place back.
    WriteBack(usize),
    /// A release or acquire passes a set.
    Pass {
        /// All lines of the set are dropped.
        acquires: bool,
        /// The set is the last one.
        last: bool,
    },
}

/// What an action lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The policy's answer.
    Asks,
    /// B1: room for its answer.
    WaiterRoom,
    /// B1: a place in dram_req for the line that is evicted.
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
    /// B5: two places in dram_req.
    Places,
    /// A release or acquire: no MSHR in use.
    SyncMisses,
    /// A release or acquire: a place in dram_req.
    SyncPlace,
    /// An acquire: the end of leases.
    SyncLent,
}

impl Action {
    /// The next action must keep its distance.
    #[inline(always)]
    pub fn is_action(self) -> bool {
        !matches!(self, Self::Nothing | Self::Hold(_) | Self::Overflow(_) | Self::FillOverflow)
    }

    /// The oldest request is held: B3 to B5.
    #[inline(always)]
    pub(super) fn holds_request(self) -> bool {
        use Hold::{Miss, MissToWait, Place, Places, Queue, Room, Victim};
        matches!(self, Self::Hold(Queue | Room | MissToWait | Victim | Miss | Place | Places))
    }
}
