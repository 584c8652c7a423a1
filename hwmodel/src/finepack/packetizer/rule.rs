//! Rules that tests disable, one at a time, to check that they detect it.

use ports::finepack::types::{aop, tlp_type};

use super::choices::{Choices, Origin, SPECIFICATION};
use crate::common::rules::rules;
use crate::finepack::tlp_header::Operation;

rules! {
    /// A rule of the packetizer (specification 3.5, 3.6, 5.5, 5.8), and what it does without it.
    pub enum Rule {
        /// An entry's lowest run goes first; else the second lowest before it.
        LowestFirst,
        /// Runs end with their entry; else one that goes on in the next has no sub-header there.
        RunsApart,
        /// A sub-header's offset counts from the base; else from its line.
        FromBase,
        /// A sub-header counts bytes; else one less.
        LengthOfRun,
        /// Runs wait while two beats are held; else while four are.
        TwoBeats,
        /// Packets never share the accumulator; else the next one's runs join the last one's bytes.
        PacketsApart,
        /// The last beat alone ends the packet; else the first behind its last run.
        LastBeatEnds,
        /// Length counts the DW that is not full; else only full ones.
        RoundsUp,
        /// Last BE enables the bytes of the last DW; else all four.
        LastEnables,
        /// A packet has its choices type; else that of a plain write.
        PacketType,
        /// The requester is the sending GPU; else GPU 0.
        Requester,
        /// The tag is that of the beat; else 0.
        Tag,
        /// The header announces an ECRC where there is one; else never.
        Ecrc,
        /// The address is the packet's base; else its first line.
        BaseAddress,
        /// A read begins with its first DW; else with its line.
        ReadBegins,
        /// A read's enables are those of its mask; else it reads its first DW whole.
        ReadEnables,
        /// A MARK reads nothing; else one DW.
        MarkReadsNothing,
        /// An atomic's operands have no sub-header; else one like a run's.
        OperandsBare,
        /// A compare and swap has two operands; else one.
        TwoOperands,
        /// A header contains the atomic operation; else it adds.
        AtomicOperation,
    }
}

impl Choices {
    /// The choices of a packetizer that does not keep a rule.
    pub fn without(rule: Rule) -> Self {
        let mut choices = SPECIFICATION;
        match rule {
            Rule::LowestFirst => choices.lowest_first = false,
            Rule::RunsApart => choices.runs_merge = true,
            Rule::FromBase => choices.offset_from = Origin::Line,
            Rule::LengthOfRun => choices.length_less = 1,
            Rule::TwoBeats => choices.beats_held = 4,
            Rule::PacketsApart => choices.packets_apart = false,
            Rule::LastBeatEnds => choices.last_beat_ends = false,
            Rule::RoundsUp => choices.packet.rounds_up = false,
            Rule::LastEnables => choices.packet.last_enables = [0b1111; 4],
            Rule::PacketType => choices.packet.tlp_type = tlp_type::MEM,
            Rule::Requester => choices.gpu_bits = 0,
            Rule::Tag => choices.tag_bits = 0,
            Rule::Ecrc => choices.announces_ecrc = false,
            Rule::BaseAddress => choices.address = Origin::Line,
            Rule::ReadBegins => choices.read_begins_at_dw = false,
            Rule::ReadEnables => choices.read_adds = 0b1111,
            Rule::MarkReadsNothing => choices.mark_mask = 0b1111,
            Rule::OperandsBare => choices.operands_bare = false,
            Rule::TwoOperands => choices.operations[usize::from(aop::CAS)].operands = 1,
            Rule::AtomicOperation => {
                let add = choices.operations[usize::from(aop::ADD)];
                for operation in &mut choices.operations {
                    *operation = Operation { operands: operation.operands, ..add };
                }
            }
        }
        choices
    }
}
