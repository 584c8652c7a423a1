//! The policy of an L2 bank: specification 5.2, 5.4, 10.

use duet_tests::{Make, with_both_bodies};
use hwmodel::sharing::sharing_l2_policy::SharingL2Policy;
use ports::sharing::sharing_l2_policy::{Config, In, Out, err};
use ports::sharing::types::{Action, L2Fill, Lookup, Place, act};

use super::small;
use crate::bench::{self, Around};

fn on_both(check: impl Fn(Make<SharingL2Policy>)) {
    with_both_bodies::<SharingL2Policy>(check);
}

/// Nothing: events last one cycle.
struct Alone;

impl Around<SharingL2Policy> for Alone {
    fn after(&mut self, _: usize, next: &mut In, _: &Out, _: &Out) {
        *next = In::default();
    }
}

type Bench = bench::Bench<SharingL2Policy, Alone>;

fn config() -> Config {
    Config { n_sm: 8, ..(&small()).into() }
}

fn bench(make: Make<SharingL2Policy>) -> Bench {
    Bench::around(make(&config()), In::default(), Alone)
}

fn look(bench: &mut Bench, lk: Lookup) -> Action {
    bench.next.lk = Some(lk);
    bench.cycle();
    bench.shown().act.expect("in the next cycle")
}

/// The line of an MSHR comes to a way of set 0.
fn fill(bench: &mut Bench, mshr: u8, way: u8) -> Option<bool> {
    bench.next.fill = Some(L2Fill { mshr, set: 0, way });
    bench.cycle();
    bench.shown().fsf
}

fn hit(sm: u8, way: u8) -> Lookup {
    Lookup { sm, hit: true, way, ..Lookup::default() }
}

fn miss(sm: u8, mshr: u8) -> Lookup {
    Lookup { sm, mshr, ..Lookup::default() }
}

fn wait(sm: u8, mshr: u8) -> Lookup {
    Lookup { mshr_hit: true, ..miss(sm, mshr) }
}

fn local(lk: Lookup) -> Lookup {
    Lookup { is_local: true, ..lk }
}

fn action(act: u8, sf: bool, way: u8) -> Action {
    Action { act, sf, way, ..Action::default() }
}

fn evict(way: u8, evict_shared: bool) -> Action {
    Action { evict_valid: true, evict_shared, ..action(act::ALLOC, false, way) }
}

/// Lines of SM 0 in the four ways of set 0, some of them shared.
fn filled(make: Make<SharingL2Policy>, shared: [bool; 4]) -> Bench {
    filled_with(make, &config(), shared)
}

fn filled_with(make: Make<SharingL2Policy>, config: &Config, shared: [bool; 4]) -> Bench {
    let mut bench = Bench::around(make(config), In::default(), Alone);
    for (way, shared) in (0..4).zip(shared) {
        assert_eq!(look(&mut bench, miss(0, 0)), action(act::ALLOC, false, way));
        if shared {
            look(&mut bench, wait(1, 0));
        }
        assert_eq!(fill(&mut bench, 0, way), Some(shared));
    }
    bench
}

#[test]
fn example_7_sharing() {
    on_both(|make| {
        let mut bench = bench(make);
        assert_eq!(look(&mut bench, miss(2, 0)), action(act::ALLOC, false, 0));
        assert_eq!(fill(&mut bench, 0, 0), Some(false));
        for (sm, sf) in [(2, false), (5, true), (2, true)] {
            assert_eq!(look(&mut bench, hit(sm, 0)), action(act::HIT, sf, 0));
        }
        assert_eq!(bench.shown().counters.sf_set, 1);
    });
}

#[test]
fn example_7_while_the_line_is_waited_for() {
    on_both(|make| {
        let mut bench = bench(make);
        look(&mut bench, miss(2, 3));
        assert_eq!(look(&mut bench, wait(5, 3)), action(act::MERGE, true, 0));
        assert_eq!(fill(&mut bench, 3, 0), Some(true));
        assert_eq!(look(&mut bench, hit(2, 0)), action(act::HIT, true, 0));
    });
}

