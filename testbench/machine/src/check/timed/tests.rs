use super::*;

const LINE: usize = 64;
const CU: Unit = Unit(0);

fn wave(slot: usize) -> WaveOf {
    WaveOf { cu: CU, slot }
}

/// Line 0 and line 64, zero, and a group of three waves.
struct Case(Timed);

impl Case {
    fn new(clock: Clock, model: MemoryModel) -> Self {
        let keep = Keep { values: true, placed: true };
        let mut timed = Timed::new(clock, model, keep, LINE, vec!["cu".into()]);
        timed.begin_group(CU, 0, &[0, 1, 2]);
        Self(timed)
    }

    /// An access of byte 0 from a cycle on: when it is over, it has found or written a byte.
    fn begin(&mut self, slot: usize, place: u32, addr: u64, at: Cycle) -> Begun {
        self.0.issue(wave(slot), place, at, (addr, &[0; LINE]))
    }

    fn end(&mut self, begun: Begun, (kind, addr): (Kind, u64), time: Time, at: u32, byte: u8) {
        let access = Access { addr, time, at, is_sure: true, kind, mask: 1, begun };
        self.0.over(access, &[&[byte; LINE]]);
    }

    /// One that begins and ends at `at`, and the next one in its place.
    fn one(&mut self, slot: usize, place: u32, what: (Kind, u64), time: Time, at: u32, byte: u8) {
        let begun = self.begin(slot, place, what.1, at.into());
        self.end(begun, what, time, at, byte);
    }

    fn fails(mut self) -> bool {
        self.0.end_kernel();
        self.0.failure().is_some()
    }
}

const STORE: (Kind, u64) = (Kind::Store, 0);
const LOAD: (Kind, u64) = (Kind::Load, 0);
const OTHER: (Kind, u64) = (Kind::Load, 64);

use Clock::{Logical, Physical};
use MemoryModel::{Rc, Sc};

#[test]
fn a_load_finds_the_last_write_that_is_not_above_it() {
    for (time, right) in [((0, 11), 0), ((0, 12), 5), ((0, 13), 5), ((1, 1), 5)] {
        for found in [0, 5] {
            let mut case = Case::new(Logical, Sc);
            case.one(0, 0, STORE, (0, 12), 20, 5);
            case.one(1, 0, LOAD, time, 30, found);
            assert_eq!(case.fails(), found != right, "{time:?}");
        }
    }
}

/// Of one time the cycle decides.
#[test]
fn a_load_of_a_writes_time_comes_behind_it() {
    for (at, fails) in [(19, true), (20, false), (21, false)] {
        let mut case = Case::new(Logical, Sc);
        case.one(0, 0, STORE, (0, 12), 20, 5);
        case.one(1, 0, LOAD, (0, 12), at, 5);
        assert_eq!(case.fails(), fails, "{at}");
    }
}

#[test]
fn an_atomic_finds_what_was_before_it() {
    let add = Kind::Atomic(AtomicKind { aop: 0, size: 4 });
    for clock in [Logical, Physical] {
        for (found, fails) in [(5, false), (0, true)] {
            let mut case = Case::new(clock, Sc);
            case.one(0, 0, STORE, (0, 3), 20, 5);
            let begun = case.begin(1, 0, 0, 25);
            let access = Access {
                addr: 0,
                time: (0, 9),
                at: 30,
                is_sure: true,
                kind: add,
                mask: 0b1111,
                begun,
            };
            let old = [[found, 0, 0, 0]; LINE / 4].concat();
            case.0.over(access, &[&[[1, 0, 0, 0]; LINE / 4].concat(), &old]);
            case.one(2, 0, LOAD, (0, 9), 40, 6);
            assert_eq!(case.fails(), fails, "{clock:?}");
        }
    }
}

#[test]
fn two_writes_at_one_time_are_found() {
    let mut case = Case::new(Logical, Sc);
    case.one(0, 0, STORE, (0, 3), 20, 5);
    case.one(1, 0, STORE, (0, 3), 21, 5);
    assert!(case.fails());
}

/// Under SC each access, under RC those behind a fence.
#[test]
fn a_wave_that_goes_back_is_found() {
    for (model, fence, second, fails) in
        [(Sc, false, OTHER, true), (Rc, false, OTHER, false), (Rc, true, OTHER, true)]
    {
        for (time, back) in [((0, 7), true), ((0, 8), false), ((1, 1), false)] {
            let mut case = Case::new(Logical, model);
            case.one(0, 0, LOAD, (0, 8), 20, 0);
            if fence {
                case.0.fence(wave(0), 22);
            }
            case.one(0, 1, second, time, 30, 0);
            assert_eq!(case.fails(), fails && back, "{model:?} {fence} {second:?} {time:?}");
        }
    }
}

