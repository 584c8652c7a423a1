//! The race detection unit of a GPU, between its SMs and its L2 banks.

use std::collections::VecDeque;
use std::rc::Rc;

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::race::race_detection_unit::RaceDetectionUnit;
use ports::race::race_detection_unit::{Config, In, Out};
use ports::race::types::{Req, Token, req_kind};

use super::Notice;
use super::beats::AllBeats;
use super::numbers::{bank_number, core};
use super::parameters::Parameters;
use super::rule::{self, Rule};
use crate::build::make::{Made, Make, UnitPort, UnitPorts};
use crate::check::sequential::WriteId;
use crate::context::Context;
use crate::context::message::{Class, Kind, Message, Packed};
use crate::l1::GpuUnit;
use crate::l1::without::take_away;
use crate::statistics::CounterValues;

/// Makes the unit.
pub fn new(make: &mut Make, ports: UnitPorts) -> Made<dyn GpuUnit> {
    let Parameters { blocks, name, without, .. } = Parameters::of(make.system)?;
    let config = Config::from(&blocks);
    let mut block: Socket<RaceDetectionUnit> = make.socket(&name, &config)?;
    if let Some(Rule::Unit(rule)) = without {
        take_away(rule::FIELD, &mut block, RaceDetectionUnit::without(&config, rule))?;
    }
    let out = block.outputs();
    let beats: Rc<AllBeats> =
        make.shared(|| ports.cores.iter().map(|_| Default::default()).collect());
    for (beats, port) in beats.iter().zip(&ports.cores) {
        beats.borrow_mut().leave_by(port.to);
    }
    let sms = ports.cores.iter().map(|port| Sm { port: port.clone(), writes: VecDeque::new() });
    Ok(Box::new(Detector { block, out, sms: sms.collect(), beats, banks: ports.banks }))
}

#[derive(Debug)]
struct Detector {
    block: Socket<RaceDetectionUnit>,
    /// What it shows in the cycle of its next edge.
    out: Out,
    sms: Vec<Sm>,
    /// What it answers them.
    beats: Rc<AllBeats>,
    banks: Vec<UnitPort>,
}

#[derive(Debug)]
struct Sm {
    port: UnitPort,
    /// Of its requests that wait for their tokens, numbers as writes; none of reads.
    writes: VecDeque<WriteId>,
}

impl Detector {
    /// The oldest request of each SM is offered.
    fn offer(&mut self, ctx: &mut Context, inputs: &mut In) {
        for (i, sm) in self.sms.iter_mut().enumerate() {
            let Some(notice) = ctx.peek(sm.port.from) else { continue };
            let Message { addr, sideband, line, .. } = ctx.messages[notice];
            let Notice { kind, id, write } = sideband.get(());
            let mask = match line.is_some() {
                true => mask_of(&ctx.lines[line].0),
                false => 0,
            };
            inputs.req_valid |= 1 << i;
            inputs.req[i] = Req { kind, id, mask, addr: addr as u32 };
            if self.out.req_ready >> i & 1 == 1 {
                ctx.take(sm.port.from);
                ctx.drop_message(notice);
                if kind != req_kind::HITCHK {
                    sm.writes.push_back(WriteId(write));
                }
            }
        }
    }

    /// The next token goes to its bank.
    fn give_token(&mut self, ctx: &mut Context, Token { sm, addr }: Token) -> bool {
        let sm = usize::from(sm);
        let cu = core(&ctx.layout, sm);
        let bank = ctx.serving_bank(cu, addr.into()).expect("a bank of this GPU");
        let to = self.banks[bank_number(ctx, bank)].to;
        if !ctx.may_send(to) {
            return false;
        }
        let kind = Kind::Design(Class::Request);
        let token = Message { kind, sideband: Packed::new(&cu.0, 16), ..Message::default() };
        let token = ctx.messages.put(token);
        ctx.send(to, token);
        let write = self.sms[sm].writes.pop_front().expect("it has asked");
        if let Some(order) = ctx.sequential.as_mut().filter(|_| write != WriteId::default()) {
            order.order(write);
        }
        true
    }

    /// The next beat goes to each SM that has one.
    fn answer(&mut self, ctx: &mut Context, inputs: &mut In) {
        let mut left = self.out.rsp_valid;
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            left &= left - 1;
            let to = self.sms[i].port.to;
            let mut beats = self.beats[i].borrow_mut();
            beats.flow(ctx);
            if !ctx.may_send(to) {
                continue;
            }
            let rsp = &self.out.rsp[i];
            let at = match rsp.hdr {
                true => ctx.depart(to, Class::Acknowledgement, 0),
                false => ctx.depart(to, Class::Signature, rsp.data.0.len() as u32),
            };
            beats.push(ctx, at, rsp);
            inputs.rsp_ready |= 1 << i;
        }
    }
}

impl GpuUnit for Detector {
    fn tick(&mut self, ctx: &mut Context) {
        if self.block.cycle() > ctx.now {
            return;
        }
        if self.block.cycle() < ctx.now {
            self.block.catch_up(ctx.now, &In::default());
            self.out = self.block.outputs();
        }
        let mut inputs = In::default();
        self.offer(ctx, &mut inputs);
        if let Some(token) = self.out.tok {
            inputs.tok_ready = self.give_token(ctx, token);
        }
        self.answer(ctx, &mut inputs);
        self.block.tick(&inputs);
        self.out = self.block.outputs();
        let waits = self.out.tok.is_some() || self.out.rsp_valid != 0 || inputs.req_valid != 0;
        ctx.wake_after(if waits { 0 } else { self.block.quiet_cycles() });
    }

    fn counters(&self, all: &mut CounterValues) {
        let counters = &self.out.counters;
        all.extend([
            ("race_reads", counters.reads.into()),
            ("race_hit_checks", counters.hit_checks.into()),
            ("race_writes", counters.writes.into()),
            ("race_atomics", counters.atomics.into()),
            ("race_races", counters.races.into()),
            ("race_forced", counters.forced.into()),
            ("race_inserts", counters.inserts.into()),
            ("race_granules_checked", counters.granules_checked.into()),
            ("race_check_steps", counters.check_steps.into()),
            ("race_token_stall", counters.token_stall.into()),
            ("race_header_beats", counters.header_beats.into()),
            ("race_chunk_beats", counters.chunk_beats.into()),
            ("race_queue_full", counters.queue_full.into()),
        ]);
    }
}

/// The bytes that a request writes, as they travel.
fn mask_of(bytes: &[u8]) -> u128 {
    u128::from_le_bytes(*bytes.first_chunk().expect("a mask"))
}
