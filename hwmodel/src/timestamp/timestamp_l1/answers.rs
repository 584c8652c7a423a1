//! A2: answers of the banks (specification 5.3, 5.8, 12).

use ports::timestamp::timestamp_l1::err;
use ports::timestamp::types::{Ask, BusRsp, CoreRsp, LineData, Protocol, event, op, rsp_op};

use super::TimestampL1;
use super::action::condition::*;
use super::action::{Acknowledgement, Action, Fill, Lock, Place, Renewal};
use super::choices::ACKS;
use super::policy::Policy;
use super::replay::Replay;
use super::stores::Store;
use crate::common::counter::count;

/// Decisions.
impl TimestampL1 {
    /// The action of an answer. `policy`: a replacement policy picks the way (rule 10).
    #[inline(always)]
    pub(super) fn answer(&self, rsp: &BusRsp, policy: bool) -> Action {
        if rsp.op > rsp_op::RNW {
            let Some(store) = self.stores.get(rsp.id) else { return Action::BadAcknowledgement };
            return Action::Acknowledgement(self.acknowledgement(store, rsp));
        }
        let is_renewal = rsp.op == rsp_op::RNW;
        // A TC bank never sends a renewal.
        let exists = self.time.is_gtsc || !is_renewal;
        let Some(miss) = self.misses.find_sent(rsp.id).filter(|_| exists) else {
            return Action::BadFill;
        };
        let place = self.lines.find(self.misses.line(miss));
        let locked = place.is_some_and(|place| self.lines.lease(place).is_locked());
        let conditions =
            self.misses.conditions(miss) | when(ABSENT, place.is_none()) | when(LOCKED, locked);
        if is_renewal {
            Action::Renewal(self.renewal(rsp, miss, conditions, place))
        } else {
            self.fill(rsp, miss, conditions, place, policy)
        }
    }

    fn fill(
        &self,
        rsp: &BusRsp,
        miss: usize,
        conditions: u8,
        present: Option<usize>,
        policy: bool,
    ) -> Action {
        let (line, end) = (self.misses.line(miss), self.time.lease(rsp).rts);
        let conditions = conditions | when(LATE, self.time.is_over(end));
        let place = match (present, self.policy) {
            _ if conditions & self.choices.not_installed != 0 => Place::Nowhere,
            (Some(place), _) => Place::Present(place),
            (None, Policy::Picked(None)) => Place::NotKept,
            (None, Policy::Picked(Some(way))) => Place::Picked(self.lines.place(line, way.into())),
            (None, _) => match self.lines.replaceable(line) {
                0 => Place::NoWay,
                ways if policy => return Action::Query(Ask { sm: 0, line, ways }),
                ways => self.lines.victim(line, ways),
            },
        };
        let step = self.next_step(miss, self.generation(rsp), end, conditions & STALE != 0);
        Action::Fill(Fill { miss, conditions, place, step })
    }

    fn renewal(&self, rsp: &BusRsp, miss: usize, conditions: u8, place: Option<usize>) -> Renewal {
        let end = place.map_or(rsp.rts, |place| self.lines.lease(place).rts.max(rsp.rts));
        let replays = conditions & self.choices.again == 0;
        let step = replays.then(|| self.next_step(miss, rsp.rep, end, false));
        Renewal { miss, conditions, place, step }
    }

    fn acknowledgement(&self, store: Store, rsp: &BusRsp) -> Acknowledgement {
        let fences = self.config.protocol == Protocol::Tcw && self.choices.fences_wait;
        let end = self.time.lease(rsp).rts;
        let fence = fences.then(|| (end, !self.time.is_over(end)));
        let old = self.time.is_gtsc && rsp.rep != self.rep;
        Acknowledgement { store, old, fence, lock: self.lock_after(store, rsp.ok) }
    }

    fn lock_after(&self, store: Store, ok: bool) -> Lock {
        if !store.lock {
            return Lock::None;
        }
        if store.stale {
            return Lock::Stale;
        }
        // A locked line is present.
        let Some(place) = self.lines.find(store.line) else { return Lock::None };
        let lease = self.lines.lease(place);
        let drops = (lease.bad || !ok) && self.choices.drops_bad;
        match lease.lock {
            2.. => Lock::Remains(place),
            _ if drops => Lock::Drops(place),
            _ => Lock::Ends(place),
        }
    }

