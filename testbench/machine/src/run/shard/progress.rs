//! How far each shard of a run is, and which messages of other shards it has taken when: what a
//! sender must know whose window is full.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::engine::{Cycle, OutletId};

/// Looks before a thread lets another one have its core.
const LOOKS: u32 = 2048;

/// A word that no other one shares a line of the host's cache with.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// Messages taken, in the order of their cycles, with their outlets.
type Taken = Mutex<Vec<(Cycle, OutletId)>>;

/// The progress of all shards.
#[derive(Debug)]
pub struct Progress {
    /// Each shard has done all cycles before this one.
    reached: Vec<Apart<AtomicU64>>,
    /// By the shard that has the outlets, then by the one that takes.
    taken: Vec<Vec<Apart<Taken>>>,
    is_closed: AtomicBool,
}

/// Locks a mutex, whatever became of a thread that held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    /// So many shards before the first cycle.
    pub fn new(shards: u8) -> Self {
        let of_all = || (0..shards).map(|_| Apart::default()).collect();
        Self {
            reached: (0..shards).map(|_| Apart::default()).collect(),
            taken: (0..shards).map(|_| of_all()).collect(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Number of shards.
    pub fn shards(&self) -> u8 {
        self.reached.len() as u8
    }

    /// A shard has done all cycles before `cycle`; it may have said so of later ones.
    #[inline]
    pub fn reach(&self, shard: u8, cycle: Cycle) {
        self.reached[usize::from(shard)].0.fetch_max(cycle, Ordering::Release);
    }

    /// A shard has taken messages in cycle `at`; the list is empty after that.
    pub fn credit(&self, shard: u8, at: Cycle, taken: &mut Vec<(u8, OutletId)>) {
        for (owner, outlet) in taken.drain(..) {
            let list = &self.taken[usize::from(owner)][usize::from(shard)].0;
            lock(list).push((at, outlet));
        }
    }

    /// Shows what other shards have taken of a shard's messages since this was asked last.
    pub fn credits(&self, shard: u8, mut see: impl FnMut(Cycle, OutletId)) {
        for list in &self.taken[usize::from(shard)] {
            lock(&list.0).drain(..).for_each(|(at, outlet)| see(at, outlet));
        }
    }

    /// All other shards have done the cycles before this one.
    #[inline]
    pub fn others(&self, shard: u8) -> Cycle {
        let others = self.reached.iter().enumerate().filter(|(at, _)| *at != usize::from(shard));
        let reached = others.map(|(_, reached)| reached.0.load(Ordering::Acquire));
        reached.min().unwrap_or(Cycle::MAX)
    }

    /// Whether a thread has ended: the others have done all that they ever will.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Lets another thread go on. `looks`: how often this one has looked in vain.
    pub fn pause(looks: &mut u32) {
        *looks += 1;
        if *looks < LOOKS { hint::spin_loop() } else { thread::yield_now() }
    }

    /// A thread ends: no other one waits for it.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}
