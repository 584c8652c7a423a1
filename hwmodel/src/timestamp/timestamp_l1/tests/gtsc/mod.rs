//! G-TSC.

mod quiet;
mod rules;

use ports::timestamp::types::{BusRsp, CoreReq, Protocol, rsp_op};

use super::*;

fn config() -> Config {
    (&small(Protocol::Gtsc)).into()
}

/// An L1 that is left time for everything, and what it has sent.
struct Bench {
    l1: TimestampL1,
    rep: u8,
    rsp: Vec<CoreRsp>,
    req: Vec<BusReq>,
}

impl Bench {
    fn new(l1: TimestampL1) -> Self {
        Self { l1, rep: 0, rsp: Vec::new(), req: Vec::new() }
    }

    fn cycle(&mut self, core_req: Option<CoreReq>, bus_rsp: Option<BusRsp>) {
        let rep = self.rep;
        let ready = In { core_rsp_ready: true, bus_req_ready: true, rep, ..In::default() };
        let out = self.l1.tick(&In { core_req, bus_rsp, ..ready });
        self.rsp.extend(out.core_rsp);
        self.req.extend(out.bus_req);
    }

    fn rest(&mut self) {
        (0..8).for_each(|_| self.cycle(None, None));
    }

    fn ask(&mut self, req: CoreReq) {
        self.cycle(Some(req), None);
        self.rest();
    }

    /// A bank answers with a lease; data are `byte`.
    fn answer(&mut self, op: u8, id: u8, (wts, rts): (u32, u32), byte: u8) {
        self.answer_of(self.rep, op, id, (wts, rts), byte);
    }

    fn answer_of(&mut self, rep: u8, op: u8, id: u8, (wts, rts): (u32, u32), byte: u8) {
        let ok = op == rsp_op::WR_ACK && byte == 0;
        let mut rsp = BusRsp { op, rep, ok, id, wts, rts, ..BusRsp::default() };
        if matches!(op, rsp_op::FILL | rsp_op::ATOM_ACK) {
            rsp.data.0[..16].fill(byte);
        }
        self.cycle(None, Some(rsp));
        self.rest();
    }

    /// The line is read by warp 0, and has a lease.
    fn has(&mut self, line: u64, lease: (u32, u32), byte: u8) {
        self.ask(ld(0, line));
        self.answer(rsp_op::FILL, 0, lease, byte);
        self.rsp.clear();
        self.req.clear();
    }

    /// Timestamp and first byte of the answers so far.
    fn read(&self) -> Vec<(u32, u8)> {
        self.rsp.iter().map(|rsp| (rsp.ts, rsp.data.0[0])).collect()
    }
}
