//! How the values of statistics are collected: each part gives its own in a fixed order, which says
//! to which name a value belongs.

use std::collections::HashMap;
use std::ops::Range;

use hwmodel::finepack::tlp_link;
use ports::finepack::types::flush_cause;

use crate::build::part::Part;
use crate::context::Context;
use crate::context::message::{CLASSES, Class};
use crate::engine::ComponentId;
use crate::gate;
use crate::launch::PHASES;
use crate::statistics::CounterValues;

/// Counters of the firmware (CPElide specification 9); launches and operations sent are counted
/// outside.
const FIRMWARE: [(usize, &str); 9] = [
    (2, "acquires_elided"),
    (4, "releases_elided"),
    (5, "max_entries"),
    (6, "coarsenings"),
    (7, "conservative"),
    (8, "cycles"),
    (9, "implied_releases"),
    (10, "mixed_resolutions"),
    (11, "range_growths"),
];

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

/// Takes the values of statistics, always in the same order.
trait Values {
    /// A value; the name is that of its owner, with a dot, and its own.
    fn add(&mut self, owner: &'static str, name: &'static str, value: u64);

    /// Bytes by class.
    fn add_classes(&mut self, owner: &'static str, bytes: &[u64; CLASSES]);

    /// Values of an owner.
    fn add_all(&mut self, owner: &'static str, values: &[(&'static str, u64)]) {
        values.iter().for_each(|&(name, value)| self.add(owner, name, value));
    }
}

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

/// Gives the values of a part. `counted` is storage that every call uses again.
fn of_part(part: &Part, ctx: &Context, all: &mut impl Values, counted: &mut CounterValues) {
    counted.clear();
    match part {
        Part::Core(core) => {
            let c = &core.counters;
            let own = [
                ("instructions", c.instructions),
                ("accesses", c.accesses),
                ("groups", c.groups),
                ("access_cycles", c.access_cycles),
                ("wait_cycles", c.wait_cycles),
            ];
            all.add_all("cu.", &own);
            if let Some(executed) = core.executed() {
                let own = [
                    ("warp_instructions", executed.instructions),
                    ("load_instructions", executed.loads),
                ];
                all.add_all("cu.", &own);
            }
            if let Some(tlb) = core.tlb() {
                all.add_all("cu.", &[("tlb_misses", tlb.misses), ("tlb_walks", tlb.walks)]);
            }
            core.cycles(ctx.now).for_each(|(name, cycles)| all.add("", name, cycles));
            core.l1().counters(counted);
            all.add_all("l1.", counted);
        }
        Part::Unit(unit) => {
            unit.counters(counted);
            all.add_all("l1.", counted);
        }
        Part::Bank(bank) => {
            bank.l1_counters(counted);
            all.add_all("l1.", counted);
            counted.clear();
            bank.counters(counted);
            all.add_all("l2.", counted);
        }
        Part::Slice(slice) => {
            let c = &slice.counters;
            all.add("l3.", "reads", c.reads);
            all.add("l3.", "fetches", c.fetches);
            all.add("l3.", "writes", c.writes);
            all.add("l3.", "atomics", c.atomics);
            all.add("l3.", "write_back_waits", c.write_back_waits);
            all.add("memory.", "writes", c.memory_writes);
            let memory = slice.memory();
            if memory.has_parts() {
                let [read, written] = memory.bytes();
                all.add("memory.", "bytes_read", read);
                all.add("memory.", "bytes_written", written);
            }
            if let Some(dram) = memory.dram() {
                dram.counters(ctx.now, counted);
                all.add_all("dram.", counted);
            }
        }
        Part::Global(global) => {
            let c = &global.counters;
            all.add("launch.", "packets", c.packets);
            all.add("launch.", "barriers", c.barriers);
            all.add("launch.", "releases", c.releases);
            all.add("launch.", "acquires", c.acquires);
            all.add("launch.", "idle_releases", c.idle_releases);
            all.add("launch.", "idle_acquires", c.idle_acquires);
            all.add("launch.", "lines_written_back", c.lines_written_back);
            all.add("launch.", "launch_cycles", c.launch_cycles);
            all.add("launch.", "sync_cycles", c.sync_cycles);
            all.add("launch.", "kernel_cycles", c.kernel_cycles);
            all.add("launch.", "release_cycles", c.release_cycles);
            all.add("launch.", "errors", c.errors);
            for ((name, _), cycles) in PHASES.iter().zip(global.phases(ctx.now)) {
                all.add("launch.cycles.", name, cycles);
            }
            let firmware = global.firmware_counters();
            for (number, name) in FIRMWARE {
                all.add("firmware.", name, firmware[number].into());
            }
        }
        Part::Gate(gate) => {
            for (c, link) in gate.counters(ctx.now) {
                of_gate(&c, &link, all);
            }
        }
        Part::Local(local) => {
            local.scheduler_counters(counted);
            all.add_all("scheduler.", counted);
        }
        Part::Combiner(combiner) => all.add("l1.", "combined_reads", combiner.combined),
        Part::Link(_) => {}
        #[cfg(test)]
        Part::Nothing => {}
    }
}

/// Gives the values of a GPU's side of the gate.
fn of_gate(c: &gate::Counters, link: &tlp_link::Counters, all: &mut impl Values) {
    all.add("egress.", "stores", c.stores);
    all.add("egress.", "loads", c.loads);
    all.add("egress.", "staged_loads", c.staged_loads);
    all.add("egress.", "atomics", c.atomics);
    all.add("egress.", "releases", c.releases);
    for (name, flushes) in flush_cause::NAMES.iter().zip(c.flushes).skip(1) {
        all.add("egress.flush_", name, flushes);
    }
    all.add("egress.", "stall_bank", c.stalls[0]);
    all.add("egress.", "stall_order_queue", c.stalls[1]);
    all.add("egress.", "held", c.held[0]);
    all.add("egress.", "held_by_link", c.held[1]);
    all.add("ingress.", "held", c.arriving_held[0]);
    all.add("ingress.", "held_accesses", c.arriving_held[1]);
    all.add("ingress.", "stores", c.arrived_stores);
    all.add("ingress.", "loads", c.arrived_loads);
    all.add("ingress.", "atomics", c.arrived_atomics);
    all.add("gpu_link.", "tlps", link.tlps);
    all.add("gpu_link.", "packets", link.packets);
    all.add("gpu_link.", "store_tlps", link.store_tlps);
    all.add("gpu_link.", "small_writes", link.small_writes);
    all.add("gpu_link.", "wire_bytes", link.wire_bytes());
    all.add("gpu_link.", "store_wire_bytes", link.store_wire_bytes());
    all.add("gpu_link.", "data_bytes", link.data_bytes);
    all.add("gpu_link.", "header_bytes", link.header_bytes);
    all.add("gpu_link.", "subheader_bytes", link.subheader_bytes);
    all.add("gpu_link.", "padding_bytes", link.padding_bytes);
    all.add("gpu_link.", "framing_bytes", link.framing_bytes());
    all.add("gpu_link.", "completion_bytes", c.completion_bytes);
    all.add("gpu_link.", "coherence_messages", c.coherence_messages);
    all.add("gpu_link.", "coherence_bytes", c.coherence_bytes);
    all.add_classes("gpu_link.design.", &c.design_bytes);
    all.add("gpu_link.", "busy_cycles", link.busy_cycles);
}

fn is_network(name: &str) -> bool {
    let net = name.rsplit_once('.').map_or("", |(_, net)| net);
    ["request", "answer", "memory", "peer"].contains(&net)
}
