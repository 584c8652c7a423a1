//! Work-items' accesses become instructions of warps in lock step.
//!
//! Between two barriers each work-item has run alone. Of the keys that are some lane's next, one is
//! taken that every lane which still has it in this segment has as its next; of several the least.
//! So lanes meet again after a branch or a loop. Where there is none (the paths are no structured
//! program's), the key that most lanes wait for. Every lane keeps its own order.

use std::collections::HashMap;

use super::instr_code::lanes;
use super::{Access, AccessKind, Chain, FirstUse, Instr, InstrKind, Key, LANES, Work};

/// What lanes must agree on to execute together. The same place may be a compare-and-swap that
/// stored in one lane and one that did not in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    key: Key,
    kind: InstrKind,
    size: u8,
}

/// One access of a lane.
#[derive(Clone, Copy, Debug)]
struct Slot {
    addr: u64,
    work: Work,
    first_use: FirstUse,
    /// Number of the place in this segment.
    place: u32,
    /// The lane comes here no more in this segment.
    last: bool,
    /// The first bytes of both are its value and, of an atomic, the old one.
    value: [u8; 16],
    old: [u8; 8],
}

/// A warp between two barriers: what each of its lanes does.
#[derive(Debug)]
struct Warp {
    lanes: Vec<Vec<Slot>>,
    places: Vec<Place>,
    numbers: HashMap<Place, u32>,
    /// In each lane so far the places come in the order of their numbers, none left out.
    in_step: bool,
}

impl Default for Warp {
    fn default() -> Self {
        let lanes = vec![Vec::new(); LANES];
        Self { lanes, places: Vec::new(), numbers: HashMap::new(), in_step: true }
    }
}

impl Warp {
    #[inline]
    fn push(&mut self, lane: usize, place: Place, mut slot: Slot) {
        let rank = self.lanes[lane].len();
        // Most often the place has the number of the access's rank.
        slot.place = match self.places.get(rank) == Some(&place) {
            true => rank as u32,
            false => self.number(lane, rank, place),
        };
        self.in_step &= slot.place as usize == rank;
        self.lanes[lane].push(slot);
    }

    /// Number of a place: often that of the neighbour's access of the same rank.
    fn number(&mut self, lane: usize, rank: usize, place: Place) -> u32 {
        let neighbour = lane.checked_sub(1).and_then(|n| self.lanes[n].get(rank));
        if let Some(slot) = neighbour.filter(|slot| self.places[slot.place as usize] == place) {
            return slot.place;
        }
        let next = self.places.len() as u32;
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.places.push(place);
        }
        number
    }

    fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn clear(&mut self) {
        self.lanes.iter_mut().for_each(Vec::clear);
        self.places.clear();
        self.numbers.clear();
        self.in_step = true;
    }

    /// The lanes that do anything, where all of them do the same: each place once, in the order of
    /// the numbers.
    fn all_in_step(&self) -> Option<u64> {
        let mut all = 0;
        for (number, lane) in self.lanes.iter().enumerate().filter(|(_, lane)| !lane.is_empty()) {
            if !self.in_step || lane.len() != self.places.len() {
                return None;
            }
            all |= 1 << number;
        }
        Some(all)
    }

    /// Begins the instruction of a place in these lanes.
    fn begin(&self, place: usize, lanes: u64, instr: &mut Instr) {
        let Place { kind, size, .. } = self.places[place];
        (instr.kind, instr.size, instr.lanes) = (kind, size, lanes);
        (instr.work, instr.first_use) = (Work::default(), FirstUse::Never);
    }
}

/// Puts a lane's access into the instruction.
#[inline]
fn put(instr: &mut Instr, lane: usize, slot: &Slot) {
    instr.addrs[lane] = slot.addr;
    instr.work = instr.work.max(slot.work);
    instr.first_use = instr.first_use.earlier(slot.first_use);
    let size = usize::from(instr.size);
    match size {
        4 => copy::<4>(&mut instr.values, lane, &slot.value),
        8 => copy::<8>(&mut instr.values, lane, &slot.value),
        _ => instr.value_mut(lane).copy_from_slice(&slot.value[..size]),
    }
    if let InstrKind::Atomic(_) = instr.kind {
        instr.old_mut(lane).copy_from_slice(&slot.old[..size]);
    }
}

