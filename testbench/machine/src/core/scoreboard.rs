//! Issue with a scoreboard: schedulers issue the instructions of ready waves, a wave waits at the
//! first instruction that reads the value of a load in flight, and local memory shares the
//! load/store pipeline with the L1.
//!
//! Instructions between two accesses are not in a trace, but their number by class and the longest
//! chain of dependent ones are. A wave executes them in one step, or in two around an instruction
//! at which it waits. The step reserves its instructions at the wave's scheduler, first come, first
//! served, and ends no earlier than the chain's latency.

use traces::trace::{Chain, Work};

use super::Core;
use super::wave::State;
use crate::config::PipelineSection;
use crate::context::{Context, masks};
use crate::engine::Cycle;

/// Most schedulers of a CU.
pub const MAX_SCHEDULERS: usize = 8;

/// The pipelines of a CU: the first cycle in which each is free.
#[derive(Debug)]
pub(super) struct Pipelines {
    spec: PipelineSection,
    /// Bytes of a sector.
    sector: u32,
    schedulers: [Cycle; MAX_SCHEDULERS],
    special: [Cycle; MAX_SCHEDULERS],
    /// Of the L1 and local memory.
    pub(super) load_store: Cycle,
    executed: Executed,
}

/// Instructions that waves have executed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Executed {
    /// All of them.
    pub instructions: u64,
    /// Loads.
    pub loads: u64,
}

/// Occupies a pipeline for so many cycles from `now` on, or from when it is free. Gives the first
/// cycle after them.
fn reserve(free: &mut Cycle, now: Cycle, cycles: u64) -> Cycle {
    if cycles == 0 {
        return now;
    }
    *free = (*free).max(now) + cycles;
    *free
}

/// The first `n` instructions of some work, with their share of everything.
fn split(work: &mut Work, n: u32) -> Work {
    let all = work.instructions.max(1);
    let share = |of: &mut u32| {
        let part = (u64::from(*of) * u64::from(n) / u64::from(all)) as u32;
        *of -= part;
        part
    };
    Work {
        special: share(&mut work.special),
        local: share(&mut work.local),
        passes: share(&mut work.passes),
        chain: Chain {
            arithmetic: share(&mut work.chain.arithmetic),
            special: share(&mut work.chain.special),
            local: share(&mut work.chain.local),
        },
        instructions: share(&mut work.instructions),
    }
}

impl Pipelines {
    /// All free.
    pub(super) fn new(spec: &PipelineSection, sector: u32) -> Self {
        let free = [0; MAX_SCHEDULERS];
        Self {
            spec: spec.clone(),
            sector,
            schedulers: free,
            special: free,
            load_store: 0,
            executed: Executed::default(),
        }
    }

    /// A wave executes instructions from cycle `now` on. Gives the cycle in which the next one may
    /// issue.
    fn work(&mut self, wave: usize, now: Cycle, work: Work) -> Cycle {
        let PipelineSection { arithmetic_latency, special_latency, local_latency, .. } = self.spec;
        self.executed.instructions += u64::from(work.instructions);
        let scheduler = wave % self.spec.schedulers as usize;
        let issued = reserve(&mut self.schedulers[scheduler], now, work.instructions.into());
        let special = u64::from(work.special) * u64::from(self.spec.special_cycles);
        let special = reserve(&mut self.special[scheduler], now, special);
        let local = reserve(&mut self.load_store, now, work.passes.into());
        let Chain { arithmetic, special: of_special, local: of_local } = work.chain;
        // Instructions of which no chain is known depend on one another.
        let arithmetic = match work.chain == Chain::default() {
            true => work.instructions,
            false => arithmetic,
        };
        let latency = [
            (arithmetic, arithmetic_latency),
            (of_special, special_latency),
            (of_local, local_latency),
        ];
        let latency = latency.map(|(n, cycles)| u64::from(n) * u64::from(cycles));
        (now + latency.iter().sum::<u64>()).max(issued).max(special).max(local)
    }

    /// A wave issues an instruction of the trace: an access, a barrier or a fence.
    fn issue(&mut self, wave: usize, now: Cycle) {
        self.executed.instructions += 1;
        let scheduler = wave % self.spec.schedulers as usize;
        reserve(&mut self.schedulers[scheduler], now, 1);
    }

    /// A wave issues an access of so many lanes.
    pub(super) fn access(&mut self, wave: usize, now: Cycle, lanes: u64, is_load: bool) {
        self.issue(wave, now);
        self.executed.loads += u64::from(is_load);
        // The cycle of each line comes with the line.
        let cycles = lanes.count_ones().div_ceil(self.spec.lanes);
        reserve(&mut self.load_store, now, u64::from(cycles) - 1);
    }

    /// The load/store pipeline accepts a line.
    pub(super) fn line(&mut self, now: Cycle, mask: u128) {
        let sectors = masks::sectors(mask, self.sector.ilog2());
        reserve(&mut self.load_store, now, sectors.div_ceil(self.spec.sectors).into());
    }
}

impl Core {
    /// What waves have executed; only with a scoreboard.
    pub fn executed(&self) -> Option<Executed> {
        self.pipelines.as_ref().map(|pipelines| pipelines.executed)
    }

    /// A wave issues a barrier or a fence.
    pub(super) fn synchronise(&mut self, at: usize, now: Cycle) {
        if let Some(pipelines) = &mut self.pipelines {
            pipelines.issue(at, now);
            self.waves[at].scoreboard.position += 1;
        }
    }

    /// Executes what remains before the wave's next access, up to an instruction that reads a value
    /// that has not come.
    pub(super) fn execute(&mut self, at: usize, now: Cycle) {
        let pipelines = self.pipelines.as_mut().expect("a scoreboard");
        let of = &mut self.waves[at].scoreboard;
        let instructions = of.free().min(of.left.instructions);
        let part = split(&mut of.left, instructions);
        of.position += instructions;
        let end = pipelines.work(at, now, part);
        self.ready.set(at, end);
    }

    /// Whether the next instruction of a wave that is ready is its next access, and no value that
    /// it reads is to come. Else the wave waits, or executes what is before.
    pub(super) fn may_fetch(&mut self, now: Cycle, at: usize) -> bool {
        let wave = &mut self.waves[at];
        if !wave.may_go_on(self.spec.loads) {
            self.stopped.change(wave, State::Loads);
            return false;
        }
        let is_next = wave.scoreboard.left.instructions == 0;
        if !is_next {
            self.execute(at, now);
        }
        is_next
    }

    /// A load of the wave is over.
    pub(super) fn end_load(&mut self, ctx: &mut Context, at: usize, load: usize) {
        let wave = &mut self.waves[at];
        wave.scoreboard.end(load);
        if wave.state == State::Loads {
            if wave.may_go_on(self.spec.loads) {
                self.stopped.change(wave, State::Ready);
                self.ready.set(at, ctx.now);
            }
        } else {
            self.settle(ctx, at);
        }
    }
}
