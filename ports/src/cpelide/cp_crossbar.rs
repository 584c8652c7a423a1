//! Parameters and ports of the crossbar between command processors
//! (`rtl/cpelide/cp_crossbar/cp_crossbar.sv`).

use crate::cpelide::types::{Command, MAX_CHIPLETS, Message, Tx};
use crate::ports;

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Command {
        /// `Chiplets`: 2 to 16. A parameter because each chiplet has its own ports and its own
        /// links.
        pub chiplets = "Chiplets",
        /// `UnicastLatency`: latency of a unicast and of the way back in cycles, 1 to 255.
        pub unicast_latency = "UnicastLatency",
        /// `BroadcastLatency`: latency of a broadcast in cycles, 1 to 255.
        pub broadcast_latency = "BroadcastLatency",
    }
}

/// One message for each chiplet, element c for chiplet c; those at or above `chiplets` are not
/// ports.
pub type PerChiplet = [Message; MAX_CHIPLETS];

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Messages from the global command processor.
        pub tx: Option<Tx> as (tx_valid, tx) = (),
        /// The global command processor takes the message.
        pub rx_ready: bool = 1,
        /// Bit c: chiplet c takes its message.
        pub down_ready: u16 = c.chiplets,
        /// Bit c: chiplet c sends a message.
        pub up_valid: u16 = c.chiplets,
        /// The messages that the chiplets send.
        pub up: PerChiplet = ((), c.chiplets),
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The message from the global command processor is taken.
        pub tx_ready: bool = 1,
        /// Messages to the global command processor, one per cycle.
        pub rx: Option<Message> as (rx_valid, rx) = (),
        /// Bit c: there is a message for chiplet c.
        pub down_valid: u16 = c.chiplets,
        /// The messages for the chiplets; 0 where there is none.
        pub down: PerChiplet = ((), c.chiplets),
        /// Bit c: the message of chiplet c is taken.
        pub up_ready: u16 = c.chiplets,
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 8,
    }
}
