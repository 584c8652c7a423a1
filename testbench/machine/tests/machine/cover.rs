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
    let mut missing = Missing::of(&rows);
    let mut chosen = Vec::new();
    // What a row brings never grows: one that still brings what it brought when it was last looked
    // at brings the most.
    let first = |(number, row): (usize, &Vec<usize>)| (pairs(row).count(), number);
    let mut by_gain: BinaryHeap<_> = rows.iter().enumerate().map(first).collect();
    while missing.left > 0
        && let Some((before, number)) = by_gain.pop()
    {
        let row = &rows[number];
        let gain = pairs(row).filter(|pair| missing.contains(*pair)).count();
        if gain < before {
            by_gain.push((gain, number));
            continue;
        }
        for pair in pairs(row) {
            missing.remove(pair);
        }
        chosen.push(row.clone());
    }
    chosen
}

/// Pairs that no chosen row has. Levels of all factors are numbered together: a million rows look
/// up tens of pairs each.
struct Missing {
    /// The first number of each factor.
    first: Vec<usize>,
    levels: usize,
    is_missing: Vec<bool>,
    left: usize,
}

impl Missing {
    /// All pairs of these rows.
    fn of(rows: &[Vec<usize>]) -> Self {
        let factors = rows.first().map_or(0, Vec::len);
        let (mut first, mut levels) = (Vec::new(), 0);
        for factor in 0..factors {
            first.push(levels);
            levels += rows.iter().map(|row| row[factor] + 1).max().unwrap_or(0);
        }
        let is_missing = vec![false; levels * levels];
        let mut missing = Self { first, levels, is_missing, left: 0 };
        for pair in rows.iter().flat_map(|row| pairs(row)) {
            let place = missing.place(pair);
            missing.left += usize::from(!missing.is_missing[place]);
            missing.is_missing[place] = true;
        }
        missing
    }

    fn place(&self, [(a, of_a), (b, of_b)]: Pair) -> usize {
        (self.first[a] + of_a) * self.levels + self.first[b] + of_b
    }

    fn contains(&self, pair: Pair) -> bool {
        self.is_missing[self.place(pair)]
    }

    fn remove(&mut self, pair: Pair) {
        let place = self.place(pair);
        self.left -= usize::from(self.is_missing[place]);
        self.is_missing[place] = false;
    }
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
