//! What an outer header announces (specification 3.5; `rtl/finepack/depacketizer/README.md`, rules
//! 4, 5 and 9).

use ports::finepack::types::{TlpHeader, aop, error_code, tlp_fmt, tlp_type};

use super::choices::Choices;

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Sub-packets behind one base address.
    #[default]
    Pack,
    /// A plain memory write.
    Write,
    /// A plain memory read.
    Read,
    /// A zero-length read.
    Mark,
    /// An atomic with operands.
    Atomic,
    /// A header fault with this error code: nothing of the packet goes further.
    Fault(u8),
}

/// A header, taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Packet {
    pub kind: Kind,
    pub src: u16,
    pub tag: u8,
    pub aop: u8,
    pub first_be: u8,
    pub last_be: u8,
    /// Address of the first DW; the base of a FinePack packet.
    pub addr: u64,
    /// Bytes of the DWs that `length` counts, padding included: 4 to 4096.
    pub span: u32,
    /// Payload bytes that the beats must bring.
    pub payload: u32,
    /// Bytes that an atomic reads and writes: its operands are one such value, or two.
    pub size: u32,
}

impl Packet {
    /// Takes a header apart; `line` is the line size in bytes.
    #[inline(always)]
    pub fn from_header(bits: u128, line: u32, choices: &Choices) -> Self {
        let header = TlpHeader::from_bits(bits);
        let span = 4 * header.length_dw();
        let size = span / operands(header, choices);
        let kind = classify(header, span, size, line, choices);
        let payload = match kind {
            Kind::Pack => span - padding(header, choices).unwrap_or(0),
            Kind::Write | Kind::Atomic => span,
            Kind::Read | Kind::Mark | Kind::Fault(_) => 0,
        };
        let is_poisoned = header.ep() && choices.checks_poison;
        let in_line = line - (header.address() as u32 & (line - 1));
        Self {
            kind: if is_poisoned { poisoned(kind) } else { kind },
            src: header.requester(),
            tag: header.tag(),
            aop: if kind == Kind::Atomic { atomic_op(header) } else { 0 },
            first_be: header.first_be(),
            last_be: header.last_be(),
            addr: header.address(),
            span: if kind == Kind::Read { span.min(in_line) } else { span },
            payload,
            size,
        }
    }
}

/// Values that an atomic of this type brings. By the type, not by `aop`, which a received header
/// may set at will.
fn operands(header: TlpHeader, choices: &Choices) -> u32 {
    if header.tlp_type() == tlp_type::CAS { choices.cas_operands } else { 1 }
}

/// Another fault of the header has the lower code.
fn poisoned(kind: Kind) -> Kind {
    match kind {
        Kind::Fault(code) => Kind::Fault(code),
        _ => Kind::Fault(error_code::POISONED),
    }
}

/// README rules 4 and 5, but for EP. `size`: bytes of an atomic.
fn classify(header: TlpHeader, span: u32, size: u32, line: u32, choices: &Choices) -> Kind {
    const BAD_TYPE: Kind = Kind::Fault(error_code::BAD_TYPE);
    match (header.fmt(), header.tlp_type()) {
        (tlp_fmt::WITH_DATA, tlp_type::FINEPACK) => match padding(header, choices) {
            Some(_) => Kind::Pack,
            None => Kind::Fault(error_code::TRUNCATED),
        },
        (tlp_fmt::WITH_DATA, tlp_type::MEM) => Kind::Write,
        (tlp_fmt::NO_DATA, tlp_type::MEM) => {
            let leaves_line = (header.address() as u32 & (line - 1)) + span > line;
            match (span, header.first_be(), header.last_be()) {
                (4, 0, 0) => choices.zero_length_read,
                _ if leaves_line && choices.read_in_line => BAD_TYPE,
                _ => Kind::Read,
            }
        }
        (tlp_fmt::WITH_DATA, tlp_type::FETCH_ADD | tlp_type::SWAP | tlp_type::CAS) => {
            let is_aligned = header.address() & u64::from(size - 1) == 0;
            let is_legal = matches!(size, 4 | 8) && (is_aligned || !choices.atomic_aligned);
            if is_legal { Kind::Atomic } else { BAD_TYPE }
        }
        _ => choices.unknown_type,
    }
}

/// Zero bytes after the last sub-packet; `None` if the byte enables are illegal.
fn padding(header: TlpHeader, choices: &Choices) -> Option<u32> {
    let is_legal = choices.first_enables >> header.first_be() & 1 != 0;
    if is_legal { choices.padding[usize::from(header.last_be() & 0xF)] } else { None }
}

fn atomic_op(header: TlpHeader) -> u8 {
    match header.tlp_type() {
        tlp_type::SWAP => aop::SWAP,
        tlp_type::CAS => aop::CAS,
        _ => (header.tc() & 3) << 1 | u8::from(header.attr2()),
    }
}
