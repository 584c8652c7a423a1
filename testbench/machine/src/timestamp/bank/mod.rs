//! A bank of the L2: the block, and what carries its requests and answers, lines from memory and
//! back, releases and acquires.

mod requests;
mod sync;

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::timestamp::timestamp_l2::TimestampL2;
use hwmodel::{Block, Model};
use ports::timestamp::timestamp_l2::{In, Out};
use ports::timestamp::types::{DramReq, DramRsp};

use super::keeps::Keeps;
use super::parameters::{Parameters, TimestampBytes};
use super::rule::{self, Rule};
use super::{OfBank, ToBank, counted};
use crate::build::make::{Made, Make};
use crate::context::masks;
use crate::context::message::{Kind, Message, Packed, Unit};
use crate::context::{Context, Stop};
use crate::engine::WireId;
use crate::engine::pool::Handle;
use crate::l1::without::take_away;
use crate::l2::{L2, Spec};
use crate::statistics::CounterValues;
use sync::Syncing;

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
