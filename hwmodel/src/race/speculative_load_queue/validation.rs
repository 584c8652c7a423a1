//! The test of a signature against all loads that were in the ring when it took effect
//! (specification 5.4).

use ports::race::speculative_load_queue::Queries;
use ports::race::types::MAX_VLANES;

use super::slots::Slots;
use crate::state::{State, width_of};

/// Progress of a validation.
#[derive(Clone, Debug, Default)]
pub(super) struct Validation {
    busy: bool,
    /// Loads to test, and the number of those popped since the start.
    count: u16,
    popped: u16,
    /// Loads queried in earlier cycles.
    queried: u16,
    /// The first of the loads whose answers arrive in this cycle.
    answered: u16,
    v_lanes: u16,
}

impl Validation {
    pub fn new(v_lanes: u32) -> Self {
        Self { v_lanes: v_lanes as u16, ..Self::default() }
    }

    #[inline(always)]
    pub fn busy(&self) -> bool {
        self.busy
    }

    /// Age in the ring of load `from + lane`, if it is tested and was not popped.
    #[inline(always)]
    fn age(&self, from: u16, lane: u16) -> Option<u16> {
        let load = from + lane;
        (load < self.count && load >= self.popped).then(|| load - self.popped)
    }

    /// The queries of this cycle.
    #[inline(always)]
    pub fn queries(&self, slots: &Slots) -> (u8, Queries) {
        let (mut valid, mut queries) = (0, Queries::default());
        if self.busy {
            for lane in 0..self.v_lanes {
                let query = self.age(self.queried, lane).and_then(|age| slots.query(age));
                let lane = usize::from(lane) % MAX_VLANES;
                valid |= u8::from(query.is_some()) << lane;
                queries[lane] = query.unwrap_or_default();
            }
        }
        (valid, queries)
    }

    /// One edge, with the answers to last cycle's queries. Call before pops and allocations.
    #[inline(always)]
    pub fn tick(&mut self, members: u8, slots: &mut Slots) {
        if !self.busy {
            return;
        }
        // In the first cycle no answers arrive.
        let lanes = if self.queried > 0 { self.v_lanes } else { 0 };
        for lane in (0..lanes).filter(|lane| members >> lane & 1 != 0) {
            if let Some(age) = self.age(self.answered, lane) {
                slots.fail(age);
            }
        }
        self.busy = self.queried < self.count;
        self.answered = self.queried;
        self.queried += self.v_lanes;
    }

    /// The oldest load is popped.
    #[inline(always)]
    pub fn popped(&mut self) {
        self.popped += u16::from(self.busy);
    }

    /// Starts a validation of `count` loads. Call last in the cycle.
    #[inline(always)]
    pub fn start(&mut self, count: u16) {
        let Self { v_lanes, .. } = *self;
        *self = Self { busy: count > 0, count, v_lanes, ..Self::default() };
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, slots: u32) {
        let width = width_of(slots.into());
        state.bits_while(self.busy, "tested", width, self.count);
        state.bits_while(self.busy, "popped", width, self.popped);
        state.bits_while(self.busy, "asked", width + 4, self.queried);
    }
}
