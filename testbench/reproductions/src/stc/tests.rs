//! What a report holds, on small inputs.

use std::sync::LazyLock;

use super::{Report, Stc, points};
use crate::experiment::{Attempt, Input, input};
use crate::figure::alone;
use crate::paper;

const SMALL: [Input; 3] =
    [input("copy", "vec-cpy", 4096, 2), input("reuse", "", 1536, 4), input("multigrid", "", 24, 1)];
const DESIGNS: [&str; 4] = ["nv", "es", "ab", "mb"];

static REPORT: LazyLock<Report> =
    LazyLock::new(|| paper::run::<Stc>(1, &SMALL, 1, &Attempt::default()).unwrap());

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    REPORT.checks_all_loads(1000);
}

#[test]
fn machines_are_what_their_names_say() {
    let all = points::all();
    let of = |name| &all.iter().find(|p| p.name == name).unwrap().system;
    assert_eq!((of("mb").machine.cus, of("mb").l1.bytes), (points::CUS, 64 << 10));
    assert_eq!((of("lines-16k").l1.bytes, of("mb-16k").l1.bytes), (16 << 10, 16 << 10));
    assert_eq!((of("mb-16cu").machine.cus, of("lines-32cu").machine.cus), (16, 32));
    assert_eq!(of("mb-dropped-l2").l2.design, "software");
    assert!(all.iter().filter(|p| p.system.l2.design == "cpelide").count() == all.len() - 3);
    for name in ["mb-8-way", "src-8-way", points::TCS] {
        assert_eq!((of(name).l1.ways, of(name).l1.misses), (8, 64));
    }
    assert_eq!(of(points::TCS).l2.design, "own");
}

#[test]
fn epochs_change_as_their_variants_do() {
    for Input { program, .. } in SMALL {
        let changes = |machine| REPORT.count(program, machine, "l1.epoch_transitions");
        assert!(DESIGNS.windows(2).all(|d| changes(d[0]) >= changes(d[1])), "{program}");
        assert_eq!(REPORT.count(program, "es", "l1.epoch_conflicts"), 0);
        assert_eq!(REPORT.count(program, "ab", "l1.epochs_of_2_bands"), 0);
        assert_eq!(REPORT.count(program, "src", "l1.epoch_transitions"), 0);
        // With an L2 that stays, L1s are dropped for what the host writes alone: before the first
        // kernel.
        assert!(DESIGNS.iter().all(|d| REPORT.count(program, d, "l1.invalidated_lines") == 0));
        assert_eq!(REPORT.count(program, "mb-bsq-64", "l1.stores_held_peaks") / 8 / 65, 0);
    }
    assert!(REPORT.count("multigrid", "mb-dropped-l2", "l1.invalidated_lines") > 0);
}

#[test]
fn figures_are_those_of_the_runs() {
    let time = |program, machine| REPORT.runs.record(program, machine).inside();
    for (id, machine) in ["STC-1", "STC-2", "STC-3", "STC-4"].into_iter().zip(DESIGNS) {
        let ratio = |input: &Input| time(input.program, machine) / time(input.program, "src");
        let mean = SMALL.iter().map(ratio).product::<f64>().cbrt();
        assert!((REPORT.figure(id).values["over src"] - mean).abs() < 1e-9);
    }
    assert_eq!(REPORT.figure("STC-21").values["kernels.reuse"], 4.0);
    // Section 7.5: 8 queues of 256 entries of 32 bits.
    assert_eq!(REPORT.figure("STC-19").values["queues"], 8192.0);
    // The same: 8192 lines of L1s and 8192 of the L2, 32 bits each.
    assert_eq!(REPORT.figure("STC-19").values["tcs"], 16384.0 * 4.0);
    let slower = |input: &Input| time(input.program, "tc-strong") / time(input.program, "mb-8-way");
    let mean = SMALL.iter().map(slower).product::<f64>().cbrt();
    assert!((REPORT.figure("STC-18").values["mb-8-way over tc-strong"] - mean).abs() < 1e-9);
    // Table 4, whose 16 x 33 bits are addresses and demands, and 7 bits that count to 100.
    let values = &REPORT.figure("STC-20").values;
    assert_eq!(["ec", "wake_count", "erv", "etv"].map(|n| values[n]), [4.0, 7.0, 528.0, 16.0]);
    let ids: Vec<_> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    let all = (1..=23).map(|n| format!("STC-{n}"));
    assert_eq!(
        ids,
        all.chain(["CUs", "lines", "bits", "work", "L2"].map(String::from)).collect::<Vec<_>>()
    );
    let missing = REPORT.figures.iter().filter(|f| f.ours.is_none()).map(|f| &f.id[..]);
    assert_eq!(missing.collect::<Vec<_>>(), ["STC-8", "STC-23"]);
}

#[test]
fn numbers_of_the_paper_stand_beside_ours() {
    assert_eq!(alone(&REPORT.figures), [""; 0]);
    assert!(REPORT.summary.ratios > 5, "{}", REPORT.summary);
}
