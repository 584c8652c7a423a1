//! Puts a machine together from a system file.

mod afar;
mod clusters;
mod command;
pub mod make;
mod names;
mod numbers;
pub mod part;
mod wiring;

pub use names::{
    OWN, PLACEMENTS, POLICIES, about, about_policy, all_sections, check_sections, design_names,
    fences, go_together, has_policy, names, own_sections, promises,
};

use std::any::Any;
use std::rc::Rc;

use cosim::body::BodyError;
use cosim::cpelide::{Conf, SyncMode};
use cosim::socket::{At, Socket, Sockets};
use cosim::wave::Clock;
use hwmodel::finepack::depacketizer::Depacketizer;
use hwmodel::finepack::tlp_link;
use ports::finepack::types::FinePack;

use crate::build::make::{BuildError, Make, UnitPort, UnitPorts, UnitWires};
use crate::build::part::Part;
use crate::cache::Shape;
use crate::config::bodies::Bodies;
use crate::config::policy::Policy;
use crate::config::resolved::Resolved;
use crate::config::{ConfigError, System};
use crate::context::layout::{Layout, Site};
use crate::context::message::{Packed, Unit};
use crate::context::places::Placement;
use crate::core::{self, Core};
use crate::engine::{ComponentId, InletId, Network, OutletId, Wires};
use crate::finepack::egress_path::{EgressPath, PathKind};
use crate::gate::{self, Gate};
use crate::l1::SRC;
use crate::l2;
use crate::l3::{self, Slice};
use crate::launch::{Global, GlobalPorts, Local, LocalPorts, Room};

use command::CommandProcessors;
use numbers::Numbers;
use wiring::{Between, Net, Talks, Wiring};

/// Components, and what connects them.
pub struct Built {
    pub parts: Vec<Part>,
    pub sockets: Sockets,
    pub network: Network,
    pub wires: Wires<Packed>,
    pub layout: Layout,
    pub placement: Placement,
    pub policy: Policy,
    pub sync: SyncMode,
    /// The first GPU's command processor; the others follow.
    pub first_global: usize,
    /// Of each component the piece of the machine to which it belongs: all that reaches from one
    /// piece to another is in messages.
    pub pieces: Vec<u16>,
}

/// The sockets of a machine, with models in them, and the RTL bodies that it needs.
pub fn plan(system: &System, bodies: &Bodies) -> Result<Sockets, BuildError> {
    let sockets = Sockets::plan(&bodies.choice, clocks(system));
    Ok(build_with(system, bodies, sockets)?.sockets)
}

/// Builds a machine.
pub fn build(system: &System, bodies: &Bodies) -> Result<Built, BuildError> {
    build_with(system, bodies, Sockets::new(&bodies.choice, clocks(system)))
}

/// The machine's, and that of the links.
fn clocks(system: &System) -> Vec<Clock> {
    let clock = |name: &str, megahertz| Clock { name: name.to_string(), megahertz };
    vec![clock("gpu_clk", system.machine.clock_mhz), clock("link_clk", system.gpu_link.clock_mhz)]
}

/// Number of the links' clock.
const LINK_CLOCK: usize = 1;

