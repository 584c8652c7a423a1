//! The progress of a long run: on a terminal a line that is written over, else a line for each
//! tenth of the work.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use machine::{Machine, Progress};
use traces::trace::Totals;

/// Between two lines.
const PERIOD: Duration = Duration::from_secs(1);

/// Accesses of work that takes half a minute: less shows nothing where standard error is no
/// terminal.
pub const SHORT: u64 = 5_000_000;

/// The tenths of a work that have been reported.
#[derive(Default)]
pub struct Tenths(Cell<u64>);

impl Tenths {
    /// How many per cent to report, where another tenth is done.
    pub fn pass(&self, done: u64, all: u64) -> Option<u64> {
        let tenth = done.saturating_mul(10) / all.max(1);
        (tenth > self.0.replace(tenth.max(self.0.get()))).then_some(10 * tenth)
    }
}

/// A line that is written over once a second; nothing of it is left in the end.
pub struct Line {
    started: Instant,
    shown: Cell<Option<Instant>>,
}

impl Line {
    /// Of what begins now.
    pub fn new() -> Self {
        Self { started: Instant::now(), shown: Cell::new(None) }
    }

    /// Shows what `text` says of the time since the beginning, where the last line, or the
    /// beginning, is a second ago.
    pub fn show(&self, text: impl FnOnce(Duration) -> String) {
        let now = Instant::now();
        let is_due = now - self.shown.get().unwrap_or(self.started) >= PERIOD;
        if is_due && io::stderr().is_terminal() {
            self.shown.set(Some(now));
            let _ = write!(io::stderr(), "\r\x1b[K{}", text(now - self.started));
        }
    }

    /// Removes it.
    pub fn clear(&self) {
        if self.shown.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The time that is left of what has taken so long for this share; nothing of no share.
pub fn left(since: Duration, share: f64) -> Option<String> {
    if share <= 0.0 {
        return None;
    }
    let left = (since.as_secs_f64() * (1.0 - share).max(0.0) / share).round() as u64;
    let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
    Some(match hours {
        0 => format!("{minutes}:{seconds:02} left"),
        hours => format!("{hours}:{minutes:02}:{seconds:02} left"),
    })
}

/// Shows a line while `machine` runs a program with these totals, and removes it in the end. Where
/// standard error is no terminal, lines that begin with `plain`, if it is one of several runs.
pub fn show<T>(
    machine: &mut Machine,
    totals: &Totals,
    plain: Option<&'static str>,
    run: impl FnOnce(&mut Machine) -> T,
) -> T {
    let totals = *totals;
    if !io::stderr().is_terminal() {
        let (all, tenths) = (totals.loads + totals.atomics, Tenths::default());
        if let Some(plain) = plain.filter(|_| all >= SHORT) {
            machine.on_progress(move |progress| {
                if let Some(share) = tenths.pass(progress.checked, all) {
                    eprintln!("duet: {plain}: {share} % of accesses");
                }
            });
        }
        return run(machine);
    }
    let told = Rc::new(Line::new());
    let of_run = told.clone();
    machine.on_progress(move |progress| of_run.show(|since| line(progress, &totals, since)));
    let result = run(machine);
    told.clear();
    result
}

fn line(progress: &Progress, totals: &Totals, since: Duration) -> String {
    let &Progress { cycle, groups, checked } = progress;
    let seconds = since.as_secs_f64();
    let rate = cycle as f64 / seconds / 1e6;
    let mut text = format!(
        "{cycle} cycles, {rate:.2} million a second; {groups} of {} work-groups started",
        totals.groups
    );
    // Loads and atomics pass more evenly than work-groups start.
    let all = totals.loads + totals.atomics;
    if checked > 0 && all >= checked {
        let left = left(since, checked as f64 / all as f64).unwrap_or_default();
        text += &format!("; {} % of accesses, {left}", 100 * checked / all);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tenth_is_reported_once() {
        let tenths = Tenths::default();
        let reported: Vec<_> = (0..=30).filter_map(|done| tenths.pass(done, 30)).collect();
        assert_eq!(reported, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        let tenths = Tenths::default();
        let reported: Vec<_> = (0..=3).filter_map(|done| tenths.pass(done, 3)).collect();
        assert_eq!(reported, [30, 60, 100]);
        assert_eq!(tenths.pass(1, 3), None);
    }

    #[test]
    fn line_shows_rate_fraction_and_time_left() {
        let totals = Totals { groups: 40, loads: 900, atomics: 100, ..Totals::default() };
        let progress = Progress { cycle: 6_000_000, groups: 10, checked: 250 };
        assert_eq!(
            line(&progress, &totals, Duration::from_secs(30)),
            "6000000 cycles, 0.20 million a second; 10 of 40 work-groups started; \
             25 % of accesses, 1:30 left"
        );
    }
}