#[test]
fn example_7_in_the_cycle_of_the_fill() {
    on_both(|make| {
        let mut bench = bench(make);
        look(&mut bench, miss(2, 1));
        bench.next.lk = Some(Lookup { set: 1, way: 3, ..wait(5, 1) });
        assert_eq!(fill(&mut bench, 1, 0), Some(false));
        assert_eq!(bench.shown().act, Some(action(act::HIT, true, 0)));
    });
}

#[test]
fn example_8_victims() {
    on_both(|make| {
        let mut bench = filled(make, [true, false, true, false]);
        assert_eq!(look(&mut bench, local(miss(7, 0))), action(act::BYPASS, false, 0));
        assert_eq!(look(&mut bench, miss(2, 0)), evict(1, false), "X");
        assert_eq!(look(&mut bench, miss(2, 1)), evict(3, false), "Z");
        fill(&mut bench, 0, 1);
        fill(&mut bench, 1, 3);
        // M becomes shared, N stays private.
        look(&mut bench, hit(3, 3));
        assert_eq!(look(&mut bench, miss(2, 0)), evict(1, false), "N");
        fill(&mut bench, 0, 1);
        look(&mut bench, hit(3, 1));
        assert_eq!(look(&mut bench, miss(2, 0)), evict(0, true), "all are shared: W");
        let counters = bench.shown().counters;
        assert_eq!((counters.evict_private, counters.evict_shared, counters.bypasses), (3, 1, 1));
    });
}

/// Rule 6: a local access of a line that is there is a use of it, and shares nothing.
#[test]
fn local_hit_is_a_use() {
    on_both(|make| {
        for l2_mgt in [0, 1] {
            let config = Config { l2_mgt, ..config() };
            let mut bench = filled_with(make, &config, [false; 4]);
            // The oldest becomes the newest.
            assert_eq!(look(&mut bench, local(hit(5, 0))), action(act::HIT, false, 0));
            assert_eq!(bench.shown().counters.sf_set, 0);
            let expected = [1, 2, 3, 0];
            for (mshr, way) in (0..4).zip(expected) {
                assert_eq!(look(&mut bench, miss(0, mshr)), evict(way, false), "l2_mgt {l2_mgt}");
            }
        }
    });
}

#[test]
fn ways_and_mshrs_are_used_again() {
    on_both(|make| {
        let mut bench = bench(make);
        for mshr in 0..3 {
            look(&mut bench, miss(0, mshr));
        }
        // Whatever is not reserved goes, and no way that is.
        assert_eq!(look(&mut bench, miss(0, 3)), action(act::ALLOC, false, 3));
        assert_eq!(fill(&mut bench, 2, 2), Some(false));
        assert_eq!(look(&mut bench, miss(0, 2)), evict(2, false));
        // The MSHR is used again in the cycle of its fill, and so is the way.
        bench.next.lk = Some(miss(1, 2));
        assert_eq!(fill(&mut bench, 2, 2), Some(false));
        assert_eq!(bench.shown().act, Some(evict(2, false)));
    });
}

/// Five MSHRs, and four ways of which all are reserved.
#[test]
fn lookup_stalls_while_all_ways_are_reserved() {
    on_both(|make| {
        let config = Config { l2_mshr: 5, ..config() };
        let mut bench = Bench::around(make(&config), In::default(), Alone);
        for mshr in 0..4 {
            look(&mut bench, miss(0, mshr));
        }
        assert_eq!(look(&mut bench, miss(0, 4)), action(act::STALL, false, 0));
        assert_eq!(bench.shown().err, None);
        assert_eq!(look(&mut bench, miss(0, 5)), action(act::STALL, false, 0));
        assert_eq!(bench.shown().err, Some(err::MSHR), "there is no MSHR 5");
        assert_eq!(bench.shown().counters.stalls, 2);
    });
}

#[test]
fn local_merge_shares_nothing() {
    on_both(|make| {
        let mut bench = bench(make);
        look(&mut bench, miss(2, 3));
        assert_eq!(look(&mut bench, local(wait(5, 3))), action(act::MERGE, false, 0));
        assert_eq!(fill(&mut bench, 3, 0), Some(false));
    });
}

