//! A bench around one block, whose inputs follow from what it shows.

use std::ops::{Deref, DerefMut};

use duet_tests::Body;
use hwmodel::Block;

/// What stands around a block, and plays its neighbours.
pub trait Around<B: Block> {
    /// Before the edge of a cycle: `shown` is shown in it.
    fn before(&mut self, _cycle: usize, _next: &mut B::In, _shown: &B::Out) {}

    /// Behind the edge: `out` was shown in the cycle, `shown` is from now on.
    fn after(&mut self, cycle: usize, next: &mut B::In, out: &B::Out, shown: &B::Out);
}

/// A body, its inputs, the outputs of all cycles, and what stands around it.
pub struct Bench<B: Block, A> {
    pub body: Body<B>,
    /// Inputs of the next cycle.
    pub next: B::In,
    pub out: Vec<B::Out>,
    around: A,
}

impl<B: Block, A: Around<B>> Bench<B, A> {
    pub fn around(body: Body<B>, next: B::In, around: A) -> Self {
        Self { body, next, out: Vec::new(), around }
    }

    /// One cycle; returns its outputs.
    pub fn cycle(&mut self) -> B::Out {
        let (cycle, shown) = (self.now(), self.shown());
        self.around.before(cycle, &mut self.next, &shown);
        let out = self.body.tick(&self.next);
        assert_eq!(shown, out, "tick must return the outputs of the cycle that it ends");
        assert!(!self.body.failed(), "an assertion of the RTL fails in cycle {cycle}");
        let shown = self.shown();
        self.around.after(cycle, &mut self.next, &out, &shown);
        self.out.push(out);
        out
    }

    /// So many cycles.
    pub fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| _ = self.cycle());
    }

    /// Runs all cycles before this one.
    pub fn run_to(&mut self, cycle: usize) {
        self.run(cycle.saturating_sub(self.now()));
    }

    /// The number of the next cycle.
    pub fn now(&self) -> usize {
        self.out.len()
    }

    /// The outputs of the next cycle.
    pub fn shown(&self) -> B::Out {
        self.body.outputs()
    }

    /// What is shown in some of the cycles from one on, with their numbers.
    pub fn seen<T>(&self, from: usize, of: impl Fn(&B::Out) -> Option<T>) -> Vec<(usize, T)> {
        let all = self.out.iter().enumerate().skip(from);
        all.filter_map(|(cycle, out)| Some((cycle, of(out)?))).collect()
    }
}

impl<B: Block, A> Deref for Bench<B, A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.around
    }
}

impl<B: Block, A> DerefMut for Bench<B, A> {
    fn deref_mut(&mut self) -> &mut A {
        &mut self.around
    }
}
