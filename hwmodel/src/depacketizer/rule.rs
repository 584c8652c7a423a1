//! Rules that tests take away, to see that they find it.

use crate::common::rules::rules;

rules! {
    /// A rule of the de-packetizer (specification 5.6, 5.8, 12), and what it does without it.
    pub enum Rule {
        /// An offset is added to the base; else it is the address.
        AddsBase = "adds-base",
        /// Padding behind the last sub-packet is dropped; else it is parsed.
        DropsPadding = "drops-padding",
        /// An address above 64 bits is code 4; else it wraps.
        Overflow = "overflow",
        /// A sub-packet without bytes is code 6; else it is a write of none.
        NoBytes = "no-bytes",
        /// A sub-packet across a line's end is code 6; else its rest is lost.
        OneLine = "one-line",
        /// A rest below a sub-header is code 7; else it is dropped.
        Rest = "rest",
        /// A sub-packet longer than the packet is code 7; else it is as long as what is left.
        InPacket = "in-packet",
        /// A sub-header is checked when it is there; else when its bytes are, too.
        ChecksAtOnce = "checks-at-once",
        /// Of several faults the lowest code is told; else the highest.
        LowestCode = "lowest-code",
        /// An error drops the rest of its packet; else that sub-header alone.
        DropsRest = "drops-rest",
        /// An error drops nothing of the next packets; else all of them.
        DropsNoMore = "drops-no-more",
        /// A packet has one error at most; else one more for each beat that comes later.
        OnePulse = "one-pulse",
        /// An end before the length is code 7; else the packet is as long as it is.
        EndsShort = "ends-short",
        /// Bytes behind the length are code 7; else they are dropped.
        EndsLong = "ends-long",
        /// A beat before the last is whole, else code 7.
        WholeBeats = "whole-beats",
        /// A beat longer than its size is code 7; else it is cut.
        BeatSize = "beat-size",
        /// A packet inside another ends that one with code 7; else its beats belong to that one.
        StartEnds = "start-ends",
        /// A beat without a packet is code 7; else it is dropped.
        Stray = "stray",
        /// Last BE of a packet is one of four, else code 7.
        LastEnables = "last-enables",
        /// First BE of a packet is 0, else code 7.
        FirstEnables = "first-enables",
        /// An unknown type is code 5; else it is a plain write.
        Type = "type",
        /// A poisoned packet is code 8; else it is like others.
        Poison = "poison",
        /// A read leaves no line, else code 5.
        ReadInLine = "read-in-line",
        /// An atomic is aligned to its size, else code 5.
        AtomicSize = "atomic-size",
        /// A plain write is cut at line ends; else what passes one is lost.
        CutAtLines = "cut-at-lines",
        /// A plain write's first enables hold; else its first DW is whole.
        WriteFirst = "write-first",
        /// Its last enables hold; else its last DW is whole.
        WriteLast = "write-last",
        /// A read's enables hold; else it reads whole DWs.
        ReadEnables = "read-enables",
        /// A read of no bytes is a MARK; else a read.
        Mark = "mark",
        /// Reads, atomics and MARKs stay behind writes; else they pass the last one.
        Order = "order",
        /// An atomic's operands stand at byte 0; else at its address.
        OperandsFirst = "operands-first",
        /// A compare and swap has two operands; else one, and no legal size with two.
        TwoOperands = "two-operands",
        /// A read or MARK tells its requester and tag; else 0.
        Source = "source",
        /// Bytes outside the mask are 0; else what stands behind the sub-packet.
        Zeros = "zeros",
        /// Beats wait while the window has no room for one; else it has twice its room.
        WindowRoom = "window-room",
        /// An access waits for a place in the output buffer; else it has one more.
        OutputRoom = "output-room",
        /// Beats wait while two packets hold slots; else while three do.
        TwoSlots = "two-slots",
    }
}
