//! A2: answers of the banks (specification 5.3, 12).

use ports::timestamp::gtsc_l1::err;
use ports::timestamp::types::{Ask, BusRsp, CoreRsp, LineData, event, op, rsp_op};

use super::lines::Lease;
use super::walk::Walk;
use super::{GtscL1, Row, Rule};
use crate::timestamp::l1::count;
use crate::timestamp::l1::policy::Policy;

impl GtscL1 {
    /// The oldest answer; there is room for what it brings.
    pub(super) fn answer(&mut self, rsp: &BusRsp, policy: bool) {
        if rsp.op <= rsp_op::RNW {
            match self.misses.answered(rsp.id) {
                None => {
                    self.is(Row::BadFill);
                    self.err = err::FILL;
                }
                Some(m) if rsp.op == rsp_op::FILL => {
                    if !self.fill(m, rsp, policy) {
                        return;
                    }
                }
                Some(m) => self.renew(m, rsp),
            }
        } else if !self.acknowledge(rsp) {
            self.is(Row::BadAck);
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
            let place = match (place, std::mem::take(&mut self.policy)) {
                (Some(place), _) => {
                    self.is(Row::FillPresent);
                    Some(place)
                }
                (None, Policy::Said(way)) => {
                    self.is(if way.is_some() { Row::FillPicked } else { Row::FillNotKept });
                    way.map(|way| self.lines.place(line, way.into()))
                }
                (None, _) => {
                    let ways = self.lines.replaceable(line, |lease| !lease.is_locked());
                    if policy && ways != 0 {
                        self.is(Row::FillAsks);
                        self.policy = Policy::Asked(Ask { sm: 0, line, ways });
                        return false;
                    }
                    let place = self.lines.victim(line, ways);
                    self.is(match place {
                        None => Row::FillNoWay,
                        Some(place) if self.lines.is_valid(place) => Row::FillEvicts,
                        Some(_) => Row::FillInvalidWay,
                    });
                    place
                }
            };
            if let Some(place) = place {
                let lease = Lease { wts: rsp.wts, rts: rsp.rts, lock: 0, bad: false };
                self.lines.install(place, line, lease, &rsp.data);
                self.shows(event::CAME, place, line);
            }
        } else {
            self.is(if stale { Row::FillStale } else { Row::FillAfterStore });
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
        let locked = place.is_some_and(|place| self.lines.of(place).is_locked());
        let passed = (self.misses.st_after(m) || locked) && self.keeps(Rule::RenewalOfLocked);
        if stale {
            count(&mut self.cnt.stale_rsp);
        }
        self.is(match () {
            () if stale => Row::RenewStale,
            () if passed => Row::RenewAfterStore,
            () if place.is_none() => Row::RenewAbsent,
            () => Row::Renew,
        });
        if !stale && !passed {
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
        if rep != self.rep {
            self.is(Row::AckOld);
        }
        self.respond(CoreRsp { rep, ts, op, warp: store.warp, id: store.id, data });
        if rep == self.rep && self.keeps(Rule::AckRaises) {
            self.raise(store.warp, ts);
        }
        self.spin[usize::from(store.warp)] = 0;
        if !store.lock || store.stale {
            self.is(if store.lock { Row::AckStale } else { Row::AckWithoutLock });
            return true;
        }
        // It is there while it is locked.
        let Some(place) = self.lines.find(store.line) else { return true };
        let stays = self.lines.of_mut(place).unlock(rsp) || !self.keeps(Rule::Bad);
        self.is(match stays {
            true if self.lines.of(place).is_locked() => Row::AckStillLocked,
            true => Row::AckEnds,
            false => Row::AckDrops,
        });
        if !stays {
            self.lines.drop(place);
            self.shows(event::GONE, place, store.line);
            count(&mut self.cnt.lock_drops);
        }
        true
    }
}
