//! Wavefronts and work-groups that run on a CU.

use traces::trace::{Cursor, FirstUse, Group, Work};

use crate::context::transactions::{MAX_LOADS, MAX_WAVES};
use crate::engine::Cycle;

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
    /// The L1 holds its next instruction.
    Held,
    /// Its next instruction waits until all its speculative loads are confirmed.
    Unconfirmed,
    /// The L1 delays the fence at which it stands.
    FenceHeld,
    /// The L1 delays its end.
    EndHeld,
}

/// What a wave stands at that waits for neither time nor an answer, in the order in which it counts
/// for the CU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Barrier,
    Fence,
    /// The L1 holds it.
    L1,
}

impl State {
    fn stop(self) -> Option<Stop> {
        match self {
            Self::Barrier => Some(Stop::Barrier),
            Self::Fence | Self::FenceHeld => Some(Stop::Fence),
            Self::Held | Self::Unconfirmed | Self::EndHeld => Some(Stop::L1),
            _ => None,
        }
    }
}

/// How many waves stand at each [`Stop`].
#[derive(Debug, Default)]
pub struct Stopped([u8; 3]);

impl Stopped {
    /// A wave changes its state: all do so here.
    #[inline]
    pub fn change(&mut self, wave: &mut Wave, to: State) {
        if let Some(stop) = wave.state.stop() {
            self.0[stop as usize] -= 1;
        }
        if let Some(stop) = to.stop() {
            self.0[stop as usize] += 1;
        }
        wave.state = to;
    }

    /// What counts for the CU, if any wave stands anywhere.
    pub fn first(&self) -> Option<Stop> {
        [Stop::Barrier, Stop::Fence, Stop::L1].into_iter().find(|stop| self.0[*stop as usize] > 0)
    }
}

/// Lines that are missing of each load in flight.
#[derive(Debug)]
pub struct Loads(pub [u16; MAX_LOADS]);

impl Default for Loads {
    fn default() -> Self {
        Self([0; MAX_LOADS])
    }
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
    /// What is missing of them.
    pub loads: Loads,
    /// Loads in flight.
    pub in_flight: u8,
    /// Lines of stores that are not acknowledged.
    pub stores: u32,
    /// Lines of loads that were dropped before they were answered.
    pub dropped: u32,
    /// Places of instructions that are passed over, as a replay has left them as they are.
    pub stay: Vec<u32>,
    /// Instructions before this place have been issued once.
    pub issued: u32,
    /// Only with a scoreboard.
    pub scoreboard: Scoreboard,
}

/// What a wave has executed, and where it stalls.
#[derive(Debug)]
pub struct Scoreboard {
    /// Instructions that the wave has executed.
    pub position: u32,
    /// What remains before its next access.
    pub left: Work,
    /// The first instruction that reads the value of a load in flight.
    stall: u32,
    /// The same of each load in flight.
    first_use: [u32; MAX_LOADS],
}

impl Default for Scoreboard {
    fn default() -> Self {
        let first_use = [u32::MAX; MAX_LOADS];
        Self { position: 0, left: Work::default(), stall: u32::MAX, first_use }
    }
}

impl Scoreboard {
    /// How many instructions may execute before one that reads a value that has not come.
    pub fn free(&self) -> u32 {
        self.stall.saturating_sub(self.position.saturating_add(1))
    }

    /// The wave goes back to an access before which it had executed `position` instructions.
    pub fn restart(&mut self, position: u32) {
        (self.position, self.left) = (position, Work::default());
    }

    /// The wave has issued a load.
    pub fn issue(&mut self, load: usize, first_use: FirstUse) {
        let FirstUse::After(instructions) = first_use else { return };
        self.first_use[load] = self.position.saturating_add(instructions);
        self.stall = self.stall.min(self.first_use[load]);
    }

    /// The value of a load has come, or is not needed any more.
    pub fn end(&mut self, load: usize) {
        let first_use = std::mem::replace(&mut self.first_use[load], u32::MAX);
        if first_use == self.stall {
            self.stall = self.first_use.iter().copied().min().unwrap_or(u32::MAX);
        }
    }
}

impl Wave {
    /// A place for another load.
    pub fn free_load(&self) -> usize {
        self.loads.0.iter().position(|&lines| lines == 0).expect("fewer loads than places")
    }

    /// With a scoreboard: whether the next instruction reads no value that is to come.
    pub fn may_go_on(&self, loads: u32) -> bool {
        self.scoreboard.free() > 0 && u32::from(self.in_flight) < loads
    }

    /// True when nothing is under way; speculative loads that the wave has aside.
    pub fn is_quiet(&self) -> bool {
        self.in_flight == 0 && self.stores == 0 && self.dropped == 0
    }
}

/// A work-group on a CU.
#[derive(Debug)]
pub struct Running {
    /// Its instructions.
    pub group: Group,
    /// Number of its launch.
    pub launch: u8,
    /// Waves that have not ended.
    pub waves: u16,
    /// Waves at the barrier.
    pub at_barrier: u16,
}

/// Which waves may issue, and when the others that wait for a time may.
#[derive(Debug)]
#[repr(C)]
pub struct Ready {
    /// Waves that may issue now, one bit each.
    now: u64,
    /// Waves that may issue later.
    later: u64,
    /// When the first of these may.
    first: Cycle,
    turn: u32,
    /// When each of them may.
    at: [Cycle; MAX_WAVES],
}

impl Ready {
    /// No wave.
    pub fn new() -> Self {
        Self { now: 0, later: 0, at: [0; MAX_WAVES], first: Cycle::MAX, turn: 0 }
    }

    /// The wave may issue from cycle `at` on.
    pub fn set(&mut self, wave: usize, at: Cycle) {
        self.later |= 1 << wave;
        self.at[wave] = at;
        self.first = self.first.min(at);
    }

    /// When a wave that is ready may issue.
    pub fn of(&self, wave: usize) -> Cycle {
        self.at[wave]
    }

    /// Whether some wave may issue now.
    #[inline]
    pub fn is_due(&self, now: Cycle) -> bool {
        self.now != 0 || self.first <= now
    }

    /// The next wave in turn that may issue now.
    pub fn take(&mut self, now: Cycle) -> Option<usize> {
        if self.first <= now {
            self.wake(now);
        }
        if self.now == 0 {
            return None;
        }
        let after = self.now & u64::MAX << self.turn;
        let wave = if after != 0 { after } else { self.now }.trailing_zeros();
        self.now &= !(1 << wave);
        self.turn = (wave + 1) % MAX_WAVES as u32;
        Some(wave as usize)
    }

    fn wake(&mut self, now: Cycle) {
        self.first = Cycle::MAX;
        let mut left = self.later;
        while left != 0 {
            let wave = left.trailing_zeros();
            left &= left - 1;
            let at = self.at[wave as usize];
            if at <= now {
                self.now |= 1 << wave;
                self.later &= !(1 << wave);
            } else {
                self.first = self.first.min(at);
            }
        }
    }

    /// The first cycle in which one of them may issue, if one waits for a time: 0 for now.
    #[inline]
    pub fn next(&self) -> Option<Cycle> {
        match self.now {
            0 => (self.first != Cycle::MAX).then_some(self.first),
            _ => Some(0),
        }
    }
}
