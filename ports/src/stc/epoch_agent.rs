//! Parameters and ports of a CU's epoch agent (`rtl/stc/epoch_agent/epoch_agent.sv`).

use crate::stc::types::{Epoch, Load, LoadOut, Req, Stc, Store, Variant};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Stc {
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
        /// `Variant`: 0 nv, 1 es, 2 ab, 3 mb.
        pub variant: Variant = "Variant",
        /// `MaxBands`: most bands of an epoch.
        pub max_bands = "MaxBands",
        /// `BsqN`: entries of the blocked store queue, 16 to 256, a power of 2.
        pub bsq_n = "BsqN",
        /// `BsqBanks`: its banks, 1 to 16, a power of 2.
        pub bsq_banks = "BsqBanks",
        /// `BsqRd`: entries of a bank that a scan examines in a cycle.
        pub bsq_rd = "BsqRd",
    }
}

impl Config {
    /// Bands, and so epochs.
    pub fn bands(&self) -> u32 {
        1 << self.band_bits
    }

    /// Bits of a slot.
    pub fn slot_w(&self) -> u32 {
        self.bsq_n.trailing_zeros()
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A store whose slot is in use.
    pub const SLOT: u8 = 1;
    /// An acknowledgement without a store.
    pub const ACK: u8 = 2;
    /// The change before the drain is over.
    pub const EARLY_CHANGE: u8 = 3;
    /// `prep` fell before the change.
    pub const PREP_FELL: u8 = 4;
    /// An epoch that cannot be.
    pub const EPOCH: u8 = 5;
    /// An acknowledgement without a demand.
    pub const DEMAND_ACK: u8 = 6;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "EPOCH_AGENT_CNT_T" in "epoch_agent_types.svh" () {
        /// Stores that were issued when they were classified.
        pub stores_direct: u32 = 32,
        /// Stores that went into the blocked store queue.
        pub stores_blocked: u32 = 32,
        /// Cycles in which the scan examined an entry.
        pub scan_cycles: u32 = 32,
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Stores and atomics from the coalescing buffer. All are taken.
        pub st: Option<Store> as (st_valid, st) = (c.slot_w(),),
        /// The L1 takes the issued store.
        pub st_ready: bool = 1,
        /// A store has reached the L2.
        pub wa_valid: bool = 1,
        /// Loads.
        pub ld: Option<Load> as (ld_valid, ld) = (),
        /// The L1 takes the load.
        pub ld_ready: bool = 1,
        /// The epoch ends.
        pub prep: bool = 1,
        /// The next one has begun.
        pub chg: bool = 1,
        /// It.
        pub chg_info: Epoch = (c.bands(),),
        /// The manager has recorded a demand.
        pub dmd_ack: bool = 1,
        /// No set of the L1 is left to sweep.
        pub sweep_done: bool = 1,
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// Stores that are issued.
        pub st: Option<Store> as (st_valid, st) = (c.slot_w(),),
        /// The load is taken.
        pub ld_ready: bool = 1,
        /// Loads to the L1.
        pub ld: Option<LoadOut> as (ld_valid, ld) = (),
        /// Drained.
        pub ready: bool = 1,
        /// In the new epoch.
        pub done: bool = 1,
        /// Demands and conflicts. All are taken.
        pub req: Option<Req> as (req_valid, req) = (),
        /// The epoch of this CU.
        pub cer: Epoch = (c.bands(),),
        /// `cer` is new in this cycle.
        pub cer_upd: bool = 1,
        /// The L1 shall sweep.
        pub sweep: bool = 1,
        /// No store in the input register, in the queue or on its way.
        pub empty: bool = 1,
        /// Entries of the queue that are in use.
        pub occ: u16 = c.slot_w() + 1,
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
