//! The start epoch bit: when it moves, and what it does to what was selected (specification 5.1;
//! section 10, example 3).

use super::*;

const READ: u32 = 0x0A0;

/// What is in the band of the read at each start epoch bit, and a higher bit differs.
fn write(seb: u8) -> u32 {
    [0x1A0, 0x2A0, 0x4A0, 0x8A0, 0x8A0][usize::from(seb) - 4]
}

#[test]
fn figure_6_moves_at_each_selection() {
    on_both(|body| {
        let mut b = Bench::new(body, &figure_6(0));
        let mut seen = Vec::new();
        for seb in 4..8 {
            let start = b.now();
            b.run_to(start + 2);
            b.demands(&[write(seb)]);
            b.run_to(start + 4);
            b.conflict(0, READ);
            seen.push(b.next_epoch());
            b.idle();
        }
        let expected = [(5, 13), (6, 10), (7, 9), (8, 8)].map(|(seb, band)| (seb, 1 << band));
        assert_eq!(seen.iter().map(|e| (e.seb, e.gvec)).collect::<Vec<_>>(), expected);
        // ec 15: the search begins with band 0.
        b.demands(&[0xF00, 0x000]);
        assert_eq!([b.next_epoch().gvec, b.next_epoch().gvec], [1, 1 << 15]);
    });
}

#[test]
fn figure_6_moves_once_per_rotation() {
    on_both(|body| {
        let mut b = Bench::new(body, &figure_6(1));
        let mut seen = Vec::new();
        for _ in 0..11 {
            let (start, seb) = (b.now(), b.shown().chg_info.seb);
            b.run_to(start + 2);
            b.demands(&[write(seb)]);
            b.run_to(start + 4);
            b.conflict(0, READ);
            b.run_to(start + 6);
            b.demands(&[(5 << seb) & 0xFFF]);
            b.run_to(start + 24);
            if b.shown().prep {
                b.next_epoch();
                b.idle();
            }
            let Epoch { seb, gvec } = b.shown().chg_info;
            seen.push((seb, gvec.trailing_zeros()));
        }
        let expected = [
            (4, 5),
            (4, 10),
            (5, 2),
            (5, 5),
            (6, 10),
            (6, 2),
            (6, 5),
            (7, 9),
            (7, 1),
            (7, 5),
            (8, 8),
        ];
        assert_eq!(seen, expected);
        assert_eq!(b.shown().counters.selections, 11);
    });
}

#[test]
fn printed_pair_of_figure_6_moves_it_once() {
    on_both(|body| {
        let mut b = Bench::new(body, &figure_6(0));
        b.pair(0x1A0, READ);
        assert_eq!(b.next_epoch(), Epoch { seb: 5, gvec: 1 << 13 });
        b.idle();
        for n in 1..5 {
            let start = b.now();
            b.pair(0x1A0, READ);
            assert_eq!(b.verdicts(), [1, 0, n, 0], "band 13 and band 5");
            b.run_to(start + 24);
            assert_eq!(b.shown().chg_info.seb, 5);
        }
    });
}

#[test]
fn limits_are_kept() {
    on_both(|body| {
        let cases = [
            // At the lowest position, down by a bit that no position separates.
            (4, at_every_selection(), 0x010, 0x011, [0, 1, 0, 0]),
            (5, at_the_limit(), 0x020, 0x120, [1, 0, 0, 0]),
        ];
        for (seb, config, write, read, verdicts) in cases {
            let mut b = Bench::new(body, &config);
            b.pair(write, read);
            assert_eq!(b.verdicts(), verdicts);
            assert_eq!(b.next_epoch(), Epoch { seb, gvec: 0b0010 });
        }
    });
}

#[test]
fn vote_of_the_last_cycle_counts_at_the_next_selection() {
    on_both(|body| {
        let mut b = Bench::new(body, &at_every_selection());
        b.demands(&[0x010, 0x030]);
        b.run_to(15);
        b.conflict(0, 0x130);
        b.cycle();
        assert_eq!(b.next_epoch(), Epoch { seb: 4, gvec: 0b0010 });
        // The change has used it up.
        assert_eq!(b.next_epoch(), Epoch { seb: 4, gvec: 0b1000 });
    });
}

#[test]
fn votes_wait_for_the_wrap() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.pair(0x010, 0x110);
        b.demands(&[0x030, 0x000]);
        let seen: Vec<_> = (0..3).map(|_| b.next_epoch()).map(|e| (e.seb, e.gvec)).collect();
        assert_eq!(seen, [(4, 0b0010), (4, 0b1000), (5, 0b0001)]);
    });
}

#[test]
fn mb_grants_the_bands_of_the_recorded_addresses_after_a_move() {
    on_both(|body| {
        let mut b = Bench::new(body, &many(Variant::Mb));
        // At 4 they are bands 1, 2, 3; at 5 bands 8, 1 and 9.
        b.demands(&[0x110, 0x020, 0x130]);
        b.conflict(0, 0x010);
        assert_eq!(b.next_epoch(), Epoch { seb: 5, gvec: 1 << 8 | 1 << 1 | 1 << 9 });
    });
}

#[test]
fn bands_that_fall_together_after_a_move_are_one() {
    on_both(|body| {
        let mut b = Bench::new(body, &many(Variant::Mb));
        // At 4 they are bands 2 and 3, at 5 both are band 1.
        b.demands(&[0x020, 0x030]);
        b.conflict(0, 0x420);
        assert_eq!(b.next_epoch(), Epoch { seb: 5, gvec: 1 << 1 });
    });
}

#[test]
fn move_without_a_new_band_is_a_transition() {
    on_both(|body| {
        let mut b = Bench::new(body, &at_every_selection());
        // Band 0 is granted, but under another start epoch bit.
        b.pair(0x000, 0x100);
        assert_eq!(b.next_epoch(), Epoch { seb: 5, gvec: 0b0001 });
        assert_eq!(b.shown().counters.skip_same, 0);
    });
}
