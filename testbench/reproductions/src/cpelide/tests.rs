//! What a report holds, on small inputs.

use std::sync::LazyLock;

use super::{Report, Structures, points, run};
use crate::experiment::{Input, input};
use crate::figure::alone;

/// BabelStream, whose chiplets keep to their parts, and a program whose kernels move to other
/// chiplets.
const SMALL: [Input; 2] = [input("stream", "BabelStream", 2048, 2), input("reuse", "", 1536, 4)];
const KERNELS: u64 = 8;

static REPORT: LazyLock<Report> = LazyLock::new(|| run(&SMALL, 1).unwrap());

fn count(program: &str, machine: &str, name: &str) -> u64 {
    REPORT.runs.record(program, machine).counter(name) as u64
}

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    assert_eq!(REPORT.runs.records.len(), SMALL.len() * points::all().len());
    for input in SMALL {
        let loads = REPORT.runs.record(input.program, "baseline").loads_checked;
        assert!(loads > 1000);
        let mut all = REPORT.runs.records.iter().filter(|r| r.program == input.program);
        assert!(all.all(|r| r.loads_checked == loads));
    }
}

/// Of section 10's example 1: nothing between kernels, and a release at the end. That the L2s are
/// acquired there, too, is of no use to anybody: the program has ended.
#[test]
fn operations_of_babelstream_are_those_of_the_worked_example() {
    let sent =
        |machine| ["launch.releases", "launch.acquires"].map(|name| count("stream", machine, name));
    for machine in ["cpelide", "cpelide-home", "cpelide-hidden"] {
        assert_eq!(sent(machine), [4, 0], "{machine}: at the end of the program");
        assert_eq!(count("stream", machine, "launch.sync_cycles"), 0, "{machine}");
    }
    assert_eq!(sent("baseline"), [4 * KERNELS; 2]);
    assert_eq!(sent("hmg")[1], 0);
    assert_eq!(sent("monolithic"), [1, 0]);
    // Every chiplet writes in each kernel; before the first the L2s are empty.
    let idle = ["launch.idle_releases", "launch.idle_acquires"];
    assert_eq!(idle.map(|name| count("stream", "baseline", name)), [0, 4]);
    for point in points::all() {
        assert_eq!(count("stream", point.name, "launch.packets"), KERNELS, "{}", point.name);
    }
    // Parts move to other chiplets.
    assert!(count("reuse", "cpelide", "launch.acquires") > 4);
    assert!(count("reuse", "cpelide", "launch.sync_cycles") > 0);
}

#[test]
fn machines_are_what_their_names_say() {
    let all = points::all();
    let of = |name| &all.iter().find(|p| p.name == name).unwrap().system;
    // Table I divided by 60: 8 MB of L2 and 60 CUs for each chiplet.
    let base = of("baseline");
    assert_eq!((base.scale, base.machine.chiplets, base.machine.cus), (60, 4, 1));
    let die = of("monolithic");
    assert_eq!((die.machine.chiplets, die.machine.cus), (1, 4));
    assert_eq!(die.l2.bytes, 4 * base.l2.bytes);
    assert_eq!(die.l3.bytes, base.l3.bytes);
    for (name, chiplets) in [("cpelide-2", 2), ("hmg-7", 7), ("baseline-16", 16)] {
        assert_eq!(of(name).machine.chiplets, chiplets);
    }
    assert_eq!(of("cpelide-home").l2.policy, "home-forward");
}

#[test]
fn figures_are_those_of_the_runs() {
    let figure = |id| REPORT.figures.iter().find(|f| f.id == id).unwrap();
    let cycles = |program, machine| REPORT.runs.record(program, machine).cycles as f64;
    let speedup = |program| cycles(program, "hmg") / cycles(program, "cpelide");
    let mean = (speedup("stream") * speedup("reuse")).sqrt();
    assert!((figure("C1").values["cpelide over hmg"] - mean).abs() < 1e-9);
    let loss = |program| cycles(program, "monolithic") / cycles(program, "baseline");
    let loss = 1.0 - (loss("stream") * loss("reuse")).sqrt();
    assert!((figure("C3").values["baseline"] - loss).abs() < 1e-9);
    // Copy and multiply name two arrays, add and triad three.
    let expected = Structures { kernels: KERNELS, all: 20, most: 3 };
    assert_eq!(REPORT.structures["stream"], expected);
    let all: u64 =
        ["stream", "reuse"].map(|p| count(p, "baseline", "launch.releases")).iter().sum();
    let own: u64 = ["stream", "reuse"].map(|p| count(p, "cpelide", "launch.releases")).iter().sum();
    let share = figure("Q1").values["releases.sent"];
    assert!((share - own as f64 / all as f64).abs() < 1e-9);
    // Specification 4: an entry of four chiplets takes 40 bytes, and there are 64.
    assert_eq!(REPORT.bytes.table, 64 * 40);
    let ids: Vec<_> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    let all: Vec<_> = (1..=15).map(|n| format!("C{n}")).chain(["Q1".into()]).collect();
    assert_eq!(ids, all);
    let missing = REPORT.figures.iter().filter(|f| f.ours.is_none()).map(|f| &f.id[..]);
    assert!(missing.eq(["C8", "C12", "C13"]));
}

#[test]
fn numbers_of_the_paper_stand_beside_ours() {
    // Those of programs that did not run have none.
    let alone = alone(&REPORT.figures);
    let of_programs =
        |name: &&String| ["C4 cpelide.", "C5 cpelide."].iter().any(|p| name.starts_with(p));
    assert_eq!(alone.iter().filter(of_programs).count(), alone.len(), "{alone:?}");
    assert!(REPORT.score.compared > 5, "{}", REPORT.score);
}
