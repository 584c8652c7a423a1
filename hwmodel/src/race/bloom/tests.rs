//! A property of the maps (specification 5.1). Bits of keys, granules and false positives are
//! tested on whole blocks (`tests/blocks/race`).

use super::hash::Q;

const SIZES: [u32; 6] = [256, 1024, 2048, 4096, 8192, 16384];

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
