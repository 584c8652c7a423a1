//! The race detection unit of a GPU: orders all writes and read misses, and finds among the reads
//! those of lines that another SM has written since the reader's last synchronisation (Tabbakh's
//! thesis, section 4.2.2; specification 5.2).
//!
//! Stages: queue, B (hash), C (signatures), response and token. A request accepted in t is picked
//! in t+1 at the earliest, is in B in t+2 and in C from t+3 on, one cycle for each step; its header
//! and its token show in the cycle after the last.

mod choices;
mod queue;
mod response;
mod rule;
mod signature;
mod step;
#[cfg(test)]
mod tests;

use ports::race::race_detection_unit::*;
use ports::race::types::{Req, Token, req_kind, rsp_kind};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::bits::ones;
use crate::common::counter::count;
use crate::race::bloom::Granules;
use crate::state::{State, index_width};
use choices::{Answer, Choices, SPECIFICATION};
use queue::Queues;
use response::Responses;
use signature::Signatures;
use step::Check;

pub use rule::Rule;

/// The terms of a cycle, by the registers and the ready inputs (specification 5.2). Sets of SMs
/// have one bit for each.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Requests that are accepted, and requests that meet a full queue.
    accepted: u16,
    refused: u16,
    /// Beats that are taken.
    taken: u16,
    tok_taken: bool,
    /// SMs whose signature is forced.
    forced: u16,
    /// The request in C advances; it does so out of its last step.
    advances: bool,
    ends: bool,
    /// The request in B moves to C, if there is one.
    moves: bool,
    picked: Option<u8>,
}

/// Model of `rtl/race/race_detection_unit`.
#[derive(Clone, Debug)]
pub struct RaceDetectionUnit {
    config: Config,
    granules: Granules,
    /// A 1 for each SM.
    all: u16,
    queues: Queues,
    /// The SM at which the round-robin search begins.
    turn: u8,
    b: Option<(u8, Req)>,
    c: Option<Check>,
    signatures: Signatures,
    responses: Responses,
    token: Option<Token>,
    counters: Counters,
    /// See `waits`.
    idle: bool,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Choices>,
}

impl RaceDetectionUnit {
    /// For tests: a unit with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    /// SMs with a request in B or C.
    #[inline(always)]
    fn inside(&self) -> u16 {
        self.b.map_or(0, |(sm, _)| 1 << sm) | self.c.map_or(0, |c| 1 << c.sm)
    }

    /// SMs of which a request may be picked, if these are free.
    #[inline(always)]
    fn candidates(&self, free: u16) -> u16 {
        self.queues.waiting() & free & !self.signatures.force_pend()
    }

    /// The registers stay until a request is accepted, or a beat or the token is taken.
    #[inline(always)]
    fn waits(&self) -> bool {
        let free = self.responses.free(0);
        self.b.is_none()
            && self.c.is_none()
            && self.candidates(free) == 0
            && self.signatures.force_pend() & free == 0
    }

    /// The terms of a cycle in which these requests are offered and these beats are taken.
    #[inline(always)]
    fn decide(&self, valid: u16, taken: u16, tok_taken: bool) -> Step {
        let tok_free = self.token.is_none() || tok_taken;
        let free = self.all & !self.inside() & self.responses.free(taken);
        let is_last = self.c.is_some_and(|c| c.is_last(self.config.lanes));
        let advances = !is_last || tok_free;
        let ends = is_last && advances;
        let moves = self.c.is_none() || ends;
        let is_open = self.b.is_none() || moves;
        let full = self.queues.full();
        Step {
            accepted: valid & !full,
            refused: valid & full,
            taken,
            tok_taken,
            forced: free & self.signatures.force_pend(),
            advances,
            ends,
            moves,
            picked: if is_open { self.first(self.candidates(free)) } else { None },
        }
    }

    /// Applies the terms of a cycle.
    #[inline(always)]
    fn apply(&mut self, step: &Step, requests: &Reqs, choices: &Choices) {
        self.responses.take(step.taken, &self.signatures, &mut self.counters);
        if step.advances {
            self.advance(step.forced, choices);
        }
        count(&mut self.counters.token_stall, !step.advances);
        let shown = if step.tok_taken { None } else { self.token };
        self.token = match self.c.filter(|_| step.ends) {
            Some(c) => self.answer(&c, choices),
            None => shown,
        };
        for sm in ones(step.forced.into()) {
            self.signatures.snapshot(sm);
            self.responses.head(sm, rsp_kind::FORCED, 0, true, &self.signatures);
        }
        count(&mut self.counters.forced, step.forced.count_ones());

        if step.moves {
            let Self { granules, .. } = *self;
            self.c = self.b.take().map(|(sm, req)| Check::new(sm, req, granules, choices));
        }
        if let Some(sm) = step.picked {
            self.b = Some((sm, self.queues.pop(sm.into(), choices.order)));
            self.turn = if u32::from(sm) + 1 == self.config.n_sm { 0 } else { sm + 1 };
        }
        for sm in ones(step.accepted.into()) {
            self.queues.push(sm, requests[sm]);
        }
        count(&mut self.counters.queue_full, step.refused.count_ones());
        self.idle = self.waits();
    }

