//! Bytes by where they went: between chiplets, between GPUs, and through the ports of each level.

use hwmodel::finepack::tlp_link::SCALE;

use crate::build::part::Part;
use crate::context::Context;
use crate::context::message::CLASSES;
use crate::engine::ComponentId;

/// What the senders' names contain, and the networks' names, by [`Ports`].
const PORTS: [(&str, &str); 4] = [
    (".cu", ".request"),
    (".l2.bank", ".answer"),
    (".l2.bank", ".memory"),
    (".l3.slice", ".answer"),
];

/// A kind of port: the sender, and what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports {
    /// Requests of CUs to L2 banks.
    CuRequests,
    /// Answers of L2 banks.
    L2Answers,
    /// Requests of L2 banks to L3 slices.
    L2Requests,
    /// Answers of L3 slices.
    L3Answers,
}

/// Bytes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes on links between chiplets, by sending and receiving chiplet. Chiplets are numbered
    /// through all GPUs.
    pub chiplets: Vec<Vec<u64>>,
    /// Bytes on links between GPUs, TLPs and reverse links together, by sending and receiving GPU.
    pub gpus: Vec<Vec<u64>>,
    /// Bytes through all ports of each kind, by [`Ports`].
    pub ports: [u64; PORTS.len()],
}

impl Traffic {
    /// Of the parts that this thread has.
    pub(crate) fn of(parts: &[Part], ctx: &Context) -> Self {
        let [chiplets, gpus] = [ctx.layout.all_chiplets(), ctx.layout.gpus].map(usize::from);
        let mut all = Self {
            chiplets: vec![vec![0; chiplets]; chiplets],
            gpus: vec![vec![0; gpus]; gpus],
            ports: [0; PORTS.len()],
        };
        for (spec, bytes) in ctx.network.iter() {
            all.add(&spec.name, bytes);
        }
        for (id, part) in (0..).zip(parts) {
            if let Part::Gate(gate) = part
                && ctx.has_component(ComponentId(id))
            {
                for (row, (counters, link)) in all.gpus.iter_mut().zip(gate.counters(ctx.now)) {
                    for (to, sum) in row.iter_mut().enumerate() {
                        *sum = link.wire_to[to].div_ceil(SCALE) + counters.reverse_to[to];
                    }
                }
            }
        }
        all
    }

    /// Adds the bytes of an outlet.
    fn add(&mut self, name: &str, bytes: &[u64; CLASSES]) {
        let bytes = bytes.iter().sum::<u64>();
        if let Some((from, to)) = link(name) {
            self.chiplets[from][to] += bytes;
        }
        let is_of = |(unit, net): &(&str, &str)| {
            name.strip_suffix(net).is_some_and(|sender| sender.contains(unit))
        };
        if let Some(at) = PORTS.iter().position(is_of) {
            self.ports[at] += bytes;
        }
    }

    /// Bytes through all ports of a kind.
    pub fn through(&self, ports: Ports) -> u64 {
        self.ports[ports as usize]
    }
}

/// From which chiplet to which a link's outlet leads: `link.chiplet0_to_chiplet1.request`.
fn link(outlet: &str) -> Option<(usize, usize)> {
    let (chiplets, _) = outlet.strip_prefix("link.chiplet")?.split_once('.')?;
    let (from, to) = chiplets.split_once("_to_chiplet")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

impl std::ops::Add<&Self> for Traffic {
    type Output = Self;

    fn add(mut self, other: &Self) -> Self {
        let rows = |sums: &mut Vec<Vec<u64>>, others: &[Vec<u64>]| {
            for (sum, other) in sums.iter_mut().flatten().zip(others.iter().flatten()) {
                *sum += other;
            }
        };
        rows(&mut self.chiplets, &other.chiplets);
        rows(&mut self.gpus, &other.gpus);
        self.ports.iter_mut().zip(other.ports).for_each(|(sum, other)| *sum += other);
        self
    }
}
