//! The policy of an L1: specification 5.3, 10.

use duet_tests::{Make, with_both_bodies};
use hwmodel::sharing::sharing_l1_policy::SharingL1Policy;
use ports::sharing::sharing_l1_policy::{Config, In, Out, err};
use ports::sharing::types::{L1Fill, Place, Victim};

use super::small;
use crate::bench::{self, Around};

const PRIVATE: bool = false;
const SHARED: bool = true;

fn on_both(check: impl Fn(Make<SharingL1Policy>)) {
    with_both_bodies::<SharingL1Policy>(check);
}

/// Nothing: events last one cycle.
struct Alone;

impl Around<SharingL1Policy> for Alone {
    fn after(&mut self, _: usize, next: &mut In, _: &Out, _: &Out) {
        *next = In::default();
    }
}

type Bench = bench::Bench<SharingL1Policy, Alone>;

/// A line comes to set 0.
fn fill(bench: &mut Bench, sf: bool) -> Victim {
    bench.next.fill = Some(L1Fill { sf, set: 0 });
    bench.cycle();
    bench.shown().vic.expect("in the next cycle")
}

/// Set 0 of four ways, filled in the order of the ways.
fn filled(make: Make<SharingL1Policy>, kinds: [bool; 4]) -> Bench {
    filled_with(make, &(&small()).into(), kinds)
}

fn filled_with(make: Make<SharingL1Policy>, config: &Config, kinds: [bool; 4]) -> Bench {
    let mut bench = Bench::around(make(config), In::default(), Alone);
    for (way, sf) in (0..).zip(kinds) {
        let empty = Victim { install: true, way, ..Victim::default() };
        assert_eq!(fill(&mut bench, sf), empty);
    }
    bench
}

fn touch(way: u8) -> Option<Place> {
    Some(Place { set: 0, way })
}

fn private(way: u8) -> Victim {
    Victim { install: true, evict_valid: true, evict_private: true, way, dead: false }
}

fn dead(way: u8) -> Victim {
    Victim { dead: true, ..private(way) }
}

fn shared(way: u8) -> Victim {
    Victim { evict_private: false, ..private(way) }
}

#[test]
fn example_5_dead_when_it_is_oldest_twice() {
    on_both(|make| {
        let mut bench = filled(make, [PRIVATE, SHARED, PRIVATE, SHARED]);
        assert_eq!(fill(&mut bench, PRIVATE), shared(1));
        assert_eq!(fill(&mut bench, PRIVATE), dead(0));

        let mut bench = filled(make, [PRIVATE, SHARED, PRIVATE, SHARED]);
        assert_eq!(fill(&mut bench, PRIVATE), shared(1));
        bench.next.touch = touch(0);
        bench.cycle();
        assert_eq!(fill(&mut bench, PRIVATE), shared(3), "D was hit");
        assert_eq!(fill(&mut bench, PRIVATE), dead(2), "B");
        assert_eq!(fill(&mut bench, PRIVATE), private(1), "N");
        assert_eq!(fill(&mut bench, PRIVATE), private(0), "D is not dead");
        let counters = bench.shown().counters;
        assert_eq!((counters.evict_private, counters.evict_shared, counters.evict_dead), (3, 2, 1));
    });
}

#[test]
fn example_6_a_shared_line_yields_to_private_ones() {
    on_both(|make| {
        let mut bench = filled(make, [PRIVATE; 4]);
        assert_eq!(fill(&mut bench, SHARED), Victim::default());
        assert_eq!(fill(&mut bench, SHARED), Victim::default());
        assert_eq!(fill(&mut bench, PRIVATE), private(0));
        assert_eq!(bench.shown().counters.bypass_shared, 2);
    });
}

#[test]
fn example_9_cycles() {
    on_both(|make| {
        let mut bench = filled(make, [PRIVATE; 4]);
        bench.run_to(5);
        bench.next.touch = touch(0);
        assert_eq!(fill(&mut bench, PRIVATE), private(1), "shown in 6");
        for way in [2, 3, 0, 1] {
            assert_eq!(fill(&mut bench, PRIVATE), private(way));
        }
        let shown = bench.seen(5, |out| out.vic.map(|vic| vic.way));
        assert_eq!(shown, [(6, 1), (7, 2), (8, 3), (9, 0)]);
    });
}

#[test]
fn a_fill_comes_behind_flush_and_inv() {
    on_both(|make| {
        let mut bench = filled(make, [PRIVATE; 4]);
        bench.next.inv = touch(2);
        let empty = Victim { install: true, way: 2, ..Victim::default() };
        assert_eq!(fill(&mut bench, SHARED), empty);
        bench.next.flush = true;
        assert_eq!(fill(&mut bench, SHARED), Victim { way: 0, ..empty });
        // It stays.
        assert_eq!(fill(&mut bench, SHARED), Victim { way: 1, ..empty });
    });
}

#[test]
fn without_dead_lines_the_oldest_private_one_is_spared_again() {
    on_both(|make| {
        let config = Config { dead: 0, ..(&small()).into() };
        let mut bench = filled_with(make, &config, [PRIVATE, SHARED, PRIVATE, SHARED]);
        let victims = [PRIVATE; 3].map(|sf| fill(&mut bench, sf));
        assert_eq!(victims, [shared(1), shared(3), private(0)]);
    });
}

#[test]
fn without_the_policy_the_oldest_goes() {
    on_both(|make| {
        let config = Config { l1_mgt: 0, ..(&small()).into() };
        let mut bench = filled_with(make, &config, [PRIVATE, SHARED, PRIVATE, PRIVATE]);
        let victims = [SHARED; 4].map(|sf| fill(&mut bench, sf));
        assert_eq!(victims, [private(0), shared(1), private(2), private(3)]);
    });
}

#[test]
fn lines_that_are_not_there_are_not_used_or_dropped() {
    on_both(|make| {
        let config = Config { l1_ways: 3, ..(&small()).into() };
        let mut bench = Bench::around(make(&config), In::default(), Alone);
        fill(&mut bench, PRIVATE);
        let cases = [
            // What comes before it in its cycle counts.
            In { touch: touch(0), ..In::default() },
            In { touch: touch(1), ..In::default() },
            In { inv: touch(1), ..In::default() },
            In { touch: touch(3), ..In::default() },
            In { inv: touch(3), ..In::default() },
            In { inv: touch(0), touch: touch(0), ..In::default() },
            In { inv: touch(0), ..In::default() },
        ];
        for next in cases {
            bench.next = next;
            bench.cycle();
        }
        fill(&mut bench, PRIVATE);
        bench.next = In { flush: true, touch: touch(0), ..In::default() };
        bench.run(2);
        let codes = bench.seen(0, |out| out.err);
        assert_eq!(codes, [3, 4, 5, 6, 7, 8, 10].map(|cycle| (cycle, err::WAY)));
        assert_eq!(bench.shown().counters.touches, 1);
    });
}
