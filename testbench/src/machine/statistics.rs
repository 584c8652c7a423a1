//! What is counted: names, units and meanings, and how the values are collected.

use std::collections::BTreeMap;

use super::context::Context;
use super::message::Class;
use super::part::Part;

/// How a statistic behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Count,
}

/// A statistic. `name` may end in `.*` where the last word names one of several alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Dotted name.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Meaning.
    pub meaning: &'static str,
    /// Behaviour.
    pub kind: Kind,
}

macro_rules! statistics {
    ($($name:literal $unit:literal $meaning:literal),* $(,)?) => {
        /// All statistics.
        pub const STATISTICS: &[Statistic] = &[
            $(Statistic { name: $name, unit: $unit, meaning: $meaning, kind: Kind::Count }),*
        ];
    };
}

statistics! {
    "cu.instructions" "instructions" "memory instructions of waves",
    "cu.accesses" "accesses" "coalesced line accesses of CUs",
    "cu.groups" "work-groups" "work-groups started",
    "l1.*" "events" "what the L1 design counts, summed over CUs",
    "l2.reads" "requests" "reads answered by L2 banks",
    "l2.fetches" "lines" "lines that L2 banks asked the L3 for",
    "l2.writes" "requests" "writes taken by L2 banks",
    "l2.atomics" "requests" "atomics done by, or passed on by, L2 banks",
    "l2.write_backs" "lines" "dirty lines written back to make room",
    "l2.released" "lines" "dirty lines written back by releases",
    "l2.invalidated" "lines" "clean lines dropped by acquires",
    "l3.reads" "requests" "reads answered by L3 slices",
    "l3.fetches" "lines" "lines read from memory",
    "l3.writes" "requests" "writes taken by L3 slices",
    "l3.atomics" "requests" "atomics done by L3 slices",
    "memory.writes" "lines" "lines written to memory",
    "launch.packets" "packets" "kernel packets taken",
    "launch.releases" "chiplets" "L2 releases sent",
    "launch.acquires" "chiplets" "L2 acquires sent",
    "launch.lines_written_back" "lines" "lines that releases wrote back, as acknowledged",
    "launch.launch_cycles" "cycles" "from packet to enabling the launch",
    "launch.release_cycles" "cycles" "from the last work-group's end to the completion signal",
    "traffic.chiplet.*" "bytes" "bytes that units put into the networks of their chiplet, by class",
    "traffic.link.*" "bytes" "bytes on links between chiplets, by class",
    "traffic.launch.*" "bytes" "bytes between command processors, CUs and L2 banks, by class",
}

/// All values, by name.
pub fn collect(parts: &[Part], ctx: &Context) -> Vec<(String, u64)> {
    let mut all = BTreeMap::new();
    let mut add = |name: &str, value: u64| *all.entry(name.to_string()).or_insert(0) += value;
    for part in parts {
        match part {
            Part::Core(core) => {
                add("cu.instructions", core.counters.instructions);
                add("cu.accesses", core.counters.accesses);
                add("cu.groups", core.counters.groups);
                core.l1().counters().iter().for_each(|(name, v)| add(&format!("l1.{name}"), *v));
            }
            Part::Bank(bank) => {
                let c = &bank.counters;
                add("l2.reads", c.reads);
                add("l2.fetches", c.fetches);
                add("l2.writes", c.writes);
                add("l2.atomics", c.atomics);
                add("l2.write_backs", c.write_backs);
                add("l2.released", c.released);
                add("l2.invalidated", c.invalidated);
            }
            Part::Slice(slice) => {
                let c = &slice.counters;
                add("l3.reads", c.reads);
                add("l3.fetches", c.fetches);
                add("l3.writes", c.writes);
                add("l3.atomics", c.atomics);
                add("memory.writes", c.memory_writes);
            }
            Part::Global(global) => {
                let c = &global.counters;
                add("launch.packets", c.launches);
                add("launch.releases", c.releases);
                add("launch.acquires", c.acquires);
                add("launch.lines_written_back", c.lines_written_back);
                add("launch.launch_cycles", c.launch_cycles);
                add("launch.release_cycles", c.release_cycles);
            }
            Part::Router(_) | Part::Local(_) => {}
        }
    }
    for (spec, _, bytes) in ctx.channels.iter() {
        // What a router passes on to a unit of its chiplet was counted when it came in.
        let group = match spec.name.as_str() {
            name if name.starts_with("link.") => "link",
            name if name.ends_with(".in") => continue,
            name if is_network(name) => "chiplet",
            _ => "launch",
        };
        for class in Class::ALL.into_iter().filter(|&class| bytes[class as usize] > 0) {
            add(&format!("traffic.{group}.{}", class.name()), bytes[class as usize]);
        }
    }
    all.into_iter().collect()
}

fn is_network(name: &str) -> bool {
    ["request", "answer", "memory"].iter().any(|net| name.ends_with(&format!(".{net}")))
}
