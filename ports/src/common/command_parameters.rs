//! Parameters that the command-processor blocks share (CPElide, MICRO'24, section IV-B, table I).

use serde::{Deserialize, Serialize};

use crate::ConfigError;

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

/// All parameters of the command-processor blocks (specification section 2). Each block takes its
/// own from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Chiplets of the GPU, 2 to 16.
    pub chiplets: u32,
    /// Cycles from the acceptance of a message to its delivery at one chiplet, or back, 1 to 255.
    pub unicast_latency: u32,
    /// The same of a broadcast to all chiplets, 1 to 255.
    pub broadcast_latency: u32,
    /// Cycles of an access to the private memory in the processor's clock, 1 to 255.
    pub private_latency: u32,
    /// Cycles of `clk_i` in which the processor's clock is enabled, of each `clock_of`: the first
    /// ones.
    pub clock_on: u32,
    /// Length of the pattern of the clock enable in cycles of `clk_i`, 1 to 16.
    pub clock_of: u32,
    /// Bits of a kernel's tag that a local command processor looks at, 1 to 8.
    pub tag_w: u32,
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
        ConfigError::range("chiplets", self.chiplets, 2..=16)?;
        ConfigError::range("unicast_latency", self.unicast_latency, 1..=255)?;
        ConfigError::range("broadcast_latency", self.broadcast_latency, 1..=255)?;
        ConfigError::range("private_latency", self.private_latency, 1..=255)?;
        ConfigError::range("clock_of", self.clock_of, 1..=16)?;
        let limit = format!("1 to clock_of = {}", self.clock_of);
        let clock_on = (1..=self.clock_of).contains(&self.clock_on);
        ConfigError::range("tag_w", self.tag_w, 1..=8)?;
        ConfigError::check(clock_on, "clock_on", self.clock_on.into(), limit)
    }
}
