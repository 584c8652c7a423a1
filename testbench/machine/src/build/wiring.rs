//! The networks of all chiplets, and the channels between command processors and what they command.

use super::afar::Afar;
use super::numbers::Numbers;
use crate::build::clusters::Cluster;
use crate::build::part::Part;
use crate::config::{MOST_CHIPLETS, MOST_GPUS, MOST_UNITS, System};
use crate::context::layout::Site;
use crate::context::message::Unit;
use crate::engine::link::Link;
use crate::engine::{
    ComponentId, InletId, InletSpec, MOST_OUTLETS, Network, OutletId, OutletSpec, Rate, Routes,
};

/// The networks of a chiplet: three, and others where a design needs them. What lies between L2 and
/// L3 has its own, reads and write-backs in one FIFO: a read never overtakes a write-back, and a
/// full L2 never stops what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Net {
    /// From CUs to L2 banks and to the gate.
    Request,
    /// Back.
    Answer,
    /// From L2 banks to L3 slices.
    Memory,
    /// From L2 banks to those of other chiplets, where a directory keeps them coherent: requests
    /// that wait for one of these never stop those that wait for none.
    Peer,
    /// From L2 banks to the gate, where pages have copies: what CUs store to these.
    Push,
    /// From the gate to L2 banks, where those push stores: what comes from other GPUs never waits
    /// behind stores that wait until they can be pushed to these.
    Arrival,
}

pub const NETS: [Net; 6] =
    [Net::Request, Net::Answer, Net::Memory, Net::Peer, Net::Push, Net::Arrival];

/// Outlets of a unit at most, those that lead to it from command processors and units of designs
/// included: an L2 bank sends into four networks, to its command processor and to its GPU's unit.
const OUTLETS_OF_UNIT: usize = 8;
/// Outlets of a chiplet beside those of its units: of links into its networks, and both ways
/// between its command processor and the GPU's.
const OUTLETS_OF_CHIPLET: usize = NETS.len() * MOST_CHIPLETS as usize + 2;
/// Outlets of a GPU beside those of its chiplets: both ways between the gate and the command
/// processor, and a design's unit.
const OUTLETS_OF_GPU: usize = MOST_CHIPLETS as usize * OUTLETS_OF_CHIPLET + 4;
const _: () = assert!(
    MOST_UNITS * OUTLETS_OF_UNIT + MOST_GPUS as usize * OUTLETS_OF_GPU <= MOST_OUTLETS,
    "the network has an outlet for all that a legal machine connects"
);

/// The window of an outlet. A link of a huge rate could hold more messages than an outlet counts:
/// never are so many under way.
fn window(messages: u64) -> u32 {
    u32::try_from(messages).unwrap_or(u32::MAX)
}

/// Who says something beyond requests and answers.
#[derive(Clone, Copy, Debug)]
pub struct Talks {
    /// Banks of different chiplets to each other.
    pub peers: bool,
    /// Hooks in them to those of other GPUs.
    pub crosses: bool,
    /// Banks to the copies of other GPUs.
    pub pushes: bool,
}

/// The networks through which requests leave their GPU and enter another.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    pub leaves: Net,
    pub enters: Net,
}

/// A chiplet's ends of one network.
#[derive(Debug, Default)]
struct Ends {
    from: Vec<(Unit, OutletId)>,
    to: Vec<(Unit, InletId)>,
}

/// What connects the components of a machine.
pub struct Wiring<'a> {
    pub(super) system: &'a System,
    pub numbers: Numbers,
    pub network: Network,
    pub between: Between,
    pub talks: Talks,
    pub afar: Afar,
    /// By network, then by chiplet.
    ends: [Vec<Ends>; NETS.len()],
    links: Vec<Link>,
    /// Of the CUs of each combiner their ends: those of all chiplets, one after another.
    pub(super) combiners: Vec<Cluster>,
}

impl<'a> Wiring<'a> {
    /// The networks of all chiplets.
    pub fn new(system: &'a System, numbers: Numbers, between: Between, talks: Talks) -> Self {
        let (network, ends) = (Network::default(), [const { Vec::new() }; NETS.len()]);
        let link = &system.chiplet_link;
        let rate = Rate { bytes: link.bytes, cycles: link.cycles };
        let links = (0..numbers.links).map(|_| Link::new(rate)).collect();
        let afar = Afar::of(system);
        let combiners = Vec::new();
        let mut wiring =
            Self { system, numbers, network, between, talks, afar, ends, links, combiners };
        for net in NETS {
            let is_there = match net {
                Net::Peer => talks.peers,
                Net::Push => talks.pushes,
                Net::Arrival => between.enters == net,
                _ => true,
            };
            if is_there {
                wiring.lay(net);
            }
        }
        for chiplet in 0..wiring.numbers.layout.all_chiplets() {
            wiring.combine(chiplet);
        }
        wiring
    }

