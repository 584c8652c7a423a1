//! Snapshots change nothing, whenever they are requested, and add up to the statistics.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use machine::probe::{Awaited, Facts, Snapshot};
use machine::{Bodies, Checked, Machine, Options, System};
use traces::kernels::Params;
use traces::trace::Reader;

use super::{MOST_CYCLES, built_in, system};

/// What a run gives, and its snapshots, if they are wanted.
type Ran = (u64, Vec<(String, u64)>, Checked, Vec<Snapshot>);

/// Runs a program. With `looks` a second thread requests snapshots without a pause.
fn ran(system: &System, program: &Reader, threads: u8, looks: bool) -> Ran {
    let options =
        Options { max_cycles: MOST_CYCLES, threads, by_kernel: true, ..Options::default() };
    let program = program.reopen().unwrap();
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    let mut snapshots = Vec::new();
    if looks {
        let (probe, has_ended) = (machine.probe(), AtomicBool::new(false));
        thread::scope(|scope| {
            let looker = scope.spawn(|| {
                let mut all = Vec::new();
                while !has_ended.load(Ordering::SeqCst) {
                    all.extend(probe.snapshot(Duration::from_millis(20)));
                }
                all
            });
            let end = machine.run();
            has_ended.store(true, Ordering::SeqCst);
            end.unwrap();
            snapshots = looker.join().unwrap();
        });
        let last = probe.last().expect("the end is published");
        assert_eq!(last.cycle, machine.cycle());
        assert_eq!(last.kernels, machine.kernels());
        agrees(&last, system, &machine);
        for snapshot in snapshots.iter().chain([&last]) {
            is_sound(snapshot, probe.facts());
        }
        snapshots.push(last);
    } else {
        machine.run().unwrap();
    }
    (machine.cycle(), machine.statistics(), machine.checked(), snapshots)
}

/// The last snapshot has the statistics' numbers, and nothing under way.
fn agrees(last: &Snapshot, system: &System, machine: &Machine) {
    let counters: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    let of = |name: &str| counters.get(name).copied().unwrap_or(0);
    let (line, traffic) = (u64::from(system.machine.line), machine.traffic());
    assert_eq!(last.groups, of("cu.groups"));
    let checked = machine.checked();
    assert_eq!(last.accesses, checked.loads + checked.atomics);
    assert_eq!(last.bytes[0], of("cu.accesses") * line);
    assert_eq!(last.bytes[1..5], traffic.ports, "{}", system.name);
    assert_eq!(last.bytes[5], (of("l3.fetches") + of("memory.writes")) * line, "{}", system.name);
    let chiplets = traffic.chiplets.iter().flatten().sum::<u64>();
    assert_eq!(last.bytes[6], chiplets, "{}", system.name);
    assert_eq!(last.bytes[7], of("gpu_link.wire_bytes"), "{}", system.name);
    assert_eq!(last.waves, [0; 6]);
    assert!(last.waits.is_empty(), "{:?}", last.waits);
    assert!(last.mshrs.iter().chain(&last.queues).all(|occupancy| occupancy.used == 0));
}

/// What holds in each snapshot.
fn is_sound(snapshot: &Snapshot, facts: &Facts) {
    for occupancy in snapshot.mshrs.iter().chain(&snapshot.queues) {
        assert!(occupancy.used <= occupancy.of && occupancy.full <= occupancy.number);
    }
    assert!(snapshot.waves.iter().sum::<u32>() <= facts.waves);
    for wait in &snapshot.waits {
        let ids = [Some(wait.from), wait.to];
        assert!(ids.iter().flatten().all(|&id| (id as usize) < facts.components.len()));
        assert!(wait.number > 0);
        if let Awaited::Entry { of, .. } = wait.awaited {
            assert_eq!(wait.number, of);
        }
    }
}

/// Of one GPU and several, of L1 designs with blocks, on one thread and several.
#[test]
fn snapshots_change_nothing_and_add_up() {
    let params = traces::kernels::program::<()>("stream").unwrap().params();
    let program = built_in("stream", &Params { size: 1024, iterations: 1, ..params });
    for (name, set, threads) in [
        ("cpelide-4-small", &[][..], 1),
        ("cpelide-4-small", &[("network.queue", "1")], 3),
        ("rec-4gpu-small", &[], 2),
        ("finepack-4gpu-small", &[], 1),
        ("stc-8cu-small", &[], 1),
        ("fermi-16sm-small", &[("l1.design", "race-ideal")], 1),
        ("fermi-16sm-8p-small", &[("l1.design", "gtsc-rc"), ("l2.design", "own")], 1),
    ] {
        let system = system(name, set);
        let (cycles, statistics, checked, _) = ran(&system, &program, threads, false);
        let with = ran(&system, &program, threads, true);
        assert_eq!((cycles, statistics, checked), (with.0, with.1, with.2), "{name}");
        let in_order = with.3.windows(2).all(|pair| pair[0].cycle <= pair[1].cycle);
        assert!(in_order || threads > 1, "{name}");
    }
}
