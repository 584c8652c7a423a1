//! Error codes of packets (section 12).

/// Magic, version, length or counts of the extension block are wrong, or it has too many
/// structures.
pub const BLOCK: u8 = 1;
/// A range is outside its structure, or ends before it starts.
pub const RANGE: u8 = 2;
/// Scheduled chiplets that the stream does not have, or a stream without chiplets.
pub const CHIPLETS: u8 = 3;
/// Addresses that an entry cannot hold, or a base inside a page.
pub const ADDRESS: u8 = 4;
/// Unknown packet type, empty grid or work-group, or dependencies.
pub const PACKET: u8 = 5;
