//! The line on a terminal that tells how far a long run is. Nothing where stderr is no terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use machine::{Machine, Progress};
use traces::trace::Totals;

/// Between two lines.
const PERIOD: Duration = Duration::from_secs(1);

/// Shows a line while `machine` runs a program with these totals, and removes it in the end.
pub fn show<T>(machine: &mut Machine, totals: &Totals, run: impl FnOnce(&mut Machine) -> T) -> T {
    if !io::stderr().is_terminal() {
        return run(machine);
    }
    let (totals, started) = (*totals, Instant::now());
    let mut last = started;
    machine.on_progress(move |progress| {
        let now = Instant::now();
        if now - last >= PERIOD {
            last = now;
            let _ = write!(io::stderr(), "\r\x1b[K{}", line(progress, &totals, now - started));
        }
    });
    let result = run(machine);
    let _ = write!(io::stderr(), "\r\x1b[K");
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
        let left = (seconds * (all - checked) as f64 / checked as f64).round() as u64;
        let per_cent = 100 * checked / all;
        text += &format!("; {per_cent} % of accesses, {}:{:02} left", left / 60, left % 60);
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
