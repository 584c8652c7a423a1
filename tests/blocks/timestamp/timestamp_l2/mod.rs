//! An L2 bank by itself: what it does by the specification, whose text has the figures; and a bench
//! around it: requests, a memory, a policy.

mod gtsc;
mod tc;

use std::collections::{BTreeMap, VecDeque};

use hwmodel::timestamp::timestamp_l2::{Rule, TimestampL2};
use ports::timestamp::timestamp_l2::{In, Out};
use ports::timestamp::types::{Ask, BusReq, BusRsp, DramReq, DramRsp, LineData, Pick, bus_op};

use super::{are_detected, named};
use crate::bench::{self, Around};

implementations!(TimestampL2, Rule);

#[test]
fn each_disabled_rule_is_detected() {
    are_detected(&DISABLED, Rule::ALL, &[gtsc::DETECTED, tc::DETECTED].concat());
}

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

impl Around<TimestampL2> for Memory {
    fn after(&mut self, cycle: usize, next: &mut In, out: &Out, _: &Out) {
        if out.bus_req_ready && next.bus_req.take().is_some() {
            self.accepted.push(cycle);
        }
        if let Some(answer) = out.bus_rsp.filter(|_| next.bus_rsp_ready) {
            self.answers.push((cycle, answer));
        }
        if let Some(req) = out.dram_req.filter(|_| next.dram_req_ready) {
            self.requests.push((cycle, req));
            if req.we {
                self.lines.insert(req.line, req.data);
            } else {
                self.reads.push_back(req.line);
            }
        }
        if out.dram_rsp_ready && next.dram_rsp.take().is_some() {
            self.filled.push(cycle);
        }
        if !self.silent && next.dram_rsp.is_none() {
            let data = |line| self.lines.get(&line).copied().unwrap_or_default();
            next.dram_rsp = self.reads.pop_front().map(|line| DramRsp { line, data: data(line) });
        }
        (next.sync, next.pick) = (None, None);
    }
}

/// A bank in it.
type Bench = bench::Bench<TimestampL2, Memory>;

impl Bench {
    /// Everything is taken; a policy may say which way a line takes.
    pub fn new(body: duet_tests::Body<TimestampL2>, policy: bool) -> Self {
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
        let ready = In { bus_rsp_ready: true, dram_req_ready: true, policy, ..In::default() };
        Self::around(body, ready, memory)
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
        self.next.bus_req = Some(req);
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
        self.next.sync = Some(kind);
        let begins = self.now();
        self.cycle();
        let done = |bench: &mut Self| bench.shown().sync_done.then(|| bench.now());
        (begins, self.until("end", done))
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
