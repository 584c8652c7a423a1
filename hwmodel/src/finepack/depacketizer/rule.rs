//! Rules that tests disable, one at a time, to check that they detect it.

use super::choices::{Choices, SPECIFICATION, fault};
use super::header::Kind;
use crate::common::rules::rules;

rules! {
    /// A rule of the de-packetizer (specification 5.6, 5.8, 12), and what it does without it.
    pub enum Rule {
        /// An offset is added to the base; else it is the address.
        AddsBase,
        /// Padding after the last sub-packet is dropped; else it is parsed.
        DropsPadding,
        /// An address above 64 bits is code 4; else it wraps.
        Overflow,
        /// A sub-packet without bytes is code 6; else it is a write of none.
        NoBytes,
        /// A sub-packet across a line's end is code 6; else its rest is lost.
        OneLine,
        /// A rest below a sub-header is code 7; else it is dropped.
        Rest,
        /// A sub-packet longer than the packet is code 7; else it is as long as what is left.
        InPacket,
        /// A sub-header is checked as soon as it is in the window; else with its bytes.
        ChecksAtOnce,
        /// Of several faults the lowest code is reported; else the highest.
        LowestCode,
        /// An error drops the rest of its packet; else that sub-header alone.
        DropsRest,
        /// An error drops nothing of the next packets; else all of them.
        DropsNoMore,
        /// A packet has one error at most; else one more for each beat that comes later.
        OnePulse,
        /// An end before the length is code 7; else the packet is as long as it is.
        EndsShort,
        /// Bytes after the length are code 7; else they are dropped.
        EndsLong,
        /// A beat before the last is whole, else code 7.
        WholeBeats,
        /// A beat longer than its size is code 7; else it is cut.
        BeatSize,
        /// A packet inside another ends that one with code 7; else its beats belong to that one.
        StartEnds,
        /// A beat without a packet is code 7; else it is dropped.
        Stray,
        /// Last BE of a packet is one of four, else code 7.
        LastEnables,
        /// First BE of a packet is 0, else code 7.
        FirstEnables,
        /// An unknown type is code 5; else it is a plain write.
        Type,
        /// A poisoned packet is code 8; else it is like others.
        Poison,
        /// A read leaves no line, else code 5.
        ReadInLine,
        /// An atomic is aligned to its size, else code 5.
        AtomicSize,
        /// A plain write is cut at line ends; else what passes one is lost.
        CutAtLines,
        /// A plain write's first enables hold; else its first DW is whole.
        WriteFirst,
        /// Its last enables hold; else its last DW is whole.
        WriteLast,
        /// A read's enables hold; else it reads whole DWs.
        ReadEnables,
        /// A read of no bytes is a MARK; else a read.
        Mark,
        /// Reads, atomics and MARKs stay behind writes; else they overtake the last one.
        Order,
        /// An atomic's operands are at byte 0; else at its address.
        OperandsFirst,
        /// A compare and swap has two operands; else one, and no legal size with two.
        TwoOperands,
        /// A read or MARK has its requester and tag; else 0.
        Source,
        /// Bytes outside the mask are 0; else the byte after the sub-packet.
        Zeros,
        /// Beats wait while the window has no room for one; else it has twice its room.
        WindowRoom,
        /// An access waits for a free entry of the output buffer; else it has one more.
        OutputRoom,
        /// Beats wait while two packets hold slots; else while three do.
        TwoSlots,
    }
}

impl Choices {
    /// The choices of a de-packetizer that does not keep a rule.
    pub fn without(rule: Rule) -> Self {
        let mut choices = SPECIFICATION;
        match rule {
            Rule::AddsBase => choices.base_bits = 0,
            Rule::DropsPadding => {
                for padding in choices.padding.iter_mut().flatten() {
                    *padding = 0;
                }
            }
            Rule::Overflow => choices.checks &= !fault::OVERFLOW,
            Rule::NoBytes => choices.checks &= !fault::NO_BYTES,
            Rule::OneLine => choices.checks &= !fault::LEAVES_LINE,
            Rule::Rest => choices.rest_is_fault = false,
            Rule::InPacket => choices.checks &= !fault::LEAVES_PACKET,
            Rule::ChecksAtOnce => choices.checks_at_once = false,
            Rule::LowestCode => choices.lowest_code = false,
            Rule::DropsRest => choices.drops_rest = false,
            Rule::DropsNoMore => choices.drops_next = true,
            Rule::OnePulse => choices.one_pulse = false,
            Rule::EndsShort => choices.ends_short = false,
            Rule::EndsLong => choices.cuts_packets = true,
            Rule::WholeBeats => choices.short_beats = true,
            Rule::BeatSize => choices.cuts_beats = true,
            Rule::StartEnds => choices.start_ends = false,
            Rule::Stray => choices.stray = None,
            Rule::LastEnables => {
                for padding in &mut choices.padding {
                    padding.get_or_insert(0);
                }
            }
            Rule::FirstEnables => choices.first_enables = u16::MAX,
            Rule::Type => choices.unknown_type = Kind::Write,
            Rule::Poison => choices.checks_poison = false,
            Rule::ReadInLine => choices.read_in_line = false,
            Rule::AtomicSize => choices.atomic_aligned = false,
            Rule::CutAtLines => choices.cuts_at_lines = false,
            Rule::WriteFirst => choices.write_first_adds = 0b1111,
            Rule::WriteLast => choices.write_last_adds = 0b1111,
            Rule::ReadEnables => choices.read_adds = 0b1111,
            Rule::Mark => choices.zero_length_read = Kind::Read,
            Rule::Order => choices.overtakes = true,
            Rule::OperandsFirst => choices.operands_first = false,
            Rule::TwoOperands => choices.cas_operands = 1,
            Rule::Source => choices.read_has_source = false,
            Rule::Zeros => choices.clears_disabled = false,
            Rule::WindowRoom => choices.windows = 2,
            Rule::OutputRoom => choices.more_outputs = 1,
            Rule::TwoSlots => choices.slots = 3,
        }
        choices
    }
}
