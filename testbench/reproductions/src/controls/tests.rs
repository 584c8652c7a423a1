//! The small set of controls passes, all of them by `make controls`; and of each kind one fails on
//! machines that are not fair.

use std::sync::LazyLock;

use machine::System;

use super::runner::Unfair;
use super::*;

/// On fair machines.
static FAIR: LazyLock<Report> = LazyLock::new(|| run(true, |_| true));

#[test]
fn all_of_the_small_set_pass() {
    println!("{}", *FAIR);
    for part in &FAIR.controls {
        assert!(!part.rows.is_empty(), "{} has no rows", part.control);
        for row in &part.rows {
            assert!(row.passed, "{}: {row:?}", part.control);
        }
    }
}

/// Verdicts of a control's rows on fair machines, and on others.
fn both(name: &str, unfair: Unfair) -> Vec<(Row, Row)> {
    let fair = FAIR.controls.iter().find(|part| part.control == name).expect("a control");
    let unfair = run_on(&mut Runner::unfair(true, unfair), |control| control.name == name);
    fair.rows.iter().cloned().zip(unfair.controls.into_iter().flat_map(|part| part.rows)).collect()
}

/// All rows of designs that begin so pass on fair machines and fail on others.
fn fails(name: &str, designs: &str, unfair: Unfair) {
    let rows = both(name, unfair);
    let of = |(row, _): &&(Row, Row)| row.passed && row.designs.starts_with(designs);
    let rows: Vec<_> = rows.iter().filter(of).collect();
    assert!(!rows.is_empty(), "{name}: no row of {designs} passes");
    let (fair, unfair) = rows.iter().find(|(_, unfair)| !unfair.passed).unwrap_or(&rows[0]);
    assert!(!unfair.passed, "{fair:?} and {unfair:?}");
}

fn system(change: fn(&mut System)) -> Unfair {
    Unfair { system: change, ..Unfair::default() }
}

fn of(system: &System, design: &str) -> bool {
    system.l2.design == design
}

#[test]
fn slower_l2_of_one_design_is_noticed() {
    fails("l2-one-chiplet", "hmg", system(|s| s.l2.latency += u32::from(of(s, "hmg"))));
}

#[test]
fn missing_register_of_one_design_is_noticed() {
    fn few(s: &mut System, design: &str) {
        s.l3.misses /= if of(s, design) { 4 } else { 1 };
    }
    fails("l2-own-loads", "software", system(|s| few(s, "software")));
    fails("l2-shared-loads", "rec", system(|s| few(s, "rec")));
}

#[test]
fn slower_memory_of_one_design_is_noticed() {
    fails(
        "l2-own-stores",
        "cpelide",
        system(|s| s.memory.cycles *= 1 + u64::from(of(s, "cpelide"))),
    );
}

#[test]
fn fewer_entries_of_one_design_are_noticed() {
    let few = |s: &mut System| {
        if of(s, "directory") {
            s.directory.entries = s.directory.ways;
        }
    };
    fails("l2-unlimited-entries", "directory", system(few));
}

#[test]
fn slower_link_of_one_egress_design_is_noticed() {
    let slow = |s: &mut System| {
        if s.egress.design == "write-combine" {
            s.gpu_link.bytes_per_ns = s.gpu_link.bytes_per_ns.divided(2);
        }
    };
    fails("egress-remote-loads", "write-combine", system(slow));
}

#[test]
fn slower_l1_of_one_design_is_noticed() {
    fails(
        "l1-no-reuse",
        "stc-es",
        system(|s| {
            s.memory.cycles *= 1 + u64::from(s.l1.design == "stc-es");
        }),
    );
}

#[test]
fn what_one_scheduler_or_policy_changes_besides_is_noticed() {
    let slow = |s: &mut System| s.l2.latency += u32::from(s.cu.scheduler == "q8");
    fails("scheduler-one-cu", "q8 / ", system(slow));
    fn is_on(s: &System, field: &str) -> bool {
        s.sections.get("sharing_aware").is_some_and(|own| own[field].as_integer() == Some(1))
    }
    let late = |s: &mut System| s.memory.latency += u32::from(is_on(s, "l2_mgt"));
    fails("policy-room", "L2 / ", system(late));
    fn count(s: &System, o: &mut Outcome) {
        let more = u64::from(is_on(s, "l1_mgt"));
        drop(o.counters.entry("l3.fetches".into()).and_modify(|n| *n += more));
    }
    fails("policy-no-reuse", "cpelide, L1 / ", Unfair { outcome: count, ..Unfair::default() });
}

#[test]
fn latency_of_another_cycle_is_noticed() {
    fails("latency", "", system(|s| s.l2.latency += 1));
}

#[test]
fn part_of_a_latency_that_counts_twice_is_noticed() {
    // What is measured is compared with the system before the change.
    let rows = both("latency-parts", system(|s| s.l2.latency += 1));
    let is_behind_l1 = |row: &Row| row.case != "L1";
    for (fair, unfair) in rows {
        assert!(fair.passed && unfair.passed != is_behind_l1(&fair), "{unfair:?}");
    }
    fails("latency-parts", "", system(|s| s.network.memory_latency += 1));
    fails("latency-parts", "", system(|s| s.chiplet_link.round_trip -= 1));
    fails("latency-parts", "", system(|s| s.l1.sector_cycles += 1));
    fails("latency-parts", "", system(|s| s.tlb.shared_latency += 1));
}

