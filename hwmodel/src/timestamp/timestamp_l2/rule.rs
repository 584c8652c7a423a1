//! Rules that tests disable, one at a time, to check that they detect it.

use super::choices::{Choices, SPECIFICATION};
use crate::common::rules::rules;

rules! {
    /// A rule of the bank (specification 5.4, 5.5, 5.8, 8.2).
    pub enum Rule {
        /// G-TSC: the answer of a write says whether the L1's copy was as new as the line; else
        /// always that it was.
        Ok,
        /// G-TSC: a write comes behind each lease of its line; else at its end.
        AfterLease,
        /// G-TSC: a write comes not before its warp; else only behind the leases.
        AboveWarp,
        /// G-TSC: the lease of a line that goes is remembered.
        Remembered,
        /// G-TSC: a lease is renewed for a copy that is as new as the line; else for any.
        Compared,
        /// G-TSC: a request of an old generation has no timestamps; else its own.
        OldGeneration,
        /// G-TSC: all timestamps restart when one does not fit; else it wraps.
        Overflow,
        /// TC-Strong: a write waits until all leases of its line are over.
        Waits,
        /// TC: a line that an L1 may hold stays.
        Inclusion,
    }
}

impl Choices {
    /// Those of a bank that does not keep a rule.
    pub fn without(rule: Rule) -> &'static Self {
        match rule {
            Rule::Ok => &Self { any_is_ok: true, ..SPECIFICATION },
            Rule::AfterLease => &Self { behind_leases: 0, ..SPECIFICATION },
            Rule::AboveWarp => &Self { above_warp: false, ..SPECIFICATION },
            Rule::Remembered => &Self { remembers: false, ..SPECIFICATION },
            Rule::Compared => &Self { any_is_renewed: true, ..SPECIFICATION },
            Rule::OldGeneration => &Self { keeps_old: true, ..SPECIFICATION },
            Rule::Overflow => &Self { wraps: true, ..SPECIFICATION },
            Rule::Waits => &Self { writes_wait: [false; 3], ..SPECIFICATION },
            Rule::Inclusion => &Self { inclusive: [false; 3], ..SPECIFICATION },
        }
    }
}
