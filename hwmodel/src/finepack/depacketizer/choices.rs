//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

use ports::finepack::types::error_code;

use super::header::Kind;

/// What is wrong with a sub-header, a bit each, in the order of the error codes.
pub(super) mod fault {
    pub const OVERFLOW: u8 = 1 << 0;
    pub const NO_BYTES: u8 = 1 << 1;
    pub const LEAVES_LINE: u8 = 1 << 2;
    pub const LEAVES_PACKET: u8 = 1 << 3;
}

/// One field for each choice.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// By Last BE: padding bytes of a FinePack packet; `None` is illegal.
    pub padding: [Option<u32>; 16],
    /// Bit b: First BE b is legal in a FinePack packet.
    pub first_enables: u16,
    /// What a packet of an unknown type is.
    pub unknown_type: Kind,
    /// What a zero-length read is.
    pub zero_length_read: Kind,
    /// EP = 1 is a fault.
    pub checks_poison: bool,
    /// A read must end in its line. Else it is cut.
    pub read_in_line: bool,
    /// An atomic must be aligned to its size.
    pub atomic_aligned: bool,
    /// Operands of a compare and swap.
    pub cas_operands: u32,
    /// A beat with sop ends an open packet. Else it belongs to that packet.
    pub start_ends: bool,
    /// The error code of a beat without a packet.
    pub stray: Option<u8>,
    /// Bytes of a beat above its size are dropped, and those above the packet's length. Else they
    /// are faults.
    pub cuts_beats: bool,
    pub cuts_packets: bool,
    /// A beat before the last one may be short.
    pub short_beats: bool,
    /// A packet that ends short of its length is bad. Else it is shorter.
    pub ends_short: bool,
    /// Packets after one with an error are dropped, too.
    pub drops_next: bool,
    /// An error drops the rest of its packet. Else the sub-header.
    pub drops_rest: bool,
    /// A packet has one error. Else each later beat has one, too.
    pub one_pulse: bool,
    /// Bits of the base that an offset is added to.
    pub base_bits: u64,
    /// Faults that a sub-header is checked for.
    pub checks: u8,
    /// Checks do not wait for the bytes of the sub-packet.
    pub checks_at_once: bool,
    /// The lowest code is reported, not the highest.
    pub lowest_code: bool,
    /// A rest that is shorter than a sub-header is a fault. Else it is dropped.
    pub rest_is_fault: bool,
    /// A plain write is cut at line ends. Else what leaves a line is lost.
    pub cuts_at_lines: bool,
    /// Enables of the first and the last DW of a write, and of a read, besides the header's.
    pub write_first_adds: u8,
    pub write_last_adds: u8,
    pub read_adds: u8,
    /// Operands are at byte 0, not at their address.
    pub operands_first: bool,
    /// Reads, atomics and MARKs overtake the access before them.
    pub overtakes: bool,
    /// A read or MARK has its requester and tag.
    pub read_has_source: bool,
    /// The byte after a sub-packet is 0.
    pub clears_disabled: bool,
    /// Windows of bytes that are held, packets with a slot, accesses above `OutputDepth`.
    pub windows: u32,
    pub slots: usize,
    pub more_outputs: u32,
}

/// Specification 3.5, 5.6, 5.8, 12.
pub(super) const SPECIFICATION: Choices = Choices {
    padding: {
        let mut padding = [None; 16];
        (padding[0b1111], padding[0b0111]) = (Some(0), Some(1));
        (padding[0b0011], padding[0b0001]) = (Some(2), Some(3));
        padding
    },
    first_enables: 1 << 0,
    unknown_type: Kind::Fault(error_code::BAD_TYPE),
    zero_length_read: Kind::Mark,
    checks_poison: true,
    read_in_line: true,
    atomic_aligned: true,
    cas_operands: 2,
    start_ends: true,
    stray: Some(error_code::TRUNCATED),
    cuts_beats: false,
    cuts_packets: false,
    short_beats: false,
    ends_short: true,
    drops_next: false,
    drops_rest: true,
    one_pulse: true,
    base_bits: u64::MAX,
    checks: u8::MAX,
    checks_at_once: true,
    lowest_code: true,
    rest_is_fault: true,
    cuts_at_lines: true,
    write_first_adds: 0,
    write_last_adds: 0,
    read_adds: 0,
    operands_first: true,
    overtakes: false,
    read_has_source: true,
    clears_disabled: true,
    windows: 1,
    slots: 2,
    more_outputs: 0,
};
