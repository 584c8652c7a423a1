//! Conflicts and their votes (specification 5.2).

use super::*;

/// Verdicts of one read with one recorded write.
fn verdicts(body: Make, config: &Config, write: u32, read: u32) -> [u32; 4] {
    let mut b = Bench::new(body, config);
    b.pair(write, read);
    b.verdicts()
}

const UP: [u32; 4] = [1, 0, 0, 0];
const DOWN: [u32; 4] = [0, 1, 0, 0];
const NONE: [u32; 4] = [0; 4];
const STALE: [u32; 4] = [0, 0, 1, 0];
const DUP: [u32; 4] = [0, 0, 0, 1];

#[test]
fn votes_are_those_of_the_example() {
    on_both(|body| {
        assert_eq!(verdicts(body, &pages(14), 0x2000, 0x1000), DOWN);
        assert_eq!(verdicts(body, &pages(12), 0x3000, 0x1_3000), UP);
        assert_eq!(verdicts(body, &pages(12), 0x3F00, 0x3004), NONE);
        assert_eq!(verdicts(body, &Config { adapt_cmp: 1, ..pages(12) }, 0x3F00, 0x3004), DOWN);
    });
}

#[test]
fn lower_bits_come_before_higher_ones() {
    on_both(|body| {
        assert_eq!(verdicts(body, &pages(14), 0x2000, 0x8000_1000), DOWN);
    });
}

#[test]
fn no_position_separates_what_differs_below_all() {
    on_both(|body| {
        assert_eq!(verdicts(body, &pages(14), 0x2000, 0x2FFF), NONE);
    });
}

#[test]
fn nothing_is_above_a_band_at_the_top() {
    on_both(|body| {
        assert_eq!(verdicts(body, &pages(28), 0x1000_0000, 0x1000_0000), NONE);
        assert_eq!(verdicts(body, &pages(27), 0x0800_0000, 0x8800_0000), UP);
        assert_eq!(verdicts(body, &pages(32), 0x8000_0000, 0), DOWN);
    });
}

#[test]
fn conflict_with_nothing_is_stale() {
    on_both(|body| {
        assert_eq!(verdicts(body, &pages(12), 0x3000, 0x4000), STALE);
        let mut b = Bench::new(body, &pages(12));
        b.demand(0, 0x3000);
        b.conflict(1, 0x1_3000);
        b.cycle();
        assert_eq!(b.verdicts(), STALE, "a demand is recorded at the end of its cycle");
    });
}

#[test]
fn conflict_at_the_selection_still_sees_what_it_clears() {
    on_both(|body| {
        let mut b = Bench::new(body, &pages(12));
        b.demands(&[0x3000]);
        b.run_to(23);
        b.conflict(0, 0x1_3000);
        b.cycle();
        assert!(b.shown().prep);
        assert_eq!(b.verdicts(), UP);
        b.conflict(0, 0x1_3000);
        b.cycle();
        assert_eq!(b.verdicts(), [1, 0, 1, 0], "gone");
    });
}

#[test]
fn conflict_at_the_change_is_stale() {
    on_both(|body| {
        for (cycle, expected) in [(24, UP), (25, STALE), (26, UP)] {
            let mut b = Bench::new(body, &pages(12));
            b.demands(&[0x3000, 0x5000]);
            // W 23, PREP 24; ready in 25; CHG 26. 0x5000 is not selected.
            b.run_to(cycle);
            b.conflict(0, 0x1_5000);
            b.cycle();
            assert_eq!(b.verdicts(), expected, "cycle {cycle}");
        }
    });
}

#[test]
fn band_votes_once() {
    on_both(|body| {
        let mut b = Bench::new(body, &pages(12));
        b.pair(0x3000, 0x3000);
        assert_eq!(b.verdicts(), NONE);
        b.conflict(1, 0x1_3000);
        b.cycle();
        assert_eq!(b.verdicts(), DUP, "the first had no opinion, and was its vote");
    });
}

#[test]
fn lowest_cu_votes_for_a_band() {
    on_both(|body| {
        for (reads, expected) in [([0x1_3000, 0x3000], [1, 0, 0, 1]), ([0x3000, 0x1_3000], DUP)] {
            let mut b = Bench::new(body, &pages(12));
            b.demands(&[0x3000]);
            (0..2).for_each(|cu| b.conflict(cu, reads[cu]));
            b.cycle();
            assert_eq!(b.verdicts(), expected);
        }
    });
}

#[test]
fn bands_vote_again_once_the_votes_were_used() {
    on_both(|body| {
        // A move that a limit forbids uses them too.
        for (seb_on_wrap, expected) in [(0, [2, 0, 0, 0]), (1, [1, 0, 0, 1])] {
            let mut b = Bench::new(body, &fixed_pages(seb_on_wrap));
            b.pair(0x2000, 0x2_2000);
            assert_eq!(b.next_epoch(), Epoch { seb: 13, gvec: 0b0010 });
            b.idle();
            b.pair(0x2000, 0x2_2000);
            assert_eq!(b.verdicts(), expected);
        }
    });
}

#[test]
fn votes_of_a_cycle_add_up() {
    on_both(|body| {
        let mut b = Bench::new(body, &pages(14));
        b.demands(&[0x4000, 0x8000, 0xC000]);
        b.conflict(1, 0x5000);
        b.conflict(2, 0x1_8000 << 4 | 0x8000);
        b.conflict(3, 0xD000);
        b.cycle();
        assert_eq!(b.verdicts(), [1, 2, 0, 0]);
        assert_eq!(b.next_epoch().seb, 13);
    });
}

#[test]
fn variants_without_adaption_ignore_conflicts() {
    on_both(|body| {
        for variant in [Variant::Nv, Variant::Es] {
            assert_eq!(verdicts(body, &small(variant), 0x030, 0x130), NONE);
            assert_eq!(verdicts(body, &small(variant), 0x030, 0x040), NONE);
        }
        for variant in [Variant::Ab, Variant::Mb] {
            assert_eq!(verdicts(body, &small(variant), 0x030, 0x130), UP);
            assert_eq!(verdicts(body, &small(variant), 0x030, 0x040), STALE);
        }
    });
}
