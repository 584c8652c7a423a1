//! Actions of an L1: one in each cycle (specification 5.1 to 5.3, 5.8, 12).

use ports::timestamp::types::Ask;

use super::stores::Store;

/// Conditions of an MSHR, its line and the granted lease: one bit each.
pub mod condition {
    /// A flush came after the MSHR's request.
    pub const STALE: u8 = 1 << 0;
    /// A store came after the MSHR's request (`st_after`; TC: or a flush).
    pub const PASSED: u8 = 1 << 1;
    /// The FIFO of waiters is full.
    pub const FULL: u8 = 1 << 2;
    /// The MSHR is in PEND.
    pub const PENDING: u8 = 1 << 3;
    /// An older load of the store's warp waits in the MSHR.
    pub const OLDER: u8 = 1 << 4;
    /// The line is absent.
    pub const ABSENT: u8 = 1 << 5;
    /// Stores to the line are in flight.
    pub const LOCKED: u8 = 1 << 6;
    /// TC: the lease that the bank granted is over.
    pub const LATE: u8 = 1 << 7;

    /// The condition's bit if it is met, else 0.
    #[inline(always)]
    pub(in super::super) fn when(condition: u8, is_met: bool) -> u8 {
        if is_met { condition } else { 0 }
    }
}

/// The enabled action with the highest priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A query of the policy is pending.
    Nothing,
    /// An output FIFO is full. The fields say what it blocks.
    Blocked {
        /// A replay.
        replay: bool,
        /// An answer of a bank.
        answer: bool,
        /// A request of the SM.
        request: bool,
    },
    /// The policy picks a way.
    Pick {
        /// `None`: the line is not installed.
        way: Option<u8>,
        /// The way was no candidate.
        wrong: bool,
    },
    /// A0.
    Replay(Step),
    /// A1.
    Flush {
        /// G-TSC: the generation is not the next one.
        wrong: bool,
    },
    /// A2 of a BusFill whose way the policy must choose first.
    Query(Ask),
    /// A2 of a BusFill.
    Fill(Fill),
    /// A2 of a BusRnw.
    Renewal(Renewal),
    /// A2 of a BusWrAck or BusAtomAck.
    Acknowledgement(Acknowledgement),
    /// A2 of a BusFill or BusRnw without an MSHR in SENT.
    BadFill,
    /// A2 of an acknowledgement without a store.
    BadAcknowledgement,
    /// A3: the line serves a waiter.
    PendingReplay {
        /// The MSHR.
        miss: usize,
        /// The line's place.
        place: usize,
        /// The first step.
        step: Step,
    },
    /// A3: the line is requested.
    PendingRequest {
        /// The MSHR.
        miss: usize,
        /// The line's place, if it is present.
        place: Option<usize>,
    },
    /// A4.
    Request {
        /// The row of the oldest request; `None`: there is no request.
        row: Option<Request>,
        /// MSHRs are in PEND, all for locked lines.
        locked: bool,
    },
}

/// A step of a replay: one waiter is served or deferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The waiter is served by a lease of the L1's generation.
    Served,
    /// The waiter is served by a lease of another generation.
    ServedOld,
    /// The lease does not cover the waiter's time.
    Deferred,
    /// The lease does not cover it, and the waiter restarts at logical time 1.
    DeferredStale,
}

/// A BusFill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The MSHR.
    pub miss: usize,
    /// [`condition`]s that are met.
    pub conditions: u8,
    /// Where it is installed.
    pub place: Place,
    /// The first step of the replay.
    pub step: Step,
}

/// Where a fill is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere, because of its conditions.
    Nowhere,
    /// Nowhere: the policy does not keep it.
    NotKept,
    /// Nowhere: all ways are locked.
    NoWay,
    /// In the place that the line already has.
    Present(usize),
    /// In an invalid way.
    Invalid(usize),
    /// In the way of another line.
    Evicts(usize),
    /// In the way that the policy picked.
    Picked(usize),
}

/// A BusRnw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The MSHR.
    pub miss: usize,
    /// [`condition`]s that are met.
    pub conditions: u8,
    /// The line's place, if it is present.
    pub place: Option<usize>,
    /// The first step of the replay; `None`: the line is requested again.
    pub step: Option<Step>,
}

/// A BusWrAck or BusAtomAck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    pub store: Store,
    /// It has another generation than the L1.
    pub old: bool,
    /// TC-Weak: the lease end for which the warp's fences wait, and whether it is in the future.
    pub fence: Option<(u32, bool)>,
    pub lock: Lock,
}

/// What an acknowledgement does to the line's lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// The store has locked no line.
    None,
    /// A flush came after the store.
    Stale,
    /// Other stores to the line are in flight.
    Remains(usize),
    /// The lock is released.
    Ends(usize),
    /// The lock is released, and the line is dropped.
    Drops(usize),
}

/// Rows of the tables of requests (specification 5.2, 5.3, 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A hit.
    Ld1 {
        /// The line's place.
        place: usize,
        /// The warp's `Spin`-th hit in a row: its clock moves.
        spin: bool,
    },
    /// The line's MSHR accepts no load: its [`condition`]s.
    Ld2(u8),
    /// The load joins this MSHR.
    Ld3(usize),
    /// All MSHRs are in use.
    Ld4,
    /// The line is locked: the load waits in this MSHR.
    Ld5(usize),
    /// The lease is over: MSHR, and `wts` of the copy.
    Ld6(usize, u32),
    /// The line is absent: MSHR.
    Ld7(usize),
    /// The mask is empty.
    St1,
    /// Older loads must finish first: [`condition`]s of the MSHR.
    St2(u8),
    /// The store table is full.
    St3,
    /// A store.
    St4(Sent),
    /// An atomic.
    St5(Sent),
    /// An illegal request: error 1.
    Bad,
}

/// A store or atomic is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The entry of the store table.
    pub entry: usize,
    /// The line's MSHR, whose `st_after` it sets.
    pub passes: Option<usize>,
    pub copy: OwnCopy,
}

/// The L1's copy of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnCopy {
    /// The line is absent.
    Absent,
    /// No store to it is in flight.
    Unlocked(usize),
    /// Stores to it are in flight.
    Locked(usize),
}

impl Place {
    /// The place, if there is one.
    pub(super) fn index(self) -> Option<usize> {
        match self {
            Self::Nowhere | Self::NotKept | Self::NoWay => None,
            Self::Present(at) | Self::Invalid(at) | Self::Evicts(at) | Self::Picked(at) => Some(at),
        }
    }
}

impl Request {
    /// The request is held.
    pub(super) fn is_held(self) -> bool {
        matches!(self, Self::Ld2(_) | Self::Ld4 | Self::St2(_) | Self::St3)
    }
}

impl Action {
    /// The oldest request is held.
    #[inline(always)]
    pub(super) fn is_held(self) -> bool {
        matches!(self, Self::Request { row: Some(row), .. } if row.is_held())
    }

    /// The action changes the state.
    #[inline(always)]
    pub(super) fn acts(self) -> bool {
        match self {
            Self::Nothing | Self::Blocked { .. } => false,
            Self::Request { row, .. } => row.is_some_and(|row| !row.is_held()),
            _ => true,
        }
    }
}
