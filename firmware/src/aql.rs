//! The layout of AQL packets (specification 3.6; HSA platform system architecture, AQL) and of the
//! extension blocks that name what a kernel touches (specification 3.6): of those who write them,
//! and of the firmware, which reads them.

/// Bytes of a packet.
pub const BYTES: usize = 64;

/// Types: bits 7 to 0 of the header.
pub mod kind {
    /// A kernel.
    pub const KERNEL_DISPATCH: u32 = 2;
    /// Nothing but its scopes, once what it depends on is done.
    pub const BARRIER_AND: u32 = 3;
}

/// Lowest bit of the acquire scope in the header; two bits.
pub const ACQUIRE_SCOPE: u32 = 9;
/// Lowest bit of the release scope in the header; two bits.
pub const RELEASE_SCOPE: u32 = 11;
/// The scope of every GPU and the host.
pub const SYSTEM: u32 = 2;

/// Offsets in a packet.
pub mod at {
    /// Type and scopes, 16 bits.
    pub const HEADER: u32 = 0;
    /// Number of dimensions, 16 bits.
    pub const SETUP: u32 = 2;
    /// Work-items of a work-group, three times 16 bits.
    pub const WORKGROUP: u32 = 4;
    /// Work-items of the grid, three words.
    pub const GRID: u32 = 12;
    /// Which kernel, two words.
    pub const KERNEL_OBJECT: u32 = 32;
    /// Address of its arguments, two words.
    pub const KERNARG: u32 = 40;
    /// Address of the extension block, two words: 0 for none.
    pub const EXTENSION: u32 = 48;
    /// Completion signal, two words: 0 for none.
    pub const SIGNAL: u32 = 56;
    /// Of a barrier: the signals that it waits for.
    pub const DEP_SIGNALS: u32 = 8;
    /// Words of these.
    pub const DEP_WORDS: u32 = 10;
}

/// True where a packet names an extension block.
pub fn has_extension(packet: &[u8; BYTES]) -> bool {
    let at = at::EXTENSION as usize;
    packet[at..at + 8] != [0; 8]
}

/// The extension block: a header, structures, ranges.
pub mod extension {
    /// Its first word, `CPE1`.
    pub const MAGIC: u32 = 0x3145_5043;
    /// The version behind it.
    pub const VERSION: u32 = 1;
    /// Most bytes of a block.
    pub const MAX_BYTES: u32 = 4032;
    /// Bytes of the header.
    pub const HEADER: u32 = 16;
    /// Bytes of a structure.
    pub const STRUCTURE: u32 = 32;
    /// Bytes of a range.
    pub const RANGE: u32 = 16;
    /// Most structures of a block.
    pub const MAX_STRUCTURES: usize = 32;
    /// Flag of the header: it is unknown what the kernel touches.
    pub const UNKNOWN: u32 = 1;
}
