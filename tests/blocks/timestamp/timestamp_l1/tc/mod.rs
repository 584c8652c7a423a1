//! An L1 of TC by itself: specification 5.8. The test sends the banks' answers.

mod fences;
mod flush;
mod leases;

use hwmodel::timestamp::timestamp_l1::Rule;
use ports::timestamp::timestamp_l1::{Config, err};
use ports::timestamp::types::{BusReq, BusRsp, CoreReq, CoreRsp, Protocol, bus_op, event, op};

use super::{
    Bench, ack, atom, atom_ack, fill, ld, line_of, named, renewal, st, with_implementations,
    word_of,
};

/// Rules, each with a test that fails without it.
pub const DETECTED: &[(Rule, fn())] = &[
    (Rule::StAfter, leases::fill_that_a_store_has_passed_is_not_kept),
    (Rule::OlderLoads, leases::store_waits_for_older_loads_of_its_warp),
    (Rule::WaiterLease, leases::example_8_a_load_that_joins_when_the_lease_is_over_is_not_served),
    (Rule::OwnCopy, leases::store_and_atomic_drop_the_own_copy),
    (Rule::Fence, fences::example_8_a_fence_of_tc_weak_waits_for_the_lease),
];

fn on_both(protocol: Protocol, check: impl Fn(Bench)) {
    let config: Config = Config { protocol, ..(&named("small-tcs")).into() };
    with_implementations(|body| check(Bench::new(body(&config), false)));
}

/// Lines of two sets.
const X: u64 = 0;
const Y: u64 = 1;

/// `wts` and `rts` of a lease that covers the cycles before this one.
fn exp(cycle: usize) -> (u32, u32) {
    (cycle as u32 >> 16, cycle as u32 & 0xffff)
}

impl Bench {
    /// Warp 0 loads a line, whose lease covers the cycles before `until`.
    fn has_until(&mut self, line: u64, until: usize, byte: u8) {
        let id = self.asks(ld(0, line)).id;
        self.told(fill(id, exp(until), byte));
    }
}
