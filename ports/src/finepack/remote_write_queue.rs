//! Parameters and ports of the remote write queue
//! (`rtl/finepack/remote_write_queue/remote_write_queue.sv`).

use crate::finepack::types::{Drain, Evt, FinePack, MAX_PARTS, Req};
use crate::ports;

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: FinePack {
        /// `NumGpus`: GPUs of the system, 2 to 16.
        pub num_gpus = "NumGpus",
        /// `Entries`: entries of a bank, 2 to 64, a power of 2.
        pub entries = "Entries",
        /// `Line`: bytes of a line, 16 to 128, a power of 2, at most `2^offset_width`.
        pub line = "Line",
        /// `Banks`: banks of a partition, 1 or 2.
        pub banks = "Banks",
        /// `SubHeaderBytes`: bytes of a sub-header, 2 to 6.
        pub sub_header_bytes = "SubHeaderBytes",
        /// `OffsetWidth`: bits of an offset, `8 * sub_header_bytes - 10`.
        pub offset_width = "OffsetWidth",
        /// `MaxPayload`: largest payload of a packet in bytes.
        pub max_payload = "MaxPayload",
        /// `OrderQueueDepth`: depth of a partition's order queue, 2 to 16.
        pub order_queue_depth = "OrderQueueDepth",
    }
}

impl Config {
    /// Partitions: one for each other GPU.
    pub fn parts(&self) -> u32 {
        self.num_gpus - 1
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Requests, one in-order channel, one per cycle.
        pub req: Option<Req> as (req_valid, req) = (c.line,),
        /// The packetizer takes the drain beat.
        pub drain_ready: bool = 1,
        /// Completion of a MARK, from this GPU; always accepted.
        pub cpl: Option<u8> as (cpl_valid, cpl_dest) = 4,
        /// This GPU; static.
        pub self_id: u8 = 4,
        /// Idle cycles after which a partition is flushed, 0 for never; static.
        pub timeout: u16 = 16,
        /// 0 EXACT, 1 PAPER; static.
        pub acct: u8 = 1,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The request is taken.
        pub req_ready: bool = 1,
        /// Beats to the packetizer.
        pub drain: Option<Drain> as (drain_valid, drain) = (c.line,),
        /// Pulse: the release with this id is complete.
        pub rel: Option<u8> as (rel_done, rel_id) = 8,
        /// Entries in use in each partition's filling bank.
        pub occ: [u8; MAX_PARTS] = (7, c.parts()),
        /// Payload bytes left in each partition's filling bank.
        pub avail: [u16; MAX_PARTS] = (13, c.parts()),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// What stage S2 did one cycle ago.
        pub evt: Evt = (c.parts(),),
    }
}
