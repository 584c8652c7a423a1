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

/// Cycles of the kernel, and bytes on all links in the direction that is loaded.
fn run(system: &System, rounds: usize, what: What) -> (u64, u64) {
    let program = program(system, rounds, what);
    let options = Options { max_cycles: 10_000_000, by_kernel: true, ..Options::default() };
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    machine.run().unwrap_or_else(|e| panic!("{}: {e}", system.name));
    let cycles = machine.kernel_uses().last().expect("two kernels").cycles;
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
    let link = system.gpu_link.bytes_per_ns.to_f64();
    // What a link moves in ten microseconds, and more than what is under way.
    let round = usize::from(system.machine.cus * system.machine.chiplets) * GROUPS * ITEMS * WORD;
    let rounds = ((link * 10_000.0) as usize).div_ceil(round);
    let (short, long) = (run(system, rounds, what), run(system, 2 * rounds, what));
    let (cycles, bytes) = (long.0 - short.0, long.1 - short.1);
    let link = link * f64::from(system.machine.gpus);
    let per_ns = (bytes * u64::from(system.machine.clock_mhz)) as f64 / (cycles * 1000) as f64;
    (1000.0 * per_ns / link) as u64
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
fn fields_that_keep_a_link_below_its_rate_are_named() {
    let said = |name: &str, set: &[(&str, &str)]| system(name, set).warnings();
    assert_eq!(
        said("rec-4gpu", &[("gpu_link.clock_mhz", "1000"), ("finepack.beat", "32")]),
        [
            "gpu_link.bytes_per_ns = 150: stores of whole lines reach 46.0 with finepack.beat = 32 \
             and gpu_link.clock_mhz = 1000",
            "gpu_link.bytes_per_ns = 150: loads of whole lines reach 88.0 with \
             gpu_link.clock_mhz = 1000",
        ]
    );
    let few = said("rec-4gpu-small", &[("cu.transactions", "16")]);
    assert!(
        few[0].contains("with cu.transactions = 16: 64 outstanding accesses of a GPU"),
        "{few:?}"
    );
    let few = said("rec-4gpu-small", &[("l2.design", "rec"), ("l2.misses", "64")]);
    assert!(few[0].contains("with l2.misses = 64: 64 outstanding accesses"), "{few:?}");
    assert_eq!(said("rec-4gpu", &[("egress.design", "infinite")]), [""; 0]);
    assert_eq!(said("cpelide-4", &[("gpu_link.bytes_per_ns", "1024")]), [""; 0]);
}

/// What is said is what is reached.
#[test]
fn links_reach_what_a_warning_says() {
    for (set, what, rate) in [
        ([("gpu_link.bytes_per_ns", "200"), ("finepack.beat", "32")], What::Store, 46),
        ([("gpu_link.bytes_per_ns", "200"), ("finepack.beat", "32")], What::Load, 88),
        ([("gpu_link.bytes_per_ns", "200"), ("egress.design", "finepack")], What::Load, 44),
    ] {
        let fast = [("gpu_link.clock_mhz", "1000"), ("machine.gpus", "2"), ("machine.cus", "24")];
        let system = system("rec-4gpu", &[&fast[..], &set[..]].concat());
        let named = match what {
            What::Load => format!("loads of whole lines reach {rate}.0 "),
            What::Store => format!("stores of whole lines reach {rate}.0 "),
        };
        let warnings = system.warnings();
        assert!(warnings.iter().any(|w| w.contains(&named)), "{named:?} in {warnings:?}");
        let reached = reached(&system, what) * 200 / 1000;
        assert!((rate - 3..=rate).contains(&reached), "{set:?} {what:?}: {reached}");
    }
}

/// Cycles of a load of another GPU's memory, one after the other.
fn load(egress: &str) -> u64 {
    let set = [("egress.design", egress), ("cu.loads", "1")];
    let system = system("rec-4gpu-small", &set);
    let cycles = |loads: usize| {
        let mut recorder = Recorder::in_memory("loads").unwrap();
        let device = &mut Device::new(&mut recorder);
        let words = PAGE / WORD;
        let memory = device.upload("memory", &vec![7u32; words]).unwrap();
        // One work-group for each GPU.
        let launch =
            |name| Launch::line(name, system.machine.gpus.into(), 1).read("memory", &memory);
        let line = system.machine.line as usize / WORD;
        for (gpu, loads) in [(1, words / line), (0, loads)] {
            device
                .each(launch(if gpu == 1 { "touch" } else { "loads" }), |it| {
                    for i in (0..loads).filter(|_| it.x == gpu) {
                        it.load(at(1, 0), &memory, i * line);
                    }
                })
                .unwrap();
        }
        let program = Reader::from_bytes(recorder.into_bytes().unwrap(), "loads").unwrap();
        let options = Options { max_cycles: 1_000_000, ..Options::default() };
        Machine::new(&system, &Bodies::default(), program, options).unwrap().run().unwrap()
    };
    (cycles(48) - cycles(16)) / 32
}

#[test]
fn links_without_bytes_keep_their_latency() {
    let (p2p, infinite) = (load("p2p"), load("infinite"));
    println!("p2p {p2p}, infinite {infinite}");
    // Both ways; a header of 28 bytes there and an answer of 88 bytes back take 13 cycles.
    assert!(infinite > 1000 && infinite < p2p, "p2p {p2p}, infinite {infinite}");
    assert!(p2p - infinite <= 24, "p2p {p2p}, infinite {infinite}");
}
