//! Parameters that are refused, rules that are taken away, and cycles that an owner may leave out.
//! What the block does is tested on both bodies (`tests/blocks/timestamp`).

mod parameters;
mod quiet;
mod rules;

use ports::timestamp::types::{BusRsp, CoreReq, Protocol, rsp_op};

use super::*;
use crate::timestamp::small::small;

fn config() -> Config {
    Config { proto: Protocol::Tcw, ..(&small()).into() }
}

/// An answer with the end of a lease; data are `byte`.
fn answer(op: u8, id: u8, exp: u32, byte: u8) -> BusRsp {
    let mut rsp = BusRsp { op, id, wts: exp >> 16, rts: exp & 0xffff, ..BusRsp::default() };
    if op == rsp_op::FILL {
        rsp.data.0[..16].fill(byte);
    }
    rsp
}
