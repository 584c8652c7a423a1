//! Requests of a GPU enter its egress path, piece by piece.

use ports::finepack::types::{Req, aop, op};
use traces::trace::AtomicOp;

use super::{Commanded, Current, Outgoing, Pending, Release};
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Line, Message};
use crate::engine::Cycle;
use crate::finepack::egress_path::EgressPath;
use crate::gate::SIDEBAND_BYTES;

/// Pending answers at which the gate accepts no more requests.
const MOST_ANSWERS: usize = 64;

impl Outgoing {
    /// The next piece of a request, or a release, for the egress path.
    pub(super) fn offer(&mut self, ctx: &mut Context, now: Cycle) {
        if self.current.is_none() {
            if self.release == Release::Wanted && !self.staging.is_empty() {
                if self.is_on_its_way(ctx, |line| self.staging.held(line) != 0) {
                    return;
                }
            } else if self.answers.len() < MOST_ANSWERS {
                self.take_request(ctx, now);
            }
        }
        if let Some(current) = self.current {
            self.inputs.req = self.piece(ctx, current);
        } else if self.release == Release::Wanted {
            self.copy_staged(ctx);
            self.release = Release::Under;
            self.release_id = self.release_id.wrapping_add(1);
            self.counters.releases += 1;
            if self.commanded == Commanded::Next {
                self.commanded = Commanded::Now;
            }
            self.fenced = self.fences.len();
            let (op, id) = (op::RELEASE_SYS, self.release_id);
            self.inputs.req = Some(Req { op, id, ..Req::default() });
        }
    }

    fn take_request(&mut self, ctx: &mut Context, now: Cycle) {
        let chiplets = self.ports.exits.len();
        for i in 0..chiplets {
            let inlet = self.ports.exits[(self.turn + i) % chiplets];
            let Some(message) = ctx.peek(inlet) else { continue };
            let Message { kind, mask, addr, .. } = ctx.messages[message];
            let staged = if kind == Kind::Write { 0 } else { self.staging.held(addr) & mask };
            let is_atomic = matches!(kind, Kind::Atomic(_));
            if is_atomic && staged != 0 && self.is_on_its_way(ctx, |line| line == addr) {
                return;
            }
            ctx.take(inlet);
            self.turn = (self.turn + i + 1) % chiplets;
            if let Kind::Coherence(_) = kind {
                self.fences.push_back(message);
                return;
            }
            let stays = kind == Kind::Read && staged == mask && self.is_local;
            match kind {
                Kind::Read if stays => self.counters.staged_loads += 1,
                Kind::Read => self.counters.loads += 1,
                Kind::Write => self.counters.stores += 1,
                _ => self.counters.atomics += 1,
            }
            if kind == Kind::Write && matches!(self.path, EgressPath::Dma(_)) {
                let line = ctx.messages[message].line;
                self.staging.store(addr, mask, &ctx.lines[line], self.line);
                self.answer_write(ctx, message);
                return;
            }
            if is_atomic && staged != 0 {
                // What this GPU has stored to these bytes goes there first.
                let EgressPath::Dma(dma) = &mut self.path else { unreachable!("only dma stages") };
                let home = ctx.layout.gpu_of(ctx.places.near(self.gpu, addr)) as u8;
                self.staging.take(addr, staged, |at, bytes| dma.write(home, at, bytes));
            }
            if kind == Kind::Read {
                // The answer's payload; pieces come back one by one. What is staged are the GPU's
                // own newest values: those of now, not of when the answer comes.
                let mut payload = Line::default();
                self.staging.lay_over(addr, staged, &mut payload);
                ctx.messages[message].line = ctx.lines.put(payload);
            }
            if stays {
                let m = &mut ctx.messages[message];
                (m.kind, m.to, m.from) = (Kind::Data, m.from, m.to);
                self.forward(self.gpu.into(), now + self.local_latency, message);
                return;
            }
            // An atomic's answer gives all its bytes.
            let staged = if is_atomic { 0 } else { staged };
            let dests = match kind {
                Kind::Write => ctx.places.others(self.gpu, addr),
                _ => 1 << ctx.layout.gpu_of(ctx.places.near(self.gpu, addr)),
            };
            self.current = Some(Current { message, left: mask, staged, dests });
            return;
        }
    }

