//! Programs of a few accesses, each with what is executed before it, and one CU to run them.

use traces::trace::{
    Access, AccessKind, AtomicOp, Chain, Error, FirstUse, KernelSpec, Key, Record, Work,
};

use super::cycles::SET;
use super::*;

/// An access of each work-item: kind, byte of its line, what is executed before, and when the value
/// is first read.
#[derive(Clone, Copy)]
pub struct Step {
    what: What,
    at: u64,
    /// Bytes from one work-item's to the next one's, and from one work-group's to the next one's.
    stride: u64,
    per_group: u64,
    work: Work,
    first_use: FirstUse,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Load,
    Store,
    Add,
    /// All work-items of the work-group meet.
    Barrier,
}

const LOAD: Step = Step {
    what: What::Load,
    at: 0,
    stride: 4,
    per_group: 0,
    work: NONE,
    first_use: FirstUse::Unknown,
};

pub fn load(at: u64, work: Work, first_use: FirstUse) -> Step {
    Step { at, work, first_use, ..LOAD }
}

pub fn store(at: u64, work: Work) -> Step {
    Step { what: What::Store, at, work, ..LOAD }
}

/// An addition whose result no instruction reads.
pub fn add(at: u64, stride: u64) -> Step {
    Step { what: What::Add, at, stride, first_use: FirstUse::Never, ..LOAD }
}

pub const BARRIER: Step = Step { what: What::Barrier, ..LOAD };

impl Step {
    /// The same, of each work-group `bytes` behind that of the one before.
    pub fn by_group(self, bytes: u64) -> Self {
        Self { per_group: bytes, ..self }
    }
}

/// So many instructions, of which each of the last `chain` reads the result of the one before.
pub fn arithmetic(instructions: u32, chain: u32) -> Work {
    let chain = Chain { arithmetic: chain, ..Chain::default() };
    Work { instructions, chain, ..Work::default() }
}

/// Bytes of the buffer.
const BYTES: u64 = 1 << 16;

/// What a step does to a word: bytes of the buffer before it, the old value, and the new one.
struct Changed {
    step: Step,
    at: u64,
    old: [u8; 4],
    new: [u8; 4],
}

impl Step {
    fn access(&self, memory: &mut [u32], group: u32, item: u32) -> Changed {
        let at = self.at + self.stride * u64::from(item) + self.per_group * u64::from(group);
        let word = &mut memory[at as usize / 4];
        let old = word.to_le_bytes();
        match self.what {
            What::Store => *word = !*word,
            What::Add => *word += 7,
            What::Load | What::Barrier => {}
        }
        Changed { step: *self, at, old, new: word.to_le_bytes() }
    }
}

impl Changed {
    fn record(&self, recorder: &mut impl Record<Error = Error>, item: u32, key: Key, addr: u64) {
        let Self { step, at, old, new } = self;
        let seven = 7u32.to_le_bytes();
        let (kind, bytes) = match step.what {
            What::Store => (AccessKind::Store, &new[..]),
            What::Add => (AccessKind::Atomic { op: AtomicOp::Add, old }, &seven[..]),
            What::Load | What::Barrier => (AccessKind::Load, &old[..]),
        };
        let (addr, work, first_use) = (addr + at, step.work, step.first_use);
        recorder.access(&Access { item, key, kind, addr, bytes, work, first_use }).unwrap();
    }
}

/// Work-groups of so many work-items. Each word of the buffer has a value of its own, and each
/// store and addition changes it: what comes from another place or time is a wrong value.
fn record((groups, items): (u32, u32), kernels: u32, steps: &[Step]) -> Reader {
    let mut recorder = Recorder::in_memory("steps").unwrap();
    let mut memory: Vec<u32> = (0..BYTES as u32 / 4).map(|word| 0x0101_0101 + word).collect();
    let addr = recorder.alloc("a", BYTES).unwrap();
    let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
    recorder.host_write(addr, &bytes).unwrap();
    for _ in 0..kernels {
        let (name, grid, local) = ("k".to_string(), [groups * items, 1, 1], [items, 1, 1]);
        recorder.begin_kernel(KernelSpec { name, grid, local, ..KernelSpec::default() }).unwrap();
        for group in 0..groups {
            recorder.begin_group().unwrap();
            for (number, steps) in steps.split(|step| step.what == What::Barrier).enumerate() {
                if number > 0 {
                    recorder.barrier().unwrap();
                }
                for item in 0..items {
                    for (pc, step) in (100 * number as u32..).zip(steps) {
                        let access = step.access(&mut memory, group, item);
                        let key = Key { pc, ..Key::default() };
                        access.record(&mut recorder, item, key, addr);
                    }
                }
            }
            recorder.end_group().unwrap();
        }
        recorder.end_kernel().unwrap();
    }
    Reader::from_bytes(recorder.into_bytes().unwrap(), "steps").unwrap()
}

/// One CU; arithmetic takes 3 cycles, special functions 10, local memory 7.
const PIPELINE: [(&str, &str); 9] = [
    ("cu.issue", "scoreboard"),
    ("cu.loads", "8"),
    ("cu.lanes", "32"),
    ("machine.chiplets", "1"),
    ("pipeline.schedulers", "2"),
    ("pipeline.arithmetic_latency", "3"),
    ("pipeline.special_latency", "10"),
    ("pipeline.special_cycles", "4"),
    ("pipeline.local_latency", "7"),
];

/// A machine that has run a kernel of one work-group.
pub fn machine_of(set: &[(&str, &str)], items: u32, steps: &[Step]) -> Machine {
    machine_of_kernels(false, set, ((1, items), 1), steps)
}

/// A machine that has run kernels of work-groups of work-items. `cold`: each from empty caches.
pub fn machine_of_kernels(
    cold: bool,
    set: &[(&str, &str)],
    (groups, kernels): ((u32, u32), u32),
    steps: &[Step],
) -> Machine {
    // The CU's own way of issue is set first: the others refer to it.
    let (issue, rest) = PIPELINE.split_at(1);
    let mut all: Vec<_> = issue.to_vec();
    all.extend(SET.iter().filter(|(key, _)| !["cu.gap_cycles", "cu.loads"].contains(key)));
    all.extend(rest);
    all.extend(set);
    let mut machine = machine("cpelide-4-small", &all, record(groups, kernels, steps));
    machine.options.cold = cold;
    machine.run().unwrap();
    machine
}

/// Cycles in which work-groups run.
pub fn cycles(set: &[(&str, &str)], items: u32, steps: &[Step]) -> u64 {
    statistic(&machine_of(set, items, steps), "launch.cycles.kernel")
}

/// A statistic of a machine that has run.
pub fn statistic(machine: &Machine, name: &str) -> u64 {
    let all: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    all[name]
}

pub const NONE: Work = Work { instructions: 0, special: 0, local: 0, passes: 0, chain: CHAIN };
const CHAIN: Chain = Chain { arithmetic: 0, special: 0, local: 0 };
