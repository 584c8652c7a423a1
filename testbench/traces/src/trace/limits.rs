//! What a trace may hold. A reader refuses more before it allocates anything.

/// First address beyond the address space.
pub const ADDRESS_END: u64 = 1 << 44;
/// Unit of placement and of first touches. No two live buffers have bytes in the same page.
pub const PAGE: u64 = 4096;
/// Buffers begin at multiples of this: whole lines of all machines.
pub const BUFFER: u64 = 128;
/// Buffers may begin less than so many bytes behind the beginning of a page.
pub const SHIFT_END: u64 = 16 * PAGE;
/// Most bytes of a name.
pub const MAX_NAME: usize = 4096;
/// Most arguments of a kernel.
pub const MAX_ARGS: usize = 4096;
/// Most work-items of a work-group.
pub const MAX_GROUP_ITEMS: u32 = 1 << 16;
/// Most bytes of one host write; a longer one is several.
pub const MAX_HOST_WRITE: usize = 1 << 20;
/// Most kernels.
pub const MAX_KERNELS: usize = 1 << 22;
/// Most streams.
pub const MAX_STREAMS: usize = 32;
/// Most racy bytes of a kernel, most locations of its atomics, most first touches. In memory an
/// entry takes 72 bytes or less, in a file perhaps 3.
pub const MAX_TABLE: usize = 1 << 23;
/// Most ranges of a kernel's arguments together.
pub const MAX_RANGES: usize = 1 << 20;
/// Work-groups whose places stand in one chunk; a kernel's last may hold fewer.
pub const PLACES: u32 = 4096;
