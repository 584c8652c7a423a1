//! One way in which a test's operations may go: who reads from whom, and in which order the writes
//! of each location are.

use super::event::{Events, Kind};
use crate::test::{Outcome, Seen, Test};

/// A way.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Of each event that reads, the write that it reads from; none is the first value.
    pub from: Vec<Option<usize>>,
    /// Of each location its writes, in their order.
    pub order: Vec<Vec<usize>>,
    /// Whether each event writes.
    pub writes: Vec<bool>,
}

impl Candidate {
    /// Calls `see` with each way, and what each event writes, or finds if it only reads.
    pub fn each(test: &Test, events: &Events, mut see: impl FnMut(&Self, &[Values])) {
        let writes = |location| {
            let all = 0..events.all.len();
            let is_one =
                |&at: &usize| events.all[at].may_write() && events.all[at].location == location;
            all.filter(is_one).collect::<Vec<_>>()
        };
        let order: Vec<_> = (0..test.locations.len()).map(writes).collect();
        let from = vec![None; events.all.len()];
        let mut candidate = Self { from, order, writes: Vec::new() };
        candidate.choose_source(0, test, events, &mut see);
    }

    fn choose_source(
        &mut self,
        at: usize,
        test: &Test,
        events: &Events,
        see: &mut impl FnMut(&Self, &[Values]),
    ) {
        let Some(event) = events.all.get(at) else {
            if let Some((mut way, values)) = self.with_values(test, events) {
                way.choose_order(0, 0, &values, see);
            }
            return;
        };
        self.from[at] = None;
        self.choose_source(at + 1, test, events, see);
        if event.reads() {
            for write in self.order[event.location].clone() {
                if write != at {
                    self.from[at] = Some(write);
                    self.choose_source(at + 1, test, events, see);
                }
            }
            self.from[at] = None;
        }
    }

    /// All orders of a location's writes from number `first` on, and of those behind it.
    fn choose_order(
        &mut self,
        location: usize,
        first: usize,
        values: &[Values],
        see: &mut impl FnMut(&Self, &[Values]),
    ) {
        let Some(writes) = self.order.get(location) else { return see(self, values) };
        let number = writes.len();
        if first + 1 >= number {
            return self.choose_order(location + 1, 0, values, see);
        }
        for next in first..number {
            self.order[location].swap(first, next);
            self.choose_order(location, first + 1, values, see);
            self.order[location].swap(first, next);
        }
    }

    /// This way, with those writes alone that are made, and the values of all events. None where
    /// atomics read from each other in a circle, or one reads from what does not write.
    fn with_values(&self, test: &Test, events: &Events) -> Option<(Self, Vec<Values>)> {
        let values = self.values(test, events)?;
        let writes: Vec<_> = values.iter().map(|values| values.written.is_some()).collect();
        if self.from.iter().flatten().any(|&write| !writes[write]) {
            return None;
        }
        let made = |list: &Vec<usize>| list.iter().copied().filter(|&at| writes[at]).collect();
        let order = self.order.iter().map(made).collect();
        Some((Self { from: self.from.clone(), order, writes }, values))
    }

    fn values(&self, test: &Test, events: &Events) -> Option<Vec<Values>> {
        let mut values: Vec<Option<Values>> = vec![None; events.all.len()];
        for _ in 0..=events.all.len() {
            for (at, event) in events.all.iter().enumerate() {
                let found = match self.from[at] {
                    None => Some(test.locations[event.location].1),
                    Some(write) => {
                        values[write].map(|values| values.written.unwrap_or(values.found))
                    }
                };
                values[at] = match event.kind {
                    Kind::Write(written) => Some(Values { found: 0, written: Some(written) }),
                    Kind::Read => found.map(|found| Values { found, written: None }),
                    Kind::Change(change) => {
                        found.map(|found| Values { found, written: change.written(found) })
                    }
                };
            }
        }
        values.into_iter().collect()
    }

    /// What is observed.
    pub fn outcome(&self, test: &Test, events: &Events, values: &[Values]) -> Outcome {
        let of = |seen: Seen| match seen {
            Seen::Register(thread, register) => {
                let is_it = |&at: &usize| {
                    let event = &events.all[at];
                    event.thread == thread && event.register == Some(register)
                };
                // The last load into it counts.
                (0..events.all.len()).rev().find(is_it).map_or(0, |at| values[at].found)
            }
            Seen::Location(location) => {
                let last = self.order[location].last();
                last.map_or(test.locations[location].1, |&at| {
                    values[at].written.expect("the order has writes alone")
                })
            }
        };
        test.observed().into_iter().map(of).collect()
    }
}

/// What an event finds, and what it writes.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    pub found: u32,
    /// None: it does not write.
    pub written: Option<u32>,
}
