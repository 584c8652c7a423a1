//! Whether several threads simulate a machine faster than one. The run begins on one thread. After
//! a tenth of a second, once some loads are over, the trial knows what a step costs and how much of
//! the program is left, and the run begins again on several threads where that pays. Its result
//! does not depend on the answer.

use std::thread;
use std::time::{Duration, Instant};

use super::Machine;
use super::meeting::{Meeting, Patience};
use crate::engine::{ComponentId, Cycle, numbers};

/// How long a trial takes at least.
const LENGTH: Duration = Duration::from_millis(100);
/// One of so many loads is over in it: the first cycles of a kernel are not as the others.
const DONE: u64 = 32;
/// What is left must take so many times as long as the trial, which is lost.
const LEFT: u32 = 15;
/// What is done between two meetings of the threads must take so many times as long as a meeting:
/// they wait for the slowest of them, and hand messages over.
const WINDOW: u32 = 20;
/// Steps between two meetings at most, as launches have none.
const MOST_STEPS: Cycle = 10;
/// Meetings of which the mean is taken.
const MEETINGS: u64 = 1000;
/// No more of them after this time.
const LONGEST: Duration = Duration::from_millis(5);

/// Of so many steps, a power of 2, one is measured in parts.
const SAMPLED: u64 = 64;

/// A trial that has begun.
pub(super) struct Trial {
    threads: u8,
    since: Instant,
    /// How long it had taken when its loads were counted last.
    before: Duration,
    /// Of the steps that were measured: the gate's time, and all of it.
    gate: Duration,
    all: Duration,
}

impl Trial {
    pub(super) fn new(threads: u8) -> Self {
        let [before, gate, all] = [Duration::ZERO; 3];
        Self { threads, since: Instant::now(), before, gate, all }
    }

    /// Whether a step is measured in parts.
    pub(super) fn is_sampled(&self, step: u64) -> bool {
        step.is_multiple_of(SAMPLED)
    }
}

/// Whether several threads pay: `elapsed` for so many steps, and for so many of all loads.
/// `lookahead`: steps between two meetings of the threads; `meeting`: what a meeting takes.
fn pays(
    elapsed: Duration,
    (steps, lookahead): (u64, Cycle),
    (done, all): (u64, u64),
    meeting: impl FnOnce() -> Duration,
) -> bool {
    let left = elapsed.as_secs_f64() * all.saturating_sub(done) as f64 / done.max(1) as f64;
    let window = elapsed.as_secs_f64() / steps.max(1) as f64 * lookahead.min(MOST_STEPS) as f64;
    left > (elapsed * LEFT).as_secs_f64() && window > (meeting() * WINDOW).as_secs_f64()
}

/// What a meeting of so many threads takes now.
fn meeting(threads: u8) -> Duration {
    let meeting = &Meeting::new(threads.into());
    let since = Instant::now();
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| {
                let mut patience = Patience::default();
                (1..).take_while(|&number| meeting.meet(number, &mut patience).is_ok()).last()
            });
        }
        let mut patience = Patience::default();
        let met = (1..=MEETINGS).find(|&number| {
            // On busy cores a few are enough to know.
            meeting.meet(number, &mut patience).is_err() || since.elapsed() > LONGEST
        });
        let elapsed = since.elapsed();
        meeting.close();
        elapsed / met.unwrap_or(MEETINGS) as u32
    })
}

impl Machine {
    /// Whether the run is to begin again on several threads.
    pub(super) fn ends_trial(&mut self) -> bool {
        let is_long = |trial: &Trial| {
            trial.is_sampled(self.steps) && trial.since.elapsed() >= LENGTH.max(trial.before * 2)
        };
        if !self.trial.as_ref().is_some_and(is_long) {
            return false;
        }
        let (checked, totals) = (self.ctx.check.checked, self.ctx.program.totals());
        let (done, all) = (checked.loads + checked.atomics, totals.loads + totals.atomics);
        let trial = self.trial.as_mut().expect("seen");
        if done < all / DONE {
            trial.before = trial.since.elapsed();
            return false;
        }
        let (threads, elapsed) = (trial.threads, trial.since.elapsed());
        self.gate_share = trial.gate.as_secs_f64() / trial.all.as_secs_f64().max(f64::MIN_POSITIVE);
        self.trial = None;
        let steps = (self.steps, self.lookahead(threads));
        self.is_trial_over = pays(elapsed, steps, (done, all), || meeting(threads));
        self.is_trial_over
    }

    /// Visits the components that are active, and measures the gate's part.
    #[cold]
    pub(super) fn visit_for_trial(&mut self) {
        let (first, gate) = (Instant::now(), self.parts.len() as u32 - 1);
        let mut before = None;
        for at in numbers(&self.active) {
            if at == gate && self.gate().is_some() {
                before = Some(Instant::now());
            }
            self.ctx.me = ComponentId(at);
            self.parts[at as usize].tick(&mut self.ctx);
        }
        if let Some(trial) = &mut self.trial {
            trial.all += first.elapsed();
            trial.gate += before.map_or(Duration::ZERO, |before| before.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_of_large_steps_pay() {
        let (tenth, fast) = (Duration::from_millis(100), || Duration::from_nanos(500));
        // 20 us for a step; a hundredth of the program is done.
        assert!(pays(tenth, (5000, 1), (10, 1000), fast));
        // A small machine; cores that are busy; a program that is nearly done, or short.
        assert!(!pays(tenth, (20_000, 1), (10, 1000), fast));
        assert!(pays(tenth, (20_000, 5), (10, 1000), fast));
        assert!(!pays(tenth, (100_000, 30), (10, 1000), || Duration::from_nanos(600)));
        assert!(!pays(tenth, (5000, 1), (10, 1000), || Duration::from_micros(5)));
        assert!(!pays(tenth, (5000, 1), (990, 1000), fast));
        assert!(!pays(tenth, (5000, 1), (100, 1000), fast));
        // No load is over.
        assert!(pays(tenth, (5000, 1), (0, 1000), fast));
        assert!(!pays(tenth, (5000, 1), (0, 0), fast));
    }

    #[test]
    fn threads_meet_and_leave() {
        assert!(meeting(3) > Duration::ZERO);
    }
}