fn build_with(system: &System, bodies: &Bodies, sockets: Sockets) -> Result<Built, BuildError> {
    let m = &system.machine;
    let resolved = Resolved::of(system)?;
    let Resolved { l1, l2, policy, placement, .. } = resolved;
    let layout = Layout {
        gpus: m.gpus,
        chiplets: m.chiplets,
        cores: m.cus,
        banks: system.l2.banks,
        slices: system.l3.slices,
        line: m.line,
        header_bytes: system.network.header_bytes,
        sector_log: system.network.sector_bytes.ilog2(),
        bank_log: system.l2.interleave.ilog2(),
        hashed: m.is_hashed(),
    };
    let links = u32::from(layout.all_chiplets()) * u32::from(m.chiplets - 1);
    let units = if l1.unit.is_some() { m.gpus.into() } else { 0 };
    let combine = if l1.name == SRC.name { system.network.combine } else { 0 };
    let combiners = m.cus.checked_div(combine).unwrap_or(0).into();
    let numbers = Numbers { layout: layout.clone(), links, units, combiners };
    let first_global = numbers.global(0).0 as usize;
    let coherent = policy == Policy::Coherent && layout.all_chiplets() > 1;
    // One GPU has no other's copies.
    let pushes = m.gpus > 1 && matches!(placement, Placement::Replicated(_));
    let between = match policy {
        Policy::Private => Between { leaves: Net::Request, enters: Net::Memory },
        Policy::HomeForward if pushes => Between { leaves: Net::Request, enters: Net::Arrival },
        Policy::HomeForward => Between { leaves: Net::Request, enters: Net::Request },
        Policy::Coherent => Between { leaves: Net::Peer, enters: Net::Peer },
    };
    let talks = Talks { peers: coherent, crosses: l1.crosses, pushes };
    let wiring = Wiring::new(system, numbers, between, talks);
    let unit_ports = (0..m.gpus).map(|_| UnitPorts::default()).collect();
    let wires = Wires::default();
    let mut builder = Builder {
        system,
        resolved,
        bodies,
        sockets,
        unit_ports,
        unit_gates: Vec::new(),
        wiring,
        wires,
        shared: Vec::new(),
    };
    let parts = builder.parts()?;
    let pieces = (0..parts.len() as u32).map(|id| builder.piece(ComponentId(id))).collect();
    let Builder { sockets, wires, wiring, .. } = builder;
    let (network, sync) = (wiring.network, l2.sync);
    Ok(Built {
        parts,
        sockets,
        network,
        wires,
        layout,
        placement,
        policy,
        sync,
        first_global,
        pieces,
    })
}

/// The blocks between GPUs, by GPU.
struct LinkBlocks {
    parameters: FinePack,
    kind: PathKind,
    paths: Vec<EgressPath>,
    ingress: Vec<Socket<Depacketizer>>,
}

/// Both ways of a command processor to one that it commands: out, and back.
type Pair = (OutletId, InletId);

struct Builder<'a> {
    system: &'a System,
    resolved: Resolved<'a>,
    bodies: &'a Bodies,
    sockets: Sockets,
    /// What the L1 design's unit of each GPU has of the parts that were built.
    unit_ports: Vec<UnitPorts>,
    /// The gate's ends of the channels between it and those units.
    unit_gates: Vec<(InletId, OutletId)>,
    wiring: Wiring<'a>,
    wires: Wires<Packed>,
    shared: Vec<Rc<dyn Any>>,
}

