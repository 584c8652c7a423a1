//! A2: answers of the banks (specification 5.3, 12).

use ports::common::timestamp_types::{Ask, BusRsp, CoreRsp, LineData, event, op, rsp_op};
use ports::gtsc_l1::err;

use super::lines::Lease;
use super::walk::Walk;
use super::{GtscL1, Rule};
use crate::common::timestamp::count;
use crate::common::timestamp::policy::Policy;

impl GtscL1 {
    /// The oldest answer; there is room for what it brings.
    pub(super) fn answer(&mut self, rsp: &BusRsp, policy: bool) {
        if rsp.op <= rsp_op::RNW {
            match self.misses.answered(rsp.id) {
                None => self.err = err::FILL,
                Some(m) if rsp.op == rsp_op::FILL => {
                    if !self.fill(m, rsp, policy) {
                        return;
                    }
                }
                Some(m) => self.renew(m, rsp),
            }
        } else if !self.acknowledge(rsp) {
            self.err = err::ACK;
        }
        self.channels.bus_rsp.pop();
    }

    /// A line comes. False: the policy is asked first.
    fn fill(&mut self, m: usize, rsp: &BusRsp, policy: bool) -> bool {
        let stale = self.misses.stale(m);
        let line = self.misses.line(m);
        let place = self.lines.find(line);
        let locked = place.is_some_and(|place| self.lines.of(place).is_locked());
        let dropped = stale && self.keeps(Rule::StaleFill);
        if !dropped && !self.misses.st_after(m) && !locked {
            let replaceable = || self.lines.replaceable(line, |lease| !lease.is_locked());
            let place = match (place, std::mem::take(&mut self.policy)) {
                (Some(place), _) => Some(place),
                (None, Policy::Said(way)) => way.map(|way| self.lines.place(line, way.into())),
                (None, _) => {
                    let ways = replaceable();
                    if policy && ways != 0 {
                        self.policy = Policy::Asked(Ask { sm: 0, line, ways });
                        return false;
                    }
                    self.lines.victim(line, ways)
                }
            };
            if let Some(place) = place {
                let lease = Lease { wts: rsp.wts, rts: rsp.rts, lock: 0, bad: false };
                self.lines.install(place, line, lease, &rsp.data);
                self.shows(event::CAME, place, line);
            }
        }
        count(&mut self.cnt.fill_rsp);
        if stale {
            count(&mut self.cnt.stale_rsp);
        }
        let BusRsp { rep, wts, rts, data, .. } = *rsp;
        self.walk(Walk { m, left: self.misses.len(m), stale, rep, wts, rts, data });
        true
    }

    /// A lease grows, if its line is still what the bank compared.
    fn renew(&mut self, m: usize, rsp: &BusRsp) {
        count(&mut self.cnt.renew_rsp);
        let stale = self.misses.stale(m);
        let place = self.lines.find(self.misses.line(m));
        let locked = place.is_some_and(|place| self.lines.of(place).is_locked())
            && self.keeps(Rule::RenewalOfLocked);
        if stale {
            count(&mut self.cnt.stale_rsp);
        }
        if !stale && !self.misses.st_after(m) && !locked {
            if let Some(place) = place {
                let lease = self.lines.of_mut(place);
                lease.rts = lease.rts.max(rsp.rts);
                return self.walk_line(m, place, rsp.rep);
            }
            if !self.keeps(Rule::RenewalOfAbsent) {
                let BusRsp { rep, wts, rts, .. } = *rsp;
                let (left, data) = (self.misses.len(m), LineData::default());
                return self.walk(Walk { m, left, stale, rep, wts, rts, data });
            }
        }
        if stale {
            self.misses.restart(m);
        }
        self.misses.forget(m);
        self.misses.again(m);
    }

    /// A store or atomic is performed. False: there is none.
    fn acknowledge(&mut self, rsp: &BusRsp) -> bool {
        let Some(store) = self.stores.take(rsp.id) else { return false };
        let BusRsp { rep, wts: ts, .. } = *rsp;
        let (op, data) = match rsp.op {
            rsp_op::WR_ACK => (op::ST, LineData::default()),
            _ => (op::ATOM, rsp.data),
        };
        self.respond(CoreRsp { rep, ts, op, warp: store.warp, id: store.id, data });
        if rep == self.rep && self.keeps(Rule::AckRaises) {
            self.raise(store.warp, ts);
        }
        self.spin[usize::from(store.warp)] = 0;
        if !store.lock || store.stale {
            return true;
        }
        // It is there while it is locked.
        let Some(place) = self.lines.find(store.line) else { return true };
        if !self.lines.of_mut(place).unlock(rsp) && self.keeps(Rule::Bad) {
            self.lines.drop(place);
            self.shows(event::GONE, place, store.line);
            count(&mut self.cnt.lock_drops);
        }
        true
    }
}
