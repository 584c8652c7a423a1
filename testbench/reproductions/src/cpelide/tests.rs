//! What a report holds, on small inputs.

use std::sync::LazyLock;

use super::{Cpelide, Report, Structures, points};
use crate::experiment::{Attempt, Input, input};
use crate::figure::alone;
use crate::paper;

/// BabelStream, whose chiplets keep to their parts, a program whose kernels move to other chiplets,
/// and one that uses little again.
const SMALL: [Input; 3] = [
    input("stream", "BabelStream", 2048, 2),
    input("reuse", "", 1536, 4),
    input("pathfinder", "Pathfinder", 512, 4),
];

/// And jobs in streams.
const WITH_JOBS: [Input; 4] = [SMALL[0], SMALL[1], SMALL[2], input("stream_jobs", "", 256, 2)];
const KERNELS: u64 = 8;

static REPORT: LazyLock<Report> =
    LazyLock::new(|| paper::run::<Cpelide>(60, &WITH_JOBS, 1, &Attempt::default()).unwrap());

/// The mean over the programs.
fn geometric(of: impl Fn(&'static str) -> f64) -> f64 {
    SMALL.map(|input| of(input.program)).iter().product::<f64>().powf(1.0 / SMALL.len() as f64)
}

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    REPORT.checks_all_loads(1000);
}

/// Of section 10's example 1: nothing between kernels, and a release at the end. That the L2s are
/// acquired there, too, is of no use to anybody: the program has ended.
#[test]
fn operations_of_babelstream_are_those_of_the_worked_example() {
    let sent = |machine| {
        ["launch.releases", "launch.acquires"].map(|name| REPORT.count("stream", machine, name))
    };
    for machine in ["cpelide-ahead", "cpelide-home-ahead", "cpelide-aware"] {
        assert_eq!(sent(machine), [4, 0], "{machine}: at the end of the program");
        assert_eq!(REPORT.count("stream", machine, "launch.sync_cycles"), 0, "{machine}");
    }
    assert_eq!(sent("baseline"), [4 * KERNELS; 2]);
    assert_eq!(sent("hmg")[1], 0);
    assert_eq!(sent("monolithic"), [1, 0]);
    // Every chiplet writes in each kernel; before the first the L2s are empty.
    let idle = ["launch.idle_releases", "launch.idle_acquires"];
    assert_eq!(idle.map(|name| REPORT.count("stream", "baseline", name)), [0, 4]);
    for point in points::all(60) {
        assert_eq!(REPORT.count("stream", point.name, "launch.packets"), KERNELS, "{}", point.name);
    }
    // Parts move to other chiplets.
    assert!(REPORT.count("reuse", "cpelide-ahead", "launch.acquires") > 4);
    assert!(REPORT.count("reuse", "cpelide-ahead", "launch.sync_cycles") > 0);
}

#[test]
fn machines_are_what_their_names_say() {
    let all = points::all(60);
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
    assert_eq!(of("cpelide-home-ahead").l2.policy, "home-forward");
}

#[test]
fn figures_are_those_of_the_runs() {
    let cycles = |program, machine| REPORT.runs.record(program, machine).cycles as f64;
    let speedup = |program| cycles(program, points::HMG) / cycles(program, points::OURS);
    let mean = geometric(speedup);
    assert!((REPORT.figure("C1").values["over hmg"] - mean).abs() < 1e-9);
    let loss = |program| cycles(program, "monolithic") / cycles(program, "baseline-home");
    let loss = 1.0 - geometric(loss);
    assert!((REPORT.figure("C3").values["baseline"] - loss).abs() < 1e-9);
    // Copy and multiply name two arrays, add and triad three.
    let expected = Structures { kernels: KERNELS, all: 20, most: 3 };
    assert_eq!(REPORT.details.structures["stream"], expected);
    let all: u64 =
        SMALL.map(|i| REPORT.count(i.program, points::BASE, "launch.releases")).iter().sum();
    let own: u64 =
        SMALL.map(|i| REPORT.count(i.program, points::OURS, "launch.releases")).iter().sum();
    let share = REPORT.figure("Q1").values["releases.sent"];
    assert!((share - own as f64 / all as f64).abs() < 1e-9);
    // Specification 4: an entry of four chiplets takes 40 bytes, and there are 64.
    assert_eq!(REPORT.details.bytes.table, 64 * 40);
    let ids: Vec<_> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    let ours = ["Q1", "Q2", "Q3", "Q4", "Q5"].map(String::from);
    let all: Vec<_> = (1..=15).map(|n| format!("C{n}")).chain(ours).collect();
    assert_eq!(ids, all);
    assert!(REPORT.figures.iter().all(|f| f.ours.is_some()));
    // Jobs count there alone.
    let jobs = cycles("stream_jobs", points::HMG) / cycles("stream_jobs", points::OURS);
    assert!((REPORT.figure("C12").values["over hmg"] - jobs).abs() < 1e-9);
}

