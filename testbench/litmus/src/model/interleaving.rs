//! Sequential consistency as all interleavings of the threads.

use std::collections::BTreeSet;

use crate::meeting::Meetings;
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
    go_on(test, &Meetings::of(test), state, &mut all);
    all
}

fn go_on(test: &Test, meetings: &Meetings, state: State, all: &mut BTreeSet<Outcome>) {
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
            Step::Atomic { change, register, location } => {
                let old = state.memory[location];
                let seen = register.map(|register| (Seen::Register(number, register), old));
                next.registers.extend(seen);
                next.memory[location] = change.apply(old);
            }
            Step::Fence(_) => {}
            Step::Barrier(_) => {
                // All that meet pass it together, when the last one has come.
                let meeting = meetings.at(number, state.at[number]);
                if meeting.first() != Some(&(number, state.at[number]))
                    || meeting.iter().any(|&(other, step)| state.at[other] != step)
                {
                    continue;
                }
                meeting.iter().for_each(|&(other, _)| next.at[other] += 1);
                go_on(test, meetings, next, all);
                continue;
            }
        }
        next.at[number] += 1;
        go_on(test, meetings, next, all);
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
