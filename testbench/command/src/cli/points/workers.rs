//! Points on all cores: threads that each take the next point, and one that takes what they have
//! found.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::super::Failure;
use super::super::progress::{Line, left};
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
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let work = |sender: mpsc::Sender<_>| {
        let mut opened = Opened::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(point) = points.get(at) else { return };
            // The receiver is closed where a result could not be written.
            if sender.send((at, point.run(&mut opened))).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.min(points.len()) {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        let mut progress = Progress::new(points.len(), "points");
        loop {
            match results.recv_timeout(PERIOD) {
                Ok((at, outcome)) => {
                    if outcome.status != 0 {
                        let first = outcome.message.lines().next().unwrap_or_default();
                        eprintln!("duet: {}: {first}", points[at].key);
                    }
                    if let Err(failure) = add(at, outcome) {
                        next.store(points.len(), Ordering::Relaxed);
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

/// How far a sweep is, and how long the rest will take, on a terminal.
pub struct Progress {
    all: usize,
    /// Of what.
    what: &'static str,
    /// Number of finished ones.
    pub done: usize,
    line: Line,
}

impl Progress {
    /// Of `all` things, called `what`.
    pub fn new(all: usize, what: &'static str) -> Self {
        Self { all, what, done: 0, line: Line::new() }
    }

    /// Shows a line where the last is older than a second.
    pub fn show(&mut self) {
        self.line.show(|since| line(self.done, self.all, self.what, since));
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
    fn line_tells_what_is_done_and_the_time_left() {
        let after = |done, seconds| line(done, 40, "points", Duration::from_secs(seconds));
        assert_eq!(after(0, 5), "0 of 40 points");
        assert_eq!(after(10, 30), "10 of 40 points; 1:30 left");
        assert_eq!(after(4, 500), "4 of 40 points; 1:15:00 left");
    }
}
