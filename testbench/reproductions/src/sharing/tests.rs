//! What a report holds, on small inputs.

use std::sync::LazyLock;

use traces::trace::{Access, AccessKind, KernelSpec, Key, Reader, Record as _, Recorder};

use super::locality::Locality;
use super::points::{
    self, BASE, BCS, BCS_MANAGED, CAUSES, DESIGN, L1_ONLY, L2_ONLY, LARGE, MANAGED, SCHEDULER,
    SCHEDULERS,
};
use super::{INPUTS, PRIVATE, Report, Sharing};
use crate::experiment::{Attempt, Input, Record, input};
use crate::figure::alone;
use crate::paper;

/// Two of two dimensions with more rows than SMs, and one with private memory.
const SMALL: [Input; 3] =
    [input("jacobi2d", "", 272, 1), input("gemm", "SGEMM", 240, 1), input(PRIVATE, "", 512, 1)];

static REPORT: LazyLock<Report> =
    LazyLock::new(|| paper::run::<Sharing>(1, &SMALL, 1, &Attempt::default()).unwrap());

fn record(program: &str, machine: &str) -> &'static Record {
    REPORT.runs.record(program, machine)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    REPORT.checks_all_loads(1000);
}

#[test]
fn machines_are_what_their_names_say() {
    let all = points::all();
    let of = |name: &str| &all.iter().find(|p| p.name == name).unwrap().system;
    let managed = |name: &str| {
        let section = &of(name).sections["sharing_aware"];
        ["l1_mgt", "l2_mgt"].map(|field| section[field].as_integer().unwrap())
    };
    for (name, scheduler, on) in [
        (BASE, "rr_block", [0, 0]),
        (MANAGED, "rr_block", [1, 1]),
        (SCHEDULER, "qx_adpt", [0, 0]),
        (DESIGN, "qx_adpt", [1, 1]),
        (L1_ONLY, "qx_adpt", [1, 0]),
        (L2_ONLY, "qx_adpt", [0, 1]),
        (BCS, "bcs", [0, 0]),
        (BCS_MANAGED, "bcs", [1, 1]),
        (LARGE[0], "rr_block", [0, 0]),
        (LARGE[1], "qx_adpt", [1, 1]),
    ] {
        assert_eq!((of(name).cu.scheduler.as_str(), managed(name)), (scheduler, on), "{name}");
    }
    for name in SCHEDULERS {
        assert_eq!((of(name).cu.scheduler.as_str(), managed(name)), (name, [0, 0]));
    }
    for point in &all {
        let system = &point.system;
        let policies = [&system.sharing.l1, &system.sharing.l2].map(String::as_str);
        assert_eq!(policies, ["sharing-aware"; 2]);
        let is_large = LARGE.contains(&point.name);
        let bytes = match is_large {
            true => 2 << 20,
            false if point.name.ends_with("quarter") => 192 << 10,
            false => 768 << 10,
        };
        assert_eq!(system.l2.bytes, bytes, "{}", point.name);
        assert_eq!((system.machine.cus, system.cu.groups), (15, 8));
    }
    for cause in CAUSES {
        let [base, scheduler, design] = cause.machines;
        assert_eq!(managed(base), [0, 0]);
        assert_eq!((of(base).cu.scheduler.as_str(), managed(scheduler)), ("rr_block", [0, 0]));
        assert_eq!((of(scheduler).cu.scheduler.as_str(), managed(design)), ("qx_adpt", [1, 1]));
    }
    assert_eq!((of("base-memory").memory.bytes, of("qx_adpt-work").cu.gap_cycles), (64, 48));
}

/// Policies that are off see lines go and change nothing of what L1s and L2s hold.
#[test]
fn scheduler_alone_shares_more_in_a_cu_and_less_between_them() {
    for program in ["jacobi2d", "gemm"] {
        let of = |machine: &str, name: &str| record(program, machine).counter(name);
        assert_eq!(of(BASE, "l1.sharing_bypass_shared"), 0.0);
        assert_eq!(of(SCHEDULER, "l1.sharing_evict_dead"), 0.0);
        let shared = ["shared rr", "shared qx_adpt"]
            .map(|name| REPORT.figure("SA-8").values[&format!("{name}.{program}")]);
        assert!(shared[1] < shared[0], "{program}: {shared:?}");
        assert!(of(SCHEDULER, "scheduler.groups") >= 15.0);
        assert_eq!(of(BASE, "scheduler.groups"), 0.0);
    }
}

