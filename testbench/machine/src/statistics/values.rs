//! How the values of statistics are collected: each part gives its own in a fixed order (`parts`),
//! which says to which name a value belongs.

use std::collections::HashMap;
use std::ops::Range;

use super::counter_values::{CounterValues, Named};
use super::parts::of_part;
use crate::build::part::Part;
use crate::context::Context;
use crate::context::message::CLASSES;
use crate::engine::ComponentId;

/// What is counted at the end of a run.
const DIRTY_LINES: &str = "l2.dirty_lines";

/// In the name of what has a greatest value and no sum.
const MOST: &str = ".most_";

/// How the values of a name are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Sum,
    /// A sum that is no statistic while it is 0.
    SumIfAny,
    Most,
}

impl Rule {
    fn join(self, sum: &mut u64, value: u64) {
        match self {
            Self::Most => *sum = value.max(*sum),
            _ => *sum += value,
        }
    }
}

/// The names of a machine's statistics, and where in an array of values each part's belong. All
/// threads of a run number them alike.
#[derive(Debug)]
pub struct Names {
    all: Vec<(String, Rule)>,
    runs: Vec<Run>,
    /// Of the networks.
    networks: Vec<u32>,
    /// Of each outlet the group of its traffic; `L3` is of [`CHIPLET`] too.
    outlets: Vec<u8>,
}

/// Parts in a row that give values of the same names.
#[derive(Debug)]
struct Run {
    parts: Range<usize>,
    /// Numbers of the names, in the order in which each part gives its values.
    slots: Vec<u32>,
    has_most: bool,
}

/// Groups of traffic.
const GROUPS: [&str; 5] =
    ["traffic.link.", "traffic.unit.", "traffic.chiplet.", "traffic.launch.", "l3.traffic."];
const CHIPLET: usize = 2;
const L3: usize = 4;

/// Numbers the names of a part's values.
#[derive(Default)]
struct Numbering {
    all: Vec<(String, Rule)>,
    known: HashMap<String, u32>,
    /// The same by where the two pieces of a name stand: most parts give what others gave before.
    placed: HashMap<[*const u8; 2], u32>,
    slots: Vec<u32>,
}

impl Numbering {
    fn name(&mut self, value: &Named) {
        let [owner, name] = value.name;
        let place = value.name.map(str::as_ptr);
        let known = self.placed.get(&place).copied();
        // Two literals may begin in one place.
        let known =
            known.filter(|&number| self.all[number as usize].0.len() == owner.len() + name.len());
        let rule = if value.is_of_class { Rule::SumIfAny } else { Rule::Sum };
        let number = known.unwrap_or_else(|| self.number(format!("{owner}{name}"), rule));
        self.placed.insert(place, number);
        self.slots.push(number);
    }

    fn number(&mut self, name: String, rule: Rule) -> u32 {
        let rule = if name.contains(MOST) { Rule::Most } else { rule };
        let next = self.all.len() as u32;
        let number = *self.known.entry(name.clone()).or_insert(next);
        if number == next {
            self.all.push((name, rule));
        }
        number
    }

    /// Numbers of the names of these values.
    fn of(&mut self, mut given: CounterValues) -> Vec<u32> {
        given.take_named().iter().for_each(|value| self.name(value));
        std::mem::take(&mut self.slots)
    }
}

impl Names {
    /// Of a machine.
    pub fn new(parts: &[Part], ctx: &Context) -> Self {
        let mut names =
            Self { all: Vec::new(), runs: Vec::new(), networks: Vec::new(), outlets: Vec::new() };
        for (spec, _) in ctx.network.iter() {
            let group = match spec.name.as_str() {
                name if name.starts_with("link.") => 0,
                name if name.contains(".unit.") => 1,
                name if is_network(name) => CHIPLET,
                _ => 3,
            };
            let is_memory = spec.name.ends_with(".memory") || spec.name.contains("l3.slice");
            let is_l3 = group == CHIPLET && is_memory;
            names.outlets.push(if is_l3 { L3 } else { group } as u8);
        }
        let mut numbering = Numbering::default();
        for (number, part) in parts.iter().enumerate() {
            let mut given = CounterValues::default();
            of_part(part, ctx, &mut given);
            let slots = numbering.of(given);
            let parts = number..number + 1;
            match names.runs.last_mut() {
                Some(run) if run.slots == slots => run.parts.end = number + 1,
                _ => names.runs.push(Run { parts, slots, has_most: false }),
            }
        }
        let mut given = CounterValues::default();
        of_networks(&Default::default(), &mut given);
        names.networks = numbering.of(given);
        names.all = numbering.all;
        for run in &mut names.runs {
            let is_most = |&slot: &u32| names.all[slot as usize].1 == Rule::Most;
            run.has_most = run.slots.iter().any(is_most);
        }
        names
    }

