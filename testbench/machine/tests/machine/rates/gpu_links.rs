//! Links between GPUs: each GPU loads from, or stores to, the memory of the next one. What twice as
//! many lines take longer is the rate without beginning and end.

use machine::{Bodies, Machine, Options, System, systems};
use traces::kernels::{Device, Launch, at};
use traces::trace::{Reader, Recorder};

use crate::system;

/// What each GPU does to the memory of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Load,
    Store,
}

/// Bytes of a page.
const PAGE: usize = 4096;
/// Items of a work-group, and work-groups of a CU.
const ITEMS: usize = 256;
const GROUPS: usize = 2;
/// Bytes of an item's access.
const WORD: usize = 4;

/// Presets with several GPUs, and their twins.
fn presets() -> Vec<System> {
    let all = systems::names().into_iter().map(|name| system(&name, &[]));
    all.filter(|system| system.machine.gpus > 1).collect()
}

/// Each GPU has a piece of memory, which it touches first; then the GPU before it goes through it
/// in so many rounds, each item with a word in each.
fn program(system: &System, rounds: usize, what: What) -> Reader {
    let gpus = usize::from(system.machine.gpus);
    let items = usize::from(system.machine.cus * system.machine.chiplets) * GROUPS * ITEMS;
    let (words, line) = (items * rounds, system.machine.line as usize);
    let pages = words * WORD / PAGE;
    let mut recorder = Recorder::in_memory("links").unwrap();
    let device = &mut Device::new(&mut recorder);
    let memory = device.upload("memory", &vec![7u32; gpus * words]).unwrap();
    let touch = Launch::line("touch", gpus * pages, pages).read("memory", &memory);
    device
        .each(touch, |it| {
            // Another set of caches for each page.
            it.load(at(1, 0), &memory, (it.x * PAGE + it.x * line % PAGE) / WORD);
        })
        .unwrap();
    let launch = Launch::line("links", gpus * items, ITEMS);
    let launch = match what {
        What::Load => launch.read("memory", &memory),
        What::Store => launch.write("memory", &memory),
    };
    device
        .each(launch, |it| {
            let next = (it.x / items + 1) % gpus;
            for round in 0..rounds {
                let index = next * words + round * items + it.x % items;
                match what {
                    What::Load => _ = it.load(at(1, 0), &memory, index),
                    What::Store => it.store(at(1, 0), &memory, index, it.x as u32),
                }
            }
        })
        .unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), "links").unwrap()
}

/// Cycles of a run, and bytes on all links in the direction that is loaded.
fn run(system: &System, rounds: usize, what: What) -> (u64, u64) {
    let program = program(system, rounds, what);
    let options = Options { max_cycles: 10_000_000, ..Options::default() };
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    let cycles = machine.run().unwrap_or_else(|e| panic!("{}: {e}", system.name));
    let all = machine.statistics();
    let count = |name: &str| all.iter().find(|(n, _)| n == name).map_or(0, |(_, v)| *v);
    let bytes = match what {
        What::Load => ["completion_bytes", "coherence_bytes"],
        What::Store => ["wire_bytes", ""],
    };
    (cycles, bytes.iter().map(|name| count(&format!("gpu_link.{name}"))).sum())
}

/// Per mille of the configured rate that a link reaches.
fn reached(system: &System, what: What) -> u64 {
    let link = u64::from(system.gpu_link.bytes_per_ns);
    // What a link moves in ten microseconds, and more than what is under way.
    let round = usize::from(system.machine.cus * system.machine.chiplets) * GROUPS * ITEMS * WORD;
    let rounds = (link as usize * 10_000).div_ceil(round);
    let (short, long) = (run(system, rounds, what), run(system, 2 * rounds, what));
    let (cycles, bytes) = (long.0 - short.0, long.1 - short.1);
    let link = link * u64::from(system.machine.gpus);
    bytes * u64::from(system.machine.clock_mhz) / (cycles * link)
}

#[test]
fn links_between_gpus_reach_their_rate() {
    let mut below = Vec::new();
    for system in presets() {
        assert_eq!(system.warnings(), [""; 0], "{}", system.name);
        for what in [What::Load, What::Store] {
            let reached = reached(&system, what);
            println!("{} {what:?}: {reached} per mille", system.name);
            if !(950..=1005).contains(&reached) {
                below.push((system.name.clone(), what, reached));
            }
        }
    }
    assert!(below.is_empty(), "{below:?}");
}

#[test]
#[ignore = "explores"]
fn explore() {
    for name in ["rec-4gpu", "finepack-4gpu", "rec-4gpu-small", "finepack-4gpu-small"] {
        for set in std::env::var("EXPLORE").unwrap().split(';') {
            let set: Vec<_> = set.split(',').filter_map(|s| s.split_once('=')).collect();
            let system = system(name, &set);
            println!("{name} {set:?} {:#?}", system.warnings());
            for what in [What::Load, What::Store] {
                println!("    {what:?} {}", reached(&system, what));
            }
        }
    }
}
