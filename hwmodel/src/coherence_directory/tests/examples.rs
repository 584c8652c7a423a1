//! The worked examples of specification section 10 (those that concern the block).

use super::*;

#[test]
fn example_1_four_reads_evict_twice_in_a_baseline_of_two_entries() {
    let mut b = Bench::new(&Config { entries: 2, ways: 2, ..baseline() });
    assert_eq!(b.run(rrd(1, 0x1000)).1, []);
    assert_eq!(b.run(rrd(1, 0x1040)).1, []);
    let (rsp, invalidations) = b.run(rrd(1, 0x1080));
    assert!(rsp.alloc && rsp.evicted && !rsp.hit);
    assert_eq!(lines(&invalidations), [(0x1000, 0b10, true)]);
    assert_eq!(invalidations[0].cause, cause::EVICT);
    let (_, invalidations) = b.run(rrd(1, 0x1000));
    assert_eq!(lines(&invalidations), [(0x1040, 0b10, true)]);
}

#[test]
fn example_1_reads_of_one_range_share_an_entry() {
    let mut b = Bench::new(&Config { entries: 2, ways: 2, ..rec() });
    let allocations = [0x1000, 0x1040, 0x1080, 0x1000].map(|addr| {
        let (rsp, invalidations) = b.run(rrd(1, addr));
        assert_eq!((rsp.evicted, &invalidations[..]), (false, &[][..]));
        (rsp.alloc, rsp.hit)
    });
    assert_eq!(allocations, [(true, false), (false, false), (false, false), (false, true)]);
    // Groups 0, 1 and 2 have the position and GPU 1: bits 0, 1, 4, 5, 8 and 9.
    let groups = (0..16).map(|line| b.dir.sharers(0x1000 + 64 * line));
    let expected = (0..16).map(|line| (line < 3).then_some(0b10));
    assert!(groups.eq(expected));
}

#[test]
fn example_2_address_0x340_is_line_13() {
    let mut b = Bench::new(&rec());
    b.run(rrd(1, 0x340));
    let tracked = (0..16).map(|line| b.dir.sharers(64 * line));
    assert!(tracked.eq((0..16).map(|line| (line == 13).then_some(0b10))));
}

#[test]
fn example_3_local_write_clears_its_line_and_leaves_the_entry() {
    let mut b = Bench::new(&rec());
    b.run(rrd(1, 0));
    b.run(rrd(3, 14 * 64));
    let (rsp, invalidations) = b.run(lwr(0));
    assert_eq!((rsp.hit, rsp.sharers, rsp.evicted), (true, 0b10, false));
    assert_eq!(lines(&invalidations), [(0, 0b10, true)]);
    assert_eq!(invalidations[0].cause, cause::WRITE);
    assert_eq!((b.dir.sharers(0), b.dir.sharers(14 * 64)), (None, Some(0b1000)));
    assert!(!b.run(rrd(2, 0)).0.alloc, "the entry is still there");
}

#[test]
fn example_4_remote_write_leaves_its_source_as_the_only_sharer() {
    let mut b = Bench::new(&rec());
    b.run(rrd(3, 14 * 64));
    let (rsp, invalidations) = b.run(rwr(2, 14 * 64));
    assert_eq!((rsp.hit, rsp.sharers), (true, 0b1000));
    assert_eq!(lines(&invalidations), [(14 * 64, 0b1000, true)]);
    assert_eq!(b.dir.sharers(14 * 64), Some(0b100));
}

#[test]
fn example_5_eviction_sends_the_lines_from_the_lowest_up() {
    let mut b = Bench::new(&Config { entries: 1, ways: 1, ..rec() });
    let base = 0x7F << 10;
    b.run(rrd(1, base));
    b.run(rrd(2, base));
    b.run(rrd(3, base + 5 * 64));
    b.run(rrd(1, base + 15 * 64));
    let t = b.send(rrd(1, 0));
    b.cycles(8);
    let sent: Vec<_> = b.invalidations();
    let cycles: Vec<_> = sent.iter().map(|(cycle, _)| *cycle).collect();
    assert_eq!(cycles, [t + 2, t + 3, t + 4]);
    let invalidations: Vec<_> = sent.iter().map(|(_, inv)| *inv).collect();
    let expected = [(0x1FC00, 0b0110, false), (0x1FD40, 0b1000, false), (0x1FFC0, 0b0010, true)];
    assert_eq!(lines(&invalidations), expected);
    assert!(invalidations.iter().all(|inv| inv.cause == cause::EVICT && inv.seq == 4));
    let cnt = b.dir.outputs().cnt;
    assert_eq!((cnt.inv_lines_evict, cnt.inv_msgs_evict), (3, 4));
    assert_eq!((cnt.evict, b.dir.events.evictions(2)), (1, 1));
}

