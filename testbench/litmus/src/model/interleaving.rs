//! Sequential consistency as all interleavings of the threads.

use std::collections::BTreeSet;

use crate::test::{Outcome, Seen, Step, Test};

/// Where the threads and memory are.
#[derive(Clone)]
struct State {
    at: Vec<usize>,
    memory: Vec<u32>,
    registers: Vec<(Seen, u32)>,
}

/// The outcomes of all interleavings.
pub fn outcomes(test: &Test) -> BTreeSet<Outcome> {
    let memory = test.locations.iter().map(|(_, value)| *value).collect();
    let state = State { at: vec![0; test.threads.len()], memory, registers: Vec::new() };
    let mut all = BTreeSet::new();
    go_on(test, state, &mut all);
    all
}

fn go_on(test: &Test, state: State, all: &mut BTreeSet<Outcome>) {
    let mut is_over = true;
    for (number, thread) in test.threads.iter().enumerate() {
        let Some(step) = thread.steps.get(state.at[number]) else { continue };
        is_over = false;
        let mut next = state.clone();
        match *step {
            Step::Load { register, location } => {
                let value = state.memory[location];
                next.registers.push((Seen::Register(number, register), value));
            }
            Step::Store { location, value } => next.memory[location] = value,
            Step::Atomic { op, register, location, value } => {
                let old = state.memory[location];
                let seen = register.map(|register| (Seen::Register(number, register), old));
                next.registers.extend(seen);
                next.memory[location] = op.apply(old.into(), value.into(), 4) as u32;
            }
            Step::Fence(_) => {}
            Step::Barrier => {
                // All of the work-group pass it together, when the last one has come.
                let like = |other: &usize| {
                    let other = &test.threads[*other];
                    (other.gpu, other.cta) == (thread.gpu, thread.cta)
                };
                let group: Vec<_> = (0..test.threads.len()).filter(like).collect();
                let is_there = |&other: &usize| {
                    test.threads[other].steps.get(state.at[other]) == Some(&Step::Barrier)
                };
                let is_first = group[0] == number;
                if !is_first || !group.iter().all(is_there) {
                    continue;
                }
                group.iter().for_each(|&other| next.at[other] += 1);
                go_on(test, next, all);
                continue;
            }
        }
        next.at[number] += 1;
        go_on(test, next, all);
    }
    if is_over {
        let value = |seen: Seen| match seen {
            Seen::Register(..) => {
                let last = state.registers.iter().rev().find(|(other, _)| *other == seen);
                last.map_or(0, |(_, value)| *value)
            }
            Seen::Location(location) => state.memory[location],
        };
        all.insert(test.observed().into_iter().map(value).collect());
    }
}
