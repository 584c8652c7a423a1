//! Check values of specification 5.1. The table of a key's bits and false positives are those of
//! whole blocks (`tests/blocks/race`).

use super::granules::Keys;
use super::hash::Q;
use super::*;
use crate::common::random::Random;

const SIZES: [u32; 6] = [256, 1024, 2048, 4096, 8192, 16384];

#[test]
fn matrix_has_the_check_values() {
    let of = |(j, i): (usize, usize)| Q[j][i];
    let found = [(0, 0), (0, 1), (5, 0), (6, 0), (6, 31)].map(of);
    assert_eq!(found, [0x510C_4619, 0xE02E_553E, 0x52E8_8499, 0xFBEE_CFFE, 0xDF20_43EA]);
}

/// Rank over GF(2).
fn rank(mut columns: Vec<u32>) -> usize {
    let mut rank = 0;
    while let Some(column) = columns.pop() {
        if column != 0 {
            rank += 1;
            let low = column & column.wrapping_neg();
            columns.iter_mut().filter(|other| **other & low != 0).for_each(|o| *o ^= column);
        }
    }
    rank
}

#[test]
fn maps_have_full_rank_on_keys_of_lines() {
    for m in SIZES {
        for (j, map) in Q[..6].iter().enumerate() {
            let rows = map[..25].iter().map(|q| q & (m / 8 - 1)).collect();
            assert_eq!(rank(rows), m.trailing_zeros() as usize - 3, "H_{j}, {m} bits");
        }
    }
}

#[test]
fn indices_are_those_of_the_definition_in_different_banks() {
    let mut r = Random::new(1);
    for _ in 0..1000 {
        let (key, m) = (r.word(), SIZES[r.below(6) as usize]);
        let map = |j: usize| {
            (0..32).filter(|i| key >> i & 1 != 0).fold(0, |map, i| map ^ Q[j][i as usize])
        };
        let expected: [u32; 6] = std::array::from_fn(|j| {
            let bank = (map(6) % 8 + j as u32) % 8;
            bank * (m / 8) + map(j) % (m / 8)
        });
        assert_eq!(Hash::new(m).indices(key).map(u32::from), expected);
    }
}

#[test]
fn signature_has_what_was_inserted_and_tells_new_bits() {
    let (hash, mut signature) = (Hash::new(1024), Signature::new(1024));
    assert!(signature.insert(hash.indices(1)));
    assert!(!signature.insert(hash.indices(1)));
    assert!(signature.has(hash.indices(1)) && !signature.has(hash.indices(2)));
    assert_eq!(signature.chunks(), 0b1011, "bits 793, 1003, 83, 155, 357 and 409");
    let mut other = Signature::new(1024);
    (0..4).filter(|c| signature.chunks() >> c & 1 != 0).for_each(|c| {
        other.write_chunk(c, &signature.chunk(c));
    });
    assert!(other.has(hash.indices(1)));
    signature.clear();
    assert!(!signature.has(hash.indices(1)) && signature.chunks() == 0);
    assert!(signature.insert(hash.indices(0)) && !signature.has(hash.indices(1)));
}

#[test]
fn granules_of_accesses_lines_and_masks() {
    let keys = |first, count| Keys { first, count };
    assert_eq!(Granules::new(1).of_access(0x85, 2), keys(0x84, 4));
    assert_eq!(Granules::new(4).of_access(0x85, 1), keys(0x21, 1));
    assert_eq!(Granules::new(4).of_access(0xFF, 7), keys(0x20, 32));
    assert_eq!(Granules::new(128).of_access(u32::MAX, 7), keys(0x1FF_FFFF, 1));
    assert_eq!(Granules::new(512).of_line(0x3FF), keys(1, 1));
    assert_eq!(Granules::new(1).of_line(u32::MAX), keys(0xFFFF_FF80, 128));
    let mask = 1 << 127 | 0b1_0000;
    assert_eq!(Granules::new(1).of_mask(mask), mask);
    assert_eq!(Granules::new(4).of_mask(mask), 1 << 31 | 0b10);
    assert_eq!(Granules::new(128).of_mask(mask), 1);
    assert_eq!(Granules::new(512).of_mask(0), 0);
}
