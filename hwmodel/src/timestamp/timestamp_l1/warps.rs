//! The clocks of warps in logical time (specification 5.6); G-TSC only.

use crate::state::State;

const WARPS: usize = 64;

/// Clock and spin count of each warp.
#[derive(Clone, Debug, Hash)]
pub(super) struct Warps {
    ts: [u32; WARPS],
    /// Hits since the last answer from the L2.
    spin: [u16; WARPS],
}

impl Warps {
    pub fn new() -> Self {
        Self { ts: [1; WARPS], spin: [0; WARPS] }
    }

    /// A warp's clock.
    #[inline(always)]
    pub fn ts(&self, warp: u8) -> u32 {
        self.ts[usize::from(warp)]
    }

    #[inline(always)]
    pub fn set(&mut self, warp: u8, ts: u32) {
        self.ts[usize::from(warp)] = ts;
    }

    /// A warp's clock never falls.
    #[inline(always)]
    pub fn raise(&mut self, warp: u8, ts: u32) {
        let clock = &mut self.ts[usize::from(warp)];
        *clock = ts.max(*clock);
    }

    /// Hits of a warp since its last answer from the L2.
    #[inline(always)]
    pub fn hits(&self, warp: u8) -> u32 {
        self.spin[usize::from(warp)].into()
    }

    /// Counts a hit of a warp; the `last` hit restarts the count.
    #[inline(always)]
    pub fn hit(&mut self, warp: u8, last: bool) {
        let spin = &mut self.spin[usize::from(warp)];
        *spin = if last { 0 } else { *spin + 1 };
    }

    /// An answer from the L2 restarts the count.
    #[inline(always)]
    pub fn answered(&mut self, warp: u8) {
        self.spin[usize::from(warp)] = 0;
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, warps: u32, ts_w: u32) {
        for warp in 0..warps as usize {
            state.bits(&format!("ts[{warp}]"), ts_w, self.ts[warp]);
            state.bits(&format!("spin[{warp}]"), 16, self.spin[warp]);
        }
    }
}
