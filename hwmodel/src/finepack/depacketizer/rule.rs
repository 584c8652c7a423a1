//! Rules that tests take away, to see that they find it.

use crate::common::rules::rules;

rules! {
    /// A rule of the de-packetizer (specification 5.6, 5.8, 12), and what it does without it.
    pub enum Rule {
        /// An offset is added to the base; else it is the address.
        AddsBase,
        /// Padding behind the last sub-packet is dropped; else it is parsed.
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
        /// A sub-header is checked when it is there; else when its bytes are, too.
        ChecksAtOnce,
        /// Of several faults the lowest code is told; else the highest.
        LowestCode,
        /// An error drops the rest of its packet; else that sub-header alone.
        DropsRest,
        /// An error drops nothing of the next packets; else all of them.
        DropsNoMore,
        /// A packet has one error at most; else one more for each beat that comes later.
        OnePulse,
        /// An end before the length is code 7; else the packet is as long as it is.
        EndsShort,
        /// Bytes behind the length are code 7; else they are dropped.
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
        /// Reads, atomics and MARKs stay behind writes; else they pass the last one.
        Order,
        /// An atomic's operands stand at byte 0; else at its address.
        OperandsFirst,
        /// A compare and swap has two operands; else one, and no legal size with two.
        TwoOperands,
        /// A read or MARK tells its requester and tag; else 0.
        Source,
        /// Bytes outside the mask are 0; else what stands behind the sub-packet.
        Zeros,
        /// Beats wait while the window has no room for one; else it has twice its room.
        WindowRoom,
        /// An access waits for a place in the output buffer; else it has one more.
        OutputRoom,
        /// Beats wait while two packets hold slots; else while three do.
        TwoSlots,
    }
}
