//! Which way of its set a fill takes, if any (specification 5.3).

use ports::sharing::sharing_l1_policy::Config;
use ports::sharing::types::L1Fill;

use super::Set;
use super::choices::Choices;

/// The first row of the table that holds, with the way that the fill takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// R1: the lowest invalid way.
    Free(u8),
    /// R2: the least recently used line is shared.
    Shared(u8),
    /// R3: it is private and dead.
    Dead(u8),
    /// R4: it is private, and spared: the victim is the least recently used shared line.
    Spare {
        /// DBF bits that are set.
        dead: u8,
        /// The way of the shared line.
        way: u8,
    },
    /// R5: all lines are private, and so is the fill: the victim is the least recently used line.
    Private(u8),
    /// R6: the fill is shared, and is not installed.
    Bypass,
    /// `l1_mgt` = 0: the victim is the least recently used line.
    Oldest(u8),
}

/// What a fill of this set does.
pub(super) fn place(config: &Config, set: &Set, fill: L1Fill, choices: &Choices) -> Placement {
    let all = u8::MAX >> (8 - config.l1_ways);
    let (free, shared) = (!set.valid & all, !set.private & all);
    if free != 0 {
        return Placement::Free(free.trailing_zeros() as u8);
    }
    let way = set.order.oldest(all.into()).expect("a set has a way");
    let oldest = 1 << way;
    if config.l1_mgt == 0 {
        Placement::Oldest(way)
    } else if shared & oldest != 0 {
        Placement::Shared(way)
    } else if set.dead & oldest != 0 {
        Placement::Dead(way)
    } else if let Some(way) = set.order.oldest(shared.into()) {
        Placement::Spare { dead: if config.dead == 1 { oldest } else { 0 }, way }
    } else if choices.installs[usize::from(fill.sf)] {
        Placement::Private(way)
    } else {
        Placement::Bypass
    }
}
