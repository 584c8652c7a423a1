//! A GPU as the home of other GPUs' requests: what its de-packetizer gives goes to the L2 or L3
//! that serves the line, answers go back over the reverse link.

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::finepack::depacketizer::Depacketizer;
use hwmodel::finepack::tlp_link::{coherence_bytes, completion_bytes};
use ports::finepack::depacketizer;
use ports::finepack::types::{Ingress, Tlp, ingress_kind};

use super::outgoing::{Outgoing, to_machine_line};
use super::{Counters, SIDEBAND_BYTES, Spec};
use crate::config::policy::Policy;
use crate::context::layout::Site;
use crate::context::masks;
use crate::context::message::{Class, Kind, Line, Message, Unit};
use crate::context::{Context, Stop};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId, Port, Rate};

/// Accesses that may wait for the way to their home before an egress path without a link must
/// pause.
const ROOM: usize = 16;
/// Mark of a read's or atomic's tag, beside a write's.
const ANSWERED: u32 = 1 << 31;

/// Inlets and outlets.
#[derive(Clone, Debug)]
pub struct Ports {
    /// To the network of each chiplet that leads to the line's server.
    pub entries: Vec<OutletId>,
    /// Answers, from each chiplet; behind them what the GPU's unit says, if it does.
    pub answers: Vec<InletId>,
}

/// Writes between two MARKs.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// Writes that the home has not acknowledged.
    unacknowledged: u32,
    /// Who marked its end.
    mark: Option<u8>,
}

/// One GPU's side.
pub struct Incoming {
    gpu: u16,
    block: Socket<Depacketizer>,
    ports: Ports,
    policy: Policy,
    /// Sidebands come with loads and atomics, and go back with their answers.
    crosses: bool,
    /// Accesses on their way without a link: when they are here.
    flying: VecDeque<(Cycle, Ingress)>,
    /// Accesses that have arrived, oldest first; the bytes of the oldest that are still to be sent,
    /// and its tag, of a load or an atomic.
    arrived: VecDeque<Ingress>,
    left: u128,
    tag: u16,
    epochs: VecDeque<Epoch>,
    /// Number of the oldest epoch.
    first_epoch: u32,
    reverse: Port,
    has_link: bool,
    latency: Cycle,
    ecrc: bool,
    /// GPUs to which something is on its way since this was asked last, a bit for each.
    answered: u32,
    /// A message for another GPU, which has no room for it, is there.
    holds_message: bool,
    pub counters: Counters,
}

impl Incoming {
    pub fn new(gpu: u16, block: Socket<Depacketizer>, ports: Ports, spec: &Spec) -> Self {
        let rate = Rate { bytes: spec.link.bytes.into(), cycles: spec.link.cycles.into() };
        Self {
            gpu,
            block,
            ports,
            policy: spec.policy,
            crosses: spec.crosses,
            flying: VecDeque::new(),
            arrived: VecDeque::with_capacity(2 * ROOM),
            left: 0,
            tag: 0,
            epochs: VecDeque::from([Epoch::default()]),
            first_epoch: 0,
            reverse: Port::new(rate),
            has_link: spec.has_link,
            latency: spec.link.link_lat.into(),
            ecrc: spec.finepack.ecrc == 1,
            answered: 0,
            holds_message: false,
            counters: Counters::default(),
        }
    }

    /// Lets the link cycles before `now` pass, in which nothing came.
    pub fn catch_up(&mut self, now: Cycle) {
        self.block.catch_up(now, &depacketizer::In { tlp: None, st_ready: true });
    }

    /// The GPU's other side has something for the reverse link.
    pub fn has_work_of(&self, own: &Outgoing) -> bool {
        !own.departing.is_empty() || self.crosses && own.asked > 0
    }

    /// The link cycle of the next tick after `now`, without a message or a beat before.
    pub fn next(&mut self, now: Cycle) -> Cycle {
        let is_busy = !self.arrived.is_empty() || self.holds_message;
        let block = if is_busy { 0 } else { self.block.quiet_cycles() };
        let flying = self.flying.front().map_or(Cycle::MAX, |&(due, _)| due);
        block.saturating_add(now + 1).min(flying).max(now + 1)
    }

    /// True while an access may be delivered without a link.
    pub fn has_room(&self) -> bool {
        self.arrived.len() < ROOM
    }

    /// An access leaves its GPU in link cycle `now`, for one without a link. Gives the link cycle
    /// in which it arrives.
    pub fn deliver(&mut self, now: Cycle, access: Ingress) -> Cycle {
        self.flying.push_back((now + self.latency, access));
        now + self.latency
    }

