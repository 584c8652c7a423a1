//! The block's outputs: its requests go to the banks, its answers to the CU, and its state to the
//! GPU's unit.

use ports::timestamp::types::{BusReq, CoreRsp, bus_op, op};

use super::{Cache, OWN};
use crate::check::timed::OPERATIONS;
use crate::context::masks;
use crate::context::message::{Kind, Message, Packed};
use crate::engine::pool::Handle;
use crate::l1::Port;
use crate::timestamp::{OfL1, Request, ToL1};

impl Cache {
    /// The block's request goes below.
    pub(super) fn send(&mut self, port: &mut Port, request: &BusReq) {
        let BusReq { op, aop, sz, rep, id, line, wts, warp_ts, mask, data, .. } = *request;
        let (kind, mask) = match op {
            bus_op::RD => (Kind::Read, masks::span(0, self.line)),
            bus_op::WR => (Kind::Write, mask),
            _ => (Kind::Atomic(OPERATIONS[usize::from(aop)]), mask),
        };
        let said = Request { rep, id, wts, warp_ts };
        let payload = match kind {
            Kind::Read => Handle::NONE,
            _ => port.ctx.payload(&data.0[..self.line]),
        };
        let message = Message {
            kind,
            mask,
            addr: line * self.line as u64,
            tag: OWN,
            from: self.unit,
            line: payload,
            size: if sz { 8 } else { 4 },
            born: port.ctx.now as u32,
            sideband: Packed::new(&said, (self.ts_w,)),
            said: self.bytes.of_request(op),
            ..Message::default()
        };
        let message = port.ctx.messages.put(message);
        let may_wait = kind == Kind::Write && self.late.keep_request(port.ctx, message);
        self.inputs.bus_req_ready = may_wait || port.send(message);
        if !self.inputs.bus_req_ready {
            port.ctx.drop_message(message);
        } else if kind != Kind::Read && port.ctx.timed.is_some() {
            self.issued.send(id);
        }
        if let Some(places) = self.places.as_mut().filter(|_| kind == Kind::Read) {
            places.fetch(id, line);
        }
    }

    /// The block's answer goes to the CU.
    pub(super) fn finish(&mut self, port: &mut Port, answer: &CoreRsp) {
        self.inputs.core_rsp_ready = true;
        let CoreRsp { rep, ts, op, id, data, warp } = answer;
        let request = std::mem::replace(&mut self.requests[usize::from(*id)], Handle::NONE);
        if port.ctx.timed.is_some() {
            self.record_end(port, answer, request);
        }
        let wave = usize::from(port.transaction(request).wave);
        let generation = self.generation_of(*rep);
        if let Some(clocks) = &mut self.clocks {
            clocks.reach(*warp, (generation, *ts));
        }
        let after = if self.is_hit { self.hit_latency.saturating_sub(2).max(1) } else { 1 };
        let data = (*op != op::ST).then_some(&data.0[..self.line]);
        port.finish(request, data, after);
        self.end(port.ctx.now, wave, after, *op == op::LD);
    }

    /// What is said to the unit, and whether what it was asked for is over.
    pub(super) fn talk(&mut self, port: &mut Port) {
        let Some((from, to)) = self.wires else {
            if self.out.flush_done {
                self.acquires = false;
                port.acquired();
            }
            return;
        };
        let said = OfL1 { rep_ack: self.out.rep_ack, ..self.said };
        if said.rep_ack != self.said.rep_ack {
            self.generation += 1;
            self.said = said;
            port.ctx.show(to, Packed::new(&said, ()));
        }
        let ToL1 { over, .. } = port.ctx.see(from).get(());
        if self.acquires && over == self.said.asked {
            self.acquires = false;
            port.acquired();
        }
    }
}
