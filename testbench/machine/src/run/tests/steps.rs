//! Programs of a few accesses, each with what is executed before it, and one CU to run them.

use std::io::{Read, Seek, Write};

use traces::trace::{Access, AccessKind, AtomicOp, Chain, FirstUse, KernelSpec, Key, Record, Work};

use super::cycles::SET;
use super::*;

/// An access of each work-item: kind, byte of its line, what is executed before, and when the value
/// is first read.
pub struct Step {
    what: What,
    at: u64,
    /// Bytes from one work-item's to the next one's.
    stride: u64,
    work: Work,
    first_use: FirstUse,
}

#[derive(Clone, Copy)]
enum What {
    Load,
    Store,
    /// Adds 0.
    Atomic,
}

pub fn load(at: u64, work: Work, first_use: FirstUse) -> Step {
    Step { what: What::Load, at, stride: 4, work, first_use }
}

pub fn store(at: u64, work: Work) -> Step {
    Step { what: What::Store, at, stride: 4, work, first_use: FirstUse::Unknown }
}

/// An addition whose result nothing reads.
pub fn add(at: u64, stride: u64) -> Step {
    let (work, first_use) = (Work::default(), FirstUse::Never);
    Step { what: What::Atomic, at, stride, work, first_use }
}

/// So many instructions, of which each of the last `chain` reads the result of the one before.
pub fn arithmetic(instructions: u32, chain: u32) -> Work {
    let chain = Chain { arithmetic: chain, ..Chain::default() };
    Work { instructions, chain, ..Work::default() }
}

/// Work-groups of so many work-items.
fn record((groups, items): (u32, u32), kernels: u32, steps: &[Step]) -> Reader {
    let mut recorder = Recorder::in_memory("steps").unwrap();
    let addr = recorder.alloc("a", 1 << 16).unwrap();
    for _ in 0..kernels {
        let (name, grid, local) = ("k".to_string(), [groups * items, 1, 1], [items, 1, 1]);
        recorder.begin_kernel(KernelSpec { name, grid, local, ..KernelSpec::default() }).unwrap();
        for _ in 0..groups {
            group(&mut recorder, items, addr, steps);
        }
        recorder.end_kernel().unwrap();
    }
    Reader::from_bytes(recorder.into_bytes().unwrap(), "steps").unwrap()
}

fn group(recorder: &mut Recorder<impl Read + Write + Seek>, items: u32, addr: u64, steps: &[Step]) {
    recorder.begin_group().unwrap();
    for item in 0..items {
        for (pc, step) in (0..).zip(steps) {
            let bytes = &[0; 4];
            let kind = match step.what {
                What::Load => AccessKind::Load,
                What::Store => AccessKind::Store,
                What::Atomic => AccessKind::Atomic { op: AtomicOp::Add, old: bytes },
            };
            let key = Key { pc, ..Key::default() };
            let addr = addr + step.at + step.stride * u64::from(item);
            let (work, first_use) = (step.work, step.first_use);
            recorder.access(&Access { item, key, kind, addr, bytes, work, first_use }).unwrap();
        }
    }
    recorder.end_group().unwrap();
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
    machine_with(Options::default(), set, record((1, items), 1, steps))
}

/// The same with other work-groups, or of several kernels.
pub fn machine_of_groups(
    options: Options,
    set: &[(&str, &str)],
    (groups, kernels): (u32, u32),
    steps: &[Step],
) -> Machine {
    machine_with(options, set, record((groups, 16), kernels, steps))
}

fn machine_with(options: Options, set: &[(&str, &str)], program: Reader) -> Machine {
    // The CU's own way of issue is set first: the others refer to it.
    let (issue, rest) = PIPELINE.split_at(1);
    let mut all: Vec<_> = issue.to_vec();
    all.extend(SET.iter().filter(|(key, _)| !["cu.gap_cycles", "cu.loads"].contains(key)));
    all.extend(rest);
    all.extend(set);
    let mut machine = machine("cpelide-4-small", &all, program);
    machine.options.cold = options.cold;
    machine.run().unwrap();
    machine
}

/// Cycles in which work-groups run.
pub fn cycles(set: &[(&str, &str)], items: u32, steps: &[Step]) -> u64 {
    let all: BTreeMap<_, _> = machine_of(set, items, steps).statistics().into_iter().collect();
    all["launch.cycles.kernel"]
}

/// A statistic of a machine that has run.
pub fn statistic(machine: &Machine, name: &str) -> u64 {
    let all: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    all[name]
}

pub const NONE: Work = Work { instructions: 0, special: 0, local: 0, passes: 0, chain: CHAIN };
const CHAIN: Chain = Chain { arithmetic: 0, special: 0, local: 0 };
