//! Counters (specification 9).

use super::*;

#[test]
fn stores_are_counted_when_they_are_classified() {
    on_both(|body| {
        let mut b = Bench::es(body);
        let t = b.store(0, of(0));
        b.store(1, of(1));
        b.run(3);
        let counts =
            |n: usize| (b.out[t + n].counters.stores_direct, b.out[t + n].counters.stores_blocked);
        assert_eq!([1, 2, 3].map(counts), [(0, 0), (1, 0), (1, 1)]);
        // A store that was blocked and is issued counts once.
        b.change(epoch(0b0010));
        b.release();
        b.run(5);
        let expected = Counters { stores_direct: 1, stores_blocked: 1, scan_cycles: 1 };
        assert_eq!(b.shown().counters, expected);
    });
}

#[test]
fn scan_without_an_entry_is_not_counted() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.change(epoch(0b0010));
        b.release();
        b.run(5);
        assert_eq!(b.shown().counters, Counters::default());
    });
}
