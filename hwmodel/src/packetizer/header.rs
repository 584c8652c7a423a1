//! The outer header of a TLP, from the first drain beat of its packet (specification 3.5;
//! `rtl/packetizer/README.md`, rule 5).

use ports::common::finepack_types::{Drain, TlpHeader, drain_kind};

use crate::tlp_header::{self, Sender};

/// Outer header for the packet that begins with `drain`; `line` is the line size in bytes.
#[inline(never)]
pub(super) fn outer_header(drain: &Drain, line: u32, ecrc: bool, gpu: u8) -> TlpHeader {
    let sender = Sender { gpu, ecrc };
    let Drain { kind, id, aop, base, plen, mask, .. } = *drain;
    let addr = drain.line << line.trailing_zeros();
    match kind {
        drain_kind::PACK => sender.packet(id, base, plen.into()),
        drain_kind::READ => sender.read(id, addr, mask),
        drain_kind::ATOMIC => sender.atomic(id, addr, mask, aop),
        _ => sender.mark(id),
    }
}

/// Bytes of an atomic's operands; 0 for the kinds without payload.
#[inline(never)]
pub(super) fn operand_bytes(drain: &Drain) -> u32 {
    match drain.kind {
        drain_kind::ATOMIC => tlp_header::operand_bytes(drain.mask, drain.aop),
        _ => 0,
    }
}
