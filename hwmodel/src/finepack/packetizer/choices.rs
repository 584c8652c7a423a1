//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

use crate::finepack::tlp_header::{OPERATIONS, Operation, PACKET, PacketForm};

/// What an address or an offset refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The packet's base.
    Base,
    /// The line of the drain beat.
    Line,
}

/// One field for each choice.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The lowest run of an entry is appended first, not the second lowest.
    pub lowest_first: bool,
    /// A run that continues the run before, in another entry, has no sub-header.
    pub runs_merge: bool,
    /// What a sub-header's offset counts from.
    pub offset_from: Origin,
    /// What a sub-header's length leaves out of the run.
    pub length_less: u32,
    /// Runs wait while so many beats are held.
    pub beats_held: usize,
    /// The next packet waits for the eop beat.
    pub packets_apart: bool,
    /// The last beat ends the packet, not the first after its last run.
    pub last_beat_ends: bool,
    pub packet: PacketForm,
    /// What the header's address is.
    pub address: Origin,
    /// Bits of the GPU in the requester id, and of the tag.
    pub gpu_bits: u8,
    pub tag_bits: u8,
    /// TD reports an ECRC.
    pub announces_ecrc: bool,
    /// What the address of a read is: of its first DW, not of its line.
    pub read_begins_at_dw: bool,
    /// Enables of a read's first DW besides those of its mask.
    pub read_adds: u8,
    /// The mask of a MARK.
    pub mark_mask: u128,
    /// By `aop`.
    pub operations: [Operation; 8],
    /// Operands have no sub-header.
    pub operands_bare: bool,
}

/// Specification 3.5, 3.6, 5.5, 5.8.
pub(super) const SPECIFICATION: Choices = Choices {
    lowest_first: true,
    runs_merge: false,
    offset_from: Origin::Base,
    length_less: 0,
    beats_held: 2,
    packets_apart: true,
    last_beat_ends: true,
    packet: PACKET,
    address: Origin::Base,
    gpu_bits: u8::MAX,
    tag_bits: u8::MAX,
    announces_ecrc: true,
    read_begins_at_dw: true,
    read_adds: 0,
    mark_mask: 0,
    operations: OPERATIONS,
    operands_bare: true,
};
