//! Lines of a bank: which ways hold one or wait for one, whose they are, and which goes.

use ports::sharing::sharing_l2_policy::Config;
use ports::sharing::types::Place;

use crate::sharing::use_order::{UseOrder, WAYS};
use crate::state::State;

/// A set: of each way a bit.
#[derive(Clone, Copy, Debug)]
struct Set {
    valid: u16,
    reserved: u16,
    /// SF: more than one SM has asked for it.
    shared: u16,
    order: UseOrder,
    /// Who has asked first.
    owner: [u8; WAYS as usize],
}

/// A way that a line takes, and what it held.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub way: u8,
    pub evict_valid: bool,
    pub evict_shared: bool,
}

/// All sets.
#[derive(Clone, Debug)]
pub struct Lines {
    sets: Vec<Set>,
    ways: u32,
    /// Private lines go first.
    managed: bool,
}

impl Lines {
    pub fn new(config: &Config) -> Self {
        let owner = [0; WAYS as usize];
        let set = Set { valid: 0, reserved: 0, shared: 0, order: UseOrder::NEW, owner };
        let sets = vec![set; config.l2_sets as usize];
        Self { sets, ways: config.l2_ways, managed: config.l2_mgt == 1 }
    }

    /// A set's place.
    pub fn at(&self, set: u16) -> usize {
        usize::from(set) & (self.sets.len() - 1)
    }

    pub fn is_valid(&self, at: usize, way: u8) -> bool {
        self.sets[at].valid >> way & 1 == 1
    }

    pub fn is_reserved(&self, at: usize, way: u8) -> bool {
        self.sets[at].reserved >> way & 1 == 1
    }

    /// All lines that are there go.
    pub fn flush(&mut self) {
        self.sets.iter_mut().for_each(|set| set.valid = 0);
    }

    /// A line goes. False where it is not there.
    pub fn invalidate(&mut self, Place { set, way }: Place) -> bool {
        let at = self.at(set);
        let was_there = self.is_valid(at, way);
        self.sets[at].valid &= !(1 << way);
        was_there
    }

    /// A line comes into the way that is reserved for it.
    pub fn fill(&mut self, at: usize, way: u8, owner: u8, shared: bool) {
        let (set, bit) = (&mut self.sets[at], 1 << way);
        set.valid |= bit;
        set.reserved &= !bit;
        set.owner[usize::from(way)] = owner;
        set.shared = if shared { set.shared | bit } else { set.shared & !bit };
    }

    /// A line is used; `by`: the SM that shares it, if it is another one. Gives whether it is
    /// shared, and has been made so.
    pub fn touch(&mut self, at: usize, way: u8, by: Option<u8>) -> (bool, bool) {
        let (set, bit) = (&mut self.sets[at], 1 << way);
        let was_shared = set.shared & bit != 0;
        let shares = by.is_some_and(|sm| sm != set.owner[usize::from(way)]);
        set.shared |= if shares { bit } else { 0 };
        set.order.touch(way);
        (was_shared || shares, shares && !was_shared)
    }

    /// Reserves a way; none is left where each is reserved.
    pub fn take(&mut self, at: usize) -> Option<Taken> {
        let all = u16::MAX >> (16 - self.ways);
        let set = &mut self.sets[at];
        let free = all & !set.valid & !set.reserved;
        let private = set.valid & !set.shared;
        let way = if free != 0 {
            free.trailing_zeros() as u8
        } else if self.managed && private != 0 {
            set.order.oldest(private)?
        } else {
            set.order.oldest(set.valid)?
        };
        let bit = 1 << way;
        let evict_valid = set.valid & bit != 0;
        let evict_shared = evict_valid && set.shared & bit != 0;
        set.valid &= !bit;
        set.reserved |= bit;
        set.order.touch(way);
        Some(Taken { way, evict_valid, evict_shared })
    }

    pub fn show_state(&self, state: &mut State) {
        for (at, set) in self.sets.iter().enumerate() {
            state.bits(&format!("valid[{at}]"), self.ways, set.valid);
            state.bits(&format!("reserved[{at}]"), self.ways, set.reserved);
        }
    }
}
