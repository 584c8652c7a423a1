//! Snapshots of a run for a reader on another thread.
//!
//! The reader requests a snapshot. The simulation takes it in its next step and publishes it:
//! numbers alone, which the reader formats. Without a request a step costs one load and one
//! comparison. If several threads simulate the machine, each publishes the components of its
//! shard, and the reader adds them up; they may be some cycles apart.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::engine::Cycle;

/// Levels at which bytes are counted, as the report calls them.
pub const LEVELS: [&str; 8] = [
    "L1",
    "requests to L2",
    "answers of L2",
    "requests to L3",
    "answers of L3",
    "DRAM",
    "links between chiplets",
    "links between GPUs",
];

/// What resident waves do.
pub const WAVES: [&str; 6] = [
    "issue or compute",
    "wait until their CU can issue",
    "wait for loads",
    "wait for all accesses",
    "wait at a barrier",
    "held by the L1",
];

/// Caches with miss status holding registers.
pub const MSHRS: [&str; 3] = ["L1 MSHRs", "L2 MSHRs", "L3 MSHRs"];

/// Kinds of queues, by what fills and what empties them.
pub const QUEUES: [&str; 10] = [
    "requests to L2",
    "answers of L2",
    "requests to L3",
    "answers of L3",
    "L2 to L2",
    "L2 to links between GPUs",
    "from links between GPUs",
    "links between chiplets",
    "command processors",
    "units of the L1 design",
];

/// What does not change during a run.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Components, by number.
    pub components: Vec<Component>,
    /// Wave slots.
    pub waves: u32,
}

/// A component.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name in reports.
    pub name: String,
    /// What it is, in the plural.
    pub kind: &'static str,
}

/// Entries in use of all queues or MSHRs of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Entries in use.
    pub used: u64,
    /// Entries.
    pub of: u64,
    /// Queues, or caches, all of whose entries are in use.
    pub full: u32,
    /// Queues, or caches.
    pub number: u32,
}

impl Occupancy {
    /// Adds one queue or cache; none without entries.
    pub(crate) fn add(&mut self, used: u32, of: u32) {
        self.used += u64::from(used);
        self.of += u64::from(of);
        self.full += u32::from(of > 0 && used >= of);
        self.number += u32::from(of > 0);
    }

    fn join(&mut self, other: &Self) {
        self.used += other.used;
        self.of += other.of;
        self.full += other.full;
        self.number += other.number;
    }
}

/// What a component waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// Replies to its requests.
    Replies,
    /// A free entry in a queue of this kind, of [`QUEUES`], with so many entries.
    Entry {
        /// The kind.
        queue: u8,
        /// Entries of the queue.
        of: u32,
    },
}

/// A component that waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The component that waits.
    pub from: u32,
    /// The component that replies, or that empties the queue; none for a slice's memory channel.
    pub to: Option<u32>,
    /// What it waits for.
    pub awaited: Awaited,
    /// Requests without a reply, or entries in use.
    pub number: u32,
}

/// A run between two cycles.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Cycles so far.
    pub cycle: Cycle,
    /// Kernels that have ended.
    pub kernels: u32,
    /// Names of those that run.
    pub running: Vec<String>,
    /// Work-groups started.
    pub groups: u64,
    /// Loads and atomics of work-items issued.
    pub accesses: u64,
    /// Bytes so far at each of [`LEVELS`].
    pub bytes: [u64; LEVELS.len()],
    /// Resident waves, by [`WAVES`].
    pub waves: [u32; WAVES.len()],
    /// By [`MSHRS`].
    pub mshrs: [Occupancy; MSHRS.len()],
    /// By [`QUEUES`].
    pub queues: [Occupancy; QUEUES.len()],
    /// Components that wait.
    pub waits: Vec<Wait>,
    pub(crate) full: Vec<FullQueue>,
    pub(crate) oldest: Vec<Oldest>,
}

/// A full queue whose producer waits for a free entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FullQueue {
    pub outlet: u32,
    pub producer: u32,
    pub queue: u8,
    pub held: u32,
    pub of: u32,
}

/// A message that waits to be taken: its outlet, its order, and the component that takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Oldest {
    pub outlet: u32,
    pub order: u64,
    pub consumer: u32,
}

impl Snapshot {
    /// Adds what another shard publishes.
    fn join(&mut self, other: &Self) {
        self.cycle = self.cycle.max(other.cycle);
        self.groups += other.groups;
        self.accesses += other.accesses;
        self.bytes.iter_mut().zip(other.bytes).for_each(|(sum, one)| *sum += one);
        self.waves.iter_mut().zip(other.waves).for_each(|(sum, one)| *sum += one);
        self.mshrs.iter_mut().zip(&other.mshrs).for_each(|(sum, one)| sum.join(one));
        self.queues.iter_mut().zip(&other.queues).for_each(|(sum, one)| sum.join(one));
        self.waits.extend(&other.waits);
        self.full.extend(&other.full);
        self.oldest.extend(&other.oldest);
    }

    /// Each producer of a full queue waits for the component that takes the oldest message.
    fn resolve(mut self) -> Self {
        self.oldest.sort_unstable();
        for FullQueue { outlet, producer, queue, held, of } in std::mem::take(&mut self.full) {
            let first = self.oldest.partition_point(|oldest| oldest.outlet < outlet);
            let Some(oldest) = self.oldest.get(first).filter(|oldest| oldest.outlet == outlet)
            else {
                // Taken since its shard was looked at.
                continue;
            };
            self.waits.push(Wait {
                from: producer,
                to: Some(oldest.consumer),
                awaited: Awaited::Entry { queue, of },
                number: held,
            });
        }
        self.oldest.clear();
        self
    }
}

