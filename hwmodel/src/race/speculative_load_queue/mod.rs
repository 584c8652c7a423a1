//! The speculative load queue of an SM: loads that hit in the L1 while an answer of the race
//! detection unit was outstanding, until it is known that they were right (Tabbakh's thesis,
//! section 4.2.3; specification 5.4).
//!
//! A load allocated in t is an entry in t+1. With its last answer in cycle s it commits in s+1 at
//! the earliest; where that brought a signature, behind the test of it.

mod rule;
mod slots;
#[cfg(test)]
mod tests;
mod validation;

use ports::race::speculative_load_queue::*;
use ports::race::types::{LoadName, rsp_kind};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::State;
use slots::{Head, Slots};
use validation::Validation;

pub use rule::Rule;

/// Model of `rtl/race/speculative_load_queue`.
#[derive(Clone, Debug)]
pub struct SpeculativeLoadQueue {
    config: Config,
    slots: Slots,
    validation: Validation,
    /// Requests whose answer is not complete.
    out: u8,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
    cnt: Counters,
    /// See `waits`.
    idle: bool,
    /// What a test has taken away.
    without: Option<Rule>,
}

fn add(counter: &mut u32, events: u32) {
    *counter = counter.wrapping_add(events);
}

impl SpeculativeLoadQueue {
    /// For tests: a queue that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { without: Some(rule), ..Self::new(config)? })
    }

    #[inline(always)]
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// The load that is right in this cycle.
    #[inline(always)]
    fn commit(&self, head: Head) -> Option<LoadName> {
        match head {
            Head::Right(load) if !self.validation.busy() || !self.keeps(Rule::CommitWaits) => {
                Some(load)
            }
            _ => None,
        }
    }

    /// Nothing changes until an input does: what is shown and not taken stays.
    #[inline(always)]
    fn waits(&self) -> bool {
        matches!(self.slots.head(), Head::Waits | Head::Wrong(_))
            && !self.validation.busy()
            && self.err == 0
            && self.cnt.occ_max >= self.slots.len().into()
    }
}

impl Block for SpeculativeLoadQueue {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let head = self.slots.head();
        let (q_valid, q) = self.validation.queries(&self.slots);
        Out {
            alloc_ready: !self.slots.is_full(),
            q_valid,
            q,
            commit: self.commit(head),
            replay: if let Head::Wrong(load) = head { Some(load) } else { None },
            out: self.out,
            spec: self.slots.spec(),
            busy: self.validation.busy(),
            empty: self.slots.len() == 0,
            err: (self.err != 0).then_some(self.err),
            cnt: self.cnt,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let In { inc, done, alloc, q_member, replay_ready } = *inputs;
        let replayed = out.replay.filter(|_| replay_ready);
        if self.idle && !inc && done.is_none() && alloc.is_none() && replayed.is_none() {
            return out;
        }
        let answered = done.is_some_and(|done| done.kind != rsp_kind::FORCED);
        let sync = done.filter(|done| done.sync);
        self.err = match () {
            () if answered && self.out == 0 => err::DONE,
            () if inc && !answered && self.out == u8::MAX => err::REQUEST,
            () if sync.is_some() && out.busy => err::SYNC,
            () => 0,
        };
        let dead = self.slots.head() == Head::Dead && !out.busy;
        let cnt = &mut self.cnt;
        add(&mut cnt.busy_cycles, out.busy.into());
        add(&mut cnt.full_cycles, (alloc.is_some() && !out.alloc_ready).into());
        add(&mut cnt.commits, out.commit.is_some().into());
        add(&mut cnt.replays, replayed.is_some().into());
        cnt.occ_max = cnt.occ_max.max(self.slots.len().into());

        self.validation.tick(q_member, &mut self.slots);
        if answered {
            self.slots.answered();
        }
        // 255 requests and another are an error, as is an answer to none.
        self.out = self.out.saturating_sub(answered.into());
        self.out = self.out.saturating_add(inc.into());
        if dead || out.commit.is_some() || replayed.is_some() {
            self.slots.pop();
            self.validation.popped();
        }
        if let (Some(load), true) = (replayed, self.keeps(Rule::ReplayDrops)) {
            add(&mut self.cnt.dropped, self.slots.drop_all(load.warp));
        }
        let drops = replayed.filter(|_| self.keeps(Rule::ReplayDropsAlloc));
        let alloc = alloc.filter(|load| drops.is_none_or(|of| of.warp != load.warp));
        if let (Some(load), true) = (alloc, out.alloc_ready) {
            self.slots.push(load, self.out);
            add(&mut self.cnt.allocs, 1);
        }
        let tested = |kind| kind != rsp_kind::FORCED || self.keeps(Rule::ForcedTested);
        if sync.is_some_and(|sync| tested(sync.kind)) && !out.busy {
            self.validation.start(self.slots.len());
        }
        self.idle = self.waits();
        out
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn show_state(&self, state: &mut State) {
        state.part("slots", |state| self.slots.show_state(state));
        state.part("validation", |state| {
            self.validation.show_state(state, self.config.slq_n);
        });
        state.flag("busy", self.validation.busy());
        state.part("warps", |state| state.bits("spec", 64, self.outputs().spec));
        state.bits("out", 8, self.out);
        state.bits("err", 4, self.err);
    }
}

impl Model for SpeculativeLoadQueue {
    const NAME: &'static str = "speculative_load_queue";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            slots: Slots::new(config.slq_n),
            validation: Validation::new(config.v_lanes),
            out: 0,
            err: 0,
            cnt: Counters::default(),
            idle: true,
            without: None,
        })
    }

    /// A validation shows nothing new for at most as many cycles as there are slots.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
