//! The command processor of a GPU: one packet after another, synchronised as its launch design says.

use super::{Control, LaunchDesign, Masks, Packet};
use crate::machine::context::Context;
use crate::machine::engine::{Cycle, InletId, OutletId};
use crate::machine::message::{Kind, Message, Sync};

/// Inlets and outlets.
#[derive(Clone, Debug)]
pub struct Ports {
    /// To each chiplet's command processor.
    pub to_chiplets: Vec<OutletId>,
    /// From each of them.
    pub from_chiplets: Vec<InletId>,
    /// To the gate to other GPUs and from it, where there are any.
    pub gate: Option<(OutletId, InletId)>,
}

/// Times in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// From a packet's arrival to the first message.
    pub packet_cycles: u32,
    /// What a broadcast takes longer than a message to one chiplet.
    pub broadcast_extra: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Idle,
    /// The packet is read until this cycle.
    Reading(Cycle),
    /// Acquires and releases before the kernel.
    Before,
    /// Work-groups are announced and run.
    Running,
    /// Releases after it.
    After,
    /// Stores to other GPUs arrive.
    Gate,
    /// Over: the completion signal is for the host to see.
    Over,
}

/// Where a launch's time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub launches: u64,
    pub releases: u64,
    pub acquires: u64,
    pub lines_written_back: u64,
    /// Cycles from packet to enabling the launch.
    pub launch_cycles: u64,
    /// Cycles from the last work-group's end to the completion signal.
    pub release_cycles: u64,
}

/// A packet as it was submitted.
#[derive(Debug)]
struct Job {
    packet: [u8; 64],
    extension: Vec<u8>,
    /// First work-group and their number, of each chiplet.
    spans: Vec<(u32, u32)>,
}

/// A GPU's command processor.
#[derive(Debug)]
pub struct Global {
    spec: Spec,
    ports: Ports,
    design: Box<dyn LaunchDesign>,
    job: Option<Job>,
    /// Kernel of the packet that runs.
    kernel: u32,
    step: Step,
    since: Cycle,
    tag: u8,
    /// Messages to send: chiplet, what, extra cycles.
    out: std::collections::VecDeque<(usize, Control, u32)>,
    /// Answers that are missing.
    missing: u32,
    gate_asked: bool,
    pub counters: Counters,
}

impl Global {
    /// Idle.
    pub fn new(spec: Spec, ports: Ports, design: Box<dyn LaunchDesign>) -> Self {
        Self {
            spec,
            ports,
            design,
            job: None,
            kernel: 0,
            step: Step::Idle,
            since: 0,
            tag: 0,
            out: std::collections::VecDeque::new(),
            missing: 0,
            gate_asked: false,
            counters: Counters::default(),
        }
    }

    /// Takes a packet with its extension block, in cycle `now`. `spans`: for each chiplet that takes part,
    /// its first work-group and their number. The caller visits the processor in the next cycle.
    pub fn submit(
        &mut self,
        now: Cycle,
        packet: [u8; 64],
        extension: Vec<u8>,
        spans: Vec<(u32, u32)>,
    ) {
        debug_assert!(self.step == Step::Idle, "one packet at a time");
        self.job = Some(Job { packet, extension, spans });
        self.step = Step::Reading(now + 1 + Cycle::from(self.spec.packet_cycles));
        self.since = now;
    }

    /// True once the packet's completion signal is written; the processor is idle again.
    pub fn take_completion(&mut self) -> bool {
        let over = self.step == Step::Over;
        if over {
            self.step = Step::Idle;
            self.job = None;
        }
        over
    }

    /// True where memory shows a kernel's stores after its completion signal.
    pub fn releases(&self) -> bool {
        self.design.releases()
    }

    fn all(&self) -> u16 {
        u16::MAX >> (16 - self.ports.to_chiplets.len())
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        for i in 0..self.ports.from_chiplets.len() {
            let inlet = self.ports.from_chiplets[i];
            while let Some(message) = ctx.peek(inlet) {
                ctx.take(inlet);
                let (control, ..) =
                    Control::decode(ctx.messages[message].addr).expect("chiplets speak plainly");
                if let Control::Ack { lines, .. } = control {
                    self.counters.lines_written_back += u64::from(lines);
                }
                self.missing -= 1;
                ctx.messages.free(message);
            }
        }
        self.advance(ctx);
        self.send(ctx);
    }

