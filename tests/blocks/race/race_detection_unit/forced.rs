//! Signatures that are full, and what meets in one cycle (specification 5.2).

use super::*;

/// Every insert of a new bit fills a signature.
fn full_at_once() -> Config {
    (&crate::race::full_at_once()).into()
}

#[test]
fn insert_of_the_cycle_goes_into_the_forced_copy() {
    on_both(|body| {
        let mut bench = Bench::new(body, &full_at_once());
        // Inserted in 3; in 4, when SMs 2 and 3 are forced. SM 1 is in C then.
        bench.send(0, 0, [write(1, 1)]);
        bench.send(1, 1, [write(2, 2)]);
        bench.finish();
        for sm in [2, 3] {
            let forced = Rsp { last: false, ..header(rsp_kind::FORCED, 0, 1) };
            assert_eq!(bench.headers(sm), [(5, forced)], "one, as the count is 0 behind it");
            assert_eq!(bench.signature(sm, 0), bits(256, &[1, 2]));
        }
        assert_eq!(bench.answers(1), [(rsp_kind::WACK, 2)]);
        assert_eq!(bench.headers(1)[0].0, 5);
        assert_eq!(bench.signature(1, 0), bits(256, &[1]));
        // Its WACK is taken in 4; inserted in 4, forced in 5.
        assert_eq!(bench.answers(0), [(rsp_kind::WACK, 1), (rsp_kind::FORCED, 0)]);
        assert_eq!(bench.headers(0)[1].0, 6);
        assert_eq!(bench.signature(0, 1), bits(256, &[2]));
        assert_eq!(bench.counters().forced, 3);
    });
}

#[test]
fn sm_that_is_to_be_forced_is_not_picked() {
    on_both(|body| {
        let mut bench = Bench::new(body, &full_at_once());
        bench.send(0, 0, [write(1, 1)]);
        // Could be picked in 4. Forced in 4, header in 5, chunk in 6, picked in 6.
        bench.send(3, 2, [read(9, 1)]);
        bench.finish();
        assert_eq!(bench.answers(2), [(rsp_kind::FORCED, 0), (rsp_kind::NORACE, 9)]);
        assert_eq!(bench.headers(2)[1], (9, header(rsp_kind::NORACE, 9, 1)));
    });
}

#[test]
fn forced_copy_waits_for_the_response_register_and_goes_on_while_c_waits() {
    on_both(|body| {
        let mut bench = Bench::new(body, &full_at_once());
        bench.next.rsp_ready = !0b0100;
        bench.next.tok_ready = false;
        bench.send(0, 2, [read(3, 7)]);
        bench.send(1, 0, [write(1, 1)]);
        bench.run_to(5);
        bench.next.tok_ready = true;
        bench.cycle();
        bench.next.tok_ready = false;
        // The write is inserted in 5, its token held; SM 1 is forced, SM 2 holds its answer.
        bench.send(6, 3, [read(4, 5)]);
        bench.run_to(20);
        assert_eq!(bench.answers(1), [(rsp_kind::FORCED, 0)]);
        assert_eq!(bench.headers(1)[0].0, 7);
        assert_eq!(bench.answers(2), []);
        assert!(!bench.out[19].idle);
        bench.next.rsp_ready = u16::MAX;
        bench.run_to(24);
        assert_eq!(bench.answers(2), [(rsp_kind::NORACE, 3), (rsp_kind::FORCED, 0)]);
        assert_eq!([bench.headers(2)[0].0, bench.headers(2)[1].0], [20, 21]);
        assert_eq!(bench.answers(3), [(rsp_kind::FORCED, 0)], "the read waits for the token");
        bench.next.tok_ready = true;
        bench.finish();
        assert_eq!(bench.answers(3)[1], (rsp_kind::NORACE, 4), "its epoch is behind the write");
    });
}

#[test]
fn only_new_bits_count() {
    on_both(|body| {
        // Three SMs; the third new bit is one too many.
        let mut bench = Bench::new(body, &(&named("odd")).into());
        bench.send(0, 0, [1, 2, 1, 2, 1, 2].map(|line| write(1, line)));
        bench.finish();
        assert_eq!((bench.counters().forced, bench.counters().inserts), (0, 12));
        bench.send(0, 0, [write(2, 3)]);
        bench.finish();
        assert_eq!(bench.counters().forced, 2);
        assert_eq!(bench.signature(2, 0), bits(4096, &[1, 2, 3]));
    });
}

#[test]
fn synchronisation_clears_what_was_due() {
    on_both(|body| {
        let mut bench = Bench::new(body, &full_at_once());
        // In C in 3 and 4: SM 1 is not free in 4 to be forced, and its WACK brings the signature.
        bench.send(0, 0, [write(1, 1)]);
        bench.send(0, 1, [write(2, 2)]);
        bench.finish();
        assert_eq!(bench.answers(1), [(rsp_kind::WACK, 2)]);
        assert_eq!(bench.signature(1, 0), bits(256, &[1]));
    });
}
