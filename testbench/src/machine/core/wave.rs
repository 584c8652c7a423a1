//! Wavefronts and work-groups that run on a CU.

use crate::machine::engine::Cycle;
use crate::trace::{Cursor, Group};

/// Most loads of a wave that may be under way.
pub const MAX_LOADS: usize = 16;

/// What a wave does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// There is none.
    #[default]
    Free,
    /// It has just been placed.
    Starting,
    /// Its next instruction may issue from a cycle on.
    Ready,
    /// Its instruction is being issued.
    Issuing,
    /// All its loads in flight are taken: it waits for one.
    Loads,
    /// At a fence: it waits for all its accesses.
    Fence,
    /// At a barrier.
    Barrier,
    /// At its end: it waits for all its accesses.
    Ended,
}

/// A wave slot.
#[derive(Debug, Default)]
pub struct Wave {
    pub state: State,
    /// Slot of its work-group.
    pub group: u16,
    /// Where it stands in its list.
    pub cursor: Cursor,
    /// Lanes of the trace's warp that belong to it.
    pub lanes: u64,
    /// Lines that are missing of each load in flight.
    pub loads: [u16; MAX_LOADS],
    /// Loads in flight.
    pub in_flight: u8,
    /// Lines of stores that are not acknowledged.
    pub stores: u32,
}

impl Wave {
    /// A place for another load.
    pub fn free_load(&self) -> usize {
        self.loads.iter().position(|&lines| lines == 0).expect("fewer loads than places")
    }

    /// True when nothing is under way.
    pub fn is_quiet(&self) -> bool {
        self.in_flight == 0 && self.stores == 0
    }
}

/// A work-group on a CU.
#[derive(Debug)]
pub struct Running {
    /// Its number in the kernel.
    pub number: u32,
    /// Its instructions.
    pub group: Group,
    /// Waves that have not ended.
    pub waves: u16,
    /// Waves at the barrier.
    pub at_barrier: u16,
}

/// When each wave may issue; `MAX` for those that wait for something else. Apart from the rest: it is
/// looked through in every cycle.
#[derive(Debug)]
pub struct Ready {
    at: Vec<Cycle>,
    turn: usize,
}

impl Ready {
    /// For so many wave slots.
    pub fn new(waves: u32) -> Self {
        Self { at: vec![Cycle::MAX; waves as usize], turn: 0 }
    }

    /// The wave may issue from cycle `at` on.
    pub fn set(&mut self, wave: usize, at: Cycle) {
        self.at[wave] = at;
    }

    /// The next wave in turn that may issue now.
    pub fn take(&mut self, now: Cycle) -> Option<usize> {
        let (low, high) = self.at.split_at(self.turn);
        let due = |&at: &Cycle| at <= now;
        let wave = match high.iter().position(due) {
            Some(i) => self.turn + i,
            None => low.iter().position(due)?,
        };
        self.at[wave] = Cycle::MAX;
        self.turn = (wave + 1) % self.at.len();
        Some(wave)
    }

    /// When the first of them may issue.
    pub fn next(&self) -> Cycle {
        self.at.iter().copied().min().unwrap_or(Cycle::MAX)
    }
}
