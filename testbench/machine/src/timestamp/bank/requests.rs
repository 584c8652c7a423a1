//! Requests of CUs and other GPUs on their way to the block, and the block's answers.

use ports::timestamp::types::{BusReq, BusRsp, Pick, bus_op, rsp_op};

use super::{Bank, STORES};
use crate::context::Context;
use crate::context::layout::Site;
use crate::context::masks;
use crate::context::message::{Kind, Message, Packed, Unit};
use crate::engine::pool::Handle;
use crate::timestamp::cache::{OWN, aop_of};
use crate::timestamp::{Answer, Request};

impl Bank {
    /// The oldest request, where the block takes one.
    pub(super) fn next_request(&mut self, ctx: &mut Context) -> Option<BusReq> {
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
    pub(super) fn answer(&mut self, ctx: &mut Context, answer: &BusRsp) -> bool {
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
            tag: OWN,
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
    pub(super) fn pick(&mut self, ctx: &mut Context) -> Option<Pick> {
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
