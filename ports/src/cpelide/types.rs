//! Messages between the command-processor blocks (`rtl/cpelide/cpelide_types.svh`), and whatever
//! else the blocks share: one path for all of it.

pub use super::codes::*;
pub use super::parameters::*;
use crate::Bytes;
use crate::message;

message! {
    /// One message between the global command processor and a local one. 64 bits (specification
    /// 3.2).
    pub struct Message: "COMMAND_MSG_T" in "cpelide_types.svh" () {
        /// [63:32] Meaning depends on `kind`.
        pub b: u32 = 32,
        /// [31:16] Meaning depends on `kind`.
        pub a: u16 = 16,
        /// [15:8] Kernel tag.
        pub tag: u8 = 8,
        /// [7:4] Destination chiplet; on the way back, the source.
        pub chiplet: u8 = 4,
        /// [3:0] See [`kind`].
        pub kind: u8 = 4,
    }
}

impl Message {
    /// Its bits.
    pub fn bits(&self) -> u64 {
        let Self { b, a, tag, chiplet, kind } = *self;
        let low = u32::from(a) << 16 | u32::from(tag) << 8;
        u64::from(b) << 32 | u64::from(low | u32::from(chiplet) << 4 | u32::from(kind))
    }

    /// The message of these bits.
    pub fn from_bits(bits: u64) -> Self {
        Self {
            kind: (bits & 15) as u8,
            chiplet: (bits >> 4 & 15) as u8,
            tag: (bits >> 8) as u8,
            a: (bits >> 16) as u16,
            b: (bits >> 32) as u32,
        }
    }
}

message! {
    /// A message with its destinations, from the global command processor to the crossbar. 81 bits.
    pub struct Tx: "COMMAND_TX_T" in "cpelide_types.svh" () {
        /// [80] To all chiplets at once; needs `dst` = all.
        pub bcast: bool = 1,
        /// [79:64] Bit c = chiplet c.
        pub dst: u16 = 16,
        /// [63:0] Its `chiplet` is rewritten to each destination.
        pub msg: Message = (),
    }
}

message! {
    /// One work group for the chiplet's dispatcher. 48 bits (specification 5.7).
    pub struct WorkGroup: "COMMAND_WG_T" in "cpelide_types.svh" () {
        /// [47:40] Kernel tag.
        pub tag: u8 = 8,
        /// [39:32] Packet slot.
        pub slot: u8 = 8,
        /// [31:0] Number of the work group in the grid.
        pub group: u32 = 32,
    }
}

message! {
    /// One AQL packet. 536 bits (specification 3.1, 3.6).
    pub struct Aql: "COMMAND_AQL_T" in "cpelide_types.svh" () {
        /// [535:520] Chiplets bound to the stream; bit c = chiplet c.
        pub mask: u16 = 16,
        /// [519:512] Stream.
        pub stream: u8 = 8,
        /// [511:0] The packet, byte 0 lowest.
        pub packet: Bytes<64> = 64,
    }
}

message! {
    /// One beat of a packet's extension block. 129 bits (specification 3.1).
    pub struct Ext: "COMMAND_EXT_T" in "cpelide_types.svh" () {
        /// [128] Last beat of the block.
        pub last: bool = 1,
        /// [127:0] 16 bytes, byte 0 lowest.
        pub data: u128 = 128,
    }
}

message! {
    /// One retired instruction, or one that trapped: what RVFI tells of it. 270 bits (specification
    /// 3.1).
    pub struct Retired: "COMMAND_TRACE_T" in "cpelide_types.svh" () {
        /// Number of the record, from 1.
        pub order: u64 = 64,
        /// It took a trap instead of retiring; `rd`, `wdata` and all `mem_` are then 0.
        pub trap: bool = 1,
        /// Address of the instruction.
        pub pc: u32 = 32,
        /// The instruction; a compressed one in [15:0], with 0 above.
        pub insn: u32 = 32,
        /// Register written, 0 for none.
        pub rd: u8 = 5,
        /// Value written to it, 0 for none.
        pub wdata: u32 = 32,
        /// Byte address of a load or store, else 0.
        pub mem_addr: u32 = 32,
        /// Load: bytes read from `mem_addr` on: 1, 3 or 15. Else 0.
        pub mem_rmask: u8 = 4,
        /// Store: bytes written from `mem_addr` on: 1, 3 or 15. Else 0.
        pub mem_wmask: u8 = 4,
        /// Load: the value as extended to 32 bits. Else 0.
        pub mem_rdata: u32 = 32,
        /// Store: rs2, of which the bytes above the access are 0. Else 0.
        pub mem_wdata: u32 = 32,
    }
}
