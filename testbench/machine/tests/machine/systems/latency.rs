//! Load-to-use latencies, measured: one work-item loads, each load after the one before it. What a
//! run with more loads takes longer, divided by their number, is a load.

use machine::System;
use machine::systems;
use traces::kernels::{Group, Launch, at};

use super::{cycles, full, preset, record};

/// Cycles of a load that hits in the L1, in the chiplet's L2, in another chiplet's L2, in that
/// under a directory, in the L3, and of one that goes to memory; none where the machine has no such
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    pub l1: u64,
    pub l2: u64,
    pub remote_l2: Option<u64>,
    pub coherent: Option<u64>,
    pub l3: Option<u64>,
    pub memory: u64,
}

/// Measures.
pub fn measure(system: &System) -> Latencies {
    let serial = system.with("serial", &[("cu.loads".into(), "1".into())]).unwrap();
    let (l3, several) = (system.l3.bytes > 0, system.machine.chiplets > 1);
    Latencies {
        l1: each(&serial, 20, |n| one_line(&serial, 20 * n)),
        l2: again(&serial, 0, 1),
        // A directory has its own policy, so that only the other column has a remote L2.
        remote_l2: (several && machine::has_policy(&system.l2.design)).then(|| at_home(&serial, 1)),
        coherent: several.then(|| afar(&serial, 1)),
        l3: l3.then(|| each(&serial, 32, |n| second_kernel(&serial, 32 * n))),
        memory: each(&serial, 32, |n| cold(&serial, 32 * n)),
    }
}

/// A load, where `run(1)` and `run(2)` differ by so many: each takes as long as the others, but for
/// rows and refreshes of DRAM.
fn each(system: &System, loads: u64, run: impl Fn(u64) -> u64) -> u64 {
    let more = run(2) - run(1);
    assert!(has_dram(system) || more.is_multiple_of(loads), "{loads} loads take {more} cycles");
    more / loads
}

/// Whether the latency of memory depends on what was accessed before.
fn has_dram(system: &System) -> bool {
    system.memory.model == "dram"
}

/// Loads of the same line.
fn one_line(system: &System, loads: u64) -> u64 {
    let program = record(|device| {
        let a = device.upload("a", &[7u32; 32]).unwrap();
        let body = |group: &Group| {
            group.phase(|it| {
                (0..loads).for_each(|_| {
                    it.load(at(1, 0), &a, 0);
                })
            });
        };
        device.launch(Launch::line("l1", 1, 1).read("a", &a), body).unwrap();
    });
    cycles(system, program)
}

/// Loads that hit in another chiplet's L2, which alone may hold the lines.
fn at_home(system: &System, items: usize) -> u64 {
    let home = [("l2.policy".into(), "home-forward".into())];
    again(&system.with("home", &home).unwrap(), 1, items)
}

/// Rounds over a line more in each set than the L1 has ways: it never hits. The lines' home is
/// chiplet `home`, the loads are chiplet 0's, of `items` words.
fn again(system: &System, home: usize, items: usize) -> u64 {
    let line = system.machine.line as usize;
    let words = line / 4;
    let lines =
        system.l1.bytes as usize / line / system.l1.ways as usize * (system.l1.ways as usize + 1);
    let chiplets = usize::from(system.machine.chiplets * system.machine.gpus);
    let rounds = |rounds: u64| {
        let program = record(|device| {
            let a = device.upload("a", &vec![7u32; lines * words]).unwrap();
            // One work-group for each chiplet: that of `home` is the first to touch.
            let launch = |name: &str| Launch::line(name, chiplets * items, items).read("a", &a);
            let pass = |group: &Group, times: u64, chiplet: usize| {
                group.phase(|it| {
                    for i in (0..times).flat_map(|_| 0..lines).filter(|_| it.x / items == chiplet) {
                        it.load(at(1, 0), &a, i * words + it.lx);
                    }
                });
            };
            device.launch(launch("touch"), |group| pass(group, 1, home)).unwrap();
            device.launch(launch("l2"), |group| pass(group, rounds, 0)).unwrap();
        });
        cycles(system, program)
    };
    // Both have the misses of the first round.
    each(system, lines as u64, |n| rounds(n + 1))
}

