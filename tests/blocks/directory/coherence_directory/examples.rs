//! Worked examples 1 to 8 and 10 of specification section 10; 11 is in `rates`, 9 concerns no
//! block.

use ports::directory::coherence_directory::cause::{EVICT, WRITE};

use super::*;

/// The response for an untracked line without an allocation.
const NEW_LINE: (bool, bool, bool, u16) = (false, false, false, 0);
/// The response for an allocation in a free way.
const NEW_ENTRY: (bool, bool, bool, u16) = (false, true, false, 0);

/// The invalidations of an evicted entry at `addr` in which these bits of the groups are 1
/// (specification 4.1), with `n` sharer slots. GPU 0 is the home: slot j is GPU j.
fn entry(addr: u64, n: u32, bits: &[u32]) -> Vec<(u8, u64, u16, bool)> {
    let groups = bits.iter().fold([0u32; 16], |mut groups, bit| {
        groups[(bit / (n + 1)) as usize] |= 1 << (bit % (n + 1));
        groups
    });
    let tracked: Vec<_> = (0..16).filter(|&k| groups[k] != 0).collect();
    let line = |&k: &usize| {
        let dest = groups[k] as u16;
        assert!(dest & 1 == 1 && dest > 1, "a line has its position and a sharer");
        (EVICT, addr + 64 * k as u64, dest & !1, Some(&k) == tracked.last())
    };
    tracked.iter().map(line).collect()
}

#[test]
fn example_1_third_and_fourth_line_evict_in_a_baseline_of_two_ways() {
    // The lines of the example fall in one set of two ways if they are 8 sets * 64 bytes apart.
    on_both("small-baseline", |mut dir| {
        let lines = [0x1000, 0x1200, 0x1400];
        for line in &lines[..2] {
            let done = dir.run(rrd(1, *line));
            assert_eq!((done.told(), done.sent()), (NEW_ENTRY, vec![]));
        }
        for (line, victim) in [(lines[2], lines[0]), (lines[0], lines[1])] {
            let done = dir.run(rrd(1, line));
            assert_eq!(done.told(), (false, true, true, 0));
            assert_eq!(done.sent(), [(EVICT, victim, 0b10, true)]);
        }
    });
}

#[test]
fn example_1_lines_of_one_range_share_an_entry_of_rec() {
    for config in ["paper", "paper-fifo", "single-set"] {
        on_both(config, |mut dir| {
            let told: Vec<_> =
                [0x1000, 0x1040, 0x1080].iter().map(|&line| dir.run(rrd(1, line)).told()).collect();
            assert_eq!(told, [NEW_ENTRY, NEW_LINE, NEW_LINE]);
            // The fourth read never reaches the home. No line was sent: `idle` was 1 in t + 3.
            let counters = dir.bench.body.outputs().counters;
            assert_eq!(
                (
                    counters.alloc,
                    counters.evict,
                    counters.inv_lines_evict,
                    counters.inv_lines_write
                ),
                (1, 0, 0, 0)
            );
            let done = dir.run(evict(0x1000));
            assert_eq!(done.told(), (true, false, true, 0b10));
            let sent = if config == "single-set" {
                // Two slots: three bits for each line.
                entry(0x1000, 2, &[0, 1, 3, 4, 6, 7])
            } else {
                entry(0x1000, 3, &[0, 1, 4, 5, 8, 9])
            };
            assert_eq!(done.sent(), sent);
        });
    }
}

#[test]
fn example_2_address_0x340_is_bit_52_of_its_entry() {
    on_both("paper", |mut dir| {
        assert_eq!(dir.run(rrd(1, 0x340)).told(), NEW_ENTRY);
        assert_eq!(dir.run(evict(0)).sent(), entry(0, 3, &[52, 53]));
    });
}

#[test]
fn example_3_local_write_clears_its_line_and_leaves_the_entry() {
    on_both("paper", |mut dir| {
        dir.quietly(rrd(1, 0));
        dir.quietly(rrd(3, 14 * 64));
        let done = dir.run(lwr(0));
        assert_eq!(done.told(), (true, false, false, 0b10));
        assert_eq!(done.sent(), [(WRITE, 0, 0b10, true)]);
        assert_eq!(dir.run(lrd(0)).told(), NEW_LINE);
        // The entry is valid: a read of its line allocates nothing.
        assert_eq!(dir.run(rrd(2, 0)).told(), NEW_LINE);
        assert_eq!(dir.run(lwr(0)).sent(), [(WRITE, 0, 0b100, true)]);
        assert_eq!(dir.run(evict(0)).sent(), entry(0, 3, &[56, 59]));
    });
}

#[test]
fn example_4_remote_write_leaves_its_source_as_the_only_sharer() {
    on_both("paper", |mut dir| {
        dir.quietly(rrd(3, 14 * 64));
        let done = dir.run(rwr(2, 14 * 64));
        assert_eq!(done.told(), (true, false, false, 0b1000));
        assert_eq!(done.sent(), [(WRITE, 14 * 64, 0b1000, true)]);
        assert_eq!(dir.run(evict(0)).sent(), entry(0, 3, &[56, 58]));
    });
}

