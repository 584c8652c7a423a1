//! Which outcomes a memory model allows.
//!
//! All ways in which loads may read from stores, and stores of a location follow each other, are
//! tried (`candidate.rs`); those that the model's axioms allow (`axioms.rs`) give the outcomes.
//! Sequential consistency is also found the other way, by all interleavings (`interleaving.rs`):
//! a test compares both.

mod axioms;
mod candidate;
mod event;
pub mod interleaving;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use machine::{Fences, MemoryModel};
use schemars::JsonSchema;
use serde::Serialize;

use crate::test::{Outcome, Scope, Step, Test, Thread};
use candidate::Candidate;
use event::Events;

/// What a machine promises of litmus tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum Promise {
    /// Sequential consistency.
    #[serde(rename = "SC")]
    Sc,
    /// Release consistency: what fences order, all threads of their scope see so, and they see a
    /// store at once.
    #[serde(rename = "RC")]
    Rc,
    /// The same without the last: threads may see a store one after another, until the thread that
    /// has stored passes a fence.
    #[serde(rename = "RC, own stores")]
    RcOwn,
    /// Sequential consistency for programs whose races have a scope that the hardware has: what
    /// fences and barriers order, the threads of a work-group see so. Between work-groups only the
    /// end of a kernel orders anything but atomics of a location.
    #[serde(rename = "HRF")]
    Hrf,
}

impl Promise {
    /// All of them, strongest first.
    pub const ALL: [Self; 4] = [Self::Sc, Self::Rc, Self::RcOwn, Self::Hrf];

    /// What a machine promises that promises this much, and whose fences order this while a kernel
    /// runs. None where nothing is promised.
    pub fn of(model: MemoryModel, fences: Fences) -> Option<Self> {
        match (model, fences) {
            (MemoryModel::None, _) => None,
            (MemoryModel::Sc, _) => Some(Self::Sc),
            (MemoryModel::Rc, Fences::Gpu) => Some(Self::Rc),
            (MemoryModel::Rc, Fences::Own) => Some(Self::RcOwn),
            (MemoryModel::Rc, Fences::Group) => Some(Self::Hrf),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sc => "SC",
            Self::Rc => "RC",
            Self::RcOwn => "RC, own stores",
            Self::Hrf => "HRF",
        }
    }

    /// Whether anything but atomics of one thread is ordered for another one.
    fn reaches(self, from: &Thread, to: &Thread) -> bool {
        from.reaches(
            match self {
                Self::Sc | Self::Rc | Self::RcOwn => Scope::Sys,
                Self::Hrf => Scope::Cta,
            },
            to,
        )
    }

    /// Whether all threads see a store at once.
    fn is_atomic(self) -> bool {
        self != Self::RcOwn
    }
}

/// The outcomes that a promise allows.
pub fn allowed(test: &Test, promise: Promise) -> BTreeSet<Outcome> {
    let events = Events::of(test, promise);
    let mut all = BTreeSet::new();
    Candidate::each(test, &events, |candidate, values| {
        let outcome = candidate.outcome(test, &events, values);
        if !all.contains(&outcome) && axioms::hold(test, &events, promise, candidate) {
            all.insert(outcome);
        }
    });
    all
}

/// In how many ways a test's operations may go: each load may read from any write of its location,
/// and those may come in any order.
pub fn ways(test: &Test) -> u64 {
    let steps = || test.threads.iter().flat_map(|thread| &thread.steps);
    let of = |location: usize| {
        let (mut reads, mut writes) = (0u32, 0u64);
        for step in steps() {
            match *step {
                Step::Load { location: at, .. } if at == location => reads += 1,
                Step::Store { location: at, .. } if at == location => writes += 1,
                Step::Atomic { location: at, .. } if at == location => {
                    reads += 1;
                    writes += 1;
                }
                _ => {}
            }
        }
        let orders = (1..=writes).fold(1, u64::saturating_mul);
        orders.saturating_mul((writes + 1).saturating_pow(reads))
    };
    (0..test.locations.len()).map(of).fold(1, u64::saturating_mul)
}
