//! Puts a machine together from a system file.

use cosim::body::BodyError;
use hwmodel::tlp_link;

use super::bodies::{Bodies, FinePackBlocks};
use super::cache::Shape;
use super::config::{ConfigError, System};
use super::core::{self, Core};
use super::engine::{ChannelId, ChannelSpec, Channels, ComponentId, Rate};
use super::gate::{self, Gate};
use super::l1::{self, L1, Spec};
use super::l2::{self, Bank, Policy};
use super::launch::{self, Global, GlobalPorts, Local, LocalPorts};
use super::layout::{Layout, Site};
use super::message::Unit;
use super::part::Part;
use super::places::Placement;
use super::router::{NO_WAY, Router};
use super::slice::{self, MemorySpec, Slice};
use crate::egress_path::PathKind;

/// The three networks of a chiplet. What lies between L2 and L3 has its own, reads and write-backs in one
/// FIFO: a read never overtakes a write-back, and a full L2 never stops what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Net {
    /// From CUs to L2 banks and to the gate.
    Request,
    /// Back.
    Answer,
    /// From L2 banks to L3 slices.
    Memory,
}

const NETS: [Net; 3] = [Net::Request, Net::Answer, Net::Memory];

/// Components and channels of a machine.
pub struct Built {
    pub parts: Vec<Part>,
    pub channels: Channels,
    pub layout: Layout,
    pub placement: Placement,
    pub l2_at_home: bool,
    /// The first GPU's command processor; the others follow.
    pub first_global: usize,
}

/// Why a machine cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A field of the system.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A block's body.
    #[error(transparent)]
    Body(#[from] BodyError),
}

/// Which component has which number.
struct Numbers {
    layout: Layout,
}

impl Numbers {
    fn per_chiplet(&self) -> u32 {
        let l = &self.layout;
        u32::from(l.cores + l.banks + l.slices) + NETS.len() as u32 + 1
    }

    /// CUs, banks and slices stand in the order of their units.
    fn unit(&self, unit: Unit) -> ComponentId {
        if let Site::Gate(_) = self.layout.site(unit) {
            return self.gate();
        }
        let chiplet = u32::from(self.layout.chiplet_of(unit));
        let first = self.layout.core(chiplet as u16, 0);
        ComponentId(chiplet * self.per_chiplet() + u32::from(unit.0 - first.0))
    }

    fn router(&self, chiplet: u16, net: Net) -> ComponentId {
        ComponentId((u32::from(chiplet) + 1) * self.per_chiplet() - 4 + net as u32)
    }

    fn local(&self, chiplet: u16) -> ComponentId {
        ComponentId((u32::from(chiplet) + 1) * self.per_chiplet() - 1)
    }

    fn global(&self, gpu: u16) -> ComponentId {
        ComponentId(u32::from(self.layout.all_chiplets()) * self.per_chiplet() + u32::from(gpu))
    }

    fn gate(&self) -> ComponentId {
        self.global(self.layout.gpus)
    }
}

struct Builder<'a> {
    system: &'a System,
    numbers: Numbers,
    channels: Channels,
}

/// Builds a machine.
pub fn build(system: &System, bodies: &Bodies) -> Result<Built, BuildError> {
    let m = &system.machine;
    let layout = Layout {
        gpus: m.gpus,
        chiplets: m.chiplets,
        cores: m.cus,
        banks: system.l2.banks,
        slices: system.l3.slices,
        line: m.line,
        header_bytes: system.network.header_bytes,
        sector_log: system.network.sector_bytes.ilog2(),
    };
    let policy = choose("l2.policy", &system.l2.policy, &POLICIES)?;
    let placement = choose("placement.policy", &system.placement.policy, &PLACEMENTS)?;
    let mut builder = Builder {
        system,
        numbers: Numbers { layout: layout.clone() },
        channels: Channels::default(),
    };
    let parts = builder.parts(policy, bodies)?;
    let l2_at_home = policy == Policy::HomeForward;
    let first_global = builder.numbers.global(0).0 as usize;
    Ok(Built { parts, channels: builder.channels, layout, placement, l2_at_home, first_global })
}

