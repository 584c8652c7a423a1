//! What each rule of timestamp coherence is for (G-TSC specification, 8.2): without it some program
//! finds a value that its time does not explain, or accesses of a wave go back, or no wave goes on.

use machine::RunError;
use traces::workloads::SplitMix64;

use super::harness::Machine;
use super::program::{Program, Step, Written};
use super::{KEEP, KERNELS, RULE_CUS, programs_of, random};

/// Fields of a system.
type Fields = &'static [(&'static str, &'static str)];

/// A rule that is taken away, the design, and fields of the system in which that shows soon.
type Case = (&'static str, &'static str, Fields);

const RC: &str = "gtsc-rc";
const SC: &str = "gtsc-sc";
const WEAK: &str = "tc-weak";
const STRONG: &str = "tc-strong";

/// Lines are evicted.
const LITTLE_L2: Fields = &[
    ("timestamp.tc_lease", "400"),
    ("l2.banks", "1"),
    ("l2.ways", "1"),
    ("l2.bytes", "256"),
    ("l2.misses", "4"),
];

/// Leases that are over when a line comes.
const SHORT_LEASES: Fields = &[
    ("timestamp.tc_lease", "20"),
    ("network.latency", "20"),
    ("timestamp.waiters", "8"),
    ("l1.misses", "4"),
    ("cu.loads", "4"),
];

/// Loads wait long for a fill that does not serve them.
const SLOW_LINKS: Fields = &[
    ("cu.loads", "4"),
    ("cu.transactions", "12"),
    ("timestamp.waiters", "4"),
    ("network.bytes_per_cycle", "4"),
];

/// As many as waiters are behind one miss.
const MANY_LOADS: Fields =
    &[("cu.loads", "8"), ("cu.transactions", "64"), ("timestamp.waiters", "16")];

/// Two rules are not here. `store-stale`: a bank answers requests for a line in their order, so
/// what an old store is answered comes before any line that it could unlock. `all-acks`: in the
/// machine each L1 receives a reset at once, and is through with its walk before a bank has swept
/// its lines. The blocks' own tests find both.
const CASES: &[Case] = &[
    ("ok", RC, &[]),
    ("ok", SC, &[]),
    ("bad", RC, &[]),
    ("bad", SC, &[]),
    ("lock", RC, &[]),
    ("lock", SC, &[]),
    ("st-after", RC, &[]),
    ("renewal-of-locked", RC, &[]),
    ("renewal-of-locked", SC, &[]),
    ("renewal-of-absent", RC, &[]),
    ("renewal-of-absent", SC, &[]),
    ("pending-first", RC, SLOW_LINKS),
    ("older-loads", RC, &[]),
    ("waiter-lease", RC, &[]),
    ("waiter-lease", SC, &[]),
    ("load-raises", RC, &[]),
    ("load-raises", SC, &[]),
    ("ack-raises", RC, &[]),
    ("ack-raises", SC, &[]),
    ("miss-stale", RC, &[]),
    ("miss-stale", SC, &[]),
    ("stale-fill", RC, &[]),
    ("stale-fill", SC, &[]),
    ("stale-holds", RC, &[]),
    ("stale-holds", SC, &[]),
    ("atomic-drops", RC, &[]),
    ("after-lease", RC, &[]),
    ("after-lease", SC, &[]),
    ("above-warp", RC, &[]),
    ("above-warp", SC, &[]),
    ("remembered", RC, LITTLE_L2),
    ("remembered", SC, LITTLE_L2),
    ("compared", RC, &[]),
    ("compared", SC, &[]),
    ("old-generation", RC, &[]),
    ("old-generation", SC, &[]),
    ("overflow", RC, &[]),
    ("overflow", SC, &[]),
    ("tc-waiter-lease", WEAK, SHORT_LEASES),
    ("tc-waiter-lease", STRONG, &[]),
    ("tc-fence", WEAK, &[]),
    ("tc-own-copy", WEAK, &[]),
    ("tc-st-after", WEAK, &[]),
    ("tc-older-loads", WEAK, SHORT_LEASES),
    ("tc-waits", STRONG, &[]),
    ("tc-inclusion", WEAK, LITTLE_L2),
    ("tc-inclusion", STRONG, LITTLE_L2),
    ("request-order", RC, &[]),
    ("request-order", SC, &[]),
    ("request-order", WEAK, &[]),
    ("answer-order", RC, &[]),
    ("answer-order", SC, &[]),
    ("one-access", SC, &[]),
    ("one-access", STRONG, &[]),
    ("barrier", RC, &[]),
    ("barrier", SC, &[]),
    ("barrier-loads", RC, SLOW_LINKS),
    ("barrier-loads", WEAK, MANY_LOADS),
];

