//! Whether several threads simulate a machine faster than one. The run begins on one thread; after
//! a tenth of a second it is known what a step costs and how much of the program is left, and the
//! run begins again on several threads where that pays. Its result does not depend on the answer.

use std::thread;
use std::time::{Duration, Instant};

use super::Machine;
use super::meeting::{Meeting, Patience};

/// How long a trial takes at least.
const LENGTH: Duration = Duration::from_millis(100);
/// What is left must take so many times as long as the trial, which is lost.
const LEFT: u32 = 15;
/// A step must take so many times as long as a meeting of the threads: they wait for the slowest
/// of them, and hand messages over.
const STEP: u32 = 20;
/// Meetings of which the mean is taken.
const MEETINGS: u64 = 1000;
/// No more of them after this time.
const LONGEST: Duration = Duration::from_millis(5);

/// A trial that has begun.
pub(super) struct Trial {
    threads: u8,
    since: Instant,
}

impl Trial {
    pub(super) fn new(threads: u8) -> Self {
        Self { threads, since: Instant::now() }
    }
}

/// Whether several threads pay: `elapsed` for so many steps, and for so many of all work-groups.
/// `meeting`: what a meeting of the threads takes.
fn pays(
    elapsed: Duration,
    steps: u64,
    (done, all): (u64, u64),
    meeting: impl FnOnce() -> Duration,
) -> bool {
    let left = elapsed.as_secs_f64() * all.saturating_sub(done) as f64 / done.max(1) as f64;
    let step = elapsed.as_secs_f64() / steps.max(1) as f64;
    left > (elapsed * LEFT).as_secs_f64() && step > (meeting() * STEP).as_secs_f64()
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
        let Some(trial) = self.trial.take_if(|trial| trial.since.elapsed() >= LENGTH) else {
            return false;
        };
        let groups = (self.groups(), self.ctx.program.totals().groups);
        let elapsed = trial.since.elapsed();
        self.is_trial_over = pays(elapsed, self.steps, groups, || meeting(trial.threads));
        self.is_trial_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_of_large_steps_pay() {
        let (tenth, fast) = (Duration::from_millis(100), || Duration::from_nanos(500));
        // 20 us for a step; a hundredth of the program is done.
        assert!(pays(tenth, 5000, (10, 1000), fast));
        // A small machine; cores that are busy; a program that is nearly done, or short.
        assert!(!pays(tenth, 20_000, (10, 1000), fast));
        assert!(!pays(tenth, 5000, (10, 1000), || Duration::from_micros(5)));
        assert!(!pays(tenth, 5000, (990, 1000), fast));
        assert!(!pays(tenth, 5000, (100, 1000), fast));
        // No work-group has begun.
        assert!(pays(tenth, 5000, (0, 1000), fast));
        assert!(!pays(tenth, 5000, (0, 0), fast));
    }

    #[test]
    fn threads_meet_and_leave() {
        assert!(meeting(3) > Duration::ZERO);
    }
}