/// What a shard has published last, and which request it answers.
#[derive(Debug, Default)]
struct Published {
    request: u64,
    snapshot: Option<Snapshot>,
}

/// Where a run publishes snapshots of itself.
#[derive(Debug)]
pub struct Probe {
    facts: Facts,
    /// Requests so far.
    requests: AtomicU64,
    run: Mutex<Run>,
    has_new: Condvar,
}

/// What the threads of a run have published.
#[derive(Debug, Default)]
struct Run {
    shards: Vec<Published>,
    /// Nothing will be published any more.
    has_ended: bool,
}

impl Probe {
    /// Of a run that has published nothing.
    pub fn new(facts: Facts) -> Self {
        let probe = Self {
            facts,
            requests: AtomicU64::new(0),
            run: Mutex::default(),
            has_new: Condvar::new(),
        };
        probe.restart(1);
        probe
    }

    /// What does not change.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// A snapshot that is taken now. If the run takes none within `patience`, the last one; none
    /// if there is no last one.
    pub fn snapshot(&self, patience: Duration) -> Option<Snapshot> {
        let request = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        let is_missing = |run: &mut Run| {
            !run.has_ended && run.shards.iter().any(|shard| shard.request < request)
        };
        let waited = self.has_new.wait_timeout_while(self.lock(), patience, is_missing);
        let (run, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Self::of_all(&run.shards)
    }

    /// The last one.
    pub fn last(&self) -> Option<Snapshot> {
        Self::of_all(&self.lock().shards)
    }

    fn of_all(shards: &[Published]) -> Option<Snapshot> {
        let mut all = shards.iter().filter_map(|shard| shard.snapshot.as_ref());
        let first = all.next()?.clone();
        let join = |mut sum: Snapshot, one: &Snapshot| {
            sum.join(one);
            sum
        };
        Some(all.fold(first, join).resolve())
    }

    /// Requests so far: a simulation that has seen fewer publishes.
    #[inline]
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// The run begins, on so many threads.
    pub(crate) fn restart(&self, shards: usize) {
        let shards = (0..shards).map(|_| Published::default()).collect();
        *self.lock() = Run { shards, has_ended: false };
    }

    pub(crate) fn publish(&self, shard: usize, request: u64, snapshot: Snapshot) {
        self.lock().shards[shard] = Published { request, snapshot: Some(snapshot) };
        self.has_new.notify_all();
    }

    /// The run has ended: no request waits any longer.
    pub(crate) fn end(&self) {
        self.lock().has_ended = true;
        self.has_new.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts { components: Vec::new(), waves: 0 }
    }

    fn of(cycle: Cycle) -> Snapshot {
        let mut queues = [Occupancy::default(); QUEUES.len()];
        queues[1].add(4, 4);
        Snapshot { cycle, groups: 2, bytes: [cycle; LEVELS.len()], queues, ..Snapshot::default() }
    }

    #[test]
    fn shards_add_up() {
        let probe = Probe::new(facts());
        probe.restart(2);
        assert!(probe.last().is_none());
        probe.publish(0, 0, of(100));
        probe.publish(1, 0, of(103));
        let sum = probe.last().unwrap();
        assert_eq!((sum.cycle, sum.groups, sum.bytes[0]), (103, 4, 203));
        assert_eq!(sum.queues[1], Occupancy { used: 8, of: 8, full: 2, number: 2 });
    }

    /// The queue is filled in one shard and emptied in another one, which has two of its messages.
    #[test]
    fn a_full_queue_is_waited_for_at_its_oldest_message() {
        let probe = Probe::new(facts());
        probe.restart(2);
        let full = FullQueue { outlet: 7, producer: 1, queue: 0, held: 2, of: 2 };
        probe.publish(0, 0, Snapshot { full: vec![full], ..of(1) });
        let message = |order, consumer| Oldest { outlet: 7, order, consumer };
        let other = Oldest { outlet: 6, order: 0, consumer: 9 };
        probe.publish(
            1,
            0,
            Snapshot { oldest: vec![message(9, 4), message(8, 5), other], ..of(1) },
        );
        let awaited = Awaited::Entry { queue: 0, of: 2 };
        assert_eq!(
            probe.last().unwrap().waits,
            [Wait { from: 1, to: Some(5), awaited, number: 2 }]
        );
    }

    /// A request waits for each shard, and no longer than for the last one.
    #[test]
    fn a_request_is_answered_by_all_shards() {
        let probe = Probe::new(facts());
        probe.restart(2);
        std::thread::scope(|scope| {
            for shard in 0..2 {
                let probe = &probe;
                scope.spawn(move || {
                    while probe.requests() == 0 {
                        std::thread::yield_now();
                    }
                    probe.publish(shard, probe.requests(), of(5 + shard as Cycle));
                });
            }
            let snapshot = probe.snapshot(Duration::MAX).unwrap();
            assert_eq!((snapshot.cycle, snapshot.bytes[2]), (6, 11));
        });
        // Nothing answers these.
        assert_eq!(probe.snapshot(Duration::ZERO).unwrap().cycle, 6);
        probe.end();
        assert_eq!(probe.snapshot(Duration::MAX).unwrap().cycle, 6);
    }
}
