//! TC.

mod quiet;
mod rules;

use ports::timestamp::types::{BusReq, DramRsp, Protocol, bus_op};

use super::*;

fn config(protocol: Protocol) -> Config {
    (&small(protocol)).into()
}

/// Three lines of set 0.
const LINES: [u64; 3] = [0, 8, 16];

fn read(line: u64) -> BusReq {
    BusReq { line, ..BusReq::default() }
}

/// A store of the first word.
fn write(line: u64) -> BusReq {
    BusReq { op: bus_op::WR, mask: 0xf, ..read(line) }
}
