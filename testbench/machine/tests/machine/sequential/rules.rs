//! What each rule is for: without it some program sees what no order explains, or does not end.

use machine::RunError;
use machine::sequential::Keep;
use traces::workloads::SplitMix64;

use super::harness::Machine;
use super::program::{Program, Step, Written};
use super::{RULE_CUS, programs_of};

/// A rule that is taken away, the design, and fields of the system in which that shows soon.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const SPEC: &str = "race-spec";
const NOSPEC: &str = "race-nospec";

const CASES: &[Case] = &[
    ("token-order", SPEC, &[("l2.banks", "2")]),
    ("token-order", NOSPEC, &[("l2.banks", "2")]),
    ("line-order", SPEC, &[]),
    ("fifo-per-sm", SPEC, &[]),
    ("lookup-after-send", SPEC, &[]),
    ("allocate", SPEC, &[]),
    ("look-up-again", SPEC, &[("race_detection.hits", "1")]),
    ("join-youngest", SPEC, &[]),
    ("join-youngest-of-all", SPEC, &[]),
    ("header-epoch", SPEC, &[]),
    ("no-install-stores", SPEC, &[]),
    ("no-install-syncs", SPEC, &[("race_detection.epoch_w", "2")]),
    ("store-at-send", SPEC, &[]),
    ("stores-wait", SPEC, &[]),
    ("replay-younger", SPEC, &[]),
    ("replay-misses", SPEC, &[]),
    ("replay-lookup", SPEC, &[]),
    ("atomic-takes", SPEC, &[]),
    ("atomic-takes", NOSPEC, &[]),
    ("insert-first", SPEC, &[("race_detection.n_sat", "2")]),
    ("copy-apart", SPEC, &[("race_detection.m", "1024")]),
    ("whole-line", SPEC, &[("race_detection.gran", "4")]),
    ("whole-line", NOSPEC, &[("race_detection.gran", "4")]),
    ("write-syncs", SPEC, &[]),
    ("atomic-syncs", SPEC, &[]),
    ("queue-order", SPEC, &[("race_detection.rq_n", "4")]),
    ("expires", SPEC, &[]),
    ("live-cleared", SPEC, &[("race_detection.epoch_w", "2")]),
    ("live-cleared", NOSPEC, &[("race_detection.epoch_w", "2")]),
    ("lookup-waits", SPEC, &[("race_detection.m", "1024")]),
    ("response-waits", SPEC, &[("race_detection.m", "1024"), ("race_detection.slq_n", "16")]),
    ("all-granules", SPEC, &[("race_detection.gran", "4")]),
    ("commit-waits", SPEC, &[("race_detection.m", "1024")]),
    ("forced-tested", SPEC, &[("race_detection.n_sat", "2")]),
];

/// Traces, each of several programs, that are tried at most.
const MOST: u64 = 60;

/// What the first trace says that shows that the rule is missing.
fn found(rule: &str, design: &str, set: &[(&str, &str)], most: u64) -> Option<(u64, String)> {
    (1..=most).find_map(|seed| {
        let (trace, mut random) = programs_of(seed);
        let set: Vec<_> = set.iter().copied().chain([("race_detection.without", rule)]).collect();
        let machine = Machine::with(design, RULE_CUS, &mut random, &set);
        match machine.run(&trace, Keep::default()) {
            Ok(_) => None,
            Err(
                error @ (RunError::Inconsistent(_)
                | RunError::Deadlock { .. }
                | RunError::CycleLimit(_)),
            ) => Some((seed, error.to_string())),
            Err(error) => panic!("{rule}: {error}"),
        }
    })
}

#[test]
fn each_rule_is_needed() {
    let mut missing = Vec::new();
    for &(rule, design, set) in CASES {
        match found(rule, design, set, MOST) {
            Some((seed, text)) => {
                let first = text.lines().next().unwrap_or_default();
                println!("{rule:<22} {design:<12} trace {seed:<3} {first}");
            }
            None => missing.push((rule, design)),
        }
        // The same programs and machines with all rules.
        assert_eq!(found("", design, set, 1), None, "with {rule}");
    }
    assert_eq!(missing, [], "these are not missed");
}

/// A load in a loop sees what another CU has stored, if its line's hits are limited: nothing else
/// makes its CU look again.
#[test]
fn a_loop_of_loads_ends_as_hits_are_limited() {
    let last_load_sees = |rule: &str| {
        let load = Step::Load { at: 0, size: 4, gap: 8 };
        let store = Step::Store { at: 0, size: 4, gap: 200 };
        let kernel = vec![vec![vec![load; 200]], vec![vec![store]]];
        let trace = Program { kernels: vec![kernel], written: Written::Unique }.record();
        let set = [("race_detection.without", rule)];
        let machine = Machine::with(SPEC, 2, &mut SplitMix64::new(1), &set);
        let keep = Keep { placed: true, values: true };
        let (_, placed) = machine.run(&trace, keep).unwrap();
        let loads = placed.iter().filter(|access| !access.writes);
        let last = loads.max_by_key(|load| load.which.place).unwrap();
        last.read[0].0.is_some()
    };
    assert!(last_load_sees(""));
    assert!(!last_load_sees("hits"));
}
