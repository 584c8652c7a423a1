//! Requests of all SMs for a race detection unit, and back-pressure.

mod follow;
mod phase;
mod rows;

use hwmodel::Block;
use hwmodel::race::race_detection_unit::RaceDetectionUnit;
use ports::race::race_detection_unit::{Config, In, Reqs};
use ports::race::types::{MAX_SMS, Req, req_kind};

use crate::blocks;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};
use follow::Follow;
use phase::Phase;
use rows::Seen;

crate::family!(ports::race::types::RaceDetection, "race");
crate::pair!(RaceDetectionUnit: ports::race::types::RaceDetection);

inventory::submit! {
    blocks::entry::<Inputs>("race detection: orders a GPU's writes and read misses, detects races")
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// Long times so far.
    stretches: u64,
    /// Requests that are shown, by SM.
    held: [Option<Req>; MAX_SMS],
    /// The next line where each write is to another one; that of the last write.
    next: u32,
    written: u32,
    follow: Follow,
    seen: Seen,
}

impl Inputs {
    fn address(&mut self, kind: u8) -> u32 {
        let (p, r) = (&self.phase, &mut self.random);
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

    fn request(&mut self, sm: u32) -> Req {
        let kinds = if self.phase.writers >> sm & 1 == 1 { [0, 0, 4, 1] } else { self.phase.kinds };
        let kind = self.random.weighted(&kinds) as u8;
        let addr = self.address(kind);
        let (p, r) = (&self.phase, &mut self.random);
        let mask = match () {
            () if r.chance(p.empty) => 0,
            () if r.chance(p.full) => u128::MAX,
            () => r.mask(128, p.form),
        };
        Req { kind, id: r.word() as u8, mask, addr }
    }

    fn requests(&mut self) -> (u16, Reqs) {
        let (mut valid, mut req) = (0, Reqs::default());
        for sm in 0..self.config.n_sm {
            let at = sm as usize;
            if self.held[at].is_none() && self.random.chance(self.phase.send(sm)) {
                self.held[at] = Some(self.request(sm));
            }
            if let Some(held) = self.held[at] {
                valid |= 1 << sm;
                req[at] = held;
            }
        }
        (valid, req)
    }

    fn ready(&mut self) -> u16 {
        let mut ready = 0;
        for sm in 0..self.config.n_sm {
            ready |= u16::from(self.random.chance(self.phase.takes(sm))) << sm;
        }
        ready
    }
}

impl Stimulus for Inputs {
    type Model = RaceDetectionUnit;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        let fills = cycles > Phase::fills(&self.config).into() && self.random.chance(64);
        let draw = if fills { Phase::first } else { Phase::any };
        self.phase = draw(&mut self.random, &self.config);
        self.held = [None; MAX_SMS];
        self.follow.clear();
    }

    fn inputs(&mut self, out: &<RaceDetectionUnit as Block>::Out) -> In {
        if self.long.cycle() == Some(0) {
            self.stretches += 1;
            let stalls = self.stretches.is_multiple_of(2);
            self.phase = Phase::long(&mut self.random, &self.config, stalls);
        } else if self.phase.left == 0 {
            self.phase = Phase::any(&mut self.random, &self.config);
        }
        self.phase.left -= 1;
        let (req_valid, req) = self.requests();
        let (tok_ready, rsp_ready) = (self.random.chance(self.phase.token), self.ready());
        let input = In { req_valid, req, tok_ready, rsp_ready };
        self.follow.cycle(&input, out, &mut self.seen);
        for (sm, held) in self.held.iter_mut().enumerate() {
            if out.req_ready >> sm & 1 == 1 {
                *held = None;
            }
        }
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        rows::can_reach(&self.config, row)
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::any(&mut random, config);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            stretches: seed,
            held: [None; MAX_SMS],
            next: 0,
            written: 0,
            follow: Follow::new(config),
            seen: Seen::default(),
        }
    }
}
