//! Where the threads of a run wait for each other, at the end of each window of cycles.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Looks before a thread sleeps, at most: as long as a cycle with much to do takes.
const MOST_LOOKS: u32 = 4096;
const LEAST_LOOKS: u32 = 16;

/// A longer sleep waits for a thread without a core: better yield the own core at once.
const LONG: Duration = Duration::from_micros(200);

/// A thread has left for good: there will be no more meetings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Closed;

/// How long a thread looks before it sleeps.
#[derive(Debug)]
pub(super) struct Patience(u32);

impl Default for Patience {
    fn default() -> Self {
        Self(MOST_LOOKS)
    }
}

/// All have come, and go on.
#[derive(Debug)]
pub(super) struct Meeting {
    members: u64,
    /// All that have ever come.
    arrived: AtomicU64,
    is_closed: AtomicBool,
    /// Threads that sleep.
    sleepers: Mutex<u64>,
    bell: Condvar,
}

impl Meeting {
    pub(super) fn new(members: u64) -> Self {
        let (arrived, is_closed) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { members, arrived, is_closed, sleepers: Mutex::new(0), bell: Condvar::new() }
    }

    /// Waits until all have come to the meeting of this number; the first is 1.
    pub(super) fn meet(&self, number: u64, patience: &mut Patience) -> Result<(), Closed> {
        let all = number * self.members;
        if self.arrived.fetch_add(1, Ordering::SeqCst) + 1 == all {
            self.ring();
            return Ok(());
        }
        for _ in 0..patience.0 {
            if self.arrived.load(Ordering::Acquire) >= all {
                return Ok(());
            }
            hint::spin_loop();
        }
        let since = Instant::now();
        self.sleep(all)?;
        patience.0 = match since.elapsed() > LONG {
            true => LEAST_LOOKS.max(patience.0 / 2),
            false => MOST_LOOKS.min(patience.0 * 2),
        };
        Ok(())
    }

    #[cold]
    fn sleep(&self, all: u64) -> Result<(), Closed> {
        let mut sleepers = self.lock();
        *sleepers += 1;
        while self.arrived.load(Ordering::SeqCst) < all && !self.is_closed.load(Ordering::SeqCst) {
            sleepers = self.bell.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
        }
        *sleepers -= 1;
        if self.arrived.load(Ordering::SeqCst) < all { Err(Closed) } else { Ok(()) }
    }

    /// Ends the wait for a thread that does not come.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.ring();
    }

    fn ring(&self) {
        if *self.lock() > 0 {
            self.bell.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Each writes a number before a meeting that all read after it; with and without sleep.
    #[test]
    fn all_see_what_all_did_before() {
        const MEMBERS: usize = 3;
        for looks in [0, MOST_LOOKS] {
            let meeting = Meeting::new(MEMBERS as u64);
            let written: [[AtomicU64; MEMBERS]; 2] = Default::default();
            let (meeting, written) = (&meeting, &written);
            thread::scope(|scope| {
                for own in 0..MEMBERS {
                    scope.spawn(move || {
                        for number in 1..2000 {
                            let of_turn = &written[(number % 2) as usize];
                            of_turn[own].store(number, Ordering::Relaxed);
                            meeting.meet(number, &mut Patience(looks)).unwrap();
                            for of_one in of_turn {
                                assert_eq!(of_one.load(Ordering::Relaxed), number);
                            }
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn threads_that_left_are_not_waited_for() {
        let meeting = Meeting::new(2);
        thread::scope(|scope| {
            let waits = scope.spawn(|| meeting.meet(1, &mut Patience::default()));
            meeting.close();
            assert_eq!(waits.join().unwrap(), Err(Closed));
        });
    }
}
