//! Parameters and ports of the command processor
//! (`rtl/cpelide/command_processor/command_processor.sv`).

use crate::cpelide::types::{Aql, COUNTERS, Command, Ext, Message, Retired, Tx};
use crate::ports;

crate::parameters! {
    /// Parameters, one for each RTL parameter. None depends on the machine: what does is the static
    /// input `conf`.
    pub struct Config: Command {
        /// `PrivateLatency`: cycles of an access to the private memory, 1 to 255, in the
        /// processor's clock.
        pub private_latency = "PrivateLatency",
        /// `ClockOn`: cycles of `clk_i` in which the processor's clock is enabled, the first of
        /// each `clock_of`.
        pub clock_on = "ClockOn",
        /// `ClockOf`: length of that pattern in cycles of `clk_i`, 1 to 16.
        pub clock_of = "ClockOf",
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// AQL packets.
        pub aql: Option<Aql> as (aql_valid, aql) = (),
        /// The extension block of the packet accepted last.
        pub ext: Option<Ext> as (ext_valid, ext) = (),
        /// The crossbar takes the message.
        pub tx_ready: bool = 1,
        /// Messages from the crossbar.
        pub rx: Option<Message> as (rx_valid, rx) = (),
        /// What the register CONF shows; static.
        pub conf: u32 = 32,
        /// Holds the core in reset, so that the image can be loaded. Falls once and stays 0.
        pub core_hold: bool = 1,
        /// Writes a word to IMEM while `core_hold` is 1.
        pub imem_we: bool = 1,
        /// Word address in IMEM.
        pub imem_addr: u16 = 14,
        /// The word.
        pub imem_data: u32 = 32,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The packet is taken.
        pub aql_ready: bool = 1,
        /// The beat is taken.
        pub ext_ready: bool = 1,
        /// Messages to the crossbar.
        pub tx: Option<Tx> as (tx_valid, tx) = (),
        /// The message from the crossbar is taken.
        pub rx_ready: bool = 1,
        /// Pulse: address of a completion signal to write.
        pub sig: Option<u64> as (sig_valid, sig) = 64,
        /// One retired or trapped instruction.
        pub trace: Option<Retired> as (trace_valid, trace) = (),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 8,
        /// The status with which the core has halted; stays.
        pub exit: Option<u32> as (exit_valid, exit_code) = 32,
        /// The core has halted.
        pub halted: bool = 1,
        /// The counters CNT.
        pub counters: [u32; COUNTERS] = (32, COUNTERS as u32),
    }
}
