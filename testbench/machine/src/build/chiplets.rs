//! The parts of a chiplet: CUs, L2 banks, L3 slices, and the command processor.

use super::wiring::Net;
use super::{Builder, Pair};
use crate::build::make::{BuildError, UnitPort, UnitWires};
use crate::build::part::Part;
use crate::cache::Shape;
use crate::config::ConfigError;
use crate::context::layout::Site;
use crate::context::message::Unit;
use crate::core::{self, Core};
use crate::engine::{InletId, OutletId};
use crate::l2;
use crate::l3::{self, Slice};
use crate::launch::{Local, LocalPorts, Room};

impl Builder<'_> {
    /// A chiplet's components. Gives what its GPU's command processor has of it.
    pub(super) fn chiplet(
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
