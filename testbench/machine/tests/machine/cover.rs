//! Covering arrays: of all combinations of some factors' levels, a few that have any two levels
//! together which some combination has.

use std::collections::{BTreeSet, BinaryHeap};

/// Every combination of as many levels of each factor.
pub fn product(levels: &[usize]) -> Vec<Vec<usize>> {
    levels.iter().fold(vec![Vec::new()], |rows, &levels| {
        let with = |row: Vec<usize>| (0..levels).map(move |level| [&row[..], &[level]].concat());
        rows.into_iter().flat_map(with).collect()
    })
}

/// Those of these rows, a level of each factor, that together have every pair of levels that any
/// row has. The next is always one with most pairs that are still missing.
pub fn covering(rows: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut missing: BTreeSet<_> = rows.iter().flat_map(|row| pairs(row)).collect();
    let mut chosen = Vec::new();
    // What a row brings never grows: one that still brings what it brought when it was last looked
    // at brings the most.
    let first = |(number, row): (usize, &Vec<usize>)| (pairs(row).count(), number);
    let mut by_gain: BinaryHeap<_> = rows.iter().enumerate().map(first).collect();
    while !missing.is_empty()
        && let Some((before, number)) = by_gain.pop()
    {
        let row = &rows[number];
        let gain = pairs(row).filter(|pair| missing.contains(pair)).count();
        if gain < before {
            by_gain.push((gain, number));
            continue;
        }
        for pair in pairs(row) {
            missing.remove(&pair);
        }
        chosen.push(row.clone());
    }
    chosen
}

/// Two factors, and their levels.
type Pair = [(usize, usize); 2];

fn pairs(row: &[usize]) -> impl Iterator<Item = Pair> {
    let level = |factor: usize| (factor, row[factor]);
    (0..row.len()).flat_map(move |b| (0..b).map(move |a| [level(a), level(b)]))
}

#[test]
fn covering_rows_have_every_pair() {
    let all = product(&[3; 7]);
    let rows = covering(all.clone());
    assert!(rows.len() < 22, "{} rows", rows.len());
    let of = |rows: &[Vec<usize>]| rows.iter().flat_map(|row| pairs(row)).collect::<BTreeSet<_>>();
    assert_eq!(of(&rows), of(&all));
    assert_eq!(of(&rows).len(), 21 * 9);
}
