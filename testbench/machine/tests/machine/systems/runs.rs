//! Every preset runs.

use machine::systems;
use traces::kernels::{Buffer, Group, Launch, at};

use super::super::by_default;
use super::{cycles, machine, preset, record};

#[test]
fn every_preset_and_twin_runs_copy_and_reuse_without_a_wrong_value() {
    for program in ["copy", "reuse"] {
        let trace = by_default(program);
        for name in systems::names() {
            let mut machine = machine(&preset(&name), trace.reopen().unwrap());
            machine.run().unwrap_or_else(|e| panic!("{program} on {name}: {e}"));
            assert!(machine.checked().loads > 1000, "{program} on {name}");
        }
    }
}

#[test]
fn machine_without_an_l3_fetches_from_memory_for_every_l2_miss() {
    let system = preset("stc-8cu");
    let mut machine = machine(&system, by_default("reuse"));
    machine.run().unwrap();
    let counters = machine.statistics();
    let counter = |name: &str| counters.iter().find(|(n, _)| n == name).map_or(0, |(_, v)| *v);
    assert!(counter("l2.fetches") > 0);
    assert_eq!(counter("l3.fetches"), counter("l2.fetches"));
    assert_eq!(counter("memory.writes"), counter("l3.writes"));
}

/// Atomics of a private L2 run at the L3, here the memory's controller: sums of all work-items on
/// few words, read again by a second kernel.
#[test]
fn atomics_run_at_a_memory_controller_without_an_l3() {
    let policy = [("l2.policy".to_string(), "private".to_string())];
    let trace = record(|device| {
        let sums: Buffer<u32> = device.alloc("sums", 40).unwrap();
        let out: Buffer<u32> = device.alloc("out", 40).unwrap();
        let add = |group: &Group| {
            group.phase(|it| {
                it.atomic_add(at(1, 1), &sums, it.x % 40, it.x as u32);
            });
        };
        device.launch(Launch::line("add", 1024, 64).write("sums", &sums), add).unwrap();
        let copy = |group: &Group| {
            group.phase(|it| {
                if it.x < 40 {
                    let sum = it.load(at(1, 0), &sums, it.x);
                    it.store(at(2, 0), &out, it.x, *sum);
                }
            });
        };
        let launch = Launch::line("copy", 64, 64).read("sums", &sums).write("out", &out);
        device.launch(launch, copy).unwrap();
        device.read(&sums).unwrap();
        device.read(&out).unwrap();
    });
    for name in ["stc-8cu", "stc-8cu-small", "fermi-16sm", "rec-4gpu-small"] {
        let system = systems::load(name, &policy).unwrap();
        cycles(&system, trace.reopen().unwrap());
    }
}
