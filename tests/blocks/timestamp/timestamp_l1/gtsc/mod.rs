//! An L1 of G-TSC by itself: specification 5.1 to 5.6, 12. The test sends the banks' answers.

mod answers;
mod counters;
mod errors;
mod examples;
mod flush;
mod policy;
mod requests;
mod timing;

use hwmodel::timestamp::timestamp_l1::{Rule, TimestampL1};
use ports::timestamp::timestamp_l1::{Config, Counters, err};
use ports::timestamp::types::{BusReq, CoreReq, CoreRsp, bus_op, event, op};

use super::{
    Bench, ack, atom, atom_ack, fill, ld, line_of, named, renewal, st, with_implementations,
    word_of,
};

type Make = duet_tests::Make<TimestampL1>;

/// Rules, each with a test that fails without it.
pub const DETECTED: &[(Rule, fn())] = &[
    (Rule::StAfter, answers::fill_that_a_store_has_passed_serves_and_is_not_kept),
    (Rule::OlderLoads, requests::st2_a_store_waits_for_older_loads_of_its_warp),
    (Rule::WaiterLease, examples::example_3_one_renewal_serves_all),
    (Rule::PendingFirst, timing::loads_that_wait_are_re_evaluated_before_the_next_request),
    (Rule::Bad, examples::example_4_a_partial_write_of_a_stale_copy_drops_it),
    (Rule::Lock, examples::example_2_a_load_behind_a_store_waits_for_its_timestamp),
    (Rule::RenewalOfLocked, answers::renewal_of_a_locked_line_is_asked_for_when_the_lock_goes),
    (Rule::RenewalOfAbsent, answers::renewal_of_an_absent_line_is_asked_for_again),
    (Rule::LoadRaises, requests::ld1_hits_at_the_later_of_both_times),
    (Rule::AckRaises, examples::example_1_the_l1_of_sm_0),
    (Rule::MissStale, flush::stale_fill_serves_who_came_before_and_is_not_kept),
    (Rule::StoreStale, flush::store_from_before_does_not_unlock_a_new_line),
    (Rule::StaleFill, flush::stale_fill_serves_who_came_before_and_is_not_kept),
    (Rule::StaleHolds, flush::load_does_not_join_a_stale_miss),
    (Rule::Spin, requests::spinning_warp_asks_again),
    (Rule::AtomicDrops, requests::st5_drops_a_copy_that_has_no_lock),
];

fn on_both(check: impl Fn(Bench)) {
    with_bodies(|body| check(Bench::new(body(&config()), false)));
}

fn with_bodies(check: impl Fn(Make)) {
    with_implementations(check);
}

/// The small parameters of specification 2: four warps, timestamps of 6 bits, two loads for each
/// of four lines, four stores, SPIN 8.
fn config() -> Config {
    (&named("small")).into()
}

/// Lines of three sets, and two other lines of X's set.
const X: u64 = 0;
const Y: u64 = 1;
const Z: u64 = 2;
const OTHERS: [u64; 2] = [4, 8];

/// Logical time and first byte in the answer to a load.
fn load(rsp: CoreRsp) -> (u32, u8) {
    assert_eq!(rsp.op, op::LD);
    (rsp.ts, rsp.data.0[0])
}

/// A BusRd.
fn read(id: u8, line: u64, wts: u32, warp_ts: u32) -> BusReq {
    BusReq { op: bus_op::RD, id, line, wts, warp_ts, ..BusReq::default() }
}

impl Bench {
    /// Warp 0 loads a line, which is installed with this lease.
    fn has(&mut self, line: u64, lease: (u32, u32), byte: u8) {
        let id = self.asks(ld(0, line)).id;
        self.told(fill(id, lease, byte));
    }

    /// Moves the clock of a warp to `ts` by a load of a line.
    fn clock(&mut self, warp: u8, line: u64, ts: u32) {
        let id = self.asks(ld(warp, line)).id;
        assert_eq!(self.told(fill(id, (ts, ts), 0)).ts, ts);
    }

    /// A new generation.
    fn flush(&mut self) {
        self.next.rep = (self.next.rep + 1) & 3;
        self.run(3);
    }

    fn counters(&self) -> Counters {
        self.shown().counters
    }
}