    /// A step of the request in C. The signatures of `forced` are sent in this cycle.
    #[inline(always)]
    fn advance(&mut self, forced: u16, choices: &Choices) {
        let Self { c: Some(c), signatures, responses, counters, config, .. } = self else { return };
        let sm = c.sm.into();
        if c.is_read() {
            let granules = c.step(config.lanes, |key| signatures.has(sm, key));
            count(&mut counters.granules_checked, granules);
            count(&mut counters.check_steps, true);
            return;
        }
        let others = self.all & !(1 << c.sm);
        let seen = if choices.inserts_first { others } else { others & !forced };
        let copies = if choices.copy_apart { 0 } else { responses.streaming() & !forced };
        let checks = choices.answer(c.req.kind).is_check();
        let granules = c.step(config.lanes, |key| {
            signatures.insert(seen, copies, key);
            checks && signatures.has(sm, key)
        });
        count(&mut counters.inserts, granules * others.count_ones());
    }

    /// The answer to the request in C. Returns its token.
    #[inline(always)]
    fn answer(&mut self, c: &Check, choices: &Choices) -> Option<Token> {
        let (sm, Req { kind, id, addr, .. }) = (usize::from(c.sm), c.req);
        let Answer { clean, race } = choices.answer(kind);
        let answer = if c.race { race } else { clean };
        let counter = match kind {
            req_kind::RDCHK => &mut self.counters.reads,
            req_kind::HITCHK => &mut self.counters.hit_checks,
            req_kind::WRITE => &mut self.counters.writes,
            _ => &mut self.counters.atomics,
        };
        count(counter, true);
        count(&mut self.counters.races, answer == rsp_kind::RACE);
        let sync = answer != rsp_kind::NORACE;
        if sync {
            self.signatures.snapshot(sm);
        }
        self.responses.head(sm, answer, id, sync, &self.signatures);
        (kind != req_kind::HITCHK).then_some(Token { sm: c.sm, addr })
    }

    /// The first of these SMs from `turn` on.
    #[inline(always)]
    fn first(&self, candidates: u16) -> Option<u8> {
        let behind = candidates & (u16::MAX << self.turn);
        let from = if behind != 0 { behind } else { candidates };
        (from != 0).then_some(from.trailing_zeros() as u8)
    }
}

impl Block for RaceDetectionUnit {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let waiting = self.queues.waiting() | self.signatures.force_pend() | self.responses.valid();
        let inside = self.b.is_some() || self.c.is_some();
        Out {
            req_ready: self.all & !self.queues.full(),
            tok: self.token,
            rsp_valid: self.responses.valid(),
            rsp: *self.responses.beats(),
            idle: waiting == 0 && !inside && self.token.is_none(),
            counters: self.counters,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let valid = inputs.req_valid & self.all;
        let taken = out.rsp_valid & inputs.rsp_ready;
        let tok_taken = self.token.is_some() && inputs.tok_ready;
        if self.idle && valid | taken == 0 && !tok_taken {
            return out;
        }
        let step = self.decide(valid, taken, tok_taken);
        match self.test_choices {
            None => self.apply(&step, &inputs.req, &SPECIFICATION),
            Some(choices) => self.apply(&step, &inputs.req, &choices),
        }
        out
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn show_state(&self, state: &mut State) {
        let Self { config, token, .. } = self;
        let width = index_width(config.n_sm);
        for sm in 0..config.n_sm as usize {
            state.part(format_args!("queue[{sm}]"), |state| self.queues.show_state(state, sm));
        }
        state.part("pick", |state| state.bits("next", width, self.turn));
        step::show_state(&self.b, &self.c, state, config);
        for sm in 0..config.n_sm as usize {
            state.part(format_args!("sm[{sm}]"), |state| {
                self.signatures.show_state(state, sm, config);
                state.part("response", |state| self.responses.show_state(state, sm));
            });
        }
        let Token { sm, addr } = token.unwrap_or_default();
        state.flag("tok_valid", token.is_some());
        state.part("tok", |state| {
            state.bits_while(token.is_some(), "sm", 4, sm);
            state.bits_while(token.is_some(), "addr", 32, addr);
        });
    }
}

impl Model for RaceDetectionUnit {
    const NAME: &'static str = "race_detection_unit";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            granules: Granules::new(config.gran),
            all: u16::MAX >> (16 - config.n_sm),
            queues: Queues::new(config.n_sm, config.rq_n),
            turn: 0,
            b: None,
            c: None,
            signatures: Signatures::new(config),
            responses: Responses::default(),
            token: None,
            counters: Counters::default(),
            idle: true,
            test_choices: None,
        })
    }

    /// Longer than any request is in C; all else shows at the ports.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
