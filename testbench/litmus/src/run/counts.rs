//! Outcomes, and what becomes of them.

use std::collections::{BTreeMap, BTreeSet};

use machine::values::{Of, Values};
use schemars::JsonSchema;
use serde::Serialize;

use super::code::Coded;
use super::machines::{Design, Drawn};
use super::plan::{Instance, LINE, Plan};
use crate::model::{Promise, allowed};
use crate::test::{Outcome, Seen, Step, Test};

/// A forbidden outcome that was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forbidden {
    /// The outcome.
    pub outcome: String,
    /// Runs that had it.
    pub runs: u64,
    /// The first of them: machine, kernel, and where its threads and words were.
    pub first: String,
}

/// A test on the machines of a design that promise the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// Name of the test.
    pub test: String,
    /// `L1/L2`.
    pub design: String,
    /// What the machines promise.
    pub promise: Promise,
    /// Runs.
    pub runs: u64,
    /// Outcomes that the promise allows.
    pub allowed: u64,
    /// Of these, those that were seen, with how often each was.
    pub seen: BTreeMap<String, u64>,
    /// Of these, those that no run had.
    pub never: Vec<String>,
    /// Runs with an outcome that has the file's condition.
    pub condition: u64,
    /// Outcomes that are not allowed, and were seen.
    pub forbidden: Vec<Forbidden>,
}

impl Row {
    /// Runs with a forbidden outcome.
    pub fn forbidden_runs(&self) -> u64 {
        self.forbidden.iter().map(|one| one.runs).sum()
    }
}

/// Counts of a test on machines that promise the same.
#[derive(Clone, Debug, Default)]
struct Count {
    runs: u64,
    outcomes: BTreeMap<Outcome, (u64, String)>,
}

/// Counts of all.
#[derive(Debug, Default)]
pub struct Rows(BTreeMap<(usize, Design, Promise), Count>);

impl Rows {
    /// Counts the outcomes of a run. The test's number is said by who adds them.
    pub fn count(
        &mut self,
        coded: &Coded,
        design: &Design,
        drawn: &Drawn,
        plan: &Plan,
        (values, base): (&Values, u64),
    ) {
        let count = self.0.entry((0, design.clone(), drawn.promise)).or_default();
        for (number, kernel) in plan.kernels.iter().enumerate() {
            for instance in &kernel.instances {
                let outcome = outcome(coded, instance, number as u32, (values, base));
                count.runs += 1;
                let first = || {
                    let seat = |seat: &super::plan::Seat| format!("{}.{}", seat.group, seat.wave);
                    let seats: Vec<_> = instance.seats.iter().map(seat).collect();
                    let words: Vec<_> =
                        instance.words.iter().map(|word| format!("{word:#x}")).collect();
                    let (seats, words) = (seats.join(" "), words.join(" "));
                    let machine = &drawn.described;
                    format!("{machine}; kernel {number}, group.wave {seats}, words {words}")
                };
                count.outcomes.entry(outcome).or_insert_with(|| (0, first())).0 += 1;
            }
        }
    }

    /// Adds those of a test.
    pub fn add(&mut self, test: usize, other: Self) {
        for ((_, design, promise), count) in other.0 {
            let own = self.0.entry((test, design, promise)).or_default();
            own.runs += count.runs;
            for (outcome, (runs, first)) in count.outcomes {
                own.outcomes.entry(outcome).or_insert((0, first)).0 += runs;
            }
        }
    }

    /// The rows.
    pub fn finish(self, tests: &[Test]) -> Vec<Row> {
        let mut known: BTreeMap<(usize, Promise), BTreeSet<Outcome>> = BTreeMap::new();
        let row = |((number, design, promise), count): ((usize, Design, Promise), Count)| {
            let test = &tests[number];
            let allowed = known.entry((number, promise)).or_insert_with(|| allowed(test, promise));
            let never = allowed.iter().filter(|one| !count.outcomes.contains_key(*one));
            let mut row = Row {
                test: test.name.clone(),
                design: design.name(),
                promise,
                runs: count.runs,
                allowed: allowed.len() as u64,
                seen: BTreeMap::new(),
                never: never.map(|outcome| test.describe(outcome)).collect(),
                condition: 0,
                forbidden: Vec::new(),
            };
            for (outcome, (runs, first)) in count.outcomes {
                row.condition += if test.holds(&outcome) { runs } else { 0 };
                let words = test.describe(&outcome);
                if allowed.contains(&outcome) {
                    row.seen.insert(words, runs);
                } else {
                    row.forbidden.push(Forbidden { outcome: words, runs, first });
                }
            }
            row
        };
        self.0.into_iter().map(row).collect()
    }
}

/// What an instance has seen.
fn outcome(
    coded: &Coded,
    instance: &Instance,
    kernel: u32,
    (values, base): (&Values, u64),
) -> Outcome {
    let test = &coded.test;
    let word = |bytes: &[u8], at: u64, location: usize| {
        let first = (at % LINE) as usize;
        let word = u32::from_le_bytes(bytes[first..first + 4].try_into().expect("four"));
        coded.value(location, word)
    };
    let of = |seen: Seen| match seen {
        Seen::Location(location) => {
            let at = base + instance.words[location];
            word(values.host(at / LINE * LINE).expect("the host reads all"), at, location)
        }
        Seen::Register(thread, register) => {
            let seat = &instance.seats[thread];
            let steps = &test.threads[thread].steps;
            let loads = |step: &Step| match *step {
                Step::Load { register: other, location } if other == register => Some(location),
                Step::Atomic { register: other, location, .. } if other == Some(register) => {
                    Some(location)
                }
                _ => None,
            };
            // The last load into it counts.
            let last = steps.iter().enumerate().rev();
            let last = last.filter_map(|(step, what)| Some((step, loads(what)?))).next();
            let (step, location) = last.expect("an observed register is loaded");
            let at = base + instance.words[location];
            let slot = seat.slots.iter().position(|slot| *slot == Some(step));
            let place = (seat.before.len() + slot.expect("each step has one")) as u32;
            let (group, wave, line) = (seat.group, seat.wave, at / LINE * LINE);
            let found = values.found(Of { kernel, group, wave, place, line });
            word(found.expect("the machine has run"), at, location)
        }
    };
    test.observed().into_iter().map(of).collect()
}
