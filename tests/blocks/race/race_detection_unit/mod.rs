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

use duet_tests::with_both_bodies;
use hwmodel::race::race_detection_unit::RaceDetectionUnit;
use ports::race::race_detection_unit::{Config, Counters, In, Out};
use ports::race::types::{MAX_SMS, Req, Rsp, Token, req_kind, rsp_kind};

use super::hash::{bits, matrix};
use super::{MODELS, is_soak, named};
use crate::bench::{self, Around};

type Make = duet_tests::Make<RaceDetectionUnit>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<RaceDetectionUnit>(check);
}

/// The small parameters of specification 2.
fn config() -> Config {
    (&named("small")).into()
}

/// Configurations of two, three, four and 16 SMs, with a request that takes one step: where a line
/// has several granules, a write of nothing.
fn one_step() -> [(Config, Req); 4] {
    let nothing = Req { mask: 0, ..write(0, 0) };
    let of = |name, req| ((&named(name)).into(), req);
    [of("least", nothing), of("odd", read(0, 0)), of("small", read(0, 0)), of("paper", read(0, 0))]
}

/// Signatures of four chunks. A granule is four lines.
fn four_chunks() -> Config {
    (&named("small-half-page")).into()
}

/// The first line of a key there.
fn half_page(key: u32) -> u32 {
    4 * key
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

/// The SMs and the L2.
struct Neighbours {
    sms: usize,
    /// Requests of each SM, with the first cycle that they are offered in.
    requests: [VecDeque<(usize, Req)>; MAX_SMS],
    /// Beats that each SM has taken, and tokens, with their cycles.
    beats: Vec<Vec<(usize, Rsp)>>,
    tokens: Vec<(usize, Token)>,
}

impl Around<RaceDetectionUnit> for Neighbours {
    fn before(&mut self, now: usize, next: &mut In, _: &Out) {
        next.req_valid = 0;
        for (sm, requests) in self.requests.iter().enumerate() {
            next.req[sm] = Req::default();
            if let Some((_, req)) = requests.front().filter(|(from, _)| *from <= now) {
                next.req_valid |= 1 << sm;
                next.req[sm] = *req;
            }
        }
    }

    /// What is shown is held until it is taken.
    fn after(&mut self, now: usize, next: &mut In, out: &Out, shown: &Out) {
        for sm in 0..self.sms {
            if (next.req_valid & out.req_ready) >> sm & 1 != 0 {
                self.requests[sm].pop_front();
            }
            if out.rsp_valid >> sm & 1 == 0 {
                assert_eq!(out.rsp[sm], Rsp::default(), "a payload is 0 while its valid is 0");
            } else if next.rsp_ready >> sm & 1 != 0 {
                self.beats[sm].push((now, out.rsp[sm]));
            } else {
                assert!(shown.rsp_valid >> sm & 1 != 0 && shown.rsp[sm] == out.rsp[sm]);
            }
        }
        match out.tok {
            Some(token) if next.tok_ready => self.tokens.push((now, token)),
            token => assert!(token.is_none() || shown.tok == token),
        }
    }
}

type Bench = bench::Bench<RaceDetectionUnit, Neighbours>;

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let next = In { tok_ready: true, rsp_ready: u16::MAX, ..In::default() };
        let sms = config.n_sm as usize;
        let (requests, beats, tokens) = (Default::default(), vec![Vec::new(); sms], Vec::new());
        Self::around(body(config), next, Neighbours { sms, requests, beats, tokens })
    }

    /// Requests of an SM, offered from this cycle on, one behind the other.
    fn send(&mut self, cycle: usize, sm: usize, requests: impl IntoIterator<Item = Req>) {
        self.requests[sm].extend(requests.into_iter().map(|req| (cycle, req)));
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

    fn counters(&self) -> Counters {
        self.body.outputs().counters
    }
}
