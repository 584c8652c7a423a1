//! Small histories, against a search over all orders and by the order that the oracle gives.

mod case;
mod random;
mod search;

use super::{Keep, Seen, Sequential, Version, WaveOf};
use crate::context::message::Unit;
use case::{Case, Op, atomic, load, load_of, store};

const X: u64 = 0x1000;
const Y: u64 = 0x2000;

/// A case of waves of one group each.
fn apart(waves: Vec<Vec<Op>>, order: &[(usize, usize)]) -> Case {
    let groups = (0..waves.len()).collect();
    Case { waves, groups, order: order.to_vec(), performed: order.to_vec() }
}

fn allows(case: &Case) {
    assert!(search::explains(case), "{case:?}");
    let placed = case.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    search::verify(case, &placed);
}

fn forbids(case: &Case) -> String {
    assert!(!search::explains(case), "{case:?}");
    case.run().expect_err("no order explains it")
}

#[test]
fn store_buffering() {
    let order = [(0, 0), (1, 0)];
    for (a, b) in [(0, 1), (1, 0), (1, 1), (0, 0)] {
        let waves = vec![vec![store(X), load(Y, a)], vec![store(Y), load(X, b)]];
        let case = apart(waves, &order);
        // With this order of the stores the second one's load sees the first.
        if b == 1 { allows(&case) } else { drop(forbids(&case)) }
    }
}

#[test]
fn store_buffering_with_atomics() {
    let waves = |b| vec![vec![atomic(X, 0), load(Y, 0)], vec![atomic(Y, 0), load(X, b)]];
    allows(&apart(waves(1), &[(0, 0), (1, 0)]));
    forbids(&apart(waves(0), &[(0, 0), (1, 0)]));
    forbids(&apart(waves(0), &[(1, 0), (0, 0)]));
}

