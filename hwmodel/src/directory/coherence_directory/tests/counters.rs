//! Counters (specification 9, README rule 12).

use super::*;

/// The counters shown in a cycle.
fn counters(b: &mut Bench, cycle: usize) -> Counters {
    b.at(cycle).counters
}

/// The histogram of evictions, of which the port shows one bin.
fn histogram(b: &Bench) -> [u32; MAX_POS] {
    std::array::from_fn(|bin| b.dir.events.evictions(bin as u8))
}

#[test]
fn port_shows_the_chosen_place_of_the_cycle_before() {
    let mut b = Bench::new(&Config { entries: 1, ways: 1, ..rec() });
    b.run(rrd(1, 0));
    b.run(rrd(2, 64));
    (b.next.inv_ready, b.next.hist_sel) = (true, 1);
    let t = b.send(evict(0));
    // Counted at the edge that ends S1, so that t + 2 has it; the port has it a cycle later.
    assert_eq!((b.at(t + 2).counters.evict, b.at(t + 2).hist, b.at(t + 3).hist), (1, 0, 1));
    for (place, expected) in [(0, 0), (1, 1), (2, 0), (63, 0), (1, 1)] {
        b.next.hist_sel = place;
        let t = b.cycle();
        assert_eq!(b.at(t + 1).hist, expected, "place {place}");
    }
}

#[test]
fn request_and_hit_count_by_op_two_cycles_after_acceptance() {
    for config in variants() {
        let requests: [(Req, [u32; 8]); 8] = [
            (lrd(0), [1, 0, 0, 0, 0, 0, 0, 0]),
            (lwr(0), [1, 0, 1, 0, 0, 0, 0, 0]),
            (rrd(1, 0), [1, 1, 1, 0, 0, 0, 0, 0]),
            (rrd(2, 0), [1, 2, 1, 0, 0, 1, 0, 0]),
            (lrd(0), [2, 2, 1, 0, 1, 1, 0, 0]),
            (rwr(3, 0), [2, 2, 1, 1, 1, 1, 0, 1]),
            (lwr(0), [2, 2, 2, 1, 1, 1, 1, 1]),
            (rwr(1, 0), [2, 2, 2, 2, 1, 1, 1, 1]),
        ];
        let mut b = Bench::new(&config);
        let mut before = [0; 8];
        for (req, after) in requests {
            let t = b.send(req);
            let show = |c: Counters| {
                let (requests, hits) = (
                    [c.req_lrd, c.req_rrd, c.req_lwr, c.req_rwr],
                    [c.hit_lrd, c.hit_rrd, c.hit_lwr, c.hit_rwr],
                );
                [requests, hits].concat()
            };
            assert_eq!(show(counters(&mut b, t + 1)), before);
            assert_eq!(show(counters(&mut b, t + 2)), after);
            before = after;
        }
    }
}

#[test]
fn evict_and_fence_are_no_accesses() {
    for config in variants() {
        let mut b = Bench::new(&config);
        b.run(rrd(1, 0));
        b.run(evict(0));
        b.run(evict(0));
        b.run(fence(2));
        let c = b.dir.outputs().counters;
        assert_eq!([c.req_lrd, c.req_rrd, c.req_lwr, c.req_rwr], [0, 1, 0, 0]);
        assert_eq!([c.hit_lrd, c.hit_rrd, c.hit_lwr, c.hit_rwr], [0; 4]);
    }
}

#[test]
fn allocations_count_two_cycles_after_acceptance() {
    for config in variants() {
        let mut b = Bench::new(&config);
        let t = b.send(rrd(1, 0));
        assert_eq!((counters(&mut b, t + 1).alloc, counters(&mut b, t + 2).alloc), (0, 1));
        b.run(rrd(2, 0));
        b.run(lrd(0x800));
        b.run(rwr(2, 0xC00));
        assert_eq!(b.dir.outputs().counters.alloc, 2);
    }
}

#[test]
fn evictions_count_by_lines_when_the_job_is_made() {
    let mut b = Bench::new(&Config { entries: 1, ways: 1, ..rec() });
    let mut expected = [0; MAX_POS];
    b.next.inv_ready = true;
    for lines in 1..=16 {
        (0..lines).for_each(|line| _ = b.run(rrd(1, 64 * line)));
        let t = if lines % 2 == 0 { b.send(evict(0)) } else { b.send(rrd(1, 0x400)) };
        let evicted = [1, 2].map(|later| u64::from(counters(&mut b, t + later).evict));
        assert_eq!(evicted, [lines - 1, lines]);
        expected[lines as usize - 1] += 1;
        assert_eq!(histogram(&b), expected);
        // A local write leaves no entry and is no eviction.
        b.run(lwr(0x400));
        assert_eq!(u64::from(b.dir.outputs().counters.evict), lines);
    }
}

