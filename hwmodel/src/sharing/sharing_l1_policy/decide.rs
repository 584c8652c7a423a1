//! Which way of its set a fill takes, if any (specification 5.3).

use ports::sharing::sharing_l1_policy::Config;
use ports::sharing::types::L1Fill;

use super::Set;
use super::choices::Choices;

/// The rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// R1: the lowest invalid way.
    Free,
    /// R2: the least recently used line is shared.
    Shared,
    /// R3: it is private and dead.
    Dead,
    /// R4: it is private, and spared: the victim is the least recently used shared line.
    Spare,
    /// R5: all lines are private, and so is the fill: the victim is the least recently used line.
    Private,
    /// R6: the fill is shared, and is not installed.
    Bypass,
    /// `l1_mgt` = 0: the victim is the least recently used line.
    Oldest,
}

/// What a fill does.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The first row that holds.
    pub case: Case,
    /// The way that the fill takes, unless it bypasses the L1.
    pub way: u8,
    /// DBF bits that are set.
    pub dead: u8,
}

/// What a fill of this set does.
#[inline(always)]
pub(super) fn place(config: &Config, set: &Set, fill: L1Fill, choices: &Choices) -> Placement {
    let all = u8::MAX >> (8 - config.l1_ways);
    let (free, shared) = (!set.valid & all, !set.private & all);
    let to = |case, way| Placement { case, way, dead: 0 };
    if free != 0 {
        return to(Case::Free, free.trailing_zeros() as u8);
    }
    let least_recent = |ways: u8| set.order.oldest(ways.into()).expect("one of the ways");
    let way = least_recent(all);
    let oldest = 1 << way;
    if config.l1_mgt == 0 {
        to(Case::Oldest, way)
    } else if shared & oldest != 0 {
        to(Case::Shared, way)
    } else if set.dead & oldest != 0 {
        to(Case::Dead, way)
    } else if shared != 0 {
        let dead = if config.dead == 1 { oldest } else { 0 };
        Placement { case: Case::Spare, way: least_recent(shared), dead }
    } else if choices.installs[usize::from(fill.sf)] {
        to(Case::Private, way)
    } else {
        to(Case::Bypass, way)
    }
}
