//! The job FIFO and the engine that sends its head line by line (specification 5.3).

use super::{Config, Inv, MAX_POS, Variant, cause};
use crate::state::State;

/// Slots of the ring: the largest depth. A smaller FIFO uses its depth rounded up to a power of 2.
const RING: usize = 64;

/// Invalidations that one request causes, without their destinations.
#[derive(Clone, Copy, Debug, Default)]
struct Job {
    /// Bit k: line k of the entry has yet to be sent.
    left: u64,
    /// Address of line 0 / bytes that an entry covers; FENCE: 0.
    base: u64,
    seq: u8,
    cause: u8,
}

/// Jobs in request order.
#[derive(Clone, Debug)]
pub(super) struct Jobs {
    ring: [Job; RING],
    /// By job: destinations of each line; hmg: of all four in element 0.
    dests: [[u16; MAX_POS]; RING],
    head: u32,
    count: u32,
    ring_mask: u32,
    /// Line k has its destinations in element `k & group_mask`.
    group_mask: u32,
    /// Mask of the lines of a sharer field: four in hmg, else one.
    group: u64,
    line_shift: u32,
    base_shift: u32,
}

impl Jobs {
    pub fn new(config: &Config) -> Self {
        let hmg = config.variant == Variant::Hmg;
        Self {
            ring: [Job::default(); RING],
            dests: [[0; MAX_POS]; RING],
            head: 0,
            count: 0,
            ring_mask: config.jobs.next_power_of_two() - 1,
            group_mask: if hmg { 0 } else { MAX_POS as u32 - 1 },
            group: if hmg { 0b1111 } else { 1 },
            line_shift: config.line.ilog2(),
            base_shift: config.range.ilog2(),
        }
    }

    /// Jobs held.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn index(&self, nth: u32) -> usize {
        (self.head.wrapping_add(nth) & self.ring_mask) as usize % RING
    }

    /// The oldest job is at least `requests` requests older than request number `seq`.
    #[inline(always)]
    pub fn is_late(&self, seq: u8, requests: u8) -> bool {
        (self.count > 0) & (seq.wrapping_sub(self.ring[self.index(0)].seq) >= requests)
    }

    /// What `inv_o` shows if a job is held: the lowest line of the oldest one. Computed for an
    /// empty FIFO too, to avoid a branch.
    #[inline(always)]
    pub fn front(&self) -> Inv {
        let head = self.index(0);
        let Job { left, base, seq, cause } = self.ring[head];
        let line = left.trailing_zeros();
        Inv {
            addr: (base << self.base_shift) + (u64::from(line) << self.line_shift),
            dest: self.dests[head][(line & self.group_mask) as usize % MAX_POS],
            seq,
            last: left & left.wrapping_sub(1) == 0,
            cause,
        }
    }

    /// One edge: dequeues the shown line if it is `taken`, and its job if the line is the `last`;
    /// enqueues the job at the tail if it is `ready`.
    #[inline(always)]
    pub fn tick(&mut self, taken: bool, last: bool, ready: bool) {
        let job = &mut self.ring[self.index(0)];
        job.left &= job.left.wrapping_sub(u64::from(taken));
        let done = u32::from(taken & last);
        self.count = self.count + u32::from(ready) - done;
        self.head = self.head.wrapping_add(done);
    }

    /// Writes a job to the tail; the next `tick` enqueues it if it is `ready`. There must be a
    /// credit for it. Returns its destinations, for the caller to fill.
    #[inline(always)]
    fn put(&mut self, job: Job) -> &mut [u16; MAX_POS] {
        let end = self.index(self.count);
        self.ring[end] = job;
        &mut self.dests[end]
    }

    /// Writes the WRITE job for `line` of the entry with `base`, or for `all` lines of its sharer
    /// field. Returns whether the job is ready: it has a destination.
    #[inline(always)]
    pub fn put_write(&mut self, seq: u8, base: u64, line: u32, all: bool, dest: u16) -> bool {
        let left = if all { self.group << line } else { 1 << line };
        self.put(Job { left, base, seq, cause: cause::WRITE })[line as usize % MAX_POS] = dest;
        dest != 0
    }

    /// Writes the EVICT job for `lines` of the entry with `base`. Returns the number of lines and
    /// the destinations to fill.
    #[inline(always)]
    pub fn put_evict(&mut self, seq: u8, base: u64, lines: u64) -> (u32, &mut [u16; MAX_POS]) {
        let left = lines * self.group;
        (left.count_ones(), self.put(Job { left, base, seq, cause: cause::EVICT }))
    }

    /// Writes a FENCE job.
    pub fn put_fence(&mut self, seq: u8, dest: u16) {
        self.put(Job { left: 1, base: 0, seq, cause: cause::FENCE })[0] = dest;
    }

    /// The oldest job. The RTL has its sent lines in a mask outside the FIFO.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        let held = self.count > 0;
        let Job { left, base, seq, cause } = self.ring[self.index(0)];
        state.part("oldest", |state| {
            state.bits_while(held, "cause", 2, cause);
            state.bits_while(held, "seq", 8, seq);
            state.bits_while(held, "base", config.address_width - self.base_shift, base);
            state.bits_while(held, "left", config.range / config.line, left);
        });
    }
}
