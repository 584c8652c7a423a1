//! An L1 of TC by itself: specification 5.8. Figures come from its text; the test plays the banks.

mod fences;
mod flush;
mod leases;

use duet_tests::with_both_bodies;
use hwmodel::timestamp::timestamp_l1::TimestampL1;
use ports::timestamp::timestamp_l1::{Config, err};
use ports::timestamp::types::{BusReq, BusRsp, CoreReq, CoreRsp, Protocol, bus_op, event, op};

use super::{Bench, ack, atom, atom_ack, fill, ld, line_of, named, renewal, st, word_of};

fn on_both(protocol: Protocol, check: impl Fn(Bench)) {
    let config: Config = Config { protocol, ..(&named("small-tcs")).into() };
    with_both_bodies::<TimestampL1>(|body| check(Bench::new(body(&config), false)));
}

/// Lines of two sets.
const X: u64 = 0;
const Y: u64 = 1;

/// The fields of a lease that ends with this cycle.
fn exp(cycle: usize) -> (u32, u32) {
    (cycle as u32 >> 16, cycle as u32 & 0xffff)
}

impl Bench {
    /// Warp 0 has read the line, whose lease ends in this cycle.
    fn has_until(&mut self, line: u64, until: usize, byte: u8) {
        let id = self.asks(ld(0, line)).id;
        self.told(fill(id, exp(until), byte));
    }
}
