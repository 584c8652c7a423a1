//! Messages between the FinePack blocks, the parameters that they share, and the outer header of a
//! packet (`rtl/common/finepack_types.svh`; FinePack, HPCA'23, section IV, tables I to III).

use bitfield_struct::bitfield;
use serde::{Deserialize, Serialize};

use crate::block::ConfigError;
use crate::message;
use crate::ports::Bytes;

/// Most GPUs of a system.
pub const MAX_GPUS: usize = 16;
/// Most partitions of a remote write queue: one for each other GPU.
pub const MAX_PARTS: usize = MAX_GPUS - 1;
/// Longest line in bytes.
pub const MAX_LINE: usize = 128;
/// Longest beat in bytes.
pub const MAX_BEAT: usize = 128;

/// The bytes of one line; those at or above `line` are zero.
pub type LineData = Bytes<MAX_LINE>;
/// The bytes of one beat; those at or above `beat` are zero.
pub type BeatData = Bytes<MAX_BEAT>;

/// `Req::op`: what a request asks for. 3 bits; 5 to 7 are illegal (error code 3).
pub mod op {
    /// Store the enabled bytes.
    pub const STORE: u8 = 0;
    /// Load the enabled bytes.
    pub const LOAD: u8 = 1;
    /// Atomic read-modify-write of 4 or 8 bytes.
    pub const ATOMIC: u8 = 2;
    /// System-scope release: a fence, or the end of a kernel.
    pub const RELEASE_SYS: u8 = 3;
    /// GPU-scope release: no effect on the queue.
    pub const RELEASE_GPU: u8 = 4;
}

/// `Req::aop`: the atomic operation. 4 bits; 8 to 15 are illegal (error code 3).
pub mod aop {
    /// Fetch and add.
    pub const ADD: u8 = 0;
    /// Unconditional swap.
    pub const SWAP: u8 = 1;
    /// Compare and swap: the operands are the compare value, then the new value.
    pub const CAS: u8 = 2;
    /// Signed minimum.
    pub const MIN: u8 = 3;
    /// Signed maximum.
    pub const MAX: u8 = 4;
    /// Bitwise and.
    pub const AND: u8 = 5;
    /// Bitwise or.
    pub const OR: u8 = 6;
    /// Bitwise exclusive or.
    pub const XOR: u8 = 7;
}

/// `Drain::kind`: what a beat of the drain channel carries. 2 bits.
pub mod drain_kind {
    /// One entry of a FinePack packet.
    pub const PACK: u8 = 0;
    /// A load, as a plain memory read.
    pub const READ: u8 = 1;
    /// An atomic.
    pub const ATOMIC: u8 = 2;
    /// The zero-length read whose completion shows that all earlier stores have arrived.
    pub const MARK: u8 = 3;
}

/// `Ingress::kind`: what the de-packetizer hands to the memory system. 2 bits.
pub mod ingress_kind {
    /// Write the enabled bytes.
    pub const WRITE: u8 = 0;
    /// Read the enabled bytes.
    pub const READ: u8 = 1;
    /// Atomic read-modify-write; the operands stand in bytes 0 to 15.
    pub const ATOMIC: u8 = 2;
    /// Complete this mark.
    pub const MARK: u8 = 3;
}

/// Why a partition was flushed: `Evt::flush_cause`, 3 bits, in the order of specification 5.3.
pub mod flush_cause {
    /// No flush.
    pub const NONE: u8 = 0;
    /// The store lies outside the address window of the packet.
    pub const WINDOW: u8 = 1;
    /// The store does not fit into what is left of the payload.
    pub const FULL_PAYLOAD: u8 = 2;
    /// All entries are in use.
    pub const FULL_ENTRIES: u8 = 3;
    /// A load overlaps a queued store.
    pub const LOAD_HIT: u8 = 4;
    /// An atomic overlaps a queued store.
    pub const ATOMIC_HIT: u8 = 5;
    /// A system-scope release.
    pub const RELEASE: u8 = 6;
    /// No store for `timeout` cycles.
    pub const TIMEOUT: u8 = 7;
    /// Their names, by code.
    pub const NAMES: [&str; 8] =
        ["none", "window", "payload", "entries", "load", "atomic", "release", "timeout"];
}

/// Error codes on `err_code`, 4 bits (specification 12).
pub mod error_code {
    /// A store, load or atomic without enabled bytes, or an atomic of an illegal size or alignment.
    pub const ZERO_MASK: u8 = 1;
    /// The destination is this GPU or does not exist.
    pub const BAD_DEST: u8 = 2;
    /// The operation, or the atomic operation, does not exist.
    pub const BAD_OP: u8 = 3;
    /// Base plus offset exceeds 64 bits.
    pub const ADDR_OVERFLOW: u8 = 4;
    /// Unknown format or type of a TLP.
    pub const BAD_TYPE: u8 = 5;
    /// Length of a sub-packet is 0 or above a line, or the sub-packet crosses a line.
    pub const BAD_SUBHEADER: u8 = 6;
    /// The bytes of a TLP end before or after what its header says.
    pub const TRUNCATED: u8 = 7;
    /// The TLP is marked as poisoned.
    pub const POISONED: u8 = 8;
    /// A completion that no mark waits for.
    pub const SPURIOUS_COMPLETION: u8 = 9;
}

