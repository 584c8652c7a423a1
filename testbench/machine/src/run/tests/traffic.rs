//! Bytes and messages add up inside a GPU.

use std::collections::BTreeMap;

use super::*;
use crate::context::layout::Site;
use crate::context::message::{Class, Unit};
use crate::engine::OutletId;

/// Network, from which chiplet to which, class.
type Way = (String, u16, u16, &'static str);

/// What a machine has sent, by way: messages and bytes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sums(BTreeMap<Way, (u64, u64)>);

impl Sums {
    fn add(&mut self, way: Way, bytes: u32) {
        let sum = self.0.entry(way).or_default();
        *sum = (sum.0 + 1, sum.1 + u64::from(bytes));
    }
}

/// The chiplet of a unit, counted through all GPUs; none for a gate, which is beside all of its
/// GPU's.
fn chiplet(machine: &Machine, unit: Unit) -> Option<u16> {
    match machine.ctx.layout.site(unit) {
        Site::Core(chiplet, _) | Site::Bank(chiplet, _) | Site::Slice(chiplet, _) => Some(chiplet),
        Site::Gate(_) => None,
    }
}

/// The unit that sends through an outlet of a network, and which network: `unit.network`.
fn sender<'a>(machine: &Machine, outlet: &'a str) -> Option<(Unit, &'a str)> {
    let (unit, net) = outlet.rsplit_once('.')?;
    let layout = &machine.ctx.layout;
    let unit = (0..layout.units()).map(Unit).find(|&u| layout.name(u) == unit)?;
    ["request", "answer", "memory"].contains(&net).then_some((unit, net))
}

/// From, to, and the network of a link: `link.chiplet0_to_chiplet1.network`.
fn link(outlet: &str) -> Option<(u16, u16, &str)> {
    let (chiplets, net) = outlet.strip_prefix("link.chiplet")?.split_once('.')?;
    let (from, to) = chiplets.split_once("_to_chiplet")?;
    Some((from.parse().unwrap(), to.parse().unwrap(), net))
}

/// Runs a program and compares what units have sent to other chiplets with what the links have
/// carried. Gives the ways over links.
fn run(machine: &mut Machine) -> Vec<Way> {
    machine.run().unwrap();
    let chiplets = usize::from(machine.ctx.layout.all_chiplets());
    let (mut wanted, mut carried) = (Sums::default(), Sums::default());
    let mut by_outlet = BTreeMap::new();
    for &(outlet, to, class, bytes) in &machine.ctx.sent {
        *by_outlet.entry((outlet.0, class as usize)).or_insert(0) += u64::from(bytes);
        let name = &machine.ctx.network.outlet(outlet).0.name;
        if let Some((from, to, net)) = link(name) {
            carried.add((net.into(), from, to, class.name()), bytes);
        } else if let Some((unit, net)) = sender(machine, name) {
            // What a gate sends enters, and what goes to it leaves, at the chiplet that it
            // concerns.
            match (chiplet(machine, unit), chiplet(machine, to)) {
                (Some(from), Some(to)) if from != to => {
                    wanted.add((net.into(), from, to, class.name()), bytes);
                }
                _ => {}
            }
        }
    }
    assert_eq!(wanted, carried);
    let mut links = vec![vec![0; chiplets]; chiplets];
    for ((_, from, to, _), (_, bytes)) in &carried.0 {
        links[usize::from(*from)][usize::from(*to)] += bytes;
    }
    assert_eq!(machine.traffic().chiplets, links);
    let mut groups = BTreeMap::new();
    for (number, (spec, bytes)) in (0..).zip(machine.ctx.network.iter()) {
        let held = machine.ctx.network.outlet(OutletId(number)).1;
        assert_eq!(held, 0, "{} holds messages at the end", spec.name);
        for class in Class::ALL {
            let sent = by_outlet.get(&(number, class as usize)).copied().unwrap_or(0);
            assert_eq!(bytes[class as usize], sent, "{}: {}", spec.name, class.name());
            let group = match (link(&spec.name), sender(machine, &spec.name)) {
                (Some(_), _) => "link",
                (_, Some(_)) => "chiplet",
                _ => "launch",
            };
            *groups.entry(format!("traffic.{group}.{}", class.name())).or_insert(0) += sent;
        }
    }
    groups.retain(|_, bytes| *bytes > 0);
    let told = machine.statistics().into_iter().filter(|(name, _)| name.starts_with("traffic."));
    assert_eq!(told.collect::<BTreeMap<_, _>>(), groups);
    carried.0.into_keys().collect()
}

#[test]
fn links_carry_what_units_send_to_other_chiplets() {
    let mut ways = Vec::new();
    for (gpus, chiplets) in [("1", "1"), ("1", "4"), ("2", "2")] {
        for policy in ["private", "home-forward"] {
            let set = [
                ("machine.gpus", gpus),
                ("machine.chiplets", chiplets),
                ("l2.policy", policy),
                ("placement.policy", "interleave"),
            ];
            let mut machine = machine("cpelide-4-small", &set, program("pagerank_push", 256));
            let over = run(&mut machine);
            assert_eq!(over.is_empty(), chiplets == "1");
            let gpu = |chiplet: u16| chiplet / machine.ctx.layout.chiplets;
            assert!(over.iter().all(|(_, from, to, _)| gpu(*from) == gpu(*to)), "{over:?}");
            ways.extend(over);
        }
    }
    let some = |net: &str, class: Class| {
        ways.iter().any(|(n, _, _, c)| (n.as_str(), *c) == (net, class.name()))
    };
    for net in ["request", "memory"] {
        assert!(some(net, Class::Request) && some(net, Class::Write), "{net}: {ways:?}");
    }
    assert!(some("answer", Class::Data) && some("answer", Class::Acknowledgement), "{ways:?}");
}
