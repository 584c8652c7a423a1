//! A bank of TC by itself: specification 5.8. Figures come from its text.

mod inclusion;
mod writes;

use hwmodel::timestamp::timestamp_l2::{Rule, TimestampL2};
use ports::timestamp::timestamp_l2::Config;
use ports::timestamp::types::{BusReq, Protocol};

use super::{Bench, named, with_implementations};

type Make = duet_tests::Make<TimestampL2>;

/// Rules, and tests that fail without them.
pub const DETECTED: &[(Rule, fn())] = &[
    (Rule::Waits, writes::example_8_a_strong_write_waits),
    (Rule::Inclusion, inclusion::a_line_goes_when_its_lease_is_over),
];

fn on_both(check: impl Fn(Make)) {
    with_implementations(check);
}

/// The small parameters of specification 2, TC_LEASE 10.
fn config(protocol: Protocol) -> Config {
    Config { protocol, ..(&named("small-tcs")).into() }
}

/// Three lines of set 0.
const LINES: [u64; 3] = [0, 8, 16];

fn read(line: u64) -> BusReq {
    super::read(line, 0, 0)
}

/// A store of the first word.
fn write(line: u64, value: u8) -> BusReq {
    super::write(line, 0, value, 0, 0)
}

/// The end of the lease in an answer.
fn exp(answer: &ports::timestamp::types::BusRsp) -> usize {
    (answer.wts as usize) << 16 | answer.rts as usize
}

/// An answer shows three cycles behind the action.
const SHOWS: usize = 3;
