//! Parameters and ports of the local command processor
//! (`rtl/cpelide/local_command_processor/local_command_processor.sv`).

use crate::cpelide::types::{Command, Message, WorkGroup};
use crate::ports;

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Command {
        /// `TagW`: bits of a kernel's tag that are looked at, the low ones, 1 to 8.
        pub tag_w = "TagW",
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Messages from the crossbar.
        pub rx: Option<Message> as (rx_valid, rx) = (),
        /// The crossbar takes the message.
        pub tx_ready: bool = 1,
        /// The L2 takes the operation.
        pub l2_sync_ready: bool = 1,
        /// Pulse: the operation is done; the payload is the number of lines written back.
        pub l2_sync_done: Option<u32> as (l2_sync_done, l2_sync_wb) = 32,
        /// Pulse: the L1s are invalidated.
        pub l1_inv_done: bool = 1,
        /// The dispatcher takes the work group.
        pub wg_ready: bool = 1,
        /// A work group of this tag is finished.
        pub wg_done: Option<u8> as (wg_done_valid, wg_done) = 8,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The message from the crossbar is taken.
        pub rx_ready: bool = 1,
        /// Messages to the crossbar.
        pub tx: Option<Message> as (tx_valid, tx) = (),
        /// An operation for the chiplet's L2: bit 0 release, bit 1 acquire.
        pub l2_sync: Option<u8> as (l2_sync_valid, l2_sync_op) = 2,
        /// Pulse: invalidate the chiplet's L1s.
        pub l1_inv: bool = 1,
        /// Work groups for the chiplet's CUs.
        pub wg: Option<WorkGroup> as (wg_valid, wg) = (),
    }
}
