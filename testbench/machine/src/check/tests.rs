//! Each kind of wrong byte is seen, with its address, value and what it may be.

use super::*;
use crate::context::transactions::Transaction;

const LINE: usize = 64;
const A: u64 = 0x2000;

fn sets(during: &[u8], after: &[u8]) -> (ByteSet, ByteSet) {
    let set = |values: &[u8]| {
        let mut set = ByteSet::default();
        values.iter().for_each(|&value| set.insert(value));
        set
    };
    (set(during), set(after))
}

/// A kernel in which byte 1 of the line may be 3 or 4, later 4, and the word at 8 sums up to 10 to
/// 12.
fn checker() -> Checker {
    let (during, after) = sets(&[3, 4], &[4]);
    let racy = vec![RacyByte { addr: A + 1, during, after }];
    let cell = AtomicCell { addr: A + 8, size: 4, op: AtomicOp::Add, low: 10, high: 12 };
    let head = KernelHead { name: "k".into(), racy, atomics: vec![cell], ..KernelHead::default() };
    let mut checker = Checker::default();
    checker.begin_kernel(0, 7, &head);
    checker
}

fn transaction(mask: u128, racy: u128) -> Transaction {
    Transaction { mask, racy, addr: A, ..Transaction::default() }
}

/// What the checker says of a load that the program saw as `expected`.
fn load(racy: u128, mask: u128, expected: &[(usize, u8)], data: &[(usize, u8)]) -> Option<Wrong> {
    let mut checker = checker();
    let bytes = |values: &[(usize, u8)]| {
        let mut line = [0; MAX_LINE];
        values.iter().for_each(|&(at, value)| line[at] = value);
        line
    };
    let t = transaction(mask, racy);
    checker.load(40, Unit(3), &t, &bytes(expected), &bytes(data)[..LINE]);
    checker.wrong
}

#[test]
fn determined_byte_must_be_the_programs() {
    assert_eq!(load(0, 0xf, &[(2, 9)], &[(2, 9), (5, 1)]), None, "byte 5 is not loaded");
    let wrong = load(0, 0xf, &[(2, 9)], &[(2, 8)]).unwrap();
    let seen_by = Observer::Load(Unit(3));
    let (kernel, possible) = ((7, "k".to_string()), vec![9]);
    assert_eq!(wrong, Wrong { cycle: 40, addr: A + 2, got: 8, possible, kernel, seen_by });
}

#[test]
fn racy_byte_must_be_one_of_its_values() {
    assert_eq!(load(2, 2, &[(1, 3)], &[(1, 4)]), None);
    let wrong = load(2, 2, &[(1, 3)], &[(1, 5)]).unwrap();
    assert_eq!((wrong.addr, wrong.got, wrong.possible), (A + 1, 5, vec![3, 4]));
    // The table is for racy loads only.
    assert_eq!(load(0, 2, &[(1, 3)], &[(1, 4)]).unwrap().possible, [3]);
    // A racy byte that no table holds may be nothing else.
    assert!(load(4, 4, &[(2, 3)], &[(2, 4)]).is_some());
}

#[test]
fn old_value_of_an_atomic_must_lie_in_its_range() {
    let see = |value: u8| {
        let mut checker = checker();
        let (mut expected, mut data) = ([0; MAX_LINE], [0; MAX_LINE]);
        (expected[8], data[8]) = (10, value);
        let t = transaction(0xf00, 0xf00);
        checker.atomic(40, Unit(1), &t, &expected, &data);
        checker.wrong
    };
    assert_eq!([see(10), see(11), see(12)], [None, None, None]);
    let wrong = see(13).unwrap();
    assert_eq!((wrong.addr, wrong.got), (A + 8, 13));
    assert_eq!(wrong.seen_by, Observer::Atomic(Unit(1)));
}

