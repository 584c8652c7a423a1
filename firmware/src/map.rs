//! The memory map, the mailbox registers, the messages and the codes of errors (CPElide
//! specification 3.2, 3.4, 3.5, 12).

/// Private memory, 64 KiB: the table at its start.
pub const PRIVATE: u32 = 0x1000_0000;
/// Bytes of [`PRIVATE`].
pub const PRIVATE_BYTES: u32 = 64 * 1024;
/// Four packet slots.
pub const SLOTS: u32 = 0x2000_0000;
/// Number of packet slots.
pub const NUM_SLOTS: usize = 4;
/// Bytes of a packet slot.
pub const SLOT_BYTES: u32 = 4096;
/// Offset of the extension block in a slot.
pub const EXTENSION: u32 = 64;
/// Mailbox, 4 KiB.
pub const MAILBOX: u32 = 0x4000_0000;

/// Offsets of the mailbox registers.
pub mod reg {
    /// Configuration.
    pub const CONF: u32 = 0x04;
    /// Valid packet slots in bits 3 to 0, the oldest in 9 and 8.
    pub const PKT_STAT: u32 = 0x10;
    /// Frees a slot.
    pub const PKT_POP: u32 = 0x14;
    /// Stream, chiplet mask, arrival number and truncation of slot 0; the others follow.
    pub const PKT_META: u32 = 0x18;
    /// Low word of a message.
    pub const TX_LO: u32 = 0x30;
    /// Destinations of a message, and broadcast.
    pub const TX_DST: u32 = 0x34;
    /// High word of a message; sends it.
    pub const TX_HI: u32 = 0x38;
    /// Chiplets with an unanswered SYNC_REQ.
    pub const ACK_PEND: u32 = 0x40;
    /// Number of queued DONE and NACK.
    pub const RX_STAT: u32 = 0x44;
    /// Low word of the first.
    pub const RX_LO: u32 = 0x48;
    /// High word of the first; pops it.
    pub const RX_HI: u32 = 0x4c;
    /// Low word of a completion signal.
    pub const SIG_LO: u32 = 0x50;
    /// High word; fires it.
    pub const SIG_HI: u32 = 0x54;
    /// Waits for an event.
    pub const WAIT: u32 = 0x58;
    /// Reports an error code.
    pub const ERROR: u32 = 0x5c;
    /// Halts.
    pub const EXIT: u32 = 0x60;
    /// The first of 16 counters.
    pub const CNT: u32 = 0x80;
    /// While it is 1, counter 8 counts cycles.
    pub const CNT8_RUN: u32 = 0xc0;
}

/// Bit of [`reg::TX_DST`]: to all chiplets at once.
pub const BROADCAST: u32 = 1 << 16;
/// Bit of [`reg::PKT_META`]: the extension block was longer than a slot.
pub const TRUNCATED: u32 = 1 << 31;

/// Types of messages: bits 3 to 0.
pub mod message {
    /// L2 release and acquire.
    pub const SYNC_REQ: u32 = 1;
    /// Packet slot and first work-group.
    pub const WG_DESC: u32 = 2;
    /// Number of work-groups.
    pub const WG_COUNT: u32 = 3;
    /// Start.
    pub const LAUNCH_EN: u32 = 4;
    /// L2 operations are done; the hardware keeps it from the firmware.
    pub const ACK: u32 = 8;
    /// All work-groups have ended.
    pub const DONE: u32 = 9;
    /// Something cannot be done.
    pub const NACK: u32 = 10;
    /// Field A of a SYNC_REQ: release.
    pub const RELEASE: u32 = 1;
    /// Field A of a SYNC_REQ: acquire.
    pub const ACQUIRE: u32 = 2;
}

/// Firmware counters (specification 9).
pub mod count {
    /// Launches.
    pub const LAUNCHES: u32 = 0;
    /// Acquires sent.
    pub const ACQUIRES: u32 = 1;
    /// Acquires that BASELINE would have sent, less those sent.
    pub const ACQUIRES_ELIDED: u32 = 2;
    /// Releases sent.
    pub const RELEASES: u32 = 3;
    /// Releases that BASELINE would have sent, less those sent.
    pub const RELEASES_ELIDED: u32 = 4;
    /// Most entries at once.
    pub const MAX_ENTRIES: u32 = 5;
    /// Coarsenings of records and of entries.
    pub const COARSENINGS: u32 = 6;
    /// Launches without usable labels.
    pub const CONSERVATIVE: u32 = 7;
    /// Cycles of the core's clock in steps 1 to 7 of the launch algorithm, counted by the hardware
    /// while [`super::reg::CNT8_RUN`] is 1.
    pub const CYCLES: u32 = 8;
    /// Releases only because an acquire would lose dirty lines.
    pub const IMPLIED: u32 = 9;
    /// Entries whose mixed bit was resolved.
    pub const MIXED: u32 = 10;
    /// Ranges that grew to a hull.
    pub const HULLS: u32 = 11;
    /// Launches decided ahead (5.10).
    pub const AHEAD: u32 = 12;
    /// Decisions ahead that were taken back.
    pub const ANEW: u32 = 13;
    /// Number of counters.
    pub const NUM: usize = 16;
}

/// Error codes (specification 12).
pub mod error {
    /// Extension block malformed.
    pub const EXTENSION: u32 = 1;
    /// A range outside its structure.
    pub const RANGE: u32 = 2;
    /// Chiplets that there are not.
    pub const CHIPLET: u32 = 3;
    /// Address or offset too large, or a base that is not aligned.
    pub const ADDRESS: u32 = 4;
    /// Not a packet that can be run.
    pub const PACKET: u32 = 5;
    /// A chiplet has refused a message.
    pub const NACK: u32 = 6;
    /// An unrequested message.
    pub const UNASKED: u32 = 7;
    /// The firmware itself has failed.
    pub const FATAL: u32 = 8;
}
