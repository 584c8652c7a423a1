//! The command processors of a GPU: packets in, orders to the chiplets, completion signals out.

mod chiplets;
mod counters;

use std::collections::VecDeque;

use cosim::cpelide::aql::kind::BARRIER_AND;
use cosim::cpelide::{Conf, Fault};
use ports::Bytes;
use ports::cpelide::local_command_processor as local;
use ports::cpelide::types::{Aql, Ext, SLOTS};

use super::audit::{Auditor, Packet};
use super::blocks::{Blocks, Inputs, Outputs};
use super::phases::{PHASES, Phase, Phases};
use crate::context::message::{Kind, Message};
use crate::context::{Context, Stop};
use crate::engine::{Cycle, InletId, OutletId};
use chiplets::Heard;
pub use counters::Counters;

/// Inlets and outlets.
#[derive(Clone, Debug)]
pub struct Ports {
    /// To each chiplet.
    pub to_chiplets: Vec<OutletId>,
    /// From each of them.
    pub from_chiplets: Vec<InletId>,
    /// To the gate to other GPUs and from it, where there are any.
    pub gate: Option<(OutletId, InletId)>,
}

/// A packet on its way in.
#[derive(Debug)]
struct Feeding {
    aql: Option<Aql>,
    /// Extension block, and how much of it is in.
    extension: Vec<u8>,
    at: usize,
}

/// A kernel of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernel {
    /// Its number.
    pub number: u32,
    /// First work-group of this GPU's share.
    pub first_group: u32,
    /// Its number among the launches that are under way, below [`SLOTS`].
    pub launch: u8,
}

impl Kernel {
    /// The completion signal of its packet.
    pub fn signal(&self) -> u64 {
        1 + u64::from(self.launch)
    }
}

/// A packet that is not complete.
#[derive(Clone, Copy, Debug)]
struct Flight {
    stream: u8,
    /// When it was taken, its kernel launched, a chiplet was done with it, or the packet before of
    /// its stream was complete.
    since: Cycle,
    /// Tag of its work-groups, once it has any.
    tag: u8,
}

/// Whether a completion signal has been written that the host does not see yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completion {
    No,
    /// A release of stores to other GPUs is under way or requested.
    Gate {
        asked: bool,
    },
}

/// A GPU's command processors.
#[derive(Debug)]
pub struct Global {
    gpu: u16,
    ports: Ports,
    blocks: Blocks,
    inputs: Inputs,
    shown: Outputs,
    /// Packets that are not all in, the oldest first.
    feeding: VecDeque<Feeding>,
    heard: Vec<Heard>,
    /// By launch.
    flights: [Option<Flight>; SLOTS],
    /// Of the launch whose signal was written last.
    completion: Completion,
    completed: usize,
    auditor: Auditor,
    phases: Phases,
    /// Of kernels that run: work-groups that have not ended.
    groups: u32,
    /// Requests to L2s, and launches, one for each chiplet, that are not answered.
    syncing: u32,
    launched: u32,
    /// Of these, launches whose work-groups have begun.
    begun: u32,
    pub counters: Counters,
}

impl Global {
    /// Idle. `conf`: the register CONF (CPElide specification 3.5).
    pub fn new(gpu: u16, ports: Ports, blocks: Blocks, conf: &Conf) -> Self {
        let chiplets = ports.to_chiplets.len();
        let shown = Outputs {
            host: blocks.host.outputs(),
            crossbar: hwmodel::Block::outputs(&blocks.crossbar),
            locals: vec![local::Out::default(); blocks.locals.len()],
        };
        let inputs = Inputs {
            conf: conf.bits(),
            chiplets: vec![local::In::default(); blocks.locals.len()],
            ..Inputs::default()
        };
        Self {
            gpu,
            ports,
            blocks,
            inputs,
            shown,
            feeding: VecDeque::with_capacity(SLOTS),
            heard: vec![Heard::default(); chiplets],
            flights: [None; SLOTS],
            completion: Completion::No,
            completed: 0,
            auditor: Auditor::new(gpu, conf),
            phases: Phases::default(),
            groups: 0,
            syncing: 0,
            launched: 0,
            begun: 0,
            counters: Counters::default(),
        }
    }

    /// Takes a packet of a stream that is bound to the chiplets of a mask, with its extension
    /// block, in cycle `now`; there is a slot for it. The caller visits the processor in the next
    /// cycle.
    pub fn submit(
        &mut self,
        now: Cycle,
        packet: [u8; 64],
        extension: Vec<u8>,
        (stream, mask): (u8, u16),
        kernel: Kernel,
    ) {
        let aql = Aql { mask, stream, packet: Bytes(packet) };
        self.auditor.submit(now, &aql, &extension, kernel);
        self.counters.packets += 1;
        self.counters.barriers += u64::from(u32::from(packet[0]) == BARRIER_AND);
        self.feeding.push_back(Feeding { aql: Some(aql), extension, at: 0 });
        self.flights[usize::from(kernel.launch)] = Some(Flight { stream, since: now, tag: 0 });
        self.phases.enter(now, self.phase());
    }

    /// What the GPU does now.
    fn phase(&self) -> Phase {
        match self {
            Self { groups: 1.., .. } => Phase::Kernel,
            Self { syncing: 1.., .. } | Self { completion: Completion::Gate { .. }, .. } => {
                Phase::Sync
            }
            Self { launched: 1.., .. } => Phase::Latency,
            Self { flights, .. } if flights.iter().any(Option::is_some) => Phase::Firmware,
            _ => Phase::Idle,
        }
    }

