//! A race detection unit by itself: the rules of specification 5.1, 5.2 and 12, and worked examples
//! 1 to 6 of 10.1. Figures come from the specification's text.

mod answers;
mod examples;
mod forced;
mod hashes;
mod queues;
mod rate;
mod reset;

use std::collections::VecDeque;

use duet_tests::{Body, with_both_bodies};
use hwmodel::Block;
use hwmodel::race_detection_unit::RaceDetectionUnit;
use ports::common::race_types::{MAX_SMS, Req, Rsp, Token, req_kind, rsp_kind};
use ports::race_detection_unit::{Config, Counters, In, Out};

use super::hash::bits;
use super::named;

type Make = duet_tests::Make<RaceDetectionUnit>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<RaceDetectionUnit>(check);
}

/// The small parameters of specification 2.
fn config() -> Config {
    (&named("small")).into()
}

/// The fewest SMs.
fn two_sms() -> Config {
    Config { n_sm: 2, ..config() }
}

fn request(kind: u8, id: u8, line: u32) -> Req {
    Req { kind, id, mask: u128::MAX, addr: line << 7 }
}

/// Requests of a line, whose number is its key where a granule is a line.
fn read(id: u8, line: u32) -> Req {
    request(req_kind::RDCHK, id, line)
}

fn check(id: u8, line: u32) -> Req {
    request(req_kind::HITCHK, id, line)
}

fn write(id: u8, line: u32) -> Req {
    request(req_kind::WRITE, id, line)
}

fn atomic(id: u8, line: u32) -> Req {
    request(req_kind::ATOM, id, line)
}

/// The header of an answer with a last beat.
fn header(kind: u8, id: u8, epoch: u8) -> Rsp {
    let sync = kind != rsp_kind::NORACE;
    Rsp { hdr: true, last: true, kind, id, epoch, sync, ..Rsp::default() }
}

/// A unit, its inputs, and the outputs of all cycles. What is shown is held until it is taken.
struct Bench {
    body: Body<RaceDetectionUnit>,
    sms: usize,
    /// Requests of each SM, with the first cycle that they are offered in.
    requests: [VecDeque<(usize, Req)>; MAX_SMS],
    /// Inputs of the next cycle.
    next: In,
    out: Vec<Out>,
    /// Beats that each SM has taken, and tokens, with their cycles.
    beats: Vec<Vec<(usize, Rsp)>>,
    tokens: Vec<(usize, Token)>,
}

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let next = In { tok_ready: true, rsp_ready: u16::MAX, ..In::default() };
        let sms = config.n_sm as usize;
        Self {
            body: body(config),
            sms,
            requests: Default::default(),
            next,
            out: Vec::new(),
            beats: vec![Vec::new(); sms],
            tokens: Vec::new(),
        }
    }

    /// Requests of an SM, offered from this cycle on, one behind the other.
    fn send(&mut self, cycle: usize, sm: usize, requests: impl IntoIterator<Item = Req>) {
        self.requests[sm].extend(requests.into_iter().map(|req| (cycle, req)));
    }

    /// One cycle; returns its outputs.
    fn cycle(&mut self) -> Out {
        let now = self.out.len();
        self.next.req_valid = 0;
        for (sm, requests) in self.requests.iter_mut().enumerate() {
            self.next.req[sm] = Req::default();
            if let Some((_, req)) = requests.front().filter(|(from, _)| *from <= now) {
                self.next.req_valid |= 1 << sm;
                self.next.req[sm] = *req;
            }
        }
        let shown = self.body.outputs();
        let out = self.body.tick(&self.next);
        assert_eq!(shown, out, "tick must return the outputs of the cycle that it ends");
        assert!(!self.body.failed(), "an assertion of the RTL fails in cycle {now}");
        for sm in 0..self.sms {
            if (self.next.req_valid & out.req_ready) >> sm & 1 != 0 {
                self.requests[sm].pop_front();
            }
            if out.rsp_valid >> sm & 1 == 0 {
                assert_eq!(out.rsp[sm], Rsp::default(), "a payload is 0 while its valid is 0");
            } else if self.next.rsp_ready >> sm & 1 != 0 {
                self.beats[sm].push((now, out.rsp[sm]));
            }
        }
        if let Some(token) = out.tok.filter(|_| self.next.tok_ready) {
            self.tokens.push((now, token));
        }
        self.hold(&out);
        self.out.push(out);
        out
    }

    fn hold(&self, out: &Out) {
        let now = self.body.outputs();
        for sm in 0..self.sms {
            if (out.rsp_valid & !self.next.rsp_ready) >> sm & 1 != 0 {
                assert!(now.rsp_valid >> sm & 1 != 0 && now.rsp[sm] == out.rsp[sm]);
            }
        }
        assert!(out.tok.is_none() || self.next.tok_ready || now.tok == out.tok);
    }

    /// Runs all cycles before this one.
    fn run_to(&mut self, cycle: usize) {
        while self.out.len() < cycle {
            self.cycle();
        }
    }

    /// Runs until nothing is left to do.
    fn finish(&mut self) {
        for _ in 0..10_000 {
            if self.requests.iter().all(VecDeque::is_empty) && self.body.outputs().idle {
                return;
            }
            self.cycle();
        }
        panic!("it does not end");
    }

    /// Headers that an SM has taken.
    fn headers(&self, sm: usize) -> Vec<(usize, Rsp)> {
        self.beats[sm].iter().copied().filter(|(_, rsp)| rsp.hdr).collect()
    }

    /// Kind and id of all of them.
    fn answers(&self, sm: usize) -> Vec<(u8, u8)> {
        self.headers(sm).iter().map(|(_, rsp)| (rsp.kind, rsp.id)).collect()
    }

    /// The signature behind the `n`th header of an SM: the places of its ones. Checks that its
    /// chunks ascend, and that none is 0.
    fn signature(&self, sm: usize, n: usize) -> Vec<u32> {
        let beats = self.beats[sm].iter().map(|(_, rsp)| rsp);
        let mut ones = Vec::new();
        let mut before = None;
        let answers = beats.scan(0, |headers, rsp| {
            *headers += usize::from(rsp.hdr);
            Some((*headers, rsp))
        });
        for (_, rsp) in answers.filter(|(headers, rsp)| *headers == n + 1 && !rsp.hdr) {
            assert!(before < Some(rsp.chunk) && rsp.data.0 != [0; 32]);
            before = Some(rsp.chunk);
            let bit = |bit: &u32| rsp.data.0[*bit as usize / 8] >> (bit % 8) & 1 != 0;
            ones.extend((0..256).filter(bit).map(|bit| 256 * u32::from(rsp.chunk) + bit));
        }
        ones
    }

    fn cnt(&self) -> Counters {
        self.body.outputs().cnt
    }
}
