//! What work-groups that run have asked for and read.

use super::{Sequential, WaveOf, Which};
use crate::context::message::Unit;

/// What a load, or an atomic of its old bytes, has read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    pub mask: u128,
    pub line: u64,
    /// Writes in the version of the line.
    pub writes: u32,
    /// Writes of the CU's own: first in the group's list, and how many.
    pub own: (u32, u32),
    /// First of its bytes in the group's list.
    pub bytes: usize,
}

/// An access of a line.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub place: u32,
    pub tag: u32,
    /// Number of what it writes; 0 for nothing.
    pub write: u32,
    /// `mask` is 0 where it has read nothing.
    pub read: Read,
}

/// Place of an access that has not happened.
pub const GONE: u32 = u32::MAX;

/// A wave.
#[derive(Debug, Default)]
pub struct Wave {
    pub slot: usize,
    pub accesses: Vec<Access>,
    /// Accesses before each of its barriers.
    pub barriers: Vec<usize>,
    pub has_ended: bool,
    /// Not in program order, and some are [`GONE`].
    pub is_mixed: bool,
}

/// A work-group.
#[derive(Debug, Default)]
pub struct Group {
    pub cu: Unit,
    pub number: u32,
    /// The first `count` are its own, the others are left from another.
    pub waves: Vec<Wave>,
    pub count: usize,
    /// Writes of their own CU that loads have seen in copies of lines.
    pub own: Vec<(u32, u128)>,
    /// What loads have got.
    pub bytes: Vec<u8>,
}

impl Wave {
    /// Accesses in program order, of those from `first` to before `end`.
    pub fn in_order(&self, first: usize, end: usize) -> Vec<usize> {
        let happened = |at: &usize| self.accesses[*at].place != GONE;
        let mut all: Vec<_> = (first..end).filter(happened).collect();
        all.sort_by_key(|&at| self.accesses[at].place);
        all
    }
}

impl Group {
    /// An access of a wave by its place in the group's lists.
    pub fn which(&self, wave: WaveOf, at: usize, access: usize) -> Which {
        let place = self.waves[at].accesses[access].place;
        Which { wave, group: self.number, number: at as u16, place }
    }

    /// All waves.
    pub fn waves(&self) -> &[Wave] {
        &self.waves[..self.count]
    }

    fn begin(&mut self, cu: Unit, number: u32, slots: &[usize]) {
        (self.cu, self.number, self.count) = (cu, number, slots.len());
        self.own.clear();
        self.bytes.clear();
        let count = self.waves.len().max(slots.len());
        self.waves.resize_with(count, Wave::default);
        for (wave, &slot) in self.waves.iter_mut().zip(slots) {
            wave.accesses.clear();
            wave.barriers.clear();
            (wave.slot, wave.has_ended, wave.is_mixed) = (slot, false, false);
        }
    }
}

/// A CU.
#[derive(Debug, Default)]
pub struct Cu {
    /// By slot.
    groups: Vec<Option<Group>>,
    /// Of each wave slot its group, and its number there.
    waves: Vec<(usize, usize)>,
    /// Of each transaction its access, by its place in the wave's list. One that is over stays here
    /// until its number is used again.
    tags: Vec<usize>,
}

/// The place of a slot in a list that grows.
fn slot<T: Default>(list: &mut Vec<T>, at: usize) -> &mut T {
    if list.len() <= at {
        list.resize_with(at + 1, T::default);
    }
    &mut list[at]
}

impl Cu {
    fn group(&mut self, slot: usize) -> &mut Group {
        self.groups[slot].as_mut().expect("it runs")
    }

    fn wave(&mut self, at: usize) -> &mut Wave {
        let (group, number) = self.waves[at];
        &mut self.group(group).waves[number]
    }
}

impl Sequential {
    fn wave(&mut self, wave: WaveOf) -> &mut Wave {
        self.cus[usize::from(wave.cu.0)].wave(wave.slot)
    }

    /// An access under way: its group, and its places there.
    pub(super) fn access(&mut self, wave: WaveOf, tag: u32) -> (&mut Group, usize, usize) {
        let cu = &mut self.cus[usize::from(wave.cu.0)];
        let (group, number) = cu.waves[wave.slot];
        let access = cu.tags[tag as usize];
        let group = cu.group(group);
        let known = group.waves[number].accesses.get(access);
        assert!(known.is_some_and(|known| known.tag == tag), "transaction {tag} is under way");
        (group, number, access)
    }

    /// A work-group starts in a slot of a CU, with waves in these slots. `number`: of the kernel's
    /// groups.
    pub fn begin_group(&mut self, cu: Unit, group: usize, number: u32, waves: &[usize]) {
        let mut begun = self.spare.pop().unwrap_or_default();
        begun.begin(cu, number, waves);
        let cu = slot(&mut self.cus, cu.0.into());
        *slot(&mut cu.groups, group) = Some(begun);
        for (number, &wave) in waves.iter().enumerate() {
            *slot(&mut cu.waves, wave) = (group, number);
        }
    }

    /// All waves of a work-group that have not ended are at a barrier.
    pub fn barrier(&mut self, cu: Unit, group: usize) {
        let group = self.cus[usize::from(cu.0)].group(group);
        for wave in group.waves[..group.count].iter_mut().filter(|wave| !wave.has_ended) {
            wave.barriers.push(wave.accesses.len());
        }
    }

    /// A wave has ended: it takes no part in later barriers of its group.
    pub fn end_wave(&mut self, wave: WaveOf) {
        self.wave(wave).has_ended = true;
    }

    /// All its waves have ended, and all that they have asked for has been answered: the group's
    /// accesses get their places.
    pub fn end_group(&mut self, cu: Unit, group: usize) {
        let group = self.cus[usize::from(cu.0)].groups[group].take().expect("it runs");
        self.ended.push_back((self.writes.len(), group));
        self.settle();
    }

    /// A wave issues an access of a line: the instruction at `place` of its list, the CU's
    /// transaction `tag`.
    pub fn issue(&mut self, wave: WaveOf, place: u32, tag: u32) {
        let cu = &mut self.cus[usize::from(wave.cu.0)];
        let accesses = &mut cu.wave(wave.slot).accesses;
        let at = accesses.len();
        accesses.push(Access { place, tag, write: 0, read: Read::default() });
        *slot(&mut cu.tags, tag as usize) = at;
    }

    /// The access just issued was not taken.
    pub fn cancel(&mut self, wave: WaveOf) {
        self.wave(wave).accesses.pop();
    }

    /// A wave goes back to the instruction at `place`: what it has issued from there on has not
    /// happened, but for the instructions that `stay`.
    pub fn replay(&mut self, wave: WaveOf, place: u32, stay: &[u32]) {
        let wave = self.wave(wave);
        if stay.is_empty() && !wave.is_mixed {
            let left = wave.accesses.partition_point(|access| access.place < place);
            return wave.accesses.truncate(left);
        }
        wave.is_mixed = true;
        for access in &mut wave.accesses {
            if access.place >= place && !stay.contains(&access.place) {
                access.place = GONE;
            }
        }
    }
}