#[test]
fn without_the_policy_the_oldest_goes_and_local_lines_are_kept() {
    on_both(|make| {
        let config = Config { l2_mgt: 0, ..config() };
        let mut bench = filled_with(make, &config, [true, false, true, false]);
        assert_eq!(look(&mut bench, miss(2, 0)), evict(0, true));
        assert_eq!(look(&mut bench, local(miss(2, 1))), evict(1, false));
    });
}

#[test]
fn accesses_that_cannot_be_change_nothing() {
    on_both(|make| {
        let mut bench = filled(make, [true, false, true, false]);
        let stall = action(act::STALL, false, 0);
        let place = |way| Some(Place { set: 1, way });
        let begin = bench.now();
        // Nothing is in set 1, and no MSHR is used.
        let of_set_1 = |lk: Lookup| Lookup { set: 1, ..lk };
        let cases = [
            (of_set_1(hit(2, 1)), err::HIT),
            (of_set_1(Lookup { sm: 8, ..hit(2, 1) }), err::HIT),
            (wait(2, 1), err::MSHR),
            (Lookup { sm: 9, ..wait(2, 1) }, err::MSHR),
            (hit(8, 0), err::SM),
            (miss(15, 0), err::SM),
        ];
        for (lk, _) in cases {
            assert_eq!(look(&mut bench, lk), stall);
        }
        assert_eq!(fill(&mut bench, 0, 1), None, "the MSHR is not used");
        bench.next.inv = place(1);
        bench.cycle();
        let codes: Vec<u8> = cases.map(|(_, code)| code).into();
        let codes = [codes, vec![err::FILL, err::INV]].concat();
        let told = (begin + 1..).zip(codes);
        bench.cycle();
        assert_eq!(bench.seen(begin, |out| out.err), told.collect::<Vec<_>>());

        // An MSHR that is used, and a way that is not reserved.
        assert_eq!(look(&mut bench, miss(2, 0)), evict(1, false));
        assert_eq!(look(&mut bench, miss(2, 0)), stall);
        assert_eq!(fill(&mut bench, 0, 3), None);
        let last = bench.shown().err;
        assert_eq!(last, Some(err::FILL));
        assert_eq!(fill(&mut bench, 0, 1), Some(false), "the line still comes");
        // All of a cycle: the lowest code.
        bench.next = In { inv: place(0), lk: Some(of_set_1(hit(2, 1))), ..In::default() };
        assert_eq!(fill(&mut bench, 0, 1), None);
        assert_eq!(bench.shown().err, Some(err::HIT));
        assert_eq!(bench.shown().counters.stalls, 8);
    });
}

#[test]
fn what_is_dropped_is_free_and_what_is_reserved_is_not() {
    on_both(|make| {
        let mut bench = filled(make, [true, false, true, false]);
        assert_eq!(look(&mut bench, miss(2, 0)), evict(1, false));
        bench.next.flush = true;
        bench.cycle();
        for (mshr, way) in [(1, 0), (2, 2), (3, 3)] {
            assert_eq!(look(&mut bench, miss(2, mshr)), action(act::ALLOC, false, way));
        }
        for (mshr, way) in [(0, 1), (1, 0), (2, 2), (3, 3)] {
            assert_eq!(fill(&mut bench, mshr, way), Some(false));
        }
        bench.next.inv = Some(Place { set: 0, way: 2 });
        assert_eq!(look(&mut bench, miss(2, 0)), action(act::ALLOC, false, 2));
        // All ways are on their way: the bank asks again.
        for (mshr, way) in [(1, 1), (2, 0), (3, 3)] {
            assert_eq!(look(&mut bench, miss(2, mshr)), evict(way, false));
        }
        assert_eq!(look(&mut bench, local(miss(2, 0))), action(act::BYPASS, false, 0));
        fill(&mut bench, 0, 2);
        assert_eq!(look(&mut bench, miss(2, 0)), evict(2, false));
    });
}