#[test]
fn eviction_of_an_hmg_entry_has_4_lines_and_of_a_baseline_entry_1() {
    for (config, lines) in [(hmg(), 4), (baseline(), 1)] {
        let mut b = Bench::new(&config);
        b.run(rrd(1, 0));
        b.run(evict(0));
        let c = b.dir.outputs().counters;
        let mut expected = [0; MAX_POS];
        expected[lines - 1] = 1;
        assert_eq!((c.evict, histogram(&b)), (1, expected));
        assert_eq!((c.inv_lines_evict, c.inv_msgs_evict), (lines as u32, lines as u32));
    }
}

#[test]
fn entry_of_64_lines_counts_in_the_last_place() {
    let mut b = Bench::new(&Config { range: 4096, ..rec() });
    (0..64).for_each(|line| _ = b.run(rrd(1, 64 * line)));
    let (_, invalidations) = b.run(evict(0));
    assert!(invalidations.iter().map(|inv| inv.addr).eq((0..64).map(|line| 64 * line)));
    let c = b.dir.outputs().counters;
    assert_eq!((histogram(&b)[63], c.inv_lines_evict), (1, 64));
}

#[test]
fn lines_and_messages_count_when_a_line_is_taken() {
    for (evicts, config) in [(false, rec()), (false, ideal()), (true, rec()), (true, baseline())] {
        let mut b = Bench::new(&config);
        (1..4).for_each(|gpu| _ = b.run(rrd(gpu, 0)));
        b.next.inv_ready = false;
        let t = b.send(if evicts { evict(0) } else { lwr(0) });
        b.cycles(5);
        b.next.inv_ready = true;
        let taken = b.cycle();
        assert!(taken > t + 3);
        let show = |c: Counters| {
            let write = [c.inv_lines_write, c.inv_msgs_write];
            let evict = [c.inv_lines_evict, c.inv_msgs_evict];
            if evicts { (evict, write) } else { (write, evict) }
        };
        assert_eq!(show(counters(&mut b, taken)), ([0, 0], [0, 0]));
        assert_eq!(show(counters(&mut b, taken + 1)), ([1, 3], [0, 0]));
    }
}

#[test]
fn fences_count_nowhere() {
    let mut b = Bench::new(&rec());
    b.run(fence(1));
    assert_eq!(b.dir.outputs().counters, Counters { jobq_max: 1, ..Counters::default() });
}

#[test]
fn messages_count_all_15_destinations() {
    let mut b = Bench::new(&Config { gpus: 16, ..rec() });
    (1..16).for_each(|gpu| _ = b.run(rrd(gpu, 0)));
    b.run(lwr(0));
    let c = b.dir.outputs().counters;
    assert_eq!((c.inv_lines_write, c.inv_msgs_write), (1, 15));
}

#[test]
fn low_cycles_count_from_the_next_cycle_on() {
    let mut b = Bench::new(&Config { jobs: 2, ..rec() });
    b.next.inv_ready = false;
    b.offer(10, |_| fence(0));
    assert_eq!(b.out[2].counters.ready_low_cycles, 0);
    assert!(!b.out[2].req_ready);
    let counted = (3..10).map(|cycle| b.out[cycle].counters.ready_low_cycles);
    assert!(counted.eq(1..8), "whether or not a request is offered, but for the sweep");
    b.next.inv_ready = true;
    b.cycles(10);
    let low = b.out.iter().filter(|out| !out.req_ready).count();
    assert_eq!(b.dir.outputs().counters.ready_low_cycles, low as u32);
}

#[test]
fn most_jobs_count_from_the_next_cycle_on() {
    let mut b = Bench::new(&rec());
    b.next.inv_ready = false;
    let t = b.send(fence(0));
    // In the FIFO from t+2 on.
    assert_eq!([t + 2, t + 3].map(|cycle| counters(&mut b, cycle).jobq_max), [0, 1]);
    b.send(fence(0));
    b.send(fence(0));
    b.cycles(5);
    assert_eq!(b.dir.outputs().counters.jobq_max, 3);
    b.next.inv_ready = true;
    b.cycles(5);
    b.run(fence(0));
    assert_eq!(b.dir.outputs().counters.jobq_max, 3, "it does not fall");
}
