//! The queues of the SMs and their turns (specification 5.2).

use super::*;

#[test]
fn requests_of_an_sm_are_served_in_their_order_three_cycles_apart() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 3, (0..6).map(|id| read(id, 40 + u32::from(id))));
        bench.finish();
        let headers: Vec<_> =
            bench.headers(3).iter().map(|(cycle, rsp)| (*cycle, rsp.id)).collect();
        assert_eq!(headers, (0..6).map(|k| (4 + 3 * k, k as u8)).collect::<Vec<_>>());
        assert!(bench.tokens.iter().zip(40..).all(|((_, token), line)| token.addr == line << 7));
    });
}

#[test]
fn full_queue_whose_head_is_picked_accepts_in_the_next_cycle() {
    on_both(|body| {
        let mut bench = Bench::new(body, &(&named("odd")).into());
        bench.send(0, 0, (0..4).map(|id| read(id, 1)));
        bench.finish();
        // Accepted in 0, picked in 1; accepted in 2, picked in 4; accepted in 5.
        let full: Vec<_> = (0..12).filter(|&n| bench.out[n].req_ready & 1 == 0).collect();
        assert_eq!(full, [1, 3, 4, 6, 7, 9, 10]);
        assert_eq!(bench.counters().queue_full, 5, "the last is accepted in 8");
        assert_eq!(bench.headers(0).iter().map(|(n, _)| *n).collect::<Vec<_>>(), [4, 7, 10, 13]);
    });
}

#[test]
fn queue_holds_as_many_as_it_has_places() {
    on_both(|body| {
        for config in ["odd", "small", "paper", "wide"] {
            let config: Config = (&named(config)).into();
            let mut bench = Bench::new(body, &config);
            bench.next.rsp_ready = 0;
            bench.send(0, 1, (0..100).map(|id| read(id, 1)));
            bench.run_to(90);
            // One more is answered, and its answer not taken.
            assert_eq!(100 - bench.requests[1].len(), config.rq_n as usize + 1);
            bench.next.rsp_ready = u16::MAX;
            bench.finish();
            let ids: Vec<_> = bench.headers(1).iter().map(|(_, rsp)| rsp.id).collect();
            assert_eq!(ids, Vec::from_iter(0..100));
        }
    });
}

#[test]
fn turns_begin_behind_the_last() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 2, [read(1, 1)]);
        bench.run_to(3);
        for sm in 0..4 {
            bench.send(3, sm, [read(2, 1)]);
        }
        bench.finish();
        let order: Vec<_> = bench.tokens.iter().map(|(_, token)| token.sm).collect();
        assert_eq!(order, [2, 3, 0, 1, 2]);
    });
}

/// The turn goes from the last SM to SM 0 where their number is no power of 2, too.
#[test]
fn turns_of_three_sms_wrap() {
    on_both(|body| {
        let mut bench = Bench::new(body, &(&named("odd")).into());
        bench.send(0, 2, [read(1, 1)]);
        bench.run_to(3);
        for sm in 0..3 {
            bench.send(3, sm, [read(2, 1)]);
        }
        bench.finish();
        let order: Vec<_> = bench.tokens.iter().map(|(_, token)| token.sm).collect();
        assert_eq!(order, [2, 0, 1, 2]);
    });
}

#[test]
fn sms_above_the_last_are_no_ports() {
    on_both(|body| {
        let mut body = body(&(&named("odd")).into());
        let mut inputs = In { req_valid: !0b111, tok_ready: true, rsp_ready: !0, ..In::default() };
        inputs.req.fill(write(1, 1));
        (0..20).for_each(|_| _ = body.tick(&inputs));
        let out = body.outputs();
        assert_eq!((out.req_ready, out.rsp_valid, out.idle), (0b111, 0, true));
        assert_eq!(out.counters, Counters::default());
    });
}
