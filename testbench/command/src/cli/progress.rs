//! The line on a terminal that shows the progress of a long run. Nothing if stderr is no terminal.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use machine::{Machine, Progress};
use traces::trace::Totals;

/// Between two lines.
const PERIOD: Duration = Duration::from_secs(1);

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
    fn clear(&self) {
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

/// Shows a line while `machine` runs a program with these totals, and removes it in the end.
pub fn show<T>(machine: &mut Machine, totals: &Totals, run: impl FnOnce(&mut Machine) -> T) -> T {
    if !io::stderr().is_terminal() {
        return run(machine);
    }
    let totals = *totals;
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
    fn line_tells_rate_share_and_time_left() {
        let totals = Totals { groups: 40, loads: 900, atomics: 100, ..Totals::default() };
        let progress = Progress { cycle: 6_000_000, groups: 10, checked: 250 };
        assert_eq!(
            line(&progress, &totals, Duration::from_secs(30)),
            "6000000 cycles, 0.20 million a second; 10 of 40 work-groups started; \
             25 % of accesses, 1:30 left"
        );
    }
}