#[test]
fn figures_are_those_of_the_runs() {
    let time = |program, machine| record(program, machine).inside();
    let ratio = |program, machine, over| time(program, machine) / time(program, over);
    let speedup = &REPORT.figure("SA-1").values;
    assert!(near(speedup["qx_adpt+mgt.gemm"], ratio("gemm", BASE, DESIGN)));
    let two = ratio("gemm", BASE, DESIGN) * ratio("jacobi2d", BASE, DESIGN);
    assert!(near(speedup[DESIGN], two.sqrt()), "private memory is in no mean");
    assert!(near(REPORT.figure("SA-9").values["qx_adpt.gemm"], ratio("gemm", BCS, SCHEDULER)));
    assert!(near(REPORT.figure("SA-12").values["speedup.gemm"], ratio("gemm", LARGE[0], LARGE[1])));
    assert!(near(REPORT.figure(PRIVATE).values["time"], ratio(PRIVATE, MANAGED, BASE)));
    let fetched = |machine| {
        let of = |name: &str| record("gemm", machine).counter(&format!("l1.{name}"));
        of("loads") - of("hits") - of("merges")
    };
    let misses = fetched(DESIGN) / fetched(BASE);
    assert!(near(REPORT.figure("SA-4").values["L1 miss rate.gemm"], misses));
    let lines = |machine| {
        let of = |name| record("gemm", machine).counter(name);
        of("l3.fetches") + of("memory.writes")
    };
    assert!(near(REPORT.figure("SA-2").values["traffic.gemm"], lines(DESIGN) / lines(BASE)));
    let ids: Vec<_> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    let all = (1..=16).map(|n| format!("SA-{n}"));
    let own = ["memory", "quarter", "work", "levels", PRIVATE].map(String::from);
    assert_eq!(ids, all.chain(own).collect::<Vec<_>>());
    let missing: Vec<_> = REPORT.figures.iter().filter(|f| f.ours.is_none()).collect();
    assert_eq!(missing.iter().map(|f| f.id.as_str()).collect::<Vec<_>>(), ["SA-11"]);
}

/// Four work-groups of which each uses its own line, and a line with the one two before it.
#[test]
fn locality_counts_lines_of_kernels_by_distance() {
    let mut recorder = Recorder::in_memory("four").unwrap();
    let data = recorder.alloc("data", 128 * 16).unwrap();
    let spec = KernelSpec {
        name: "four".into(),
        grid: [4, 1, 1],
        local: [1, 1, 1],
        ..KernelSpec::default()
    };
    recorder.begin_kernel(spec).unwrap();
    for group in 0..4 {
        recorder.begin_group().unwrap();
        for (pc, line) in [(0, group), (1, 4 + group % 2)] {
            let (key, kind) = (Key { pc, ..Key::default() }, AccessKind::Load);
            let addr = data + 128 * line;
            let access = Access { item: 0, key, kind, addr, bytes: &[0; 4], ..Access::default() };
            recorder.access(&access).unwrap();
        }
        recorder.end_group().unwrap();
    }
    recorder.end_kernel().unwrap();
    let trace = Reader::from_bytes(recorder.into_bytes().unwrap(), "four").unwrap();
    let own = Locality::of_trace(trace).unwrap();
    assert_eq!((own.lines, own.loaded, own.of_kernels, own.shared), (6, 6, 6, 2));
    assert_eq!((own.sharings, own.near), (2, 2));
    assert!(near(own.shared_share(), 1.0 / 3.0));
    let gemm = &REPORT.details.locality["gemm"];
    assert!(gemm.near < gemm.sharings && gemm.shared > 0, "{gemm:?}");
}

/// What a line of an L2 or of an L1 costs follows from the messages: the owner's number and flags.
#[test]
fn storage_is_the_theses() {
    let values = &REPORT.figure("SA-15").values;
    assert_eq!((values["L2 line"], values["L1 line"]), (5.0, 2.0));
}

#[test]
fn inputs_are_as_many_as_the_thesis_has() {
    assert_eq!(INPUTS.iter().filter(|input| input.program != PRIVATE).count(), 20);
}

#[test]
fn numbers_of_the_paper_stand_beside_ours() {
    assert_eq!(alone(&REPORT.figures), [""; 0]);
    assert!(REPORT.summary.ratios > 10, "{}", REPORT.summary);
}
