//! Points on all cores: threads that each take the next point, and one that writes what they have
//! found, a transaction for each point.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::Failure;
use super::plan::Point;
use super::point::Opened;
use super::store::Store;

/// Between two lines of progress.
const PERIOD: Duration = Duration::from_secs(1);

/// Runs these points, so many at a time. Errors: a result cannot be written.
pub fn run(points: &[&Point], jobs: usize, store: &mut Store) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let work = |sender: mpsc::Sender<_>| {
        let mut opened = Opened::default();
        while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Nobody listens where a result could not be written.
            if sender.send((*point, point.run(&mut opened))).is_err() {
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
                Ok((point, outcome)) => {
                    if let Err(failure) = store.add(point, &outcome) {
                        next.store(points.len(), Ordering::Relaxed);
                        return Err(failure);
                    }
                    progress.done += 1;
                    if outcome.status != 0 {
                        let first = outcome.message.lines().next().unwrap_or_default();
                        eprintln!("duet: {}: {first}", point.key);
                    }
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
    /// So many are done.
    pub done: usize,
    started: Instant,
    shown: Option<Instant>,
}

impl Progress {
    /// Of so many, called so.
    pub fn new(all: usize, what: &'static str) -> Self {
        Self { all, what, done: 0, started: Instant::now(), shown: None }
    }

    /// Shows a line where the last is older than a second.
    pub fn show(&mut self) {
        let now = Instant::now();
        let is_due = self.shown.is_none_or(|shown| now - shown >= PERIOD);
        if is_due && io::stderr().is_terminal() {
            self.shown = Some(now);
            let line = line(self.done, self.all, self.what, now - self.started);
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(done: usize, all: usize, what: &str, since: Duration) -> String {
    let mut text = format!("{done} of {all} {what}");
    if done > 0 {
        let left = since.as_secs_f64() * (all - done) as f64 / done as f64;
        let left = left.round() as u64;
        let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
        text += &match hours {
            0 => format!("; {minutes}:{seconds:02} left"),
            hours => format!("; {hours}:{minutes:02}:{seconds:02} left"),
        };
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