/// Bytes of the location that were not asked for are whatever the line happens to hold.
#[test]
fn part_of_an_atomics_location_is_left() {
    assert_eq!(load(0x100, 0x100, &[(8, 10)], &[(8, 99)]), None);
    assert!(load(0xf00, 0xf00, &[(8, 10)], &[(8, 99)]).is_some());
}

#[test]
fn memory_after_a_release_must_hold_the_last_stores() {
    let after = |values: &[(usize, u8)]| {
        let mut checker = checker();
        let mut stored = [0; MAX_LINE];
        (stored[0], stored[1]) = (6, 3);
        checker.store(A, 3, &stored, LINE);
        checker.end_kernel(
            0,
            50,
            LINE,
            |_| false,
            |_| 0,
            |addr, _, to| {
                assert_eq!(addr, A);
                values.iter().for_each(|&(at, value)| to[at] = value);
            },
        );
        let wrong = checker.wrong.take();
        let mut seen = [0; LINE];
        seen[1] = 9;
        checker.host_read(60, A, 2, &seen);
        let host = checker.wrong.expect("9 was not stored");
        assert_eq!((host.addr, host.got, host.seen_by), (A + 1, 9, Observer::Host));
        (wrong, host.possible[0])
    };
    // What a racy byte holds is what the host must read.
    assert_eq!(after(&[(0, 6), (1, 4)]), (None, 4));
    let wrong = after(&[(0, 5), (1, 4)]).0.unwrap();
    assert_eq!((wrong.cycle, wrong.addr, wrong.got, wrong.possible), (50, A, 5, vec![6]));
    assert_eq!(wrong.seen_by, Observer::Release(None));
    // 7 was never stored to the racy byte.
    let wrong = after(&[(0, 6), (1, 7)]).0.unwrap();
    assert_eq!((wrong.addr, wrong.got, wrong.possible), (A + 1, 7, vec![4]));
    // A byte that was not stored changes: seen where it shares a line with one that was.
    assert_eq!(after(&[(0, 6), (1, 4), (9, 1)]).0.unwrap().addr, A + 9);
}

#[test]
fn lines_shorter_and_longer_than_64_bytes_are_looked_at_once() {
    for (line, lines) in [(32, vec![A, A + 32]), (64, vec![A]), (128, vec![A])] {
        let mut checker = checker();
        checker.store(A, 1, &[6; MAX_LINE], line);
        let mut seen = Vec::new();
        checker.end_kernel(
            0,
            50,
            line,
            |_| false,
            |_| 0,
            |addr, _, to| {
                seen.push(addr);
                to[0] = if addr == A { 6 } else { 0 };
            },
        );
        assert_eq!((seen, checker.wrong), (lines, None));
    }
}

#[test]
fn copies_hold_the_last_stores_and_may_differ_in_racy_bytes() {
    let after = |copies: &[(u16, usize, u8)]| {
        let mut checker = checker();
        let mut stored = [0; MAX_LINE];
        (stored[0], stored[1]) = (6, 3);
        checker.store(A, 3, &stored, LINE);
        let of = copies.iter().fold(0, |all, &(gpu, ..)| all | 1 << gpu);
        checker.end_kernel(
            0,
            50,
            LINE,
            |_| false,
            |_| of,
            |_, seen, to| {
                (to[0], to[1]) = (6, 4);
                for &(_, at, value) in copies.iter().filter(|&&(gpu, ..)| Some(gpu) == seen) {
                    to[at] = value;
                }
            },
        );
        checker.wrong.map(|wrong| (wrong.addr, wrong.got, wrong.possible, wrong.seen_by))
    };
    let of = |gpu| Observer::Release(Some(gpu));
    assert_eq!(after(&[(1, 0, 6), (3, 1, 4)]), None);
    assert_eq!(after(&[(1, 0, 6), (3, 0, 0)]), Some((A, 0, vec![6], of(3))));
    assert_eq!(after(&[(2, 1, 7)]), Some((A + 1, 7, vec![4], of(2))));
    assert_eq!(after(&[(0, 5, 1)]), Some((A + 5, 1, vec![0], of(0))));
}
