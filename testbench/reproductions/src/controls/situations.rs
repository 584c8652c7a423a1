//! What several controls share: lists of designs, and what is measured of them.

use std::sync::Arc;

use machine::egress_path::PathKind;

use super::programs::{Program, Sweep};
use super::runner::{Outcome, Runner, Spec};

/// L2 designs of the registry. The one that an L1 design brings is that L1 design's affair.
pub fn l2_designs() -> Vec<&'static str> {
    machine::names("l2.design").into_iter().filter(|name| *name != "own").collect()
}

/// Of these, those with a directory.
pub fn directories() -> Vec<&'static str> {
    l2_designs().into_iter().filter(|name| !machine::has_policy(name)).collect()
}

/// Egress designs.
pub fn egress_designs() -> Vec<&'static str> {
    PathKind::ALL.map(PathKind::name).to_vec()
}

/// A sweep, and how its last kernel differs from one over twice as many pages: what begins and ends
/// a kernel is in both.
pub struct Growth {
    pub once: Arc<Outcome>,
    pub twice: Arc<Outcome>,
}

impl Growth {
    /// Runs both.
    pub fn of(r: &mut Runner, spec: &Spec, sweep: Sweep) -> Self {
        let twice = Sweep { pages: 2 * sweep.pages, ..sweep };
        let mut run = |sweep| r.run(spec, &Program::Sweep(sweep));
        Self { once: run(sweep), twice: run(twice) }
    }

    /// Cycles.
    pub fn cycles(&self) -> f64 {
        self.twice.last_cycles() - self.once.last_cycles()
    }

    /// Cycles in which work-groups ran, of one GPU.
    pub fn body(&self) -> f64 {
        self.twice.body() - self.once.body()
    }

    /// Of a statistic.
    pub fn count(&self, name: &str) -> f64 {
        self.twice.last_count(name) - self.once.last_count(name)
    }

    /// Both runs.
    pub fn outcomes(&self) -> [&Outcome; 2] {
        [&self.once, &self.twice]
    }
}

/// With more entries than any program of the controls needs.
pub fn unlimited_entries(spec: Spec) -> Spec {
    let system = spec.system();
    let entries = system.directory.ways * u32::from(system.l2.banks) * ENOUGH_SETS;
    spec.set("directory.entries", entries)
}

/// Sets of a directory's slice: as many as the rows of `ideal`, so that both are swept for as long
/// after reset.
const ENOUGH_SETS: u32 = 1024;