impl Builder<'_> {
    /// All components, in the order of their numbers.
    fn parts(&mut self) -> Result<Vec<Part>, BuildError> {
        let layout = self.wiring.numbers.layout.clone();
        // First in the register: with what they transfer a waveform begins.
        let between = if layout.gpus > 1 { Some(self.between()?) } else { None };
        let mut parts = Vec::new();
        let mut globals = Vec::new();
        let mut releases = Vec::new();
        for gpu in 0..layout.gpus {
            let mut to_chiplets = Vec::new();
            let mut from_chiplets = Vec::new();
            for number in 0..layout.chiplets {
                let (to, from) = self.chiplet(gpu, number, &mut parts)?;
                to_chiplets.push(to);
                from_chiplets.push(from);
            }
            let gate = (layout.gpus > 1).then(|| {
                let (global, gate) = (self.wiring.numbers.global(gpu), self.wiring.numbers.gate());
                let name = |way: &str| format!("gpu{gpu}.command_processor.{way}_gate");
                let to = self.wiring.channel(name("to"), (global, gate), 1, 1);
                let from = self.wiring.channel(name("from"), (gate, global), 1, 1);
                releases.push((to.1, from.0));
                (to.0, from.1)
            });
            globals.push(GlobalPorts { to_chiplets, from_chiplets, gate });
        }
        let command = CommandProcessors::new(self.system, self.bodies, self.resolved.l2.sync)?;
        for (gpu, ports) in (0..).zip(globals) {
            let (conf, owner) = (self.conf(), self.wiring.numbers.global(gpu).0);
            let blocks = command.blocks(&mut self.sockets, gpu, owner, conf.bits())?;
            parts.push(Part::Global(Box::new(Global::new(gpu, ports, blocks, &conf))));
        }
        parts.extend(self.wiring.take_links());
        if let Some(new) = self.resolved.l1.unit {
            for (gpu, mut ports) in (0..).zip(std::mem::take(&mut self.unit_ports)) {
                if self.resolved.l1.crosses && layout.gpus > 1 {
                    ports.gate = Some(self.unit_gate(gpu));
                }
                let mut make = self.make(gpu, None);
                parts.push(Part::Unit(new(&mut make, ports)?));
            }
        }
        parts.extend(self.wiring.take_combiners());
        if let Some(between) = between {
            parts.push(self.gate(between, &releases)?);
        }
        Ok(parts)
    }

    /// The piece of a component: its chiplet; its GPU where wires lead to that one's unit; all
    /// where parts talk in no time.
    fn piece(&self, id: ComponentId) -> u16 {
        let chiplet = self.wiring.numbers.chiplet(id);
        match self.resolved.l1.unit {
            _ if !self.shared.is_empty() => 0,
            Some(_) => self.wiring.numbers.layout.gpu_of(chiplet),
            None => chiplet,
        }
    }

    /// A chiplet's components. Gives what its GPU's command processor has of it.
    fn chiplet(
        &mut self,
        gpu: u16,
        number: u16,
        parts: &mut Vec<Part>,
    ) -> Result<Pair, BuildError> {
        let layout = self.wiring.numbers.layout.clone();
        let chiplet = gpu * layout.chiplets + number;
        let mut to_cores = Vec::new();
        let mut from_cores = Vec::new();
        for unit in (0..layout.cores).map(|i| layout.core(chiplet, i)) {
            let (out, back) = self.orders(chiplet, unit);
            parts.push(self.core(chiplet, unit, (out.1, back.0))?);
            to_cores.push(out.0);
            from_cores.push(back.1);
        }
        let mut to_banks = Vec::new();
        let mut from_banks = Vec::new();
        for unit in (0..layout.banks).map(|i| layout.bank(chiplet, i)) {
            let (out, back) = self.orders(chiplet, unit);
            parts.push(self.bank(chiplet, unit, (out.1, back.0))?);
            to_banks.push(out.0);
            from_banks.push(back.1);
        }
        for unit in (0..layout.slices).map(|i| layout.slice(chiplet, i)) {
            parts.push(self.slice(chiplet, unit)?);
        }
        let pair = (self.wiring.numbers.global(gpu), self.wiring.numbers.local(chiplet));
        let name = |way: &str| format!("gpu{gpu}.command_processor.{way}_chiplet{number}");
        let out = self.wiring.channel(name("to"), pair, 1, 4);
        let back = self.wiring.channel(name("from"), (pair.1, pair.0), 1, 4);
        let (commands, answers) = (out.1, back.0);
        let ports = LocalPorts { commands, answers, to_cores, from_cores, to_banks, from_banks };
        let (whole, new) = (Room::of(&self.system.cu), self.resolved.scheduler.new);
        let scheduler = new(&mut self.make_of_chiplet(chiplet))?;
        let start_cycles = self.system.command_processor.start_cycles;
        parts.push(Part::Local(Box::new(Local::new(whole, scheduler, start_cycles, ports))));
        Ok((out.0, back.1))
    }

    /// The machine's parameters for the firmware.
    fn conf(&self) -> Conf {
        let (m, c) = (&self.system.machine, &self.system.command_processor);
        Conf {
            chiplets: m.chiplets.into(),
            sync_mode: self.resolved.l2.sync,
            home_forward: self.resolved.policy == Policy::HomeForward,
            several_gpus: m.gpus > 1,
            max_structs: c.max_structs,
            table_entries: c.table_entries,
            long_lines: m.line == 128,
            home_aware: c.home_aware,
            ahead: c.ahead && m.gpus == 1,
        }
    }

    /// Between a chiplet's command processor and a unit.
    fn orders(&mut self, chiplet: u16, unit: Unit) -> (Pair, Pair) {
        let local = self.wiring.numbers.local(chiplet);
        let (name, peer) = (self.wiring.numbers.layout.name(unit), self.wiring.numbers.unit(unit));
        let out = self.wiring.channel(format!("{name}.orders"), (local, peer), 1, 4);
        (out, self.wiring.channel(format!("{name}.done"), (peer, local), 1, 4))
    }

    /// Between a CU or bank and its GPU's unit of the L1 design; as long as the way between CUs and
    /// banks. Gives the unit's end, without wires, and the other.
    fn unit_channels(&mut self, gpu: u16, unit: Unit) -> (UnitPort, Pair) {
        let (name, peer) = (self.wiring.numbers.layout.name(unit), self.wiring.numbers.unit(unit));
        let own = self.wiring.numbers.gpu_unit(gpu);
        let (latency, queue) = (self.system.network.latency, self.system.network.queue);
        let to = self.wiring.channel(format!("{name}.unit.to"), (peer, own), latency, queue);
        let from = self.wiring.channel(format!("{name}.unit.from"), (own, peer), latency, queue);
        (UnitPort { to: from.0, from: to.1, wires: UnitWires::default() }, (to.0, from.1))
    }

    /// Between a GPU's unit of the L1 design and the gate; as long. Gives the unit's end.
    fn unit_gate(&mut self, gpu: u16) -> UnitPort {
        let (own, gate) = (self.wiring.numbers.gpu_unit(gpu), self.wiring.numbers.gate());
        let (latency, queue) = (self.system.network.latency, self.system.network.queue);
        let name = |way: &str| format!("gpu{gpu}.unit.{way}_gate");
        let to = self.wiring.channel(name("to"), (own, gate), latency, queue);
        let from = self.wiring.channel(name("from"), (gate, own), latency, queue);
        self.unit_gates.push((to.1, from.0));
        UnitPort { to: to.0, from: from.1, wires: UnitWires::default() }
    }

    /// What a chiplet's scheduler is made with.
    fn make_of_chiplet(&mut self, chiplet: u16) -> Make<'_> {
        let numbers = &self.wiring.numbers;
        let layout = &numbers.layout;
        let gpu = layout.gpu_of(chiplet);
        let number = chiplet % layout.chiplets;
        let (place, owner) = (format!("gpu{gpu}/chiplet{number}"), numbers.local(chiplet));
        Make { chiplet, number, place, owner, unit: None, ..self.make(gpu, None) }
    }

    /// What a part of a design is made with: of a unit, or of a GPU.
    fn make(&mut self, gpu: u16, unit: Option<Unit>) -> Make<'_> {
        let numbers = &self.wiring.numbers;
        let layout = &numbers.layout;
        let own = numbers.gpu_unit(gpu);
        let (owner, chiplet, number, place) = match unit {
            None => (own, 0, gpu, format!("gpu{gpu}")),
            Some(unit) => {
                let (Site::Core(chiplet, number)
                | Site::Bank(chiplet, number)
                | Site::Slice(chiplet, number)) = layout.site(unit)
                else {
                    unreachable!("a gate has no design")
                };
                // `gpu0.chiplet1.l2.bank3` stands at `gpu0/chiplet1/l2.bank3`.
                (numbers.unit(unit), chiplet, number, layout.name(unit).replacen('.', "/", 2))
            }
        };
        let unit = self.resolved.l1.unit.map(|_| own);
        let (system, sockets, wires) = (self.system, &mut self.sockets, &mut self.wires);
        let unit_wires = UnitWires::default();
        let shared = &mut self.shared;
        Make { system, chiplet, number, place, owner, unit, sockets, wires, unit_wires, shared }
    }

    fn core(
        &mut self,
        chiplet: u16,
        unit: Unit,
        (orders, done): (InletId, OutletId),
    ) -> Result<Part, BuildError> {
        let cu = &self.system.cu;
        let spec = core::Spec {
            waves: cu.waves,
            lanes: cu.lanes,
            loads: cu.loads,
            transactions: cu.transactions,
            gap_cycles: cu.gap_cycles,
            exclusive_lines: cu.exclusive_lines,
            pipeline: self.resolved.scoreboard.then(|| self.system.pipeline.clone()),
            sector: self.system.network.sector_bytes,
            tlb: self.system.tlb.clone(),
        };
        let gpu = self.wiring.numbers.layout.gpu_of(chiplet);
        let to_unit = self.resolved.l1.unit.map(|_| self.unit_channels(gpu, unit));
        let ports = core::Ports {
            orders,
            done,
            below: self.wiring.from(Net::Request, chiplet, unit),
            answers: self.wiring.to(Net::Answer, chiplet, unit),
            to_unit: to_unit.as_ref().map(|(_, (to, _))| *to),
            from_unit: to_unit.as_ref().map(|(_, (_, from))| *from),
        };
        let new = self.resolved.l1.core;
        let mut make = self.make(gpu, Some(unit));
        let l1 = new(&mut make)?;
        let wires = make.unit_wires;
        if let Some((port, _)) = to_unit {
            self.unit_ports[usize::from(gpu)].cores.push(UnitPort { wires, ..port });
        }
        Ok(Part::Core(Box::new(Core::new(unit, spec, ports, l1))))
    }

    fn bank(
        &mut self,
        chiplet: u16,
        unit: Unit,
        (commands, done): (InletId, OutletId),
    ) -> Result<Part, BuildError> {
        let (l2, line) = (&self.system.l2, self.system.machine.line);
        let layout = &self.wiring.numbers.layout;
        let (gpu, Site::Bank(_, number)) = (layout.gpu_of(chiplet), layout.site(unit)) else {
            unreachable!("a bank")
        };
        let addresses = l2::Addresses::new(layout, number);
        let sets = (l2.bytes / u64::from(l2.banks) / u64::from(l2.ways) / u64::from(line)) as u32;
        // A bank numbers its lines itself.
        let hashed = self.system.machine.is_hashed();
        let shape = Shape { sets, ways: l2.ways, line, stride: 1, hashed };
        let has_part = self.resolved.l1.bank.is_some() || self.resolved.l1.l2.is_some();
        let to_unit =
            self.resolved.l1.unit.filter(|_| has_part).map(|_| self.unit_channels(gpu, unit));
        let ports = l2::Ports {
            requests: self.wiring.to(Net::Request, chiplet, unit),
            fills: self.wiring.to(Net::Answer, chiplet, unit),
            answers: self.wiring.from(Net::Answer, chiplet, unit),
            below: self.wiring.from(Net::Memory, chiplet, unit),
            commands,
            done,
            peers: self.wiring.peers(chiplet, unit),
            pushes: self.wiring.pushes(chiplet, unit),
            arrivals: self.wiring.arrivals(chiplet, unit),
            unit: to_unit.as_ref().map(|(_, pair)| *pair),
        };
        let (policy, misses, new, hook) =
            (self.resolved.policy, l2.misses, self.resolved.l2.bank, self.resolved.l1.bank);
        let (early, keeps) = (self.wiring.afar.early, self.resolved.sharing_l2.new);
        let through = self.resolved.through;
        let (data_port, atomics) = (l2::DataPort::of(l2), l2::Atomics::of(l2));
        // Hooks and policies see whole lines.
        let sector = self.system.sector(l2.sector).filter(|_| hook.is_none() && keeps.is_none());
        let mut make = self.make(gpu, Some(unit));
        let hook = hook.map(|new| new(&mut make)).transpose()?;
        let keeps = keeps.map(|new| new(&mut make)).transpose()?;
        let spec = l2::Spec {
            unit,
            chiplet,
            gpu,
            number,
            addresses,
            policy,
            through,
            shape,
            misses,
            sector,
            data_port,
            atomics,
            early,
            ports,
            hook,
            keeps,
        };
        let bank = new(&mut make, spec)?;
        let wires = make.unit_wires;
        if let Some((port, _)) = to_unit {
            self.unit_ports[usize::from(gpu)].banks.push(UnitPort { wires, ..port });
        }
        Ok(Part::Bank(bank))
    }

    /// The blocks between the GPUs.
    fn between(&mut self) -> Result<LinkBlocks, BuildError> {
        let system = self.system;
        let parameters = gate::parameters(system)?;
        let owner = self.wiring.numbers.gate().0;
        let (run, timeout) = (&system.egress.config, system.egress.timeout);
        let Resolved { path: kind, accounting: acct, .. } = self.resolved;
        let (mut paths, mut ingress) = (Vec::new(), Vec::new());
        for gpu in 0..system.machine.gpus {
            let place = format!("gpu{gpu}");
            let at = || At { place: &place, clock: LINK_CLOCK, owner };
            let sockets = &mut self.sockets;
            let path = kind.with_bodies(&parameters, (timeout, acct), || {
                let queue = sockets.socket(at(), run, &(&parameters).into())?;
                Ok::<_, BodyError>((queue, sockets.socket(at(), run, &(&parameters).into())?))
            });
            paths.push(path?);
            ingress.push(match kind.has_link() {
                true => sockets.socket(at(), run, &(&parameters).into())?,
                // Nothing ever comes to it.
                false => Socket::model(&(&parameters).into()).map_err(BodyError::from)?,
            });
        }
        Ok(LinkBlocks { parameters, kind, paths, ingress })
    }

    /// What joins the GPUs.
    fn gate(
        &self,
        blocks: LinkBlocks,
        releases: &[(InletId, OutletId)],
    ) -> Result<Part, BuildError> {
        let (layout, system) = (&self.wiring.numbers.layout, self.system);
        let link = |e: ports::ConfigError| ConfigError {
            field: "gpu_link".into(),
            problem: e.to_string(),
        };
        let LinkBlocks { parameters: finepack, kind, paths, ingress } = blocks;
        let latency = system.gpu_link.latency_cycles() as u32;
        let mut link_config = tlp_link::Config::new(&finepack, latency).map_err(link)?;
        (link_config.bytes, link_config.cycles) = system.gpu_link.rate();
        link_config.framing.cfg_extra = kind.cfg_extra();
        let mut ports = Vec::new();
        for gpu in 0..layout.gpus {
            let unit = layout.gate(gpu);
            let chiplets = gpu * layout.chiplets..(gpu + 1) * layout.chiplets;
            let chiplets = || chiplets.clone();
            let from = |net| chiplets().map(|c| self.wiring.from(net, c, unit)).collect::<Vec<_>>();
            let to = |net| chiplets().map(|c| self.wiring.to(net, c, unit)).collect::<Vec<_>>();
            let (mut exits, mut answers) = (to(self.wiring.between.leaves), from(Net::Answer));
            if self.wiring.talks.pushes {
                exits.extend(to(Net::Push));
            }
            let said = self.unit_gates.get(usize::from(gpu));
            answers.extend(said.map(|(_, outlet)| *outlet));
            let release = releases[usize::from(gpu)];
            let early = if self.wiring.talks.peers { self.wiring.afar.early } else { 0 };
            let out = gate::OutgoingPorts { exits, answers, early, release };
            let (entries, mut answers) = (from(self.wiring.between.enters), to(Net::Answer));
            answers.extend(said.map(|(inlet, _)| *inlet));
            let arriving = gate::IncomingPorts { entries, answers };
            ports.push((out, arriving));
        }
        let spec = gate::Spec {
            finepack,
            link: link_config,
            clock_mhz: system.machine.clock_mhz,
            link_mhz: system.gpu_link.clock_mhz,
            line: system.machine.line,
            policy: self.resolved.policy,
            crosses: self.resolved.l1.crosses,
            has_link: kind.has_link(),
            tags: gate::tags(system),
            local_latency: gate::local_latency(system),
        };
        let gate = Gate::new(&spec, paths, ingress, ports).map_err(link)?;
        Ok(Part::Gate(Box::new(gate)))
    }

    fn slice(&self, chiplet: u16, unit: Unit) -> Result<Part, ConfigError> {
        let (layout, l3) = (&self.wiring.numbers.layout, &self.system.l3);
        let line = self.system.machine.line;
        let slices = u64::from(l3.slices) * u64::from(self.system.machine.chiplets);
        let sets = (l3.bytes / slices / u64::from(l3.ways) / u64::from(line)) as u32;
        let hashed = self.system.machine.is_hashed();
        let shape = Shape { sets, ways: l3.ways, line, stride: l3.slices.into(), hashed };
        let ports = l3::Ports {
            requests: self.wiring.to(Net::Memory, chiplet, unit),
            answers: self.wiring.from(Net::Answer, chiplet, unit),
        };
        let memory = l3::ChannelSpec::of(&self.resolved)?;
        let place = (unit, layout.gpu_of(chiplet));
        Ok(Part::Slice(Box::new(Slice::new(place, shape, l3.misses, &memory, ports))))
    }
}
