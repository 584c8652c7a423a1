//! The three blocks joined: a race detection unit, and for each SM an access validation unit and a
//! speculative load queue. The tests stand for the L1s, the load/store units and the L2.

mod examples;
mod one_sync;
mod speculation;
mod streaming;

use std::collections::BTreeMap;

use duet_tests::Body;
use hwmodel::Block;
use hwmodel::race::access_validation_unit::AccessValidationUnit;
use hwmodel::race::race_detection_unit::RaceDetectionUnit;
use hwmodel::race::speculative_load_queue::SpeculativeLoadQueue;
use ports::race::types::{
    Alloc, Done, Fill, Lookup, RaceDetection, Req, Token, req_kind, result, rsp_kind,
};
use ports::race::{
    access_validation_unit as avu, race_detection_unit as rdu, speculative_load_queue as slq,
};

use super::hash::{bits, is_exact};
use super::{Bodies, full_at_once, named, on_both};

/// What an SM does in the next cycle.
#[derive(Default)]
struct Next {
    req: Option<Req>,
    lookup: Option<Lookup>,
    fill: Option<Fill>,
    clear: Option<u8>,
    alloc: Option<Alloc>,
}

struct Sm {
    avu: Body<AccessValidationUnit>,
    slq: Body<SpeculativeLoadQueue>,
    next: Next,
    /// Replays are taken.
    replay_ready: bool,
    /// Values of the lines that its L1 holds. Each line has a place of its own.
    l1: BTreeMap<u32, u32>,
    /// Bits of the last signature.
    signature: Vec<u32>,
    out: Vec<(avu::Out, slq::Out)>,
}

/// How a load went.
#[derive(Debug, PartialEq, Eq)]
struct Loaded {
    /// Result of the lookup.
    result: u8,
    /// Kind of the answer to a miss.
    answer: Option<u8>,
    value: u32,
}

const fn loaded(result: u8, answer: u8, value: u32) -> Loaded {
    Loaded { result, answer: Some(answer), value }
}

const fn hit(value: u32) -> Loaded {
    Loaded { result: result::HIT, answer: None, value }
}

struct System {
    config: RaceDetection,
    unit: Body<RaceDetectionUnit>,
    sms: Vec<Sm>,
    /// The L2; 0 where nothing was stored.
    memory: BTreeMap<u32, u32>,
    tokens: Vec<(usize, Token)>,
    out: Vec<rdu::Out>,
}

impl System {
    fn new(bodies: Bodies, config: &RaceDetection) -> Self {
        let sm = |_| Sm {
            avu: (bodies.avu)(&config.into()),
            slq: (bodies.slq)(&config.into()),
            next: Next::default(),
            replay_ready: true,
            l1: BTreeMap::new(),
            signature: Vec::new(),
            out: Vec::new(),
        };
        Self {
            config: config.clone(),
            unit: (bodies.unit)(&config.into()),
            sms: (0..config.n_sm).map(sm).collect(),
            memory: BTreeMap::new(),
            tokens: Vec::new(),
            out: Vec::new(),
        }
    }

    /// The number of the next cycle.
    fn now(&self) -> usize {
        self.out.len()
    }

