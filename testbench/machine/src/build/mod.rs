//! Puts a machine together from a system file.

mod afar;
mod between;
mod chiplets;
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

use cosim::cpelide::{Conf, SyncMode};
use cosim::socket::Sockets;
use cosim::wave::Clock;

use crate::build::make::{BuildError, Make, UnitPorts, UnitWires};
use crate::build::part::Part;
use crate::config::System;
use crate::config::bodies::Bodies;
use crate::config::policy::Policy;
use crate::config::resolved::Resolved;
use crate::context::layout::{Layout, Site};
use crate::context::message::{Packed, Unit};
use crate::context::places::Placement;
use crate::engine::{ComponentId, InletId, Network, OutletId, Wires};
use crate::l1::SRC;
use crate::launch::{Global, GlobalPorts};

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
}
