//! The clock of a run: the next cycle in which a component is active, the visits in it, and what is
//! checked after it.

use super::{Machine, Order, PROGRESS_STEPS, RunError, coherent};
use crate::context::Stop;
use crate::engine::{ComponentId, Cycle, numbers};
use crate::run::deadlock;

impl Machine {
    /// The next cycle in which a component is active, or a meeting of the threads.
    pub(super) fn step(&mut self) -> Result<(), RunError> {
        let next = match &self.team {
            Some(_) => self.next_of_shard(),
            None => self.ctx.wheel.next(),
        };
        let steps = match next {
            Some(next) => self.visit(next)?,
            None if self.team.is_some() && self.next().is_some() => self.meet()?,
            None => {
                let (cycle, report) = (self.ctx.now, deadlock::report(&self.ctx, &self.parts));
                return Err(RunError::Deadlock { cycle, report });
            }
        };
        self.show();
        if self.samples.as_ref().is_some_and(|samples| samples.is_time(self.ctx.now)) {
            self.sample();
        }
        if self.probing.as_ref().is_some_and(|probing| probing.is_requested()) {
            self.publish();
        }
        if self.ctx.stop.is_some()
            && let Some(stop) = self.ctx.stop.take()
        {
            match stop {
                Stop::Trace(error) => return Err(error.into()),
                Stop::Limit(problem) => return Err(RunError::Limit(problem)),
                Stop::Firmware(problem) => return Err(RunError::Firmware(problem)),
                Stop::Trap(problem) => return Err(RunError::Trap(problem)),
                Stop::Endless(report) => {
                    return Err(RunError::Deadlock { cycle: self.ctx.now, report });
                }
                Stop::Block(problem) => return Err(RunError::Block(problem)),
                Stop::Decision(problem) => return Err(RunError::Decision(problem)),
            }
        }
        if self.sockets.have_failed() && self.sockets.have_shown_failure() {
            let difference = self.sockets.difference().expect("one has failed");
            return Err(RunError::Differ(difference));
        }
        let before = self.steps;
        self.steps += steps;
        if self.options.compare_lines > 0 && self.steps.is_multiple_of(self.options.compare_lines) {
            coherent::compare(&self.ctx, &self.parts).map_err(RunError::Block)?;
        }
        if self.steps / PROGRESS_STEPS > before / PROGRESS_STEPS {
            self.report_progress();
            self.watch()?;
        }
        if self.trial.is_some() && self.ends_trial() {
            return Err(RunError::Threads);
        }
        self.check()
    }

    /// Visits the components that are active in cycle `next`. Gives 1, or 0 for one of several
    /// threads, which count their steps when they meet.
    fn visit(&mut self, next: Cycle) -> Result<u64, RunError> {
        let next = if self.options.visit_all { self.ctx.now + 1 } else { next };
        if next > self.options.max_cycles {
            return Err(RunError::CycleLimit(self.options.max_cycles));
        }
        self.ctx.now = next;
        self.ctx.wheel.advance(next, &mut self.active);
        let past = self.ctx.written_past;
        if self.options.visit_all || self.options.order != Order::Numbers {
            self.visit_otherwise();
        } else if self.trial.as_ref().is_some_and(|trial| trial.is_sampled(self.steps)) {
            self.visit_for_trial();
        } else {
            numbers(&self.active).for_each(|at| {
                self.ctx.me = ComponentId(at);
                self.parts[at as usize].tick(&mut self.ctx);
            });
        }
        self.end_of_shard(past);
        Ok(u64::from(self.team.is_none()))
    }

    /// Visits all components, or the active ones in another order.
    #[cold]
    fn visit_otherwise(&mut self) {
        self.visits.clear();
        match self.options.visit_all {
            true => self.visits.extend(0..self.parts.len() as u32),
            false => self.visits.extend(numbers(&self.active)),
        }
        if let Order::Shuffled(_) = self.options.order {
            for i in (1..self.visits.len()).rev() {
                self.visits.swap(i, self.random.below(i as u64 + 1) as usize);
            }
        }
        for &at in &self.visits {
            self.ctx.me = ComponentId(at);
            self.parts[at as usize].tick(&mut self.ctx);
        }
    }
}
