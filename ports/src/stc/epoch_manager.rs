//! Parameters and ports of the epoch management unit (`rtl/stc/epoch_manager/epoch_manager.sv`).

use crate::stc::types::{Epoch, MAX_CUS, Req, Stc, Variant};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Stc {
        /// `NCu`: CUs, 1 to 32.
        pub n_cu = "NCu",
        /// `BandBits`: bits of an address that say its band, 2 to 5.
        pub band_bits = "BandBits",
        /// `AddrW`: bits of an address, 12 to 32.
        pub addr_w = "AddrW",
        /// `SebMin`: lowest start epoch bit.
        pub seb_min = "SebMin",
        /// `SebMax`: highest start epoch bit.
        pub seb_max = "SebMax",
        /// `SebInit`: start epoch bit after reset.
        pub seb_init = "SebInit",
        /// `Wakeup`: cycles of an epoch, 8 to 511, more than bands.
        pub wakeup = "Wakeup",
        /// `Variant`: 0 nv, 1 es, 2 ab, 3 mb.
        pub variant: Variant = "Variant",
        /// `MaxBands`: most bands of an epoch.
        pub max_bands = "MaxBands",
        /// `AdaptCmp`: what of an address a vote compares: 0 above a page, 1 everything.
        pub adapt_cmp = "AdaptCmp",
        /// `SebOnWrap`: 1 where the start epoch bit moves once per rotation.
        pub seb_on_wrap = "SebOnWrap",
    }
}

impl Config {
    /// Bands, and so epochs.
    pub fn bands(&self) -> u32 {
        1 << self.band_bits
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// IDLE, and an agent is ready or done.
    pub const NOT_ASKED: u8 = 1;
    /// Done without ready, or in PREP.
    pub const DONE_EARLY: u8 = 2;
    /// CHG, and an agent is not ready.
    pub const READY_FELL: u8 = 3;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "EPOCH_MANAGER_CNT_T" in "epoch_manager_types.svh" () {
        /// Times that an epoch was over.
        pub wakes: u32 = 32,
        /// Of these, without a band to select.
        pub wakes_idle: u32 = 32,
        /// Of these, with one.
        pub selections: u32 = 32,
        /// Of these, for what is granted already.
        pub skip_same: u32 = 32,
        /// Conflicts without a demand of their band, or at a change.
        pub conf_stale: u32 = 32,
        /// Conflicts of a band that has voted.
        pub conf_dup: u32 = 32,
        /// Votes for a higher start epoch bit.
        pub votes_up: u32 = 32,
        /// Votes for a lower one.
        pub votes_down: u32 = 32,
    }
}

/// One request of each CU; those at or above `n_cu` are not ports.
pub type PerCu = [Req; MAX_CUS];

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Bit c: CU c sends a request. All are taken.
        pub req_valid: u32 = c.n_cu,
        /// The requests.
        pub req: PerCu = ((), c.n_cu),
        /// Bit c: agent c has drained its stores.
        pub ready: u32 = c.n_cu,
        /// Bit c: agent c is in the new epoch.
        pub done: u32 = c.n_cu,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// Bit c: the demand of CU c in the cycle before was recorded.
        pub dmd_ack: u32 = c.n_cu,
        /// The epoch ends: level, to all agents.
        pub prep: bool = 1,
        /// The next one has begun: level, to all agents.
        pub chg: bool = 1,
        /// It.
        pub chg_info: Epoch = (c.bands(),),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
