//! Which operations were necessary, seen by who knows the real contents and what happens later.
//!
//! A release is, if another chiplet or the host touches a byte that it wrote back, before the next
//! release of this chiplet. An acquire is, if this chiplet reads a byte that was old, before its
//! next acquire. Without the operation they would have gone wrong, unless the line had been evicted
//! by chance.

use std::fmt;
use std::ops::AddAssign;

use crate::bytes::Mask;
use crate::caches::Caches;

/// Operations of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub launches: u64,
    /// Sent, by the launches and ends of kernels and by barriers.
    pub releases: u64,
    pub acquires: u64,
    pub necessary_releases: u64,
    pub necessary_acquires: u64,
    /// What BASELINE sends of either: one for each chiplet and launch.
    pub baseline: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.launches += other.launches;
        self.releases += other.releases;
        self.acquires += other.acquires;
        self.necessary_releases += other.necessary_releases;
        self.necessary_acquires += other.necessary_acquires;
        self.baseline += other.baseline;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { launches, baseline, .. } = self;
        write!(f, "{launches} launches, baseline {baseline} releases and acquires")?;
        for (name, sent, necessary) in [
            ("releases", self.releases, self.necessary_releases),
            ("acquires", self.acquires, self.necessary_acquires),
        ] {
            let part = 100.0 * sent as f64 / (*baseline).max(1) as f64;
            write!(f, "; {name} {sent} ({part:.1} % of baseline), {necessary} necessary")?;
        }
        Ok(())
    }
}

/// An operation of one chiplet whose need is not known yet.
#[derive(Clone, Debug, Default)]
struct Open {
    /// The bytes that decide, by spot; empty before the first operation.
    bytes: Vec<Mask>,
    necessary: bool,
}

impl Open {
    fn starts(&mut self, bytes: impl Iterator<Item = Mask>) {
        self.bytes.clear();
        self.bytes.extend(bytes);
        self.necessary = false;
    }

    fn meets(&mut self, spot: usize, mask: Mask) -> bool {
        let first = !self.necessary && self.bytes.get(spot).is_some_and(|bytes| bytes & mask != 0);
        self.necessary |= first;
        first
    }
}

/// Watches a run.
#[derive(Clone, Debug)]
pub struct Quality {
    pub counts: Counts,
    releases: Vec<Open>,
    acquires: Vec<Open>,
    spots: usize,
}

impl Quality {
    pub fn new(chiplets: usize, spots: usize) -> Self {
        let open = vec![Open::default(); chiplets];
        Self { counts: Counts::default(), releases: open.clone(), acquires: open, spots }
    }

    pub fn launch(&mut self) {
        self.counts.launches += 1;
        self.counts.baseline += self.releases.len() as u64;
    }

    /// A release is about to happen.
    pub fn release(&mut self, chiplet: usize, caches: &Caches) {
        self.counts.releases += 1;
        self.releases[chiplet].starts((0..self.spots).map(|spot| caches.dirty(chiplet, spot)));
    }

    /// An acquire is about to happen.
    pub fn acquire(&mut self, chiplet: usize, caches: &Caches) {
        self.counts.acquires += 1;
        self.acquires[chiplet].starts((0..self.spots).map(|spot| caches.old(chiplet, spot)));
    }

    /// A chiplet touches bytes.
    pub fn access(&mut self, chiplet: usize, spot: usize, mask: Mask, write: bool) {
        for (other, release) in self.releases.iter_mut().enumerate() {
            let decides = other != chiplet && release.meets(spot, mask);
            self.counts.necessary_releases += u64::from(decides);
        }
        let acquire = &mut self.acquires[chiplet];
        if !write {
            self.counts.necessary_acquires += u64::from(acquire.meets(spot, mask));
        } else if let Some(bytes) = acquire.bytes.get_mut(spot) {
            *bytes &= !mask;
        }
    }

    /// The host touches bytes.
    pub fn host(&mut self, spot: usize, mask: Mask) {
        let met = self.releases.iter_mut().filter_map(|open| open.meets(spot, mask).then_some(()));
        self.counts.necessary_releases += met.count() as u64;
    }
}
