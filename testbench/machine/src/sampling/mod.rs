//! Kernel sampling: which launches of a program are simulated, and what all of them cost by those.
//!
//! Launches of the same kernel with the same grid and buffers are a group. A group is steady once
//! [`STEADY`] launches in a row differ by at most [`SPREAD`]. Launches of a steady group are
//! skipped, a gap of them at a time, as long as each group of the loop around them is steady. After
//! a gap one launch of the group warms the caches up and the next is measured. If the measured
//! times on both sides of a gap are close, the next gap is twice as long; if they differ much, the
//! group has to become steady again.
//!
//! A launch in a gap is taken to cost the mean of the two sides. The interval assumes that it costs
//! something between them: half their difference is its error, and all errors add up. This holds
//! for times that drift, too. [`BIAS`] stands for what no side shows: the caches after a gap are
//! those before it.

mod estimate;
mod group;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use traces::trace::{Arg, ArgKind, KernelHead};

pub use estimate::Estimate;
pub use group::STEADY;

use crate::engine::Cycle;
pub use estimate::Sum;
use group::{Group, Measured};

/// What launches of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    name: String,
    grid: [u32; 3],
    local: [u32; 3],
    /// Addresses of the buffers among the arguments.
    buffers: Vec<u64>,
}

impl Key {
    fn of(head: &KernelHead) -> Self {
        let KernelHead { name, grid, local, args, .. } = head;
        let address = |arg: &Arg| match arg.kind {
            ArgKind::Plain => None,
            ArgKind::Buffer { addr, .. } => Some(addr),
        };
        let buffers = args.iter().filter_map(address).collect();
        Self { name: name.clone(), grid: *grid, local: *local, buffers }
    }
}

/// How often a program repeats its kernels.
#[derive(Default)]
pub struct Repeats {
    groups: HashMap<Key, u32>,
    /// Launches of the greatest group.
    pub most: u32,
}

impl Repeats {
    /// Launches of a group before one is skipped: the first, with cold caches, and those that show
    /// that it is steady.
    pub const SIMULATED: u32 = 1 + STEADY as u32;

    /// A launch.
    pub fn add(&mut self, head: &KernelHead) {
        let launches = self.groups.entry(Key::of(head)).or_default();
        *launches += 1;
        self.most = self.most.max(*launches);
    }
}

/// A group that waits for its measured launch, and the launch after which it waits no more.
#[derive(Clone, Copy, Debug)]
struct Due {
    group: usize,
    until: u32,
}

/// Chooses launches, and adds up what they cost.
#[derive(Debug, Default)]
pub struct Sampler {
    groups: Vec<Group>,
    by_key: HashMap<Key, usize>,
    /// Launches so far.
    launches: u32,
    /// Those of them that were simulated.
    simulated: u32,
    /// The launch that was skipped last, and the last one of a group that was not steady.
    skipped: Option<u32>,
    unsteady: Option<u32>,
    /// While any group waits for its measured launch every launch is simulated.
    due: Vec<Due>,
    /// The GPU does not get the launch that comes next ahead, because it is to be skipped; and did
    /// not get the one that runs.
    withholds: bool,
    is_withheld: bool,
    /// Statistics at the end of the last launch.
    before: Vec<u64>,
    sum: Sum,
}

impl Sampler {
    fn group(&mut self, head: &KernelHead) -> usize {
        let next = self.groups.len();
        let at = *self.by_key.entry(Key::of(head)).or_insert(next);
        if at == next {
            self.groups.push(Group::new(&head.name));
        }
        at
    }

    /// Whether the next launch is skipped.
    pub fn skips(&mut self, head: &KernelHead) -> bool {
        let at = self.group(head);
        self.due.is_empty() && self.groups[at].has_gap() && self.is_loop_steady(at)
    }

    /// Whether the launch behind the one that runs now will be skipped, if that one costs what its
    /// group's launches cost.
    pub fn will_skip(&mut self, running: &KernelHead, next: &KernelHead) -> bool {
        let (running, at) = (self.group(running), self.group(next));
        let is_measured = self.is_clean(running);
        let has_gap = match at == running {
            true => self.groups[at].is_steady() && (is_measured || self.groups[at].has_gap()),
            false => self.groups[at].has_gap(),
        };
        let is_open = self.due.iter().any(|due| due.group != running || !is_measured);
        let will = !is_open && has_gap && self.is_loop_steady(at);
        self.withholds = will;
        will
    }

    /// Whether all groups since the last launch of this one are steady.
    fn is_loop_steady(&self, at: usize) -> bool {
        self.groups[at].last().is_some_and(|last| self.unsteady.is_none_or(|at| at < last))
    }

    /// Whether no launch was skipped since the last one of this group.
    fn is_clean(&self, at: usize) -> bool {
        self.groups[at].last().is_some_and(|last| self.skipped.is_none_or(|at| at < last))
    }

    /// A launch was skipped that has so much work.
    pub fn skip(&mut self, head: &KernelHead, work: u64) {
        let at = self.group(head);
        self.groups[at].skip(self.launches, work);
        self.skipped = Some(self.launches);
        (self.withholds, self.is_withheld) = (false, false);
        self.launches += 1;
    }

    /// A launch was simulated that has so much work, in so many cycles; now these are the
    /// statistics of the run.
    pub fn simulate(&mut self, head: &KernelHead, work: u64, cycles: Cycle, now: &[u64]) {
        let (at, number) = (self.group(head), self.launches);
        let is_clean = !self.is_withheld && self.is_clean(at);
        self.is_withheld = std::mem::take(&mut self.withholds);
        self.before.resize(now.len(), 0);
        let growth = now.iter().zip(&self.before).map(|(value, old)| value.saturating_sub(*old));
        let measured = Measured { cycles, work, growth: growth.collect() };
        self.before.copy_from_slice(now);
        self.launches += 1;
        self.simulated += 1;
        let group = &mut self.groups[at];
        let distance = group.last().map_or(0, |last| number - last);
        self.due.retain(|due| due.group != at || !is_clean);
        if !is_clean && !group.has_gap() && self.due.iter().all(|due| due.group != at) {
            self.due.push(Due { group: at, until: number + 2 * distance });
        }
        // A kernel that does not come back keeps none of the others waiting.
        self.due.retain(|due| due.until > number);
        if group.is_steady() && !is_clean {
            group.warm_up(number, work);
        } else {
            group.measure(number, measured, is_clean, &mut self.sum);
        }
        if !group.is_steady() {
            self.unsteady = Some(number);
        }
    }

    /// Launches so far, and those of them that were simulated.
    pub fn launches(&self) -> (u32, u32) {
        (self.launches, self.simulated)
    }

    /// What all launches so far cost.
    pub fn sum(&self) -> Sum {
        let mut sum = self.sum.clone();
        self.groups.iter().for_each(|group| group.end(&mut sum));
        sum
    }
}
