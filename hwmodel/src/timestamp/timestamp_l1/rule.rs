//! Rules that tests disable, one at a time, to check that they detect it.

use super::action::condition::*;
use super::choices::{ACKS, Choices, Client, LOADS, MISSES, Own, SPECIFICATION, STORES};
use crate::common::rules::rules;

rules! {
    /// A rule of the L1 (specification 8.2).
    pub enum Rule {
        /// A fill requested before a store is not kept, and serves no later load.
        StAfter,
        /// A store waits for older loads of its warp.
        OlderLoads,
        /// A lease serves only waiters that it covers.
        WaiterLease,
        /// Waiting loads are re-evaluated before the next request acts.
        PendingFirst,
        /// G-TSC: a bad line is dropped with the last acknowledgement.
        Bad,
        /// G-TSC: no load reads a line while a store to it is in flight.
        Lock,
        /// G-TSC: after a store, or while the line is locked, a renewal is discarded and the line
        /// requested again.
        RenewalOfLocked,
        /// G-TSC: a renewal of an absent line is discarded and the line requested again.
        RenewalOfAbsent,
        /// G-TSC: a load raises its warp's clock.
        LoadRaises,
        /// G-TSC: an acknowledgement raises its warp's clock.
        AckRaises,
        /// G-TSC: a flush makes MSHRs in SENT stale.
        MissStale,
        /// G-TSC: a flush makes stores stale.
        StoreStale,
        /// G-TSC: a stale fill is not kept.
        StaleFill,
        /// G-TSC: no load joins a stale MSHR.
        StaleHolds,
        /// G-TSC: the clock of a warp that only hits moves.
        Spin,
        /// G-TSC: an atomic drops the own copy.
        AtomicDrops,
        /// TC: a store or atomic drops the own copy.
        OwnCopy,
        /// TC-Weak: a fence waits for the leases of other copies of the stored lines.
        Fence,
    }
}

impl Choices {
    /// The choices with a disabled rule.
    pub fn without(rule: Rule) -> &'static Self {
        use Own::{Dropped, Kept, Written};
        match rule {
            Rule::StAfter => &Self { sets_st_after: false, ..SPECIFICATION },
            Rule::OlderLoads => &Self { holds_store: PENDING, ..SPECIFICATION },
            Rule::WaiterLease => &Self { defers: false, ..SPECIFICATION },
            Rule::PendingFirst => &Self { first: Client::Request, ..SPECIFICATION },
            Rule::Bad => &Self { drops_bad: false, ..SPECIFICATION },
            Rule::Lock => &Self { lock_blocks: false, ..SPECIFICATION },
            Rule::RenewalOfLocked => &Self { again: STALE | ABSENT, ..SPECIFICATION },
            Rule::RenewalOfAbsent => &Self { again: STALE | PASSED | LOCKED, ..SPECIFICATION },
            Rule::LoadRaises => &Self { raises: ACKS, ..SPECIFICATION },
            Rule::AckRaises => &Self { raises: LOADS, ..SPECIFICATION },
            Rule::MissStale => &Self { makes_stale: STORES, ..SPECIFICATION },
            Rule::StoreStale => &Self { makes_stale: MISSES, ..SPECIFICATION },
            Rule::StaleFill => &Self { not_installed: PASSED | LOCKED | LATE, ..SPECIFICATION },
            Rule::StaleHolds => &Self { holds_load: PASSED | FULL, ..SPECIFICATION },
            Rule::Spin => &Self { moves_clock: false, ..SPECIFICATION },
            Rule::AtomicDrops => {
                &Self { own_copy: [[Written, Kept], [Dropped; 2]], ..SPECIFICATION }
            }
            Rule::OwnCopy => &Self { own_copy: [[Written, Dropped], [Kept; 2]], ..SPECIFICATION },
            Rule::Fence => &Self { fences_wait: false, ..SPECIFICATION },
        }
    }
}