    /// The links between chiplets, in the order of their numbers.
    pub fn take_links(&mut self) -> impl Iterator<Item = Part> {
        std::mem::take(&mut self.links).into_iter().map(|link| Part::Link(Box::new(link)))
    }

    /// Where a unit sends into a network of a chiplet.
    pub fn from(&self, net: Net, chiplet: u16, unit: Unit) -> OutletId {
        self.combined(net, unit).map_or_else(|| self.outlet(net, chiplet, unit), |(to, _)| to)
    }

    pub(super) fn outlet(&self, net: Net, chiplet: u16, unit: Unit) -> OutletId {
        let ends = &self.ends[net as usize][usize::from(chiplet)].from;
        ends.iter().find(|(u, _)| *u == unit).expect("the unit sends here").1
    }

    /// Where a unit receives from a network of a chiplet.
    pub fn to(&self, net: Net, chiplet: u16, unit: Unit) -> InletId {
        self.combined(net, unit).map_or_else(|| self.inlet(net, chiplet, unit), |(_, from)| from)
    }

    pub(super) fn inlet(&self, net: Net, chiplet: u16, unit: Unit) -> InletId {
        let ends = &self.ends[net as usize][usize::from(chiplet)].to;
        ends.iter().find(|(u, _)| *u == unit).expect("the unit receives here").1
    }

    /// Inlet from a bank's peers, and outlet to them, if it has peers.
    pub fn peers(&self, chiplet: u16, unit: Unit) -> Option<(InletId, OutletId)> {
        let peers = || (self.to(Net::Peer, chiplet, unit), self.from(Net::Peer, chiplet, unit));
        self.talks.peers.then(peers)
    }

    /// Where a bank pushes stores to copies of other GPUs, if there are any.
    pub fn pushes(&self, chiplet: u16, unit: Unit) -> Option<OutletId> {
        self.talks.pushes.then(|| self.from(Net::Push, chiplet, unit))
    }

    /// Inlet of such a bank from other GPUs, if they do not use the way of its CUs or go past it.
    pub fn arrivals(&self, chiplet: u16, unit: Unit) -> Option<InletId> {
        let enters = self.between.enters == Net::Arrival;
        enters.then(|| self.to(Net::Arrival, chiplet, unit))
    }

    /// A way from one component to another, for `queue` messages beyond those under way.
    pub fn channel(
        &mut self,
        name: String,
        (producer, consumer): (ComponentId, ComponentId),
        latency: u32,
        queue: u32,
    ) -> (OutletId, InletId) {
        let window = queue + latency;
        self.channel_with(name, (producer, consumer), latency, window, Rate::per_cycle(64))
    }

    /// The same, for `window` messages in all, at a rate of its own.
    pub(super) fn channel_with(
        &mut self,
        name: String,
        (producer, consumer): (ComponentId, ComponentId),
        latency: u32,
        window: u32,
        rate: Rate,
    ) -> (OutletId, InletId) {
        let spec = InletSpec { name: name.clone(), consumer, latency: 0, width: 0 };
        let inlet = self.network.add_inlet(spec);
        let routes = self.network.route_to(inlet);
        let spec = OutletSpec { name, producer, latency, rate, window, array: 0, early: 0 };
        (self.network.add_outlet(spec, routes), inlet)
    }

    /// The units of a chiplet that send into a network, and those that receive from it.
    fn members(&self, net: Net, chiplet: u16) -> (Vec<Unit>, Vec<Unit>) {
        let l = &self.numbers.layout;
        let cores = || (0..l.cores).map(|i| l.core(chiplet, i));
        let banks = || (0..l.banks).map(|i| l.bank(chiplet, i));
        let slices = || (0..l.slices).map(|i| l.slice(chiplet, i));
        match net {
            Net::Request => (cores().collect(), banks().collect()),
            Net::Answer => (banks().chain(slices()).collect(), cores().chain(banks()).collect()),
            Net::Memory => (banks().collect(), slices().collect()),
            Net::Peer => (banks().collect(), banks().collect()),
            Net::Push => (banks().collect(), Vec::new()),
            Net::Arrival => (Vec::new(), banks().collect()),
        }
    }

    /// Whether a GPU's gate sends into a network of its chiplets, and whether it receives from it.
    fn gate_takes_part(&self, net: Net) -> (bool, bool) {
        let several = self.numbers.layout.gpus > 1;
        (
            several && (net == Net::Answer || net == self.between.enters),
            several && (net == Net::Answer || net == Net::Push || net == self.between.leaves),
        )
    }

    /// A gate's ends take what its links bring: the link limits it, not the width of a port.
    fn is_gate(&self, unit: Unit) -> bool {
        matches!(self.numbers.layout.site(unit), Site::Gate(_))
    }