    /// The generation of an answer. Under TC always the L1's, as TC has no generations.
    fn generation(&self, rsp: &BusRsp) -> u8 {
        if self.time.is_gtsc { rsp.rep } else { self.rep }
    }
}

/// Effects of those decisions.
impl TimestampL1 {
    pub(super) fn apply_answer(&mut self, action: Action, rsp: &BusRsp) {
        match action {
            Action::Fill(fill) => self.apply_fill(rsp, fill),
            Action::Renewal(renewal) => self.apply_renewal(rsp, renewal),
            Action::Acknowledgement(ack) => self.apply_acknowledgement(rsp, ack),
            Action::BadFill => self.err = err::FILL,
            _ => self.err = err::ACK,
        }
    }

    fn apply_fill(&mut self, rsp: &BusRsp, fill: Fill) {
        let Fill { miss, conditions, place, step } = fill;
        let (line, lease) = (self.misses.line(miss), self.time.lease(rsp));
        if let Some(place) = place.index() {
            self.lines.install(place, line, lease, &rsp.data);
            self.set_event(event::CAME, place, line);
        }
        self.policy = Policy::Idle;
        let stale = conditions & STALE != 0;
        count(&mut self.counters.fill_rsp, true);
        count(&mut self.counters.stale_rsp, stale);
        count(&mut self.counters.late_fills, conditions & LATE != 0);
        let (rep, left) = (self.generation(rsp), self.misses.len(miss));
        let (wts, rts, data) = (lease.wts, lease.rts, rsp.data);
        self.replay(Replay { miss, left, stale, rep, wts, rts, data }, step);
    }

    fn apply_renewal(&mut self, rsp: &BusRsp, renewal: Renewal) {
        let Renewal { miss, conditions, place, step } = renewal;
        let stale = conditions & STALE != 0;
        count(&mut self.counters.renew_rsp, true);
        count(&mut self.counters.stale_rsp, stale);
        match (step, place) {
            (Some(step), Some(place)) => {
                let lease = self.lines.lease_mut(place);
                lease.rts = lease.rts.max(rsp.rts);
                self.replay_line(miss, place, rsp.rep, step);
            }
            (Some(step), None) => {
                let BusRsp { rep, wts, rts, .. } = *rsp;
                let (left, data) = (self.misses.len(miss), LineData::default());
                self.replay(Replay { miss, left, stale, rep, wts, rts, data }, step);
            }
            (None, _) => {
                if stale {
                    self.misses.restart(miss);
                }
                self.misses.clear_flags(miss);
                self.misses.set_pending(miss);
            }
        }
    }

    fn apply_acknowledgement(&mut self, rsp: &BusRsp, ack: Acknowledgement) {
        let BusRsp { rep, wts: ts, .. } = *rsp;
        let Acknowledgement { store: Store { warp, id, line, .. }, old, fence, lock } = ack;
        let (op, data) = match rsp.op {
            rsp_op::WR_ACK => (op::ST, LineData::default()),
            _ => (op::ATOM, rsp.data),
        };
        self.stores.release(rsp.id);
        self.respond(CoreRsp { rep, ts, op, warp, id, data });
        if self.time.is_gtsc {
            if !old && self.choices.raises & ACKS != 0 {
                self.warps.raise(warp, ts);
            }
            self.warps.answered(warp);
        }
        if let Some((end, _)) = fence {
            self.fences.record_lease(warp, end);
            self.fence_changed = true;
        }
        match lock {
            Lock::None | Lock::Stale => {}
            Lock::Remains(place) | Lock::Ends(place) => self.lines.lease_mut(place).unlock(rsp),
            Lock::Drops(place) => {
                self.lines.drop(place);
                self.set_event(event::GONE, place, line);
                count(&mut self.counters.lock_drops, true);
            }
        }
    }
}
