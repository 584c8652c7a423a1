//! What CUs do in random runs: stores in free slots, loads, an L1 that takes them now and then, an
//! L2 that acknowledges late. It knows how long each store waits.

use cosim::stimulus::Random;

use super::*;

/// Slots of the largest queue that is used.
const SLOTS: usize = 64;

/// How a CU behaves for a while. Chances are parts of 256.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    pub st: u32,
    pub ld: u32,
    /// The free slot that is taken: the lowest, or any.
    pub lowest: bool,
    /// Chance that something is ready, and cycles after which a store is taken all the same: the
    /// share of `st_ready` that the L1 owes (specification 6, 4).
    pub ready: u32,
    pub patience: u32,
    /// Cycles from a store to its acknowledgement, at most.
    pub latency: u32,
    /// Bits of the addresses that differ.
    pub bits: u32,
}

impl Habits {
    pub fn random(r: &mut Random, most_patience: u32) -> Self {
        Self {
            st: r.pick(&[256, 256, 128, 16, 2]),
            ld: r.pick(&[128, 16]),
            lowest: r.below(2) == 0,
            ready: r.pick(&[256, 64, 0, 0]),
            patience: most_patience - r.below(2) * r.below(most_patience),
            latency: 1 + r.below(30),
            bits: r.pick(&[0x00FC, 0x00FC, 0x02FC, 0x003C, 0x1FFC]),
        }
    }
}

/// A store that was not issued yet.
#[derive(Clone, Copy, Debug)]
struct Wait {
    addr: u32,
    /// Selections when it came, and the cycle.
    since: u32,
    at: usize,
    granted: bool,
}

/// A CU's stores.
pub struct Demand {
    waits: [Option<Wait>; SLOTS],
    /// On their way to the L2: when they are acknowledged, and their slots.
    sent: Vec<(usize, u8)>,
    /// Slots in use.
    used: u64,
    /// Cycles in which no store was taken.
    refused: u32,
    /// Stores from the queue in this epoch, if one of those that had waited is released in it.
    issued: Option<u32>,
    direct: u32,
    pub longest: Longest,
}

/// What stores have waited for, in selections.
#[derive(Clone, Copy, Debug)]
pub struct Longest {
    /// For the epoch of their band.
    pub grant: u32,
    /// To be issued.
    pub issue: u32,
    /// m of specification 6, 4: stores that an agent has issued from its queue in an epoch in
    /// which one of those that had waited for it was released.
    pub least_issued: u32,
}

impl Default for Longest {
    fn default() -> Self {
        Self { grant: 0, issue: 0, least_issued: u32::MAX }
    }
}

impl Demand {
    pub fn new() -> Self {
        Self {
            waits: [None; SLOTS],
            sent: Vec::new(),
            used: 0,
            refused: 0,
            issued: None,
            direct: 0,
            longest: Longest::default(),
        }
    }

    /// Selections that a store has waited for so far, at most.
    pub fn longest_now(&self, selections: u32) -> Option<u32> {
        self.waits.iter().flatten().map(|wait| selections - wait.since).max()
    }

    /// The cycle in which the oldest came of those whose band is not granted.
    pub fn blocked_since(&self, cer: &Epoch, band_bits: u32) -> Option<usize> {
        let blocked = self.waits.iter().flatten().filter(|w| !cer.granted(w.addr, band_bits));
        blocked.map(|wait| wait.at).min()
    }

    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    fn free_slot(&self, r: &mut Random, slots: u32, lowest: bool) -> Option<u8> {
        let first = if lowest { 0 } else { r.below(slots) };
        let slot = (0..slots).map(|n| (first + n) % slots).find(|slot| self.used >> slot & 1 == 0);
        slot.map(|slot| slot as u8)
    }

    /// The inputs of a cycle of its CU, with new accesses where it is `busy`.
    pub fn inputs(
        &mut self,
        cu: &mut Cu,
        stc: &Stc,
        habits: &Habits,
        (now, selections, busy): (usize, u32, bool),
        r: &mut Random,
    ) {
        let out = cu.body.outputs();
        self.follow(&out, stc, selections);
        let next = &mut cu.next;
        let mut addr = || r.word() as u32 & habits.bits;
        let (st_addr, ld_addr) = (addr(), addr());
        if busy && r.chance(habits.st) {
            let slot = self.free_slot(r, stc.bsq_n, habits.lowest);
            next.st = slot.map(|slot| Store { slot, addr: st_addr });
        }
        if let Some(Store { slot, addr }) = next.st {
            self.used |= 1 << slot;
            self.waits[usize::from(slot)] = Some(Wait {
                addr,
                since: selections,
                at: now,
                granted: out.cer.granted(addr, stc.band_bits),
            });
        }
        next.ld = (busy && r.chance(habits.ld)).then_some(Load { id: 0, addr: ld_addr });
        next.ld_ready = r.chance(habits.ready) || r.below(4) == 0;
        next.sweep_done = r.chance(habits.ready) || r.below(4) == 0;
        next.st_ready = r.chance(habits.ready) || self.refused + 1 >= habits.patience;
        self.refused = if next.st_ready { 0 } else { self.refused + 1 };
        let due = self.sent.iter().position(|(due, _)| *due <= now);
        next.wa_valid = due.is_some();
        if let Some(due) = due {
            self.used &= !(1 << self.sent.swap_remove(due).1);
        }
        if let Some(st) = out.st.filter(|_| next.st_ready) {
            let at = now + 1 + r.below(habits.latency) as usize;
            self.sent.push((at, st.slot));
        }
    }

    /// What the agent does with the stores.
    fn follow(&mut self, out: &epoch_agent::Out, stc: &Stc, selections: u32) {
        let longest = &mut self.longest;
        if out.cer_upd {
            let mut released = false;
            for wait in self.waits.iter_mut().flatten() {
                let granted = out.cer.granted(wait.addr, stc.band_bits);
                released |= granted;
                if granted && !wait.granted {
                    wait.granted = true;
                    longest.grant = longest.grant.max(selections - wait.since);
                }
            }
            self.issued = released.then_some(0);
        }
        // Shown for the first time: later its slot has no entry.
        if let Some(st) = out.st
            && let Some(wait) = self.waits[usize::from(st.slot)].take()
        {
            assert_eq!(wait.addr, st.addr, "another address than the store's");
            longest.issue = longest.issue.max(selections - wait.since);
            if out.counters.stores_direct == self.direct {
                self.issued = self.issued.map(|issued| issued + 1);
            }
        }
        self.direct = out.counters.stores_direct;
        if out.sweep
            && let Some(issued) = self.issued.take()
        {
            longest.least_issued = longest.least_issued.min(issued);
        }
    }
}
