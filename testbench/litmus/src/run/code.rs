//! A test as machines run it: they have no compare-and-swap, as a trace has the values of one run.
//!
//! A location takes few values. So a compare-and-swap is another atomic, one that leaves all of
//! them but the expected one as they are: 0 becomes 1 by a maximum with 1 where no other value is
//! less. Where no operation does that to the values themselves, others stand for them in memory.

use std::collections::BTreeSet;

use traces::trace::AtomicOp;

use super::Error;
use crate::test::{Change, Step, Test};

/// What may stand for values.
const CODES: [u32; 10] =
    [0, 1, 2, 3, 4, 0x8000_0000, 0x8000_0001, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff];

/// Most values of a location for which others are tried, and most that it may take.
const MOST_CODED: usize = 5;
const MOST_VALUES: usize = 4096;

/// What stands for each value, by value.
type Code = Vec<(u32, u32)>;

/// A test without compare-and-swap.
pub struct Coded {
    /// The test, in what stands in memory.
    pub test: Test,
    /// Of each location; empty where values stand for themselves.
    codes: Vec<Code>,
}

impl Coded {
    /// Finds the operations. Error: a compare-and-swap has none.
    pub fn of(test: &Test) -> Result<Self, Error> {
        let mut coded = test.clone();
        let mut codes = Vec::new();
        for (location, (name, first)) in test.locations.iter().enumerate() {
            let changes = changes(test, location);
            let swaps: Vec<_> = changes.iter().filter_map(swap).collect();
            let code = match swaps.is_empty() {
                true => Code::new(),
                false => code(test, location, &changes, &swaps).ok_or_else(|| Error::Swap {
                    test: test.name.clone(),
                    location: name.clone(),
                })?,
            };
            coded.locations[location].1 = encoded(&code, *first);
            let steps = coded.threads.iter_mut().flat_map(|thread| &mut thread.steps);
            steps.for_each(|step| translate(step, location, &code));
            codes.push(code);
        }
        Ok(Self { test: coded, codes })
    }

    /// The value that stands in a location.
    pub fn value(&self, location: usize, word: u32) -> u32 {
        let known = self.codes[location].iter().find(|(_, code)| *code == word);
        known.map_or(word, |(value, _)| *value)
    }
}

fn encoded(code: &[(u32, u32)], value: u32) -> u32 {
    code.iter().find(|(known, _)| *known == value).map_or(value, |(_, code)| *code)
}

fn translate(step: &mut Step, of: usize, code: &[(u32, u32)]) {
    match step {
        Step::Store { location, value } if *location == of => *value = encoded(code, *value),
        Step::Atomic { change, location, .. } if *location == of => {
            *change = match *change {
                Change::Op(AtomicOp::Exchange, value) => {
                    Change::Op(AtomicOp::Exchange, encoded(code, value))
                }
                Change::Op(op, operand) => Change::Op(op, operand),
                Change::CompareSwap { expected, new } => {
                    let (op, operand) = operation(code, (expected, new)).expect("it was found");
                    Change::Op(op, operand)
                }
            };
        }
        _ => {}
    }
}

fn swap(change: &Change) -> Option<(u32, u32)> {
    match *change {
        Change::CompareSwap { expected, new } => Some((expected, new)),
        Change::Op(..) => None,
    }
}

/// What changes a location.
fn changes(test: &Test, of: usize) -> Vec<Change> {
    let steps = test.threads.iter().flat_map(|thread| &thread.steps);
    let change = |step: &Step| match *step {
        Step::Store { location, value } if location == of => {
            Some(Change::Op(AtomicOp::Exchange, value))
        }
        Step::Atomic { change, location, .. } if location == of => Some(change),
        _ => None,
    };
    steps.filter_map(change).collect()
}

/// The values that a location may take: at most those of all changes in any order, each once or
/// more.
fn values(first: u32, changes: &[Change]) -> Option<Vec<u32>> {
    let mut all = BTreeSet::from([first]);
    for _ in changes {
        let next = all.iter().flat_map(|&old| changes.iter().map(move |change| change.apply(old)));
        let next: Vec<_> = next.collect();
        all.extend(next);
        if all.len() > MOST_VALUES {
            return None;
        }
    }
    Some(all.into_iter().collect())
}

