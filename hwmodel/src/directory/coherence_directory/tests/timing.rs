//! Latency, order and back-pressure (specification 5.1, 5.3, 5.4, 6.2).

use super::*;

#[test]
fn response_and_invalidation_show_two_cycles_after_acceptance() {
    for config in variants() {
        let mut b = Bench::new(&config);
        b.send(rrd(1, 0x40));
        b.cycles(10);
        let t = b.send(lwr(0x40));
        b.cycles(10);
        assert_eq!(b.responses()[1].0, t + 2);
        assert_eq!(b.invalidations()[0].0, t + 2);
    }
}

#[test]
fn response_waits_for_ready() {
    let mut b = Bench::new(&rec());
    b.next.rsp_ready = false;
    let t = b.send(Req { id: 7, ..rrd(1, 0) });
    b.cycles(5);
    b.next.rsp_ready = true;
    b.cycles(3);
    let cycles: Vec<_> = b.responses().iter().map(|(cycle, rsp)| (*cycle, rsp.id)).collect();
    assert_eq!(cycles, (t + 2..=t + 6).map(|cycle| (cycle, 7)).collect::<Vec<_>>());
}

#[test]
fn invalidation_is_held_until_it_is_taken() {
    let mut b = Bench::new(&hmg());
    b.run(rrd(1, 0));
    b.next.inv_ready = false;
    let t = b.send(lwr(0));
    b.cycles(6);
    let shown = b.out[t + 2].inv;
    assert_eq!(shown.map(|inv| (inv.addr, inv.last)), Some((0, false)));
    assert!(b.out[t + 2..].iter().all(|out| out.inv == shown));
    // One line for each cycle with ready.
    b.next.inv_ready = true;
    let first = b.cycle();
    b.next.inv_ready = false;
    b.cycles(2);
    let addr = |cycle: usize| b.out[cycle].inv.unwrap().addr;
    assert_eq!([first, first + 1, first + 2].map(addr), [0, 0x40, 0x40]);
}

#[test]
fn first_line_of_the_next_job_follows_without_a_bubble() {
    let mut b = Bench::new(&rec());
    [0, 0x40, 0x440].iter().for_each(|&addr| _ = b.run(rrd(1, addr)));
    b.next.inv_ready = false;
    b.send(evict(0));
    b.send(lwr(0x440));
    b.cycles(3);
    b.next.inv_ready = true;
    let start = b.out.len();
    b.cycles(4);
    let sent: Vec<_> = b.out[start..].iter().map(|out| out.inv.map(|inv| inv.addr)).collect();
    assert_eq!(sent, [Some(0), Some(0x40), Some(0x440), None]);
}

#[test]
fn jobs_leave_in_the_order_of_their_requests() {
    let mut b = Bench::new(&rec());
    (0..6).for_each(|n| _ = b.run(rrd(1 + n % 3, 0x400 * u64::from(n))));
    b.next.inv_ready = false;
    for n in [3, 1, 5, 0, 4] {
        b.send(if n == 0 { fence(0) } else { lwr(0x400 * n) });
    }
    b.cycles(3);
    b.next.inv_ready = true;
    let start = b.out.len();
    b.cycles(6);
    let sent: Vec<_> = b.out[start..].iter().filter_map(|out| out.inv).collect();
    let seqs: Vec<_> = sent.iter().map(|inv| inv.seq).collect();
    assert_eq!(seqs, [6, 7, 8, 9, 10]);
    assert_eq!(sent.iter().map(|inv| inv.addr / 0x400).collect::<Vec<_>>(), [3, 1, 5, 0, 4]);
}

#[test]
fn numbers_count_all_accepted_requests_modulo_256() {
    let mut b = Bench::new(&rec());
    let accepted = b.offer(600, |n| if n % 3 == 0 { req(7, 0, 0) } else { lrd(0) });
    b.cycles(4);
    assert_eq!(accepted.len(), 600);
    let seqs: Vec<_> = b.responses().iter().map(|(_, rsp)| usize::from(rsp.seq)).collect();
    assert!(seqs.iter().copied().eq((0..600).map(|n| n % 256)));
}

#[test]
fn invalidations_carry_the_number_of_their_request() {
    let mut b = Bench::new(&rec());
    for n in 0..100 {
        b.run(rrd(1, 0));
        let (rsp, invalidations) = b.run(lwr(0));
        assert_eq!((rsp.seq, invalidations[0].seq), (2 * n + 1, 2 * n + 1));
    }
}

#[test]
fn idle_is_low_while_something_is_inside() {
    let mut b = Bench::new(&rec());
    b.next.rsp_ready = false;
    let t = b.send(fence(1));
    b.cycles(4);
    assert!(b.out[t].idle, "the request is not yet inside");
    assert!(b.out[t + 1..].iter().all(|out| !out.idle));
    // The invalidation was taken, the response is still held.
    assert!(b.dir.outputs().inv.is_none());
    b.next.rsp_ready = true;
    let taken = b.cycle();
    assert!(b.at(taken + 1).idle);

    let mut b = Bench::new(&rec());
    b.next.inv_ready = false;
    let t = b.send(fence(1));
    b.cycles(4);
    assert!(b.out[t + 1..].iter().all(|out| !out.idle));
    assert!(b.dir.outputs().rsp.is_none());
    b.next.inv_ready = true;
    let taken = b.cycle();
    assert!(b.at(taken + 1).idle);
}

#[test]
fn request_sees_what_the_one_before_it_did_to_its_row() {
    for config in with_entries() {
        let config = Config { entries: 1, ways: 1, ..config };
        let mut b = Bench::new(&config);
        let range = u64::from(config.range);
        // Each evicts the entry of the one before; the last hits.
        let requests = [rrd(1, 0), rrd(2, range), rwr(3, 2 * range), rrd(1, 2 * range)];
        requests.iter().for_each(|&req| _ = b.send(req));
        b.cycles(30);
        let told: Vec<_> =
            b.responses().iter().map(|(_, rsp)| (rsp.alloc, rsp.evicted, rsp.sharers)).collect();
        let expected = [(true, false, 0), (true, true, 0), (true, true, 0), (false, false, 0b1000)];
        assert_eq!(told, expected);
    }
}
