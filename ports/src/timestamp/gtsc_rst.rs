//! Parameters and ports of the reset of timestamps of a GPU (`rtl/timestamp/gtsc_rst/gtsc_rst.sv`).

use crate::timestamp::types::{MAX_SMS, Timestamp};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Timestamp {
        /// `NSm`: SMs, 1 to 32.
        pub n_sm = "NSm",
        /// `L2Banks`: banks of the L2, 1 to 16, a power of 2.
        pub l2_banks = "L2Banks",
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// An L1 has a generation that is neither this one nor the one before.
    pub const GENERATION: u8 = 1;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "GTSC_RST_CNT_T" in "gtsc_rst_types.svh" () {
        /// Resets of all timestamps.
        pub resets: u32 = 32,
        /// Cycles in which the banks were halted.
        pub halt_cycles: u32 = 32,
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Bit b: a timestamp of bank b would not fit.
        pub ovf: u16 = c.l2_banks,
        /// Bit b: bank b stands still.
        pub halted: u16 = c.l2_banks,
        /// Bit b: all leases of bank b begin anew.
        pub rst_done: u16 = c.l2_banks,
        /// Generation of each L1.
        pub rep_ack: [u8; MAX_SMS] = (2, c.n_sm),
        /// A kernel has ended.
        pub kend_valid: bool = 1,
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// All banks stand still.
        pub halt: bool = 1,
        /// Leases begin anew.
        pub rst: bool = 1,
        /// Generation of all L1s.
        pub rep: u8 = 2,
        /// The kernel's end is taken.
        pub kend_ready: bool = 1,
        /// Pulse: all is as after a reset.
        pub kend_done: bool = 1,
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
