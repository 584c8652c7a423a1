//! A4: requests of the SM (specification 5.2, 5.3, 5.8, 12).

use ports::timestamp::timestamp_l1::err;
use ports::timestamp::types::{BusReq, CoreReq, CoreRsp, bus_op, event, op};

use super::TimestampL1;
use super::action::condition::*;
use super::action::{OwnCopy, Request, Sent};
use super::choices::Own;
use super::misses::Waiter;
use super::request::{is_legal, masked};
use super::stores::Store;
use crate::common::counter::count;
use crate::timestamp::write;

/// Decisions.
impl TimestampL1 {
    /// The row of a request.
    #[inline(always)]
    pub(super) fn row(&self, req: &CoreReq) -> Request {
        if !is_legal(req, self.config.warps) {
            Request::Bad
        } else if req.op == op::LD {
            self.load_row(req)
        } else {
            self.store_row(req)
        }
    }

    /// The time of a load: the warp's clock, or under TC this cycle.
    #[inline(always)]
    fn time_of(&self, warp: u8) -> u32 {
        if self.time.is_gtsc { self.warps.ts(warp) } else { self.time.now }
    }

    #[inline(always)]
    fn load_row(&self, &CoreReq { warp, line, .. }: &CoreReq) -> Request {
        let present = self.lines.find(line).map(|place| (place, self.lines.lease(place)));
        let locked = self.choices.lock_blocks && present.is_some_and(|(_, c)| c.is_locked());
        if let Some((place, lease)) = present
            && !locked
            && self.time.covers(lease.rts, self.time_of(warp))
        {
            let spin = self.time.is_gtsc && self.warps.hits(warp) + 1 == self.config.spin;
            return Request::Ld1 { place, spin };
        }
        if let Some(miss) = self.misses.find(line) {
            return match self.misses.conditions(miss) & self.choices.holds_load {
                0 => Request::Ld3(miss),
                conditions => Request::Ld2(conditions),
            };
        }
        match (self.misses.free(), present) {
            (None, _) => Request::Ld4,
            (Some(miss), _) if locked => Request::Ld5(miss),
            (Some(miss), Some((_, lease))) => Request::Ld6(miss, lease.wts),
            (Some(miss), None) => Request::Ld7(miss),
        }
    }

    fn store_row(&self, &CoreReq { op, warp, line, mask, .. }: &CoreReq) -> Request {
        if mask == 0 {
            return Request::St1;
        }
        let miss = self.misses.find(line);
        let conditions = miss.map_or(0, |miss| {
            let older = self.misses.waiters(miss).any(|waiter| waiter.warp == warp);
            self.misses.conditions(miss) | when(OLDER, older)
        });
        if conditions & self.choices.holds_store != 0 {
            return Request::St2(conditions);
        }
        let Some(entry) = self.stores.free() else { return Request::St3 };
        let copy = match self.lines.find(line) {
            None => OwnCopy::Absent,
            Some(place) if self.lines.lease(place).is_locked() => OwnCopy::Locked(place),
            Some(place) => OwnCopy::Unlocked(place),
        };
        let passes = miss.filter(|_| self.choices.sets_st_after);
        let send = Sent { entry, passes, copy };
        if op == op::ST { Request::St4(send) } else { Request::St5(send) }
    }
}

/// Effects of those decisions.
impl TimestampL1 {
    /// Applies the row of the oldest request, which is not held.
    #[inline(always)]
    pub(super) fn apply_row(&mut self, row: Request, req: &CoreReq) {
        let CoreReq { op, id, warp, line, .. } = *req;
        let answer = CoreRsp { rep: self.rep, op, warp, id, ..CoreRsp::default() };
        if row == Request::Bad {
            self.err = err::REQUEST;
            return self.respond(answer);
        }
        let waiter = Waiter { warp, id, ts: self.time_of(warp) };
        match row {
            Request::Ld1 { place, spin } => self.hit(req, waiter.ts, place, spin),
            Request::Ld3(miss) => {
                self.misses.push(miss, waiter);
                count(&mut self.counters.merged_loads, true);
            }
            Request::Ld5(miss) => {
                self.misses.allocate(miss, line, waiter);
                count(&mut self.counters.lock_wait, true);
            }
            Request::Ld6(miss, wts) => {
                self.request_line(miss, line, waiter, wts);
                count(&mut self.counters.miss_expired, true);
            }
            Request::Ld7(miss) => {
                self.request_line(miss, line, waiter, 0);
                count(&mut self.counters.miss_cold, true);
            }
            Request::St1 => self.respond(CoreRsp { ts: self.warps.ts(warp), ..answer }),
            Request::St4(send) | Request::St5(send) => self.store(req, send),
            Request::Ld2(_) | Request::Ld4 | Request::St2(_) | Request::St3 | Request::Bad => {}
        }
    }

    #[inline(always)]
    fn hit(&mut self, req: &CoreReq, ts: u32, place: usize, spin: bool) {
        let CoreReq { id, warp, line, .. } = *req;
        let lease = *self.lines.lease(place);
        self.load(warp, id, (self.rep, ts.max(lease.wts)), *self.lines.data(place));
        self.lines.touch(place);
        self.set_event(event::USED, place, line);
        count(&mut self.counters.load_hit, true);
        if self.time.is_gtsc {
            self.warps.hit(warp, spin);
        }
        if spin && self.choices.moves_clock {
            self.warps.set(warp, lease.rts.wrapping_add(1) & self.ts_mask);
            count(&mut self.counters.spin_ticks, true);
        }
    }

    fn request_line(&mut self, miss: usize, line: u64, waiter: Waiter, wts: u32) {
        self.misses.allocate(miss, line, waiter);
        self.misses.set_sent(miss);
        let warp_ts = waiter.ts;
        self.send(BusReq { id: miss as u8, line, wts, warp_ts, ..BusReq::default() });
    }

    fn store(&mut self, req: &CoreReq, send: Sent) {
        let CoreReq { op, aop, sz, id, warp, line, mask, ref data } = *req;
        let Sent { entry, passes, copy } = send;
        if let Some(miss) = passes {
            self.misses.mark_store(miss);
        }
        let is_store = op == op::ST;
        let [gtsc, tc] = self.choices.own_copy;
        let own = if self.time.is_gtsc { gtsc } else { tc }[usize::from(!is_store)];
        let (mut wts, mut lock) = (0, false);
        if let OwnCopy::Unlocked(place) | OwnCopy::Locked(place) = copy {
            wts = self.lines.lease(place).wts;
            match own {
                Own::Kept => {}
                Own::Written => {
                    write(self.lines.data_mut(place), data, mask);
                    self.lines.lease_mut(place).lock();
                    lock = true;
                    self.lines.touch(place);
                    self.set_event(event::USED, place, line);
                }
                // The line is dropped when its lock is released.
                Own::Dropped if self.lines.lease(place).is_locked() => {
                    self.lines.lease_mut(place).bad = true;
                }
                Own::Dropped => {
                    self.lines.drop(place);
                    self.set_event(event::GONE, place, line);
                }
            }
        }
        let id = self.stores.allocate(entry, Store { warp, id, line, lock, stale: false });
        let warp_ts = self.warps.ts(warp);
        let req = BusReq { id, line, warp_ts, mask, data: masked(data, mask), ..BusReq::default() };
        if is_store {
            self.send(BusReq { op: bus_op::WR, wts, ..req });
            count(&mut self.counters.stores, true);
        } else {
            self.send(BusReq { op: bus_op::ATOM, aop, sz, ..req });
            count(&mut self.counters.atomics, true);
        }
    }
}
