//! A request between the input and what it does.

use ports::finepack::types::LineData;

use super::cost::Size;

/// A request, decoded. What stage 1 and 2 derive from the request and static inputs alone is
/// derived when it is taken, so that a stalled request costs little.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub data: LineData,
    pub mask: u128,
    /// Byte address / `line`.
    pub line: u64,
    /// Size of `mask`.
    pub size: Size,
    /// Bit c: the request has the fault with error code c (README rule 2).
    pub faults: u16,
    pub op: u8,
    pub id: u8,
    pub aop: u8,
    /// Partition of the destination, if it is legal.
    pub part: u8,
}