    /// One link cycle. `out`: the sides of all GPUs, for what goes back to them. True where the
    /// beat is taken.
    pub fn tick(
        &mut self,
        ctx: &mut Context,
        now: Cycle,
        tlp: Option<Tlp>,
        out: &mut [Outgoing],
    ) -> bool {
        let asked = std::mem::take(&mut out[usize::from(self.gpu)].asked);
        if self.crosses && asked > 0 {
            // What its loads and atomics say beside them: a TLP has no field for it.
            self.transfer(now, asked * SIDEBAND_BYTES);
            self.count(Class::Request, asked * SIDEBAND_BYTES);
        }
        while let Some(fence) = out[usize::from(self.gpu)].departing.pop_front() {
            self.pass_on(ctx, now, fence, out);
        }
        self.holds_message = false;
        for i in 0..self.ports.answers.len() {
            let inlet = self.ports.answers[i];
            while let Some(message) = ctx.peek(inlet) {
                if !matches!(ctx.messages[message].kind, Kind::Coherence(_) | Kind::Design(_)) {
                    ctx.take(inlet);
                    self.take_answer(ctx, now, message, out);
                } else if out[self.destination(ctx, message)].has_room() {
                    ctx.take(inlet);
                    self.pass_on(ctx, now, message, out);
                } else {
                    self.holds_message = true;
                    break;
                }
            }
        }
        let ready = self.arrived.len() < 2;
        let shown = self.block.tick(&depacketizer::In { tlp, st_ready: ready });
        let held = &mut self.counters.arriving_held;
        held[0] += u64::from(tlp.is_some() && !shown.tlp_ready);
        held[1] += u64::from(shown.st.is_some() && !ready);
        if let Some(access) = shown.st.filter(|_| ready) {
            self.arrived.push_back(access);
        }
        while self.flying.front().is_some_and(|(due, _)| *due <= now) {
            self.arrived.extend(self.flying.pop_front().map(|(_, access)| access));
        }
        // One in a cycle of the links, where there is one.
        while self.serve(ctx, now, out) && !self.has_link {}
        shown.tlp_ready
    }

    /// Sends the oldest access, or a part of it, to the line's server. False where there is none,
    /// or its way is full.
    fn serve(&mut self, ctx: &mut Context, now: Cycle, out: &mut [Outgoing]) -> bool {
        let Some(&access) = self.arrived.front() else { return false };
        let source = (access.src >> 4) as u8;
        if access.kind == ingress_kind::MARK {
            self.epochs.back_mut().expect("one is always open").mark = Some(source);
            self.epochs.push_back(Epoch::default());
            self.arrived.pop_front();
            self.complete_marks(now, out);
            return true;
        }
        if self.left == 0 {
            self.left = access.mask;
            if access.kind != ingress_kind::WRITE {
                let Some(tag) = out[usize::from(source)].claim(ctx, self.gpu, &access) else {
                    return self.refuse(ctx, &access);
                };
                self.tag = tag;
            }
        }
        let line = u64::from(ctx.layout.line);
        let first = access.addr + u64::from(self.left.trailing_zeros());
        let addr = first / line * line;
        let home = ctx.places.near(self.gpu, addr);
        let chiplet = usize::from(home % ctx.layout.chiplets);
        if !ctx.may_send(self.ports.entries[chiplet]) {
            return false;
        }
        // Bytes of the access that lie in this machine line.
        let shift = (access.addr as i64 - addr as i64) as i32;
        let moved = if shift >= 0 { self.left << shift } else { self.left >> -shift };
        let mask = moved & masks::span(0, line as usize);
        let here = if shift >= 0 { mask >> shift } else { mask << -shift };
        let to = match self.policy {
            Policy::Private => ctx.layout.slice(home, ctx.layout.slice_of(addr)),
            _ => ctx.layout.bank(home, ctx.layout.bank_of(addr)),
        };
        let mut message = Message { mask, addr, to, from: self.unit(ctx), ..Message::default() };
        message.born = ctx.now as u32;
        match access.kind {
            ingress_kind::WRITE => {
                message.kind = Kind::Write;
                let data = to_machine_line(&access.data, access.addr, addr, line as usize);
                message.line = ctx.lines.put(data);
                let epoch = self.epochs.back_mut().expect("one is always open");
                epoch.unacknowledged += 1;
                message.tag =
                    self.first_epoch.wrapping_add(self.epochs.len() as u32 - 1) & !ANSWERED;
                self.counters.arrived_stores += 1;
                ctx.written_past += 1;
            }
            kind => {
                if self.crosses {
                    message.sideband = out[usize::from(source)].sideband(ctx, self.tag);
                }
                message.tag = ANSWERED | u32::from(source) << 16 | u32::from(self.tag);
                if kind == ingress_kind::ATOMIC {
                    let (op, size) = out[usize::from(source)].atomic_of(ctx, self.tag);
                    (message.kind, message.size) = (Kind::Atomic(op), size);
                    let mut operands = Line::default();
                    let at = (first - addr) as usize;
                    let size = usize::from(size);
                    operands.0[at..at + size].copy_from_slice(&access.data.0[..size]);
                    message.line = ctx.lines.put(operands);
                    self.counters.arrived_atomics += 1;
                    ctx.written_past += 1;
                } else {
                    self.counters.arrived_loads += 1;
                }
            }
        }
        if self.policy == Policy::Coherent {
            let asker = match message.kind {
                // Stores of several chiplets share packets, which have one source.
                Kind::Write => (ctx.layout.chiplets == 1).then_some(u16::from(source)),
                _ => Some(out[usize::from(source)].asker(ctx, self.tag)),
            };
            message.asker = asker.map_or(0, |chiplet| chiplet as u8 + 1);
        }
        let message = ctx.messages.put(message);
        ctx.send(self.ports.entries[chiplet], message);
        self.left &= !here;
        if self.left == 0 {
            self.arrived.pop_front();
        }
        true
    }

