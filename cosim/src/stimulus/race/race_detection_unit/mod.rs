//! Requests of all SMs for a race detection unit, and back-pressure.

mod follow;
mod phase;
mod rows;

use hwmodel::race::race_detection_unit::RaceDetectionUnit;
use ports::race::race_detection_unit::{In, Out, Reqs};
use ports::race::types::{Req, req_kind};

use crate::blocks;
use crate::stimulus::{Driver, Stimulus};
use follow::Follow;
use phase::Phase;
use rows::Seen;

crate::family!(ports::race::types::RaceDetection, "race");
crate::pair!(RaceDetectionUnit: ports::race::types::RaceDetection);

inventory::submit! {
    blocks::entry::<Inputs>("race detection: orders a GPU's writes and read misses, detects races")
}

/// The stimulus.
pub struct Inputs {
    /// The next line where each write is to another one; that of the last write.
    next: u32,
    written: u32,
    follow: Follow,
    /// The first phase fills the signatures.
    fills: bool,
}

impl Inputs {
    fn address(&mut self, d: &mut Driver<Self>, kind: u8) -> u32 {
        let Driver { phase: p, random: r, .. } = d;
        let word = r.word();
        let (any, low) = ((word >> 32) as u32, word as u32 & 127);
        if r.chance(p.any) {
            return any;
        }
        let writes = matches!(kind, req_kind::WRITE | req_kind::ATOM);
        if writes && p.walks {
            self.next = self.next.wrapping_add(p.stride);
        }
        let line = match () {
            () if !writes && r.chance(p.near) => self.written,
            () if p.walks && writes => self.next,
            () => p.base.wrapping_add(r.below(p.lines) * p.stride),
        };
        if writes {
            self.written = line;
        }
        line << 7 | low
    }

    fn request(&mut self, d: &mut Driver<Self>, sm: u32) -> Req {
        let kinds = if d.phase.writers >> sm & 1 == 1 { [0, 0, 4, 1] } else { d.phase.kinds };
        let kind = d.random.weighted(&kinds) as u8;
        let addr = self.address(d, kind);
        let Driver { phase: p, random: r, .. } = d;
        let mask = match () {
            () if r.chance(p.empty) => 0,
            () if r.chance(p.full) => u128::MAX,
            () => r.mask(128, p.form),
        };
        Req { kind, id: r.word() as u8, mask, addr }
    }

    fn requests(&mut self, d: &mut Driver<Self>) -> (u16, Reqs) {
        let mut valid = d.last.req_valid & !d.before.req_ready;
        let mut req = Reqs::default();
        for sm in 0..d.config.n_sm {
            let at = sm as usize;
            if valid >> sm & 1 == 1 {
                req[at] = d.last.req[at];
            } else if d.random.chance(d.phase.send(sm)) {
                valid |= 1 << sm;
                req[at] = self.request(d, sm);
            }
        }
        (valid, req)
    }
}

impl Stimulus for Inputs {
    type Model = RaceDetectionUnit;

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let fills = d.length > Phase::fills(&d.config).into() && d.random.chance(64);
        Self { next: 0, written: 0, follow: Follow::new(&d.config), fills }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        let draw = if self.fills && d.cycle == 0 { Phase::first } else { Phase::any };
        draw(&mut d.random, &d.config)
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        let stalls = d.long_times.is_multiple_of(2);
        Some(Phase::long(&mut d.random, &d.config, stalls))
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let (req_valid, req) = self.requests(d);
        let tok_ready = d.random.chance(d.phase.token);
        let rsp_ready = d.bits(d.config.n_sm, Phase::takes) as u16;
        let input = In { req_valid, req, tok_ready, rsp_ready };
        self.follow.cycle(&input, out, &mut d.seen);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        rows::can_reach(&d.config, row)
    }
}
