//! What a run does for a while: how often, in which slots and bands.

use ports::stc::epoch_agent::Config;

use super::{LONG, Random};
use crate::phase;

/// How slots are chosen for stores.
#[derive(Clone, Copy, Debug, Default)]
pub enum Order {
    /// In turn, as a coalescing buffer does.
    #[default]
    Turn,
    Any,
    Lowest,
    Highest,
    /// Of one bank, for long scans.
    Bank(u32),
}

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random, c: &Config) {
        pub left: u32 = 16 + { let most = r.pick(&[128, 512, 512, 2048]); r.below(most) },
        pub st: u32 = r.pick(&[256, 256, 128, 32, 4]),
        pub order: Order = match r.below(5) {
            0 => Order::Turn,
            1 => Order::Any,
            2 => Order::Lowest,
            3 => Order::Highest,
            _ => Order::Bank(r.below(c.bsq_banks)),
        },
        /// Stores in use at most.
        pub most: u32 = r.pick(&[c.bsq_n, c.bsq_n, c.bsq_n, 4, c.bsq_n / 2]),
        pub st_ready: u32 = r.pick(&[256, 256, 128, 16]),
        pub wa: u32 = r.pick(&[256, 256, 128, 24, 2]),
        pub ld: u32 = r.pick(&[256, 128, 16]),
        pub ld_ready: u32 = r.pick(&[256, 256, 128, 16]),
        /// Chance of a store, of a load to a band that is granted.
        pub granted: u32 = r.pick(&[256, 128, 64, 0]),
        pub ld_granted: u32 = r.pick(&[224, 128, 16, 0]),
        /// Chance of a load to where a store waits for.
        pub near: u32 = r.pick(&[0, 32, 128]),
        /// Bands in use.
        pub bands: u32 = {
            let (some, one) = (r.word() as u32 & r.word() as u32, 1 << r.below(c.bands()));
            r.pick(&[u32::MAX, u32::MAX, some | one, one]) & all_bands(c)
        },
        pub sweep: u32 = r.pick(&[256, 128, 16]),
        pub ack: u32 = r.pick(&[256, 256, 128, 16, 0]),
        /// Chances of the manager's next step in a cycle: a transition; the change; the end of
        /// both levels.
        pub prep: u32 = r.pick(&[256, 64, 16, 4, 1]),
        pub chg: u32 = r.pick(&[256, 128, 32]),
        pub fall: u32 = r.pick(&[256, 128, 32]),
        /// Chance that an epoch has the start epoch bit of the one before; else a neighbour, or
        /// any.
        pub stay: u32 = r.pick(&[256, 192, 64]),
        /// Most bands of an epoch.
        pub most_bands: u32 = 1 + r.below(c.max_bands),
        /// Chance that an epoch is for a store that waits.
        pub wanted: u32 = r.pick(&[224, 128, 0]),
        /// Chances of a store or an acknowledgement, of a level or an epoch against the rules.
        pub fault: u32 = r.pick(&[0, 0, 0, 4, 64]),
        pub broken: u32 = r.pick(&[0, 0, 0, 8, 96]),
    }
}

pub fn all_bands(c: &Config) -> u32 {
    u32::MAX >> (32 - c.bands())
}

impl Phase {
    /// One of many kinds.
    pub fn random(r: &mut Random, c: &Config) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        match r.below(16) {
            // As many changes as can be.
            0 => (p.prep, p.chg, p.fall, p.sweep, p.wa) = (256, 256, 256, 256, 256),
            // The queue fills up.
            1 => {
                (p.st, p.granted, p.prep, p.most, p.left) = (256, 0, 0, c.bsq_n, 2 * c.bsq_n);
                (p.order, p.bands) = (Order::Turn, all_bands(c));
            }
            // Stores are taken and not acknowledged.
            2 => {
                (p.st, p.granted, p.prep, p.most, p.left) = (256, 256, 1, c.bsq_n, 2 * c.bsq_n);
                (p.st_ready, p.wa) = (256, 0);
            }
            // Many demands, none acknowledged, or all late.
            3 => {
                (p.st, p.granted, p.most, p.left) = (256, 0, c.bsq_n, 1500);
                (p.prep, p.chg, p.fall, p.sweep, p.wa) = (256, 256, 256, 256, 256);
                (p.ack, p.wanted, p.fault) = (r.pick(&[0, 4]), 0, 0);
            }
            _ => {}
        }
        phase
    }

    /// One direct store after the other; at times none, so that those behind one that was kept go
    /// directly again.
    pub fn long(r: &mut Random, c: &Config) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        (p.left, p.most, p.prep) = (LONG as u32, c.bsq_n, 0);
        (p.order, p.st, p.st_ready, p.granted) = (Order::Turn, 252, 256, 256);
        (p.wa, p.sweep, p.chg, p.fall, p.fault, p.broken) = (256, 256, 256, 256, 0, 0);
        phase
    }
}
