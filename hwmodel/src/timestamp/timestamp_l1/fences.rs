//! Lease ends for which fences wait (specification 5.8, GWCT); TC-Weak only.

use crate::state::State;

const WARPS: usize = 64;

/// GWCT of each warp: the latest lease end in the acknowledgements of its stores.
#[derive(Clone, Debug)]
pub(super) struct Fences {
    gwct: [u32; WARPS],
    /// Bit w: `gwct[w]` is not in the future.
    over: u64,
    /// The earliest future `gwct`; `u32::MAX` if there is none.
    next: u32,
}

impl Fences {
    pub fn new() -> Self {
        Self { gwct: [0; WARPS], over: u64::MAX, next: u32::MAX }
    }

    /// Bit w: no lease blocks a fence of warp w.
    #[inline(always)]
    pub fn over(&self) -> u64 {
        self.over
    }

    /// Cycles from `now` until the next `gwct`.
    #[inline(always)]
    pub fn idle_cycles(&self, now: u32) -> u32 {
        self.next - now
    }

    /// Cycles that each warp's fences must still wait.
    pub fn left(&self, now: u32, warps: u32) -> impl Iterator<Item = u32> {
        self.gwct.iter().take(warps as usize).map(move |gwct| gwct.saturating_sub(now))
    }

    /// Records the lease end `exp` in an acknowledgement to this warp.
    pub fn record_lease(&mut self, warp: u8, exp: u32) {
        let gwct = &mut self.gwct[usize::from(warp)];
        *gwct = exp.max(*gwct);
    }

    /// Advances to cycle `now`. `changed`: a lease was recorded.
    #[inline(always)]
    pub fn tick(&mut self, now: u32, changed: bool) {
        if changed || now >= self.next {
            self.update(now);
        }
    }

    fn update(&mut self, now: u32) {
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