/// Of one line, without a fence: the order of its writes.
#[test]
fn a_wave_that_sees_writes_of_a_line_in_another_order_is_found() {
    for (write, fails) in [((0, 5), false), ((0, 8), true), ((0, 9), false)] {
        let mut case = Case::new(Logical, Rc);
        case.one(1, 0, STORE, write, 10, 5);
        let there = |time| if write <= time { 5 } else { 0 };
        case.one(0, 0, LOAD, (0, 8), 20, there((0, 8)));
        case.one(0, 1, LOAD, (0, 7), 30, there((0, 7)));
        assert_eq!(case.fails(), fails, "{write:?}");
    }
    // A load that finds what its wave stores later.
    for (time, fails) in [((0, 7), false), ((0, 8), true)] {
        let mut case = Case::new(Logical, Rc);
        let load = case.begin(0, 0, 0, 10);
        case.one(0, 1, STORE, (0, 8), 20, 5);
        case.end(load, LOAD, time, 30, if fails { 5 } else { 0 });
        assert_eq!(case.fails(), fails, "{time:?}");
    }
}

#[test]
fn a_barrier_hands_over_what_waves_have_seen() {
    for (model, fence, fails) in [(Sc, false, true), (Rc, true, true), (Rc, false, false)] {
        for barrier in [true, false] {
            let mut case = Case::new(Logical, model);
            case.one(0, 0, LOAD, (0, 8), 20, 0);
            if fence {
                case.0.fence(wave(0), 22);
            }
            if barrier {
                case.0.barrier(CU, &[0, 1, 2]);
            }
            case.one(1, 0, OTHER, (0, 7), 30, 0);
            assert_eq!(case.fails(), fails && barrier, "{model:?}");
        }
    }
}

/// A load from cycle 20 to 30 beside a store that is performed in cycle `at`.
#[test]
fn a_load_finds_what_was_there_in_some_cycle_of_its_own() {
    for (at, right) in [(19, [false, true]), (20, [true; 2]), (25, [true; 2]), (31, [true, false])]
    {
        for (found, right) in [0, 5].into_iter().zip(right) {
            let mut case = Case::new(Physical, Sc);
            let begun = case.begin(1, 0, 0, 20);
            case.one(0, 0, STORE, (0, 0), at, 5);
            case.end(begun, LOAD, (0, 0), 30, found);
            assert_eq!(case.fails(), !right, "{at} {found}");
        }
    }
}

/// Under RC an old value may be found, but not behind a fence of the wave that overwrote it.
#[test]
fn a_write_that_a_fence_has_published_is_found() {
    for (fence, fails) in [(None, false), (Some(30), false), (Some(29), true)] {
        let mut case = Case::new(Physical, Rc);
        case.one(0, 0, STORE, (0, 0), 20, 5);
        if let Some(at) = fence {
            case.0.fence(wave(0), at);
        }
        case.one(1, 0, LOAD, (0, 0), 30, 0);
        assert_eq!(case.fails(), fails, "{fence:?}");
    }
}

#[test]
fn a_wave_does_not_go_back_behind_what_it_has_seen_or_written() {
    for first in [LOAD, STORE] {
        for (found, fails) in [(0, true), (5, false)] {
            let mut case = Case::new(Physical, Rc);
            case.one(0, 0, STORE, (0, 0), 10, 5);
            // Its own store is of the same byte.
            case.one(1, 0, first, (0, 0), 20, 5);
            case.one(1, 1, LOAD, (0, 0), 30, found);
            assert_eq!(case.fails(), fails, "{first:?}");
        }
    }
    // A load that finds what its wave stores later.
    let mut case = Case::new(Physical, Rc);
    let load = case.begin(0, 0, 0, 10);
    case.one(0, 1, STORE, (0, 0), 20, 5);
    case.end(load, LOAD, (0, 0), 30, 5);
    assert!(case.fails());
}

#[test]
fn whose_writes_are_found_is_kept() {
    for (clock, model) in [(Logical, Sc), (Logical, Rc), (Physical, Sc), (Physical, Rc)] {
        let mut case = Case::new(clock, model);
        case.one(0, 0, LOAD, (0, 1), 10, 0);
        case.one(1, 0, STORE, (0, 12), 20, 5);
        case.one(2, 0, LOAD, (0, 13), 30, 5);
        case.0.end_kernel();
        let found = case.0.found();
        let who = |found: &Found| found.read.first().map(|(who, _)| who.map(|who| who.number));
        let all: Vec<_> = found.iter().map(who).collect();
        assert_eq!(all, [Some(None), None, Some(Some(1))], "{clock:?} {model:?}");
    }
}

#[test]
fn a_kernel_begins_with_what_is_there_then() {
    let mut case = Case::new(Logical, Sc);
    case.one(0, 0, STORE, (0, 3), 20, 5);
    case.0.end_kernel();
    case.0.begin_group(CU, 0, &[0]);
    let begun = case.0.issue(wave(0), 0, 30, (0, &[7; LINE]));
    // Of the same instruction: nothing is begun beside an earlier one.
    case.0.issue(wave(0), 0, 31, (0, &[8; LINE]));
    case.end(begun, LOAD, (0, 1), 40, 7);
    assert!(!case.fails());
}
