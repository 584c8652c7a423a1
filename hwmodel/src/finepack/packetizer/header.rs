//! The outer header of a TLP, from the first drain beat of its packet (specification 3.5;
//! `rtl/finepack/packetizer/README.md`, rule 5).

use ports::finepack::types::{Drain, TlpHeader, aop, drain_kind, tlp_type};

use super::rule::Rule;
use crate::finepack::tlp_header::{self, Sender};

/// Outer header for the packet that begins with `drain`; `line` is the line size in bytes.
#[inline(never)]
pub(super) fn outer_header(
    drain: &Drain,
    line: u32,
    ecrc: bool,
    gpu: u8,
    without: Option<Rule>,
) -> TlpHeader {
    let sender = Sender { gpu, ecrc };
    let Drain { kind, id, aop, base, plen, mask, .. } = *drain;
    let addr = drain.line << line.trailing_zeros();
    let header = match kind {
        drain_kind::PACK => sender.packet(id, base, plen.into()),
        drain_kind::READ => sender.read(id, addr, mask),
        drain_kind::ATOMIC => sender.atomic(id, addr, mask, aop),
        _ => sender.mark(id),
    };
    match without {
        None => header,
        Some(rule) => weakened(header, rule, drain, addr),
    }
}

/// The header without a rule; `addr` is the first byte of the beat's line.
#[cold]
fn weakened(header: TlpHeader, rule: Rule, drain: &Drain, addr: u64) -> TlpHeader {
    let (kind, length) = (drain.kind, header.length_dw());
    match (rule, kind) {
        (Rule::RoundsUp, drain_kind::PACK) => header.with_length_dw(u32::from(drain.plen) / 4),
        (Rule::LastEnables, drain_kind::PACK) => header.with_last_be(0xF),
        (Rule::PacketType, drain_kind::PACK) => header.with_tlp_type(tlp_type::MEM),
        (Rule::BaseAddress, drain_kind::PACK) => header.with_address(addr),
        (Rule::Requester, _) => header.with_requester(0),
        (Rule::Tag, _) => header.with_tag(0),
        (Rule::Ecrc, _) => header.with_td(false),
        (Rule::ReadBegins, drain_kind::READ) => {
            let before = (header.address() - addr) as u32 / 4;
            header.with_length_dw(length + before).with_address(addr)
        }
        (Rule::ReadEnables, drain_kind::READ) => {
            header.with_first_be(0xF).with_last_be(if length > 1 { 0xF } else { 0 })
        }
        (Rule::MarkReadsNothing, drain_kind::MARK) => header.with_first_be(0xF),
        (Rule::TwoOperands, drain_kind::ATOMIC) => {
            header.with_length_dw(operand_bytes(drain, Some(rule)) / 4)
        }
        (Rule::AtomicOperation, drain_kind::ATOMIC) => {
            header.with_tlp_type(tlp_type::FETCH_ADD).with_tc(0).with_attr2(false)
        }
        _ => header,
    }
}

/// Bytes of an atomic's operands; 0 for the kinds without payload.
#[inline(never)]
pub(super) fn operand_bytes(drain: &Drain, without: Option<Rule>) -> u32 {
    match drain.kind {
        drain_kind::ATOMIC if without == Some(Rule::TwoOperands) => {
            tlp_header::operand_bytes(drain.mask, aop::ADD)
        }
        drain_kind::ATOMIC => tlp_header::operand_bytes(drain.mask, drain.aop),
        _ => 0,
    }
}
