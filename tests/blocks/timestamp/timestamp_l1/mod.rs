//! An L1 by itself. Expected values come from the specification's text. The bench around the L1
//! sends requests of an SM, answers of banks and picks of a policy.

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

/// The bench of an L1.
type Bench = bench::Bench<TimestampL1, Seen>;

impl Bench {
    /// All outputs are accepted. `policy`: a policy picks the ways.
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

    /// Sends a request; returns the cycle in which it is accepted.
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

    /// Sends a request; returns the request to a bank that it causes.
    pub fn asks(&mut self, req: CoreReq) -> BusReq {
        self.send(req);
        self.req().1
    }

    /// Sends a request that needs no bank; returns its answer.
    pub fn hits(&mut self, req: CoreReq) -> CoreRsp {
        let sent = self.req.len();
        self.send(req);
        let rsp = self.rsp().1;
        assert_eq!(self.req.len(), sent, "no bank is asked");
        rsp
    }

    /// Sends a bank's answer; returns the cycle in which it is accepted.
    pub fn bank(&mut self, rsp: BusRsp) -> usize {
        let before = self.answered.len();
        self.next.bus_rsp = Some(rsp);
        self.until("room", |bench| bench.answered.get(before).copied())
    }

    /// Sends a bank's answer; returns the answer to the SM.
    pub fn told(&mut self, rsp: BusRsp) -> CoreRsp {
        self.bank(rsp);
        self.rsp().1
    }

    /// Runs 10 cycles, in which the L1 sends neither answers nor requests.
    pub fn silent(&mut self) {
        let before = (self.rsp.len(), self.req.len());
        self.run(10);
        assert_eq!((self.rsp.len(), self.req.len()), before);
    }

    /// Waits for a query; returns its first cycle and the query.
    pub fn asked(&mut self) -> (usize, Ask) {
        self.until("ask", |bench| bench.shown().ask.map(|ask| (bench.now(), ask)))
    }

    /// The policy picks; returns the cycle of the pick.
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

    /// Error codes from a cycle on, with their cycles.
    pub fn errors(&self, from: usize) -> Vec<(usize, u8)> {
        self.seen(from, |out| out.err)
    }
}

/// A load; its id is its warp's number and 0x40.
pub fn ld(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::LD, warp, id: 0x40 | warp, line, ..CoreReq::default() }
}

/// A store of one 4-byte word of the line.
pub fn st(warp: u8, line: u64, word: u32, value: u8) -> CoreReq {
    // Bytes outside the mask are ignored.
    let mut data = line_of(0xee);
    data.0[4 * word as usize..][..4].fill(value);
    CoreReq { op: op::ST, mask: 0xf << (4 * word), data, ..ld(warp, line) }
}

/// An atomic addition to the line's first word.
pub fn atom(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::ATOM, ..st(warp, line, 0, 1) }
}

/// A line whose bytes are all `byte`.
pub fn line_of(byte: u8) -> LineData {
    let mut data = LineData::default();
    data.0[..16].fill(byte);
    data
}

/// A line of zeros, except for one word.
pub fn word_of(word: u32, value: u8) -> LineData {
    let mut data = LineData::default();
    data.0[4 * word as usize..][..4].fill(value);
    data
}

/// A BusFill for MSHR `id`.
pub fn fill(id: u8, (wts, rts): (u32, u32), byte: u8) -> BusRsp {
    BusRsp { op: rsp_op::FILL, id, wts, rts, data: line_of(byte), ..BusRsp::default() }
}

/// A BusRnw for MSHR `id`.
pub fn renewal(id: u8, rts: u32) -> BusRsp {
    BusRsp { op: rsp_op::RNW, id, rts, ..BusRsp::default() }
}

/// A BusWrAck of store table entry `entry`.
pub fn ack(entry: u8, (wts, rts): (u32, u32), ok: bool) -> BusRsp {
    BusRsp { op: rsp_op::WR_ACK, id: 0x80 | entry, wts, rts, ok, ..BusRsp::default() }
}

/// A BusAtomAck of store table entry `entry`; `old`: the first word before the atomic.
pub fn atom_ack(entry: u8, (wts, rts): (u32, u32), old: u8) -> BusRsp {
    let data = word_of(0, old);
    BusRsp { op: rsp_op::ATOM_ACK, data, ..ack(entry, (wts, rts), false) }
}