const POLICIES: [(&str, Policy); 2] =
    [("private", Policy::Private), ("home-forward", Policy::HomeForward)];

const PLACEMENTS: [(&str, Placement); 3] = [
    ("first-touch", Placement::FirstTouch),
    ("interleave", Placement::Interleave),
    ("owner", Placement::Owner),
];

/// Every design and policy that a system names exists.
pub fn check_names(system: &System) -> Result<(), ConfigError> {
    choose("l1.design", &system.l1.design, &l1::DESIGNS)?;
    choose("l2.design", &system.l2.design, &launch::DESIGNS)?;
    choose("l2.policy", &system.l2.policy, &POLICIES)?;
    choose("placement.policy", &system.placement.policy, &PLACEMENTS)?;
    choose("egress.design", &system.egress.design, &PathKind::ALL.map(|k| (k.name(), k)))?;
    Ok(())
}

/// What may stand in a field that names a design or policy; nothing where the field does not.
pub fn names(field: &str) -> Vec<&'static str> {
    fn of<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
        list.iter().map(|(name, _)| *name).collect()
    }
    match field {
        "l1.design" => of(&l1::DESIGNS),
        "l2.design" => of(&launch::DESIGNS),
        "l2.policy" => of(&POLICIES),
        "placement.policy" => of(&PLACEMENTS),
        "egress.design" => PathKind::ALL.map(PathKind::name).to_vec(),
        _ => Vec::new(),
    }
}

/// Fields that name a design or a policy, with each legal name. Those of `egress.design` are
/// [`PathKind::ALL`].
pub fn design_names() -> Vec<(&'static str, &'static str)> {
    ["l1.design", "l2.design", "l2.policy", "placement.policy"]
        .into_iter()
        .flat_map(|field| names(field).into_iter().map(move |name| (field, name)))
        .collect()
}

fn choose<T: Copy>(field: &str, name: &str, among: &[(&str, T)]) -> Result<T, ConfigError> {
    among.iter().find(|(n, _)| *n == name).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = among.iter().map(|(n, _)| *n).collect();
        let problem = format!("{name:?} is none of {}", names.join(", "));
        ConfigError { field: field.to_string(), problem }
    })
}

/// A chiplet's end of one network: what leads into its router and out of it, by peer.
#[derive(Debug, Default)]
struct Ends {
    /// Inputs of units of this chiplet, by unit.
    from: Vec<(Unit, ChannelId)>,
    /// Outputs to units of this chiplet.
    to: Vec<(Unit, ChannelId)>,
}

impl Ends {
    fn from(&self, unit: Unit) -> ChannelId {
        self.from.iter().find(|(u, _)| *u == unit).expect("the unit sends here").1
    }

    fn to(&self, unit: Unit) -> ChannelId {
        self.to.iter().find(|(u, _)| *u == unit).expect("the unit receives here").1
    }
}

