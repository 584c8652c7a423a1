//! A bank of the L2: the block, and what carries its requests and answers, lines from memory and
//! back, releases and acquires.

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::timestamp::timestamp_l2::TimestampL2;
use hwmodel::{Block, Model};
use ports::timestamp::timestamp_l2::{In, Out};
use ports::timestamp::types::{BusReq, BusRsp, DramReq, DramRsp, Pick, bus_op, rsp_op, sync};

use super::cache::aop_of;
use super::keeps::Keeps;
use super::parameters::{Parameters, TimestampBytes};
use super::rule::{self, Rule};
use super::{Answer, OfBank, Request, ToBank, counted};
use crate::build::make::{Made, Make};
use crate::context::layout::Site;
use crate::context::masks;
use crate::context::message::{Kind, Message, Packed, Synced, Unit};
use crate::context::{Context, Stop};
use crate::engine::WireId;
use crate::engine::pool::Handle;
use crate::l1::without::take_away;
use crate::l2::{L2, Spec};
use crate::statistics::CounterValues;

/// Makes a bank.
pub fn new(make: &mut Make, mut spec: Spec) -> Made<dyn L2> {
    let Parameters { blocks, name, without } = Parameters::of(make.system)?;
    let config = (&blocks).into();
    let mut block: Socket<TimestampL2> = make.socket(&name, &config)?;
    if let Some(Rule::L2(rule)) = without {
        take_away(rule::FIELD, &mut block, TimestampL2::without(&config, rule))?;
    }
    let view = spec.view();
    let keeps = spec.keeps.take().map(|hook| Keeps::new(hook, view, &blocks));
    Ok(Box::new(Bank {
        place: make.place.clone(),
        out: block.outputs(),
        block,
        line: make.system.machine.line as usize,
        ts_w: config.ts_bits(),
        bytes: TimestampBytes::of(&blocks),
        others: if make.system.machine.gpus > 1 { blocks.n_sm as u8 - 1 } else { u8::MAX },
        quiet: In { policy: keeps.is_some(), ..In::default() },
        keeps,
        spec,
        lines: VecDeque::with_capacity(blocks.l2_mshr as usize),
        foreign: vec![Handle::NONE; IDS],
        sampled: Vec::new(),
        changed: vec![0; blocks.n_sm as usize * STORES],
        performed: Vec::new(),
        owed: Vec::new(),
        unacknowledged: 0,
        syncing: None,
        command: None,
        is_old: false,
        wires: make.unit.map(|_| (make.wire_from_unit(0), make.wire_to_unit(0))),
        shown: Packed::default(),
        counters: Counters::default(),
    }))
}

/// Requests of other GPUs that may be under way: their names have 8 bits.
const IDS: usize = 256;
/// Stores and atomics of an L1 that may be under way: their names have 6 bits.
const STORES: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    reads: u64,
    writes: u64,
    atomics: u64,
    fetches: u64,
    write_backs: u64,
    released: u64,
}

/// A release or acquire of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syncing {
    /// To be begun.
    Wanted(u8),
    /// It goes on, or what it has written is on its way.
    Begun(u8),
    /// The block is done with it.
    Walked(u8),
}

#[derive(Debug)]
struct Bank {
    place: String,
    block: Socket<TimestampL2>,
    /// What the block shows in the cycle of its next edge.
    out: Out,
    /// Levels of the last cycle, as while nothing comes.
    quiet: In,
    /// What says which ways lines take, if anything does.
    keeps: Option<Keeps>,
    /// Bytes of a line.
    line: usize,
    ts_w: u32,
    bytes: TimestampBytes,
    /// Number under which other GPUs ask, where there are some: that of one SM more.
    others: u8,
    spec: Spec,
    /// Lines that have come, which the block has not taken.
    lines: VecDeque<DramRsp>,
    /// Requests of other GPUs, by the name that they have here.
    foreign: Vec<Handle<Message>>,
    /// Of atomics under way what they change, by their L1 and name: an answer has no more.
    changed: Vec<u128>,
    /// Requests of CUs that are sampled: CU, number, whether it reads, and the sample.
    sampled: Vec<(u8, u8, bool, u16)>,
    /// Answers to their writes and atomics: they leave when memory shows what was done, as a
    /// release of theirs waits for the answers. Those that a release under way concerns stand in
    /// `owed`.
    performed: Vec<Handle<Message>>,
    owed: Vec<Handle<Message>>,
    /// Writes that memory has not acknowledged.
    unacknowledged: u32,
    syncing: Option<Syncing>,
    /// Its requester, if it was not the bank itself; lines written by then.
    command: Option<(Handle<Message>, u64)>,
    /// The host has written below.
    is_old: bool,
    wires: Option<(WireId, WireId)>,
    shown: Packed,
    counters: Counters,
}

