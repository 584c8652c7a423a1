//! Snapshots that a machine publishes.

use std::sync::Arc;

use super::Machine;
use crate::build::part::Part;
use crate::context::layout::{Layout, Site};
use crate::context::message::{Kind, Unit};
use crate::engine::{ComponentId, OutletSpec};
use crate::statistics::probe::{
    Awaited, Component, Facts, FullQueue, Oldest, Probe, QUEUES, Snapshot, Wait,
};

/// A machine's end of a probe.
#[derive(Debug)]
pub(super) struct Probing {
    probe: Arc<Probe>,
    /// Its shard.
    shard: usize,
    /// Requests that are answered.
    answered: u64,
    /// Of each outlet the kind of its queue.
    queues: Arc<[u8]>,
    /// The kernel that runs.
    pub(super) kernel: String,
}

impl Probing {
    /// That of another shard.
    pub(super) fn of_shard(&self, shard: usize) -> Self {
        let (probe, queues) = (self.probe.clone(), self.queues.clone());
        Self { probe, shard, answered: 0, queues, kernel: String::new() }
    }

    /// The run begins, on so many threads.
    pub(super) fn restart(&mut self, shards: usize) {
        self.answered = 0;
        self.probe.restart(shards);
    }

    /// The run has ended.
    pub(super) fn end(&self) {
        self.probe.end();
    }

    #[inline]
    pub(super) fn is_requested(&self) -> bool {
        self.probe.requests() != self.answered
    }
}

impl Machine {
    /// Where the run publishes snapshots of itself from now on, when they are requested and at its
    /// end.
    pub fn probe(&mut self) -> Arc<Probe> {
        let specs = self.ctx.network.iter().map(|(spec, _)| spec);
        let queues = specs.map(queue_of).collect();
        let probe = Arc::new(Probe::new(self.facts()));
        let own =
            Probing { probe: probe.clone(), shard: 0, answered: 0, queues, kernel: String::new() };
        self.probing = Some(Box::new(own));
        probe
    }

    fn facts(&self) -> Facts {
        let cores = self.parts.iter().filter(|part| matches!(part, Part::Core(_))).count();
        let components = components(&self.parts, &self.ctx.layout);
        Facts { components, waves: cores as u32 * self.system.cu.waves }
    }

    /// Publishes a snapshot, where there is a probe.
    #[cold]
    pub(super) fn publish(&mut self) {
        let Some(mut probing) = self.probing.take() else { return };
        probing.answered = probing.probe.requests();
        let snapshot = self.snapshot(&probing);
        probing.probe.publish(probing.shard, probing.answered, snapshot);
        self.probing = Some(probing);
    }

    fn snapshot(&self, probing: &Probing) -> Snapshot {
        let (checked, kernels) = (self.ctx.check.checked, self.kernels);
        let mut running = self.running();
        if running.is_empty() && !probing.kernel.is_empty() {
            running.push(probing.kernel.clone());
        }
        let mut shown = Snapshot {
            cycle: self.ctx.now,
            kernels,
            running,
            accesses: checked.loads + checked.atomics,
            ..Snapshot::default()
        };
        let mut requests = vec![0; self.ctx.layout.units().into()];
        for (id, part) in (0..).map(ComponentId).zip(&self.parts) {
            if self.ctx.has_component(id) {
                self.show_part(id, part, &mut requests, &mut shown);
            }
        }
        self.show_queues(probing, &mut shown);
        self.show_requests(&mut shown);
        shown
    }

    /// `requests`: as many zeros as there are units; left so.
    fn show_part(&self, id: ComponentId, part: &Part, requests: &mut [u32], shown: &mut Snapshot) {
        let line = u64::from(self.ctx.layout.line);
        match part {
            Part::Core(core) => {
                shown.groups += core.counters.groups;
                shown.bytes[0] += core.counters.accesses * line;
                shown
                    .waves
                    .iter_mut()
                    .zip(core.resident(self.ctx.now))
                    .for_each(|(sum, one)| *sum += one);
                let (used, of) = core.l1().mshrs();
                shown.mshrs[0].add(used, of);
                let mut servers = Vec::new();
                core.unanswered(|addr| {
                    let server = self.ctx.server(core.unit(), addr);
                    let number = &mut requests[usize::from(server.0)];
                    if *number == 0 {
                        servers.push(server);
                    }
                    *number += 1;
                });
                for server in servers {
                    let number = std::mem::take(&mut requests[usize::from(server.0)]);
                    shown.waits.push(Wait {
                        from: id.0,
                        to: Some(self.component(server)),
                        awaited: Awaited::Replies,
                        number,
                    });
                }
            }
            Part::Bank(bank) => {
                let (used, of) = bank.mshrs();
                shown.mshrs[1].add(used, of);
            }
            Part::Slice(slice) => {
                shown.bytes[5] += slice.memory().bytes().iter().sum::<u64>();
                let (used, of) = slice.mshrs();
                shown.mshrs[2].add(used, of);
                let number = slice.memory().pending(self.ctx.now);
                if number > 0 {
                    let awaited = Awaited::Replies;
                    shown.waits.push(Wait { from: id.0, to: None, awaited, number });
                }
            }
            Part::Gate(gate) => {
                let links = gate.counters(self.ctx.now);
                shown.bytes[7] += links.map(|(_, link)| link.wire_bytes()).sum::<u64>();
            }
            _ => {}
        }
    }

