//! Codes in the fields of the command-processor blocks' messages (`rtl/cpelide/cpelide_pkg.sv`).

/// `Message::kind` (specification 3.2).
pub mod kind {
    /// To a chiplet: bit 0 of `a` L2 release, bit 1 L2 acquire.
    pub const SYNC_REQ: u8 = 1;
    /// To a chiplet: `a` = packet slot, `b` = first work group.
    pub const WG_DESC: u8 = 2;
    /// To a chiplet: `b` = number of work groups.
    pub const WG_COUNT: u8 = 3;
    /// To a chiplet: start the kernel.
    pub const LAUNCH_EN: u8 = 4;
    /// Back: `a` = operations done, `b` = lines written back.
    pub const ACK: u8 = 8;
    /// Back: all work groups of the tag are finished here.
    pub const DONE: u8 = 9;
    /// Back: `a` = error code.
    pub const NACK: u8 = 10;
}

/// Bits of `l2_sync_op` and of SYNC_REQ's and ACK's `a`.
pub mod sync_op {
    /// Write all dirty lines back.
    pub const REL: u8 = 1;
    /// Invalidate all lines, after the release.
    pub const ACQ: u8 = 2;
}

/// Error codes that hardware gives, on `err_code` or as `a` of NACK (specification section 12).
/// Codes 1 to 5 are the firmware's.
pub mod error_code {
    /// A message to a chiplet that does not exist.
    pub const ABSENT_CHIPLET: u8 = 6;
    /// A message against the protocol, an illegal broadcast, an ACK without request, RX FIFO full.
    pub const PROTOCOL: u8 = 7;
    /// Access outside the map, write to what is read-only, illegal instruction: the core halts.
    pub const HALT: u8 = 8;
}

/// Regions of the command processor's address map: first address and bytes (specification 3.4).
pub mod map {
    /// Instructions and constants; loads only.
    pub const IMEM: (u32, u32) = (0x0000_0000, 0x1_0000);
    /// Stack and globals.
    pub const DTCM: (u32, u32) = (0x0800_0000, 0x4000);
    /// The private memory, with the table.
    pub const PMEM: (u32, u32) = (0x1000_0000, 0x1_0000);
    /// Four packet slots; loads only.
    pub const SLOTS: (u32, u32) = (0x2000_0000, 0x4000);
    /// Registers.
    pub const MAILBOX: (u32, u32) = (0x4000_0000, 0x1000);
    /// Bytes of a slot; the packet takes 64, its extension block the rest.
    pub const SLOT_BYTES: u32 = 0x1000;
}

/// Offsets of the mailbox registers (specification 3.5; `rtl/cpelide/command_processor/README.md`).
pub mod mailbox {
    /// R: [`ID_VALUE`].
    pub const ID: u32 = 0x00;
    /// R: the machine.
    pub const CONF: u32 = 0x04;
    /// R: cycles since reset.
    pub const CYCLE: u32 = 0x08;
    /// R: valid slots, and the oldest.
    pub const PKT_STAT: u32 = 0x10;
    /// W: frees a slot.
    pub const PKT_POP: u32 = 0x14;
    /// R: what is known of slot 0; the others follow.
    pub const PKT_META: u32 = 0x18;
    /// RW: message \[31:0\].
    pub const TX_LO: u32 = 0x30;
    /// RW: destinations.
    pub const TX_DST: u32 = 0x34;
    /// W: message \[63:32\]; sends.
    pub const TX_HI: u32 = 0x38;
    /// R: free places of the TX queue.
    pub const TX_FREE: u32 = 0x3c;
    /// R: chiplets whose ACK is due.
    pub const ACK_PEND: u32 = 0x40;
    /// R: messages in the RX FIFO.
    pub const RX_STAT: u32 = 0x44;
    /// R: \[31:0\] of the oldest.
    pub const RX_LO: u32 = 0x48;
    /// R: \[63:32\] of the oldest, which is removed.
    pub const RX_HI: u32 = 0x4c;
    /// W: completion signal \[31:0\].
    pub const SIG_LO: u32 = 0x50;
    /// W: completion signal \[63:32\]; shows it.
    pub const SIG_HI: u32 = 0x54;
    /// R: waits for an event, and clears it.
    pub const WAIT: u32 = 0x58;
    /// W: shows an error code.
    pub const ERROR: u32 = 0x5c;
    /// W: halts.
    pub const EXIT: u32 = 0x60;
    /// RW: counter 0; the others follow.
    pub const CNT: u32 = 0x80;
    /// RW: 1 while counter 8 counts cycles.
    pub const CNT8_RUN: u32 = 0xc0;
    /// What [`ID`] shows.
    pub const ID_VALUE: u32 = 0x4350_4531;
}

/// Event bits of the register WAIT.
pub mod event {
    /// A packet has become complete.
    pub const PKT: u32 = 1;
    /// A message has entered the RX FIFO.
    pub const RX: u32 = 2;
    /// An ACK has come.
    pub const ACK: u32 = 4;
}