#[test]
fn numbers_of_the_paper_stand_beside_ours() {
    // Those of programs that did not run have none.
    let alone = alone(&REPORT.figures);
    let those = ["C4 ", "C5 ", "Q2 ", "Q3 ", "Q4 "];
    let of_programs = |name: &&String| those.iter().any(|start| name.starts_with(start));
    assert_eq!(alone.iter().filter(of_programs).count(), alone.len(), "{alone:?}");
    assert!(REPORT.summary.ratios > 5, "{}", REPORT.summary);
}

/// The small programs on the machines of full size.
static FULL: LazyLock<Report> =
    LazyLock::new(|| paper::run::<Cpelide>(1, &SMALL, 0, &Attempt::default()).unwrap());

#[test]
fn full_size_is_the_papers_machine_and_says_what_it_leaves_out() {
    let all = points::all(1);
    assert!(all.iter().all(|p| p.system.scale == 1 && p.name != "cpelide-7"));
    let of = |name| &all.iter().find(|p| p.name == name).unwrap().system;
    let base = &of("baseline").machine;
    assert_eq!((base.chiplets, base.cus), (4, 60));
    let left_out = FULL.figures.iter().filter(|f| f.ours.is_none());
    let left_out: Vec<_> = left_out.map(|f| (&f.id[..], f.note.contains("scale 60"))).collect();
    let expected = [("C3", true), ("C9", true), ("C10", true), ("C11", true), ("C12", false)];
    assert_eq!(left_out, expected);
    assert!(FULL.figures.iter().all(|f| f.ours.is_some() || !f.note.is_empty()));
    assert_eq!((FULL.scale, FULL.summary.figures, FULL.summary.shown), (1, 15, 10));
}

#[test]
fn variants_differ_in_policy_table_and_what_a_decision_takes() {
    for (report, scale) in [(&*REPORT, 60), (&*FULL, 1)] {
        let all = points::all(scale);
        let of = |name: &str| all.iter().find(|p| p.name == name).unwrap();
        for variant in points::VARIANTS {
            let Some(own) = all.iter().find(|p| p.name == variant.machine) else {
                assert!(variant.name.ends_with("firmware") && firmware::image::ELVES.is_empty());
                continue;
            };
            let base = of(variant.base);
            let processor = &own.system.command_processor;
            assert!(processor.ahead && !base.system.command_processor.ahead, "{}", variant.name);
            assert_eq!(processor.home_aware, variant.name.starts_with("home-aware"));
            let policy =
                if variant.name.starts_with("private") { "private" } else { "home-forward" };
            assert_eq!([&own.system, &base.system].map(|s| &s.l2.policy[..]), [policy; 2]);
            assert_eq!(
                [&own.system, &base.system].map(|s| &s.l2.design[..]),
                ["cpelide", "software"]
            );
            let is_firmware = variant.name.ends_with("firmware");
            assert_eq!([own.cp, base.cp].map(|cp| cp != machine::Cp::Native), [is_firmware; 2]);
            let cycles =
                |name| geometric(|program| report.runs.record(program, name).cycles as f64);
            let speedup = cycles(variant.base) / cycles(variant.machine);
            let figure = report.figures.iter().find(|f| f.id == "C1").unwrap();
            assert!((figure.values[variant.name] - speedup).abs() < 1e-9, "{}", variant.name);
            if variant.machine == points::OURS {
                let beside = figure.compared.iter().find(|n| n.name == "over baseline").unwrap();
                let ours = Some(figure.values[variant.name]);
                assert_eq!((beside.paper, beside.ours), (1.13, ours));
            }
        }
    }
}

#[test]
fn text_names_scale_and_inputs_of_each_figure_and_has_a_row_for_each_program() {
    let text = FULL.to_string();
    assert!(text.contains("its machine (table I) at full scale"), "{text}");
    let shown = FULL.figures.iter().filter(|f| f.ours.is_some()).count();
    let on = "on scale 1, seed 1; programs with size x iterations: stream 2048 x 2, \
              reuse 1536 x 4, pathfinder 512 x 4 ";
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches(on).count(), shown);
    let table = text.split("Deciding ahead: ").nth(1).unwrap();
    for start in ["stream ", "reuse ", "pathfinder ", "geometric mean "] {
        assert!(table.lines().any(|line| line.starts_with(start)), "{start}");
    }
}
