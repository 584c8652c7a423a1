//! Which bands are selected (specification 5.1).

use super::*;

/// An address in a band, with the start epoch bit 4.
fn of(band: u32) -> u32 {
    band << 4
}

/// The bands that follow one another.
fn epochs<const COUNT: usize>(b: &mut Bench) -> [u32; COUNT] {
    std::array::from_fn(|_| b.next_epoch().gvec)
}

#[test]
fn nv_takes_all_in_turn_at_every_wake() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Nv));
        assert_eq!(epochs(&mut b), [0b0010, 0b0100, 0b1000, 0b0001, 0b0010]);
        assert_eq!(b.shown().counters.wakes, 5);
    });
}

#[test]
fn nv_is_not_moved_by_demands() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Nv));
        b.demands(&[of(3)]);
        assert_eq!(epochs(&mut b), [0b0010, 0b0100, 0b1000, 0b0001]);
    });
}

#[test]
fn es_takes_what_is_demanded_in_turn_the_present_band_last() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Es));
        b.demands(&[of(0), of(3), of(2)]);
        assert_eq!(epochs(&mut b), [0b0100, 0b1000, 0b0001]);
        b.idle();
        b.demands(&[of(1), of(0)]);
        assert_eq!(epochs(&mut b), [0b0010, 0b0001]);
    });
}

#[test]
fn band_that_is_granted_already_is_skipped() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Es));
        b.demands(&[of(0)]);
        b.run_to(40);
        assert!(b.out.iter().all(|out| !out.prep));
        let Counters { wakes, selections, skip_same, wakes_idle, .. } = b.shown().counters;
        assert_eq!([wakes, selections, skip_same, wakes_idle], [2, 1, 1, 1], "its demand is gone");
    });
}

#[test]
fn skipped_selection_moves_the_search_on() {
    on_both(|body| {
        let mut b = Bench::new(body, &Config { max_bands: 2, ..small(Variant::Mb) });
        b.demands(&[of(1), of(2)]);
        assert_eq!(b.next_epoch().gvec, 0b0110);
        b.idle();
        // First selected was 1: the search goes 2, 3, 0, 1.
        b.demands(&[of(2), of(1)]);
        b.run_to(b.now() + 16);
        assert_eq!(b.shown().counters.skip_same, 1);
        // Now it goes 3, 0, 1, 2.
        b.demands(&[of(0), of(1), of(2)]);
        assert_eq!(b.next_epoch().gvec, 0b0011);
    });
}

#[test]
fn mb_grants_what_is_next_in_turn_though_not_adjacent() {
    on_both(|body| {
        // Section 10, example 4: from ec 9, with 10 and 12.
        let mut b = Bench::new(body, &many(Variant::Mb));
        b.demands(&[of(9)]);
        assert_eq!(b.next_epoch().gvec, 1 << 9);
        b.idle();
        b.demands(&[of(12), of(10)]);
        assert_eq!(b.next_epoch().gvec, 1 << 10 | 1 << 12);
        b.idle();
        // ec 10, the first selected: 11 to 14 come before 10.
        b.demands(&[of(10), of(11), of(12), of(13), of(14)]);
        assert_eq!(epochs(&mut b), [0b1111 << 11, 1 << 10]);
    });
}

#[test]
fn mb_goes_around_the_last_band() {
    on_both(|body| {
        let mut b = Bench::new(body, &many(Variant::Mb));
        b.demands(&[of(14)]);
        b.next_epoch();
        b.idle();
        b.demands(&[of(13), of(2), of(1), of(0), of(15)]);
        assert_eq!(epochs(&mut b), [1 << 15 | 0b111, 1 << 13]);
    });
}

#[test]
fn bands_of_32_are_selected_too() {
    on_both(|body| {
        let config = Config { band_bits: 5, wakeup: 33, ..many(Variant::Mb) };
        let mut b = Bench::new(body, &config);
        b.demands(&[of(31), of(30), of(0)]);
        assert_eq!(b.next_epoch().gvec, 3 << 30 | 1);
    });
}

#[test]
fn start_epoch_bits_beyond_the_address_leave_band_0() {
    on_both(|body| {
        // Section 10, example 1: at 30 the band of 0xDEAD_BEEF is 3, at 32 it is 0.
        for (seb, band) in [(12, 0xB), (13, 0xD), (28, 0xD), (30, 0x3), (32, 0)] {
            let config = if seb == 13 { fixed_pages(1) } else { pages(seb) };
            let mut b = Bench::new(body, &config);
            b.demands(&[0xDEAD_BEEF]);
            if band == 0 {
                b.run_to(24);
                assert_eq!(b.shown().counters.skip_same, 1);
            } else {
                assert_eq!(b.next_epoch(), Epoch { seb: seb as u8, gvec: 1 << band });
            }
        }
    });
}
