//! Assigns the work-groups (CTAs) of a kernel to SMs: one by one, in groups of consecutive
//! work-groups, or in pairs (Tabbakh's thesis, sections 2.3 and 2.6.1; specification 5.1).

mod choices;
mod pick;
mod rule;
#[cfg(test)]
mod tests;

use ports::sharing::cta_scheduler::*;
use ports::sharing::types::{Assignment, Launch, MAX_SMS};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::counter::count;
use crate::state::State;
use choices::{Choices, SPECIFICATION};

pub use rule::Rule;

/// Upper limit of cycles skipped at once while `idle_sm_cycles` counts.
const QUIET: u64 = 1 << 40;

/// An SM's group, and its free slots.
#[derive(Clone, Copy, Debug, Default)]
struct Sm {
    /// The next work-group of the group, and one past its last.
    cur: u32,
    end: u32,
    free: u8,
    /// It has had a group or a burst.
    started: bool,
}

/// Sets of SMs, one bit for each.
#[derive(Clone, Copy, Debug, Default)]
struct Sets {
    /// At least one slot is free; at least two; all.
    one: u16,
    two: u16,
    empty: u16,
    /// Work-groups of its group are left.
    in_group: u16,
}

/// Model of `rtl/sharing/cta_scheduler`.
#[derive(Clone, Debug)]
pub struct CtaScheduler {
    config: Config,
    run: bool,
    sms: [Sm; MAX_SMS],
    sets: Sets,
    launch: Launch,
    /// The first work-group neither assigned nor in a group.
    nxt: u32,
    /// `adpt` assigns one by one once at most this number of work-groups is left.
    thr: u32,
    finished: u32,
    /// The SM at which the search begins, or the SM of the open burst.
    pointer: u8,
    /// Work-groups left in the open burst.
    burst: u8,
    assignment: Option<Assignment>,
    launch_done: bool,
    err: u8,
    counters: Counters,
    /// Without inputs only `idle_sm_cycles` changes: it grows by `empty` in each cycle.
    waits: bool,
    empty: u32,
    /// Replaces the specification's choices in a test.
    test_choices: Option<Choices>,
}

impl CtaScheduler {
    /// For tests: a scheduler with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    /// A launch is accepted.
    fn begin(&mut self, launch: Launch) {
        let Launch { total, group, slots, .. } = launch;
        let most = self.config.slots as u8;
        let is_legal = (1..=most).contains(&slots);
        self.error(group == 0, err::GROUP);
        self.error(!is_legal, err::SLOTS);
        let slots = if is_legal { slots } else { most };
        let group = group.max(1);
        let total = total & (u32::MAX >> (32 - self.config.cta_w));
        self.launch = Launch { total, group, slots, ..launch };
        self.sms = [Sm::default(); MAX_SMS];
        self.sets = Sets::default();
        (0..self.config.n_sm as usize).for_each(|sm| self.set_free(sm, slots));
        self.thr = (self.config.n_sm - 1) * u32::from(group);
        (self.nxt, self.finished, self.pointer, self.burst) = (0, 0, 0, 0);
        self.run = true;
    }

    /// Sets the number of free slots of an SM.
    #[inline]
    fn set_free(&mut self, sm: usize, free: u8) {
        self.sms[sm].free = free;
        let bit = 1 << sm;
        let put = |set: &mut u16, is_in: bool| *set = *set & !bit | if is_in { bit } else { 0 };
        let Sets { one, two, empty, .. } = &mut self.sets;
        put(one, free >= 1);
        put(two, free >= 2);
        put(empty, free == self.launch.slots);
    }

    /// Counts the empty SMs of `cycles` cycles with the same state.
    fn count_empty(&mut self, cycles: u32) {
        count(&mut self.counters.idle_sm_cycles, self.empty.wrapping_mul(cycles));
    }

    /// The set of all SMs.
    #[inline]
    fn all(&self) -> u16 {
        u16::MAX >> (16 - self.config.n_sm)
    }

    /// One clock edge.
    #[inline(always)]
    fn step(&mut self, inputs: &In, choices: &Choices) {
        (self.err, self.launch_done) = (0, false);
        // README rule 1: free slots are those of the registers.
        let done = inputs.done & self.all();
        self.error(done & self.sets.empty != 0, err::DONE);
        let done = done & !self.sets.empty;
        let may_load = self.assignment.is_none() || inputs.assignment_ready;
        if may_load {
            self.assignment = None;
        }
        let was_running = self.run;
        if was_running {
            self.count_empty(1);
            if self.finished == self.launch.total {
                (self.run, self.launch_done) = (false, true);
            }
            if may_load {
                self.assignment = self.decide(choices).map(|pick| self.assign(pick));
            }
        }
        let mut left = done;
        while left != 0 {
            let sm = left.trailing_zeros() as usize;
            left &= left - 1;
            self.set_free(sm, self.sms[sm].free.wrapping_add(1));
        }
        self.finished = self.finished.wrapping_add(done.count_ones());
        if let (Some(launch), false) = (inputs.launch, was_running) {
            self.begin(launch);
        }
        self.empty = if self.run { self.sets.empty.count_ones() } else { 0 };
        let is_stable = match self.run {
            true => {
                self.finished != self.launch.total
                    && (self.assignment.is_some() || self.decide(choices).is_none())
            }
            false => self.assignment.is_none(),
        };
        self.waits = is_stable && !self.launch_done && self.err == 0;
    }

    /// Reports an error if it `occurs`; of several the lowest code is shown.
    fn error(&mut self, occurs: bool, code: u8) {
        if occurs && (self.err == 0 || code < self.err) {
            self.err = code;
        }
    }
}

impl Block for CtaScheduler {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            launch_ready: !self.run,
            assignment: self.assignment,
            launch_done: self.launch_done,
            err: (self.err != 0).then_some(self.err),
            counters: self.counters,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        match self.test_choices {
            None => self.step(inputs, &SPECIFICATION),
            Some(choices) => self.step(inputs, &choices),
        }
        out
    }

    fn quiet_cycles(&self) -> u64 {
        match self.waits {
            true if self.empty > 0 => QUIET,
            true => u64::MAX,
            false => 0,
        }
    }

    fn is_idle(&self) -> bool {
        self.waits && self.empty == 0
    }

    fn skip_quiet(&mut self, cycles: u64) {
        self.count_empty(cycles as u32);
    }

    fn show_state(&self, state: &mut State) {
        state.flag("run", self.run);
        for (s, sm) in self.sms[..self.config.n_sm as usize].iter().enumerate() {
            state.bits(&format!("free[{s}]"), 5, sm.free);
        }
        // Undefined until a launch.
        let cta_w = self.config.cta_w;
        state.bits_while(self.run, "finished", cta_w, self.finished);
        state.bits_while(self.run, "nxt", cta_w, self.nxt);
        state.bits_while(self.run, "burst", 5, self.burst);
        state.flag("assignment_valid", self.assignment.is_some());
        state.flag("launch_done", self.launch_done);
        state.bits("err", 4, self.err);
    }
}

impl Model for CtaScheduler {
    const NAME: &'static str = "cta_scheduler";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            run: false,
            sms: [Sm::default(); MAX_SMS],
            // Before the first launch all SMs have 0 free of 0 slots.
            sets: Sets { empty: u16::MAX, ..Sets::default() },
            launch: Launch::default(),
            nxt: 0,
            thr: 0,
            finished: 0,
            pointer: 0,
            burst: 0,
            assignment: None,
            launch_done: false,
            err: 0,
            counters: Counters::default(),
            waits: true,
            empty: 0,
            test_choices: None,
        })
    }
}