/// With another value of a field of `[dram]`.
fn with_dram(s: &mut System, field: &str, value: u32) {
    let dram = s.sections.entry("dram".to_string()).or_insert_with(|| toml::Table::new().into());
    let dram = dram.as_table_mut().expect("a section");
    dram.insert(field.to_string(), i64::from(value).into());
}

#[test]
fn other_dram_timing_is_noticed() {
    fails("rate-dram-rows", "one bank", system(|s| with_dram(s, "rc", 65)));
    fails("rate-dram-rows", "one bank", system(|s| with_dram(s, "rfc_pb", 400)));
    fails("rate-dram-rows", "all banks, in turn", system(|s| with_dram(s, "faw", 42)));
    fails("rate-dram-rows", "all banks, in turn", system(|s| with_dram(s, "faw", 37)));
    fails("rate-dram-rows", "all banks, random", system(|s| with_dram(s, "faw", 60)));
    fails("latency-parts", "", system(|s| with_dram(s, "cl", 20)));
}

#[test]
fn another_hash_is_noticed() {
    let other = |s: &mut System| {
        s.machine.hash = match s.machine.hash.as_str() {
            "none" => "xor".to_string(),
            _ => "none".to_string(),
        };
    };
    let rows = both("hash-strides", system(other));
    let fails = |case: &str| {
        let mut of = rows.iter().filter(|(fair, _)| fair.case == case && fair.passed);
        assert!(of.any(|(_, unfair)| !unfair.passed), "{case}");
    };
    fails("L3 slices");
    fails("L3 slices used at a stride of a round");
    fails("L1 hits in the second of two rounds");
    let rows = both("hash-strides", system(|s| s.l2.interleave *= 2));
    let mut of = rows.iter().filter(|(fair, _)| fair.case == "L2 banks" && fair.passed);
    assert!(of.any(|(_, unfair)| !unfair.passed));
}

#[test]
fn slower_rates_are_noticed() {
    // What is measured is compared with the system before the change.
    fails("rate-l2-ports", "", system(|s| s.network.bytes_per_cycle /= 2));
    fails(
        "rate-gpu-link",
        "",
        system(|s| s.gpu_link.bytes_per_ns = s.gpu_link.bytes_per_ns.divided(2)),
    );
    fails("rate-memory-stores", "", system(|s| s.memory.cycles *= 2));
}

#[test]
fn counts_that_do_not_add_up_are_noticed() {
    fails(
        "conservation",
        "hmg",
        Unfair {
            outcome: |_, o| drop(o.counters.entry("l2.inv_miss".into()).and_modify(|n| *n += 1)),
            ..Unfair::default()
        },
    );
    fails(
        "conservation-lines",
        "software",
        Unfair {
            outcome: |_, o| drop(o.counters.entry("l2.released".into()).and_modify(|n| *n -= 1)),
            ..Unfair::default()
        },
    );
    fails(
        "conservation-links",
        "p2p",
        Unfair {
            outcome: |_, o| drop(o.counters.entry("ingress.loads".into()).and_modify(|n| *n -= 1)),
            ..Unfair::default()
        },
    );
}

#[test]
fn more_that_costs_time_is_noticed() {
    let wide = |s: &mut System| {
        if s.l1.bytes > 16384 {
            s.l2.latency += 200;
        }
    };
    fails("monotonicity", "", system(wide));
}

#[test]
fn slower_bounds_are_noticed() {
    let slow = |s: &mut System| {
        if ["ideal", "none"].contains(&s.l2.design.as_str()) || s.egress.design == "infinite" {
            s.l2.latency += 5000;
        }
        if s.l1.design == "race-ideal" {
            s.l2.latency += 5000;
        }
    };
    for name in ["bound-none", "bound-ideal", "bound-infinite", "bound-race-ideal"] {
        fails(name, "", system(slow));
    }
}

/// Where the host writes what kernels have touched, L2s without acquires are no bound.
#[test]
fn programs_that_the_host_rewrites_are_known() {
    use super::programs::Program;
    let mut runner = Runner::new(true);
    let mut rewrites = |name| runner.facts(&Program::BuiltIn(name, 0, 0)).rewrites;
    assert!(rewrites("backprop"), "its host has the second layer");
    assert!(!rewrites("jacobi2d") && !rewrites("reuse"));
}

#[test]
fn names_are_unique_and_designs_those_of_the_registry() {
    let mut names: Vec<_> = all().map(|control| control.name).collect();
    names.sort_unstable();
    names.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    let designs = situations::l2_designs();
    assert!(designs.contains(&"software") && designs.contains(&"hmg") && !designs.contains(&"own"));
}

#[test]
fn result_does_not_depend_on_the_run() {
    let rows = || run(true, |control| control.name == "l2-own-stores").to_string();
    assert_eq!(rows(), rows());
}
