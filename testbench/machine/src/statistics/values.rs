//! How the values of statistics are collected: each part gives its own in a fixed order (`parts`),
//! which says to which name a value belongs.

use std::collections::HashMap;
use std::ops::Range;

use super::parts::{Values, of_part};
use crate::build::part::Part;
use crate::context::Context;
use crate::context::message::{CLASSES, Class};
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
    /// Of each outlet the group of its traffic, and whether it is L3 traffic.
    outlets: Vec<(u8, bool)>,
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
const GROUPS: [&str; 4] = ["traffic.link.", "traffic.unit.", "traffic.chiplet.", "traffic.launch."];
const CHIPLET: u8 = 2;
const L3_TRAFFIC: &str = "l3.traffic.";

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
    fn name(&mut self, owner: &'static str, name: &'static str, rule: Rule) {
        let place = [owner.as_ptr(), name.as_ptr()];
        let known = self.placed.get(&place).copied();
        // Two literals may begin in one place.
        let known =
            known.filter(|&number| self.all[number as usize].0.len() == owner.len() + name.len());
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
}

impl Values for Numbering {
    fn add(&mut self, owner: &'static str, name: &'static str, _: u64) {
        self.name(owner, name, Rule::Sum);
    }

    fn add_classes(&mut self, owner: &'static str, _: &[u64; CLASSES]) {
        Class::ALL.iter().for_each(|class| self.name(owner, class.name(), Rule::SumIfAny));
    }
}

/// Sums the values of a run, in the order in which each part gives them.
struct Summing<'a>(&'a mut [u64]);

impl<'a> Summing<'a> {
    /// The sums of the next values.
    #[inline]
    fn next(&mut self, values: usize) -> &'a mut [u64] {
        let next = self.0.split_off_mut(..values);
        next.expect("a part gives the values that it has named")
    }
}

impl Values for Summing<'_> {
    #[inline]
    fn add(&mut self, _: &'static str, _: &'static str, value: u64) {
        self.next(1)[0] += value;
    }

    fn add_classes(&mut self, _: &'static str, bytes: &[u64; CLASSES]) {
        Class::ALL.iter().for_each(|&class| self.add("", "", bytes[class as usize]));
    }

    #[inline]
    fn add_all(&mut self, _: &'static str, values: &[(&'static str, u64)]) {
        self.next(values.len()).iter_mut().zip(values).for_each(|(sum, (_, value))| *sum += value);
    }
}

/// The values of one part.
struct Listing<'a>(&'a mut Vec<u64>);

impl Values for Listing<'_> {
    fn add(&mut self, _: &'static str, _: &'static str, value: u64) {
        self.0.push(value);
    }

    fn add_classes(&mut self, _: &'static str, bytes: &[u64; CLASSES]) {
        self.0.extend(Class::ALL.iter().map(|&class| bytes[class as usize]));
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
            names.outlets.push((group, group == CHIPLET && is_memory));
        }
        let mut numbering = Numbering::default();
        for (number, part) in parts.iter().enumerate() {
            of_part(part, ctx, &mut numbering, &mut Vec::new());
            let slots = std::mem::take(&mut numbering.slots);
            let parts = number..number + 1;
            match names.runs.last_mut() {
                Some(run) if run.slots == slots => run.parts.end = number + 1,
                _ => names.runs.push(Run { parts, slots, has_most: false }),
            }
        }
        of_networks(&Default::default(), &mut numbering);
        (names.networks, names.all) = (numbering.slots, numbering.all);
        for run in &mut names.runs {
            let is_most = |&slot: &u32| names.all[slot as usize].1 == Rule::Most;
            run.has_most = run.slots.iter().any(is_most);
        }
        names
    }

    /// Values of the parts that this thread has, by number.
    pub fn values(&self, parts: &[Part], ctx: &Context) -> Vec<u64> {
        let mut values = vec![0; self.all.len()];
        let (mut given, mut counted) = (Vec::new(), Vec::new());
        for run in &self.runs {
            given.clear();
            given.resize(run.slots.len(), 0);
            let has = |id: &usize| ctx.has_component(ComponentId(*id as u32));
            for id in run.parts.clone().filter(has) {
                if run.has_most {
                    given.clear();
                    of_part(&parts[id], ctx, &mut Listing(&mut given), &mut counted);
                    self.put(&run.slots, &given, &mut values);
                } else {
                    let mut summing = Summing(&mut given);
                    of_part(&parts[id], ctx, &mut summing, &mut counted);
                    assert!(summing.0.is_empty(), "a part gives all values that it has named");
                }
            }
            if !run.has_most {
                self.put(&run.slots, &given, &mut values);
            }
        }
        given.clear();
        of_networks(&self.traffic(ctx), &mut Listing(&mut given));
        self.put(&self.networks, &given, &mut values);
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
        for ((_, bytes), &(group, is_l3)) in ctx.network.iter().zip(&self.outlets) {
            let l3 = is_l3.then_some(GROUPS.len());
            for group in [Some(usize::from(group)), l3].into_iter().flatten() {
                traffic[group].iter_mut().zip(bytes).for_each(|(sum, bytes)| *sum += bytes);
            }
        }
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
    struct ByName(std::collections::BTreeMap<String, u64>);
    impl Values for ByName {
        fn add(&mut self, owner: &'static str, name: &'static str, value: u64) {
            let sum = self.0.entry(format!("{owner}{name}")).or_default();
            *sum = if name.starts_with("most_") { value.max(*sum) } else { *sum + value };
        }

        fn add_classes(&mut self, owner: &'static str, bytes: &[u64; CLASSES]) {
            for class in Class::ALL.into_iter().filter(|&class| bytes[class as usize] > 0) {
                self.add(owner, class.name(), bytes[class as usize]);
            }
        }
    }
    let mut all = ByName(Default::default());
    parts.iter().for_each(|part| of_part(part, ctx, &mut all, &mut Vec::new()));
    all.0
}

/// Bytes of each group of traffic by class, and of L3 traffic.
type Traffic = [[u64; CLASSES]; GROUPS.len() + 1];

fn of_networks(traffic: &Traffic, all: &mut impl Values) {
    for (group, bytes) in GROUPS.into_iter().chain([L3_TRAFFIC]).zip(traffic) {
        all.add_classes(group, bytes);
    }
}

fn is_network(name: &str) -> bool {
    let net = name.rsplit_once('.').map_or("", |(_, net)| net);
    ["request", "answer", "memory", "peer"].contains(&net)
}