    fn show_queues(&self, probing: &Probing, shown: &mut Snapshot) {
        let network = &self.ctx.network;
        for (queue, (_, bytes)) in probing.queues.iter().zip(network.iter()) {
            if let Some(level) = level_of(*queue) {
                shown.bytes[level] += bytes.iter().sum::<u64>();
            }
        }
        network.show_own(|outlet, spec, held, is_awaited| {
            let queue = probing.queues[outlet.0 as usize];
            shown.queues[usize::from(queue)].add(held, spec.window);
            if is_awaited {
                let (outlet, producer, of) = (outlet.0, spec.producer.0, spec.window);
                shown.full.push(FullQueue { outlet, producer, queue, held, of });
            }
        });
        network.show_awaited(|outlet, order, consumer| {
            shown.oldest.push(Oldest { outlet: outlet.0, order, consumer: consumer.0 });
        });
    }

    /// Requests of all but CUs, which know theirs.
    fn show_requests(&self, shown: &mut Snapshot) {
        let is_request = |kind| matches!(kind, Kind::Read | Kind::Write | Kind::Atomic(_));
        let is_core = |unit| matches!(self.ctx.layout.site(unit), Site::Core(..));
        let requests = self.ctx.messages.in_order();
        let requests = requests.filter(|m| is_request(m.kind) && !is_core(m.from));
        let mut pairs: Vec<_> =
            requests.map(|m| (self.component(m.from), self.component(m.to))).collect();
        pairs.sort_unstable();
        for same in pairs.chunk_by(|one, next| one == next) {
            let ((from, to), number) = (same[0], same.len() as u32);
            shown.waits.push(Wait { from, to: Some(to), awaited: Awaited::Replies, number });
        }
    }

    /// The component that a unit is.
    fn component(&self, unit: Unit) -> u32 {
        match self.ctx.layout.site(unit) {
            Site::Gate(_) => self.parts.len() as u32 - 1,
            _ => self.ctx.layout.part_of(unit) as u32,
        }
    }
}

/// The kind of an outlet's queue, of [`QUEUES`]: by its name, as the wiring gives it.
fn queue_of(spec: &OutletSpec) -> u8 {
    let name = spec.name.as_str();
    let (rest, last) = name.rsplit_once('.').unwrap_or(("", name));
    let kind = match last {
        _ if name.starts_with("link.") => 7,
        _ if name.contains(".unit.") => 9,
        _ if rest.ends_with(".gate") => 6,
        "request" => 0,
        "answer" if rest.contains(".l3.") => 3,
        "answer" => 1,
        "memory" => 2,
        "peer" => 4,
        "push" => 5,
        _ => 8,
    };
    debug_assert!(usize::from(kind) < QUEUES.len());
    kind
}

/// The level, of [`LEVELS`], whose bytes go through queues of this kind.
fn level_of(queue: u8) -> Option<usize> {
    match queue {
        ports @ 0..=3 => Some(usize::from(ports) + 1),
        7 => Some(6),
        _ => None,
    }
}

/// Names of the components, in their order: units of each chiplet and its command processor,
/// command processors of the GPUs, links, units of the L1 design, and what joins the GPUs.
fn components(parts: &[Part], layout: &Layout) -> Vec<Component> {
    let place = |chiplet: u16| {
        format!("gpu{}.chiplet{}", chiplet / layout.chiplets, chiplet % layout.chiplets)
    };
    let mut links = (0..layout.all_chiplets()).flat_map(|from| {
        let first = layout.gpu_of(from) * layout.chiplets;
        let peers = (first..first + layout.chiplets).filter(move |&to| to != from);
        peers.map(move |to| format!("link.chiplet{from}_to_chiplet{to}"))
    });
    let (mut locals, mut globals, mut units, mut combiners) = (0.., 0.., 0.., 0..);
    let named = |part: &Part| {
        let (name, kind) = match part {
            Part::Core(core) => (layout.name(core.unit()), "CUs"),
            Part::Bank(bank) => (layout.name(bank.unit()), "L2 banks"),
            Part::Slice(slice) => (layout.name(slice.unit()), "L3 slices"),
            Part::Combiner(_) => {
                (format!("combiner{}", combiners.next().unwrap_or(0)), "combiners of CUs")
            }
            Part::Link(_) => (links.next().unwrap_or_default(), "links between chiplets"),
            Part::Local(_) => {
                let chiplet = locals.next().unwrap_or_default();
                (format!("{}.command_processor", place(chiplet)), "command processors")
            }
            Part::Global(_) => {
                let gpu = globals.next().unwrap_or(0);
                (format!("gpu{gpu}.command_processor"), "command processors")
            }
            Part::Unit(_) => {
                let gpu = units.next().unwrap_or(0);
                (format!("gpu{gpu}.unit"), "units of the L1 design")
            }
            Part::Gate(_) => ("gpu_links".to_string(), "links between GPUs"),
            #[cfg(test)]
            Part::Nothing => (String::new(), "nothing"),
        };
        Component { name, kind }
    };
    parts.iter().map(named).collect()
}