    /// What came is not what was sent: its answer would have no request.
    #[cold]
    fn refuse(&mut self, ctx: &mut Context, access: &Ingress) -> bool {
        let (home, source, Ingress { tag, addr, .. }) = (self.gpu, access.src >> 4, access);
        let what = if access.kind == ingress_kind::READ { "read" } else { "atomic" };
        ctx.stop = Some(Stop::Block(format!(
            "GPU {home} received a {what} of {addr:#x} with tag {tag} from GPU {source}, which is \
             not the oldest outstanding access of GPU {source} there"
        )));
        self.arrived.pop_front();
        self.left = 0;
        false
    }

    fn unit(&self, ctx: &Context) -> Unit {
        ctx.layout.gate(self.gpu)
    }

    fn take_answer(
        &mut self,
        ctx: &mut Context,
        now: Cycle,
        message: Handle<Message>,
        out: &mut [Outgoing],
    ) {
        let Message { tag, mask, line, sideband, .. } = ctx.messages[message];
        if tag & ANSWERED == 0 {
            let at = tag.wrapping_sub(self.first_epoch) & !ANSWERED;
            self.epochs[at as usize].unacknowledged -= 1;
            self.complete_marks(now, out);
        } else {
            let source = usize::from((tag >> 16) as u8 & 0xf);
            let payload = mask.count_ones();
            let bytes = match self.policy {
                Policy::Coherent => coherence_bytes(payload, self.ecrc),
                _ => completion_bytes(payload, self.ecrc),
            };
            self.counters.completion_bytes += u64::from(bytes);
            let mut due = self.transfer_to(source, now, bytes);
            if self.crosses {
                due = self.transfer_to(source, now, SIDEBAND_BYTES);
                self.count(Class::Data, SIDEBAND_BYTES);
            }
            let sideband = self.crosses.then_some(sideband);
            let from = usize::from(self.gpu);
            // The payload goes on without the message.
            ctx.messages[message].line = Handle::NONE;
            out[source].give_back(from, due, tag as u16, line, sideband);
        }
        ctx.drop_message(message);
    }

    fn destination(&self, ctx: &Context, message: Handle<Message>) -> usize {
        let to = ctx.messages[message].to;
        match ctx.layout.site(to) {
            Site::Gate(gpu) => gpu.into(),
            _ => ctx.layout.gpu_of(ctx.layout.chiplet_of(to)).into(),
        }
    }

    fn count(&mut self, class: Class, bytes: u32) {
        self.counters.design_bytes[class as usize] += u64::from(bytes);
    }

    /// A message of one L2 to another, or of a unit, goes over the link, behind all answers before
    /// it.
    fn pass_on(
        &mut self,
        ctx: &Context,
        now: Cycle,
        message: Handle<Message>,
        out: &mut [Outgoing],
    ) {
        let Message { kind, mask, .. } = ctx.messages[message];
        let bytes = coherence_bytes(mask.count_ones(), self.ecrc);
        let destination = self.destination(ctx, message);
        let due = self.transfer_to(destination, now, bytes);
        if let Kind::Design(class) = kind {
            self.count(class, bytes);
        } else {
            self.counters.coherence_messages += 1;
            self.counters.coherence_bytes += u64::from(bytes);
        }
        out[destination].forward(self.gpu.into(), due, message);
    }

    /// A MARK is complete when all that came before it is ordered at its home.
    fn complete_marks(&mut self, now: Cycle, out: &mut [Outgoing]) {
        while let Some(&Epoch { unacknowledged: 0, mark: Some(source) }) = self.epochs.front() {
            let bytes = completion_bytes(0, self.ecrc);
            self.counters.completion_bytes += u64::from(bytes);
            let due = self.transfer_to(source.into(), now, bytes);
            out[usize::from(source)].complete_mark(due, self.gpu as u8);
            self.epochs.pop_front();
            self.first_epoch = self.first_epoch.wrapping_add(1);
        }
    }

    /// As `transfer`, counted for the destination GPU.
    fn transfer_to(&mut self, destination: usize, now: Cycle, bytes: u32) -> Cycle {
        self.counters.reverse_to[destination] += u64::from(bytes);
        self.answered |= 1 << destination;
        self.transfer(now, bytes)
    }

    /// GPUs to which something is on its way since the last call, a bit for each.
    pub fn take_answered(&mut self) -> u32 {
        std::mem::take(&mut self.answered)
    }

    /// So many bytes take their time on the reverse link: when they are at their destination.
    fn transfer(&mut self, now: Cycle, bytes: u32) -> Cycle {
        if !self.has_link {
            return now + self.latency;
        }
        self.reverse.transfer(now, bytes.into()) + self.latency
    }
}