    fn advance(&mut self, ctx: &mut Context) {
        let waiting = self.missing > 0 || !self.out.is_empty();
        match self.step {
            Step::Reading(until) if until > ctx.now => ctx.wake_at(until),
            Step::Reading(_) => {
                let all = self.all();
                let job = self.job.as_ref().expect("a packet is read");
                let Some(packet) = Packet::decode(&job.packet) else {
                    // Not a kernel: rejected, the completion signal is written (specification 12).
                    return self.end(ctx);
                };
                self.kernel = packet.kernel_object as u32;
                let masks = self.design.before(&packet, &job.extension, all);
                self.counters.launches += 1;
                self.synchronise(masks);
                self.step = Step::Before;
                ctx.wake_at(ctx.now + 1);
            }
            Step::Before if !waiting => {
                self.launch();
                self.counters.launch_cycles += ctx.now - self.since;
                self.step = Step::Running;
                ctx.wake_at(ctx.now + 1);
            }
            Step::Running if !waiting => {
                self.since = ctx.now;
                let all = self.all();
                let masks = self.design.after(all);
                self.synchronise(masks);
                self.step = Step::After;
                ctx.wake_at(ctx.now + 1);
            }
            Step::After if !waiting => {
                self.gate_asked = false;
                self.step = Step::Gate;
                self.release_gate(ctx);
            }
            Step::Gate => self.release_gate(ctx),
            _ => {}
        }
    }

    fn release_gate(&mut self, ctx: &mut Context) {
        let Some((to, from)) = self.ports.gate else { return self.end(ctx) };
        if !self.gate_asked && ctx.may_send(to) {
            let message = Message { kind: Kind::ReleaseSystem, ..Message::default() };
            let message = ctx.messages.put(message);
            ctx.send(to, message);
            self.gate_asked = true;
        }
        if let Some(message) = ctx.peek(from) {
            ctx.take(from);
            ctx.messages.free(message);
            self.end(ctx);
        }
    }

    fn end(&mut self, ctx: &mut Context) {
        self.counters.release_cycles += ctx.now - self.since;
        ctx.completions += 1;
        self.step = Step::Over;
        self.tag = self.tag.wrapping_add(1);
    }

    /// One request per chiplet; the same one to all of them is a broadcast.
    fn synchronise(&mut self, masks: Masks) {
        self.counters.releases += u64::from(masks.release.count_ones());
        self.counters.acquires += u64::from(masks.acquire.count_ones());
        let chiplets = self.ports.to_chiplets.len();
        let of = |i: usize| {
            let bit = |mask: u16| mask >> i & 1 == 1;
            Sync { release: bit(masks.release), acquire: bit(masks.acquire) }
        };
        let same = (1..chiplets).all(|i| of(i) == of(0)) && chiplets > 1;
        let extra = if same { self.spec.broadcast_extra } else { 0 };
        for sync in (0..chiplets).map(|i| (i, of(i))).filter(|(_, s)| s.release || s.acquire) {
            self.out.push_back((sync.0, Control::SyncReq(sync.1), extra));
            self.missing += 1;
        }
    }

    fn launch(&mut self) {
        let spans = &self.job.as_ref().expect("a packet runs").spans;
        for (chiplet, &(first, count)) in spans.iter().enumerate() {
            self.out.push_back((chiplet, Control::WgDesc { slot: 0, first }, 0));
            self.out.push_back((chiplet, Control::WgCount(count), 0));
        }
        let extra = if spans.len() > 1 { self.spec.broadcast_extra } else { 0 };
        for chiplet in 0..spans.len() {
            self.out.push_back((chiplet, Control::LaunchEn, extra));
            self.missing += 1;
        }
    }

    /// One message in each cycle; a broadcast is one message.
    fn send(&mut self, ctx: &mut Context) {
        while let Some(&(chiplet, control, extra)) = self.out.front() {
            let outlet = self.ports.to_chiplets[chiplet];
            if !ctx.may_send(outlet) {
                return;
            }
            self.out.pop_front();
            let addr = control.encode(chiplet as u16, self.tag);
            let kernel = self.kernel;
            let message = Message { kind: Kind::Control, addr, tag: kernel, ..Message::default() };
            let message = ctx.messages.put(message);
            ctx.send_late(outlet, message, extra);
            let together = extra > 0 && self.out.front().is_some_and(|next| next.1 == control);
            if !together {
                if !self.out.is_empty() {
                    ctx.wake_at(ctx.now + 1);
                }
                return;
            }
        }
    }
}
