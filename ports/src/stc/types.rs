//! Messages between the STC blocks (`rtl/stc/stc_types.svh`), and their parameters: one path for
//! all of it.

pub use super::parameters::*;
use crate::message;

/// `Req::kind`.
pub mod kind {
    /// A store waits for the epoch of its band.
    pub const DEMAND: bool = false;
    /// A load bypasses the L1 though its band is not that of the blocked store.
    pub const CONFLICT: bool = true;
}

message! {
    /// From an agent to the manager (STC, section 4.4).
    pub struct Req: "STC_REQ_T" in "stc_types.svh" () {
        /// See [`kind`].
        pub kind: bool = 1,
        /// Byte address: of the store that waits, or of the load.
        pub addr: u32 = 32,
    }
}

message! {
    /// An epoch: what is granted, and where the epoch bits lie.
    pub struct Epoch: "STC_CHG_T" in "stc_types.svh" (bands: u32) {
        /// Start epoch bit.
        pub seb: u8 = 6,
        /// Bit b: band b is granted.
        pub gvec: u32 = bands,
    }
}

impl Epoch {
    /// Band of an address (STC, section 4.2, figure 4); bits above 31 are 0.
    #[inline]
    pub fn band(&self, addr: u32, band_bits: u32) -> u32 {
        (u64::from(addr) >> self.seb) as u32 & ((1 << band_bits) - 1)
    }

    /// True while the band of an address is granted.
    #[inline]
    pub fn granted(&self, addr: u32, band_bits: u32) -> bool {
        self.gvec >> self.band(addr, band_bits) & 1 != 0
    }
}

message! {
    /// A store or an atomic.
    pub struct Store: "STC_ST_T" in "stc_types.svh" (slot_w: u32) {
        /// Slot of the coalescing buffer, and entry of the blocked store queue.
        pub slot: u8 = slot_w,
        /// Byte address.
        pub addr: u32 = 32,
    }
}

message! {
    /// A load.
    pub struct Load: "STC_LD_T" in "stc_types.svh" () {
        /// Whatever the CU calls it.
        pub id: u8 = 8,
        /// Byte address.
        pub addr: u32 = 32,
    }
}

message! {
    /// A load on its way to the L1.
    pub struct LoadOut: "STC_LDO_T" in "stc_types.svh" () {
        /// Its band was granted when it was accepted: it must not be served from the L1, nor
        /// installed there.
        pub nocache: bool = 1,
        /// As accepted.
        pub id: u8 = 8,
        /// Byte address.
        pub addr: u32 = 32,
    }
}
