//! What a report holds, on small inputs.

use std::sync::LazyLock;

use super::energy::Energy;
use super::inputs::INPUTS;
use super::points::{self, BLOCK, BYTE, CAUSES, HALF, IDEAL, NOSPEC, SIZES, WORD};
use super::{Race, Report, fetches};
use crate::experiment::{Attempt, Input, input};
use crate::figure::alone;
use crate::paper;

const SMALL: [Input; 3] = [
    input("wave", "Wave", 24, 3),
    input("spanning_tree", "", 96, 64),
    input("kmeans", "KMeans", 256, 1),
];

static REPORT: LazyLock<Report> =
    LazyLock::new(|| paper::run::<Race>(1, &SMALL, 1, &Attempt::default()).unwrap());

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    REPORT.checks_all_loads(100);
}

#[test]
fn machines_are_what_their_names_say() {
    let all = points::all();
    let of = |name: &str| &all.iter().find(|p| p.name == name).unwrap().system;
    let field = |name: &str, field: &str| {
        of(name).sections["race_detection"].get(field).and_then(|v| v.as_integer())
    };
    for (family, gran) in [(&BYTE, 1), (&WORD, 4), (&BLOCK, 128), (&HALF, 512)] {
        for (machine, m) in family.machines.into_iter().zip(SIZES) {
            assert_eq!(field(machine, "gran"), Some(gran));
            assert_eq!(field(machine, "m"), Some(m.into()));
            assert_eq!(of(machine).l1.design, "race-spec");
        }
    }
    assert!(IDEAL.machines.iter().all(|m| of(m).l1.design == "race-ideal"));
    assert!(NOSPEC.machines.iter().all(|m| of(m).l1.design == "race-nospec"));
    assert_eq!((of("base-work").cu.gap_cycles, of("base-L2").l2.design.as_str()), (48, "software"));
    for cause in CAUSES {
        assert_eq!(of(cause.machines[0]).l1.design, "race-base");
        assert_eq!(of(cause.machines[2]).l1.design, "race-spec");
    }
}

#[test]
fn what_is_counted_follows_from_the_design() {
    for Input { program, .. } in SMALL {
        assert_eq!(REPORT.count(program, "base", "l1.race_syncs"), 0);
        // A full write of a granule's line is more insertions the finer the granules are.
        let inserts = |machine| REPORT.count(program, machine, "l1.race_inserts");
        assert!(inserts("byte-8k") > inserts("word-8k"), "{program}");
        assert!(inserts("word-8k") >= inserts("block-8k"), "{program}");
        assert_eq!(inserts("block-1k"), inserts("block-8k"), "{program}");
        // Without speculation no load is done again, and every fetch is a check.
        assert_eq!(REPORT.count(program, "nospec-8k", "l1.race_replays"), 0);
        let record = REPORT.runs.record(program, "block-8k");
        assert_eq!(fetches(record) as u64, REPORT.count(program, "block-8k", "l1.race_reads"));
        let again = ["l1.race_fetches_expired", "l1.race_fetches_avu"];
        assert!(again.map(|n| record.counter(n)).iter().sum::<f64>() <= fetches(record));
    }
    assert!(SMALL.iter().any(|i| REPORT.count(i.program, "block-8k", "l1.race_races") > 0));
}

#[test]
fn figures_are_those_of_the_runs() {
    let ratio = |machine: &str| {
        let time = |program, machine| REPORT.runs.record(program, machine).inside();
        let each = SMALL.iter().map(|i| time(i.program, machine) / time(i.program, "base"));
        each.sum::<f64>() / SMALL.len() as f64
    };
    assert!((REPORT.figure("RD-1").values["ideal.2K"] - ratio("ideal-2k")).abs() < 1e-9);
    assert!((REPORT.figure("RD-4").values["half.16K"] - ratio("half-16k")).abs() < 1e-9);
    assert!((REPORT.figure("order").values["nospec"] - ratio("nospec-8k")).abs() < 1e-9);
    let beside = |program| {
        let time = |machine| REPORT.runs.record(program, machine).inside();
        time("block-8k") / time("gtsc-sc")
    };
    let mean = SMALL.iter().map(|i| beside(i.program)).sum::<f64>() / SMALL.len() as f64;
    assert!((REPORT.figure("RD-24").values["time"] - mean).abs() < 1e-9);
    assert!(REPORT.figure("ratios").values["byte/word.1K"] > 1.0);
    let ids: Vec<_> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    let all = (1..=24).map(|n| format!("RD-{n}"));
    let own = [
        "ratios",
        "order",
        "work",
        "work-1k",
        "near",
        "near-work",
        "hits",
        "queues",
        "L2",
        "copies",
        "lanes",
    ];
    assert_eq!(ids, all.chain(own.map(String::from)).collect::<Vec<_>>());
    let missing = REPORT.figures.iter().filter(|f| f.ours.is_none()).map(|f| &f.id[..]);
    let inputs = ["RD-16", "RD-17", "RD-18", "RD-19"];
    // None of these programs is memory-intensive, or some are.
    let missing: Vec<_> = missing.filter(|id| *id != "RD-5").collect();
    assert_eq!(missing, [&inputs[..], &["RD-22"]].concat());
}

/// Against a calculation by hand: table 4.2, 16 AVUs and tables, 1.4 cycles for a nanosecond.
#[test]
fn energy_is_events_times_the_thesiss_energies() {
    let mut record = REPORT.runs.record("wave", "base").clone();
    record.cycles = 1_400_000;
    record.counters.clear();
    for (name, events) in [
        ("race_granules_checked", 1_000_000),
        ("race_inserts", 2_000_000),
        ("race_signature_tests", 3_000_000),
        ("race_allocs", 4_000_000),
        ("race_commits", 5_000_000),
    ] {
        record.counters.insert(format!("l1.{name}"), events);
    }
    let Energy { rdu, avu, renaming } = Energy::of(&record, 4, 16.0, 1400.0);
    let near = |own: [f64; 2], expected: [f64; 2]| {
        own.iter().zip(expected).all(|(own, expected)| (own - expected).abs() < 1e-6)
    };
    assert!(near(rdu, [742.55, 26.92]), "{rdu:?}");
    assert!(near(avu, [45.03, 26.88]), "{avu:?}");
    assert!(near(renaming, [11.79, 58.08]), "{renaming:?}");
    let b = &INPUTS.baseline;
    assert!((b.energy_of_cycle("LBM") - 2321.134 / 20_046_029.0).abs() < 1e-12);
    // None of the name: the mean. Some 140 W at 1.4 GHz.
    assert!((b.energy_of_cycle("") * 1.4e6 - b.power(1400.0)[1]).abs() < 1e-9);
    assert!((120.0..160.0).contains(&b.power(1400.0)[1]));
}

#[test]
fn numbers_of_the_paper_stand_beside_ours() {
    assert_eq!(alone(&REPORT.figures), [""; 0]);
    assert!(REPORT.summary.ratios > 5, "{}", REPORT.summary);
}
