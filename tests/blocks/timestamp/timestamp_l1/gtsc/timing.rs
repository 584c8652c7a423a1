//! Order of the actions, one per cycle, and backpressure of the output FIFOs (specification 5.1).

use super::*;

#[test]
fn hits_flow_one_per_cycle() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.run(5);
        let first = bench.send(ld(0, X));
        (1..6).for_each(|n| assert_eq!(bench.send(ld(n as u8 % 4, X)), first + n));
        bench.run(5);
        let cycles: Vec<_> = bench.rsp[1..].iter().map(|(cycle, _)| *cycle).collect();
        assert_eq!(cycles, (2..8).map(|n| first + n).collect::<Vec<_>>());
    });
}

#[test]
fn answers_go_before_requests_and_need_no_room_for_them() {
    on_both(|mut bench| {
        bench.next.bus_req_ready = false;
        // The FIFO has two entries: the third request waits.
        for line in [X, Y, Z] {
            bench.send(ld(0, line));
        }
        bench.run(10);
        bench.next.bus_req_ready = true;
        bench.cycle();
        bench.next.bus_req_ready = false;
        let id = bench.req[0].1.id;
        bench.run(5);
        let t = bench.bank(fill(id, (1, 6), 5));
        assert_eq!(bench.rsp().0, t + 2);
    });
}

#[test]
pub fn loads_that_wait_are_re_evaluated_before_the_next_request() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.asks(st(0, X, 0, 9));
        bench.send(ld(1, X));
        bench.run(5);
        // The acknowledgement acts in t+1, the replay in t+2, the load of warp 2 in t+3.
        bench.next.core_req = Some(ld(2, X));
        let t = bench.bank(ack(0, (7, 12), true));
        let told = [(); 3].map(|()| bench.rsp()).map(|(cycle, rsp)| (cycle, rsp.warp));
        assert_eq!(told[..2], [(t + 2, 0), (t + 3, 1)]);
        assert_eq!(told[2], (t + 4, 2));
    });
}

#[test]
fn nothing_acts_without_room_for_answers() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.next.core_rsp_ready = false;
        (0..4).for_each(|n| _ = bench.send(ld(n, X)));
        bench.run(10);
        assert_eq!(bench.counters().load_hit, 2);
        bench.next.core_rsp_ready = true;
        let from = bench.now();
        let cycles = [(); 4].map(|()| bench.rsp().0);
        // An entry that is freed in a cycle can be used in the next.
        assert_eq!(cycles, [from, from + 1, from + 2, from + 3]);
    });
}

#[test]
fn warp_is_busy_from_its_request_to_its_answer() {
    on_both(|mut bench| {
        let t = bench.send(ld(2, X));
        bench.send(st(2, Y, 0, 9));
        bench.run(5);
        let (first, _) = (bench.bank(fill(0, (1, 6), 5)), bench.rsp());
        assert_eq!(bench.out[t].warp_busy, 0);
        bench.bank(ack(0, (1, 6), false));
        let (last, _) = bench.rsp();
        bench.run(2);
        assert!(first < last);
        assert!((t + 1..=last).all(|cycle| bench.out[cycle].warp_busy == 0b100));
        assert_eq!(bench.out[last + 1].warp_busy, 0);
    });
}
