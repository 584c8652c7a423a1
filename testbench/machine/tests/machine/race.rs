//! The race detection designs in the machine: what they refuse, what they cost, and that nothing of
//! it depends on bodies or visits.

use cosim::body::BodyKind;
use machine::{Bodies, Machine, Options, RunError, systems};
use traces::kernels::Params;
use traces::trace::{Access, AccessKind, KernelSpec, Key, Reader, Record, Recorder};

use super::{built_in, by_default, count, passes, system};

fn small(name: &str, size: u32) -> Reader {
    built_in(name, &Params { size, iterations: 2, seed: 1 })
}

/// Everything that is checked takes its time; in no time it takes less, and waiting for it more.
#[test]
fn less_waiting_takes_less_time() {
    let program = small("colouring", 96);
    let cycles = |design: &str| {
        passes(&system("fermi-16sm-small", &[("l1.design", design)]), &program).cycles
    };
    let all = ["race-base", "race-ideal", "race-spec", "race-nospec"].map(cycles);
    assert!(all.is_sorted(), "{all:?}");
}

/// Counters of the SMs and those of their unit count the same events.
#[test]
fn counters_of_both_sides_agree() {
    let params = Params { size: 256, iterations: 64, seed: 1 };
    let program = built_in("spanning_tree", &params);
    let mut stalls = Vec::new();
    for design in ["race-spec", "race-nospec"] {
        let run = passes(&system("fermi-16sm-small", &[("l1.design", design)]), &program);
        let l1 = |name: &str| count(&run, &format!("l1.{name}"));
        let sent = l1("race_reads") + l1("race_hit_checks");
        let changed = l1("race_writes") + l1("race_atomics");
        assert_eq!(changed, l1("stores") + l1("atomics"));
        assert_eq!(l1("race_syncs"), l1("race_races") + changed + l1("race_forced"));
        assert_eq!(sent + changed + l1("race_forced"), l1("race_header_beats"));
        assert!(l1("race_races") > 0 && l1("race_hit_age1") > 0 && l1("race_miss_expired") > 0);
        let replayed = (l1("race_commits") > 0, l1("race_allocs") > 0);
        assert_eq!(replayed, (design == "race-spec", design == "race-spec"));
        assert!(l1("race_store_hold_cycles") > 0);
        stalls.push(l1("race_stall_cycles"));
    }
    assert!(stalls[0] > 0 && stalls[0] < stalls[1], "{stalls:?}");
}

#[test]
fn machines_and_parameters_that_cannot_be_are_refused_by_field() {
    let refused = |preset: &str, set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        systems::load(preset, &set).unwrap_err().to_string()
    };
    let fermi = "fermi-16sm";
    for (preset, set, parts) in [
        (
            "rec-4gpu-small",
            &[("machine.line", "128")][..],
            ["machine.gpus: 4: must be 1", "within one GPU"],
        ),
        ("stc-8cu", &[], ["machine.line: 64: must be 128", "l1.design = race-spec"]),
        (fermi, &[("machine.cus", "17")], ["machine.cus: CUs of a GPU, 17", "2 to 16"]),
        (fermi, &[("machine.cus", "1")], ["machine.cus: CUs of a GPU, 1", "2 to 16"]),
        (fermi, &[("l1.bytes", "65536")], ["l1.bytes: lines of an L1, 512", "1 to 256"]),
        (fermi, &[("l2.policy", "private")], ["l2.policy", "performs atomics in the L3"]),
        (
            fermi,
            &[("machine.chiplets", "2"), ("machine.cus", "8"), ("l2.design", "rec")],
            ["l2.design", "several L2s"],
        ),
        (fermi, &[("race_detection.m", "512")], ["race_detection.m: 512", "256, 1024"]),
        (
            fermi,
            &[("race_detection.n_sat", "1025")],
            ["race_detection.n_sat: 1025", "m / 8, where m = 8192"],
        ),
        (fermi, &[("race_detection.gran", "64")], ["race_detection.gran: 64", "1, 4, 128"]),
        (fermi, &[("race_detection.hits", "8")], ["race_detection.hits: 8", "1 to 7"]),
        (fermi, &[("race_detection.places", "0")], ["race_detection.places: 0", "1 to 255"]),
        (fermi, &[("race_detection.n_sm", "4")], ["race_detection.n_sm", "no such field"]),
        (
            fermi,
            &[("race_detection.without", "U1")],
            ["race_detection.without", "\"U1\" is none of"],
        ),
        (fermi, &[("sharing.l1", "test-never")], ["sharing.l1", "race-spec"]),
    ] {
        let design = [("l1.design", "race-spec")];
        let error = refused(preset, &[&design[..], set].concat());
        assert!(parts.iter().all(|part| error.contains(part)), "{set:?}: {error}");
    }
}

