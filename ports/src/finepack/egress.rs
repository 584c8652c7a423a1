//! Parameters and ports that all egress paths share.

use crate::finepack::types::{Evt, FinePack, Ingress, MAX_PARTS, Req, Tlp};
use crate::ports;

crate::parameters! {
    /// Parameters of the egress paths; those of FinePack's two blocks are their own.
    pub struct Config: FinePack {
        /// GPUs of the system, 2 to 16.
        pub num_gpus,
        /// Entries of a write-combining buffer, for each destination.
        pub entries,
        /// Bytes of a line.
        pub line,
        /// Bytes of a sub-header.
        pub sub_header_bytes,
        /// Bits of an offset.
        pub offset_width,
        /// Bytes of a beat.
        pub beat,
        /// 1 sets the header's TD bit.
        pub ecrc,
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
        /// The link takes the TLP beat.
        pub tlp_ready: bool = 1,
        /// Completion of a MARK, from this GPU; always accepted.
        pub cpl: Option<u8> as (cpl_valid, cpl_dest) = 4,
        /// This GPU; static.
        pub self_id: u8 = 4,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The request is taken.
        pub req_ready: bool = 1,
        /// Beats to the link.
        pub tlp: Option<Tlp> as (tlp_valid, tlp) = (c.beat,),
        /// Pulse: the release with this id is complete.
        pub rel: Option<u8> as (rel_done, rel_id) = 8,
        /// `infinite` only: an access that is at its destination now, always accepted.
        pub st: Option<Ingress> as (st_valid, st) = (c.line,),
        /// Destination of `st`; 0 without.
        pub st_dest: u8 = 4,
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// `finepack` only: what the queue's stage S2 did one cycle ago.
        pub evt: Evt = (c.parts(),),
        /// `finepack` only: entries in use in each partition's filling bank.
        pub occ: [u8; MAX_PARTS] = (7, c.parts()),
        /// `finepack` only: payload bytes left in each partition's filling bank.
        pub avail: [u16; MAX_PARTS] = (13, c.parts()),
    }
}
