//! What the tests of both L1s have in common.

use ports::timestamp::types::{CoreReq, op};

/// A load; its id is its warp.
pub(crate) fn ld(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::LD, warp, id: warp, line, ..CoreReq::default() }
}

/// A store of the first word.
pub(crate) fn st(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::ST, mask: 0xf, ..ld(warp, line) }
}

/// An atomic on it.
pub(crate) fn atom(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::ATOM, ..st(warp, line) }
}
