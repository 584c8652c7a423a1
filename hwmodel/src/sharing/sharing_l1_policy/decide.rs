//! Which way of its set a line takes, if any (specification 5.3).

use ports::sharing::sharing_l1_policy::Config;

use super::Set;

/// The row of specification 5.3 that a fill has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A way was free.
    R1,
    /// The least recently used line is shared.
    R2,
    /// It is dead.
    R3,
    /// It is private, and another one is shared.
    R4,
    /// All are private, and so is the one that comes.
    R5,
    /// The one that comes is not.
    R6,
    /// Without the policy: the least recently used line.
    Oldest,
}

/// The row that holds, and the way, if any. A line that R4 spares is thought to be dead. `keeps`:
/// R6 holds.
pub(super) fn way(
    config: &Config,
    set: &mut Set,
    is_shared: bool,
    keeps: bool,
) -> (Row, Option<u8>) {
    let Config { l1_ways, l1_mgt, dead, .. } = *config;
    let all = u8::MAX >> (8 - l1_ways);
    let free = !set.valid & all;
    if free != 0 {
        return (Row::R1, Some(free.trailing_zeros() as u8));
    }
    let oldest = set.order.oldest(all.into()).expect("a set has a way");
    let (bit, shared) = (1 << oldest, !set.private & all);
    if l1_mgt == 0 {
        (Row::Oldest, Some(oldest))
    } else if shared & bit != 0 {
        (Row::R2, Some(oldest))
    } else if set.dead & bit != 0 {
        (Row::R3, Some(oldest))
    } else if shared != 0 {
        set.dead |= if dead == 1 { bit } else { 0 };
        (Row::R4, set.order.oldest(shared.into()))
    } else if !is_shared || !keeps {
        (Row::R5, Some(oldest))
    } else {
        (Row::R6, None)
    }
}
