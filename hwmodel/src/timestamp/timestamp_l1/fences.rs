//! Until when fences of TC-Weak wait (specification 5.8, GWCT). Other protocols leave them alone.

use crate::state::State;

const WARPS: usize = 64;

/// Of each warp the end of all leases that its stores have met.
#[derive(Clone, Debug)]
pub(super) struct Fences {
    gwct: [u32; WARPS],
    /// Bit w: that of warp w is over.
    over: u64,
    /// The next end of one that is not; where all are over, the last cycle of all.
    next: u32,
}

impl Fences {
    pub fn new() -> Self {
        Self { gwct: [0; WARPS], over: u64::MAX, next: u32::MAX }
    }

    /// Bit w: no lease holds up a fence of warp w.
    #[inline(always)]
    pub fn over(&self) -> u64 {
        self.over
    }

    /// Cycles from `now` on in which nothing ends.
    #[inline(always)]
    pub fn quiet(&self, now: u32) -> u32 {
        self.next - now
    }

    /// For how long each warp's fences must still wait.
    pub fn left(&self, now: u32, warps: u32) -> impl Iterator<Item = u32> {
        self.gwct.iter().take(warps as usize).map(move |gwct| gwct.saturating_sub(now))
    }

    /// A store of this warp has met a lease.
    pub fn meet(&mut self, warp: u8, exp: u32) {
        let gwct = &mut self.gwct[usize::from(warp)];
        *gwct = exp.max(*gwct);
    }

    /// It becomes `now`. `met`: a store has met a lease.
    #[inline(always)]
    pub fn tick(&mut self, now: u32, met: bool) {
        if met || now >= self.next {
            self.look(now);
        }
    }

    fn look(&mut self, now: u32) {
        (self.over, self.next) = (0, u32::MAX);
        for (warp, &gwct) in self.gwct.iter().enumerate() {
            if gwct <= now {
                self.over |= 1 << warp;
            } else {
                self.next = self.next.min(gwct);
            }
        }
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, warps: u32) {
        for (warp, gwct) in self.gwct.iter().enumerate().take(warps as usize) {
            state.bits(&format!("gwct[{warp}]"), 32, *gwct);
        }
    }
}