/// Copies the first `N` bytes: a few moves, as their number is known.
fn copy<const N: usize>(to: &mut [u8; 16 * LANES], lane: usize, from: &[u8; 16]) {
    to[N * lane..][..N].copy_from_slice(&from[..N]);
}

/// Where the lanes of a warp are while its instructions are put together.
struct Schedule {
    /// Order of each place among all, by key.
    rank: Vec<u32>,
    /// Lanes that still come to each place.
    coming: Vec<u32>,
    /// Lanes whose next each place is, as a mask.
    ready: Vec<u64>,
    /// Places that are some lane's next.
    candidates: Vec<u32>,
    /// Next slot of each lane.
    slot: [usize; LANES],
}

impl Schedule {
    fn new(warp: &mut Warp) -> Self {
        let places = warp.places.len();
        let mut order: Vec<u32> = (0..places as u32).collect();
        order.sort_unstable_by_key(|&place| warp.places[place as usize]);
        let mut rank = vec![0; places];
        for (at, &place) in order.iter().enumerate() {
            rank[place as usize] = at as u32;
        }
        let mut coming = vec![0; places];
        let mut seen_by = vec![usize::MAX; places];
        for (number, lane) in warp.lanes.iter_mut().enumerate() {
            for slot in lane.iter_mut().rev() {
                let place = slot.place as usize;
                slot.last = seen_by[place] != number;
                if slot.last {
                    seen_by[place] = number;
                    coming[place] += 1;
                }
            }
        }
        let (ready, candidates) = (vec![0; places], Vec::new());
        let mut new = Self { rank, coming, ready, candidates, slot: [0; LANES] };
        for lane in 0..LANES {
            new.wait(warp, lane);
        }
        new
    }

    /// The lane's next slot waits to be executed.
    fn wait(&mut self, warp: &Warp, lane: usize) {
        if let Some(slot) = warp.lanes[lane].get(self.slot[lane]) {
            let ready = &mut self.ready[slot.place as usize];
            if *ready == 0 {
                self.candidates.push(slot.place);
            }
            *ready |= 1 << lane;
        }
    }

    /// Chooses the next place to execute; none at the end.
    fn choose(&mut self) -> Option<u32> {
        let order = |&place: &u32| {
            let place = place as usize;
            let ready = self.ready[place].count_ones();
            // All that still come here are here; then the least place; else most lanes first.
            if ready == self.coming[place] {
                (0, 0, self.rank[place])
            } else {
                (1, LANES as u32 - ready, self.rank[place])
            }
        };
        let (at, _) = self.candidates.iter().enumerate().min_by_key(|(_, place)| order(place))?;
        Some(self.candidates.swap_remove(at))
    }

    /// Executes a place in all lanes that wait for it.
    fn execute(&mut self, warp: &Warp, place: u32, instr: &mut Instr) {
        let number = place as usize;
        warp.begin(number, std::mem::take(&mut self.ready[number]), instr);
        for lane in lanes(instr.lanes) {
            let slot = &warp.lanes[lane][self.slot[lane]];
            put(instr, lane, slot);
            self.slot[lane] += 1;
            self.coming[number] -= u32::from(slot.last);
        }
        for lane in lanes(instr.lanes) {
            self.wait(warp, lane);
        }
    }
}

/// Regroups the accesses of one work-group.
#[derive(Debug, Default)]
pub struct Regrouper {
    warps: Vec<Warp>,
    items: u32,
}

impl Regrouper {
    /// A work-group of `items` work-items begins.
    pub fn begin_group(&mut self, items: u32) {
        self.items = items;
        self.warps.resize_with(self.warps(), Warp::default);
        for warp in &mut self.warps {
            warp.clear();
        }
    }

