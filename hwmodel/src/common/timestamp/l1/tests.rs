//! What the tests of both L1s have in common.

use ports::common::timestamp_types::{CoreReq, Protocol, Timestamp, op};

/// Small parameters; timestamps are wide.
pub(crate) fn small(proto: Protocol) -> Timestamp {
    Timestamp {
        warps: 4,
        ts_w: 16,
        line: 16,
        line_w: 10,
        l1_sets: 4,
        l1_ways: 2,
        l1_mshr: 4,
        waiters: 2,
        stq: 4,
        spin: 8,
        proto,
        ..Timestamp::LEGAL
    }
}

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
