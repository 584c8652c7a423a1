//! Parameters that are refused, rules that are taken away, and cycles that an owner may leave out.
//! What the block does is tested on both bodies (`tests/blocks/timestamp`).

mod gtsc;
mod parameters;
mod tc;

use ports::timestamp::types::CoreReq;

use super::*;
use crate::timestamp::small::small;

/// A load; its id is its warp.
fn ld(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::LD, warp, id: warp, line, ..CoreReq::default() }
}

/// A store of the first word.
fn st(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::ST, mask: 0xf, ..ld(warp, line) }
}

/// An atomic on it.
fn atom(warp: u8, line: u64) -> CoreReq {
    CoreReq { op: op::ATOM, ..st(warp, line) }
}