impl Bank {
    /// What memory has sent.
    fn take_from_below(&mut self, ctx: &mut Context) {
        while let Some(message) = ctx.receive(self.spec.ports.fills) {
            let Message { kind, addr, line, .. } = ctx.messages[message];
            match kind {
                Kind::Data => {
                    let line_addr = self.spec.addresses.local(addr) / self.line as u64;
                    let mut answer = DramRsp { line: line_addr, ..DramRsp::default() };
                    let bytes = &ctx.lines[line].0[..self.line];
                    answer.data.0[..self.line].copy_from_slice(bytes);
                    self.lines.push_back(answer);
                }
                _ => self.unacknowledged -= 1,
            }
            ctx.drop_message(message);
        }
    }

    /// The oldest request, where the block takes one.
    fn next_request(&mut self, ctx: &mut Context) -> Option<BusReq> {
        // What was read before the host wrote goes first.
        if !self.out.bus_req_ready || self.is_old {
            return None;
        }
        let request = ctx.peek(self.spec.ports.requests)?;
        let Message { kind, addr, mask, from, line, size, sideband, sample, .. } =
            ctx.messages[request];
        let local = self.spec.addresses.local(addr) / self.line as u64;
        let mut own = BusReq { line: local, sm: self.others, ..BusReq::default() };
        let is_foreign = !matches!(ctx.layout.site(from), Site::Core(..));
        if is_foreign {
            // It holds nothing, and is later than nothing.
            let id = self.foreign.iter().position(|request| !request.is_some())?;
            (own.id, own.warp_ts) = (id as u8, 1);
        } else {
            let Request { rep, id, wts, warp_ts } = sideband.get((self.ts_w,));
            (own.rep, own.id, own.wts, own.warp_ts) = (rep, id, wts, warp_ts);
            own.sm = number(ctx, from);
            if sample != 0 {
                self.sampled.push((own.sm, id, kind == Kind::Read, sample));
            }
            if matches!(kind, Kind::Atomic(_)) {
                self.changed[place(own.sm, id)] = mask;
            }
        }
        match kind {
            Kind::Read => own.op = bus_op::RD,
            Kind::Atomic(op) => (own.op, own.aop, own.sz) = (bus_op::ATOM, aop_of(op), size == 8),
            _ => own.op = bus_op::WR,
        }
        if kind != Kind::Read {
            own.mask = mask;
            own.data.0[..self.line].copy_from_slice(&ctx.lines[line].0[..self.line]);
        }
        ctx.take(self.spec.ports.requests);
        if is_foreign {
            if line.is_some() {
                ctx.lines.free(line);
                ctx.messages[request].line = Handle::NONE;
            }
            self.foreign[usize::from(own.id)] = request;
        } else {
            ctx.drop_message(request);
        }
        match kind {
            Kind::Read => self.counters.reads += 1,
            Kind::Atomic(_) => self.counters.atomics += 1,
            _ => self.counters.writes += 1,
        }
        Some(own)
    }

    /// The block's answer leaves. False where the way is not free.
    fn answer(&mut self, ctx: &mut Context, answer: &BusRsp) -> bool {
        let BusRsp { op, rep, ok, sm, id, wts, rts, data } = *answer;
        if !self.is_seen(ctx, answer) || !ctx.may_send(self.spec.ports.answers) {
            return false;
        }
        let has_line = matches!(op, rsp_op::FILL | rsp_op::ATOM_ACK);
        let line = match has_line {
            true => ctx.payload(&data.0[..self.line]),
            false => Handle::NONE,
        };
        let kind = if has_line { Kind::Data } else { Kind::Ack };
        if sm == self.others {
            let request = std::mem::replace(&mut self.foreign[usize::from(id)], Handle::NONE);
            if let Some(keeps) = &mut self.keeps {
                keeps.answer(ctx, request);
            }
            let message = &mut ctx.messages[request];
            (message.kind, message.line) = (kind, line);
            (message.to, message.from) = (message.from, self.spec.unit);
            match op {
                rsp_op::FILL => ctx.send(self.spec.ports.answers, request),
                _ => self.performed.push(request),
            }
            return true;
        }
        let said = Answer { op, rep, ok, id, wts, rts };
        let message = Message {
            kind,
            line,
            sample: self.take_sample((sm, id, matches!(op, rsp_op::FILL | rsp_op::RNW))),
            mask: match op {
                rsp_op::FILL => masks::span(0, self.line),
                rsp_op::ATOM_ACK => self.changed[place(sm, id)],
                _ => 0,
            },
            tag: super::cache::OWN,
            to: self.core(ctx, sm),
            from: self.spec.unit,
            born: ctx.now as u32,
            sideband: Packed::new(&said, (self.ts_w,)),
            said: self.bytes.of_answer(op),
            ..Message::default()
        };
        let message = ctx.messages.put(message);
        if let Some(keeps) = &mut self.keeps {
            keeps.answer(ctx, message);
        }
        ctx.send(self.spec.ports.answers, message);
        true
    }

