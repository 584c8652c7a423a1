//! A GPU reads what it has stored to another GPU's memory and what its egress path, `dma`, has not
//! copied yet.

use machine::{Bodies, Machine, Options};
use traces::kernels::{Device, Item, Launch, at};
use traces::trace::{Reader, Recorder};

use super::{all, passes, system};

/// Lines that are used, one by each item.
const LINES: usize = 32;
/// Words of a line.
const WORDS: usize = 32;
/// Cycles of software for a copy.
const START: u64 = 5000;

/// A page of the second GPU's memory; then each item of the first GPU has a line of it.
fn program(body: impl Fn(&Item, &traces::kernels::Buffer<u32>)) -> Reader {
    let mut recorder = Recorder::in_memory("staging").unwrap();
    let device = &mut Device::new(&mut recorder);
    let memory = device.upload("memory", &[7u32; LINES * WORDS]).unwrap();
    let launch = |name| Launch::line(name, 4 * LINES, LINES).write("memory", &memory);
    device
        .each(launch("touch"), |it| {
            if it.x / LINES == 1 {
                it.load(at(1, 0), &memory, it.x % LINES * WORDS);
            }
        })
        .unwrap();
    device
        .each(launch("store"), |it| {
            if it.x < LINES {
                body(it, &memory);
            }
        })
        .unwrap();
    // Both memories, as they are after the release.
    device
        .each(launch("look"), |it| {
            it.load(at(1, 0), &memory, it.x % LINES * WORDS + it.x / LINES);
        })
        .unwrap();
    device.read(&memory).unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), "staging").unwrap()
}

/// Cycles of the kernel that stores, and the loads that found what they wanted staged.
fn cycles(egress: &str, program: &Reader) -> (u64, u64) {
    let system = system("finepack-4gpu-small", &[("egress.design", egress)]);
    let options = Options { max_cycles: 1_000_000, by_kernel: true, ..Options::default() };
    let program = program.reopen().unwrap();
    let mut machine = Machine::new(&system, &Bodies::default(), program, options).unwrap();
    machine.run().unwrap_or_else(|e| panic!("{egress}: {e}"));
    let kernel = &machine.kernel_uses()[1];
    (kernel.cycles, kernel.counters.get("egress.staged_loads").copied().unwrap_or(0))
}

#[test]
fn stores_are_read_back_before_they_are_copied() {
    let program = program(|it, memory| {
        let word = it.x * WORDS;
        it.store(at(1, 0), memory, word, it.x as u32);
        it.fence(at(2, 0));
        let stored = it.load(at(3, 0), memory, word);
        assert_eq!(*stored, it.x as u32);
    });
    let (p2p, nothing) = cycles("p2p", &program);
    let (dma, staged) = cycles("dma", &program);
    assert_eq!((nothing, staged), (0, LINES as u64));
    // One start for each run at the release, and none before; loads do not cross a link.
    let release = START * LINES as u64;
    assert!(dma > release && dma < release + p2p, "p2p {p2p}, dma {dma}");
}

#[test]
fn values_are_those_of_program_order_on_every_egress_path() {
    let programs = [
        // What is stored after a load must not be seen by it.
        program(|it, memory| {
            let word = it.x * WORDS;
            it.load(at(1, 0), memory, word);
            it.store(at(2, 0), memory, word, 1);
            it.store(at(3, 0), memory, word + 3, 2);
        }),
        // A part of a line is staged: the rest comes from its home. A store behind the load that
        // is under way is not seen by it, but by the next one.
        program(|it, memory| {
            let word = it.x * WORDS;
            it.store(at(1, 0), memory, word + 1, it.x as u32);
            it.fence(at(2, 0));
            (0..4).for_each(|k| _ = it.load(at(3, 0), memory, word + k));
            it.store(at(4, 0), memory, word + 1, 100 + it.x as u32);
            it.store(at(5, 0), memory, word + 2, 200 + it.x as u32);
            it.fence(at(6, 0));
            (0..4).for_each(|k| _ = it.load(at(7, 0), memory, word + k));
        }),
        // Atomics on staged bytes, beside staged bytes, and stores behind them.
        program(|it, memory| {
            let word = it.x * WORDS;
            it.load(at(1, 0), memory, word);
            it.store(at(2, 0), memory, word, 5);
            it.store(at(3, 0), memory, word + 1, 6);
            it.fence(at(4, 0));
            it.atomic_add(at(5, 0), memory, word, 10);
            it.atomic_add(at(6, 0), memory, word + 2, 10);
            it.fence(at(7, 0));
            (0..4).for_each(|k| _ = it.load(at(8, 0), memory, word + k));
            it.fence(at(9, 0));
            it.store(at(10, 0), memory, word, 50);
            it.fence(at(11, 0));
            it.atomic_add(at(12, 0), memory, word, 1);
            it.fence(at(13, 0));
            it.load(at(14, 0), memory, word);
        }),
    ];
    for program in &programs {
        for egress in all("egress.design") {
            for l2 in ["software", "rec"] {
                let set = [("egress.design", egress.as_str()), ("l2.design", l2)];
                let outcome = passes(&system("finepack-4gpu-small", &set), program);
                assert!(outcome.determined() > 0.99, "{egress} {l2}: {outcome:?}");
            }
        }
    }
}

/// An atomic takes what is staged of its bytes along, without a copy's start.
#[test]
fn atomics_do_not_start_copies() {
    let program = program(|it, memory| {
        it.store(at(1, 0), memory, it.x * WORDS, 5);
        it.fence(at(2, 0));
        it.atomic_add(at(3, 0), memory, it.x * WORDS, 1);
    });
    let (p2p, dma) = (cycles("p2p", &program).0, cycles("dma", &program).0);
    assert!(dma < p2p + 1000, "p2p {p2p}, dma {dma}");
}