    /// Accesses that may come over a link in a cycle of the machine.
    fn accesses_per_cycle(&self) -> u32 {
        self.system.gpu_link.clock_mhz.div_ceil(self.system.machine.clock_mhz)
    }

    /// Latency of the end of a unit: half of the way between a CU and an L2 bank, or of that
    /// between an L2 bank and an L3 slice; the responder adds the time of its arrays.
    fn latency(&self, net: Net, unit: Unit, sends: bool) -> u32 {
        let n = &self.system.network;
        let site = self.numbers.layout.site(unit);
        let (near, far) = match (net, site) {
            (Net::Peer, Site::Gate(_)) => (self.afar.leaving(n.latency / 2), n.latency.div_ceil(2)),
            // The way between a CU and the link has been gone, or will be.
            (Net::Peer, _) => (1, 0),
            (Net::Memory, _) | (Net::Answer, Site::Slice(..)) => {
                (n.memory_latency / 2, n.memory_latency.div_ceil(2))
            }
            _ => (n.latency / 2, n.latency.div_ceil(2)),
        };
        let answer = match (net, site) {
            (Net::Answer, Site::Bank(..) | Site::Slice(..)) if sends => self.array(net, unit),
            // What another GPU's bank says to a CU has left it early, too.
            (Net::Answer, Site::Gate(_)) if sends && self.talks.peers => self.afar.early,
            // What comes from an L3 slice goes the rest of its way; a bank's own way to CUs is
            // longer.
            (Net::Answer, Site::Bank(..)) => return n.memory_latency.div_ceil(2),
            _ => 0,
        };
        answer + if sends { near } else { far }
    }

    /// Of the latency of a unit that answers, that of its arrays.
    fn array(&self, net: Net, unit: Unit) -> u32 {
        match (net, self.numbers.layout.site(unit)) {
            (Net::Answer, Site::Bank(..)) => self.system.l2.latency,
            (Net::Answer, Site::Slice(..)) => self.system.l3.latency,
            _ => 0,
        }
    }

    /// One network: in each chiplet a crossbar, between those of a GPU its part of a link each way.
    fn lay(&mut self, net: Net) {
        let chiplets = self.numbers.layout.all_chiplets();
        let link = self.system.chiplet_link.clone();
        let link_latency = match net {
            Net::Answer => link.round_trip.div_ceil(2),
            Net::Request | Net::Memory | Net::Push | Net::Arrival => link.round_trip / 2,
            Net::Peer => self.afar.leaving(link.round_trip / 2),
        };
        // Messages that leave a link in a cycle when it is busy.
        let header = u64::from(self.system.network.header_bytes);
        let most = link.bytes.div_ceil(link.cycles * header);
        // Messages that are under way inside a crossbar when it is busy.
        let far = self.system.network.latency.max(self.system.network.memory_latency);
        let mut ways_out = Vec::new();
        let mut routes = Vec::new();
        for chiplet in 0..chiplets {
            let (to, out) = self.lay_inlets(net, chiplet);
            routes.push(self.routes(net, chiplet, &to, &out));
            self.ends[net as usize].push(Ends { from: Vec::new(), to });
            ways_out.push(out);
        }
        for (chiplet, out) in (0..chiplets).zip(ways_out) {
            for (peer, number, inlet) in out {
                let name = format!("link.chiplet{chiplet}_to_chiplet{peer}.{net:?}").to_lowercase();
                let spec = OutletSpec {
                    name,
                    producer: self.numbers.link(number),
                    latency: link_latency,
                    // The link's own port is what limits all networks together.
                    rate: Rate::UNLIMITED,
                    window: window(u64::from(link.queue) + u64::from(link_latency + far) * most),
                    array: 0,
                    early: 0,
                };
                let outlet = self.network.add_outlet(spec, routes[usize::from(peer)]);
                self.links[number as usize].add(inlet, outlet);
            }
            self.lay_outlets(net, chiplet, routes[usize::from(chiplet)], far);
        }
    }