impl Builder<'_> {
    fn channel(
        &mut self,
        name: String,
        (producer, consumer): (ComponentId, ComponentId),
        latency: u32,
        rate: Rate,
        capacity: u32,
    ) -> ChannelId {
        // A queue must hold what is under way for the bandwidth to be reached.
        let capacity = capacity + latency;
        self.channels.add(ChannelSpec { name, producer, consumer, capacity, latency, rate })
    }

    fn parts(&mut self, policy: Policy, bodies: &Bodies) -> Result<Vec<Part>, BuildError> {
        let layout = self.numbers.layout.clone();
        let chiplets = layout.all_chiplets();
        // Router inputs are channels of consecutive numbers, so all networks are laid first.
        let mut ends = Vec::new();
        let mut routers = Vec::new();
        let enters = if policy == Policy::HomeForward { Net::Request } else { Net::Memory };
        for net in NETS {
            let (e, r) = self.network(net, enters);
            ends.push(e);
            routers.push(r);
        }
        let mut locals = Vec::new();
        let mut banks: Vec<Vec<(ChannelId, ChannelId)>> = Vec::new();
        let mut cores: Vec<Vec<(ChannelId, ChannelId)>> = Vec::new();
        let mut globals = Vec::new();
        for chiplet in 0..chiplets {
            let units = |first: Unit, count: u16| (0..count).map(move |i| Unit(first.0 + i));
            let local = self.numbers.local(chiplet);
            cores.push(self.orders(local, units(layout.core(chiplet, 0), layout.cores).collect()));
            banks.push(self.orders(local, units(layout.bank(chiplet, 0), layout.banks).collect()));
        }
        for gpu in 0..layout.gpus {
            let mut to_chiplets = Vec::new();
            let mut from_chiplets = Vec::new();
            for i in 0..layout.chiplets {
                let chiplet = gpu * layout.chiplets + i;
                let (global, local) = (self.numbers.global(gpu), self.numbers.local(chiplet));
                let latency = self.system.command_processor.unicast_latency;
                let rate = Rate::per_cycle(64);
                let name = format!("gpu{gpu}.command_processor.to_chiplet{i}");
                let to = self.channel(name, (global, local), latency, rate, 4);
                let name = format!("gpu{gpu}.command_processor.from_chiplet{i}");
                let from = self.channel(name, (local, global), latency, rate, 4);
                locals.push((to, from));
                to_chiplets.push(to);
                from_chiplets.push(from);
            }
            let gate = (layout.gpus > 1).then(|| {
                let pair = (self.numbers.global(gpu), self.numbers.gate());
                let (back, rate) = ((pair.1, pair.0), Rate::per_cycle(64));
                let name = format!("gpu{gpu}.command_processor.to_gate");
                let to = self.channel(name, pair, 1, rate, 1);
                let name = format!("gpu{gpu}.command_processor.from_gate");
                (to, self.channel(name, back, 1, rate, 1))
            });
            globals.push(GlobalPorts { to_chiplets, from_chiplets, gate });
        }
        let mut parts = Vec::new();
        for chiplet in 0..chiplets {
            let at = usize::from(chiplet);
            for i in 0..layout.cores {
                let (orders, done) = cores[at][usize::from(i)];
                parts.push(self.core(layout.core(chiplet, i), &ends, at, orders, done)?);
            }
            for i in 0..layout.banks {
                let (commands, done) = banks[at][usize::from(i)];
                let unit = layout.bank(chiplet, i);
                parts.push(self.bank(unit, chiplet, policy, &ends, at, commands, done));
            }
            for i in 0..layout.slices {
                parts.push(self.slice(layout.slice(chiplet, i), &ends, at));
            }
            for routers in &mut routers {
                parts.push(Part::Router(routers[at].take().expect("each router is placed once")));
            }
            let ports = LocalPorts {
                commands: locals[at].0,
                answers: locals[at].1,
                to_cores: cores[at].iter().map(|c| c.0).collect(),
                from_cores: cores[at].iter().map(|c| c.1).collect(),
                to_banks: banks[at].iter().map(|c| c.0).collect(),
                from_banks: banks[at].iter().map(|c| c.1).collect(),
            };
            let number = chiplet % layout.chiplets;
            parts.push(Part::Local(Box::new(Local::new(number, self.system.cu.waves, ports))));
        }
        let releases: Vec<_> = globals.iter().filter_map(|g| g.gate).collect();
        for ports in globals {
            let c = &self.system.command_processor;
            let spec = launch::Spec {
                packet_cycles: c.packet_cycles,
                broadcast_extra: c.broadcast_latency - c.unicast_latency,
            };
            let name = &self.system.l2.design;
            let names = launch::DESIGNS.map(|(name, _)| (name, name));
            let design = launch::design(choose("l2.design", name, &names)?).expect("it is listed");
            parts.push(Part::Global(Box::new(Global::new(spec, ports, design))));
        }
        if layout.gpus > 1 {
            parts.push(self.gate(bodies, &ends, enters, &releases)?);
        }
        Ok(parts)
    }

    /// Channels from a local command processor to each of these units, and back.
    fn orders(&mut self, local: ComponentId, units: Vec<Unit>) -> Vec<(ChannelId, ChannelId)> {
        let rate = Rate::per_cycle(64);
        let mut pairs = Vec::new();
        for unit in units {
            let (name, peer) = (self.numbers.layout.name(unit), self.numbers.unit(unit));
            let to = self.channel(format!("{name}.orders"), (local, peer), 1, rate, 4);
            let from = self.channel(format!("{name}.done"), (peer, local), 1, rate, 4);
            pairs.push((to, from));
        }
        pairs
    }

    /// The units of a chiplet that send into a network, and those that receive from it. What comes from other
    /// GPUs enters the network `enters`.
    fn members(&self, net: Net, chiplet: u16, enters: Net) -> (Vec<Unit>, Vec<Unit>) {
        let (mut from, mut to) = self.inner_members(net, chiplet);
        let l = &self.numbers.layout;
        if l.gpus > 1 {
            let gate = l.gate(l.gpu_of(chiplet));
            if net == Net::Answer || net == enters {
                from.push(gate);
            }
            if net != Net::Memory {
                to.push(gate);
            }
        }
        (from, to)
    }

    fn inner_members(&self, net: Net, chiplet: u16) -> (Vec<Unit>, Vec<Unit>) {
        let l = &self.numbers.layout;
        let cores = || (0..l.cores).map(|i| l.core(chiplet, i));
        let banks = || (0..l.banks).map(|i| l.bank(chiplet, i));
        let slices = || (0..l.slices).map(|i| l.slice(chiplet, i));
        match net {
            Net::Request => (cores().collect(), banks().collect()),
            Net::Answer => (banks().chain(slices()).collect(), cores().chain(banks()).collect()),
            Net::Memory => (banks().collect(), slices().collect()),
        }
    }

    /// Latency of the channel from or to a unit: half of the way between a CU and an L2 bank, or of that
    /// between an L2 bank and an L3 slice; whoever answers adds the time of its arrays.
    fn latency(&self, net: Net, unit: Unit, sends: bool) -> u32 {
        let n = &self.system.network;
        let site = self.numbers.layout.site(unit);
        let (near, far) = match (net, site) {
            (Net::Memory, _) | (Net::Answer, Site::Slice(..)) => {
                (n.memory_latency / 2, n.memory_latency.div_ceil(2))
            }
            _ => (n.latency / 2, n.latency.div_ceil(2)),
        };
        let answer = match (net, site) {
            (Net::Answer, Site::Bank(..)) if sends => self.system.l2.latency,
            (Net::Answer, Site::Slice(..)) if sends => self.system.l3.latency,
            // What comes from an L3 slice goes the rest of its way; a bank's own way to CUs is longer.
            (Net::Answer, Site::Bank(..)) => return n.memory_latency.div_ceil(2),
            _ => 0,
        };
        answer + if sends { near } else { far }
    }

    /// One network of all chiplets: the ends of its units, and its routers.
    fn network(&mut self, net: Net, enters: Net) -> (Vec<Ends>, Vec<Option<Router>>) {
        let layout = self.numbers.layout.clone();
        let chiplets = layout.all_chiplets();
        let n = &self.system.network;
        let (queue, rate) = (n.queue, Rate::per_cycle(n.bytes_per_cycle));
        let link = self.system.chiplet_link.clone();
        let link_rate = Rate { bytes: link.bytes, cycles: link.cycles };
        let link_latency = match net {
            Net::Answer => link.round_trip.div_ceil(2),
            Net::Request | Net::Memory => link.round_trip / 2,
        };
        let mut ends = Vec::new();
        let mut inputs = Vec::new();
        // links[to] holds (from, channel): inputs of each router stand together.
        let mut links = Vec::new();
        for chiplet in 0..chiplets {
            let router = self.numbers.router(chiplet, net);
            let (senders, _) = self.members(net, chiplet, enters);
            let mut here = Ends::default();
            let mut all = Vec::new();
            for unit in senders {
                let name = format!("{}.{net:?}", layout.name(unit)).to_lowercase();
                let pair = (self.numbers.unit(unit), router);
                let latency = self.latency(net, unit, true);
                let id = self.channel(name, pair, latency, rate, queue);
                here.from.push((unit, id));
                all.push(id);
            }
            let mut from_peers = Vec::new();
            for peer in (0..chiplets)
                .filter(|&p| p != chiplet && layout.gpu_of(p) == layout.gpu_of(chiplet))
            {
                let name = format!("link.chiplet{peer}_to_chiplet{chiplet}.{net:?}").to_lowercase();
                let pair = (self.numbers.router(peer, net), router);
                let id = self.channel(name, pair, link_latency, link_rate, link.queue);
                from_peers.push((peer, id));
                all.push(id);
            }
            links.push(from_peers);
            inputs.push((all[0], all.len()));
            ends.push(here);
        }
        let mut routers = Vec::new();
        for chiplet in 0..chiplets {
            let router = self.numbers.router(chiplet, net);
            let (_, receivers) = self.members(net, chiplet, enters);
            let mut outputs = Vec::new();
            let mut route = vec![NO_WAY; layout.units().into()];
            for unit in receivers {
                let name = format!("{}.{net:?}.in", layout.name(unit)).to_lowercase();
                let pair = (router, self.numbers.unit(unit));
                let latency = self.latency(net, unit, false);
                let id = self.channel(name, pair, latency, rate, queue);
                ends[usize::from(chiplet)].to.push((unit, id));
                route[usize::from(unit.0)] = outputs.len() as u8;
                outputs.push(id);
            }
            for peer in (0..chiplets)
                .filter(|&p| p != chiplet && layout.gpu_of(p) == layout.gpu_of(chiplet))
            {
                let from_peers = &links[usize::from(peer)];
                let id = from_peers.iter().find(|(p, _)| *p == chiplet).expect("a link each way").1;
                for unit in self.inner_members(net, peer).1 {
                    route[usize::from(unit.0)] = outputs.len() as u8;
                }
                outputs.push(id);
            }
            let (first, count) = inputs[usize::from(chiplet)];
            self.channels.number_inputs(first, count);
            routers.push(Some(Router::new((first, count), outputs, route)));
        }
        (ends, routers)
    }

    fn core(
        &self,
        unit: Unit,
        ends: &[Vec<Ends>],
        chiplet: usize,
        orders: ChannelId,
        done: ChannelId,
    ) -> Result<Part, ConfigError> {
        let cu = &self.system.cu;
        let spec = core::Spec {
            waves: cu.waves,
            lanes: cu.lanes,
            loads: cu.loads,
            transactions: cu.transactions,
            gap_cycles: cu.gap_cycles,
        };
        let below = ends[Net::Request as usize][chiplet].from(unit);
        let answers = ends[Net::Answer as usize][chiplet].to(unit);
        let ports = core::Ports { orders, done, below, answers };
        Ok(Part::Core(Box::new(Core::new(unit, spec, ports, self.l1()?))))
    }

    fn l1(&self) -> Result<Box<dyn L1>, ConfigError> {
        let (l1, line) = (&self.system.l1, self.system.machine.line);
        let shape = Shape { sets: l1.bytes / l1.ways / line, ways: l1.ways, line, stride: 1 };
        let spec = Spec { shape, misses: l1.misses, hit_latency: l1.hit_latency };
        let make = choose("l1.design", &l1.design, &l1::DESIGNS)?;
        Ok(make(&spec))
    }

    #[allow(clippy::too_many_arguments)]
    fn bank(
        &self,
        unit: Unit,
        chiplet: u16,
        policy: Policy,
        ends: &[Vec<Ends>],
        at: usize,
        commands: ChannelId,
        done: ChannelId,
    ) -> Part {
        let (l2, line) = (&self.system.l2, self.system.machine.line);
        let banks = u64::from(l2.banks);
        let sets = (l2.bytes / banks / u64::from(l2.ways) / u64::from(line)) as u32;
        let shape = Shape { sets, ways: l2.ways, line, stride: l2.banks.into() };
        let ports = l2::Ports {
            requests: ends[Net::Request as usize][at].to(unit),
            fills: ends[Net::Answer as usize][at].to(unit),
            answers: ends[Net::Answer as usize][at].from(unit),
            below: ends[Net::Memory as usize][at].from(unit),
            commands,
            done,
        };
        Part::Bank(Box::new(Bank::new(unit, chiplet, policy, shape, l2.misses, ports)))
    }

    /// What joins the GPUs.
    fn gate(
        &self,
        bodies: &Bodies,
        ends: &[Vec<Ends>],
        enters: Net,
        releases: &[(ChannelId, ChannelId)],
    ) -> Result<Part, BuildError> {
        let (layout, system) = (&self.numbers.layout, self.system);
        let blocks = FinePackBlocks::new(system, bodies)?;
        let kinds = PathKind::ALL.map(|kind| (kind.name(), kind));
        let kind = choose("egress.design", &system.egress.design, &kinds)?;
        let least = gate::LINK_MHZ;
        if u64::from(system.machine.clock_mhz) < least {
            let problem =
                format!("{}: at least {least}, the links' clock", system.machine.clock_mhz);
            return Err(ConfigError { field: "machine.clock_mhz".into(), problem }.into());
        }
        let link = |e: hwmodel::ConfigError| ConfigError {
            field: "gpu_link".into(),
            problem: e.to_string(),
        };
        let finepack = blocks.parameters.clone();
        let mut link_config =
            tlp_link::Config::new(&finepack, system.gpu_link.latency).map_err(link)?;
        link_config.bytes_per_cycle = system.gpu_link.bytes_per_ns;
        link_config.framing.cfg_extra = kind.cfg_extra();
        let mut paths = Vec::new();
        let mut ingress = Vec::new();
        let mut ports = Vec::new();
        for gpu in 0..layout.gpus {
            let bodies = || Ok((blocks.body()?, blocks.body()?));
            let path = kind.with_bodies(&finepack, system.egress.timeout, bodies);
            paths.push(path.map_err(|e: BodyError| e)?);
            ingress.push(blocks.body()?);
            let unit = layout.gate(gpu);
            let chiplets =
                || (0..layout.chiplets).map(move |i| usize::from(gpu * layout.chiplets + i));
            let from = |net: Net| chiplets().map(|c| ends[net as usize][c].from(unit)).collect();
            let to = |net: Net| chiplets().map(|c| ends[net as usize][c].to(unit)).collect();
            let exits: Vec<_> = to(Net::Request);
            let answered: Vec<_> = to(Net::Answer);
            let out = gate::OutgoingPorts {
                exits,
                answers: from(Net::Answer),
                release: releases[usize::from(gpu)],
            };
            let arriving = gate::IncomingPorts { entries: from(enters), answers: answered };
            ports.push((out, arriving));
        }
        let spec = gate::Spec {
            finepack,
            link: link_config,
            clock_mhz: system.machine.clock_mhz,
            line: system.machine.line,
            l2_at_home: enters == Net::Request,
        };
        let gate = Gate::new(&spec, paths, ingress, ports).map_err(link)?;
        Ok(Part::Gate(Box::new(gate)))
    }

    fn slice(&self, unit: Unit, ends: &[Vec<Ends>], at: usize) -> Part {
        let (l3, line) = (&self.system.l3, self.system.machine.line);
        let slices = u64::from(l3.slices) * u64::from(self.system.machine.chiplets);
        let sets = (l3.bytes / slices / u64::from(l3.ways) / u64::from(line)) as u32;
        let shape = Shape { sets, ways: l3.ways, line, stride: l3.slices.into() };
        let ports = slice::Ports {
            requests: ends[Net::Memory as usize][at].to(unit),
            answers: ends[Net::Answer as usize][at].from(unit),
        };
        let m = &self.system.memory;
        let rate = Rate { bytes: m.bytes, cycles: m.cycles };
        let memory = MemorySpec { rate, latency: m.latency };
        Part::Slice(Box::new(Slice::new(unit, shape, l3.misses, memory, ports)))
    }
}
