//! Parameters that the command-processor blocks share (CPElide, MICRO'24, section IV-B, table I).

use crate::Limit::Range;
use crate::{ConfigError, Fields, fields};

/// Most chiplets of a GPU.
pub const MAX_CHIPLETS: usize = 16;
/// Messages that a local command processor's queue holds.
pub const LOCAL_QUEUE: usize = 4;
/// Most tags of kernels.
pub const TAGS: usize = 256;
/// Packet slots of the command processor.
pub const SLOTS: usize = 4;
/// Places of the command processor's TX queue.
pub const TX_QUEUE: usize = 8;
/// Places of the command processor's RX FIFO.
pub const RX_FIFO: usize = 16;
/// Counters of the command processor.
pub const COUNTERS: usize = 16;
/// Words of IMEM, 64 KiB.
pub const IMEM_WORDS: usize = 1 << 14;

fields! {
    /// All parameters of the command-processor blocks (specification section 2). Each block takes
    /// its own from here.
    pub struct Command of Self {
        /// Chiplets of the GPU.
        pub chiplets: u32 = Range(2, MAX_CHIPLETS as u64), "chiplets", "CPElide, table I";
        /// Cycles from the acceptance of a message to its delivery at one chiplet, or in the other
        /// direction.
        pub unicast_latency: u32 = Range(1, 255), "cycles", "CPElide, section IV-B";
        /// Cycles from the acceptance of a broadcast to its delivery at all chiplets.
        pub broadcast_latency: u32 = Range(1, 255), "cycles", "CPElide, section IV-B";
        /// Latency of an access to the private memory, in cycles of the processor's clock.
        pub private_latency: u32 = Range(1, 255), "cycles", "CPElide, section IV-B";
        /// Cycles in which the processor's clock is enabled: the first ones of each `clock_of`
        /// cycles of `clk_i`.
        pub clock_on: u32 = Range(1, 16), "cycles", "CPElide, section IV-B",
            where "at most clock_of": |command| command.clock_on <= command.clock_of;
        /// Period of the clock enable, in cycles of `clk_i`.
        pub clock_of: u32 = Range(1, 16), "cycles", "CPElide, section IV-B";
        /// Bits of a kernel's tag that a local command processor compares.
        pub tag_w: u32 = Range(1, 8), "bits", "specification 2";
    }
}

impl Command {
    /// Any legal values, which remain legal whatever legal values others are given.
    pub const LEGAL: Self = Self {
        chiplets: 2,
        unicast_latency: 1,
        broadcast_latency: 1,
        private_latency: 1,
        clock_on: 1,
        clock_of: 1,
        tag_w: 8,
    };

    /// Checks every limit of specification section 2.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }
}
