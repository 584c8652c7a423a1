//! Lines of a bank: valid and reserved ways, owners, and victims.

use ports::sharing::sharing_l2_policy::Config;
use ports::sharing::types::Place;

use crate::sharing::use_order::{UseOrder, WAYS};
use crate::state::State;

/// A set, with one bit for each way.
#[derive(Clone, Copy, Debug)]
struct Set {
    valid: u16,
    reserved: u16,
    /// SF: more than one SM has accessed it.
    shared: u16,
    order: UseOrder,
    /// The SM that accessed it first.
    owner: [u8; WAYS as usize],
}

/// The way of a new line, and what it held.
#[derive(Clone, Copy, Debug)]
pub struct Victim {
    pub way: u8,
    pub evict_valid: bool,
    pub evict_shared: bool,
}

/// All sets.
#[derive(Clone, Debug)]
pub struct Lines {
    sets: Vec<Set>,
    ways: u32,
    /// Private lines are evicted before shared ones.
    managed: bool,
}

impl Lines {
    pub fn new(config: &Config) -> Self {
        let owner = [0; WAYS as usize];
        let set = Set { valid: 0, reserved: 0, shared: 0, order: UseOrder::NEW, owner };
        let sets = vec![set; config.l2_sets as usize];
        Self { sets, ways: config.l2_ways, managed: config.l2_mgt == 1 }
    }

    /// Index of a set.
    pub fn index(&self, set: u16) -> usize {
        usize::from(set) & (self.sets.len() - 1)
    }

    pub fn is_valid(&self, at: usize, way: u8) -> bool {
        self.sets[at].valid >> way & 1 == 1
    }

    pub fn is_reserved(&self, at: usize, way: u8) -> bool {
        self.sets[at].reserved >> way & 1 == 1
    }

    /// Invalidates all lines.
    pub fn flush(&mut self) {
        self.sets.iter_mut().for_each(|set| set.valid = 0);
    }

    /// Invalidates a line; false if it was not valid.
    pub fn invalidate(&mut self, Place { set, way }: Place) -> bool {
        let at = self.index(set);
        let was_there = self.is_valid(at, way);
        self.sets[at].valid &= !(1 << way);
        was_there
    }

    /// Fills the way that is reserved for the line.
    pub fn fill(&mut self, at: usize, way: u8, owner: u8, shared: bool) {
        let (set, bit) = (&mut self.sets[at], 1 << way);
        set.valid |= bit;
        set.reserved &= !bit;
        set.owner[usize::from(way)] = owner;
        set.shared = if shared { set.shared | bit } else { set.shared & !bit };
    }

    /// A line is used by an SM, or by local data (`None`), which shares nothing. Returns whether it
    /// is shared, and whether it became so.
    pub fn touch(&mut self, at: usize, way: u8, by: Option<u8>) -> (bool, bool) {
        let (set, bit) = (&mut self.sets[at], 1 << way);
        let was_shared = set.shared & bit != 0;
        let shares = by.is_some_and(|sm| sm != set.owner[usize::from(way)]);
        set.shared |= if shares { bit } else { 0 };
        set.order.touch(way);
        (was_shared || shares, shares && !was_shared)
    }

    /// The way that a new line takes: the lowest free one, else the least recently used private
    /// line, else the least recently used one. None while all are reserved.
    pub fn victim(&self, at: usize) -> Option<Victim> {
        let all = u16::MAX >> (16 - self.ways);
        let set = &self.sets[at];
        let free = all & !set.valid & !set.reserved;
        let private = set.valid & !set.shared;
        let way = if free != 0 {
            free.trailing_zeros() as u8
        } else if self.managed && private != 0 {
            set.order.oldest(private)?
        } else {
            set.order.oldest(set.valid)?
        };
        let evict_valid = set.valid >> way & 1 == 1;
        let evict_shared = evict_valid && set.shared >> way & 1 == 1;
        Some(Victim { way, evict_valid, evict_shared })
    }

    /// Reserves a way for a new line.
    pub fn reserve(&mut self, at: usize, way: u8) {
        let (set, bit) = (&mut self.sets[at], 1 << way);
        set.valid &= !bit;
        set.reserved |= bit;
        set.order.touch(way);
    }

    pub fn show_state(&self, state: &mut State) {
        for (at, set) in self.sets.iter().enumerate() {
            state.bits(&format!("valid[{at}]"), self.ways, set.valid);
            state.bits(&format!("reserved[{at}]"), self.ways, set.reserved);
        }
    }
}
