//! What can only be seen inside a machine.

mod acquire;
mod cycles;
mod dram;
mod latency;
mod phases;
mod probe;
mod scheduler;
mod scoreboard;
mod sectors;
mod steps;
mod stores;
mod streams;
mod threads;
mod traffic;
mod watchdog;

use cosim::cpelide::Conf;
use traces::kernels::{self, KernelError, Params};
use traces::trace::Recorder;

use super::*;
use crate::config::systems;
use crate::launch;

fn program(name: &str, size: u32) -> Reader {
    let params = kernels::program::<()>(name).unwrap().params();
    let params = Params { size, iterations: 1, ..params };
    let mut recorder = Recorder::in_memory(name).unwrap();
    let run: Result<(), KernelError<_>> = kernels::run(name, &params, &mut recorder);
    run.unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), name).unwrap()
}

fn machine(preset: &str, set: &[(&str, &str)], program: Reader) -> Machine {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let system = systems::load(preset, &set).unwrap();
    Machine::new(&system, &Bodies::default(), program, Options::default()).unwrap()
}

/// Replaces a component by one that does nothing: it never takes a message.
fn stop(machine: &mut Machine, which: impl Fn(&Part) -> bool) {
    let part = machine.parts.iter_mut().find(|part| which(part)).unwrap();
    *part = Part::Nothing;
}

