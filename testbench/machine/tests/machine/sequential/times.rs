//! What each rule of timestamp coherence is for (G-TSC specification, 8.2): without it some program
//! finds a value that its time does not explain, or accesses of a wave go back, or nobody goes on.

use machine::RunError;
use traces::workloads::SplitMix64;

use super::harness::Machine;
use super::{KEEP, KERNELS, random};

/// Fields of a system.
type Fields = &'static [(&'static str, &'static str)];

/// A rule that is taken away, the design, and fields of the system in which that shows soon.
type Case = (&'static str, &'static str, Fields);

const RC: &str = "gtsc-rc";
const SC: &str = "gtsc-sc";
const WEAK: &str = "tc-weak";
const STRONG: &str = "tc-strong";

const CASES: &[Case] = &[
    ("ok", RC, &[]),
    ("ok", SC, &[]),
    ("bad", RC, &[]),
    ("bad", SC, &[]),
    ("lock", RC, &[]),
    ("lock", SC, &[]),
    ("st-after", RC, &[]),
    ("st-after", SC, &[]),
    ("renewal-of-locked", RC, &[]),
    ("renewal-of-locked", SC, &[]),
    ("renewal-of-absent", RC, &[]),
    ("renewal-of-absent", SC, &[]),
    ("older-loads", RC, &[]),
    ("pending-first", RC, &[]),
    ("waiter-lease", RC, &[]),
    ("waiter-lease", SC, &[]),
    ("load-raises", RC, &[]),
    ("load-raises", SC, &[]),
    ("ack-raises", RC, &[]),
    ("ack-raises", SC, &[]),
    ("miss-stale", RC, &[]),
    ("miss-stale", SC, &[]),
    ("store-stale", RC, &[]),
    ("store-stale", SC, &[]),
    ("stale-fill", RC, &[]),
    ("stale-fill", SC, &[]),
    ("stale-holds", RC, &[]),
    ("stale-holds", SC, &[]),
    ("spin", RC, &[]),
    ("atomic-drops", RC, &[]),
    ("after-lease", RC, &[]),
    ("after-lease", SC, &[]),
    ("above-warp", RC, &[]),
    ("above-warp", SC, &[]),
    ("remembered", RC, &[]),
    ("remembered", SC, &[]),
    ("compared", RC, &[]),
    ("compared", SC, &[]),
    ("old-generation", RC, &[]),
    ("old-generation", SC, &[]),
    ("overflow", RC, &[]),
    ("overflow", SC, &[]),
    ("all-acks", RC, &[]),
    ("all-acks", SC, &[]),
    ("tc-waiter-lease", WEAK, &[]),
    ("tc-waiter-lease", STRONG, &[]),
    ("tc-fence", WEAK, &[]),
    ("tc-own-copy", WEAK, &[]),
    ("tc-own-copy", STRONG, &[]),
    ("tc-st-after", WEAK, &[]),
    ("tc-st-after", STRONG, &[]),
    ("tc-older-loads", WEAK, &[]),
    ("tc-waits", STRONG, &[]),
    ("tc-inclusion", WEAK, &[]),
    ("tc-inclusion", STRONG, &[]),
    ("request-order", RC, &[]),
    ("request-order", SC, &[]),
    ("request-order", WEAK, &[]),
    ("request-order", STRONG, &[]),
    ("answer-order", RC, &[]),
    ("answer-order", SC, &[]),
    ("answer-order", WEAK, &[]),
    ("answer-order", STRONG, &[]),
    ("one-access", SC, &[]),
    ("one-access", STRONG, &[]),
    ("barrier", RC, &[]),
    ("barrier", SC, &[]),
];

/// Traces, each of several programs, that are tried at most.
const MOST: u64 = 20;

/// What the first trace says that shows that the rule is missing.
fn found(rule: &str, design: &str, set: Fields, most: u64) -> Option<(u64, String)> {
    (1..=most).find_map(|seed| {
        let mut random = SplitMix64::new(seed);
        let cus = 3;
        let trace = random::program(KERNELS, cus, &mut random).record();
        let set: Vec<_> = set.iter().copied().chain([("timestamp.without", rule)]).collect();
        let machine = Machine::with(design, cus, &mut random, &set);
        match machine.run(&trace, KEEP) {
            Ok(_) => None,
            Err(
                error @ (RunError::Inconsistent(_)
                | RunError::Wrong(..)
                | RunError::Block(_)
                | RunError::Deadlock { .. }
                | RunError::CycleLimit(_)),
            ) => Some((seed, error.to_string())),
            Err(error) => panic!("{rule}: {error}"),
        }
    })
}

#[test]
fn each_rule_of_timestamps_is_needed() {
    let mut missing = Vec::new();
    for &(rule, design, set) in CASES {
        match found(rule, design, set, MOST) {
            Some((seed, text)) => {
                let first = text.lines().next().unwrap_or_default();
                println!("{rule:<20} {design:<10} trace {seed:<3} {first}");
            }
            None => {
                println!("{rule:<20} {design:<10} nobody misses it");
                missing.push((rule, design));
            }
        }
    }
    assert_eq!(missing, [], "nobody misses these");
}
