//! Without a rule, what it is for happens (specification 8.2).

use ports::timestamp::types::rsp_op::{ATOM_ACK, FILL, RNW, WR_ACK};

use super::*;

/// An acknowledgement with ok 0; with ok 1.
const NOT_OK: u8 = 1;
const OK: u8 = 0;

/// Runs a program with all rules and without one; what it makes of them must differ.
fn differs<T: std::fmt::Debug + PartialEq>(
    rule: Rule,
    program: impl Fn(&mut Bench) -> T,
    with: T,
    without: T,
) {
    let mut bench = Bench::new(TimestampL1::new(&config()).unwrap());
    assert_eq!(program(&mut bench), with, "with all rules");
    let mut bench = Bench::new(TimestampL1::without(&config(), rule).unwrap());
    assert_eq!(program(&mut bench), without, "without {rule:?}");
}

#[test]
fn without_bad_old_bytes_are_read_under_a_new_lease() {
    let program = |bench: &mut Bench| {
        bench.has(1, (1, 6), 7);
        bench.ask(st(0, 1));
        bench.answer(WR_ACK, 0x80, (13, 18), NOT_OK);
        bench.rsp.clear();
        bench.ask(ld(0, 1));
        (bench.rsp.len(), bench.req.len())
    };
    differs(Rule::Bad, program, (0, 2), (1, 1));
}

#[test]
fn without_lock_a_store_is_seen_before_its_timestamp() {
    let program = |bench: &mut Bench| {
        bench.has(1, (1, 6), 7);
        bench.ask(st(0, 1));
        bench.ask(ld(1, 1));
        bench.read()
    };
    differs(Rule::Lock, program, vec![], vec![(1, 0)]);
}

#[test]
fn without_st_after_an_old_fill_is_kept() {
    let program = |bench: &mut Bench| {
        bench.ask(ld(0, 1));
        bench.ask(st(1, 1));
        bench.answer(FILL, 0, (1, 6), 7);
        bench.rsp.clear();
        // The warp's own store is not acknowledged yet.
        bench.ask(ld(1, 1));
        bench.read()
    };
    differs(Rule::StAfter, program, vec![], vec![(1, 7)]);
}

#[test]
fn without_the_renewal_of_a_locked_line_asked_again_overwritten_data_are_read() {
    let program = |bench: &mut Bench| {
        bench.has(1, (1, 6), 7);
        // Another line puts warp 1's clock behind the lease.
        bench.ask(ld(1, 2));
        bench.answer(FILL, 0, (9, 20), 8);
        bench.ask(ld(1, 1));
        bench.ask(st(0, 1));
        bench.rsp.clear();
        bench.answer(RNW, 0, (0, 14), 0);
        bench.read()
    };
    differs(Rule::RenewalOfLocked, program, vec![], vec![(9, 0)]);
}

#[test]
fn without_the_renewal_of_an_absent_line_asked_again_it_has_no_data() {
    let program = |bench: &mut Bench| {
        bench.ask(ld(0, 1));
        bench.answer(RNW, 0, (0, 14), 0);
        bench.read()
    };
    differs(Rule::RenewalOfAbsent, program, vec![], vec![(1, 0)]);
}

#[test]
fn without_older_loads_a_store_passes_its_warps_load() {
    let program = |bench: &mut Bench| {
        bench.ask(ld(0, 1));
        bench.ask(st(0, 1));
        bench.req.len()
    };
    differs(Rule::OlderLoads, program, 1, 2);
}

#[test]
fn without_pending_first_a_younger_load_is_before_an_older_one() {
    let program = |bench: &mut Bench| {
        bench.has(1, (1, 6), 7);
        bench.ask(st(0, 1));
        bench.ask(CoreReq { id: 1, ..ld(2, 1) });
        let req = CoreReq { id: 2, ..ld(2, 1) };
        let ack = BusRsp { op: WR_ACK, ok: true, id: 0x80, wts: 7, rts: 12, ..BusRsp::default() };
        bench.rsp.clear();
        bench.cycle(Some(req), Some(ack));
        bench.rest();
        bench.rsp.iter().filter(|rsp| rsp.op == op::LD).map(|rsp| rsp.id).collect::<Vec<_>>()
    };
    differs(Rule::PendingFirst, program, vec![1, 2], vec![2, 1]);
}

