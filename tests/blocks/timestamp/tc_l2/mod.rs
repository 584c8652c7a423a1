//! A bank of TC by itself: specification 5.8. Figures come from its text.

mod inclusion;
mod writes;

use duet_tests::with_both_bodies;
use hwmodel::timestamp::tc_l2::TcL2;
use ports::timestamp::tc_l2::Config;
use ports::timestamp::types::{BusReq, Protocol};

use super::{l2, named};

type Make = duet_tests::Make<TcL2>;
type Bench = l2::Bench<TcL2>;

fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<TcL2>(check);
}

/// The small parameters of specification 2, TC_LEASE 10.
fn config(proto: Protocol) -> Config {
    Config { proto, ..(&named("small")).into() }
}

/// Three lines of set 0.
const LINES: [u64; 3] = [0, 8, 16];

fn read(line: u64) -> BusReq {
    l2::read(line, 0, 0)
}

/// A store of the first word.
fn write(line: u64, value: u8) -> BusReq {
    l2::write(line, 0, value, 0, 0)
}

/// The end of the lease in an answer.
fn exp(answer: &ports::timestamp::types::BusRsp) -> usize {
    (answer.wts as usize) << 16 | answer.rts as usize
}

/// An answer shows three cycles behind the action.
const SHOWS: usize = 3;
