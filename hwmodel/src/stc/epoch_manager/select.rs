//! Which bands are granted next (specification 5.1).

use super::record::Record;
use super::{Config, Epoch};
use crate::common::bits::ones;

/// The epoch that follows: `nvec_q`, `nseb_q`, `move_q`.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Next {
    pub vec: u32,
    pub seb: u8,
    /// The votes were counted for it, whether or not the start epoch bit moved.
    pub moves: bool,
}

/// What is selected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection {
    /// Bands whose demands are served, as numbered before the move.
    pub bands: u32,
    /// The first of them in the order of the search.
    pub first: u32,
    pub next: Next,
}

/// The search from the band behind `ec`, all around to `ec` itself; `None` if no band is demanded.
pub(super) fn select(
    config: &Config,
    epoch: &Epoch,
    ec: u32,
    hold: bool,
    record: &Record,
) -> Option<Selection> {
    let all = config.bands();
    let start = (ec + 1) % all;
    let wanted = if config.variant.has_demands() { record.v } else { 1 << start };
    if wanted == 0 {
        return None;
    }
    let rotate = |bands: u32, by: u32| {
        ((u64::from(bands) << all | u64::from(bands)) >> by) as u32 & (u32::MAX >> (32 - all))
    };
    let mut rest = rotate(wanted, start);
    let first = (rest.trailing_zeros() + start) % all;
    let mut bands = rest;
    (0..config.max_bands).for_each(|_| rest &= rest.wrapping_sub(1));
    bands = rotate(bands ^ rest, all - start);

    let may_move = config.seb_on_wrap == 0 || first <= ec && !hold;
    let moves = config.variant.has_conflicts() && may_move;
    let seb = match record.vote.signum() {
        1 if moves && u32::from(epoch.seb) < config.seb_max => epoch.seb + 1,
        -1 if moves && u32::from(epoch.seb) > config.seb_min => epoch.seb - 1,
        _ => epoch.seb,
    };
    // Another start epoch bit gives bands other numbers.
    let moved = Epoch { seb, gvec: 0 };
    let renumber = |band: usize| 1 << moved.band(record.addr[band], config.band_bits);
    let vec =
        if seb == epoch.seb { bands } else { ones(bands).map(renumber).fold(0, |a, b| a | b) };
    Some(Selection { bands, first, next: Next { vec, seb, moves } })
}
