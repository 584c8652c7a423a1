//! Headers of a TLP and of its sub-packets (FinePack, HPCA'23, section IV, tables I and II).

use bitfield_struct::bitfield;

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

/// Requester id of a GPU: bus 0, device = GPU, function 0, as `{8'h00, gpu, 4'h0}`.
pub const fn requester_id(gpu: u8) -> u16 {
    (gpu as u16) << 4
}

/// Header of a sub-packet, sent as `sub_header_bytes` bytes, lowest first (specification 3.6;
/// FinePack, table II).
#[bitfield(u64)]
#[derive(PartialEq, Eq)]
pub struct SubHeader {
    /// Payload bytes, 1 to 1023.
    #[bits(10)]
    pub len: u16,
    /// Offset from the base address in bytes, `8 * sub_header_bytes - 10` bits.
    #[bits(54)]
    pub offset: u64,
}

/// Number of runs of enabled bytes (specification 5.1).
#[inline]
pub fn runs(mask: u128) -> u32 {
    (mask & !(mask << 1)).count_ones()
}

/// Payload bytes that a mask costs: its bytes and one sub-header of `sub_header_bytes` bytes for
/// each run.
#[inline]
pub fn cost(mask: u128, sub_header_bytes: u32) -> u32 {
    mask.count_ones() + sub_header_bytes * runs(mask)
}