    /// Work-items of the work-group.
    #[inline]
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Warps of the work-group.
    pub fn warps(&self) -> usize {
        (self.items as usize).div_ceil(LANES)
    }

    /// Lanes of a warp that are work-items.
    pub fn lanes(&self, warp: usize) -> u64 {
        let left = (self.items as usize).saturating_sub(warp * LANES).clamp(1, LANES);
        u64::MAX >> (LANES - left)
    }

    /// Adds an access of a work-item below `items`.
    #[inline]
    pub fn access(&mut self, access: &Access) {
        let &Access { item, key, kind, addr, bytes, work, first_use } = access;
        let (kind, old) = match kind {
            AccessKind::Load => (InstrKind::Load, [0; 8]),
            AccessKind::Store => (InstrKind::Store, [0; 8]),
            AccessKind::Atomic { op, old } => (InstrKind::Atomic(op), padded(old)),
        };
        let (size, value) = (bytes.len() as u8, padded(bytes));
        let slot = Slot { addr, work, first_use, value, old, ..NOTHING };
        self.push(item, Place { key, kind, size }, slot);
    }

    /// Adds a fence of a work-item.
    pub fn fence(&mut self, item: u32, key: Key) {
        self.push(item, Place { key, kind: InstrKind::Fence, size: 0 }, NOTHING);
    }

    #[inline]
    fn push(&mut self, item: u32, place: Place, slot: Slot) {
        let (warp, lane) = (item as usize / LANES, item as usize % LANES);
        if let Some(warp) = self.warps.get_mut(warp) {
            warp.push(lane, place, slot);
        }
    }

    /// Ends the segment: hands out the instructions, warp by warp.
    pub fn end_segment(&mut self, instr: &mut Instr, mut emit: impl FnMut(usize, &Instr)) {
        for (number, warp) in self.warps.iter_mut().enumerate().filter(|(_, w)| !w.is_empty()) {
            if let Some(all) = warp.all_in_step() {
                for place in 0..warp.places.len() {
                    warp.begin(place, all, instr);
                    lanes(all).for_each(|lane| put(instr, lane, &warp.lanes[lane][place]));
                    emit(number, instr);
                }
            } else {
                let mut schedule = Schedule::new(warp);
                while let Some(place) = schedule.choose() {
                    schedule.execute(warp, place, instr);
                    emit(number, instr);
                }
            }
            warp.clear();
        }
    }
}

/// An access of nothing.
const NOTHING: Slot = Slot {
    addr: 0,
    work: Work { instructions: 0, special: 0, local: 0, passes: 0, chain: NO_CHAIN },
    first_use: FirstUse::Unknown,
    place: 0,
    last: false,
    value: [0; 16],
    old: [0; 8],
};
const NO_CHAIN: Chain = Chain { arithmetic: 0, special: 0, local: 0 };

