//! A4: requests of the SM (specification 5.2, 5.3, 5.8, 12).

use ports::timestamp::timestamp_l1::err;
use ports::timestamp::types::{BusReq, CoreReq, CoreRsp, bus_op, event, op};

use super::misses::Waiter;
use super::request::{is_legal, masked, write};
use super::stores::Store;
use super::{Row, Rule, TimestampL1, count};

impl TimestampL1 {
    /// The oldest request, if it can act; there is room for what it sends.
    pub(super) fn request(&mut self) -> bool {
        let Some(req) = self.channels.core_req.front() else { return false };
        let CoreReq { op, id, warp, .. } = req;
        let acts = if !is_legal(&req, self.config.warps) {
            self.is(Row::BadRequest);
            self.err = err::REQUEST;
            self.respond(CoreRsp { rep: self.rep, op, warp, id, ..CoreRsp::default() });
            true
        } else if op == op::LD {
            self.load_request(&req)
        } else if req.mask == 0 {
            self.is(Row::St1);
            let ts = self.warps.ts(warp);
            self.respond(CoreRsp { rep: self.rep, ts, op, warp, id, ..CoreRsp::default() });
            true
        } else {
            self.store_request(&req)
        };
        self.holds = !acts;
        if acts {
            self.channels.core_req.pop();
        }
        acts
    }

    /// When a load of a warp happens: by its clock, or in this cycle.
    fn time_of(&self, warp: u8) -> u32 {
        if self.time.is_gtsc { self.warps.ts(warp) } else { self.time.now }
    }

    /// LD1 to LD7.
    fn load_request(&mut self, req: &CoreReq) -> bool {
        let CoreReq { id, warp, line, .. } = *req;
        let ts = self.time_of(warp);
        let waiter = Waiter { warp, id, ts };
        let place = self.lines.find(line);
        let lease = place.map(|place| *self.lines.lease(place));
        let locked = lease.is_some_and(|lease| lease.is_locked()) && self.keeps(Rule::Lock);
        if let (Some(place), Some(lease)) = (place, lease)
            && !locked
            && self.time.covers(lease.rts, ts)
        {
            self.is(Row::Ld1);
            self.load(warp, id, (self.rep, ts.max(lease.wts)), *self.lines.data(place));
            self.lines.touch(place);
            self.shows(event::USED, place, line);
            if self.time.is_gtsc {
                self.spins(warp, lease.rts);
            }
            count(&mut self.cnt.load_hit);
            return true;
        }
        if let Some(m) = self.misses.find(line) {
            let stale = self.misses.stale(m) && self.keeps(Rule::StaleHolds);
            if stale || self.misses.st_after(m) || self.misses.is_full(m) {
                self.is(match () {
                    () if stale => Row::Ld2Stale,
                    () if self.misses.st_after(m) => Row::Ld2AfterStore,
                    () => Row::Ld2Full,
                });
                return false;
            }
            self.is(Row::Ld3);
            self.misses.push(m, waiter);
            count(&mut self.cnt.merged_loads);
            return true;
        }
        let Some(m) = self.misses.free() else {
            self.is(Row::Ld4);
            return false;
        };
        self.misses.open(m, line, waiter);
        if locked {
            self.is(Row::Ld5);
            count(&mut self.cnt.lock_wait);
            return true;
        }
        let wts = lease.map_or(0, |lease| lease.wts);
        self.is(if lease.is_some() { Row::Ld6 } else { Row::Ld7 });
        let of_kind = match lease {
            Some(_) => &mut self.cnt.miss_expired,
            None => &mut self.cnt.miss_cold,
        };
        count(of_kind);
        self.misses.sent(m);
        self.send(BusReq { id: m as u8, line, wts, warp_ts: ts, ..BusReq::default() });
        true
    }

    /// A warp that only hits comes to the end of its lease (specification 5.6).
    fn spins(&mut self, warp: u8, rts: u32) {
        if self.warps.spins(warp, self.config.spin) {
            self.is(Row::Ld1Spin);
            if self.keeps(Rule::Spin) {
                self.warps.set(warp, rts.wrapping_add(1) & self.ts_mask);
                count(&mut self.cnt.spin_ticks);
            }
        }
    }

    /// ST2 to ST5.
    fn store_request(&mut self, req: &CoreReq) -> bool {
        let CoreReq { op, aop, sz, id, warp, line, mask, ref data } = *req;
        let miss = self.misses.find(line);
        let older = |m| self.misses.waiters(m).any(|waiter| waiter.warp == warp);
        let waits = |m| self.misses.is_pending(m) || self.keeps(Rule::OlderLoads) && older(m);
        if let Some(m) = miss.filter(|&m| waits(m)) {
            self.is(if self.misses.is_pending(m) { Row::St2Pending } else { Row::St2Older });
            return false;
        }
        let Some(entry) = self.stores.free() else {
            self.is(Row::St3);
            return false;
        };
        if let (Some(m), true) = (miss, self.keeps(Rule::StAfter)) {
            self.misses.store_passes(m);
            self.is(Row::StorePasses);
        }
        let place = self.lines.find(line);
        let lease = place.map(|place| *self.lines.lease(place));
        self.is(match (op, lease) {
            (op::ST, None) => Row::St4Absent,
            (op::ST, Some(lease)) if lease.is_locked() => Row::St4Locked,
            (op::ST, _) => Row::St4Present,
            (_, None) => Row::St5Absent,
            (_, Some(lease)) if lease.is_locked() => Row::St5Locked,
            _ => Row::St5Present,
        });
        // The own copy takes a store of G-TSC, and nothing else.
        let takes = self.time.is_gtsc && op == op::ST;
        if let Some(place) = place {
            if takes {
                write(self.lines.data_mut(place), data, mask);
                self.lines.lease_mut(place).lock();
                self.lines.touch(place);
                self.shows(event::USED, place, line);
            } else {
                self.drop_copy(place, line);
            }
        }
        let lock = takes && place.is_some();
        let id = self.stores.put(entry, Store { warp, id, line, lock, stale: false });
        let warp_ts = self.warps.ts(warp);
        let req = BusReq { id, line, warp_ts, mask, data: masked(data, mask), ..BusReq::default() };
        if op == op::ST {
            let wts = lease.map_or(0, |lease| lease.wts);
            self.send(BusReq { op: bus_op::WR, wts, ..req });
            count(&mut self.cnt.stores);
        } else {
            self.send(BusReq { op: bus_op::ATOM, aop, sz, ..req });
            count(&mut self.cnt.atomics);
        }
        true
    }

    /// The line here is not what the bank will have.
    fn drop_copy(&mut self, place: usize, line: u64) {
        let rule = if self.time.is_gtsc { Rule::AtomicDrops } else { Rule::OwnCopy };
        if !self.keeps(rule) {
            return;
        }
        let lease = self.lines.lease_mut(place);
        if lease.is_locked() {
            lease.bad = true;
        } else {
            self.lines.drop(place);
            self.shows(event::GONE, place, line);
        }
    }
}
