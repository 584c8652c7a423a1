//! G-TSC.

mod quiet;
mod rules;

use ports::timestamp::types::{BusReq, BusRsp, DramRsp, Protocol, bus_op};

use super::*;

fn config() -> Config {
    (&small(Protocol::Gtsc)).into()
}

/// A line of set 0, and two others of it.
const X: u64 = 0;
const OTHERS: [u64; 2] = [8, 16];

fn read(line: u64, wts: u32, warp_ts: u32) -> BusReq {
    BusReq { op: bus_op::RD, line, wts, warp_ts, ..BusReq::default() }
}

/// A store of the first word.
fn write(line: u64, wts: u32, warp_ts: u32) -> BusReq {
    BusReq { op: bus_op::WR, mask: 0xf, ..read(line, wts, warp_ts) }
}

/// A bank with a memory of zeroes that answers at once.
struct Bench {
    bank: TimestampL2,
    next: In,
}

impl Bench {
    fn new(bank: TimestampL2) -> Self {
        Self { bank, next: In::default() }
    }

    fn cycle(&mut self) -> Out {
        let ready = In { bus_rsp_ready: true, dram_req_ready: true, ..self.next };
        let out = self.bank.tick(&ready);
        let read = out.dram_req.filter(|req| !req.we);
        let dram_rsp = read.map(|req| DramRsp { line: req.line, ..DramRsp::default() });
        self.next = In { halt: self.next.halt, rst: self.next.rst, dram_rsp, ..In::default() };
        out
    }

    /// The answer; `None` where a timestamp does not fit.
    fn ask(&mut self, req: BusReq) -> Option<BusRsp> {
        self.next.bus_req = Some(req);
        self.answer()
    }

    fn answer(&mut self) -> Option<BusRsp> {
        for _ in 0..30 {
            let out = self.cycle();
            if out.bus_rsp.is_some() {
                return out.bus_rsp;
            }
        }
        assert!(self.bank.outputs().ovf, "no answer");
        None
    }

    fn lease_of(&mut self, req: BusReq) -> (u32, u32) {
        let answer = self.ask(req).expect("it fits");
        (answer.wts, answer.rts)
    }

    /// All leases begin anew.
    fn restart(&mut self) {
        (self.next.halt, self.next.rst) = (true, true);
        while !self.bank.outputs().rst_done {
            self.cycle();
        }
        (self.next.halt, self.next.rst) = (false, false);
    }
}