/// `acct`: what a hit subtracts from the available payload (specification 5.2).
pub mod acct {
    /// New bytes and new runs only.
    pub const EXACT: u8 = 0;
    /// The whole cost of the store, as the paper's text has it.
    pub const PAPER: u8 = 1;
}

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
        /// PACK: first byte of the window (already shifted left by `offb`).
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

/// Outer header of a TLP: 4 DW, byte 0 (transmitted first) lowest (specification 3.5; FinePack,
/// table I; PCIe base specification 4.0, section 2.2).
#[bitfield(u128)]
#[derive(PartialEq, Eq)]
pub struct TlpHeader {
    /// Byte 0\[4:0\]: type, see [`tlp_type`].
    #[bits(5)]
    pub tlp_type: u8,
    /// Byte 0\[7:5\]: format, 0b011 with data, 0b001 without (4 DW header).
    #[bits(3)]
    pub fmt: u8,
    /// Byte 1\[1:0\]: TH and LN, 0.
    #[bits(2)]
    pub th_ln: u8,
    /// Byte 1\[2\]: attribute 2; the lowest bit of `aop` in an atomic.
    pub attr2: bool,
    /// Byte 1\[3\]: T8, 0.
    pub t8: bool,
    /// Byte 1\[6:4\]: traffic class; its low two bits are `aop[2:1]` in an atomic.
    #[bits(3)]
    pub tc: u8,
    /// Byte 1\[7\]: T9, 0.
    pub t9: bool,
    /// Byte 2\[1:0\]: length bits 9 and 8.
    #[bits(2)]
    pub length_high: u8,
    /// Byte 2\[3:2\]: address type, 0.
    #[bits(2)]
    pub at: u8,
    /// Byte 2\[5:4\]: attributes 1 and 0, 0.
    #[bits(2)]
    pub attr: u8,
    /// Byte 2\[6\]: error / poisoned.
    pub ep: bool,
    /// Byte 2\[7\]: TLP digest, that is an ECRC follows.
    pub td: bool,
    /// Byte 3: length bits 7 to 0.
    pub length_low: u8,
    /// Bytes 4 and 5: requester id, as stored (big-endian on the wire).
    pub requester_be: u16,
    /// Byte 6: tag.
    pub tag: u8,
    /// Byte 7\[3:0\]: first DW byte enables.
    #[bits(4)]
    pub first_be: u8,
    /// Byte 7\[7:4\]: last DW byte enables.
    #[bits(4)]
    pub last_be: u8,
    /// Bytes 8 to 15: address, as stored (big-endian on the wire).
    pub address_be: u64,
}

impl TlpHeader {
    /// Length in DW, 1 to 1024 (1024 is coded as 0).
    pub fn length_dw(&self) -> u32 {
        let coded = u32::from(self.length_high()) << 8 | u32::from(self.length_low());
        if coded == 0 { 1024 } else { coded }
    }

    /// Sets the length in DW, 1 to 1024.
    pub fn with_length_dw(self, dw: u32) -> Self {
        self.with_length_high((dw >> 8) as u8 & 3).with_length_low(dw as u8)
    }

    /// Byte address of the first DW.
    pub fn address(&self) -> u64 {
        self.address_be().swap_bytes() & !3
    }

    /// Sets the byte address; the low two bits are dropped.
    pub fn with_address(self, addr: u64) -> Self {
        self.with_address_be((addr & !3).swap_bytes())
    }

    /// Requester id.
    pub fn requester(&self) -> u16 {
        self.requester_be().swap_bytes()
    }

    /// Sets the requester id.
    pub fn with_requester(self, id: u16) -> Self {
        self.with_requester_be(id.swap_bytes())
    }
}

/// `TlpHeader::tlp_type`.
pub mod tlp_type {
    /// Memory read or write.
    pub const MEM: u8 = 0b00000;
    /// Fetch-and-add, and with `aop` in the header every atomic that PCIe has no type for.
    pub const FETCH_ADD: u8 = 0b01100;
    /// Unconditional swap.
    pub const SWAP: u8 = 0b01101;
    /// Compare and swap.
    pub const CAS: u8 = 0b01110;
    /// FinePack packet, an unassigned encoding.
    pub const FINEPACK: u8 = 0b01111;
}

/// `TlpHeader::fmt`, 4 DW forms.
pub mod tlp_fmt {
    /// 4 DW header, no data.
    pub const NO_DATA: u8 = 0b001;
    /// 4 DW header, with data.
    pub const WITH_DATA: u8 = 0b011;
}

/// Requester id of a GPU: bus 0, device = GPU, function 0, as `{8'h00, gpu, 4'h0}`.
pub const fn requester_id(gpu: u8) -> u16 {
    (gpu as u16) << 4
}

