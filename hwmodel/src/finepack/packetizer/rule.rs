//! Rules that tests take away, to see that they find it.

use crate::common::rules::rules;

rules! {
    /// A rule of the packetizer (specification 3.5, 3.6, 5.5, 5.8), and what it does without it.
    pub enum Rule {
        /// An entry's lowest run goes first; else the second lowest before it.
        LowestFirst,
        /// Runs end with their entry; else one that goes on in the next has no sub-header there.
        RunsApart,
        /// A sub-header's offset counts from the base; else from the packet's first line.
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
        /// Last BE tells the bytes of the last DW; else all four.
        LastEnables,
        /// A packet has its own type; else that of a plain write.
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
        /// A read's enables leave out the bytes that are not asked for; else it reads whole DWs.
        ReadEnables,
        /// A MARK reads nothing; else one DW.
        MarkReadsNothing,
        /// An atomic's operands have no sub-header; else one like a run's.
        OperandsBare,
        /// A compare and swap has two operands; else one.
        TwoOperands,
        /// An atomic tells its operation; else it adds.
        AtomicOperation,
    }
}