    fn cycle(&mut self) {
        let shown = self.unit.outputs();
        let mut inputs = rdu::In { tok_ready: true, ..rdu::In::default() };
        for (i, sm) in self.sms.iter_mut().enumerate() {
            let Next { req, lookup, fill, clear, alloc } = std::mem::take(&mut sm.next);
            let (a, s) = (sm.avu.outputs(), sm.slq.outputs());
            inputs.req_valid |= u16::from(req.is_some()) << i;
            inputs.req[i] = req.unwrap_or_default();
            let is_sent = req.is_none() || shown.req_ready >> i & 1 != 0;
            let is_looked_up = lookup.is_none() || a.lk_ready;
            assert!(is_sent && is_looked_up && (alloc.is_none() || s.alloc_ready));
            let rsp = (shown.rsp_valid >> i & 1 != 0).then_some(shown.rsp[i]);
            inputs.rsp_ready |= u16::from(a.rsp_ready) << i;
            if let Some(beat) = rsp.filter(|_| a.rsp_ready) {
                if beat.hdr && beat.sync {
                    sm.signature.clear();
                }
                let bit = |bit: &u32| beat.data.0[*bit as usize / 8] >> (bit % 8) & 1 != 0;
                let place = |bit| 256 * u32::from(beat.chunk) + bit;
                sm.signature.extend((0..256).filter(bit).map(place));
            }
            sm.avu.tick(&avu::In {
                rsp,
                lk: lookup,
                fill,
                hc_clr: clear,
                q_valid: s.q_valid,
                q: s.q,
                slq_busy: s.busy,
            });
            sm.slq.tick(&slq::In {
                inc: req.is_some(),
                done: a.done,
                alloc,
                q_member: a.q_member,
                replay_ready: sm.replay_ready,
            });
            assert_eq!((a.err, s.err), (None, None), "SM {i}");
            assert!(!sm.avu.failed() && !sm.slq.failed(), "an assertion of the RTL fails");
            sm.out.push((a, s));
        }
        if let Some(token) = shown.tok {
            self.tokens.push((self.now(), token));
        }
        self.unit.tick(&inputs);
        assert!(!self.unit.failed(), "an assertion of the unit's RTL fails");
        self.out.push(shown);
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// What the blocks of an SM show in the next cycle.
    fn avu(&self, sm: usize) -> avu::Out {
        self.sms[sm].avu.outputs()
    }

    fn slq(&self, sm: usize) -> slq::Out {
        self.sms[sm].slq.outputs()
    }

    fn epoch(&self, sm: usize) -> u8 {
        self.avu(sm).epoch
    }

    /// The last signature that an SM received is that of these lines.
    fn assert_signature(&self, sm: usize, lines: &[u32]) {
        assert_eq!(self.sms[sm].signature, bits(self.config.m, lines), "of SM {sm}");
    }

    /// The request of a line in the next cycle.
    fn request(&mut self, sm: usize, kind: u8, line: u32) {
        self.sms[sm].next.req = Some(Req { kind, id: 1, mask: u128::MAX, addr: line << 7 });
        self.cycle();
    }

    /// Runs until an answer is shown to an SM.
    fn done(&mut self, sm: usize) -> Done {
        for _ in 0..1000 {
            if let Some(done) = self.avu(sm).done {
                return done;
            }
            self.cycle();
        }
        panic!("SM {sm} has no answer");
    }

    /// The request of a line, and its answer.
    fn ask(&mut self, sm: usize, kind: u8, line: u32) -> Done {
        self.request(sm, kind, line);
        let done = self.done(sm);
        // That of its cycle is over.
        self.cycle();
        done
    }

    /// The result of a lookup. The L1 holds the line or not.
    fn look(&mut self, sm: usize, line: u32) -> u8 {
        let tag_hit = self.sms[sm].l1.contains_key(&line);
        self.sms[sm].next.lookup =
            Some(Lookup { line: place(line), tag_hit, size: 2, addr: line << 7 });
        self.cycle();
        self.avu(sm).rs.expect("a result in the next cycle")
    }

    /// A load with all before it complete.
    fn load(&mut self, sm: usize, line: u32) -> Loaded {
        let mut result = self.look(sm, line);
        if result == result::HIT_NEEDCHK {
            self.ask(sm, req_kind::HITCHK, line);
            self.sms[sm].next.clear = Some(place(line));
            self.cycle();
            result = self.look(sm, line);
        }
        if result == result::HIT {
            return hit(self.sms[sm].l1[&line]);
        }
        let Done { kind, epoch, .. } = self.ask(sm, req_kind::RDCHK, line);
        let value = self.memory.get(&line).copied().unwrap_or_default();
        self.sms[sm].l1.insert(line, value);
        self.sms[sm].next.fill = Some(Fill { line: place(line), epoch });
        self.cycle();
        loaded(result, kind, value)
    }

    /// A store with all before it complete; returns the epoch that it begins.
    fn store(&mut self, sm: usize, line: u32, value: u32) -> u8 {
        let done = self.ask(sm, req_kind::WRITE, line);
        assert_eq!((done.kind, done.sync), (rsp_kind::WACK, true));
        self.memory.insert(line, value);
        if let Some(copy) = self.sms[sm].l1.get_mut(&line) {
            *copy = value;
        }
        done.epoch
    }
}

/// Lines of the examples: keys whose signatures have no other of them.
const A: u32 = 1;
const B: u32 = 2;
const C: u32 = 3;
const D: u32 = 0x12345;
const E: u32 = 0xDEAD_BEEF >> 7;
const LINES: [u32; 5] = [A, B, C, D, E];

fn place(line: u32) -> u8 {
    LINES.iter().position(|&other| other == line).expect("a line of the examples") as u8
}

#[test]
fn lines_of_the_examples_are_told_apart() {
    for line in LINES {
        let others: Vec<_> = LINES.into_iter().filter(|&other| other != line).collect();
        assert!(is_exact(named("small").m, line, &others));
    }
}
