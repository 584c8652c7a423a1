//! The outer header of a TLP, from the first drain beat of its packet (specification 3.5;
//! `rtl/finepack/packetizer/README.md`, rule 5).

use ports::finepack::types::{Drain, TlpHeader, drain_kind};

use super::choices::{Choices, Origin};
use crate::finepack::tlp_header::{Operation, Sender};

/// Outer header for the packet that begins with `drain`; `line` is the line size in bytes.
#[inline(never)]
pub(super) fn outer_header(
    drain: &Drain,
    line: u32,
    ecrc: bool,
    gpu: u8,
    choices: &Choices,
) -> TlpHeader {
    let sender = Sender { gpu: gpu & choices.gpu_bits, ecrc: ecrc & choices.announces_ecrc };
    let Drain { kind, id, base, plen, mask, .. } = *drain;
    let tag = id & choices.tag_bits;
    let line_addr = drain.line << line.trailing_zeros();
    match kind {
        drain_kind::PACK => {
            let address = match choices.address {
                Origin::Base => base,
                Origin::Line => line_addr,
            };
            sender.packet(tag, address, plen.into(), &choices.packet)
        }
        drain_kind::READ => {
            let header = sender.read(tag, line_addr, mask);
            let address = if choices.read_begins_at_dw { header.address() } else { line_addr };
            header.with_address(address).with_first_be(header.first_be() | choices.read_adds)
        }
        drain_kind::ATOMIC => sender.atomic(tag, line_addr, mask, operation(drain, choices)),
        _ => sender.read(tag, 0, choices.mark_mask),
    }
}

/// Bytes of an atomic's operands; 0 for the kinds without payload.
#[inline(never)]
pub(super) fn operand_bytes(drain: &Drain, choices: &Choices) -> u32 {
    if drain.kind == drain_kind::ATOMIC {
        operation(drain, choices).operand_bytes(drain.mask)
    } else {
        0
    }
}

fn operation<'a>(drain: &Drain, choices: &'a Choices) -> &'a Operation {
    &choices.operations[usize::from(drain.aop & 7)]
}
