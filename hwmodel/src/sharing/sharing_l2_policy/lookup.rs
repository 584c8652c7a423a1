//! What becomes of an access (specification 5.4).

use ports::sharing::sharing_l2_policy::err;
use ports::sharing::types::{Action, Lookup, act};

use super::lines::Taken;
use super::{Rule, SharingL2Policy};

const STALL: Action =
    Action { act: act::STALL, sf: false, evict_valid: false, evict_shared: false, way: 0 };

/// One more.
fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}

impl SharingL2Policy {
    /// `filled`: MSHR, set's place and way of a line that has come in this cycle.
    pub(super) fn look_up(&mut self, lookup: Lookup, filled: Option<(u8, usize, u8)>) -> Action {
        let Lookup { is_local, sm, hit, mshr_hit, mshr, set, way } = lookup;
        let at = self.lines.at(set);
        let of_filled = filled.filter(|(filled, ..)| !hit && mshr_hit && *filled == mshr);
        let bypasses = is_local && self.config.l2_mgt == 1 && self.keeps(Rule::LocalBypass);
        let code = if hit {
            (!self.lines.is_valid(at, way)).then_some(err::HIT)
        } else if mshr_hit {
            (of_filled.is_none() && !self.mshrs.is_used(mshr)).then_some(err::MSHR)
        } else {
            let is_free = self.mshrs.has(mshr) && !self.mshrs.is_used(mshr);
            (!bypasses && !is_free).then_some(err::MSHR)
        };
        let no_sm = (u32::from(sm) >= self.config.n_sm).then_some(err::SM);
        if let Some(code) = code.into_iter().chain(no_sm).min() {
            self.error(code);
            count(&mut self.cnt.stalls);
            return STALL;
        }
        // Local memory is an SM's own.
        let by = (!is_local).then_some(sm);
        if hit {
            self.hit(at, way, by)
        } else if let Some((_, at, way)) = of_filled {
            self.hit(at, way, by)
        } else if mshr_hit {
            self.merge(mshr, by)
        } else if bypasses {
            count(&mut self.cnt.bypasses);
            Action { act: act::BYPASS, ..STALL }
        } else {
            self.allocate(at, mshr, sm)
        }
    }

    fn hit(&mut self, at: usize, way: u8, by: Option<u8>) -> Action {
        let (shared, is_new) = self.lines.touch(at, way, by);
        self.cnt.sf_set = self.cnt.sf_set.wrapping_add(is_new.into());
        count(&mut self.cnt.hits);
        Action { act: act::HIT, sf: by.is_some() && shared, way, ..STALL }
    }

    fn merge(&mut self, mshr: u8, by: Option<u8>) -> Action {
        let tracked = by.filter(|_| self.keeps(Rule::MshrOwner));
        let (shared, is_new) = self.mshrs.merge(mshr, tracked);
        self.cnt.sf_set = self.cnt.sf_set.wrapping_add(is_new.into());
        count(&mut self.cnt.merges);
        Action { act: act::MERGE, sf: by.is_some() && shared, ..STALL }
    }

    fn allocate(&mut self, at: usize, mshr: u8, sm: u8) -> Action {
        let cnt = &mut self.cnt;
        let Some(Taken { way, evict_valid, evict_shared }) = self.lines.take(at) else {
            count(&mut cnt.stalls);
            return STALL;
        };
        self.mshrs.take(mshr, sm);
        count(&mut cnt.allocs);
        if evict_valid {
            count(if evict_shared { &mut cnt.evict_shared } else { &mut cnt.evict_private });
        }
        Action { act: act::ALLOC, sf: false, evict_valid, evict_shared, way }
    }
}
