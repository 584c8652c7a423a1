//! A2: answers of the banks (specification 5.3, 5.8, 12).

use ports::timestamp::timestamp_l1::err;
use ports::timestamp::types::{Ask, BusRsp, CoreRsp, LineData, Protocol, event, op, rsp_op};

use super::policy::Policy;
use super::replay::Replay;
use super::stores::Store;
use super::{Row, Rule, TimestampL1, count};

impl TimestampL1 {
    /// The oldest answer; there is room for what it brings.
    pub(super) fn answer(&mut self, rsp: &BusRsp, policy: bool) {
        let renews = rsp.op == rsp_op::RNW;
        if rsp.op <= rsp_op::RNW {
            // TC's banks renew nothing.
            match self.misses.answered(rsp.id).filter(|_| self.time.is_gtsc || !renews) {
                None => {
                    self.is(Row::BadFill);
                    self.err = err::FILL;
                }
                Some(m) if renews => self.renew(m, rsp),
                Some(m) => {
                    if !self.fill(m, rsp, policy) {
                        return;
                    }
                }
            }
        } else if let Some(store) = self.stores.take(rsp.id) {
            self.acknowledge(store, rsp);
        } else {
            self.is(Row::BadAck);
            self.err = err::ACK;
        }
        self.channels.bus_rsp.pop();
    }

    /// A line comes. False: the policy is asked first.
    fn fill(&mut self, m: usize, rsp: &BusRsp, policy: bool) -> bool {
        let said = std::mem::take(&mut self.policy);
        let (line, lease) = (self.misses.line(m), self.time.lease(rsp));
        let (stale, passed) = (self.misses.stale(m), self.misses.st_after(m));
        let place = self.lines.find(line);
        let locked = place.is_some_and(|place| self.lines.lease(place).is_locked());
        let late = self.time.is_over(lease.rts);
        let dropped = stale && self.keeps(Rule::StaleFill) || late;
        if dropped || passed || locked {
            if stale {
                self.is(Row::FillStale);
            } else if passed || locked {
                self.is(Row::FillAfterStore);
            }
        } else {
            let place = match (place, said) {
                (Some(place), _) => {
                    self.is(Row::FillPresent);
                    Some(place)
                }
                (None, Policy::Said(way)) => {
                    self.is(if way.is_some() { Row::FillPicked } else { Row::FillNotKept });
                    way.map(|way| self.lines.place(line, way.into()))
                }
                (None, _) => {
                    let ways = self.lines.replaceable(line);
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
                self.lines.install(place, line, lease, &rsp.data);
                self.shows(event::CAME, place, line);
            }
        }
        count(&mut self.cnt.fill_rsp);
        if stale {
            count(&mut self.cnt.stale_rsp);
        }
        if late {
            self.is(Row::FillLate);
            count(&mut self.cnt.late_fills);
        }
        let rep = if self.time.is_gtsc { rsp.rep } else { self.rep };
        let (left, wts, rts) = (self.misses.len(m), lease.wts, lease.rts);
        self.replay(Replay { m, left, stale, rep, wts, rts, data: rsp.data });
        true
    }

    /// G-TSC: a lease grows, if its line is still what the bank compared.
    fn renew(&mut self, m: usize, rsp: &BusRsp) {
        count(&mut self.cnt.renew_rsp);
        let stale = self.misses.stale(m);
        let place = self.lines.find(self.misses.line(m));
        let locked = place.is_some_and(|place| self.lines.lease(place).is_locked());
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
                let lease = self.lines.lease_mut(place);
                lease.rts = lease.rts.max(rsp.rts);
                return self.replay_line(m, place, rsp.rep);
            }
            if !self.keeps(Rule::RenewalOfAbsent) {
                let BusRsp { rep, wts, rts, .. } = *rsp;
                let (left, data) = (self.misses.len(m), LineData::default());
                return self.replay(Replay { m, left, stale, rep, wts, rts, data });
            }
        }
        if stale {
            self.misses.restart(m);
        }
        self.misses.forget(m);
        self.misses.again(m);
    }

    /// A store or atomic is performed.
    fn acknowledge(&mut self, store: Store, rsp: &BusRsp) {
        let BusRsp { rep, wts: ts, .. } = *rsp;
        let Store { warp, id, .. } = store;
        let (op, data) = match rsp.op {
            rsp_op::WR_ACK => (op::ST, LineData::default()),
            _ => (op::ATOM, rsp.data),
        };
        self.respond(CoreRsp { rep, ts, op, warp, id, data });
        if self.time.is_gtsc {
            if rep != self.rep {
                self.is(Row::AckOld);
            } else if self.keeps(Rule::AckRaises) {
                self.warps.raise(warp, ts);
            }
            self.warps.answered(warp);
        } else if self.config.protocol == Protocol::Tcw && self.keeps(Rule::Fence) {
            let end = self.time.lease(rsp).rts;
            if !self.time.is_over(end) {
                self.is(Row::AckMeetsLease);
            }
            self.fences.meet(warp, end);
            self.met = true;
        }
        if store.lock && !store.stale {
            self.unlock(store.line, rsp);
        } else {
            self.is(if store.lock { Row::AckStale } else { Row::AckWithoutLock });
        }
    }

    /// G-TSC: a line has one store less under way.
    fn unlock(&mut self, line: u64, rsp: &BusRsp) {
        // It is there while it is locked.
        let Some(place) = self.lines.find(line) else { return };
        let stays = self.lines.lease_mut(place).unlock(rsp) || !self.keeps(Rule::Bad);
        self.is(match stays {
            true if self.lines.lease(place).is_locked() => Row::AckStillLocked,
            true => Row::AckEnds,
            false => Row::AckDrops,
        });
        if !stays {
            self.lines.drop(place);
            self.shows(event::GONE, place, line);
            count(&mut self.cnt.lock_drops);
        }
    }
}