    /// Inlets of a chiplet's units, and of the links to the other chiplets of its GPU.
    #[allow(clippy::type_complexity)]
    fn lay_inlets(
        &mut self,
        net: Net,
        chiplet: u16,
    ) -> (Vec<(Unit, InletId)>, Vec<(u16, u32, InletId)>) {
        let layout = self.numbers.layout.clone();
        let gpu = layout.gpu_of(chiplet);
        let (_, mut receivers) = self.members(net, chiplet);
        receivers.extend(self.gate_takes_part(net).1.then(|| layout.gate(gpu)));
        let mut to = Vec::new();
        for unit in receivers {
            let mut spec = InletSpec {
                name: format!("{}.{net:?}.in", layout.name(unit)).to_lowercase(),
                consumer: self.numbers.unit(unit),
                latency: self.latency(net, unit, false),
                width: if self.is_gate(unit) {
                    0
                } else {
                    self.system.network.bytes_per_cycle as u32
                },
            };
            if let Some((combiner, is_first)) = self.combiner_of(unit) {
                if !is_first {
                    let (_, inlet) = *to.last().expect("that of the first CU");
                    to.push((unit, inlet));
                    continue;
                }
                spec.name = format!("{}.combiner.answer.in", layout.name(unit));
                spec.consumer = combiner;
                // A cycle is that of the channel to the CU.
                spec.latency = spec.latency.saturating_sub(1);
                // The channels to the CUs limit it.
                spec.width = 0;
            }
            to.push((unit, self.network.add_inlet(spec)));
        }
        let first = gpu * layout.chiplets;
        let mut out = Vec::new();
        for peer in (first..first + layout.chiplets).filter(|&peer| peer != chiplet) {
            let before = u32::from(layout.chiplets - 1) * u32::from(chiplet);
            let number = before + out.len() as u32;
            let consumer = self.numbers.link(number);
            let name = format!("link.chiplet{chiplet}_to_chiplet{peer}.{net:?}.in").to_lowercase();
            let spec = InletSpec { name, consumer, latency: 0, width: 0 };
            out.push((peer, number, self.network.add_inlet(spec)));
        }
        (to, out)
    }

    /// From a chiplet to each unit: its own directly, those of its GPU's other chiplets over a
    /// link, banks of other GPUs that it talks to by way of the gate.
    fn routes(
        &mut self,
        net: Net,
        chiplet: u16,
        to: &[(Unit, InletId)],
        out: &[(u16, u32, InletId)],
    ) -> Routes {
        let layout = &self.numbers.layout;
        let mut inlets = vec![None; layout.units().into()];
        let gate = layout.gate(layout.gpu_of(chiplet));
        let gate =
            to.iter().find(|(unit, _)| (self.talks.peers || self.talks.crosses) && *unit == gate);
        if let Some(&(_, inlet)) = gate {
            let banks = |chiplet| (0..layout.banks).map(move |bank| layout.bank(chiplet, bank));
            for unit in (0..layout.all_chiplets()).flat_map(banks) {
                inlets[usize::from(unit.0)] = Some(inlet);
            }
        }
        for &(unit, inlet) in to {
            inlets[usize::from(unit.0)] = Some(inlet);
        }
        for &(peer, _, inlet) in out {
            for unit in self.members(net, peer).1 {
                inlets[usize::from(unit.0)] = Some(inlet);
            }
        }
        self.network.add_routes(inlets)
    }

    /// Bandwidth of the port over which a unit sends.
    pub(super) fn port(&self, net: Net, unit: Unit) -> Rate {
        let n = &self.system.network;
        let is_core = matches!(self.numbers.layout.site(unit), Site::Core(..));
        let own = n.request_bytes_per_cycle;
        let bytes = if is_core && net == Net::Request && own > 0 { own } else { n.bytes_per_cycle };
        Rate::per_cycle(bytes)
    }

    fn lay_outlets(&mut self, net: Net, chiplet: u16, routes: Routes, far: u32) {
        let layout = self.numbers.layout.clone();
        let (mut senders, _) = self.members(net, chiplet);
        senders.extend(self.gate_takes_part(net).0.then(|| layout.gate(layout.gpu_of(chiplet))));
        for unit in senders {
            let latency = self.latency(net, unit, true);
            let messages = self.system.network.queue + latency + far;
            let mut spec = OutletSpec {
                name: format!("{}.{net:?}", layout.name(unit)).to_lowercase(),
                producer: self.numbers.unit(unit),
                latency,
                rate: match self.is_gate(unit) {
                    true => Rate::UNLIMITED,
                    false => self.port(net, unit),
                },
                window: window(match self.is_gate(unit) {
                    true => u64::from(messages) * u64::from(self.accesses_per_cycle()),
                    false => messages.into(),
                }),
                array: self.array(net, unit),
                early: match (net, layout.site(unit)) {
                    (Net::Answer, Site::Bank(..)) => self.afar.early,
                    (Net::Answer, Site::Gate(_)) if self.talks.peers => self.afar.early,
                    _ => 0,
                },
            };
            if let Some((combiner, is_first)) = self.combiner_of(unit) {
                if !is_first {
                    continue;
                }
                let cluster = self.cluster();
                spec.name = format!("{}.combiner.below.request", layout.name(unit));
                spec.producer = combiner;
                spec.latency = spec.latency.saturating_sub(1).max(1);
                spec.rate =
                    Rate::per_cycle(self.system.network.bytes_per_cycle * u64::from(cluster));
                spec.window *= u32::from(cluster);
            }
            let outlet = self.network.add_outlet(spec, routes);
            self.ends[net as usize][usize::from(chiplet)].from.push((unit, outlet));
        }
    }
}
