//! Readings of a run: snapshots, and what has happened between two of them. All readers share them,
//! so several pages request no more snapshots than one.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use machine::probe::{Facts, LEVELS, Probe, Snapshot};

/// Between two snapshots.
const PERIOD: Duration = Duration::from_secs(1);
/// A reader that has sent no request for so long is closed.
const GONE: Duration = Duration::from_secs(5);

/// A snapshot, and rates since the one before it; of a run that has ended, over all of it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Counts readings, from 1.
    pub number: u64,
    pub snapshot: Snapshot,
    /// Since the run began.
    pub since: Duration,
    /// Bytes per cycle at each of [`LEVELS`].
    pub rates: [f64; LEVELS.len()],
    /// Simulated cycles per second.
    pub speed: f64,
    /// Whether the run has passed, and its verdict.
    pub ended: Option<(bool, String)>,
}

#[derive(Debug)]
struct Shared {
    last: Reading,
    /// A reader requests a snapshot.
    is_requesting: bool,
    /// Readers that are being answered, and when the last answer was complete.
    readers: usize,
    answered: Option<Instant>,
    /// A reader has the last reading of the run.
    has_shown_end: bool,
}

/// The readings of a run.
#[derive(Debug)]
pub struct Readings {
    probe: Arc<Probe>,
    started: Instant,
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl Readings {
    /// None yet.
    pub fn new(probe: Arc<Probe>) -> Self {
        let last = Reading {
            number: 0,
            snapshot: Snapshot::default(),
            since: Duration::ZERO,
            rates: [0.0; LEVELS.len()],
            speed: 0.0,
            ended: None,
        };
        let shared =
            Shared { last, is_requesting: false, readers: 0, answered: None, has_shown_end: false };
        Self { probe, started: Instant::now(), shared: Mutex::new(shared), changed: Condvar::new() }
    }

    /// What does not change.
    pub fn facts(&self) -> &Facts {
        self.probe.facts()
    }

    /// Answers a reader with the first reading after number `seen`.
    pub fn answer(&self, seen: u64, reply: impl FnOnce(&Reading)) {
        self.lock().readers += 1;
        let reading = self.after(seen);
        reply(&reading);
        let mut shared = self.lock();
        shared.readers -= 1;
        shared.answered = Some(Instant::now());
        shared.has_shown_end |= reading.ended.is_some();
        self.changed.notify_all();
    }

    /// Waits for it. Of those who wait one requests the snapshot, when it is time.
    fn after(&self, seen: u64) -> Reading {
        let mut shared = self.lock();
        loop {
            // After the end any number is: a page may be one of another run.
            if shared.last.ended.is_some() || shared.last.number > seen {
                return shared.last.clone();
            }
            let is_first = shared.last.number == 0;
            let due = if is_first { Duration::ZERO } else { shared.last.since + PERIOD };
            let left = due.saturating_sub(self.started.elapsed());
            if shared.is_requesting || !left.is_zero() {
                let patience = if left.is_zero() { PERIOD } else { left };
                let waited = self.changed.wait_timeout(shared, patience);
                shared = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            shared.is_requesting = true;
            drop(shared);
            let snapshot = self.probe.snapshot(PERIOD).unwrap_or_default();
            shared = self.lock();
            shared.is_requesting = false;
            if shared.last.ended.is_none() {
                shared.last = next(&shared.last, snapshot, self.started.elapsed());
            }
            self.changed.notify_all();
        }
    }

    /// The run has ended.
    pub fn end(&self, passed: bool, verdict: &str) {
        let mut shared = self.lock();
        let since = self.started.elapsed();
        let (begin, before) = (Snapshot::default(), shared.last.clone());
        let whole = Reading { snapshot: begin, since: Duration::ZERO, ..before };
        let ended = Some((passed, verdict.to_string()));
        shared.last =
            Reading { ended, ..next(&whole, self.probe.last().unwrap_or_default(), since) };
        self.changed.notify_all();
    }

    /// Waits until the readers that there are have the end of the run, but no longer than `grace`.
    pub fn wait_for_readers(&self, grace: Duration) {
        let shared = self.lock();
        let is_open = shared.answered.is_some_and(|at| at.elapsed() < GONE);
        let is_waited_for =
            move |shared: &mut Shared| shared.readers > 0 || is_open && !shared.has_shown_end;
        drop(self.changed.wait_timeout_while(shared, grace, is_waited_for));
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reading after another one. Where no cycle has passed, rates stay as they were.
fn next(last: &Reading, snapshot: Snapshot, since: Duration) -> Reading {
    let before = &last.snapshot;
    let cycles = snapshot.cycle.saturating_sub(before.cycle) as f64;
    let seconds = (since - last.since).as_secs_f64();
    let mut rates = last.rates;
    if cycles > 0.0 {
        for (rate, (now, before)) in rates.iter_mut().zip(snapshot.bytes.iter().zip(before.bytes)) {
            *rate = now.saturating_sub(before) as f64 / cycles;
        }
    }
    let speed = if seconds > 0.0 { cycles / seconds } else { last.speed };
    Reading { number: last.number + 1, snapshot, since, rates, speed, ended: last.ended.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cycle: u64, bytes: u64) -> Snapshot {
        let mut snapshot = Snapshot::default();
        (snapshot.cycle, snapshot.bytes) = (cycle, [bytes; LEVELS.len()]);
        snapshot
    }

    #[test]
    fn rates_are_those_of_the_interval() {
        let facts = Facts { components: Vec::new(), waves: 0 };
        let readings = Readings::new(Arc::new(Probe::new(facts)));
        let zero = readings.lock().last.clone();
        let one = next(&zero, at(1000, 500), Duration::from_secs(2));
        assert_eq!((one.number, one.rates[0], one.speed), (1, 0.5, 500.0));
        let two = next(&one, at(1100, 800), Duration::from_secs(3));
        assert_eq!((two.number, two.rates[3], two.speed), (2, 3.0, 100.0));
        // It stands still: the rates are the last that are known.
        let three = next(&two, at(1100, 800), Duration::from_secs(4));
        assert_eq!((three.rates[3], three.speed), (3.0, 0.0));
        // A run on several threads has begun again on one.
        let again = next(&three, at(10, 5), Duration::from_secs(5));
        assert_eq!((again.rates[3], again.speed), (3.0, 0.0));
    }

    #[test]
    fn the_end_is_shown_at_once_and_waited_for() {
        let facts = Facts { components: Vec::new(), waves: 0 };
        let readings = Readings::new(Arc::new(Probe::new(facts)));
        // Without a reader nothing is waited for.
        readings.wait_for_readers(Duration::MAX);
        readings.answer(0, |reading| assert_eq!(reading.number, 1));
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut seen = 1;
                loop {
                    let mut ended = None;
                    readings.answer(seen, |reading| {
                        seen = reading.number;
                        ended.clone_from(&reading.ended);
                    });
                    if let Some(ended) = ended {
                        return ended;
                    }
                }
            });
            readings.end(false, "FAIL a: b");
            readings.wait_for_readers(Duration::from_secs(300));
            assert!(readings.lock().has_shown_end);
            assert_eq!(reader.join().unwrap(), (false, "FAIL a: b".to_string()));
        });
        readings.answer(u64::MAX, |reading| assert!(reading.ended.is_some()));
    }
}
