//! An L1 by itself: what it does by the specification, whose text has the figures; and a bench
//! around it: requests of an SM, answers that a test plays for the banks, a policy.

mod gtsc;
mod tc;

use hwmodel::timestamp::timestamp_l1::{Rule, TimestampL1};
use ports::timestamp::timestamp_l1::{In, Out};
use ports::timestamp::types::{Ask, BusReq, BusRsp, CoreReq, CoreRsp, LineData, Pick, op, rsp_op};

use super::{are_detected, named};
use crate::bench::{self, Around};

implementations!(TimestampL1, Rule);

#[test]
fn each_disabled_rule_is_detected() {
    are_detected(&DISABLED, Rule::ALL, &[gtsc::DETECTED, tc::DETECTED].concat());
}

/// Transfers so far, with their cycles.
#[derive(Default)]
pub struct Seen {
    accepted: Vec<usize>,
    answered: Vec<usize>,
    pub rsp: Vec<(usize, CoreRsp)>,
    pub req: Vec<(usize, BusReq)>,
}

impl Around<TimestampL1> for Seen {
    fn after(&mut self, cycle: usize, next: &mut In, out: &Out, _: &Out) {
        if out.core_req_ready && next.core_req.take().is_some() {
            self.accepted.push(cycle);
        }
        if out.bus_rsp_ready && next.bus_rsp.take().is_some() {
            self.answered.push(cycle);
        }
        self.rsp.extend(out.core_rsp.filter(|_| next.core_rsp_ready).map(|rsp| (cycle, rsp)));
        self.req.extend(out.bus_req.filter(|_| next.bus_req_ready).map(|req| (cycle, req)));
        next.pick = None;
    }
}

/// An L1 in it.
type Bench = bench::Bench<TimestampL1, Seen>;

impl Bench {
    /// Everything is taken; a policy may say which way a line takes.
    pub fn new(body: duet_tests::Body<TimestampL1>, policy: bool) -> Self {
        let ready = In { core_rsp_ready: true, bus_req_ready: true, policy, ..In::default() };
        Self::around(body, ready, Seen::default())
    }

    fn until<T>(&mut self, what: &str, mut of: impl FnMut(&mut Self) -> Option<T>) -> T {
        for _ in 0..200 {
            if let Some(found) = of(self) {
                return found;
            }
            self.cycle();
        }
        panic!("no {what} by cycle {}", self.now());
    }

    /// A request, as soon as it is taken; returns its cycle.
    pub fn send(&mut self, req: CoreReq) -> usize {
        let before = self.accepted.len();
        self.next.core_req = Some(req);
        self.until("room", |bench| bench.accepted.get(before).copied())
    }

    /// The next answer of the L1, and its cycle.
    pub fn rsp(&mut self) -> (usize, CoreRsp) {
        let before = self.rsp.len();
        self.until("answer", |bench| bench.rsp.get(before).copied())
    }

    /// The next request to a bank, and its cycle.
    pub fn req(&mut self) -> (usize, BusReq) {
        let before = self.req.len();
        self.until("request", |bench| bench.req.get(before).copied())
    }

    /// What a request sends to a bank.
    pub fn asks(&mut self, req: CoreReq) -> BusReq {
        self.send(req);
        self.req().1
    }

    /// What a request is answered that needs no bank.
    pub fn hits(&mut self, req: CoreReq) -> CoreRsp {
        let sent = self.req.len();
        self.send(req);
        let rsp = self.rsp().1;
        assert_eq!(self.req.len(), sent, "no bank is asked");
        rsp
    }

    /// A bank's answer, as soon as it is taken; returns its cycle.
    pub fn bank(&mut self, rsp: BusRsp) -> usize {
        let before = self.answered.len();
        self.next.bus_rsp = Some(rsp);
        self.until("room", |bench| bench.answered.get(before).copied())
    }

    /// A bank's answer, and what the SM is told.
    pub fn told(&mut self, rsp: BusRsp) -> CoreRsp {
        self.bank(rsp);
        self.rsp().1
    }

    /// Nothing is answered or asked for a while.
    pub fn silent(&mut self) {
        let before = (self.rsp.len(), self.req.len());
        self.run(10);
        assert_eq!((self.rsp.len(), self.req.len()), before);
    }

    /// The policy is asked; returns the cycle, and what for.
    pub fn asked(&mut self) -> (usize, Ask) {
        self.until("ask", |bench| bench.shown().ask.map(|ask| (bench.now(), ask)))
    }

    /// The policy's word in the next cycle, which is returned.
    pub fn pick(&mut self, way: u8, keep: bool) -> usize {
        self.next.pick = Some(Pick { keep, way });
        self.cycle();
        self.now() - 1
    }

    /// Events from a cycle on: kind, way and line.
    pub fn events(&self, from: usize) -> Vec<(u8, u8, u64)> {
        let all = self.seen(from, |out| out.event);
        all.into_iter().map(|(_, event)| (event.kind, event.way, event.line)).collect()
    }

    /// Codes from a cycle on, with their cycles.
    pub fn errors(&self, from: usize) -> Vec<(usize, u8)> {
        self.seen(from, |out| out.err)
    }
}

/// A load; its id is its warp's number and 0x40.
pub fn ld(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::LD, warp, id: 0x40 | warp, line, ..CoreReq::default() }
}

/// A store of one word of the line, of 4 bytes.
pub fn st(warp: u8, line: u64, word: u32, value: u8) -> CoreReq {
    // Bytes that are not in the mask mean nothing.
    let mut data = line_of(0xee);
    data.0[4 * word as usize..][..4].fill(value);
    CoreReq { op: op::ST, mask: 0xf << (4 * word), data, ..ld(warp, line) }
}

/// A sum on its first word.
pub fn atom(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::ATOM, ..st(warp, line, 0, 1) }
}

/// A line of these bytes.
pub fn line_of(byte: u8) -> LineData {
    let mut data = LineData::default();
    data.0[..16].fill(byte);
    data
}

/// A line of zeroes but for a word.
pub fn word_of(word: u32, value: u8) -> LineData {
    let mut data = LineData::default();
    data.0[4 * word as usize..][..4].fill(value);
    data
}

/// A line for this MSHR.
pub fn fill(id: u8, (wts, rts): (u32, u32), byte: u8) -> BusRsp {
    BusRsp { op: rsp_op::FILL, id, wts, rts, data: line_of(byte), ..BusRsp::default() }
}

/// A longer lease.
pub fn renewal(id: u8, rts: u32) -> BusRsp {
    BusRsp { op: rsp_op::RNW, id, rts, ..BusRsp::default() }
}

/// An acknowledgement of this store.
pub fn ack(entry: u8, (wts, rts): (u32, u32), ok: bool) -> BusRsp {
    BusRsp { op: rsp_op::WR_ACK, id: 0x80 | entry, wts, rts, ok, ..BusRsp::default() }
}

/// One of this atomic, with what its first word was.
pub fn atom_ack(entry: u8, (wts, rts): (u32, u32), old: u8) -> BusRsp {
    let data = word_of(0, old);
    BusRsp { op: rsp_op::ATOM_ACK, data, ..ack(entry, (wts, rts), false) }
}