/// Only a model can be without a rule.
#[test]
fn rtl_has_all_rules() {
    if bodies::ready("race_detection_unit").is_err() {
        return eprintln!("skipped: no Verilator");
    }
    for (rule, block) in [
        ("write-syncs", "race_detection_unit"),
        ("expires", "access_validation_unit"),
        ("commit-waits", "speculative_load_queue"),
    ] {
        let system = system(
            "fermi-16sm-small",
            &[("l1.design", "race-spec"), ("race_detection.without", rule)],
        );
        let bodies = Bodies::default().with(block, BodyKind::Rtl);
        let program = small("colouring", 16);
        let error = Machine::new(&system, &bodies, program, Options::default()).err();
        let error = error.expect("it is refused").to_string();
        assert!(error.contains("race_detection.without") && error.contains(block), "{error}");
    }
}

/// Perturbed runs that are tried at most.
const SEEDS: u64 = 8;

/// Rules that a built-in program needs (docs/errata.md, "What the thesis leaves unsafe").
#[test]
fn built_in_programs_show_that_a_rule_is_missing() {
    let cases = [
        ("work_queue", &["token-order", "expires", "join-youngest"][..]),
        ("spanning_tree", &["expires", "live-cleared"]),
    ];
    for (name, rules) in cases {
        let program = by_default(name);
        let is_right = |rule: &str, perturb: Option<u64>| {
            let set = [("l1.design", "race-spec"), ("race_detection.without", rule)];
            let options = Options { perturb, ..Options::default() };
            match super::run(&system("fermi-16sm-small", &set), &program, options) {
                Ok(_) => true,
                Err(RunError::Inconsistent(_)) => false,
                Err(other) => panic!("{name} without {rule:?}: {other}"),
            }
        };
        // Who meets whom, when, decides what is seen.
        let seeds = || [None].into_iter().chain((1..=SEEDS).map(Some));
        assert!(seeds().all(|seed| is_right("", seed)), "{name} with all rules");
        for rule in rules {
            assert!(!seeds().all(|seed| is_right(rule, seed)), "{name} without {rule}");
        }
    }
}

/// Addresses of the blocks have 32 bits.
#[test]
fn an_address_that_the_blocks_cannot_name_ends_the_run() {
    let mut recorder = Recorder::in_memory("far").unwrap();
    recorder.alloc("near", 1 << 33).unwrap();
    let far = recorder.alloc("far", 4096).unwrap();
    let (grid, local) = ([1, 1, 1], [1, 1, 1]);
    let spec = KernelSpec { name: "far".into(), grid, local, ..KernelSpec::default() };
    recorder.begin_kernel(spec).unwrap();
    recorder.begin_group().unwrap();
    let (key, kind) = (Key::default(), AccessKind::Store);
    recorder
        .access(&Access { item: 0, key, kind, addr: far, bytes: &[1; 4], ..Access::default() })
        .unwrap();
    recorder.end_group().unwrap();
    recorder.end_kernel().unwrap();
    let trace = Reader::from_bytes(recorder.into_bytes().unwrap(), "far").unwrap();
    let system = system("fermi-16sm-small", &[("l1.design", "race-spec")]);
    match super::run(&system, &trace, Options::default()) {
        Err(RunError::Limit(text)) => assert!(text.contains("32 bits"), "{text}"),
        other => panic!("{other:?}"),
    }
}
