//! The job FIFO and the engine that sends its head line by line (specification 5.3).

use std::fmt;

use super::{Config, Inv, MAX_POS, Variant, cause};

/// Invalidations that one request causes.
#[derive(Clone, Debug)]
struct Job {
    /// Bit k: line k of the entry has yet to be sent.
    left: u64,
    /// Address of line 0 / bytes that an entry covers; FENCE: 0.
    base: u64,
    seq: u8,
    cause: u8,
    /// Destinations of each line; hmg: of all in element 0.
    dests: [u16; MAX_POS],
}

/// Jobs in request order.
#[derive(Debug)]
pub(super) struct Jobs {
    /// A power of 2 of places, at least one for each credit.
    ring: Box<[Job]>,
    head: usize,
    count: usize,
    /// Line k has its destinations in element `k & group_mask`.
    group_mask: usize,
    /// All lines of an hmg entry; 1 in the others.
    whole: u64,
    line_shift: u32,
    base_shift: u32,
}

impl Jobs {
    pub fn new(config: &Config) -> Self {
        let hmg = config.variant == Variant::Hmg;
        let empty = Job { left: 0, base: 0, seq: 0, cause: 0, dests: [0; MAX_POS] };
        Self {
            ring: vec![empty; config.jobs.next_power_of_two() as usize].into(),
            head: 0,
            count: 0,
            group_mask: if hmg { 0 } else { MAX_POS - 1 },
            whole: if hmg { 0b1111 } else { 1 },
            line_shift: config.line.ilog2(),
            base_shift: config.range.ilog2(),
        }
    }

    /// Jobs held.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn place(&mut self, nth: usize) -> &mut Job {
        let places = self.ring.len();
        &mut self.ring[(self.head + nth) & (places - 1)]
    }

    #[inline(always)]
    fn head(&self) -> &Job {
        &self.ring[self.head & (self.ring.len() - 1)]
    }

    /// The oldest job is this many or more requests older than request number `seq`.
    #[inline(always)]
    pub fn is_late(&self, seq: u8, requests: u8) -> bool {
        (self.count > 0) & (seq.wrapping_sub(self.head().seq) >= requests)
    }

    /// What `inv_o` shows: the lowest line of the oldest job.
    #[inline(always)]
    pub fn front(&self) -> Option<Inv> {
        // Made even of what an empty FIFO left behind, so that there is nothing to foresee.
        let Job { left, base, seq, cause, ref dests } = *self.head();
        let line = left.trailing_zeros();
        let inv = Inv {
            addr: (base << self.base_shift) + (u64::from(line) << self.line_shift),
            dest: dests[line as usize & self.group_mask],
            seq,
            last: left & left.wrapping_sub(1) == 0,
            cause,
        };
        (self.count > 0).then_some(inv)
    }

    /// Removes the line that is shown; `last` as it was shown. Returns `last`: a job ends.
    #[inline(always)]
    pub fn pop(&mut self, last: bool) -> bool {
        let job = self.place(0);
        job.left &= job.left.wrapping_sub(1);
        self.count -= usize::from(last);
        self.head += usize::from(last);
        last
    }

    /// Appends the invalidation of a written line `line` of the entry with `base` in `dest`, unless
    /// that is empty. There must be a credit for it. Returns whether there is a job.
    #[inline(always)]
    pub fn push_write(&mut self, seq: u8, base: u64, line: u32, dest: u16) -> bool {
        let left = self.whole << line;
        let job = self.place(self.count);
        (job.left, job.base, job.seq, job.cause) = (left, base, seq, cause::WRITE);
        job.dests[line as usize % MAX_POS] = dest;
        self.count += usize::from(dest != 0);
        dest != 0
    }

    /// Appends the invalidation of the entry with `base` with these lines, of which there is one, and
    /// their sharers. There must be a credit for it. Returns the lines to be sent.
    #[inline(always)]
    pub fn push_evict(&mut self, seq: u8, base: u64, lines: u64, sharers: &[u16]) -> u32 {
        let left = lines * self.whole;
        let job = self.place(self.count);
        (job.left, job.base, job.seq, job.cause) = (left, base, seq, cause::EVICT);
        job.dests[..sharers.len()].copy_from_slice(sharers);
        self.count += 1;
        left.count_ones()
    }

    /// Appends a FENCE to `dest`. There must be a credit for it.
    pub fn push_fence(&mut self, seq: u8, dest: u16) {
        let job = self.place(self.count);
        (job.left, job.base, job.seq, job.cause) = (1, 0, seq, cause::FENCE);
        job.dests[0] = dest;
        self.count += 1;
    }
}

impl fmt::Display for Jobs {
    fn fmt(&self, line: &mut fmt::Formatter) -> fmt::Result {
        if self.count == 0 {
            return write!(line, "head=none");
        }
        let Job { left, base, seq, cause, .. } = self.head();
        write!(line, "head={{cause={cause} seq={seq} base={base:#x} left={left:#x}}}")
    }
}
