//! Queries of the speculative load queue (specification 5.3).

use super::*;

#[test]
fn queries_are_answered_in_the_next_cycle() {
    on_both(|body| {
        let mut bench = Bench::new(body, &(&named("paper")).into());
        bench.sync(&[3]);
        let query = |line: u32| Query { size: 2, addr: line << 7 };
        let queries = [query(3), query(4), query(3), query(3)];
        bench.next.q[..4].copy_from_slice(&queries);
        bench.next.q_valid = 0b0111;
        bench.cycle();
        assert_eq!(bench.shown().q_member, 0b0101, "0 where there is no query");
        bench.next.q[..4].copy_from_slice(&queries);
        bench.next.q_valid = 0b1000;
        bench.cycle();
        assert_eq!(bench.shown().q_member, 0b1000);
        bench.cycle();
        assert_eq!(bench.shown().q_member, 0);
        assert_eq!(bench.counters().signature_tests, 4);
    });
}

#[test]
fn queries_and_a_lookup_of_one_cycle_are_all_counted() {
    on_both(|body| {
        let mut bench = Bench::new(body, &(&named("small-half-page")).into());
        bench.fill(1);
        bench.sync(&[]);
        (bench.next.q_valid, bench.next.lk) = (!0, Some(lookup(1, 0)));
        bench.cycle();
        assert_eq!(bench.counters().signature_tests, 3, "queries above the last are no ports");
    });
}

#[test]
fn query_sees_the_signature_of_its_cycle() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.sync(&[3]);
        bench.run(2);
        let ask = |bench: &mut Bench| {
            (bench.next.q_valid, bench.next.q[0]) = (1, Query { size: 0, addr: 3 << 7 });
        };
        ask(&mut bench);
        bench.beat(sync(rsp_kind::WACK, 1, 2, 256, &[])[0]);
        assert_eq!(bench.shown().q_member, 1, "the next signature comes at the end of the cycle");
        ask(&mut bench);
        bench.cycle();
        assert_eq!(bench.shown().q_member, 0);
    });
}
