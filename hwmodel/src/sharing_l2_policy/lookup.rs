//! What becomes of an access (specification 5.4).

use ports::common::sharing_types::{Action, Lookup, act};
use ports::sharing_l2_policy::err;

use super::{Mshr, Rule, SharingL2Policy};

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
        let at = self.at(set);
        let of_filled = filled.filter(|(filled, ..)| !hit && mshr_hit && *filled == mshr);
        let bypasses = is_local && self.config.l2_mgt == 1 && self.keeps(Rule::LocalBypass);
        let code = if hit {
            (self.sets[at].valid >> way & 1 == 0).then_some(err::HIT)
        } else if mshr_hit {
            (of_filled.is_none() && !self.is_used(mshr)).then_some(err::MSHR)
        } else {
            let is_free = u32::from(mshr) < self.config.l2_mshr && !self.is_used(mshr);
            (!bypasses && !is_free).then_some(err::MSHR)
        };
        let no_sm = (u32::from(sm) >= self.config.n_sm).then_some(err::SM);
        if let Some(code) = code.into_iter().chain(no_sm).min() {
            self.error(code);
            count(&mut self.cnt.stalls);
            return STALL;
        }
        if hit {
            self.hit(at, way, is_local, sm)
        } else if let Some((_, at, way)) = of_filled {
            self.hit(at, way, is_local, sm)
        } else if mshr_hit {
            self.merge(mshr, is_local, sm)
        } else if bypasses {
            count(&mut self.cnt.bypasses);
            Action { act: act::BYPASS, ..STALL }
        } else {
            self.allocate(at, mshr, sm)
        }
    }

    fn hit(&mut self, at: usize, way: u8, is_local: bool, sm: u8) -> Action {
        let set = &mut self.sets[at];
        let bit = 1 << way;
        if !is_local && sm != set.owner[usize::from(way)] && set.shared & bit == 0 {
            set.shared |= bit;
            count(&mut self.cnt.sf_set);
        }
        set.order.touch(way);
        count(&mut self.cnt.hits);
        Action { act: act::HIT, sf: !is_local && set.shared & bit != 0, way, ..STALL }
    }

    fn merge(&mut self, mshr: u8, is_local: bool, sm: u8) -> Action {
        let tracks = self.keeps(Rule::MshrOwner);
        let Mshr { owner, shared, .. } = &mut self.mshrs[usize::from(mshr)];
        if tracks && !is_local && sm != *owner && !*shared {
            *shared = true;
            count(&mut self.cnt.sf_set);
        }
        count(&mut self.cnt.merges);
        Action { act: act::MERGE, sf: !is_local && *shared, ..STALL }
    }

    fn allocate(&mut self, at: usize, mshr: u8, sm: u8) -> Action {
        let all = u16::MAX >> (16 - self.config.l2_ways);
        let set = &mut self.sets[at];
        let free = all & !set.valid & !set.reserved;
        let may_go = set.valid & !set.reserved;
        let private = may_go & !set.shared;
        let way = if free != 0 {
            Some(free.trailing_zeros() as u8)
        } else if self.config.l2_mgt == 1 && private != 0 {
            set.order.oldest(private)
        } else {
            set.order.oldest(may_go)
        };
        let Some(way) = way else {
            count(&mut self.cnt.stalls);
            return STALL;
        };
        let bit = 1 << way;
        let evict_valid = set.valid & bit != 0;
        let evict_shared = evict_valid && set.shared & bit != 0;
        set.valid &= !bit;
        set.reserved |= bit;
        set.order.touch(way);
        self.mshrs[usize::from(mshr)] = Mshr { used: true, owner: sm, shared: false };
        count(&mut self.cnt.allocs);
        if evict_valid {
            let cnt = &mut self.cnt;
            count(if evict_shared { &mut cnt.evict_shared } else { &mut cnt.evict_private });
        }
        Action { act: act::ALLOC, sf: false, evict_valid, evict_shared, way }
    }
}
