//! What a report holds, on small inputs.

use std::sync::LazyLock;

use super::inputs::CYCLES;
use super::points::{self, CAUSES, LEASES, NONE, PROTOCOLS, RC, SC, TC_LEASES, TCS, TCW};
use super::{INPUTS, Report, SHARING, Timestamp};
use crate::experiment::{Attempt, Input, Record, input};
use crate::figure::alone;
use crate::lease_storage::{Storage, gtsc, paper, tc};
use crate::paper;

/// Without atomics: `wave`, `hotspot`.
const SMALL: [Input; 3] = [
    input("wave", "STN", 24, 3),
    input("spanning_tree", "", 96, 64),
    input("hotspot", "HS", 24, 2),
];

static REPORT: LazyLock<Report> =
    LazyLock::new(|| paper::run::<Timestamp>(1, &SMALL, 1, &Attempt::default()).unwrap());

fn record(program: &str, machine: &str) -> &'static Record {
    REPORT.runs.record(program, machine)
}

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    REPORT.checks_all_loads(100);
}

#[test]
fn machines_are_what_their_names_say() {
    let all = points::all();
    let of = |name: &str| &all.iter().find(|p| p.name == name).unwrap().system;
    let field = |name: &str, field: &str| {
        let section = of(name).sections.get("timestamp")?;
        section.get(field).and_then(|v| v.as_integer())
    };
    for name in PROTOCOLS {
        let machine = of(name);
        assert_eq!((machine.l1.design.as_str(), machine.l2.design.as_str()), (name, "own"));
        assert_eq!([field(name, "l2_div"), field(name, "lease")], [None; 2], "as in the thesis");
    }
    // Table 3.3: an L2 of half the clock.
    assert_eq!((paper().l2_div, paper().lease), (2, 10));
    for (name, lease) in LEASES.into_iter().zip([8, 16, 20]) {
        assert_eq!((of(name).l1.design.as_str(), field(name, "lease")), (RC, Some(lease)));
    }
    for (name, lease) in TC_LEASES.into_iter().zip([100, 200, 800, 100, 200, 800]) {
        assert_eq!(field(name, "tc_lease"), Some(lease));
        assert!(name.starts_with(of(name).l1.design.as_str()));
    }
    for cause in CAUSES {
        let designs = cause.machines.map(|name| of(name).l1.design.to_string());
        assert_eq!(designs[1..], PROTOCOLS.map(String::from));
        assert_eq!(designs[0], NONE);
    }
    assert_eq!([TCS, TCW].map(|name| field(name, "tc_lease")), [Some(400); 2]);
    assert_eq!(["waiters", "l2_wait"].map(|f| field("tc-weak-waiters", f)), [Some(48), Some(16)]);
    assert_eq!((field("gtsc-rc-clock", "l2_div"), of("tc-weak-loads").cu.loads), (Some(1), 1));
    assert_eq!((of("none-work").cu.gap_cycles, of("gtsc-sc-work").cu.gap_cycles), (48, 48));
}

/// Bytes between L1s and L2s by class: headers, what they say, and lines.
#[test]
fn bytes_between_l1s_and_l2s_are_those_of_the_messages() {
    const HEADER: f64 = 8.0;
    let own = |record: &Record, class: &str| {
        let [all, below] = ["traffic.chiplet", "l3.traffic"].map(|net| format!("{net}.{class}"));
        record.counter(&all) - record.counter(&below)
    };
    for program in ["wave", "hotspot"] {
        for (machine, request, answer, renewal) in
            [(TCS, 0.0, 4.0, 0.0), (TCW, 0.0, 4.0, 0.0), (SC, 4.0, 4.0, 2.0), (RC, 4.0, 4.0, 2.0)]
        {
            let record = record(program, machine);
            let l1 = |name: &str| record.counter(&format!("l1.timestamp_{name}"));
            assert_eq!(record.counter("l2.atomics"), 0.0);
            let requests = record.counter("l2.reads");
            assert_eq!(own(record, "request"), requests * (HEADER + request), "{machine}");
            let renewals = l1("renewals");
            let fills = requests - renewals;
            assert_eq!(own(record, "data"), fills * (HEADER + answer + 128.0), "{machine}");
            let stores = record.counter("l2.writes") * (HEADER + answer);
            let acks = stores + renewals * (HEADER + renewal);
            assert_eq!(own(record, "acknowledgement"), acks, "{machine}");
            if [SC, RC].contains(&machine) {
                assert_eq!(l1("fills") + renewals, requests, "{machine}");
            }
        }
    }
}

