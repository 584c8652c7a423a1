//! What an outer header announces (specification 3.5; `rtl/finepack/depacketizer/README.md`, rules
//! 4, 5 and 9).

use ports::finepack::types::{TlpHeader, aop, error_code, tlp_fmt, tlp_type};

use super::rule::Rule;

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
    pub fn from_header(bits: u128, line: u32, without: Option<Rule>) -> Self {
        let header = TlpHeader::from_bits(bits);
        let mut span = 4 * header.length_dw();
        let (mut kind, mut payload) = classify(header, span, line);
        if let Some(rule) = without {
            weaken(&mut kind, &mut payload, &mut span, header, line, rule);
        }
        let poisoned = header.ep() && without != Some(Rule::Poison);
        Self {
            kind: if poisoned { self::poisoned(kind) } else { kind },
            src: header.requester(),
            tag: header.tag(),
            aop: if kind == Kind::Atomic { atomic_op(header) } else { 0 },
            first_be: header.first_be(),
            last_be: header.last_be(),
            addr: header.address(),
            span,
            payload,
            size: span / operands(header),
        }
    }
}

/// What a header announces without a rule.
#[cold]
fn weaken(
    kind: &mut Kind,
    payload: &mut u32,
    span: &mut u32,
    header: TlpHeader,
    line: u32,
    rule: Rule,
) {
    const FINEPACK: (u8, u8) = (tlp_fmt::WITH_DATA, tlp_type::FINEPACK);
    let form = (header.fmt(), header.tlp_type());
    let is_atomic = matches!(form.1, tlp_type::FETCH_ADD | tlp_type::SWAP | tlp_type::CAS)
        && form.0 == FINEPACK.0;
    let read = (tlp_fmt::NO_DATA, tlp_type::MEM);
    match rule {
        Rule::DropsPadding if *kind == Kind::Pack => *payload = *span,
        Rule::LastEnables if form == FINEPACK && header.first_be() == 0 => {
            (*kind, *payload) = (Kind::Pack, *span - padding(header).unwrap_or(0));
        }
        Rule::FirstEnables if form == FINEPACK => {
            if let Some(padding) = padding(header.with_first_be(0)) {
                (*kind, *payload) = (Kind::Pack, *span - padding);
            }
        }
        Rule::Type if !is_atomic && form != FINEPACK && form != read => {
            (*kind, *payload) = (Kind::Write, *span);
        }
        Rule::ReadInLine if form == read && *kind != Kind::Mark => {
            *kind = Kind::Read;
            *span = (*span).min(line - (header.address() as u32 & (line - 1)));
        }
        Rule::Mark if *kind == Kind::Mark => *kind = Kind::Read,
        Rule::AtomicSize if is_atomic && matches!(*span / operands(header), 4 | 8) => {
            (*kind, *payload) = (Kind::Atomic, *span);
        }
        Rule::TwoOperands if form.1 == tlp_type::CAS && *span > 8 => {
            *kind = Kind::Fault(error_code::BAD_TYPE);
        }
        _ => (),
    }
}

/// Values that an atomic of this type brings. By the type, not by `aop`, which a received header
/// may set at will.
fn operands(header: TlpHeader) -> u32 {
    if header.tlp_type() == tlp_type::CAS { 2 } else { 1 }
}

/// Another fault of the header has the lower code.
fn poisoned(kind: Kind) -> Kind {
    match kind {
        Kind::Fault(code) => Kind::Fault(code),
        _ => Kind::Fault(error_code::POISONED),
    }
}

fn classify(header: TlpHeader, span: u32, line: u32) -> (Kind, u32) {
    const BAD_TYPE: (Kind, u32) = (Kind::Fault(error_code::BAD_TYPE), 0);
    match (header.fmt(), header.tlp_type()) {
        (tlp_fmt::WITH_DATA, tlp_type::FINEPACK) => match padding(header) {
            Some(padding) => (Kind::Pack, span - padding),
            None => (Kind::Fault(error_code::TRUNCATED), 0),
        },
        (tlp_fmt::WITH_DATA, tlp_type::MEM) => (Kind::Write, span),
        (tlp_fmt::NO_DATA, tlp_type::MEM) => {
            let leaves_line = (header.address() as u32 & (line - 1)) + span > line;
            match (span, header.first_be(), header.last_be()) {
                (4, 0, 0) => (Kind::Mark, 0),
                _ if leaves_line => BAD_TYPE,
                _ => (Kind::Read, 0),
            }
        }
        (tlp_fmt::WITH_DATA, tlp_type::FETCH_ADD | tlp_type::SWAP | tlp_type::CAS) => {
            let size = span / operands(header);
            let legal = matches!(size, 4 | 8) && header.address() & u64::from(size - 1) == 0;
            if legal { (Kind::Atomic, span) } else { BAD_TYPE }
        }
        _ => BAD_TYPE,
    }
}

/// Zero bytes behind the last sub-packet; `None` where the byte enables are no FinePack packet's.
fn padding(header: TlpHeader) -> Option<u32> {
    match (header.last_be(), header.first_be()) {
        (0b1111, 0) => Some(0),
        (0b0111, 0) => Some(1),
        (0b0011, 0) => Some(2),
        (0b0001, 0) => Some(3),
        _ => None,
    }
}

fn atomic_op(header: TlpHeader) -> u8 {
    match header.tlp_type() {
        tlp_type::SWAP => aop::SWAP,
        tlp_type::CAS => aop::CAS,
        _ => (header.tc() & 3) << 1 | u8::from(header.attr2()),
    }
}