/// Loads of lines whose home, chiplet 1, has loaded them in the kernel before, and no other one.
fn afar(system: &System, items: usize) -> u64 {
    let ideal = system.with("ideal", &[("l2.design".into(), "ideal".into())]).unwrap();
    let words = system.machine.line as usize / 4;
    let chiplets = usize::from(system.machine.chiplets * system.machine.gpus);
    let loads = |loads: usize| {
        let program = record(|device| {
            let a = device.upload("a", &vec![7u32; 64 * words]).unwrap();
            for (chiplet, loads) in [(1, 64), (0, loads)] {
                let body = |group: &Group| {
                    group.phase(|it| {
                        for i in (0..loads).filter(|_| it.x / items == chiplet) {
                            it.load(at(1, 0), &a, i * words + it.lx);
                        }
                    });
                };
                let launch = Launch::line("afar", chiplets * items, items).read("a", &a);
                device.launch(launch, body).unwrap();
            }
        });
        cycles(&ideal, program)
    };
    each(system, 32, |n| loads(32 * n as usize))
}

/// Loads of lines that the kernel before has loaded: its end and the launch leave them in the L3
/// only.
fn second_kernel(system: &System, loads: u64) -> u64 {
    let words = system.machine.line as usize / 4;
    let program = record(|device| {
        let a = device.upload("a", &vec![7u32; 64 * words]).unwrap();
        for loads in [64, loads as usize] {
            let body = |group: &Group| {
                group.phase(|it| {
                    (0..loads).for_each(|i| {
                        it.load(at(1, 0), &a, i * words);
                    })
                });
            };
            device.launch(Launch::line("l3", 1, 1).read("a", &a), body).unwrap();
        }
    });
    cycles(system, program)
}

/// Loads of lines that were not loaded before.
fn cold(system: &System, loads: u64) -> u64 {
    let words = system.machine.line as usize / 4;
    let program = record(|device| {
        let a = device.upload("a", &vec![7u32; 64 * words]).unwrap();
        let body = |group: &Group| {
            group.phase(|it| {
                (0..loads as usize).for_each(|i| {
                    it.load(at(1, 0), &a, i * words);
                })
            });
        };
        device.launch(Launch::line("memory", 1, 1).read("a", &a), body).unwrap();
    });
    cycles(system, program)
}

#[test]
fn loads_take_as_long_as_the_papers_say() {
    let of = |l1, l2, remote_l2, l3, memory| Latencies {
        l1,
        l2,
        remote_l2,
        coherent: remote_l2,
        l3,
        memory,
    };
    for (name, latencies) in [
        // Table I; what lies behind the L3 is chosen.
        ("cpelide-2", of(140, 269, Some(390), Some(330), 581)),
        ("cpelide-4", of(140, 269, Some(390), Some(330), 582)),
        ("cpelide-16", of(140, 269, Some(390), Some(330), 588)),
        // Table 3; the L1's is chosen.
        ("stc-8cu", of(4, 160, None, None, 260)),
        // All chosen.
        ("finepack-4gpu", of(28, 193, None, None, 375)),
        ("rec-4gpu", of(140, 269, None, None, 500)),
        ("fermi-16sm", of(30, 260, None, None, 460)),
        ("fermi-15sm", of(30, 260, None, None, 460)),
        ("kepler-15sm", of(30, 260, None, None, 460)),
    ] {
        assert_eq!(measure(&preset(name)), latencies, "{name}");
    }
}

#[test]
fn loads_take_as_long_on_a_twin() {
    for name in full().into_iter().filter(|name| !has_dram(&preset(name))) {
        let twin = systems::load(&format!("{name}-small"), &[]).unwrap();
        assert_eq!(measure(&twin), measure(&preset(&name)), "{name}");
    }
}

/// A directory's second bank takes no time, and neither does its own way to the gate. Without it
/// only the bytes that are loaded come over the link: these are whole lines.
#[test]
fn loads_of_another_gpu_take_as_long_under_a_directory() {
    // On a twin's narrow link the header of a coherent fill is seen, four bytes longer.
    for name in full() {
        let system = preset(&name);
        if system.machine.gpus > 1 {
            // Sets of an L1, in each of which the rounds over lines never hit: four do.
            let bytes = 4 * system.l1.ways * system.machine.line;
            let set = [("cu.loads", "1".to_string()), ("l1.bytes", bytes.to_string())];
            let set = set.map(|(field, value)| (field.to_string(), value));
            let serial = system.with("serial", &set).unwrap();
            let words = system.machine.line as usize / 4;
            assert_eq!(afar(&serial, words), at_home(&serial, words), "{name}");
        }
    }
}
