//! Outer headers of the TLPs that GPUs send (specification 3.5; PCIe base specification
//! 4.0, section 2.2).

use ports::finepack::types::{TlpHeader, aop, requester_id, tlp_fmt, tlp_type};

/// What the header of a FinePack packet contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketForm {
    pub tlp_type: u8,
    /// By payload length modulo 4: enables of the last DW, from which the receiver knows how much
    /// of it is padding.
    pub last_enables: [u8; 4],
    /// Length counts the last DW even if it is not full.
    pub rounds_up: bool,
}

/// Specification 3.5.
pub const PACKET: PacketForm = PacketForm {
    tlp_type: tlp_type::FINEPACK,
    last_enables: [0b1111, 0b0001, 0b0011, 0b0111],
    rounds_up: true,
};

/// How a header contains an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub tlp_type: u8,
    pub tc: u8,
    pub attr2: bool,
    /// Operands of its payload.
    pub operands: u32,
}

impl Operation {
    const fn fetch(aop: u8) -> Self {
        Self { tlp_type: tlp_type::FETCH_ADD, tc: aop >> 1, attr2: aop & 1 == 1, operands: 1 }
    }

    /// Operand bytes of an atomic on the enabled bytes of a line: at most 16, also where a caller
    /// breaks the rule that an atomic has 4 or 8 bytes.
    pub fn operand_bytes(&self, mask: u128) -> u32 {
        mask.count_ones().min(8) * self.operands
    }
}

/// By `aop` (specification 3.1).
pub const OPERATIONS: [Operation; 8] = {
    let mut operations = [Operation::fetch(aop::ADD); 8];
    let mut fetch = aop::MIN;
    while fetch <= aop::XOR {
        operations[fetch as usize] = Operation::fetch(fetch);
        fetch += 1;
    }
    let none = Operation::fetch(aop::ADD);
    operations[aop::SWAP as usize] = Operation { tlp_type: tlp_type::SWAP, ..none };
    operations[aop::CAS as usize] = Operation { tlp_type: tlp_type::CAS, operands: 2, ..none };
    operations
};

/// What the headers of one GPU have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The sending GPU.
    pub gpu: u8,
    /// An ECRC follows.
    pub ecrc: bool,
}

impl Sender {
    fn common(self, tag: u8) -> TlpHeader {
        TlpHeader::new().with_td(self.ecrc).with_requester(requester_id(self.gpu)).with_tag(tag)
    }

    /// Plain write of `bytes` bytes from `addr`; at most 4096 bytes of one 4 KiB page. The payload
    /// is the DWs that they lie in.
    pub fn write(self, tag: u8, addr: u64, bytes: u32) -> TlpHeader {
        let lead = addr as u32 % 4;
        let dws = (lead + bytes).div_ceil(4);
        let tail = dws * 4 - lead - bytes;
        let (first, last) = (0xF << lead & 0xF, 0xF >> tail);
        let (first, last) = if dws == 1 { (first & last, 0) } else { (first, last) };
        self.common(tag)
            .with_fmt(tlp_fmt::WITH_DATA)
            .with_length_dw(dws)
            .with_address(addr)
            .with_first_be(first)
            .with_last_be(last)
    }

    /// Plain read of the DWs from the first to the last enabled byte of a line.
    pub fn read(self, tag: u8, line_addr: u64, mask: u128) -> TlpHeader {
        let first = (mask.trailing_zeros() & 127) / 4;
        let last = 127u32.saturating_sub(mask.leading_zeros()) / 4;
        // Holes inside the first and the last DW are not read either.
        let enables = |dw: u32| (mask >> (4 * dw)) as u8 & 0xF;
        self.common(tag)
            .with_fmt(tlp_fmt::NO_DATA)
            .with_length_dw(last - first + 1)
            .with_first_be(enables(first))
            .with_last_be(if last == first { 0 } else { enables(last) })
            .with_address(line_addr + u64::from(4 * first))
    }

    /// MARK: a read of no byte.
    pub fn mark(self, tag: u8) -> TlpHeader {
        self.common(tag).with_fmt(tlp_fmt::NO_DATA).with_length_dw(1)
    }

