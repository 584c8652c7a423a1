//! Neighbours in memory that become one (sections 5.1 steps 1 to 4 and 7, and 5.4).
//!
//! Lists are in address order and their extents are disjoint, but for [`overlapping`], which makes them so.
//! Only neighbours become one, so a hull never swallows a third.

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

/// Joins the two neighbours with the smallest gap, of several the lowest, until at most `limit` are left.
/// Returns how many joins that took. Errors: a result is too long.
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
