//! An L1 of TC by itself: specification 5.8. Figures come from its text; the test plays the banks.

mod fences;
mod flush;
mod leases;

use duet_tests::with_both_bodies;
use hwmodel::timestamp::tc_l1::TcL1;
use ports::timestamp::tc_l1::{Config, err};
use ports::timestamp::types::{BusReq, BusRsp, CoreReq, CoreRsp, Protocol, bus_op, event, op};

use super::l1::{self, ack, atom, atom_ack, fill, ld, line_of, renewal, st, word_of};
use super::named;

type Bench = l1::Bench<TcL1>;

fn on_both(proto: Protocol, check: impl Fn(Bench)) {
    let config: Config = Config { proto, ..(&named("small")).into() };
    with_both_bodies::<TcL1>(|body| check(Bench::new(body(&config), false)));
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
    fn has(&mut self, line: u64, until: usize, byte: u8) {
        let id = self.asks(ld(0, line)).id;
        self.told(fill(id, exp(until), byte));
    }
}
