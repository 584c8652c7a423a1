//! Counters (specification 9) that the other tests do not read.

use super::*;

#[test]
fn each_counter_counts_its_event() {
    on_both(|body| {
        let mut b = Bench::new(body, &at_the_limit());
        b.run_to(16);
        let counted = Counters { wakes: 1, wakes_idle: 1, ..Counters::default() };
        assert_eq!(b.shown().counters, counted);
        b.pair(0x020, 0x120);
        b.conflict(0, 0x120);
        b.cycle();
        b.conflict(0, 0x060);
        b.cycle();
        let counted = Counters { votes_up: 1, conf_dup: 1, conf_stale: 1, ..counted };
        assert_eq!(b.shown().counters, counted);
        b.next_epoch();
        let counted = Counters { wakes: 2, selections: 1, ..counted };
        assert_eq!(b.shown().counters, counted);
        b.idle();
        b.demands(&[0x020]);
        b.run_to(b.now() + 16);
        let counted = Counters { wakes: 3, selections: 2, skip_same: 1, ..counted };
        assert_eq!(b.shown().counters, counted);
    });
}

#[test]
fn counters_change_at_the_edge_of_their_event() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Es));
        b.run_to(17);
        assert_eq!([b.out[15].counters.wakes, b.out[16].counters.wakes], [0, 1]);
    });
}