#[test]
fn example_6_hmg_sends_four_lines_to_all_sharers_of_a_block() {
    let mut b = Bench::new(&hmg());
    b.run(rrd(1, 0x2000));
    b.run(rrd(2, 0x20C0));
    let t = b.send(lwr(0x2080));
    b.cycles(8);
    let sent = b.invalidations();
    let expected: Vec<_> = [0x2000, 0x2040, 0x2080, 0x20C0]
        .iter()
        .enumerate()
        .map(|(k, &addr)| {
            let inv = Inv { addr, dest: 0b110, seq: 2, last: k == 3, cause: cause::WRITE };
            (t + 2 + k, inv)
        })
        .collect();
    assert_eq!(sent, expected);
    let cnt = b.dir.outputs().cnt;
    assert_eq!((cnt.inv_lines_write, cnt.inv_msgs_write), (4, 8));
}

#[test]
fn example_6_rec_sends_the_written_line_alone() {
    let mut b = Bench::new(&rec());
    b.run(rrd(1, 0x2000));
    b.run(rrd(1, 0x2080));
    b.run(rrd(2, 0x2080));
    let (_, invalidations) = b.run(lwr(0x2080));
    assert_eq!(lines(&invalidations), [(0x2080, 0b110, true)]);
}

#[test]
fn example_7_remote_write_by_the_only_sharer_makes_no_job() {
    for config in variants() {
        let mut b = Bench::new(&config);
        b.run(rrd(2, 0x40));
        let (rsp, invalidations) = b.run(rwr(2, 0x40));
        assert_eq!((rsp.hit, rsp.alloc, rsp.sharers), (true, false, 0b100));
        assert_eq!(invalidations, []);
        assert_eq!(b.dir.sharers(0x40), Some(0b100));
    }
}

#[test]
fn example_8_stream_to_one_set_answers_in_every_cycle() {
    for config in variants() {
        let mut b = Bench::new(&config);
        assert_eq!([rrd(1, 0x40), rrd(1, 0x40), lwr(0x40)].map(|req| b.send(req)), [0, 1, 2]);
        b.cycles(6);
        let responses: Vec<_> =
            b.responses().iter().map(|(cycle, rsp)| (*cycle, rsp.sharers, rsp.hit)).collect();
        assert_eq!(responses, [(2, 0, false), (3, 0b10, true), (4, 0b10, true)]);
        assert_eq!(b.invalidations()[0].0, 4);
    }
}

#[test]
fn example_10_all_other_gpus_share_line_13() {
    for gpus in [8, 16] {
        let mut b = Bench::of_gpu(&Config { gpus, ..rec() }, 5);
        let others: Vec<_> = (0..gpus as u8).filter(|&gpu| gpu != 5).collect();
        others.iter().for_each(|&gpu| _ = b.run(rrd(gpu, 0x340)));
        let all = ((1u32 << gpus) - 1) as u16 & !(1 << 5);
        assert_eq!(b.dir.sharers(0x340), Some(all));
        let (rsp, invalidations) = b.run(req(op::EVICT, 5, 0x340));
        assert_eq!((rsp.sharers, rsp.evicted), (all, true));
        assert_eq!(lines(&invalidations), [(0x340, all, true)]);
    }
}

#[test]
fn example_11_evictions_at_full_rate_take_16_cycles_each() {
    let config = Config { entries: 64, ..rec() };
    let mut b = Bench::new(&config);
    let entries = u64::from(config.entries);
    (0..entries * 16).for_each(|line| _ = b.run(rrd(1, 64 * line)));
    let start = b.out.len();
    let accepted = b.offer(1000, |n| rrd(1, (entries + n as u64) * 1024));
    let accepted: Vec<_> = accepted.iter().take(64).map(|cycle| cycle - start).collect();
    let expected = (0..8).chain((0..).map(|n| 18 + 16 * n)).take(accepted.len());
    assert!(accepted.iter().copied().eq(expected), "{accepted:?}");
    assert!(accepted.len() > 60);
    // Without a bubble between two jobs.
    let sent = b.invalidations();
    assert!(sent.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1));
}
