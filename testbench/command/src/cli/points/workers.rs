//! Points on all cores: threads that each take the next point, and one that takes what they have
//! found.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::super::Failure;
use super::super::progress::{Line, SHORT, Tenths, left};
use super::{Opened, Outcome, Point};

/// Between two lines of progress.
const PERIOD: Duration = Duration::from_secs(1);

/// Runs these points, `jobs` at a time; `add` receives each outcome with the number of its point.
/// Errors: those of `add`, which ends the runs.
pub fn each(
    points: &[&Point],
    jobs: usize,
    mut add: impl FnMut(usize, Outcome) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let work = |opened: &mut Opened, at: usize| points[at].run(opened);
    spread(points.len(), jobs, "points", work, |at, outcome, progress| {
        if outcome.status != 0 {
            let first = outcome.message.lines().next().unwrap_or_default();
            eprintln!("duet: {}: {first}", points[at].key);
        }
        let values = outcome.record.as_ref().map(|run| &run.values);
        progress.accesses +=
            values.map_or(0, |values| values.loads_checked + values.atomics_checked);
        add(at, outcome)
    })
}

/// Does `work` on the numbers below `all`, `jobs` at a time, each thread with a state of its own;
/// `add` receives each result with its number and the progress. `what`: what the numbers count.
/// Errors: those of `add`, which ends the work.
pub fn spread<S: Default, T: Send>(
    all: usize,
    jobs: usize,
    what: &'static str,
    work: impl Fn(&mut S, usize) -> T + Sync,
    mut add: impl FnMut(usize, T, &mut Progress) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let take = |sender: mpsc::Sender<_>| {
        let mut state = S::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            // The receiver is closed where a result could not be written.
            if at >= all || sender.send((at, work(&mut state, at))).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.min(all) {
            let sender = sender.clone();
            scope.spawn(|| take(sender));
        }
        drop(sender);
        let mut progress = Progress::new(all, what);
        loop {
            match results.recv_timeout(PERIOD) {
                Ok((at, result)) => {
                    if let Err(failure) = add(at, result, &mut progress) {
                        next.store(all, Ordering::Relaxed);
                        return Err(failure);
                    }
                    progress.done += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            progress.show();
        }
    })
}

/// How far a sweep is, and how long the rest will take.
pub struct Progress {
    all: usize,
    /// Of what.
    what: &'static str,
    /// Number of finished ones.
    pub done: usize,
    /// Accesses of these.
    accesses: u64,
    line: Line,
    tenths: Tenths,
}

impl Progress {
    /// Of `all` things, called `what`.
    pub fn new(all: usize, what: &'static str) -> Self {
        Self { all, what, done: 0, accesses: 0, line: Line::new(), tenths: Tenths::default() }
    }

    /// Removes the line, before something else is printed.
    pub fn clear(&self) {
        self.line.clear();
    }

    /// Shows a line where the last is older than a second; where standard error is no terminal, at
    /// each tenth of much work.
    pub fn show(&mut self) {
        if !io::stderr().is_terminal() {
            if let Some(line) = self.plain() {
                eprintln!("duet: {line}");
            }
            return;
        }
        self.line.show(|since| line(self.done, self.all, self.what, since));
    }
}

impl Progress {
    /// What to report of these in a line of its own.
    fn plain(&self) -> Option<String> {
        let &Self { all, done, what, accesses, .. } = self;
        // The others are expected to be alike.
        let is_much = accesses.saturating_mul(all as u64) >= SHORT.saturating_mul(done as u64);
        let is_due = done > 0 && accesses > 0 && is_much;
        let share = if is_due { self.tenths.pass(done as u64, all as u64) } else { None };
        share.map(|_| format!("{done} of {all} {what}"))
    }
}

fn line(done: usize, all: usize, what: &str, since: Duration) -> String {
    let mut text = format!("{done} of {all} {what}");
    if let Some(left) = left(since, done as f64 / all as f64) {
        text += &format!("; {left}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_work_reports_each_tenth_and_little_work_nothing() {
        let reported = |accesses: u64| -> Vec<_> {
            let mut progress = Progress::new(40, "points");
            let each = (0..40).filter_map(|_| {
                progress.done += 1;
                progress.accesses += accesses;
                progress.plain()
            });
            each.collect()
        };
        let lines = reported(SHORT / 40);
        assert_eq!((lines.len(), &lines[0][..]), (10, "4 of 40 points"));
        assert!(reported(SHORT / 40 - 1).is_empty() && reported(0).is_empty());
    }

    #[test]
    fn line_shows_what_is_done_and_the_time_left() {
        let after = |done, seconds| line(done, 40, "points", Duration::from_secs(seconds));
        assert_eq!(after(0, 5), "0 of 40 points");
        assert_eq!(after(10, 30), "10 of 40 points; 1:30 left");
        assert_eq!(after(4, 500), "4 of 40 points; 1:15:00 left");
    }
}
