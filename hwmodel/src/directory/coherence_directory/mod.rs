//! The coherence directory of a home L2: which other GPUs hold copies of its lines, and the
//! invalidations when a line is written or an entry evicted (REC, J. Systems Architecture 160,
//! 2025, sections 2.3 and 4; cycle rules in `rtl/directory/coherence_directory/README.md`).
//!
//! A request accepted in cycle t is in stage S1 in t+1; its response, its job and its error code
//! are visible from t+2 on. One request, one response and one line of a job can move per cycle.

mod choices;
mod counters;
mod decide;
mod flat;
mod jobs;
mod order;
mod responses;
mod row;
mod rule;
mod table;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use ports::ConfigError;
use ports::directory::coherence_directory::*;

use crate::block::{Block, Model};
use crate::state::{State, index_width, width_of};
use choices::{Choices, SPECIFICATION};
use counters::Events;
use decide::{Array, Decide, Done, Effects};
use jobs::Jobs;
use ports::Parameters;
use responses::Responses;

pub use rule::Rule;

/// Model of `rtl/directory/coherence_directory`. After `new`, the sweep clears the array in
/// `entries / ways` cycles (ideal: `ideal_lines / 64`), in which no request is accepted.
#[derive(Clone, Debug)]
pub struct CoherenceDirectory {
    config: Config,
    /// Rows that the initial sweep has yet to clear.
    unswept: u32,
    /// Number of the next request, modulo 256.
    seq: u8,
    /// Effects of the request in S1.
    done: Done,
    /// Error code of this cycle; 0 for none.
    err: u8,
    /// Histogram bin that the previous cycle selected.
    hist: u32,
    decide: Decide,
    jobs: Jobs,
    responses: Responses,
    events: Events,
    /// In tests: choices with a rule disabled.
    test_choices: Option<Box<Choices>>,
}

/// The protocol state of an idle directory: its array. Counters and the next request's number
/// affect no decision.
impl Hash for CoherenceDirectory {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        debug_assert!(self.is_idle(), "only of a directory that holds nothing");
        self.decide.array.hash(hasher);
    }
}

impl CoherenceDirectory {
    /// The GPUs that share the line of this byte address, bit g = GPU g; `None` when the line is
    /// not tracked. Includes the effect of the request in S1. hmg: the sharers of the line's
    /// entry.
    pub fn sharers(&self, addr: u64) -> Option<u16> {
        let sharers = match &self.decide.array {
            Array::Sets(table) => table.sharers(addr),
            Array::Ideal(flat) => flat.sharers(addr),
        };
        (sharers != 0).then_some(sharers)
    }

    /// Rows of the array, and cycles of the initial sweep.
    fn rows(config: &Config) -> u32 {
        match config.variant {
            Variant::Ideal => config.ideal_lines / IDEAL_ROW,
            _ => config.sets(),
        }
    }

    /// With a corrupt array, for tests of error code 4 (the RTL's `DUET_DUPLICATE`): the initial
    /// sweep leaves every set with its ways 0 and 1 valid, with base 0 and line 0 tracked for the
    /// first sharer slot. Errors: an illegal parameter; an array without two ways.
    pub fn corrupt(config: &Config) -> Result<Self, ConfigError> {
        let mut directory = Self::new(config)?;
        match &mut directory.decide.array {
            Array::Sets(table) if config.ways > 1 => table.duplicate = true,
            _ => return Err(no_two_ways(config)),
        }
        Ok(directory)
    }