/// Without them resets go on for ever: a program of few kernels shows it.
const ENDLESS: [&str; 2] = ["old-generation", "overflow"];

/// Traces, each of several programs, that are tried at most.
const MOST: u64 = 60;

/// What a trace says that shows that a rule is missing.
fn shows((rule, design, set): Case, without: &str, seed: u64) -> Option<String> {
    let (trace, mut random) = if ENDLESS.contains(&rule) {
        let mut random = SplitMix64::new(seed);
        (random::program(KERNELS / 20, RULE_CUS, &mut random).record(), random)
    } else {
        programs_of(seed)
    };
    let set: Vec<_> = set.iter().copied().chain([("timestamp.without", without)]).collect();
    let machine = Machine::with(design, RULE_CUS, &mut random, &set);
    match machine.run(&trace, KEEP) {
        Ok(_) => None,
        Err(
            error @ (RunError::Inconsistent(_)
            | RunError::Wrong(..)
            | RunError::Block(_)
            | RunError::Deadlock { .. }
            | RunError::CycleLimit(_)),
        ) => Some(error.to_string()),
        Err(error) => panic!("{rule}: {error}"),
    }
}

#[test]
fn each_rule_of_timestamps_is_needed() {
    let (mut missing, mut broken) = (Vec::new(), Vec::new());
    for &case in CASES {
        let (rule, design, _) = case;
        let shown = (1..=MOST).find_map(|seed| Some((seed, shows(case, rule, seed)?)));
        let Some((seed, text)) = shown else {
            println!("{rule:<20} {design:<10} not missed");
            missing.push((rule, design));
            continue;
        };
        let first = text.lines().next().unwrap_or_default();
        println!("{rule:<20} {design:<10} trace {seed:<3} {first}");
        // The same programs on the same machine with all rules.
        if let Some(text) = shows(case, "", seed) {
            println!("{rule:<20} {design:<10} trace {seed:<3} with all rules: {text}");
            broken.push((rule, design));
        }
    }
    assert_eq!(missing, [], "these are not missed");
    assert_eq!(broken, [], "these do not pass with all rules");
}

/// A load in a loop sees what another CU has stored, as its wave's clock moves: nothing else makes
/// its L1 ask again.
#[test]
fn a_loop_of_loads_ends_as_clocks_move() {
    let last_load_sees = |design: &str, rule: &str| {
        let load = Step::Load { at: 0, size: 4, gap: 8 };
        let store = Step::Store { at: 0, size: 4, gap: 200 };
        let kernel = vec![vec![vec![load; 200]], vec![vec![store]]];
        let trace = Program { kernels: vec![kernel], written: Written::Unique }.record();
        let set = [
            ("timestamp.without", rule),
            ("timestamp.ts_w", "16"),
            ("timestamp.lease", "8"),
            ("timestamp.spin", "8"),
        ];
        let machine = Machine::with(design, 2, &mut SplitMix64::new(1), &set);
        let (_, found) = machine.run(&trace, KEEP).unwrap();
        let loads = found.iter().filter(|access| !access.writes);
        let last = loads.max_by_key(|load| load.which.place).unwrap();
        last.read[0].0.is_some()
    };
    for design in [RC, SC] {
        assert!(last_load_sees(design, ""), "{design}");
        assert!(!last_load_sees(design, "spin"), "{design}");
    }
}