    /// Whether other GPUs see nothing of it before a message has crossed the crossbar: all chiplets
    /// have begun, and a work-group runs; or no packet is there.
    pub fn is_apart(&self) -> bool {
        let is_settled = self.feeding.is_empty() && self.completion == Completion::No;
        let is_running = self.groups > 0 && self.syncing == 0 && self.begun == self.launched;
        is_settled && (is_running || self.flights.iter().all(Option::is_none))
    }

    /// The cycles of each phase before cycle `now`.
    pub fn phases(&self, now: Cycle) -> [Cycle; PHASES.len()] {
        self.phases.cycles(now)
    }

    /// What became of the packet, once after its completion.
    pub fn take_packet(&mut self) -> Option<&Packet> {
        self.auditor.take()
    }

    /// Lets another auditor watch, to see that it is heard.
    #[cfg(test)]
    pub fn watch_with(&mut self, auditor: Auditor) {
        self.auditor = auditor;
    }

    /// The counters of the firmware.
    pub fn firmware_counters(&self) -> [u32; 16] {
        self.blocks.host.outputs().counters
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        self.blocks.catch_up(ctx.now, self.inputs.conf);
        self.hear(ctx);
        self.blocks.show(&mut self.shown);
        if let Err(problem) = self.auditor.see(ctx.now, &self.shown) {
            ctx.stop.get_or_insert(Stop::Decision(problem));
        }
        self.feed();
        self.obey(ctx);
        self.count(ctx.now);
        self.blocks.tick(&self.shown, &mut self.inputs);
        if self.shown.host.halted || self.blocks.host.is_lost() {
            self.halt(ctx);
        }
        if let Some(signal) = self.shown.host.sig {
            let packet = self.auditor.last();
            let has_operations = packet.before.requested.is_some();
            let path = packet.critical_path().filter(|_| has_operations);
            self.counters.sync_cycles += path.unwrap_or(0);
            self.completion = Completion::Gate { asked: false };
            self.completed = (signal - 1) as usize;
        }
        self.complete(ctx);
        self.phases.enter(ctx.now, self.phase());
        let waits = |heard: &Heard| heard.dropped || heard.drop_due || heard.ended != [0; SLOTS];
        let waits = self.heard.iter().any(waits) || !self.feeding.is_empty();
        let quiet = self.blocks.quiet_cycles();
        // A core that has halted is silent: it would not be visited again.
        if quiet == Cycle::MAX && self.blocks.host.outputs().halted {
            self.halt(ctx);
        }
        ctx.wake_after(if waits { 0 } else { quiet });
    }

    /// The firmware has halted, or cannot go on.
    #[cold]
    fn halt(&self, ctx: &mut Context) {
        let (gpu, now, host) = (self.gpu, ctx.now, &self.blocks.host);
        let halted = |status: u32, last: &str| {
            let code = self.counters.last_error;
            Stop::Firmware(format!(
                "the firmware of GPU {gpu} has halted with status {status} in cycle {now}; its \
                 last error code was {code}{last}"
            ))
        };
        let stop = match host.fault() {
            None => halted(host.outputs().exit.unwrap_or(0), ""),
            Some(Fault::Exit(status, last)) => halted(status, &last),
            Some(Fault::Trap(why)) => Stop::Trap(format!("the firmware of GPU {gpu} {why}")),
            Some(Fault::Endless(why)) => Stop::Endless(format!("the firmware of GPU {gpu} {why}")),
        };
        ctx.stop.get_or_insert(stop);
    }

    /// The next part of a packet.
    fn feed(&mut self) {
        self.inputs.aql = None;
        self.inputs.ext = None;
        let Some(feeding) = self.feeding.front_mut() else { return };
        let host = &self.shown.host;
        if let Some(aql) = &feeding.aql {
            self.inputs.aql = Some(*aql);
            if host.aql_ready {
                feeding.aql = None;
            }
        } else if feeding.at < feeding.extension.len() {
            let mut beat = [0; 16];
            let rest = &feeding.extension[feeding.at..];
            let len = rest.len().min(16);
            beat[..len].copy_from_slice(&rest[..len]);
            let last = rest.len() <= 16;
            self.inputs.ext = Some(Ext { last, data: u128::from_le_bytes(beat) });
            if host.ext_ready {
                feeding.at += len;
            }
        }
        if feeding.aql.is_none() && feeding.at == feeding.extension.len() {
            self.feeding.pop_front();
        }
    }

    /// After the completion signal what was stored to other GPUs arrives; then the host sees it.
    fn complete(&mut self, ctx: &mut Context) {
        let Completion::Gate { asked } = self.completion else { return };
        let Some((to, from)) = self.ports.gate else { return self.end(ctx) };
        if !asked && ctx.may_send(to) {
            let message = Message { kind: Kind::ReleaseSystem, ..Message::default() };
            let message = ctx.messages.put(message);
            ctx.send(to, message);
            self.completion = Completion::Gate { asked: true };
        }
        if let Some(message) = ctx.peek(from) {
            ctx.take(from);
            ctx.messages.free(message);
            self.end(ctx);
        }
    }

    fn end(&mut self, ctx: &mut Context) {
        let flight = self.flights[self.completed].take().expect("it is signalled once");
        self.counters.release_cycles += ctx.now - flight.since;
        self.auditor.see_visible(ctx.now);
        for next in self.flights.iter_mut().flatten().filter(|f| f.stream == flight.stream) {
            next.since = ctx.now;
        }
        ctx.completions[self.completed] += 1;
        self.completion = Completion::No;
    }
}