/// Bytes, at most `N`, and zeros behind them. Most are 4 or 8.
#[inline]
fn padded<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut to = [0; N];
    match bytes.len() {
        4 => to[..4].copy_from_slice(&bytes[..4]),
        8 => to[..8].copy_from_slice(&bytes[..8]),
        len => to[..len].copy_from_slice(bytes),
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::AtomicOp;

    fn key(pc: u32, iteration: [u32; 2]) -> Key {
        Key { pc, iteration: [iteration[0], iteration[1], 0, 0] }
    }

    fn load(item: u32, key: Key) -> Access<'static> {
        Access {
            item,
            key,
            kind: AccessKind::Load,
            addr: 4096,
            bytes: &[0; 4],
            ..Access::default()
        }
    }

    /// (pc via address order is lost, so: kind, lanes) of each instruction.
    fn regroup(items: u32, accesses: &[(u32, Key)]) -> Vec<(usize, u64)> {
        let mut regrouper = Regrouper::default();
        regrouper.begin_group(items);
        for &(item, key) in accesses {
            regrouper.access(&load(item, key));
        }
        let mut list = Vec::new();
        regrouper.end_segment(&mut Instr::default(), |warp, instr| list.push((warp, instr.lanes)));
        list
    }

    #[test]
    fn lanes_of_one_path_execute_together() {
        let once = |item| [(item, key(1, [0, 0])), (item, key(2, [0, 0]))];
        let list: Vec<_> = (0..100).flat_map(once).collect();
        let last = (1 << 36) - 1;
        let expected = [(0, u64::MAX), (0, u64::MAX), (1, last), (1, last)];
        assert_eq!(regroup(100, &list), expected);
    }

    #[test]
    fn lanes_meet_again_after_a_branch() {
        // Lane 0 goes 1, 2, 4; lane 1 goes 1, 3, 4.
        let list = [(0, 1), (0, 2), (0, 4), (1, 1), (1, 3), (1, 4)];
        let list = list.map(|(item, pc)| (item, key(pc, [0, 0])));
        assert_eq!(regroup(2, &list), [(0, 3), (0, 1), (0, 2), (0, 3)]);
    }

    #[test]
    fn lanes_meet_again_after_loops_of_different_length() {
        // Lane 0 goes round twice, lane 1 four times, lane 2 not at all; pc 3 follows, pc 2 is a
        // branch in the loop that lane 1 takes in its first turn.
        let mut list = Vec::new();
        for (item, turns) in [(0, 2), (1, 4), (2, 0)] {
            for turn in 0..turns {
                list.push((item, key(1, [turn, 0])));
                if item == 1 && turn == 0 {
                    list.push((item, key(2, [turn, 0])));
                }
            }
            list.push((item, key(3, [0, 0])));
        }
        let expected = [(0, 3), (0, 2), (0, 3), (0, 2), (0, 2), (0, 7)];
        assert_eq!(regroup(3, &list), expected);
    }

    #[test]
    fn paths_that_never_meet_fall_back_to_most_lanes() {
        // Lanes 0 and 1 go 1, 2; lane 2 goes 2, 1: each waits for the other.
        let list = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (2, 1)];
        let list = list.map(|(item, pc)| (item, key(pc, [0, 0])));
        assert_eq!(regroup(3, &list), [(0, 3), (0, 7), (0, 4)]);
    }

    #[test]
    fn a_place_that_a_lane_comes_to_twice_keeps_its_order() {
        let list = [(0, 1), (0, 1), (1, 1)].map(|(item, pc)| (item, key(pc, [0, 0])));
        assert_eq!(regroup(2, &list), [(0, 3), (0, 1)]);
    }

    #[test]
    fn values_and_gaps_follow_their_lanes() {
        let mut regrouper = Regrouper::default();
        regrouper.begin_group(64);
        for item in (0..64u32).rev() {
            let (bytes, old) = (item.to_le_bytes(), (item + 100).to_le_bytes());
            let kind = AccessKind::Atomic { op: AtomicOp::Max, old: &old };
            let addr = u64::from(item) * 8;
            let key = Key::default();
            regrouper.access(&Access {
                item,
                key,
                kind,
                addr,
                bytes: &bytes,
                work: Work::of(item),
                ..Access::default()
            });
        }
        let mut seen = 0;
        regrouper.end_segment(&mut Instr::default(), |_, instr| {
            seen += 1;
            assert_eq!(instr.kind, InstrKind::Atomic(AtomicOp::Max));
            assert_eq!((instr.lanes, instr.work), (u64::MAX, Work::of(63)));
            for lane in 0..LANES {
                assert_eq!(instr.addrs[lane], lane as u64 * 8);
                assert_eq!(instr.value(lane), (lane as u32).to_le_bytes());
                assert_eq!(instr.old(lane), (lane as u32 + 100).to_le_bytes());
            }
        });
        assert_eq!(seen, 1);
    }
}