#[test]
fn message_passing() {
    let waves = |flag, data| vec![vec![store(X), store(Y)], vec![load(Y, flag), load(X, data)]];
    for (flag, data) in [(0, 0), (0, 1), (1, 1)] {
        allows(&apart(waves(flag, data), &[(0, 0), (0, 1)]));
    }
    let text = forbids(&apart(waves(1, 0), &[(0, 0), (0, 1)]));
    for part in [
        "kernel 0",
        "unit 1 wave 0 instruction 1 (work-group 1, its wave 0) loads byte 0x1000",
        "its bytes at the kernel's start",
        "overwritten by the write of unit 0 wave 0 instruction 0 (work-group 0, its wave 0), \
         number 1",
        "after number 2: its instruction 0 has read the write of unit 0 wave 0 instruction 1",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // The order of a wave's stores is its program's.
    forbids(&apart(waves(0, 0), &[(0, 1), (0, 0)]));
}

#[test]
fn load_buffering() {
    let waves = |a, b| vec![vec![load(Y, a), store(X)], vec![load(X, b), store(Y)]];
    for order in [[(0, 1), (1, 1)], [(1, 1), (0, 1)]] {
        forbids(&apart(waves(1, 1), &order));
        allows(&apart(waves(0, 0), &order));
    }
    allows(&apart(waves(0, 1), &[(0, 1), (1, 1)]));
    forbids(&apart(waves(1, 0), &[(0, 1), (1, 1)]));
}

#[test]
fn independent_reads_of_independent_writes() {
    let waves = |a, b, c, d| {
        let (left, right) = (vec![load(X, a), load(Y, b)], vec![load(Y, c), load(X, d)]);
        vec![vec![store(X)], vec![store(Y)], left, right]
    };
    for order in [[(0, 0), (1, 0)], [(1, 0), (0, 0)]] {
        forbids(&apart(waves(1, 0, 1, 0), &order));
        allows(&apart(waves(1, 1, 1, 1), &order));
    }
    allows(&apart(waves(1, 0, 1, 1), &[(0, 0), (1, 0)]));
    forbids(&apart(waves(1, 0, 1, 1), &[(1, 0), (0, 0)]));
}

#[test]
fn write_to_read_causality() {
    let last = |x| vec![load(Y, 1), load(X, x)];
    let waves = |x| vec![vec![store(X)], vec![load(X, 1), store(Y)], last(x)];
    let order = [(0, 0), (1, 1)];
    allows(&apart(waves(1), &order));
    forbids(&apart(waves(0), &order));
    forbids(&apart(waves(1), &[(1, 1), (0, 0)]));
}

#[test]
fn coherence() {
    let two = || vec![store(X), store(X)];
    let order = [(0, 0), (0, 1)];
    for (a, b) in [(0, 0), (0, 2), (1, 2), (2, 2)] {
        allows(&apart(vec![two(), vec![load(X, a), load(X, b)]], &order));
    }
    for (a, b) in [(1, 0), (2, 1), (2, 0)] {
        forbids(&apart(vec![two(), vec![load(X, a), load(X, b)]], &order));
    }
    // A wave's load sees its own store, or a later one; before it no later one.
    let order = [(0, 0), (1, 0)];
    allows(&apart(vec![vec![store(X), load(X, 2)], vec![store(X)]], &order));
    forbids(&apart(vec![vec![store(X), load(X, 0)], vec![store(X)]], &order));
    let order = [(0, 1), (1, 0)];
    forbids(&apart(vec![vec![load(X, 1), store(X)], vec![store(X)]], &order));
    allows(&apart(vec![vec![load(X, 0), store(X)], vec![store(X)]], &order));
    let order = [(0, 0), (1, 1)];
    forbids(&apart(vec![vec![store(X)], vec![load(X, 2), store(X)]], &order));
    allows(&apart(vec![vec![store(X)], vec![load(X, 1), store(X)]], &order));
}

#[test]
fn atomics_see_the_last_write() {
    let order = [(0, 0), (1, 0)];
    let waves = |old| vec![vec![atomic(X, 0)], vec![atomic(X, old)]];
    allows(&apart(waves(1), &order));
    let text = forbids(&apart(waves(0), &order));
    assert!(text.contains("the atomic of unit 1 wave 0 instruction 0"), "{text}");
    // Bytes that it does not change may be from any write.
    let other = Op::Store { line: X, mask: 0xf0 };
    allows(&apart(vec![vec![other], vec![atomic(X, 0)]], &order));
}

#[test]
fn barriers_order_a_group() {
    let waves = |x| vec![vec![store(X), Op::Barrier], vec![Op::Barrier, load(X, x)]];
    let case = |x| Case { groups: vec![0, 0], ..apart(waves(x), &[(0, 0)]) };
    allows(&case(1));
    let text = forbids(&case(0));
    assert!(text.contains("before a barrier"), "{text}");
    // One that has ended does not wait: what it did later is not before the barrier.
    let waves = vec![vec![store(X)], vec![Op::Barrier, load(X, 0)]];
    allows(&Case { groups: vec![0, 0], ..apart(waves, &[(0, 0)]) });
    // Of another group neither.
    allows(&apart(vec![vec![store(X), Op::Barrier], vec![Op::Barrier, load(X, 0)]], &[(0, 0)]));
    // A wave between two others.
    let first = vec![store(X), Op::Barrier, Op::Barrier];
    let last = |x| vec![Op::Barrier, Op::Barrier, load(X, x)];
    let case = |x| {
        let waves = vec![first.clone(), vec![Op::Barrier, Op::Barrier], last(x)];
        Case { groups: vec![0; 3], ..apart(waves, &[(0, 0)]) }
    };
    allows(&case(1));
    forbids(&case(0));
}

#[test]
fn what_was_replayed_has_not_happened() {
    let waves = |replayed: Vec<Op>, x| {
        let mut reader = replayed;
        reader.extend([load(Y, 0), load(X, x)]);
        vec![vec![store(X), store(Y)], reader]
    };
    let order = [(0, 0), (0, 1)];
    allows(&apart(waves(vec![Op::Replayed(vec![load(Y, 1), load(X, 0)])], 0), &order));
    allows(&apart(waves(vec![Op::Cancelled, Op::Replayed(vec![load(Y, 1)])], 0), &order));
    allows(&apart(waves(Vec::new(), 0), &order));
}

#[test]
fn own_writes_are_seen_before_anybody_else_does() {
    // X is seen as it was but for a store of the same CU; Y is not yet.
    let order = [(0, 0), (1, 0)];
    let mine = load_of(X, 0, &[(0, 0)]);
    let case = apart(vec![vec![store(X), mine.clone(), load(Y, 0)], vec![store(Y)]], &order);
    allows(&case);
    // Its line was changed by another CU since: then it may not come behind that.
    let order = [(0, 0), (1, 0), (1, 1)];
    let waves = |y| vec![vec![store(X), load(Y, y), mine.clone()], vec![store(X), store(Y)]];
    allows(&apart(waves(0), &order));
    forbids(&apart(waves(1), &order));
    // The newest one counts.
    let both = load_of(X, 0, &[(0, 0), (0, 1)]);
    allows(&apart(vec![vec![store(X), store(X), both]], &[(0, 0), (0, 1)]));
    let wrong = load_of(X, 0, &[(0, 1), (0, 0)]);
    forbids(&apart(vec![vec![store(X), store(X), wrong]], &[(0, 0), (0, 1)]));
}

#[test]
fn all_bytes_of_a_load_have_one_place() {
    let (low, high) = (0x0f, 0xf0);
    let stores = vec![Op::Store { line: X, mask: low }, Op::Store { line: X, mask: high }];
    let order = [(0, 0), (0, 1)];
    let wide = |version| Op::Load { line: X, mask: 0xff, version, own: Vec::new() };
    for version in 0..3 {
        allows(&apart(vec![stores.clone(), vec![wide(version)]], &order));
    }
    // The newer half with the older one as it was.
    let torn = Op::Load { line: X, mask: 0xff, version: 0, own: vec![(0, 1)] };
    forbids(&apart(vec![stores, vec![torn]], &order));
}

#[test]
fn writes_may_be_performed_in_another_order() {
    let case = |version, order: &[(usize, usize)]| Case {
        performed: vec![(1, 0), (0, 0)],
        ..apart(vec![vec![store(X)], vec![store(X)], vec![load(X, 1), load(X, version)]], order)
    };
    // The second one was performed first.
    allows(&case(1, &[(0, 0), (1, 0)]));
    forbids(&case(2, &[(0, 0), (1, 0)]));
    allows(&case(2, &[(1, 0), (0, 0)]));
}

/// A CU's wave and its accesses by hand.
struct Hand {
    order: Sequential,
    tag: u32,
}

const ONE: WaveOf = WaveOf { cu: Unit(0), slot: 0 };
const TWO: WaveOf = WaveOf { cu: Unit(1), slot: 3 };

impl Hand {
    fn new(keep: Keep) -> Self {
        let mut order = Sequential::new(keep, vec!["left".into(), "right".into()]);
        order.begin_kernel(0);
        let mut hand = Self { order, tag: 0 };
        hand.begin();
        hand
    }

    fn begin(&mut self) {
        self.order.begin_group(ONE.cu, 2, 0, &[ONE.slot]);
        self.order.begin_group(TWO.cu, 0, 1, &[TWO.slot]);
    }

    fn end(&mut self) {
        for (wave, slot) in [(ONE, 2), (TWO, 0)] {
            self.order.end_wave(wave);
            self.order.end_group(wave.cu, slot);
        }
        self.order.end_kernel();
    }

    fn issue(&mut self, wave: WaveOf) -> u32 {
        self.tag += 1;
        self.order.issue(wave, self.tag, self.tag % 8);
        self.tag % 8
    }

    fn store(&mut self, wave: WaveOf, line: u64, mask: u128, value: u8) {
        let tag = self.issue(wave);
        let write = self.order.send(wave, tag);
        self.order.order(write);
        self.order.perform(write, line, mask, &[value; 128]);
    }

    fn load(&mut self, wave: WaveOf, line: u64, mask: u128, version: Version, value: u8) {
        let tag = self.issue(wave);
        let seen = Seen { version, own: &[] };
        self.order.read(wave, tag, (line, mask), seen, &[value; 128]);
    }
}

#[test]
fn values_are_those_of_the_writes_named() {
    let values = Keep { values: true, placed: false };
    for (first, then, fails) in [(7, 7, false), (8, 7, true), (7, 9, true)] {
        let mut hand = Hand::new(values);
        let start = hand.order.version(X);
        hand.store(ONE, X, 0b110, 7);
        let version = hand.order.version(X);
        hand.load(TWO, X, 0b100, version, first);
        hand.load(TWO, X, 0b010, version, then);
        assert_eq!(start, Version { kernel: 0, writes: 0 });
        hand.end();
        assert_eq!(hand.order.failure().is_some(), fails, "{:?}", hand.order.failure());
    }
    // A byte that is not written does not change.
    for (then, fails) in [(3, false), (4, true)] {
        let mut hand = Hand::new(values);
        let version = hand.order.version(X);
        hand.load(ONE, X, 1, version, 3);
        hand.load(TWO, X, 1, version, then);
        hand.end();
        assert_eq!(hand.order.failure().is_some(), fails);
    }
}

#[test]
fn unnamed_writes_may_store_the_same() {
    // Equal values do not hide which one was seen.
    let mut hand = Hand::new(Keep { values: true, placed: false });
    let start = hand.order.version(X);
    hand.store(ONE, X, 1, 0);
    hand.store(ONE, Y, 1, 0);
    let flag = hand.order.version(Y);
    hand.load(TWO, Y, 1, flag, 0);
    hand.load(TWO, X, 1, start, 0);
    hand.end();
    let text = hand.order.failure().expect("it has seen the flag, and not the data");
    assert!(text.contains("right wave 3 instruction 4"), "{text}");
}

#[test]
fn a_line_of_an_older_kernel_is_refused() {
    let mut hand = Hand::new(Keep::default());
    hand.store(ONE, X, 1, 0);
    let old = hand.order.version(X);
    hand.end();
    hand.order.begin_kernel(1);
    hand.begin();
    let new = hand.order.version(X);
    assert_eq!(new, Version { kernel: 1, writes: 0 });
    hand.load(ONE, X, 1, new, 0);
    assert_eq!(hand.order.failure(), None);
    hand.load(ONE, X, 1, old, 0);
    let text = hand.order.failure().expect("an older kernel's");
    assert!(text.contains("with its contents of kernel 0"), "{text}");
}

#[test]
fn nothing_may_be_missing() {
    let mut hand = Hand::new(Keep::default());
    hand.issue(ONE);
    hand.end();
    assert!(hand.order.failure().unwrap().contains("nothing is known"));
    for order in [false, true] {
        let mut hand = Hand::new(Keep::default());
        let tag = hand.issue(ONE);
        let write = hand.order.send(ONE, tag);
        if order {
            hand.order.order(write);
        } else {
            hand.order.perform(write, X, 1, &[0; 128]);
        }
        hand.end();
        let missing = if order { "been performed" } else { "a place in the order" };
        assert!(hand.order.failure().unwrap().contains(missing));
    }
}

/// What overwrites a byte may be performed after the end of who has loaded it.
#[test]
fn a_group_waits_for_writes_under_way() {
    let mut hand = Hand::new(Keep::default());
    let start = hand.order.version(X);
    let tag = hand.issue(ONE);
    let late = hand.order.send(ONE, tag);
    hand.order.order(late);
    hand.store(ONE, Y, 1, 0);
    let flag = hand.order.version(Y);
    hand.load(TWO, Y, 1, flag, 0);
    hand.load(TWO, X, 1, start, 0);
    hand.order.end_wave(TWO);
    hand.order.end_group(TWO.cu, 0);
    assert_eq!(hand.order.failure(), None);
    hand.order.perform(late, X, 1, &[0; 128]);
    assert!(hand.order.failure().is_some());
}

/// Writes to one line by many, each of which loads it, and bytes that few of them write.
#[test]
fn hot_lines_cost_little() {
    let steps = |count: u32| {
        let mut hand = Hand::new(Keep::default());
        hand.store(TWO, X, 1 << 100, 0);
        for round in 0..count {
            let mask = if round == count / 2 { 1 << 50 } else { 1 << (round % 4) };
            hand.store(ONE, X, mask, 0);
            let version = hand.order.version(X);
            hand.load(ONE, X, 0xf | 1 << 100, version, 0);
            hand.load(TWO, X, 1 << 50 | 1 << 60, version, 0);
        }
        // A wave that has seen only what is old.
        hand.end();
        assert_eq!(hand.order.failure(), None);
        hand.order.steps() as f64 / f64::from(count)
    };
    let (few, many) = (steps(1000), steps(100_000));
    assert!(many < 600.0 && many < few * 2.5, "{few} and {many} for each");
}
