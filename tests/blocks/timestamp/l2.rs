//! A bench around an L2 bank, of either protocol: requests, a memory, a policy.

use std::collections::{BTreeMap, VecDeque};

use hwmodel::Block;
use hwmodel::timestamp::gtsc_l2::GtscL2;
use hwmodel::timestamp::tc_l2::TcL2;
use ports::timestamp::types::{
    Ask, BusReq, BusRsp, DramReq, DramRsp, Event, LineData, Pick, bus_op,
};

use crate::bench::{self, Around};

/// A bank: ports that both have.
pub trait Bank: Block {
    /// Everything is taken; a policy says which way a line takes.
    fn ready(policy: bool) -> Self::In;
    /// Requests, what memory answers, releases and acquires, the policy's word.
    fn takes(next: &mut Self::In) -> Inputs<'_>;
    fn shows(out: &Self::Out) -> Outputs;
}

pub struct Inputs<'a> {
    pub bus_req: &'a mut Option<BusReq>,
    pub bus_rsp_ready: bool,
    pub dram_req_ready: bool,
    pub dram_rsp: &'a mut Option<DramRsp>,
    pub sync: &'a mut Option<u8>,
    pub pick: &'a mut Option<Pick>,
}

pub struct Outputs {
    pub bus_req_ready: bool,
    pub bus_rsp: Option<BusRsp>,
    pub dram_req: Option<DramReq>,
    pub dram_rsp_ready: bool,
    pub sync_done: bool,
    pub ask: Option<Ask>,
    pub event: Option<Event>,
    pub err: Option<u8>,
}

macro_rules! bank {
    ($block:ty, $ports:ident) => {
        impl Bank for $block {
            fn ready(policy: bool) -> Self::In {
                let (bus_rsp_ready, dram_req_ready) = (true, true);
                ports::timestamp::$ports::In {
                    bus_rsp_ready,
                    dram_req_ready,
                    policy,
                    ..Default::default()
                }
            }

            fn takes(next: &mut Self::In) -> Inputs<'_> {
                Inputs {
                    bus_req: &mut next.bus_req,
                    bus_rsp_ready: next.bus_rsp_ready,
                    dram_req_ready: next.dram_req_ready,
                    dram_rsp: &mut next.dram_rsp,
                    sync: &mut next.sync,
                    pick: &mut next.pick,
                }
            }

            fn shows(out: &Self::Out) -> Outputs {
                Outputs {
                    bus_req_ready: out.bus_req_ready,
                    bus_rsp: out.bus_rsp,
                    dram_req: out.dram_req,
                    dram_rsp_ready: out.dram_rsp_ready,
                    sync_done: out.sync_done,
                    ask: out.ask,
                    event: out.event,
                    err: out.err,
                }
            }
        }
    };
}
bank!(GtscL2, gtsc_l2);
bank!(TcL2, tc_l2);

/// What surrounds the bank. Memory holds zeroes at first, and answers in the cycle after the
/// request.
pub struct Memory {
    lines: BTreeMap<u64, LineData>,
    reads: VecDeque<u64>,
    /// It does not answer.
    pub silent: bool,
    /// Transfers, with their cycles.
    pub accepted: Vec<usize>,
    pub answers: Vec<(usize, BusRsp)>,
    /// Answers that a test has looked at.
    looked: usize,
    pub requests: Vec<(usize, DramReq)>,
    pub filled: Vec<usize>,
}

impl<B: Bank> Around<B> for Memory {
    fn after(&mut self, cycle: usize, next: &mut B::In, out: &B::Out, _: &B::Out) {
        let (inputs, out) = (B::takes(next), B::shows(out));
        if out.bus_req_ready && inputs.bus_req.take().is_some() {
            self.accepted.push(cycle);
        }
        if let Some(answer) = out.bus_rsp.filter(|_| inputs.bus_rsp_ready) {
            self.answers.push((cycle, answer));
        }
        if let Some(req) = out.dram_req.filter(|_| inputs.dram_req_ready) {
            self.requests.push((cycle, req));
            if req.we {
                self.lines.insert(req.line, req.data);
            } else {
                self.reads.push_back(req.line);
            }
        }
        if out.dram_rsp_ready && inputs.dram_rsp.take().is_some() {
            self.filled.push(cycle);
        }
        if !self.silent && inputs.dram_rsp.is_none() {
            let data = |line| self.lines.get(&line).copied().unwrap_or_default();
            *inputs.dram_rsp =
                self.reads.pop_front().map(|line| DramRsp { line, data: data(line) });
        }
        (*inputs.sync, *inputs.pick) = (None, None);
    }
}

/// A bank in it.
pub type Bench<B> = bench::Bench<B, Memory>;

impl<B: Bank> Bench<B> {
    pub fn new(body: duet_tests::Body<B>, policy: bool) -> Self {
        let memory = Memory {
            lines: BTreeMap::new(),
            reads: VecDeque::new(),
            silent: false,
            accepted: Vec::new(),
            answers: Vec::new(),
            looked: 0,
            requests: Vec::new(),
            filled: Vec::new(),
        };
        Self::around(body, B::ready(policy), memory)
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
    pub fn send(&mut self, req: BusReq) -> usize {
        let before = self.accepted.len();
        *B::takes(&mut self.next).bus_req = Some(req);
        self.until("room", |bench| bench.accepted.get(before).copied())
    }

    /// The next answer, and its cycle.
    pub fn answer(&mut self) -> (usize, BusRsp) {
        let next = self.looked;
        self.looked += 1;
        self.until("answer", |bench| bench.answers.get(next).copied())
    }

    pub fn ask(&mut self, req: BusReq) -> BusRsp {
        self.send(req);
        self.answer().1
    }

    /// Begin and end of the lease in the answer.
    pub fn lease(&mut self, req: BusReq) -> (u32, u32) {
        let answer = self.ask(req);
        (answer.wts, answer.rts)
    }

    /// A release or acquire: the cycles of its handshake and of its end.
    pub fn sync(&mut self, kind: u8) -> (usize, usize) {
        *B::takes(&mut self.next).sync = Some(kind);
        let begins = self.now();
        self.cycle();
        let done = |bench: &mut Self| B::shows(&bench.shown()).sync_done.then(|| bench.now());
        (begins, self.until("end", done))
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

    /// Lines that memory was asked for, and that were written to it (`true`).
    pub fn traffic(&self) -> Vec<(u64, bool)> {
        self.requests.iter().map(|(_, req)| (req.line, req.we)).collect()
    }
}

pub fn read(line: u64, wts: u32, warp_ts: u32) -> BusReq {
    BusReq { op: bus_op::RD, line, wts, warp_ts, ..BusReq::default() }
}

/// A store of one word of the line, of 4 bytes.
pub fn write(line: u64, word: u32, value: u8, wts: u32, warp_ts: u32) -> BusReq {
    let (mask, data) = (0xf << (4 * word), word_of(word, value));
    BusReq { op: bus_op::WR, mask, data, ..read(line, wts, warp_ts) }
}

/// A line of zeroes but for a word, whose bytes all have this value.
pub fn word_of(word: u32, value: u8) -> LineData {
    let mut data = LineData::default();
    data.0[4 * word as usize..][..4].fill(value);
    data
}
