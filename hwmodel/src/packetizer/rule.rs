//! Rules that tests take away, to see that they find it.

use crate::common::rules::rules;

rules! {
    /// A rule of the packetizer (specification 3.5, 3.6, 5.5, 5.8), and what it does without it.
    pub enum Rule {
        /// An entry's lowest run goes first; else the second lowest before it.
        LowestFirst = "lowest-first",
        /// Runs end with their entry; else one that goes on in the next has no sub-header there.
        RunsApart = "runs-apart",
        /// A sub-header's offset counts from the base; else from the packet's first line.
        FromBase = "from-base",
        /// A sub-header counts bytes; else one less.
        LengthOfRun = "length-of-run",
        /// Runs wait while two beats are held; else while four are.
        TwoBeats = "two-beats",
        /// Packets never share the accumulator; else the next one's runs join the last one's bytes.
        PacketsApart = "packets-apart",
        /// The last beat alone ends the packet; else the first behind its last run.
        LastBeatEnds = "last-beat-ends",
        /// Length counts the DW that is not full; else only full ones.
        RoundsUp = "rounds-up",
        /// Last BE tells the bytes of the last DW; else all four.
        LastEnables = "last-enables",
        /// A packet has its own type; else that of a plain write.
        PacketType = "packet-type",
        /// The requester is the sending GPU; else GPU 0.
        Requester = "requester",
        /// The tag is that of the beat; else 0.
        Tag = "tag",
        /// The header announces an ECRC where there is one; else never.
        Ecrc = "ecrc",
        /// The address is the packet's base; else its first line.
        BaseAddress = "base-address",
        /// A read begins with its first DW; else with its line.
        ReadBegins = "read-begins",
        /// A read's enables leave out the bytes that are not asked for; else it reads whole DWs.
        ReadEnables = "read-enables",
        /// A MARK reads nothing; else one DW.
        MarkReadsNothing = "mark-reads-nothing",
        /// An atomic's operands have no sub-header; else one like a run's.
        OperandsBare = "operands-bare",
        /// A compare and swap has two operands; else one.
        TwoOperands = "two-operands",
        /// An atomic tells its operation; else it adds.
        AtomicOperation = "atomic-operation",
    }
}
