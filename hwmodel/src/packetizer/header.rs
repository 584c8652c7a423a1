//! The outer header of a TLP, from the first drain beat of its packet (specification 3.5;
//! `rtl/packetizer/README.md`, rule 5).

use ports::common::finepack_types::{
    Drain, TlpHeader, aop, drain_kind, requester_id, tlp_fmt, tlp_type,
};

/// Enables of the last DW of a FinePack packet, by exact length modulo 4: they tell the receiver
/// how much of the last DW is padding.
const LAST_BE: [u8; 4] = [0b1111, 0b0001, 0b0011, 0b0111];

/// Outer header for the packet that begins with `drain`; `line` is the line size in bytes.
#[inline(never)]
pub(super) fn outer_header(drain: &Drain, line: u32, ecrc: bool, self_id: u8) -> TlpHeader {
    let common = TlpHeader::new()
        .with_td(ecrc)
        .with_requester(requester_id(self_id))
        .with_tag(drain.id)
        .with_fmt(tlp_fmt::WITH_DATA);
    match drain.kind {
        drain_kind::PACK => common
            .with_tlp_type(tlp_type::FINEPACK)
            .with_length_dw(u32::from(drain.plen).div_ceil(4))
            .with_last_be(LAST_BE[usize::from(drain.plen % 4)])
            .with_address(drain.base),
        drain_kind::READ => read(common, drain, line),
        drain_kind::ATOMIC => atomic(common, drain, line),
        _ => common.with_fmt(tlp_fmt::NO_DATA).with_tlp_type(tlp_type::MEM).with_length_dw(1),
    }
}

/// Bytes of an atomic's operands; 0 for the kinds without payload.
#[inline(never)]
pub(super) fn operand_bytes(drain: &Drain) -> u32 {
    let operands = match (drain.kind, drain.aop) {
        (drain_kind::ATOMIC, aop::CAS) => 2,
        (drain_kind::ATOMIC, _) => 1,
        _ => return 0,
    };
    // At most 16 also where a caller breaks the rule that an atomic has 4 or 8 bytes.
    operands * drain.mask.count_ones().min(8)
}

fn read(common: TlpHeader, drain: &Drain, line: u32) -> TlpHeader {
    let first = (drain.mask.trailing_zeros() & 127) / 4;
    let last = 127u32.saturating_sub(drain.mask.leading_zeros()) / 4;
    let enables = |dw: u32| (drain.mask >> (4 * dw)) as u8 & 0xf;
    common
        .with_fmt(tlp_fmt::NO_DATA)
        .with_tlp_type(tlp_type::MEM)
        .with_length_dw(last - first + 1)
        .with_first_be(enables(first))
        .with_last_be(if last == first { 0 } else { enables(last) })
        .with_address((drain.line << line.trailing_zeros()) + u64::from(4 * first))
}

fn atomic(common: TlpHeader, drain: &Drain, line: u32) -> TlpHeader {
    let start = drain.mask.trailing_zeros() & 127;
    let header = common
        .with_length_dw(operand_bytes(drain) / 4)
        .with_address((drain.line << line.trailing_zeros()) + u64::from(start));
    match drain.aop {
        aop::SWAP => header.with_tlp_type(tlp_type::SWAP),
        aop::CAS => header.with_tlp_type(tlp_type::CAS),
        other => header
            .with_tlp_type(tlp_type::FETCH_ADD)
            .with_tc(other >> 1 & 3)
            .with_attr2(other & 1 != 0),
    }
}