#[test]
fn without_the_waiters_lease_a_load_is_outside_of_it() {
    let program = |bench: &mut Bench| {
        bench.ask(ld(0, 2));
        bench.answer(FILL, 0, (9, 20), 8);
        bench.ask(ld(0, 1));
        bench.rsp.clear();
        bench.answer(FILL, 0, (1, 6), 7);
        bench.read()
    };
    differs(Rule::WaiterLease, program, vec![], vec![(9, 7)]);
}

#[test]
fn without_load_raises_a_clock_does_not_follow_what_was_read() {
    let program = |bench: &mut Bench| {
        bench.has(2, (9, 20), 8);
        bench.l1.warps.ts(0)
    };
    differs(Rule::LoadRaises, program, 9, 1);
}

#[test]
fn without_ack_raises_a_clock_does_not_follow_a_store() {
    let program = |bench: &mut Bench| {
        bench.ask(st(0, 1));
        bench.answer(WR_ACK, 0x80, (7, 12), OK);
        bench.l1.warps.ts(0)
    };
    differs(Rule::AckRaises, program, 7, 1);
}

#[test]
fn without_stale_misses_data_of_the_old_generation_are_kept() {
    let program = |bench: &mut Bench| {
        bench.ask(ld(0, 1));
        bench.rep = 1;
        bench.rest();
        bench.answer_of(0, FILL, 0, (1, 6), 7);
        bench.rsp.clear();
        bench.ask(ld(1, 1));
        bench.read()
    };
    differs(Rule::MissStale, program, vec![], vec![(1, 7)]);
}

#[test]
fn without_stale_fills_dropped_old_data_are_kept() {
    let program = |bench: &mut Bench| {
        bench.ask(ld(0, 1));
        bench.rep = 1;
        bench.rest();
        bench.answer_of(0, FILL, 0, (1, 6), 7);
        bench.rsp.clear();
        bench.ask(ld(1, 1));
        bench.read()
    };
    differs(Rule::StaleFill, program, vec![], vec![(1, 7)]);
}

#[test]
fn without_stale_stores_the_lock_of_a_new_line_is_counted_down() {
    let program = |bench: &mut Bench| {
        bench.has(1, (1, 6), 7);
        bench.ask(st(0, 1));
        bench.rep = 1;
        bench.rest();
        bench.has(1, (1, 6), 8);
        bench.ask(st(1, 1));
        // Of the store before the flush.
        bench.answer_of(0, WR_ACK, 0x80, (7, 12), OK);
        bench.rsp.clear();
        bench.ask(ld(2, 1));
        bench.rsp.len()
    };
    differs(Rule::StoreStale, program, 0, 1);
}

#[test]
fn without_holds_at_a_stale_miss_a_load_takes_what_is_older_than_its_clock() {
    let program = |bench: &mut Bench| {
        bench.ask(ld(0, 1));
        bench.rep = 1;
        bench.rest();
        bench.ask(ld(1, 1));
        bench.answer_of(0, FILL, 0, (1, 6), 7);
        bench.rsp.len()
    };
    differs(Rule::StaleHolds, program, 1, 2);
}

#[test]
fn without_spin_a_warp_hits_for_ever() {
    let program = |bench: &mut Bench| {
        bench.has(1, (1, 6), 7);
        (0..20).for_each(|_| bench.ask(ld(0, 1)));
        bench.rsp.len()
    };
    differs(Rule::Spin, program, 8, 20);
}

#[test]
fn without_atomics_that_drop_a_warp_misses_its_own() {
    let program = |bench: &mut Bench| {
        bench.has(1, (1, 6), 7);
        bench.ask(atom(0, 1));
        bench.ask(ld(0, 1));
        bench.answer(ATOM_ACK, 0x80, (7, 12), 7);
        bench.read()
    };
    differs(Rule::AtomicDrops, program, vec![(7, 7)], vec![(1, 7), (7, 7)]);
}
