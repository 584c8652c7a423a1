//! The loads, oldest first (specification 5.4).

use ports::race::types::{Alloc, LoadName, Query};

use crate::state::{State, index_width, width_of};

const WARPS: usize = 64;

/// A place of the ring.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    load: Alloc,
    /// `decs` once all answers that the load waits for are complete.
    due: u64,
    live: bool,
    /// A granule that it read is in a signature.
    fail: bool,
}

/// The state of the oldest slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// It is free, or answers are outstanding.
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
    /// Answers so far: `count_q` of a slot is `due` less these, or 0.
    decs: u64,
    /// Live entries of each warp; bit w: warp w has one.
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

    /// Slots that are occupied.
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

    /// Place of a slot, by the number of older slots.
    #[inline(always)]
    fn place(&self, age: u16) -> usize {
        let (place, places) = (usize::from(self.head) + usize::from(age), self.slots.len());
        if place >= places { place - places } else { place }
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
        let Slot { load: Alloc { size, addr, .. }, live, .. } = self.slots[self.place(age)];
        live.then_some(Query { size, addr })
    }

    /// A granule that the load has read is in the signature.
    #[inline(always)]
    pub fn fail(&mut self, age: u16) {
        let place = self.place(age);
        self.slots[place].fail |= self.slots[place].live;
    }

    /// An answer is complete.
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

    /// The oldest slot is free again.
    #[inline(always)]
    pub fn pop(&mut self) {
        let slot = &mut self.slots[usize::from(self.head)];
        let (live, warp) = (slot.live, slot.load.warp);
        slot.live = false;
        if live {
            self.leaves(warp);
        }
        self.head = self.place(1) as u16;
        self.count -= 1;
    }

    /// All entries of a warp become dead. Returns how many.
    pub fn drop_all(&mut self, warp: u8) -> u32 {
        let all = self.of_warp[usize::from(warp) % WARPS].into();
        let (mut left, mut age) = (all, 0);
        while left > 0 {
            let place = self.place(age);
            let slot = &mut self.slots[place];
            if slot.live && slot.load.warp == warp {
                slot.live = false;
                self.leaves(warp);
                left -= 1;
            }
            age += 1;
        }
        all
    }

    /// An entry that waits for a number of answers, behind `answered` and `pop` of its cycle. The
    /// ring was not full.
    #[inline(always)]
    pub fn push(&mut self, load: Alloc, answers: u8) {
        let place = self.place(self.count);
        let due = self.decs + u64::from(answers);
        self.slots[place] = Slot { load, due, live: true, fail: false };
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
        for (place, slot) in self.slots.iter().enumerate() {
            let Slot { load: Alloc { warp, tag, size, addr }, due, live, fail } = *slot;
            let count = due.saturating_sub(self.decs);
            state.bits_while(live, &format!("warp[{place}]"), 6, warp);
            state.bits_while(live, &format!("tag[{place}]"), 16, tag);
            let access = u64::from(size) << 32 | u64::from(addr);
            state.bits_while(live, &format!("access[{place}]"), 35, access);
            // The RTL holds these bit by bit.
            state.bits_while(live, &format!("fail_of_slot[{place}]"), 1, u8::from(fail));
            state.bits_while(live, &format!("count_of_slot[{place}]"), 8, count);
        }
    }
}
