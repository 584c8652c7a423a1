//! Parameters that the command-processor blocks share (CPElide, MICRO'24, section IV-B, table I).

use serde::{Deserialize, Serialize};

use crate::block::ConfigError;

/// Most chiplets of a GPU.
pub const MAX_CHIPLETS: usize = 16;
/// Messages that a local command processor's queue holds.
pub const LOCAL_QUEUE: usize = 4;
/// Tags of kernels.
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

/// All parameters of the command-processor blocks (specification section 2). Each block takes its own
/// from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Chiplets of the GPU, 2 to 16.
    pub chiplets: u32,
    /// Cycles from the acceptance of a message to its delivery at one chiplet, or back, 1 to 255.
    pub xb_uni: u32,
    /// The same of a broadcast to all chiplets, 1 to 255.
    pub xb_bc: u32,
    /// Cycles of an access to the private memory in the processor's clock, 1 to 255.
    pub pmem_lat: u32,
    /// Cycles of `clk_i` in which the processor's clock is enabled, of each `ce_of`: the first ones.
    pub ce_on: u32,
    /// Length of the pattern of the clock enable in cycles of `clk_i`, 1 to 16.
    pub ce_of: u32,
}

impl Command {
    /// Checks every limit of specification section 2.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check =
            |ok, name, value: u32, limit: &str| ConfigError::check(ok, name, value.into(), limit);
        let byte = 1..=255;
        check((2..=16).contains(&self.chiplets), "chiplets", self.chiplets, "2 to 16")?;
        check(byte.contains(&self.xb_uni), "xb_uni", self.xb_uni, "1 to 255")?;
        check(byte.contains(&self.xb_bc), "xb_bc", self.xb_bc, "1 to 255")?;
        check(byte.contains(&self.pmem_lat), "pmem_lat", self.pmem_lat, "1 to 255")?;
        check((1..=16).contains(&self.ce_of), "ce_of", self.ce_of, "1 to 16")?;
        let limit = format!("1 to ce_of = {}", self.ce_of);
        check((1..=self.ce_of).contains(&self.ce_on), "ce_on", self.ce_on, &limit)
    }
}