    /// The request for the lowest bytes that are left: one line of the blocks, or one element of an
    /// atomic. None where a tag is needed and none is free.
    fn piece(&mut self, ctx: &Context, current: Current) -> Option<Req> {
        let Message { kind, addr, line, size, .. } = ctx.messages[current.message];
        let first = current.left.trailing_zeros() as usize;
        let dest = current.dests.trailing_zeros() as u8;
        let at = addr + first as u64;
        let block = at / self.block_line as u64 * self.block_line as u64;
        // Bytes of the machine's line that lie in the block's line, and how far they move.
        let mask = match kind {
            Kind::Atomic(_) => masks::span(first, size.into()),
            _ if self.block_line >= self.line => current.left,
            _ => current.left & masks::span((block - addr) as usize, self.block_line),
        };
        let shift = (addr as i64 - block as i64) as i32;
        let moved = if shift >= 0 { mask << shift } else { mask >> -shift };
        let mut req = Req { dest, addr: block, mask: moved, ..Req::default() };
        match kind {
            Kind::Read => req.op = op::LOAD,
            Kind::Write => {
                req.op = op::STORE;
                let from = &ctx.lines[line].0;
                masks::runs(mask, |first, len| {
                    let to = (first as i32 + shift) as usize;
                    req.data.0[to..to + len].copy_from_slice(&from[first..first + len]);
                });
            }
            Kind::Atomic(atomic) => {
                (req.op, req.aop) = (op::ATOMIC, code(atomic));
                let operand = &ctx.lines[line].0[first..first + usize::from(size)];
                req.data.0[..operand.len()].copy_from_slice(operand);
            }
            kind => unreachable!("{kind:?} does not leave a GPU"),
        }
        if kind != Kind::Write {
            let tag = self.free_tags.pop()?;
            req.id = tag as u8;
            self.offered_tag = tag;
            let (message, wanted) = (current.message, mask & !current.staged);
            let (addr, enabled) = (req.addr, req.mask);
            self.pending[usize::from(tag)] = Pending { message, mask, wanted, addr, enabled };
        }
        Some(req)
    }

    /// The offered request is in the path.
    pub(super) fn accepted(&mut self, ctx: &mut Context) {
        let req = self.inputs.req.take().expect("it was offered");
        let Some(mut current) = self.current else { return };
        if req.op == op::STORE {
            let moved = self.machine_mask(ctx, &req);
            current.left &= !moved;
            current.dests &= !(u16::from(current.left == 0) << req.dest);
            if current.left == 0 && current.dests != 0 {
                // The next copy.
                current.left = ctx.messages[current.message].mask;
            }
        } else {
            let tag = self.offered_tag;
            current.left &= !self.pending[usize::from(tag)].mask;
            self.sent[usize::from(req.dest)].push_back(tag);
            ctx.messages[current.message].pieces += 1;
            self.asked += 1;
            if self.crosses {
                self.counters.reverse_to[usize::from(req.dest)] += u64::from(SIDEBAND_BYTES);
            }
        }
        self.current = Some(current).filter(|c| c.left != 0);
        if current.left == 0 && req.op == op::STORE {
            self.answer_write(ctx, current.message);
        }
    }

    fn machine_mask(&self, ctx: &Context, req: &Req) -> u128 {
        let current = self.current.expect("a piece belongs to a request");
        let shift = (ctx.messages[current.message].addr as i64 - req.addr as i64) as i32;
        if shift >= 0 { req.mask >> shift } else { req.mask << -shift }
    }

    /// Hands what was stored locally to the copy engine, whole runs of bytes.
    fn copy_staged(&mut self, ctx: &Context) {
        let EgressPath::Dma(dma) = &mut self.path else { return };
        if !ctx.places.are_replicated() {
            self.staging.drain(|addr, bytes| {
                dma.copy(ctx.layout.gpu_of(ctx.places.home(addr)) as u8, addr, bytes);
            });
            return;
        }
        for dest in 0..self.sent.len() as u8 {
            let goes_there = |addr| ctx.places.others(self.gpu, addr) >> dest & 1 == 1;
            self.staging.gather(goes_there, |addr, bytes, is_row| match is_row {
                true => dma.write(dest, addr, bytes),
                false => dma.copy(dest, addr, bytes),
            });
        }
        self.staging.clear();
    }
}

/// Code of an atomic in a request. Those without a code travel as their signed kin; the receiver
/// looks it up in the sender's table.
fn code(op: AtomicOp) -> u8 {
    match op {
        AtomicOp::Add => aop::ADD,
        AtomicOp::Min | AtomicOp::UMin => aop::MIN,
        AtomicOp::Max | AtomicOp::UMax => aop::MAX,
        AtomicOp::And => aop::AND,
        AtomicOp::Or => aop::OR,
        AtomicOp::Xor => aop::XOR,
        AtomicOp::Exchange => aop::SWAP,
    }
}
