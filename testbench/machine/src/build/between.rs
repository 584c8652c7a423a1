//! The parts between the GPUs: the blocks of their links, and the gate.

use cosim::body::BodyError;
use cosim::socket::{At, Socket};
use hwmodel::finepack::depacketizer::Depacketizer;
use hwmodel::finepack::tlp_link;
use ports::finepack::types::FinePack;

use super::Builder;
use super::wiring::Net;
use crate::build::make::{BuildError, UnitPort, UnitWires};
use crate::build::part::Part;
use crate::config::ConfigError;
use crate::config::resolved::Resolved;
use crate::engine::{InletId, OutletId};
use crate::finepack::egress_path::{EgressPath, PathKind};
use crate::gate::{self, Gate};

/// Number of the links' clock.
const LINK_CLOCK: usize = 1;

/// The blocks between GPUs, by GPU.
pub(super) struct LinkBlocks {
    parameters: FinePack,
    kind: PathKind,
    paths: Vec<EgressPath>,
    ingress: Vec<Socket<Depacketizer>>,
}

impl Builder<'_> {
    /// Between a GPU's unit of the L1 design and the gate; as long as the path from CUs to banks.
    /// Gives the unit's end.
    pub(super) fn unit_gate(&mut self, gpu: u16) -> UnitPort {
        let (own, gate) = (self.wiring.numbers.gpu_unit(gpu), self.wiring.numbers.gate());
        let (latency, queue) = (self.system.network.latency, self.system.network.queue);
        let name = |way: &str| format!("gpu{gpu}.unit.{way}_gate");
        let to = self.wiring.channel(name("to"), (own, gate), latency, queue);
        let from = self.wiring.channel(name("from"), (gate, own), latency, queue);
        self.unit_gates.push((to.1, from.0));
        UnitPort { to: to.0, from: from.1, wires: UnitWires::default() }
    }

    /// The blocks between the GPUs.
    pub(super) fn between(&mut self) -> Result<LinkBlocks, BuildError> {
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
    pub(super) fn gate(
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
}