/// What stands for the values of a location, so that each of its compare-and-swaps has an
/// operation.
fn code(test: &Test, location: usize, changes: &[Change], swaps: &[(u32, u32)]) -> Option<Code> {
    let values = values(test.locations[location].1, changes)?;
    let fits = |code: &Code| swaps.iter().all(|swap| operation(code, *swap).is_some());
    let same: Code = values.iter().map(|&value| (value, value)).collect();
    if fits(&same) {
        return Some(same);
    }
    let is_plain = |change: &Change| {
        matches!(change, Change::Op(AtomicOp::Exchange, _) | Change::CompareSwap { .. })
    };
    let may_differ = values.len() <= MOST_CODED && changes.iter().all(is_plain);
    may_differ.then(|| search(&values, &mut Code::new(), &fits)).flatten()
}

fn search(values: &[u32], code: &mut Code, fits: &impl Fn(&Code) -> bool) -> Option<Code> {
    let Some((value, rest)) = values.split_first() else {
        return fits(code).then(|| code.clone());
    };
    for next in CODES {
        if code.iter().any(|(_, taken)| *taken == next) {
            continue;
        }
        code.push((*value, next));
        let found = search(rest, code, fits);
        code.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The atomic that does to all values what a compare-and-swap does.
fn operation(code: &[(u32, u32)], (expected, new): (u32, u32)) -> Option<(AtomicOp, u32)> {
    let (from, to) = (encoded(code, expected), encoded(code, new));
    let tries = [
        (AtomicOp::Or, 0),
        (AtomicOp::UMax, to),
        (AtomicOp::UMin, to),
        (AtomicOp::Max, to),
        (AtomicOp::Min, to),
        (AtomicOp::Or, to),
        (AtomicOp::And, to),
        (AtomicOp::Or, to & !from),
        (AtomicOp::And, to | !from),
        // Of a location that only ever has the expected value.
        (AtomicOp::Exchange, to),
    ];
    let wanted = Change::CompareSwap { expected: from, new: to };
    let is_it = |&(op, operand): &(AtomicOp, u32)| {
        code.iter().all(|&(_, word)| Change::Op(op, operand).apply(word) == wanted.apply(word))
    };
    tries.into_iter().find(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// A test of one location with these atomics.
    fn test(first: u32, atomics: &[&str]) -> Test {
        let columns: Vec<_> = (0..atomics.len()).map(|k| format!("P{k}@cta {k},gpu 0")).collect();
        let (columns, rows) = (columns.join(" | "), atomics.join(" | "));
        let text = format!("PTX T\n{{ x={first}; }}\n{columns} ;\n{rows} ;\nexists (x == 0)");
        parse("f", &text).unwrap()
    }

    /// What stands in memory does what the test says, in any order of its atomics.
    #[test]
    fn each_order_of_atomics_leaves_the_values_of_the_test() {
        let cas = |expected, new| format!("atom.relaxed.gpu.cas r0, x, {expected}, {new}");
        let cases: &[(u32, &[String])] = &[
            (0, &[cas(0, 1), cas(0, 1)]),
            (1, &[cas(0, 1), cas(1, 0)]),
            (0, &[cas(0, 1), cas(1, 2)]),
            (0, &[cas(0, 2), "st.weak x, 1".into()]),
            (5, &[cas(5, 5), cas(7, 1)]),
            (0, &[cas(0, 1), "red.relaxed.gpu.add x, 3".into()]),
            (2, &[cas(0, 1), cas(2, 0), "atom.exch r1, x, 1".into()]),
        ];
        for (first, atomics) in cases {
            let atomics: Vec<_> = atomics.iter().map(String::as_str).collect();
            let test = test(*first, &atomics);
            let coded = Coded::of(&test).unwrap();
            let (said, done) = (changes(&test, 0), changes(&coded.test, 0));
            let mut states = vec![(0u32, *first, coded.test.locations[0].1)];
            while let Some((over, value, word)) = states.pop() {
                assert_eq!(coded.value(0, word), value, "{atomics:?}");
                for k in (0..said.len()).filter(|k| over >> k & 1 == 0) {
                    states.push((over | 1 << k, said[k].apply(value), done[k].apply(word)));
                }
            }
            assert!(done.iter().all(|change| swap(change).is_none()));
        }
    }

    #[test]
    fn a_compare_and_swap_that_no_atomic_does_is_refused() {
        let test = test(0, &["atom.cas r0, x, 2, 9", "red.add x, 1", "red.add x, 3"]);
        let Err(error) = Coded::of(&test) else { panic!("it is possible") };
        assert!(error.to_string().contains("T: x: no atomic"), "{error}");
    }
}
