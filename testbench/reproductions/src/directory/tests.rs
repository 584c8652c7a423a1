//! What a report holds, on small inputs.

use std::sync::LazyLock;

use super::figures::transactions;
use super::points::SCALE;
use super::{Rec, Report, points};
use crate::experiment::{Attempt, Input, Point, input};
use crate::figure::alone;
use crate::paper;

const SMALL: [Input; 2] = [input("pagerank", "PR", 600, 2), input("lu", "LU", 96, 1)];

static REPORT: LazyLock<Report> =
    LazyLock::new(|| paper::run::<Rec>(SCALE, &SMALL, 1, &Attempt::default()).unwrap());

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    REPORT.checks_all_loads(1000);
}

#[test]
fn machines_are_what_their_names_say() {
    let all = points::all(SCALE);
    let of = |name| &all.iter().find(|p| p.name == name).unwrap().system;
    // Table 2: 2 MB of L2, 8192 entries in 8 ways, 64 CUs, each divided by the scale.
    let base = of("baseline");
    assert_eq!((base.l2.bytes, base.directory.entries, base.directory.ways), (32 << 10, 128, 8));
    assert_eq!((base.machine.cus, base.machine.gpus), (1, 4));
    // Multiples of its entries: specification 7.
    for (name, times) in [("baseline-2x", 2), ("baseline-6x", 6), ("baseline-12x", 12)] {
        assert_eq!(of(name).directory.entries, 128 * times, "{name}");
    }
    assert_eq!(of("baseline-3x-8gpu").directory.entries, 128 * 3);
    assert_eq!(of("baseline-5x-16gpu").directory.entries, 128 * 5);
    assert_eq!(of("rec-32k-entries").directory.entries, 128 * 4);
    assert_eq!(of("rec-8mb").l2.bytes, 128 << 10);
    // Section 5.4, and an L2 port that is as much wider as a line with its header, and divided.
    let nvidia = of("rec-nvidia");
    assert_eq!((nvidia.machine.cus, nvidia.l2.bytes, nvidia.directory.range), (2, 72 << 14, 2048));
    let ports = [base, nvidia].map(|s| s.network.bytes_per_cycle);
    assert_eq!(ports, [72 * 16 / 64, 136 * 16 / 64]);
}

/// Table 2 itself, and the designs alone.
#[test]
fn machines_of_full_size_are_the_papers() {
    let all = points::all(1);
    assert_eq!(all.len(), 6);
    for Point { name, system, .. } in &all {
        let entries = if *name == "baseline-2x" { 2 << 13 } else { 1 << 13 };
        let found = (system.machine.cus, system.l2.bytes, system.directory.entries);
        assert_eq!(found, (64, 2 << 20, entries), "{name}");
    }
}

#[test]
fn full_size_says_what_it_leaves_out() {
    let report = paper::run::<Rec>(1, &SMALL, 0, &Attempt::default()).unwrap();
    assert!(report.to_string().contains("(table 2) at full scale"));
    let missing = report.figures.iter().filter(|f| f.ours.is_none());
    let missing: Vec<_> = missing.map(|f| (&f.id[..], f.note.contains("scale 64"))).collect();
    // These small programs invalidate nothing of each other there (R9).
    let others = ["R11", "R12", "R13", "R14", "R15", "R16", "R17"].map(|id| (id, true));
    let first = [("R7", true), ("R9", false)];
    assert_eq!(missing, [&first[..], &others, &[("R18", false), ("R19", false)]].concat());
}

/// Machines that are compared have the same ports, links, memories and latencies: nothing but the
/// lines of R17 changes these.
#[test]
fn machines_differ_in_what_their_names_say_alone() {
    let all = points::all(SCALE);
    let base = &all[0].system;
    for Point { name, system, .. } in &all {
        let mut same = system.clone();
        same.name.clone_from(&base.name);
        same.l2.design.clone_from(&base.l2.design);
        same.l2.bytes = base.l2.bytes;
        same.directory = base.directory.clone();
        same.machine.gpus = base.machine.gpus;
        same.machine.cus = base.machine.cus;
        if name.ends_with("nvidia") {
            // Its lines are longer, and a twin's latency is without what a line takes longer.
            same.gpu_link.latency = base.gpu_link.latency;
            assert_eq!(same.gpu_link, base.gpu_link);
        } else {
            assert_eq!(same, *base, "{name}");
        }
    }
}

#[test]
fn directories_evict_as_their_variants_do() {
    for Input { program, .. } in SMALL {
        assert!(REPORT.count(program, "baseline", "l2.directory.evicted") > 0, "{program}");
        assert_eq!(REPORT.count(program, "ideal", "l2.directory.evicted"), 0);
        assert_eq!(REPORT.count(program, "ideal", "l2.inv_hit_evict"), 0);
        let invalid = ["baseline", "rec"].map(|m| REPORT.count(program, m, "l2.inv_false"));
        assert_eq!(invalid, [0, 0], "only an entry of hmg covers lines that are not written");
    }
    assert!(REPORT.count("lu", "hmg", "l2.inv_false") > 0);
}

#[test]
fn figures_are_those_of_the_runs() {
    let cycles = |program, machine| REPORT.runs.record(program, machine).cycles as f64;
    let speedup = |program| cycles(program, "baseline") / cycles(program, "rec");
    let mean = (speedup("pagerank") * speedup("lu")).sqrt();
    assert!((REPORT.figure("R1").values["mean"] - mean).abs() < 1e-9);
    let ratio = |program| {
        let [rec, base] = ["rec", "baseline"].map(|m| transactions(REPORT.runs.record(program, m)));
        rec / base
    };
    let mean = (ratio("pagerank") + ratio("lu")) / 2.0;
    assert!((REPORT.figure("R9").values["transactions"] - mean).abs() < 1e-9);
    let ids: Vec<_> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    assert_eq!(ids, (1..=19).map(|n| format!("R{n}")).collect::<Vec<_>>());
    let missing = REPORT.figures.iter().filter(|f| f.ours.is_none()).map(|f| &f.id[..]);
    assert_eq!(missing.collect::<Vec<_>>(), ["R18", "R19"]);
}

#[test]
fn numbers_of_the_paper_stand_beside_ours() {
    // Directories of larger ranges evict nothing here, so they have no lines to count.
    let alone = alone(&REPORT.figures);
    assert!(alone.iter().all(|name| name.starts_with("R8 ")), "{alone:?}");
    assert!(REPORT.summary.ratios > 5, "{}", REPORT.summary);
}