    /// The sample of the request that is answered, if it has one.
    fn take_sample(&mut self, (sm, id, reads): (u8, u8, bool)) -> u16 {
        let is_it = |&(s, i, r, _): &(u8, u8, bool, u16)| (s, i, r) == (sm, id, reads);
        self.sampled.iter().position(is_it).map_or(0, |at| self.sampled.remove(at).3)
    }

    /// Whether the policy has seen what is answered.
    fn is_seen(&mut self, ctx: &mut Context, answer: &BusRsp) -> bool {
        if self.keeps.is_none() {
            return true;
        }
        let to = match answer.sm == self.others {
            true => ctx.messages[self.foreign[usize::from(answer.id)]].from,
            false => self.core(ctx, answer.sm),
        };
        let is_read = matches!(answer.op, rsp_op::FILL | rsp_op::RNW);
        self.keeps.as_mut().is_some_and(|keeps| keeps.knows(ctx, to, is_read))
    }

    /// What the policy says of what the block asks.
    fn pick(&mut self, ctx: &mut Context) -> Option<Pick> {
        self.keeps.as_mut()?.tick(ctx, self.out.event.as_ref());
        let ask = self.out.ask?;
        let from = match ask.sm == self.others {
            true => {
                let mut foreign = self.foreign.iter().filter(|request| request.is_some());
                ctx.messages[*foreign.next().expect("one of theirs has missed")].from
            }
            false => self.core(ctx, ask.sm),
        };
        self.keeps.as_mut()?.pick(ctx, &ask, from)
    }

    /// The CU of a number.
    fn core(&self, ctx: &Context, sm: u8) -> Unit {
        let (cores, first) = (ctx.layout.cores, self.spec.gpu * ctx.layout.chiplets);
        ctx.layout.core(first + u16::from(sm) / cores, u16::from(sm) % cores)
    }

    /// The block's request goes to memory.
    fn send_below(&mut self, ctx: &mut Context, request: &DramReq) -> bool {
        let DramReq { we, line, data } = *request;
        if !ctx.may_send(self.spec.ports.below) {
            return false;
        }
        let addr = self.spec.addresses.global(line * self.line as u64);
        let payload = if we { ctx.payload(&data.0[..self.line]) } else { Handle::NONE };
        let message = Message {
            kind: if we { Kind::Write } else { Kind::Read },
            mask: masks::span(0, self.line),
            addr,
            line: payload,
            to: ctx.places.slice(&ctx.layout, self.spec.gpu, addr),
            from: self.spec.unit,
            born: ctx.now as u32,
            ..Message::default()
        };
        let message = ctx.messages.put(message);
        ctx.send(self.spec.ports.below, message);
        self.unacknowledged += u32::from(we);
        match we {
            true => self.counters.write_backs += 1,
            false => self.counters.fetches += 1,
        }
        true
    }

    /// What release or acquire comes next.
    fn next_sync(&mut self, ctx: &mut Context) -> Option<u8> {
        if self.syncing.is_none() {
            let command = ctx.receive(self.spec.ports.commands);
            if let Some(command) = command {
                let Kind::Sync(asked) = ctx.messages[command].kind else {
                    unreachable!("a command")
                };
                self.command = Some((command, self.counters.write_backs));
                let how = if asked.acquire { sync::ACQUIRE } else { sync::RELEASE };
                self.syncing = Some(Syncing::Wanted(how));
            } else if self.is_old && ctx.has(self.spec.ports.requests) {
                // The host writes without a wake-up.
                self.syncing = Some(Syncing::Wanted(sync::ACQUIRE));
            } else if !self.performed.is_empty() {
                self.syncing = Some(Syncing::Wanted(sync::RELEASE));
            }
        }
        let Some(Syncing::Wanted(how)) = self.syncing else { return None };
        if self.out.sync_ready {
            self.owed.append(&mut self.performed);
            self.syncing = Some(Syncing::Begun(how));
        }
        Some(how)
    }

