//! A bench around an L1, of either protocol: requests of an SM, answers that a test plays for the
//! banks, a policy.

use hwmodel::Block;
use hwmodel::timestamp::gtsc_l1::GtscL1;
use hwmodel::timestamp::tc_l1::TcL1;
use ports::timestamp::types::{
    Ask, BusReq, BusRsp, CoreReq, CoreRsp, Event, LineData, Pick, op, rsp_op,
};

use crate::bench::{self, Around};

/// An L1: ports that both have.
pub trait L1: Block {
    /// Everything is taken; a policy says which way a line takes.
    fn ready(policy: bool) -> Self::In;
    fn takes(next: &mut Self::In) -> Inputs<'_>;
    fn shows(out: &Self::Out) -> Outputs;
}

pub struct Inputs<'a> {
    pub core_req: &'a mut Option<CoreReq>,
    pub core_rsp_ready: &'a mut bool,
    pub bus_req_ready: &'a mut bool,
    pub bus_rsp: &'a mut Option<BusRsp>,
    pub pick: &'a mut Option<Pick>,
}

pub struct Outputs {
    pub core_req_ready: bool,
    pub core_rsp: Option<CoreRsp>,
    pub bus_req: Option<BusReq>,
    pub bus_rsp_ready: bool,
    pub ask: Option<Ask>,
    pub event: Option<Event>,
    pub err: Option<u8>,
}

macro_rules! l1 {
    ($block:ty) => {
        impl L1 for $block {
            fn ready(policy: bool) -> Self::In {
                let (core_rsp_ready, bus_req_ready) = (true, true);
                Self::In { core_rsp_ready, bus_req_ready, policy, ..Default::default() }
            }

            fn takes(next: &mut Self::In) -> Inputs<'_> {
                Inputs {
                    core_req: &mut next.core_req,
                    core_rsp_ready: &mut next.core_rsp_ready,
                    bus_req_ready: &mut next.bus_req_ready,
                    bus_rsp: &mut next.bus_rsp,
                    pick: &mut next.pick,
                }
            }

            fn shows(out: &Self::Out) -> Outputs {
                Outputs {
                    core_req_ready: out.core_req_ready,
                    core_rsp: out.core_rsp,
                    bus_req: out.bus_req,
                    bus_rsp_ready: out.bus_rsp_ready,
                    ask: out.ask,
                    event: out.event,
                    err: out.err,
                }
            }
        }
    };
}
l1!(GtscL1);
l1!(TcL1);

/// Transfers so far, with their cycles.
#[derive(Default)]
pub struct Seen {
    accepted: Vec<usize>,
    answered: Vec<usize>,
    pub rsp: Vec<(usize, CoreRsp)>,
    pub req: Vec<(usize, BusReq)>,
}

impl<B: L1> Around<B> for Seen {
    fn after(&mut self, cycle: usize, next: &mut B::In, out: &B::Out, _: &B::Out) {
        let (inputs, out) = (B::takes(next), B::shows(out));
        if out.core_req_ready && inputs.core_req.take().is_some() {
            self.accepted.push(cycle);
        }
        if out.bus_rsp_ready && inputs.bus_rsp.take().is_some() {
            self.answered.push(cycle);
        }
        self.rsp.extend(out.core_rsp.filter(|_| *inputs.core_rsp_ready).map(|rsp| (cycle, rsp)));
        self.req.extend(out.bus_req.filter(|_| *inputs.bus_req_ready).map(|req| (cycle, req)));
        *inputs.pick = None;
    }
}

/// An L1 in it.
pub type Bench<B> = bench::Bench<B, Seen>;

impl<B: L1> Bench<B> {
    pub fn new(body: duet_tests::Body<B>, policy: bool) -> Self {
        Self::around(body, B::ready(policy), Seen::default())
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
        *B::takes(&mut self.next).core_req = Some(req);
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
        *B::takes(&mut self.next).bus_rsp = Some(rsp);
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
        self.until("ask", |bench| B::shows(&bench.shown()).ask.map(|ask| (bench.now(), ask)))
    }

    /// The policy's word in the next cycle, which is returned.
    pub fn pick(&mut self, way: u8, keep: bool) -> usize {
        *B::takes(&mut self.next).pick = Some(Pick { keep, way });
        self.cycle();
        self.now() - 1
    }

    /// Events from a cycle on: kind, way and line.
    pub fn events(&self, from: usize) -> Vec<(u8, u8, u64)> {
        let all = self.seen(from, |out| B::shows(out).event);
        all.into_iter().map(|(_, event)| (event.kind, event.way, event.line)).collect()
    }

    /// Codes from a cycle on, with their cycles.
    pub fn errors(&self, from: usize) -> Vec<(usize, u8)> {
        self.seen(from, |out| B::shows(out).err)
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
