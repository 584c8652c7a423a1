//! The job FIFO and the engine that sends its head line by line (specification 5.3).

use super::{Config, Inv, MAX_POS, Variant, cause};
use crate::state::State;

/// Places in the ring: the largest depth. A smaller FIFO uses as many as a power of 2 needs.
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
    /// By job: destinations of each line; hmg: of all in element 0.
    dests: [[u16; MAX_POS]; RING],
    head: u32,
    count: u32,
    ring_mask: u32,
    /// Line k has its destinations in element `k & group_mask`.
    group_mask: u32,
    /// Lines of a sharer field: the four of an hmg entry, one in the others.
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
    fn place(&self, nth: u32) -> usize {
        (self.head.wrapping_add(nth) & self.ring_mask) as usize % RING
    }

    /// The oldest job is this many or more requests older than request number `seq`.
    #[inline(always)]
    pub fn is_late(&self, seq: u8, requests: u8) -> bool {
        (self.count > 0) & (seq.wrapping_sub(self.ring[self.place(0)].seq) >= requests)
    }

    /// What `inv_o` shows if a job is held: the lowest line of the oldest one. Made even of what an
    /// empty FIFO left behind, so that there is nothing to foresee.
    #[inline(always)]
    pub fn front(&self) -> Inv {
        let head = self.place(0);
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

    /// One edge: the line that is shown leaves if it is `taken`, with its job if it is its `last`;
    /// the job that was put behind the others joins them if it is `ready`.
    #[inline(always)]
    pub fn tick(&mut self, taken: bool, last: bool, ready: bool) {
        let job = &mut self.ring[self.place(0)];
        job.left &= job.left.wrapping_sub(u64::from(taken));
        let done = u32::from(taken & last);
        self.count = self.count + u32::from(ready) - done;
        self.head = self.head.wrapping_add(done);
    }

    /// Puts a job behind the others, which it joins at the next edge if it is said to be ready
    /// then. There must be a credit for it. Returns its destinations, for the caller to fill.
    #[inline(always)]
    fn put(&mut self, job: Job) -> &mut [u16; MAX_POS] {
        let end = self.place(self.count);
        self.ring[end] = job;
        &mut self.dests[end]
    }

    /// Puts the invalidation of the written line `line` of the entry with `base`, and of `all` that
    /// share its field. Returns whether it is a job: it has a destination.
    #[inline(always)]
    pub fn put_write(&mut self, seq: u8, base: u64, line: u32, all: bool, dest: u16) -> bool {
        let left = if all { self.group << line } else { 1 << line };
        self.put(Job { left, base, seq, cause: cause::WRITE })[line as usize % MAX_POS] = dest;
        dest != 0
    }

    /// Puts the invalidation of all `lines` of the entry with `base`. Returns their number and the
    /// place for their sharers.
    #[inline(always)]
    pub fn put_evict(&mut self, seq: u8, base: u64, lines: u64) -> (u32, &mut [u16; MAX_POS]) {
        let left = lines * self.group;
        (left.count_ones(), self.put(Job { left, base, seq, cause: cause::EVICT }))
    }

    /// Puts a FENCE.
    pub fn put_fence(&mut self, seq: u8, dest: u16) {
        self.put(Job { left: 1, base: 0, seq, cause: cause::FENCE })[0] = dest;
    }

    /// The oldest job. The RTL has it in its FIFO, and beside it the lines that were sent.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        let held = self.count > 0;
        let Job { left, base, seq, cause } = self.ring[self.place(0)];
        state.part("oldest", |state| {
            state.bits_while(held, "cause", 2, cause);
            state.bits_while(held, "seq", 8, seq);
            state.bits_while(held, "base", config.address_width - self.base_shift, base);
            state.bits_while(held, "left", config.range / config.line, left);
        });
    }
}