/// Header of a sub-packet, sent as `sh` bytes, lowest first (specification 3.6; FinePack, table II).
#[bitfield(u64)]
#[derive(PartialEq, Eq)]
pub struct SubHeader {
    /// Payload bytes, 1 to 1023.
    #[bits(10)]
    pub len: u16,
    /// Offset from the base address in bytes, `8 * sh - 10` bits.
    #[bits(54)]
    pub offset: u64,
}

/// Number of runs of enabled bytes (specification 5.1).
#[inline]
pub fn runs(mask: u128) -> u32 {
    (mask & !(mask << 1)).count_ones()
}

/// Payload bytes that a mask costs: its bytes and one sub-header of `sh` bytes for each run.
#[inline]
pub fn cost(mask: u128, sh: u32) -> u32 {
    mask.count_ones() + sh * runs(mask)
}

/// Partition that serves GPU `dest` in GPU `self_id`.
#[inline]
pub fn partition_of(dest: u8, self_id: u8) -> usize {
    usize::from(if dest < self_id { dest } else { dest - 1 })
}

/// GPU that partition `part` of GPU `self_id` serves.
#[inline]
pub fn gpu_of(part: usize, self_id: u8) -> u8 {
    if part < usize::from(self_id) { part as u8 } else { part as u8 + 1 }
}

/// Bytes of the packetizer's accumulator and of the de-packetizer's window (specification 5.5, 5.6).
pub const fn window_bytes(beat: u32, sh: u32, line: u32) -> u32 {
    (2 * beat + sh + line).next_multiple_of(8)
}

/// Offset bits that `sh` bytes of sub-header leave (FinePack, table II).
pub const fn offset_bits(sh: u32) -> u32 {
    8 * sh - 10
}

/// All parameters of the FinePack blocks (specification section 2). Each block takes its own from
/// here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinePack {
    /// GPUs of the system, 2 to 16.
    pub num_gpus: u32,
    /// Entries of a bank, 2 to 64, a power of 2.
    pub entries: u32,
    /// Bytes of a line, 16 to 128, a power of 2, at most `2^offb`.
    pub line: u32,
    /// Banks of a partition, 1 or 2.
    pub banks: u32,
    /// Bytes of a sub-header, 2 to 6.
    pub sh: u32,
    /// Bits of an offset, `8 * sh - 10`.
    pub offb: u32,
    /// Largest payload of a packet in bytes.
    pub maxpay: u32,
    /// Bytes of a beat: 8, 16, 32, 64 or 128.
    pub beat: u32,
    /// Depth of a partition's order queue, 2 to 16.
    pub ordq: u32,
    /// Depth of the de-packetizer's buffer in lines, 2 to 64.
    pub dq: u32,
    /// 1 where an ECRC is sent.
    pub ecrc_en: u32,
    /// PCIe generation of the link, 2 to 6.
    pub pcie_gen: u32,
}

impl FinePack {
    /// Checks every limit of specification section 2.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check =
            |ok, name, value: u32, limit: &str| ConfigError::check(ok, name, value.into(), limit);
        let pow2 = |v: u32, low, high| v.is_power_of_two() && (low..=high).contains(&v);
        check((2..=16).contains(&self.num_gpus), "num_gpus", self.num_gpus, "2 to 16")?;
        check(pow2(self.entries, 2, 64), "entries", self.entries, "a power of 2, 2 to 64")?;
        check((2..=6).contains(&self.sh), "sh", self.sh, "2 to 6")?;
        let offb = offset_bits(self.sh);
        ConfigError::check(
            self.offb == offb,
            "offb",
            self.offb.into(),
            format!("8 * sh - 10 = {offb}"),
        )?;
        check(pow2(self.line, 16, 128), "line", self.line, "a power of 2, 16 to 128")?;
        let window = 1u64 << offb;
        ConfigError::check(
            u64::from(self.line) <= window,
            "line",
            self.line.into(),
            format!("at most 2^offb = {window}"),
        )?;
        check((1..=2).contains(&self.banks), "banks", self.banks, "1 or 2")?;
        let least = self.line / 2 * (1 + self.sh) + 4;
        ConfigError::check(
            self.maxpay % 4 == 0 && (least..=4096).contains(&self.maxpay),
            "maxpay",
            self.maxpay.into(),
            format!("a multiple of 4, (line / 2) * (1 + sh) + 4 = {least} to 4096"),
        )?;
        check(pow2(self.beat, 8, 128), "beat", self.beat, "8, 16, 32, 64 or 128")?;
        check((2..=16).contains(&self.ordq), "ordq", self.ordq, "2 to 16")?;
        check((2..=64).contains(&self.dq), "dq", self.dq, "2 to 64")?;
        check(self.ecrc_en <= 1, "ecrc_en", self.ecrc_en, "0 or 1")?;
        check((2..=6).contains(&self.pcie_gen), "pcie_gen", self.pcie_gen, "2 to 6")
    }
}
