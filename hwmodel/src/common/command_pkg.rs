//! Codes in the fields of the command-processor blocks' messages (`rtl/common/command_pkg.sv`).

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

/// Error codes that hardware gives, on `err_code` or as `a` of NACK (specification section 12). Codes 1 to 5
/// are the firmware's.
pub mod error_code {
    /// A message to a chiplet that does not exist.
    pub const ABSENT_CHIPLET: u8 = 6;
    /// A message against the protocol, an illegal broadcast, an ACK without request, RX FIFO full.
    pub const PROTOCOL: u8 = 7;
    /// Access outside the map, write to what is read-only, illegal instruction: the core halts.
    pub const HALT: u8 = 8;
}
