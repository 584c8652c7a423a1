//! TC.

mod quiet;
mod rules;

use ports::timestamp::types::{BusRsp, Protocol, rsp_op};

use super::*;

fn config() -> Config {
    (&small(Protocol::Tcw)).into()
}

/// An answer with the end of a lease; data are `byte`.
fn answer(op: u8, id: u8, exp: u32, byte: u8) -> BusRsp {
    let mut rsp = BusRsp { op, id, wts: exp >> 16, rts: exp & 0xffff, ..BusRsp::default() };
    if op == rsp_op::FILL {
        rsp.data.0[..16].fill(byte);
    }
    rsp
}
