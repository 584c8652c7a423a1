//! What a lookup does (specification 5.4).

use ports::sharing::sharing_l2_policy::err;
use ports::sharing::types::{Action, Lookup, act};

use super::choices::Choices;
use super::lines::Victim;
use super::{Filled, SharingL2Policy};
use crate::common::counter::count;

const STALL: Action =
    Action { act: act::STALL, sf: false, evict_valid: false, evict_shared: false, way: 0 };

/// The first row of the table that holds. Sets are given by their index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    Hit {
        set: usize,
        way: u8,
    },
    Merge,
    Bypass,
    Allocate {
        set: usize,
        victim: Victim,
    },
    /// All ways are reserved.
    Stall,
    /// An error code.
    Refused(u8),
}

impl SharingL2Policy {
    /// What a lookup does. `filled`: the line that was filled in this cycle.
    #[inline(always)]
    pub(super) fn decide(
        &self,
        lookup: Lookup,
        filled: Option<Filled>,
        choices: &Choices,
    ) -> Outcome {
        let Lookup { is_local, sm, hit, mshr_hit, mshr, set, way } = lookup;
        let set = self.lines.index(set);
        let of_filled = filled.filter(|filled| filled.mshr == mshr);
        let miss =
            if is_local && self.config.l2_mgt == 1 { choices.local_miss } else { act::ALLOC };
        let no_sm = u32::from(sm) >= self.config.n_sm;
        let is_free = self.mshrs.has(mshr) && !self.mshrs.is_used(mshr);
        match (hit, mshr_hit, of_filled) {
            (true, ..) if !self.lines.is_valid(set, way) => Outcome::Refused(err::HIT),
            (false, true, None) if !self.mshrs.is_used(mshr) => Outcome::Refused(err::MSHR),
            (false, false, _) if miss == act::ALLOC && !is_free => Outcome::Refused(err::MSHR),
            _ if no_sm => Outcome::Refused(err::SM),
            (true, ..) => Outcome::Hit { set, way },
            (_, true, Some(Filled { set, way, .. })) => Outcome::Hit { set, way },
            (_, true, None) => Outcome::Merge,
            _ if miss == act::BYPASS => Outcome::Bypass,
            _ => match self.lines.victim(set) {
                Some(victim) => Outcome::Allocate { set, victim },
                None => Outcome::Stall,
            },
        }
    }

    /// Applies what a lookup does.
    #[inline(always)]
    pub(super) fn apply(&mut self, lookup: Lookup, outcome: Outcome, choices: &Choices) -> Action {
        // Local data is private to its SM.
        let by = (!lookup.is_local).then_some(lookup.sm);
        let Self { lines, mshrs, counters, .. } = self;
        match outcome {
            Outcome::Hit { set, way } => {
                let (shared, is_new) = lines.touch(set, way, by);
                count(&mut counters.sf_set, is_new);
                count(&mut counters.hits, true);
                Action { act: act::HIT, sf: by.is_some() && shared, way, ..STALL }
            }
            Outcome::Merge => {
                let (shared, is_new) =
                    mshrs.merge(lookup.mshr, by.filter(|_| choices.merge_shares));
                count(&mut counters.sf_set, is_new);
                count(&mut counters.merges, true);
                Action { act: act::MERGE, sf: by.is_some() && shared, ..STALL }
            }
            Outcome::Bypass => {
                count(&mut counters.bypasses, true);
                Action { act: act::BYPASS, ..STALL }
            }
            Outcome::Allocate { set, victim } => {
                let Victim { way, evict_valid, evict_shared } = victim;
                lines.reserve(set, way);
                mshrs.take(lookup.mshr, lookup.sm);
                count(&mut counters.allocs, true);
                count(&mut counters.evict_shared, evict_shared);
                count(&mut counters.evict_private, evict_valid && !evict_shared);
                Action { act: act::ALLOC, sf: false, evict_valid, evict_shared, way }
            }
            Outcome::Stall => {
                count(&mut counters.stalls, true);
                STALL
            }
            Outcome::Refused(code) => {
                count(&mut counters.stalls, true);
                self.error(code);
                STALL
            }
        }
    }
}