    /// Values of the parts that this thread has, by number.
    pub fn values(&self, parts: &[Part], ctx: &Context) -> Vec<u64> {
        let (mut values, mut given) = (vec![0; self.all.len()], CounterValues::default());
        for run in &self.runs {
            given.begin_sums(run.slots.len());
            let has = |id: &usize| ctx.has_component(ComponentId(*id as u32));
            let mut any = false;
            for id in run.parts.clone().filter(has) {
                given.begin_part();
                of_part(&parts[id], ctx, &mut given);
                any = true;
                if run.has_most {
                    self.put(&run.slots, given.sums(), &mut values);
                    given.begin_sums(run.slots.len());
                }
            }
            if any && !run.has_most {
                self.put(&run.slots, given.sums(), &mut values);
            }
        }
        given.begin_sums(self.networks.len());
        of_networks(&self.traffic(ctx), &mut given);
        self.put(&self.networks, given.sums(), &mut values);
        values
    }

    fn put(&self, slots: &[u32], given: &[u64], values: &mut [u64]) {
        assert_eq!(slots.len(), given.len(), "a part gives all values that it has named");
        for (&slot, &value) in slots.iter().zip(given) {
            self.all[slot as usize].1.join(&mut values[slot as usize], value);
        }
    }

    fn traffic(&self, ctx: &Context) -> Traffic {
        let mut traffic = Traffic::default();
        for ((_, bytes), &group) in ctx.network.iter().zip(&self.outlets) {
            add(&mut traffic[usize::from(group)], bytes);
        }
        let of_l3 = traffic[L3];
        add(&mut traffic[CHIPLET], &of_l3);
        traffic
    }

    /// Adds the values of another thread.
    pub fn join(&self, values: &mut [u64], others: &[u64]) {
        for ((sum, value), (_, rule)) in values.iter_mut().zip(others).zip(&self.all) {
            rule.join(sum, *value);
        }
    }

    /// Of sums these of several launches, of all else the values at the end of a run.
    pub fn of_launches(&self, at_end: &[u64], sums: &[u64]) -> Vec<u64> {
        let is_sum = |name: &str, rule| rule != Rule::Most && name != DIRTY_LINES;
        let all = self.all.iter().zip(at_end).zip(sums);
        all.map(|(((name, rule), &value), &sum)| if is_sum(name, *rule) { sum } else { value })
            .collect()
    }

    /// Statistics that have a value, sorted by name.
    pub fn named(&self, values: &[u64]) -> Vec<(String, u64)> {
        let all = self.all.iter().zip(values);
        let has_value = all.filter(|((_, rule), value)| *rule != Rule::SumIfAny || **value > 0);
        let mut named: Vec<_> =
            has_value.map(|((name, _), value)| (name.clone(), *value)).collect();
        named.sort();
        named
    }
}

/// The same values with each name made anew, for tests of the order in which parts give them.
#[cfg(test)]
pub fn by_name(parts: &[Part], ctx: &Context) -> std::collections::BTreeMap<String, u64> {
    let mut all = std::collections::BTreeMap::new();
    for part in parts {
        let mut given = CounterValues::default();
        of_part(part, ctx, &mut given);
        for Named { name: [owner, name], value, is_of_class } in given.take_named() {
            if is_of_class && value == 0 {
                continue;
            }
            let sum = all.entry(format!("{owner}{name}")).or_default();
            *sum = if name.starts_with("most_") { value.max(*sum) } else { *sum + value };
        }
    }
    all
}

/// Bytes of each group of traffic by class, and of L3 traffic.
type Traffic = [[u64; CLASSES]; GROUPS.len()];

fn add(sums: &mut [u64; CLASSES], bytes: &[u64; CLASSES]) {
    sums.iter_mut().zip(bytes).for_each(|(sum, bytes)| *sum += bytes);
}

fn of_networks(traffic: &Traffic, all: &mut CounterValues) {
    for (group, bytes) in GROUPS.into_iter().zip(traffic) {
        all.owner(group).push_classes(bytes);
    }
}

fn is_network(name: &str) -> bool {
    let net = name.rsplit_once('.').map_or("", |(_, net)| net);
    ["request", "answer", "memory", "peer"].contains(&net)
}