    /// For tests: a directory with a rule disabled. Errors: an illegal parameter.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        let mut directory = Self::new(config)?;
        directory.test_choices = Some(Box::new(Choices::without(rule)));
        Ok(directory)
    }

    /// One cycle of the initial sweep.
    #[inline(never)]
    fn sweep(&mut self, self_id: u8) {
        let row = (Self::rows(&self.config) - self.unswept) as usize;
        match &mut self.decide.array {
            // The first sharer slot is that of the lowest other GPU.
            Array::Sets(table) => table.sweep(row, if self_id == 0 { 0b10 } else { 0b01 }),
            Array::Ideal(flat) => flat.sweep(row),
        }
        self.unswept -= 1;
    }

    /// The outputs; `inv` is the head of the job FIFO.
    #[inline(always)]
    fn show(&self, inv: &Inv) -> Out {
        let Self { jobs, responses, .. } = self;
        let age_limit =
            self.test_choices.as_ref().map_or(SPECIFICATION.age_limit, |choices| choices.age_limit);
        let swept = self.unswept == 0;
        let credits = (self.job_credit() > 0) & (self.rsp_credit() > 0);
        Out {
            req_ready: swept & credits & !jobs.is_late(self.seq, age_limit),
            rsp: responses.front(),
            inv: (jobs.len() > 0).then_some(*inv),
            idle: swept & !self.done.valid & (jobs.len() == 0) & (responses.len() == 0),
            err: (self.err != 0).then_some(self.err),
            counters: self.events.show(),
            hist: self.hist,
        }
    }

    /// One clock edge after the sweep.
    #[inline(always)]
    fn step(&mut self, inputs: &In, req_ready: bool, inv: &Inv) {
        let Self { jobs, responses, events, done, .. } = self;
        let sent = (jobs.len() > 0) & inputs.inv_ready;
        let rsp_taken = (responses.len() > 0) & inputs.rsp_ready;
        events.tick(&done.tally, inv, sent, req_ready, jobs.len());
        jobs.tick(sent, inv.last, done.job);
        responses.tick(rsp_taken, done.valid);
        self.err = done.err;
        *done = Done::default();
        if let (Some(req), true) = (&inputs.req, req_ready) {
            match self.test_choices.take() {
                None => self.accept(req, inputs.self_id, &SPECIFICATION),
                Some(choices) => {
                    self.accept(req, inputs.self_id, &choices);
                    self.test_choices = Some(choices);
                }
            }
        }
    }

    /// Executes an accepted request, which is in S1 in the next cycle.
    #[inline(always)]
    fn accept(&mut self, req: &Req, self_id: u8, choices: &Choices) {
        let Self { decide, jobs, responses, done, seq, .. } = self;
        done.valid = true;
        let rsp = responses.put(Rsp { id: req.id, seq: *seq, ..Rsp::default() });
        let number = if choices.is_numbered { *seq } else { 0 };
        let effects = &mut Effects { jobs, done, rsp, seq: number, choices };
        decide.execute(req, self_id, effects);
        let counts = choices.counts_refused || !effects.rsp.err;
        *seq = seq.wrapping_add(u8::from(counts));
    }

    /// The request in S1 and each job held use one credit each.
    #[inline(always)]
    fn job_credit(&self) -> u32 {
        self.config.jobs - self.jobs.len() - u32::from(self.done.valid)
    }

    /// The request in S1 and each response held use one credit each.
    #[inline(always)]
    fn rsp_credit(&self) -> u32 {
        self.config.responses - self.responses.len() - u32::from(self.done.valid)
    }
}

impl Block for CoherenceDirectory {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.show(&self.jobs.front())
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let inv = self.jobs.front();
        let out = self.show(&inv);
        self.hist = self.events.evictions(inputs.hist_sel);
        if self.unswept == 0 {
            self.step(inputs, out.req_ready, &inv);
        } else {
            self.sweep(inputs.self_id);
        }
        out
    }

    fn is_idle(&self) -> bool {
        // No other state changes: a low `req_ready` or an error implies a held job or response,
        // `jobq_max` includes the last job, and `hist` changes only with `hist_sel`.
        let held = self.jobs.len() + self.responses.len();
        self.unswept == 0 && !self.done.valid && held == 0
    }

    fn show_state(&self, state: &mut State) {
        let Self { config, unswept, seq, done, err, jobs, responses, .. } = self;
        let (job_width, rsp_width) =
            (width_of(config.jobs.into()), width_of(config.responses.into()));
        state.part("table", |state| {
            let rows = Self::rows(config);
            state.flag("ready", *unswept == 0);
            state.bits_while(*unswept > 0, "sweep", index_width(rows), rows - unswept);
        });
        state.bits("seq", 8, *seq);
        state.bits("job_credit", job_width, self.job_credit());
        state.bits("rsp_credit", rsp_width, self.rsp_credit());
        state.flag("s1_valid", done.valid);
        state.bits_while(done.valid, "s1_seq", 8, seq.wrapping_sub(1));
        // Combinational in the RTL.
        state.bits_while(done.valid, "s1_job", 1, u8::from(done.job));
        state.bits("err", 4, *err);
        let count = |state: &mut State, width, count: u32| {
            state.part("fifo", |state| state.bits("count", width, count));
        };
        state.part("responses", |state| count(state, rsp_width, responses.len()));
        state.part("jobs", |state| {
            count(state, job_width, jobs.len());
            jobs.show_state(state, config);
        });
        state.part("counters", |state| state.bits("hist_out", 32, self.hist));
    }
}

impl Model for CoherenceDirectory {
    const NAME: &'static str = "coherence_directory";

    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            unswept: Self::rows(config),
            seq: 0,
            done: Done::default(),
            err: 0,
            hist: 0,
            decide: Decide::new(config),
            jobs: Jobs::new(config),
            responses: Responses::new(),
            events: Events::new(),
            test_choices: None,
        })
    }

    /// `idle` shows it from the cycle after the last request on.
    fn rests(_config: &Config, outputs: &Out, cycles: u64) -> bool {
        outputs.idle && cycles > 1
    }
}

fn no_two_ways(config: &Config) -> ConfigError {
    let limit = "at least 2, and not of an ideal directory".into();
    ConfigError { name: "ways", value: config.ways.into(), limit }
}
