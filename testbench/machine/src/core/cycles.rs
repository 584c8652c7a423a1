//! What a CU does in each cycle, and what it waits for.
//!
//! A cycle in which a line is handed to the L1 is one of issue. Any other counts for the first of
//! these that holds at its end: the CU has no work-group; the L1 does not accept the line in hand;
//! a wave executes other instructions; a wave waits at a barrier; at a fence; the L1 holds a wave.
//! What remains waits for an answer, and counts for where the answer came from that ends the wait.

use super::Core;
use super::wave::Stop;
use crate::engine::Cycle;

/// What cycles are counted as, in the order of [`NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// A line is handed to the L1.
    Issue,
    /// A wave executes instructions that access no memory.
    Compute,
    /// The L1 does not accept a line, holds a wave, or takes its time for a hit.
    L1,
    /// The answer comes from the own chiplet.
    L2,
    /// The answer has passed a link between chiplets or GPUs.
    Remote,
    Barrier,
    Fence,
    /// No work-group runs.
    Launch,
}

/// Statistics of these cycles. All of them together are the cycles of the run times CUs.
pub const NAMES: [&str; 8] = [
    "cu.cycles.issue",
    "cu.cycles.compute",
    "cu.cycles.l1",
    "cu.cycles.l2",
    "cu.cycles.remote",
    "cu.cycles.barrier",
    "cu.cycles.fence",
    "cu.cycles.launch",
];

/// What a cycle without an issue counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// This, for certain.
    Known(Spent),
    /// What ends the wait will show.
    Waiting,
}

/// Cycles of a CU.
#[derive(Debug)]
pub struct Cycles {
    spent: [u64; NAMES.len()],
    /// Cycles of waiting since the last that counted.
    waiting: u64,
    doing: Doing,
    /// The last cycle that was counted.
    through: Cycle,
    /// Whether an answer came in this cycle, and whether one has passed a link.
    answered: Option<bool>,
}

impl Cycles {
    /// None yet.
    pub fn new() -> Self {
        let doing = Doing::Known(Spent::Launch);
        Self { spent: [0; NAMES.len()], waiting: 0, doing, through: 0, answered: None }
    }

    /// Cycle `now` begins: nothing has changed in those since the last.
    #[inline]
    pub fn begin(&mut self, now: Cycle) {
        if now > self.through + 1 {
            self.add(self.doing, now - 1 - self.through);
            self.through = now - 1;
        }
    }

    /// An answer has come in this cycle.
    #[inline]
    pub fn answer(&mut self, has_passed_a_link: bool) {
        self.answered = Some(self.answered == Some(true) || has_passed_a_link);
    }

    #[inline]
    fn add(&mut self, doing: Doing, cycles: u64) {
        match doing {
            Doing::Waiting => self.waiting += cycles,
            Doing::Known(spent) => self.spent[spent as usize] += cycles,
        }
    }

    /// Cycle `now` ends.
    #[inline]
    fn end(&mut self, now: Cycle, has_issued: bool, doing: Doing) {
        if self.waiting > 0 && (has_issued || doing != Doing::Waiting) {
            let spent = match self.answered {
                None => Spent::L1,
                Some(false) => Spent::L2,
                Some(true) => Spent::Remote,
            };
            self.spent[spent as usize] += std::mem::take(&mut self.waiting);
        }
        self.answered = None;
        self.doing = doing;
        // At the end of a run a CU is visited again in its last cycle.
        if self.through < now {
            self.through = now;
            let this = if has_issued { Doing::Known(Spent::Issue) } else { doing };
            self.add(this, 1);
        }
    }

    /// Cycles up to `now`, which has ended, in the order of [`NAMES`]. A wait that has not ended
    /// counts for the own chiplet.
    pub fn until(&self, now: Cycle) -> [u64; NAMES.len()] {
        let mut all = self.spent;
        all[Spent::L2 as usize] += self.waiting;
        let spent = match self.doing {
            Doing::Waiting => Spent::L2,
            Doing::Known(spent) => spent,
        };
        all[spent as usize] += now - self.through;
        all
    }
}

impl Core {
    /// Counts the cycle that ends.
    #[inline]
    pub(super) fn end_count(&mut self, now: Cycle, has_issued: bool) {
        let doing = self.doing();
        self.cycles.end(now, has_issued, doing);
    }

    fn doing(&self) -> Doing {
        if self.running == 0 {
            return Doing::Known(Spent::Launch);
        }
        if self.issue.next < self.issue.lines.len() {
            let waits = self.transactions.is_full();
            return if waits { Doing::Waiting } else { Doing::Known(Spent::L1) };
        }
        if self.ready.next().is_some() {
            return Doing::Known(Spent::Compute);
        }
        match self.stopped.first() {
            Some(Stop::Barrier) => Doing::Known(Spent::Barrier),
            Some(Stop::Fence) => Doing::Known(Spent::Fence),
            Some(Stop::L1) => Doing::Known(Spent::L1),
            None => Doing::Waiting,
        }
    }
}
