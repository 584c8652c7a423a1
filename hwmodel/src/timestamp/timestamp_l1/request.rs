//! Requests of an SM, and bytes of lines.

use ports::timestamp::types::{CoreReq, LineData, aop, op};

use crate::timestamp::write;

/// The mask selects whole elements of `size` bytes; `every` has the first byte of each element.
fn is_whole(mask: u128, size: u32, every: u128) -> bool {
    let first = mask & every;
    first * ((1 << size) - 1) == mask
}

/// The request is legal (specification 12).
pub(super) fn is_legal(req: &CoreReq, warps: u32) -> bool {
    let elements = || match req.sz {
        false => is_whole(req.mask, 4, u128::MAX / 0xf),
        true => is_whole(req.mask, 8, u128::MAX / 0xff),
    };
    let atomic = || req.aop <= aop::XCHG && elements();
    u32::from(req.warp) < warps
        && match req.op {
            op::LD | op::ST => true,
            op::ATOM => atomic(),
            _ => false,
        }
}

/// The bytes in the mask; others are 0.
pub(super) fn masked(data: &LineData, mask: u128) -> LineData {
    let mut masked = LineData::default();
    write(&mut masked, data, mask);
    masked
}
