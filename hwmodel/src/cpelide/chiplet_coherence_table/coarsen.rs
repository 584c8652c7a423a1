//! Neighbours in memory that become one (sections 5.1 steps 1 to 4 and 7, and 5.4).
//!
//! Lists are in address order and their extents are disjoint, but for [`overlapping`], which makes
//! them so. Only neighbours become one, so a hull never swallows a third.

use super::entry::TooLong;
use super::lines::Lines;
use super::weakness::Rules;

/// What lies at some lines and can become one with its neighbour: records and rows of the table.
pub trait Extent: Sized {
    /// All lines of all chiplets.
    fn extent(&self) -> Lines;

    /// Both as one. Errors: it is too long.
    fn join(&self, other: &Self, rules: &Rules) -> Result<Self, TooLong>;
}

/// The item behind `at` becomes one with it.
fn join_next<T: Extent>(items: &mut Vec<T>, at: usize, rules: &Rules) -> Result<(), TooLong> {
    let next = items.remove(at + 1);
    items[at] = items[at].join(&next, rules)?;
    Ok(())
}

/// Sorts by address and joins until extents are disjoint. Errors: a result is too long.
pub fn overlapping<T: Extent>(items: &mut Vec<T>, rules: &Rules) -> Result<(), TooLong> {
    items.sort_by_key(|item| item.extent().first);
    let mut at = 0;
    while at + 1 < items.len() {
        if items[at].extent().overlaps(&items[at + 1].extent()) {
            join_next(items, at, rules)?;
        } else {
            at += 1;
        }
    }
    Ok(())
}

/// Joins all that have a line in `span`. Errors: the result is too long.
pub fn within<T: Extent>(items: &mut Vec<T>, span: Lines, rules: &Rules) -> Result<(), TooLong> {
    let Some(at) = items.iter().position(|item| item.extent().overlaps(&span)) else {
        return Ok(());
    };
    while items.get(at + 1).is_some_and(|next| next.extent().overlaps(&span)) {
        join_next(items, at, rules)?;
    }
    Ok(())
}

/// Joins the two neighbours with the smallest gap, of several the lowest, until at most `limit` are
/// left. Returns how many joins that took. Errors: a result is too long.
pub fn nearest<T: Extent>(items: &mut Vec<T>, limit: usize, rules: &Rules) -> Result<u32, TooLong> {
    let mut joins = 0;
    while items.len() > limit {
        let gap = |&at: &usize| items[at + 1].extent().first - items[at].extent().last - 1;
        let at = (0..items.len() - 1).min_by_key(gap).expect("more than one is left");
        join_next(items, at, rules)?;
        joins += 1;
    }
    Ok(joins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpelide::chiplet_coherence_table::parameters::Parameters;

    const RULES: Rules = Rules { parameters: Parameters::DEFAULT, weakness: None };

    impl Extent for Lines {
        fn extent(&self) -> Lines {
            *self
        }

        fn join(&self, other: &Self, _: &Rules) -> Result<Self, TooLong> {
            Ok(self.hull(other))
        }
    }

    fn lines(runs: &[(u64, u64)]) -> Vec<Lines> {
        runs.iter().map(|&(first, last)| Lines { first, last }).collect()
    }

    #[test]
    fn what_overlaps_is_joined_and_what_touches_is_not() {
        let mut items = lines(&[(20, 29), (0, 9), (8, 12), (12, 13), (14, 19)]);
        overlapping(&mut items, &RULES).unwrap();
        assert_eq!(items, lines(&[(0, 13), (14, 19), (20, 29)]));
    }

    #[test]
    fn what_has_a_line_in_the_span_is_joined() {
        let mut items = lines(&[(0, 9), (12, 13), (20, 29), (40, 49)]);
        within(&mut items, Lines { first: 13, last: 20 }, &RULES).unwrap();
        assert_eq!(items, lines(&[(0, 9), (12, 29), (40, 49)]));
        within(&mut items, Lines { first: 30, last: 39 }, &RULES).unwrap();
        assert_eq!(items.len(), 3);
    }

    #[test]
    fn smallest_gap_is_closed_first_and_of_several_the_lowest() {
        let mut items = lines(&[(0, 9), (13, 19), (22, 29), (32, 39), (39 + 4, 50)]);
        assert_eq!(nearest(&mut items, 5, &RULES), Ok(0));
        assert_eq!(nearest(&mut items, 4, &RULES), Ok(1));
        assert_eq!(items, lines(&[(0, 9), (13, 29), (32, 39), (43, 50)]));
        assert_eq!(nearest(&mut items, 2, &RULES), Ok(2));
        assert_eq!(items, lines(&[(0, 39), (43, 50)]));
    }
}