    /// Atomic on the enabled bytes of a line.
    pub fn atomic(self, tag: u8, line_addr: u64, mask: u128, operation: &Operation) -> TlpHeader {
        self.common(tag)
            .with_fmt(tlp_fmt::WITH_DATA)
            .with_tlp_type(operation.tlp_type)
            .with_tc(operation.tc)
            .with_attr2(operation.attr2)
            .with_length_dw(operation.operand_bytes(mask) / 4)
            .with_address(line_addr + u64::from(mask.trailing_zeros() & 127))
    }

    /// FinePack packet with `plen` payload bytes, offsets counting from `base`.
    pub fn packet(self, tag: u8, base: u64, plen: u32, form: &PacketForm) -> TlpHeader {
        let dws = if form.rounds_up { plen.div_ceil(4) } else { plen / 4 };
        self.common(tag)
            .with_fmt(tlp_fmt::WITH_DATA)
            .with_tlp_type(form.tlp_type)
            .with_length_dw(dws)
            .with_last_be(form.last_enables[plen as usize % 4])
            .with_address(base)
    }

    /// Configuration packet: sets the receiver's context to `base` (FinePack section VI-B). Coded
    /// as a FinePack packet without data (chosen: this combination is unassigned as well).
    pub fn context(self, tag: u8, base: u64) -> TlpHeader {
        self.common(tag)
            .with_fmt(tlp_fmt::NO_DATA)
            .with_tlp_type(tlp_type::FINEPACK)
            .with_length_dw(1)
            .with_address(base)
    }
}

/// True for 4 or 8 contiguous bytes at a multiple of their number: a legal atomic.
#[inline]
pub fn is_atomic_size(mask: u128) -> bool {
    let first = mask.trailing_zeros();
    mask != 0
        && match mask >> first {
            0xF => first.is_multiple_of(4),
            0xFF => first.is_multiple_of(8),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU0: Sender = Sender { gpu: 0, ecrc: true };

    #[test]
    fn packet_header_is_that_of_worked_example_8() {
        let bytes = GPU0.packet(0, 0x4000_0000, 42, &PACKET).into_bits().to_le_bytes();
        let expected = [0x6F, 0x00, 0x80, 0x0B, 0, 0, 0, 0x30, 0, 0, 0, 0, 0x40, 0x00, 0x00, 0x00];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn byte_enables_of_a_write_describe_first_and_last_dw() {
        let hdr = GPU0.write(0, 0x103, 6);
        assert_eq!((hdr.address(), hdr.length_dw()), (0x100, 3));
        assert_eq!((hdr.first_be(), hdr.last_be()), (0b1000, 0b0001));
    }

    #[test]
    fn write_within_one_dw_has_no_last_byte_enables() {
        let hdr = GPU0.write(0, 0x101, 2);
        assert_eq!((hdr.length_dw(), hdr.first_be(), hdr.last_be()), (1, 0b0110, 0));
    }

    #[test]
    fn page_is_1024_dw() {
        let hdr = GPU0.write(0, 0x1000, 4096);
        assert_eq!((hdr.length_high(), hdr.length_low(), hdr.length_dw()), (0, 0, 1024));
    }

    #[test]
    fn aop_of_atomic_stands_in_tc_and_attr() {
        let hdr = GPU0.atomic(9, 0x80, 0xF0, &OPERATIONS[usize::from(aop::XOR)]);
        assert_eq!((hdr.tlp_type(), hdr.tc(), hdr.attr2()), (tlp_type::FETCH_ADD, 0b11, true));
        assert_eq!((hdr.address(), hdr.length_dw(), hdr.tag()), (0x84, 1, 9));
    }

    #[test]
    fn atomics_have_4_or_8_aligned_bytes() {
        for legal in [0xF, 0xF0, 0xFF, 0xFF00, 0xF << 124, 0xFF << 120] {
            assert!(is_atomic_size(legal), "{legal:#x}");
        }
        for illegal in [0, 1, 3, 0x1E, 0xFF0, 0xFFF, 0xFFFF, 0xF0F, 0x7F, u128::MAX] {
            assert!(!is_atomic_size(illegal), "{illegal:#x}");
        }
    }
}