#[test]
fn example_5_eviction_sends_three_lines_in_three_cycles() {
    on_both("paper", |mut dir| {
        let base = 0x7F << 10;
        for (gpu, line) in [(1, 0), (2, 0), (3, 5), (1, 15)] {
            dir.quietly(rrd(gpu, base + 64 * line));
        }
        // Fills the other seven ways of the set and allocates once more. `run` checks that the
        // lines are sent from t + 2 on, one per cycle.
        let next = |n: u64| rrd(1, base + (n << 20));
        (1..8).for_each(|n| dir.quietly(next(n)));
        let done = dir.run(next(8));
        assert_eq!(done.told(), (false, true, true, 0));
        let expected = [
            (EVICT, 0x1FC00, 0b0110, false),
            (EVICT, 0x1FD40, 0b1000, false),
            (EVICT, 0x1FFC0, 0b0010, true),
        ];
        assert_eq!(done.sent(), expected);
        let counters = dir.bench.body.outputs().counters;
        assert_eq!((counters.evict, dir.evictions_of(3), dir.evictions_of(2)), (1, 1, 0));
        assert_eq!((counters.inv_lines_evict, counters.inv_msgs_evict), (3, 4));
    });
}

#[test]
fn example_6_hmg_sends_four_lines_to_all_sharers_of_a_block() {
    on_both("paper-hmg", |mut dir| {
        dir.quietly(rrd(1, 0x2000));
        dir.quietly(rrd(2, 0x20C0));
        let done = dir.run(lwr(0x2080));
        assert_eq!(done.told(), (true, false, false, 0b110));
        let lines = [0x2000, 0x2040, 0x2080, 0x20C0];
        assert_eq!(done.sent(), lines.map(|line| (WRITE, line, 0b110, line == 0x20C0)));
        let counters = dir.bench.body.outputs().counters;
        assert_eq!((counters.inv_lines_write, counters.inv_msgs_write), (4, 8));
    });
}

#[test]
fn example_6_rec_sends_the_written_line_alone() {
    on_both("paper", |mut dir| {
        for (gpu, line) in [(1, 0x2000), (1, 0x2080), (2, 0x2080)] {
            dir.quietly(rrd(gpu, line));
        }
        assert_eq!(dir.run(lwr(0x2080)).sent(), [(WRITE, 0x2080, 0b110, true)]);
        let counters = dir.bench.body.outputs().counters;
        assert_eq!((counters.inv_lines_write, counters.inv_msgs_write), (1, 2));
    });
}

#[test]
fn example_7_remote_write_by_the_only_sharer_makes_no_job() {
    for config in ["paper", "paper-baseline", "paper-hmg", "paper-ideal"] {
        on_both(config, |mut dir| {
            dir.quietly(rrd(2, 0x40));
            let done = dir.run(rwr(2, 0x40));
            assert_eq!((done.told(), done.sent()), ((true, false, false, 0b100), vec![]));
            // It still is the sharer.
            assert_eq!(dir.run(lrd(0x40)).told(), (true, false, false, 0b100));
        });
    }
}

#[test]
fn example_8_stream_to_one_set_is_answered_in_cycles_2_3_and_4() {
    for config in ["paper", "paper-baseline", "paper-hmg", "paper-ideal"] {
        on_both(config, |mut dir| {
            assert_eq!([rrd(1, 0x40), rrd(1, 0x40), lwr(0x40)].map(|req| dir.send(req)), [0, 1, 2]);
            (0..6).for_each(|_| _ = dir.cycle(None));
            let out = &dir.bench.out;
            let told: Vec<_> = out.iter().map(|o| Some((o.rsp?.hit, o.rsp?.sharers))).collect();
            let (first, second) = (Some((false, 0)), Some((true, 0b10)));
            assert_eq!(told, [None, None, first, second, second, None, None, None, None]);
            let sent: Vec<_> = out.iter().map(|o| Some((o.inv?.addr, o.inv?.seq))).collect();
            let lines: &[u64] =
                if config == "paper-hmg" { &[0, 0x40, 0x80, 0xC0] } else { &[0x40] };
            let mut expected = [None; 9];
            for (k, line) in lines.iter().enumerate() {
                expected[4 + k] = Some((*line, 2));
            }
            assert_eq!(sent, expected);
        });
    }
}

/// With n sharers, 0x340 is bit `p`; the highest base lies in all bits between the groups and
/// valid.
fn example_10(config: &str, n: u8, p: u32) {
    on_both(config, |mut dir| {
        // 38 ones, then 0x340.
        let line = 0xFFFF_FFFF_FF40;
        assert_eq!(line % 1024, 0x340);
        // Entries with bases that differ from this one in one bit above the set index, 7 at a
        // time.
        for bits in (20..48).collect::<Vec<_>>().chunks(7) {
            assert_eq!(dir.run(rrd(1, line)).told(), NEW_ENTRY);
            bits.iter()
                .for_each(|bit| assert_eq!(dir.run(rrd(1, line ^ 1 << bit)).told(), NEW_ENTRY));
            for line in bits.iter().map(|bit| line ^ 1 << bit).chain([line]) {
                assert_eq!(dir.run(evict(line)).sent(), [(EVICT, line, 0b10, true)]);
            }
        }
        (1..=n).for_each(|gpu| dir.quietly(rrd(gpu, line)));
        let bits: Vec<_> = (p..=p + u32::from(n)).collect();
        assert_eq!(dir.run(evict(line)).sent(), entry(line - 0x340, n.into(), &bits));
    });
}

#[test]
fn example_10_eight_gpus_have_bit_104() {
    example_10("paper-8gpu", 7, 104);
}

#[test]
fn example_10_sixteen_gpus_have_bit_208() {
    example_10("paper-16gpu", 15, 208);
}