/// What an SM waits is at most its time, and an access that is under way keeps it from nothing.
#[test]
fn cycles_of_accesses_and_stalls_are_within_the_run() {
    for record in &REPORT.runs.records {
        let [waits, accesses, cycles] = ["wait_cycles", "accesses", "access_cycles"]
            .map(|n| record.counter(&format!("cu.{n}")));
        let all = record.cycles as f64 * 16.0;
        assert!(0.0 < waits && waits < all, "{} on {}", record.program, record.machine);
        // Nothing answers in less than two cycles; 256 may be under way.
        assert!(2.0 * accesses < cycles && cycles < 256.0 * all);
    }
    // One access after the other waits more than several.
    for program in SMALL.map(|input| input.program) {
        let stalls = |machine| record(program, machine).counter("cu.wait_cycles");
        assert!(stalls(TCS) > stalls(TCW), "{program}");
    }
}

#[test]
fn figures_are_those_of_the_runs() {
    let time = |program, machine| record(program, machine).inside();
    let ratio = |machine, over| time("wave", machine) / time("wave", over);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(REPORT.figure("GT-1").values["RC.wave"], ratio(TCW, RC)));
    assert!(near(REPORT.figure("GT-2").values["SC over TC-RC.wave"], ratio(TCW, SC)));
    assert!(near(REPORT.figure("GT-6").values["RC others"], {
        time("hotspot", RC) / time("hotspot", "src")
    }));
    assert!(near(REPORT.figure("order").values["tc-strong.wave"], ratio(TCS, NONE)));
    let sharing = ratio(RC, NONE) * time("spanning_tree", RC) / time("spanning_tree", NONE);
    assert!(near(REPORT.figure("order").values[RC], sharing.sqrt()));
    assert!(near(REPORT.figure("GT-14").numbers["wave"], 1.74 / 2.0));
    assert_eq!(CYCLES.of("none of these"), None);
    let ids: Vec<_> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    let all = (1..=16).map(|n| format!("GT-{n}"));
    let own = ["order", "clock", "loads", "work", "waiters", "TC leases"].map(String::from);
    assert_eq!(ids, all.chain(own).collect::<Vec<_>>());
    let missing: Vec<_> = REPORT.figures.iter().filter(|f| f.ours.is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn parts_of_the_energy_make_the_whole() {
    let saved = |base: &str| {
        let parts = ["L2", "NoC", "memory", "other"]
            .map(|part| REPORT.figure("GT-10").values[&format!("{base} {part}")]);
        parts.iter().sum::<f64>() / 100.0
    };
    // GT-9 is a geometric mean, and what L3 slices take, which hold nothing here, has no part.
    for base in ["no L1", "TC"] {
        let whole = 1.0 - REPORT.figure("GT-9").values[base];
        assert!((saved(base) - whole).abs() < 0.02, "{base}: {} {whole}", saved(base));
    }
}

/// Section 4.3.8 of the thesis, and of TC section 3.5.4: 32 bits of each line and of each warp.
#[test]
fn storage_is_the_theses() {
    let blocks = paper();
    let own = gtsc(&blocks);
    assert_eq!(own, Storage { l1_line: 32.0, l2_line: 32.0, warp: 16.0 });
    // The specification's sum, section 4: L1s and warps, and L2s.
    assert_eq!(own.bytes(&blocks, 16), (77_824.0 + 262_144.0) / 8.0);
    assert_eq!(tc(&blocks), Storage { l1_line: 32.0, l2_line: 32.0, warp: 32.0 });
}

#[test]
fn inputs_are_those_of_both_sets() {
    let sharing: Vec<_> = INPUTS.iter().map(|i| i.program).take(SHARING.len()).collect();
    assert_eq!(sharing, SHARING);
    assert!(INPUTS.iter().filter(|i| CYCLES.of(i.like).is_some()).count() >= 8);
}

#[test]
fn numbers_of_the_paper_stand_beside_ours() {
    assert_eq!(alone(&REPORT.figures), [""; 0]);
    assert!(REPORT.summary.ratios > 10, "{}", REPORT.summary);
}
