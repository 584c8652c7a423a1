//! Rules that tests disable, one at a time, to check that they detect it.

use super::action::condition::*;
use super::choices::{ACKS, Choices, Client, LOADS, MISSES, Own, SPECIFICATION, STORES};
use crate::common::rules::rules;

rules! {
    /// A rule of the L1 (specification 8.2).
    pub enum Rule {
        /// A fill that is older than a store is not kept, and serves no later load.
        StAfter,
        /// A store waits for older loads of its warp.
        OlderLoads,
        /// A load that waits is served within the lease alone.
        WaiterLease,
        /// Waiting loads are re-evaluated before the next request acts.
        PendingFirst,
        /// G-TSC: a line that met newer bytes in the bank goes with the last acknowledgement.
        Bad,
        /// G-TSC: no load reads a line while a store to it is in flight.
        Lock,
        /// G-TSC: a renewal that a store has passed, or of a line that is locked, is asked for
        /// again.
        RenewalOfLocked,
        /// G-TSC: one of a line that is not here any more is.
        RenewalOfAbsent,
        /// G-TSC: a load raises its warp's clock.
        LoadRaises,
        /// G-TSC: an acknowledgement does.
        AckRaises,
        /// G-TSC: a flush makes misses stale.
        MissStale,
        /// G-TSC: a flush makes stores stale.
        StoreStale,
        /// G-TSC: a stale fill is not kept.
        StaleFill,
        /// G-TSC: no load joins a stale miss.
        StaleHolds,
        /// G-TSC: the clock of a warp that only hits moves.
        Spin,
        /// G-TSC: an atomic drops the own copy.
        AtomicDrops,
        /// TC: a store or atomic drops the own copy.
        OwnCopy,
        /// TC-Weak: a fence waits for the leases that stores have met.
        Fence,
    }
}

impl Choices {
    /// Those of an L1 that does not keep a rule.
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
