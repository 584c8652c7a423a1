//! Parameters that are refused, rules that are taken away, and cycles that an owner may leave out.
//! What the block does is tested on both bodies (`tests/blocks/timestamp`).

mod quiet;
mod rules;

use ports::timestamp::types::{BusReq, DramRsp, Protocol, bus_op};

use super::*;
use crate::timestamp::small::small;

fn config(proto: Protocol) -> Config {
    Config { proto, ..(&small()).into() }
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

#[test]
fn illegal_parameters_are_refused() {
    let legal = config(Protocol::Tcs);
    for (config, name) in [
        (Config { n_sm: 33, ..legal.clone() }, "n_sm"),
        (Config { l2_sets: 3, ..legal.clone() }, "l2_sets"),
        (Config { tc_lease: 0, ..legal.clone() }, "tc_lease"),
        (Config { tc_lease: 65536, ..legal }, "tc_lease"),
    ] {
        assert_eq!(TcL2::new(&config).unwrap_err().name, name);
    }
}
