//! Messages between the FinePack blocks (`rtl/finepack/finepack_types.svh`), and whatever else the
//! blocks share: one path for all of it.

pub use super::codes::*;
pub use super::header::*;
pub use super::parameters::*;
use crate::Bytes;
use crate::message;

/// The bytes of one line; those at or above `line` are zero.
pub type LineData = Bytes<MAX_LINE>;
/// The bytes of one beat; those at or above `beat` are zero.
pub type BeatData = Bytes<MAX_BEAT>;

message! {
    /// One request to the remote write queue. 1235 bits at `line` = 128 (specification 3.1).
    pub struct Req: "FINEPACK_REQ_T" in "finepack_types.svh" (line: u32) {
        /// Atomic operation, see [`aop`].
        pub aop: u8 = 4,
        /// Store: byte k of the line. Atomic: operands in bytes 0 to 15.
        pub data: LineData = line,
        /// Byte enables of the line.
        pub mask: u128 = line,
        /// Byte address; the bits below the line size are ignored.
        pub addr: u64 = 64,
        /// Request number: returned with `rel_id`, carried as the PCIe tag.
        pub id: u8 = 8,
        /// Destination GPU.
        pub dest: u8 = 4,
        /// Operation, see [`op`].
        pub op: u8 = 3,
    }
}

message! {
    /// One beat from the remote write queue to the packetizer (specification 3.2). Fields foreign
    /// to a kind are 0: READ has `line` and `mask`; ATOMIC `aop`, `line`, `mask` and operands in
    /// `data`; MARK none.
    pub struct Drain: "FINEPACK_DRAIN_T" in "finepack_types.svh" (line: u32) {
        /// First beat of a packet.
        pub sop: bool = 1,
        /// Last beat of a packet.
        pub eop: bool = 1,
        /// See [`drain_kind`].
        pub kind: u8 = 2,
        /// Destination GPU.
        pub dest: u8 = 4,
        /// PACK: the partition's packet counter. Others: the request's id.
        pub id: u8 = 8,
        /// Atomic operation.
        pub aop: u8 = 4,
        /// PACK: first byte of the window (already shifted left by `offset_width`).
        pub base: u64 = 64,
        /// PACK: exact payload bytes of the packet, 1 to 4096.
        pub plen: u16 = 13,
        /// Byte address / `line`.
        pub line: u64 = 64 - line.ilog2(),
        /// Byte enables.
        pub mask: u128 = line,
        /// Byte k of the line; disabled bytes are 0.
        pub data: LineData = line,
    }
}

message! {
    /// One beat of a TLP (specification 3.3).
    pub struct Tlp: "FINEPACK_TLP_T" in "finepack_types.svh" (beat: u32) {
        /// First beat.
        pub sop: bool = 1,
        /// Last beat.
        pub eop: bool = 1,
        /// Destination GPU.
        pub dest: u8 = 4,
        /// Header bytes 0 to 15, byte 0 lowest; 0 without `sop`.
        pub hdr: u128 = 128,
        /// Valid bytes of this beat, 0 to `beat`. Padding to a DW is not counted.
        pub nbytes: u8 = 8,
        /// Payload bytes; those at or above `nbytes` are 0.
        pub data: BeatData = beat,
    }
}

message! {
    /// One access for the destination's memory system (specification 3.4).
    pub struct Ingress: "FINEPACK_INGRESS_T" in "finepack_types.svh" (line: u32) {
        /// See [`ingress_kind`].
        pub kind: u8 = 2,
        /// Atomic operation.
        pub aop: u8 = 4,
        /// Requester ID of the TLP.
        pub src: u16 = 16,
        /// Tag of the TLP.
        pub tag: u8 = 8,
        /// Byte address, aligned to a line.
        pub addr: u64 = 64,
        /// Byte enables.
        pub mask: u128 = line,
        /// Byte k of the line; disabled bytes are 0. Atomic: operands in bytes 0 to 15.
        pub data: LineData = line,
    }
}

message! {
    /// What happened in stage S2 one cycle ago (specification 3.4).
    pub struct Evt: "FINEPACK_EVT_T" in "finepack_types.svh" (parts: u32) {
        /// Per partition, see [`flush_cause`].
        pub flush_cause: [u8; MAX_PARTS] = (3, parts),
        /// Bit 0: waited for a bank. Bit 1: waited for an order-queue slot.
        pub stall: u8 = 2,
        /// Bytes overwritten before they were sent, 0 to `line`.
        pub overwritten: u8 = 8,
        /// More than one error arose; only the lowest code is shown.
        pub err_lost: bool = 1,
    }
}
