//! What an outer header announces (specification 3.5; `rtl/depacketizer/README.md`, rules 4, 5
//! and 9).

use crate::common::finepack_types::{TlpHeader, aop, error_code, tlp_fmt, tlp_type};

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

/// A header, and what must be known of it more than once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packet {
    pub kind: Kind,
    /// The header as received.
    pub header: TlpHeader,
    /// Address of the first DW; the base of a FinePack packet.
    pub addr: u64,
    /// Payload bytes that the beats must bring.
    pub payload: u32,
}

impl Packet {
    /// Classifies a header; `line` is the line size in bytes.
    pub fn new(header: TlpHeader, line: u32) -> Self {
        let finepack =
            (header.fmt(), header.tlp_type()) == (tlp_fmt::WITH_DATA, tlp_type::FINEPACK);
        let (kind, payload) = if finepack { pack(header) } else { other(header, line) };
        // Another fault of the header has the lower code.
        let poisoned = header.ep() && !matches!(kind, Kind::Fault(_));
        let (kind, payload) = if poisoned { fault(error_code::POISONED) } else { (kind, payload) };
        Self { kind, header, addr: header.address(), payload }
    }

    /// Bytes of the DWs that the length counts, padding included: 4 to 4096.
    pub fn span(&self) -> u32 {
        4 * self.header.length_dw()
    }

    /// Bytes that an atomic reads and writes: its operands are one such value, or two.
    pub fn atomic_size(&self) -> u32 {
        atomic_size(self.header)
    }

    /// Operation of an atomic.
    pub fn aop(&self) -> u8 {
        match self.header.tlp_type() {
            tlp_type::SWAP => aop::SWAP,
            tlp_type::CAS => aop::CAS,
            _ => (self.header.tc() & 3) << 1 | u8::from(self.header.attr2()),
        }
    }
}

fn fault(code: u8) -> (Kind, u32) {
    (Kind::Fault(code), 0)
}

/// Zero bytes behind the last sub-packet, by Last BE; `ILLEGAL` where no FinePack packet has it.
const PADDING: [u8; 16] = {
    let mut table = [ILLEGAL; 16];
    table[0b1111] = 0;
    table[0b0111] = 1;
    table[0b0011] = 2;
    table[0b0001] = 3;
    table
};
const ILLEGAL: u8 = 4;

#[inline(always)]
fn pack(header: TlpHeader) -> (Kind, u32) {
    let padding = PADDING[usize::from(header.last_be() & 15)];
    if padding == ILLEGAL || header.first_be() != 0 {
        return fault(error_code::TRUNCATED);
    }
    (Kind::Pack, 4 * header.length_dw() - u32::from(padding))
}

#[inline(never)]
fn other(header: TlpHeader, line: u32) -> (Kind, u32) {
    let span = 4 * header.length_dw();
    match (header.fmt(), header.tlp_type()) {
        (tlp_fmt::WITH_DATA, tlp_type::MEM) => (Kind::Write, span),
        (tlp_fmt::NO_DATA, tlp_type::MEM) => {
            let leaves_line = (header.address() as u32 & (line - 1)) + span > line;
            match (span, header.first_be(), header.last_be()) {
                (4, 0, 0) => (Kind::Mark, 0),
                _ if leaves_line => fault(error_code::BAD_TYPE),
                _ => (Kind::Read, 0),
            }
        }
        (tlp_fmt::WITH_DATA, tlp_type::FETCH_ADD | tlp_type::SWAP | tlp_type::CAS) => {
            let size = atomic_size(header);
            let legal = matches!(size, 4 | 8) && header.address() & u64::from(size - 1) == 0;
            if legal { (Kind::Atomic, span) } else { fault(error_code::BAD_TYPE) }
        }
        _ => fault(error_code::BAD_TYPE),
    }
}

/// By the type, not by `aop`, which a received header may set at will.
fn atomic_size(header: TlpHeader) -> u32 {
    let operands = if header.tlp_type() == tlp_type::CAS { 2 } else { 1 };
    4 * header.length_dw() / operands
}
