//! What each lane of a warp executes between its accesses, and when it first reads the value of
//! each: from the registers that its instructions name.
//!
//! The import places instructions before a barrier or a fence behind it, with those before the next
//! access. So a value that is read before a barrier is needed at the barrier.

use super::line::{Line, Step, WARP, What};
use super::registers::Register;
use crate::trace::{Chain, FirstUse, Work};

/// What executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// All but those below.
    Arithmetic,
    /// Special functions.
    Special,
    /// Shared or local memory.
    Local {
        /// Passes in which it serves the warp.
        passes: u32,
    },
}

/// Work before an access and first uses of its value. Lanes are counted among the active ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// One for all lanes, or one for each.
    works: Vec<Work>,
    /// One for each lane; none of a store.
    first_uses: Vec<FirstUse>,
}

impl Facts {
    /// Work of an active lane.
    pub fn work(&self, lane: usize) -> Work {
        self.works.get(lane).or(self.works.first()).copied().unwrap_or_default()
    }

    /// First use of an active lane.
    pub fn first_use(&self, lane: usize) -> FirstUse {
        self.first_uses.get(lane).copied().unwrap_or_default()
    }

    /// Bytes of memory that they take beside themselves.
    pub fn bytes(&self) -> usize {
        size_of_val(self.works.as_slice()) + size_of_val(self.first_uses.as_slice())
    }

    fn set_works(&mut self, works: Vec<Work>) {
        let all_same = works.windows(2).all(|pair| pair[0] == pair[1]);
        self.works = if all_same { works[..works.len().min(1)].to_vec() } else { works };
    }
}

/// An access that returns a value to a lane.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Its line.
    line: usize,
    /// Its place among the lane's instructions.
    place: u64,
}

/// What is known of the value in a register of a lane.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    /// The access that it comes from, until it is read.
    load: Option<Load>,
    /// The stretch that has the chain below.
    stretch: u32,
    /// The chain that ends with it.
    chain: Chain,
}

/// A lane: a work-item.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Instructions in the trace, up to the last access, barrier or fence.
    place: u64,
    /// Stretches between two accesses, counted from 1.
    stretch: u32,
    /// What it has executed since the last access.
    work: Work,
    /// Loads whose value it has read since `place`.
    read: Vec<Load>,
}

/// Tracks the registers of one warp at a time.
#[derive(Debug, Default)]
pub struct Uses {
    lanes: [Lane; WARP],
    /// By register.
    values: Vec<[Value; WARP]>,
}

impl Uses {
    /// A warp begins.
    pub fn begin_warp(&mut self) {
        self.values.clear();
        for lane in &mut self.lanes {
            *lane = Lane { stretch: 1, ..Lane::default() };
        }
    }

    /// The warp executes an instruction. `before`: its lines so far, behind which this one comes.
    /// `recorded`: lanes whose access the trace gets.
    pub fn execute(&mut self, line: &mut Line, step: &Step, recorded: u32, before: &mut [Line]) {
        let Step { operands, unit } = step;
        let registers = operands.written.iter().max().map_or(0, |&last| usize::from(last) + 1);
        if self.values.len() < registers {
            self.values.resize(registers, [Value::default(); WARP]);
        }
        let mut works = Vec::new();
        for lane in line.lanes() {
            let chain = self.read(lane, &operands.read, before);
            let of = &mut self.lanes[lane];
            let value = match line.what {
                What::Load | What::Store | What::Atomic(_) if recorded >> lane & 1 == 1 => {
                    works.push(of.access());
                    let load = Load { line: before.len(), place: of.place };
                    let load = (line.what != What::Store).then_some(load);
                    Value { load, ..Value::default() }
                }
                What::Load | What::Store | What::Atomic(_) => {
                    works.push(Work::default());
                    Value::default()
                }
                What::Barrier => Value::default(),
                What::Fence => {
                    of.synchronise(lane, before);
                    of.count(*unit, chain)
                }
                What::LeftOut | What::Other => of.count(*unit, chain),
            };
            for &register in &operands.written {
                self.values[usize::from(register)][lane] = value;
            }
        }
        if line.what == What::Barrier {
            let lanes = self.lanes.iter_mut().enumerate();
            lanes.for_each(|(lane, of)| of.synchronise(lane, before));
        }
        if matches!(line.what, What::Load | What::Atomic(_)) {
            line.facts.first_uses = vec![FirstUse::Never; works.len()];
        }
        line.facts.set_works(works);
    }

    /// A lane reads registers. Gives the longest chain of its stretch that ends with one of them.
    fn read(&mut self, lane: usize, registers: &[Register], before: &mut [Line]) -> Chain {
        let of = &mut self.lanes[lane];
        let mut longest = Chain::default();
        for &register in registers {
            let Some(values) = self.values.get_mut(usize::from(register)) else { continue };
            let value = &mut values[lane];
            if value.stretch == of.stretch && latency(value.chain) > latency(longest) {
                longest = value.chain;
            }
            let Some(load) = value.load.take() else { continue };
            let first_use = first_use(before, load, lane);
            // Another register of the value may have been read before.
            if *first_use == FirstUse::Never {
                *first_use = after(of.place + u64::from(of.work.instructions) + 1 - load.place);
                of.read.push(load);
            }
        }
        longest
    }
}

impl Lane {
    /// Counts an instruction between accesses. Gives what it writes.
    fn count(&mut self, unit: Unit, mut chain: Chain) -> Value {
        let add = |count: &mut u32, more: u32| *count = count.saturating_add(more);
        add(&mut self.work.instructions, 1);
        match unit {
            Unit::Arithmetic => add(&mut chain.arithmetic, 1),
            Unit::Special => {
                add(&mut chain.special, 1);
                add(&mut self.work.special, 1);
            }
            Unit::Local { passes } => {
                add(&mut chain.local, 1);
                add(&mut self.work.local, 1);
                add(&mut self.work.passes, passes);
            }
        }
        if latency(chain) > latency(self.work.chain) {
            self.work.chain = chain;
        }
        Value { load: None, stretch: self.stretch, chain }
    }

    /// An access ends the stretch. Gives what it has executed.
    fn access(&mut self) -> Work {
        let work = std::mem::take(&mut self.work);
        self.place += u64::from(work.instructions) + 1;
        self.stretch += 1;
        self.read.clear();
        work
    }

    /// A barrier or a fence, behind which the import places the stretch before it.
    fn synchronise(&mut self, lane: usize, before: &mut [Line]) {
        self.place += 1;
        for load in self.read.drain(..) {
            *first_use(before, load, lane) = after(self.place - load.place);
        }
    }
}

/// The first use of a lane's load.
fn first_use(lines: &mut [Line], load: Load, lane: usize) -> &mut FirstUse {
    let line = &mut lines[load.line];
    let lane = line.rank(lane);
    &mut line.facts.first_uses[lane]
}

/// A use this number of instructions after an access. One beyond the format's numbers is none.
fn after(instructions: u64) -> FirstUse {
    u32::try_from(instructions).map_or(FirstUse::Never, FirstUse::After)
}

/// Cycles that a chain takes about: of two the longer is one that a warp waits for.
fn latency(chain: Chain) -> u64 {
    let Chain { arithmetic, special, local } = chain;
    4 * u64::from(arithmetic) + 20 * u64::from(special) + 25 * u64::from(local)
}