    /// A release or acquire is over when memory has all that it has written.
    fn finish_sync(&mut self, ctx: &mut Context) {
        let Some(Syncing::Walked(how)) = self.syncing else { return };
        if self.unacknowledged > 0 || !ctx.may_send(self.spec.ports.answers) {
            return;
        }
        if let Some(answer) = self.owed.pop() {
            ctx.send(self.spec.ports.answers, answer);
            ctx.wake_at(ctx.now + 1);
            return;
        }
        let dropped = how == sync::ACQUIRE;
        if let Some((command, before)) = self.command {
            if !ctx.may_send(self.spec.ports.done) {
                return;
            }
            let written = (self.counters.write_backs - before) as u32;
            self.counters.released += u64::from(written);
            let synced = Synced { written, dropped };
            let message = &mut ctx.messages[command];
            (message.kind, message.sideband) = (Kind::SyncDone, Packed::new(&synced, ()));
            ctx.send(self.spec.ports.done, command);
        }
        if dropped {
            ctx.written_past += 1;
            self.is_old = false;
        }
        (self.command, self.syncing) = (None, None);
    }
}

/// Place of an atomic in [`Bank::changed`].
fn place(sm: u8, id: u8) -> usize {
    usize::from(sm) * STORES + usize::from(id) % STORES
}

/// Number of a CU in its GPU.
fn number(ctx: &Context, core: Unit) -> u8 {
    let Site::Core(chiplet, number) = ctx.layout.site(core) else { unreachable!("a CU") };
    (chiplet % ctx.layout.chiplets * ctx.layout.cores + number) as u8
}

impl L2 for Bank {
    fn tick(&mut self, ctx: &mut Context) {
        let now = ctx.now;
        if self.block.cycle() > now {
            return;
        }
        let levels = match self.wires {
            Some((from, _)) => ctx.see(from).get(()),
            None => ToBank::default(),
        };
        if self.block.cycle() < now {
            // What has changed since changes in this cycle.
            self.block.catch_up(now, &self.quiet);
            self.out = self.block.outputs();
        }
        let ToBank { halt, rst } = levels;
        (self.quiet.halt, self.quiet.rst) = (halt, rst);
        let mut inputs = In { policy: self.quiet.policy, halt, rst, ..In::default() };
        if inputs.policy {
            inputs.pick = self.pick(ctx);
        }
        self.take_from_below(ctx);
        inputs.sync = self.next_sync(ctx);
        inputs.bus_req = self.next_request(ctx);
        inputs.dram_rsp = self.lines.front().copied();
        if let Some(answer) = self.out.bus_rsp {
            inputs.bus_rsp_ready = self.answer(ctx, &answer);
        }
        if let Some(request) = self.out.dram_req {
            inputs.dram_req_ready = self.send_below(ctx, &request);
        }
        let takes = self.out.dram_rsp_ready;
        self.block.tick(&inputs);
        if takes {
            self.lines.pop_front();
        }
        self.out = self.block.outputs();
        if let Some(code) = self.out.err {
            let problem = format!("{}/{}: error {code}", self.place, TimestampL2::NAME);
            ctx.stop.get_or_insert(Stop::Block(problem));
        }
        if let Some((_, to)) = self.wires {
            let Out { ovf, halted, rst_done, .. } = self.out;
            let shown = Packed::new(&OfBank { ovf, halted, rst_done }, ());
            if self.shown != shown {
                self.shown = shown;
                ctx.show(to, shown);
            }
        }
        if let (true, Some(Syncing::Begun(how))) = (self.out.sync_done, self.syncing) {
            self.syncing = Some(Syncing::Walked(how));
        }
        self.finish_sync(ctx);
        let acts = inputs.bus_req.is_some()
            || !self.lines.is_empty()
            || inputs.sync.is_some()
            || ctx.has(self.spec.ports.requests)
            || inputs.policy && (self.out.event.is_some() || self.out.ask.is_some())
            || self.syncing.is_none()
                && (ctx.has(self.spec.ports.commands) || !self.performed.is_empty());
        let quiet = match &self.keeps {
            None => self.block.quiet_cycles(),
            Some(keeps) => self.block.quiet_cycles().min(keeps.quiet_cycles()),
        };
        ctx.wake_after(if acts { 0 } else { quiet });
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        all.extend([
            ("reads", c.reads),
            ("fetches", c.fetches),
            ("writes", c.writes),
            ("atomics", c.atomics),
            ("write_backs", c.write_backs),
            ("released", c.released),
        ]);
        self.keeps.iter().for_each(|keeps| keeps.counters(all));
    }

    fn l1_counters(&self, all: &mut CounterValues) {
        counted::l2(self.block.config().protocol, &self.block.outputs().counters, all);
    }

    fn unit(&self) -> Unit {
        self.spec.unit
    }

    /// The block hides what it holds: after a release, memory has all of it.
    fn line(&self, _addr: u64) -> Option<(u128, &[u8])> {
        None
    }

    fn forget_line(&mut self, _addr: u64) {
        self.is_old = true;
    }
}
