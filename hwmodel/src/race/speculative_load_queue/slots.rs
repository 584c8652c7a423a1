//! The loads, oldest first (specification 5.4).

use ports::race::types::{Alloc, LoadName, Query};

use crate::state::{State, index_width, width_of};

const WARPS: usize = 64;

/// A slot of the ring.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    load: Alloc,
    /// Value of `decs` at which all answers that the load waits for have arrived.
    due: u64,
    live: bool,
    /// A granule that it read is in a signature.
    fail: bool,
}

/// The state of the oldest slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The ring is empty, or answers are outstanding.
    Waits,
    Dead,
    /// It may commit.
    Right(LoadName),
    /// It must be replayed.
    Wrong(LoadName),
}

/// The ring.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    slots: Box<[Slot]>,
    head: u16,
    count: u16,
    /// Answers so far: the RTL's `count_q` of a slot is `due - decs`, at least 0.
    decs: u64,
    /// Live entries of each warp; bit w: warp w has any.
    of_warp: [u16; WARPS],
    spec: u64,
}

impl Slots {
    pub fn new(slots: u32) -> Self {
        Self {
            slots: vec![Slot::default(); slots as usize].into(),
            head: 0,
            count: 0,
            decs: 0,
            of_warp: [0; WARPS],
            spec: 0,
        }
    }

    /// Occupied slots.
    #[inline(always)]
    pub fn len(&self) -> u16 {
        self.count
    }

    #[inline(always)]
    pub fn is_full(&self) -> bool {
        usize::from(self.count) == self.slots.len()
    }

    #[inline(always)]
    pub fn spec(&self) -> u64 {
        self.spec
    }

    /// Index of the slot with `age` older slots.
    #[inline(always)]
    fn index(&self, age: u16) -> usize {
        let (index, slots) = (usize::from(self.head) + usize::from(age), self.slots.len());
        if index >= slots { index - slots } else { index }
    }

    #[inline(always)]
    pub fn head(&self) -> Head {
        if self.count == 0 {
            return Head::Waits;
        }
        let Slot { load, due, live, fail } = self.slots[usize::from(self.head)];
        let name = LoadName { warp: load.warp, tag: load.tag };
        match (live, due > self.decs, fail) {
            (false, ..) => Head::Dead,
            (_, true, _) => Head::Waits,
            (.., false) => Head::Right(name),
            (.., true) => Head::Wrong(name),
        }
    }

    /// The access of a live load.
    #[inline(always)]
    pub fn query(&self, age: u16) -> Option<Query> {
        let Slot { load: Alloc { size, addr, .. }, live, .. } = self.slots[self.index(age)];
        live.then_some(Query { size, addr })
    }

    /// Marks a live entry wrong: a granule that it read is in the signature.
    #[inline(always)]
    pub fn fail(&mut self, age: u16) {
        let index = self.index(age);
        self.slots[index].fail |= self.slots[index].live;
    }

    /// Decrements the count of every slot.
    #[inline(always)]
    pub fn answered(&mut self) {
        self.decs += 1;
    }

    #[inline(always)]
    fn leaves(&mut self, warp: u8) {
        let left = &mut self.of_warp[usize::from(warp) % WARPS];
        *left -= 1;
        self.spec &= !(u64::from(*left == 0) << (warp % WARPS as u8));
    }

    /// Frees the oldest slot.
    #[inline(always)]
    pub fn pop(&mut self) {
        let slot = &mut self.slots[usize::from(self.head)];
        let (live, warp) = (slot.live, slot.load.warp);
        slot.live = false;
        if live {
            self.leaves(warp);
        }
        self.head = self.index(1) as u16;
        self.count -= 1;
    }

    /// Kills all live entries of a warp and returns their number.
    pub fn drop_all(&mut self, warp: u8) -> u32 {
        let all = self.of_warp[usize::from(warp) % WARPS].into();
        let (mut left, mut age) = (all, 0);
        while left > 0 {
            let index = self.index(age);
            let slot = &mut self.slots[index];
            if slot.live && slot.load.warp == warp {
                slot.live = false;
                self.leaves(warp);
                left -= 1;
            }
            age += 1;
        }
        all
    }

    /// Allocates an entry that waits for `answers` answers, after `answered` and `pop` of its
    /// cycle. The ring must not be full.
    #[inline(always)]
    pub fn push(&mut self, load: Alloc, answers: u8) {
        let index = self.index(self.count);
        let due = self.decs + u64::from(answers);
        self.slots[index] = Slot { load, due, live: true, fail: false };
        self.count += 1;
        self.of_warp[usize::from(load.warp) % WARPS] += 1;
        self.spec |= 1 << (load.warp % WARPS as u8);
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        let slots = self.slots.len() as u32;
        state.bits("head", index_width(slots), self.head);
        state.bits("occ", width_of(slots.into()), self.count);
        state.flags("live", self.slots.iter().map(|slot| slot.live));
        for (index, slot) in self.slots.iter().enumerate() {
            let Slot { load: Alloc { warp, tag, size, addr }, due, live, fail } = *slot;
            let count = due.saturating_sub(self.decs);
            state.bits_while(live, &format!("warp[{index}]"), 6, warp);
            state.bits_while(live, &format!("tag[{index}]"), 16, tag);
            let access = u64::from(size) << 32 | u64::from(addr);
            state.bits_while(live, &format!("access[{index}]"), 35, access);
            // The RTL stores these as bit vectors over all slots.
            state.bits_while(live, &format!("fail_of_slot[{index}]"), 1, u8::from(fail));
            state.bits_while(live, &format!("count_of_slot[{index}]"), 8, count);
        }
    }
}