fn deadlock(machine: &mut Machine) -> String {
    match machine.run() {
        Err(RunError::Deadlock { cycle, report }) => {
            assert!(cycle > 0);
            report
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn bank_that_takes_nothing_is_found_by_the_report() {
    let set = [("network.queue", "1"), ("machine.chiplets", "1")];
    let mut machine = machine("stc-8cu-small", &set, program("stream", 4096));
    let bank = machine.parts.iter().position(|part| matches!(part, Part::Bank(_))).unwrap();
    stop(&mut machine, |part| matches!(part, Part::Bank(_)));
    // It answers no acquire: nothing but the command waits.
    let report = deadlock(&mut machine);
    let command =
        "gpu0.chiplet0.l2.bank0.orders: first Sync(Sync { release: false, acquire: true })";
    assert!(report.starts_with(command), "{report}");
    let end = format!("component {bank} waits for no outlet");
    let drawn = ["gpu0.chiplet0.l2.bank0.orders", &end];
    assert_eq!(chain(&report), drawn, "{report}");
}

/// Who waits for whom, as it is drawn at the end of a report.
fn chain(report: &str) -> Vec<&str> {
    let (_, drawn) = report.split_once("dependency chain: each waits for the next\n").unwrap();
    drawn.lines().map(str::trim).collect()
}

/// The link to the other chiplet's L3 stands still: the chain leads from the CU over the bank to
/// it.
#[test]
fn link_that_takes_nothing_is_found_at_the_end_of_the_chain() {
    let set = [
        ("network.queue", "1"),
        ("l2.misses", "1024"),
        ("l2.banks", "1"),
        ("machine.chiplets", "2"),
        ("placement.policy", "interleave"),
        ("l2.policy", "private"),
        ("l1.design", "none"),
    ];
    let mut machine = machine("stc-8cu-small", &set, program("stream", 4096));
    let below = machine.parts.iter().position(|part| matches!(part, Part::Link(_))).unwrap();
    machine.parts[below] = Part::Nothing;
    let report = deadlock(&mut machine);
    // Every inlet on the way is named, with the message at its head.
    let line = |name: &str| {
        let line = report.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{name} in {report}"))
    };
    let asked = line("gpu0.chiplet0.l2.bank0.request.in: ");
    assert!(asked.contains(" from gpu0.chiplet0.cu"), "{asked}");
    let fetch = line("link.chiplet0_to_chiplet1.memory.in: ");
    let first = "first Read of line 0x";
    assert!(fetch.contains(first) && fetch.contains(" from gpu0.chiplet0.l2.bank0 to "), "{fetch}");
    let chain = chain(&report);
    let start = ["gpu0.chiplet0.l2.bank0.request.in", "gpu0.chiplet0.l2.bank0.memory,"];
    assert!(start.iter().zip(&chain).all(|(start, drawn)| drawn.starts_with(start)), "{report}");
    let end = format!("component {below} waits for no outlet");
    assert_eq!(chain.last(), Some(&end.as_str()), "{report}");
}

#[test]
fn limit_of_cycles_is_an_error_of_its_own() {
    let options = Options { max_cycles: 500, ..Options::default() };
    let system = systems::load("stc-8cu-small", &[]).unwrap();
    let program = program("stream", 4096);
    let mut machine = Machine::new(&system, &Bodies::default(), program, options).unwrap();
    assert!(matches!(machine.run(), Err(RunError::CycleLimit(500))));
    assert!(machine.cycle() <= 500);
}

/// Under each design, with each name of its own.
#[test]
fn every_statistic_that_has_a_value_is_declared() {
    let declared = |name: &str| {
        crate::STATISTICS.iter().any(|s| match s.name.strip_suffix('*') {
            Some("l1." | "l2.") => false,
            Some(start) => name.starts_with(start),
            None => s.name == name,
        })
    };
    let is_real = |name: &&str| !name.starts_with("test-");
    let l1s = crate::names("l1.design").into_iter().filter(is_real).map(|l1| (l1, "software"));
    let l2s = crate::names("l2.design").into_iter().filter(is_real).map(|l2| ("src", l2));
    let mut ran = 0;
    for (l1, l2) in l1s.chain(l2s) {
        for preset in ["cpelide-2-small", "fermi-16sm-small"] {
            let set = [("l1.design", l1), ("l2.design", l2)];
            let set: Vec<_> = set.map(|(k, v)| (k.to_string(), v.to_string())).to_vec();
            let Ok(system) = systems::load(preset, &set) else { continue };
            let bodies = Bodies::default();
            let mut machine =
                Machine::new(&system, &bodies, program("kmeans", 64), Options::default()).unwrap();
            // An L2 without releases gives wrong values.
            let _ = machine.run();
            let all = machine.statistics();
            for (name, _) in &all {
                assert!(declared(name), "{l1}, {l2}: {name} has no unit and meaning");
            }
            let cus = machine.ctx.layout.all_chiplets() * machine.ctx.layout.cores;
            let spent: u64 = cycles::of(&machine).iter().sum();
            assert_eq!(spent, machine.cycle() * u64::from(cus), "{l1}, {l2}, {preset}");
            let of_parts = all.into_iter().filter(|(name, _)| !name.contains("traffic."));
            let by_name = statistics::by_name(&machine.parts, &machine.ctx);
            assert_eq!(of_parts.collect::<BTreeMap<_, _>>(), by_name, "{l1}, {l2}");
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran} machines");
}

#[test]
fn kernels_share_the_cycles_and_statistics_of_the_run() {
    let options = Options { by_kernel: true, ..Options::default() };
    let system = systems::load("cpelide-2-small", &[("machine.gpus".into(), "2".into())]).unwrap();
    let mut machine =
        Machine::new(&system, &Bodies::default(), program("lu", 64), options).unwrap();
    machine.run().unwrap();
    let uses = machine.kernel_uses();
    assert!(uses.len() > 1 && uses.iter().any(|kernel| kernel.launches > 1), "{uses:?}");
    assert_eq!(uses.iter().map(|kernel| kernel.launches).sum::<u32>(), machine.kernels());
    assert_eq!(uses.iter().map(|kernel| kernel.cycles).sum::<u64>(), machine.cycle());
    let mut sums = std::collections::BTreeMap::new();
    for (name, value) in uses.iter().flat_map(|kernel| &kernel.counters) {
        *sums.entry(name.clone()).or_insert(0) += value;
    }
    let whole = machine.statistics().into_iter().filter(|(_, value)| *value > 0).collect();
    assert_eq!(sums, whole);
}

#[test]
fn launches_apart_are_those_of_each_name_together() {
    let system = systems::load("cpelide-2-small", &[]).unwrap();
    let uses = |options| {
        let bodies = Bodies::default();
        let mut machine = Machine::new(&system, &bodies, program("lu", 64), options).unwrap();
        machine.run().unwrap();
        (machine.kernel_uses(), machine.kernels())
    };
    let (by_name, _) = uses(Options { by_kernel: true, ..Options::default() });
    let (apart, launches) = uses(Options { by_launch: true, ..Options::default() });
    assert!(apart.len() as u32 == launches && by_name.len() < apart.len());
    for kernel in &by_name {
        let own = || apart.iter().filter(|launch| launch.name == kernel.name);
        assert_eq!(own().map(|launch| launch.launches).sum::<u32>(), kernel.launches);
        assert_eq!(own().map(|launch| launch.cycles).sum::<u64>(), kernel.cycles);
        for (name, value) in &kernel.counters {
            let grown = own().filter_map(|launch| launch.counters.get(name)).sum::<u64>();
            assert_eq!(grown, *value, "{} {name}", kernel.name);
        }
    }
}

/// The reference has another table than the firmware: it joins the structures of
/// each kernel to one, and so has one entry where the firmware has two (counter 5).
#[test]
fn run_ends_where_the_reference_decides_otherwise() {
    let set = [("l2.design", "cpelide")];
    let mut machine = machine("cpelide-2-small", &set, program("stream", 4096));
    let conf = Conf { chiplets: 2, max_structs: 1, ..Conf::DEFAULT };
    let global = machine.parts.iter_mut().find_map(Part::global_mut).unwrap();
    global.watch_with(launch::Auditor::new(0, &conf));
    match machine.run() {
        Err(RunError::Decision(text)) => {
            assert!(text.ends_with("packet 0, kernel 0: CNT[5] = 2, must be 1"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

/// A slow channel stops the slices that evict into it, not only those that read.
#[test]
fn evictions_wait_for_the_memory_channel() {
    let waits = |bytes: &str| {
        let set = [("l3.bytes", "16384"), ("memory.bytes", bytes), ("memory.cycles", "16")];
        let set = [&set[..], &[("l3.misses", "2"), ("l2.misses", "4")]].concat();
        let mut machine = machine("cpelide-4-small", &set, program("stream", 4096));
        machine.run().unwrap();
        let all = machine.statistics();
        let of = |name: &str| all.iter().find(|(n, _)| n == name).unwrap().1;
        assert!(of("memory.writes") > 500, "{all:?}");
        of("l3.write_back_waits")
    };
    let (slow, fast) = (waits("1"), waits("65536"));
    assert!(slow > 100 && fast == 0, "{slow} and {fast}");
}
