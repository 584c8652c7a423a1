//! What one TLP costs on the wire, split into its parts (specification 5.7 and 7).

use ports::finepack::types::{FinePack, TlpHeader, tlp_fmt, tlp_type};

/// Units of `wire` in one byte: flit mode costs 256/236 bytes for each byte (specification 5.7), so
/// 236ths of a byte make every sum exact.
pub const SCALE: u64 = 236;
/// Bytes of the outer header (4 DW).
const HEADER: u32 = 16;
/// Bytes of the ECRC.
const ECRC: u32 = 4;
/// Framing with the sequence number (4) and LCRC (4): PCIe 2.0 STP 1 + seq 2 + END 1, PCIe 4.0 STP
/// token 4.
const FRAMING: u32 = 4 + 4;
/// Bytes of a flit, and those of them that carry TLPs (PCIe 6.0).
const FLIT: u64 = 256;

/// How a TLP is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireClass {
    /// FinePack packet: sub-packets behind one header.
    FinePack,
    /// Plain write: data, with byte enables in the header.
    Write,
    /// Everything else: header, and operands of an atomic.
    Other,
    /// Configuration packet of the stateful alternative: a header-only TLP that ends in the
    /// receiver's context register.
    Context,
}

impl WireClass {
    /// Class of the TLP with this header.
    pub fn of(hdr: TlpHeader) -> Self {
        match (hdr.fmt(), hdr.tlp_type()) {
            (tlp_fmt::WITH_DATA, tlp_type::FINEPACK) => Self::FinePack,
            (tlp_fmt::NO_DATA, tlp_type::FINEPACK) => Self::Context,
            (tlp_fmt::WITH_DATA, tlp_type::MEM) => Self::Write,
            _ => Self::Other,
        }
    }
}

/// The parts of one TLP on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// All of it, in units of 1/[`SCALE`] byte.
    pub wire: u64,
    /// Outer header, bytes.
    pub header: u32,
    /// Sub-headers, bytes.
    pub subheader: u32,
    /// Sub-headers, number.
    pub subheaders: u32,
    /// Stored bytes and operands.
    pub data: u32,
    /// Padding and disabled bytes.
    pub padding: u32,
    /// How it was charged.
    pub class: WireClass,
}

/// The rules of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Flit mode (PCIe 6.0).
    pub flit: bool,
    /// An ECRC is sent.
    pub ecrc: bool,
    /// Context mode (egress path `config-packet`, FinePack section VI-B): a FinePack packet goes
    /// without outer header and padding, its base being known to the receiver, and costs this many
    /// bytes of sequence number and CRCs beside its payload (`CFG_EXTRA`: 10, or 12 with full
    /// PCIe 4.0 framing). In flit mode only the ECRC is charged, as for every TLP. `None`
    /// otherwise.
    pub cfg_extra: Option<u32>,
}

impl Framing {
    /// The rules that the parameters ask for, without context mode.
    pub fn new(p: &FinePack) -> Self {
        Self { flit: p.pcie_generation == 6, ecrc: p.ecrc == 1, cfg_extra: None }
    }

    /// The cost of a TLP with header `hdr` and `payload` bytes in the stream (without padding), of
    /// which `subheader` bytes are `subheaders` sub-headers.
    pub fn split(&self, hdr: TlpHeader, payload: u32, subheaders: u32, subheader: u32) -> Split {
        let class = WireClass::of(hdr);
        let finepack = class == WireClass::FinePack;
        let bare = self.cfg_extra.filter(|_| finepack);
        let ecrc = if self.ecrc { ECRC } else { 0 };
        let to_dw = if bare.is_some() { 0 } else { payload.next_multiple_of(4) - payload };
        let disabled = match class {
            WireClass::Write => payload.saturating_sub(enabled_bytes(hdr)),
            _ => 0,
        };
        let header = if bare.is_some() { 0 } else { HEADER };
        let bytes = header + payload + to_dw;
        let wire = if self.flit {
            u64::from(bytes + ecrc) * FLIT
        } else {
            u64::from(bytes + bare.unwrap_or(FRAMING + ecrc)) * SCALE
        };
        Split {
            wire,
            header,
            subheader,
            subheaders,
            data: payload - subheader - disabled,
            padding: to_dw + disabled,
            class,
        }
    }
}

/// Bytes that the byte enables of a plain write enable.
fn enabled_bytes(hdr: TlpHeader) -> u32 {
    let (first, last) = (hdr.first_be().count_ones(), hdr.last_be().count_ones());
    match hdr.length_dw() {
        1 => first,
        dw => first + last + 4 * (dw - 2),
    }
}

/// Wire bytes of a completion with `payload` bytes on the reverse link (3 DW header; specification
/// 3.1); made by the test bench.
pub fn completion_bytes(payload: u32, ecrc: bool) -> u32 {
    answer_bytes(12, payload, ecrc)
}

/// Wire bytes of a fill of a coherent L2 with `payload` bytes, or of an invalidation or marker with
/// none, on the reverse link: a header of 16 bytes, with the framing of a TLP.
pub fn coherence_bytes(payload: u32, ecrc: bool) -> u32 {
    answer_bytes(16, payload, ecrc)
}

fn answer_bytes(header: u32, payload: u32, ecrc: bool) -> u32 {
    FRAMING + header + payload + if ecrc { ECRC } else { 0 }
}
