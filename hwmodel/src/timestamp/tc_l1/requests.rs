//! A4: requests of the SM (specification 5.2, 5.3, 5.8, 12).

use ports::timestamp::tc_l1::err;
use ports::timestamp::types::{BusReq, CoreReq, CoreRsp, bus_op, event, op};

use super::{Row, Rule, Store, TcL1};
use crate::timestamp::l1::count;
use crate::timestamp::l1::misses::Waiter;
use crate::timestamp::l1::request::{is_legal, masked};

impl TcL1 {
    /// The oldest request, if it can act; there is room for what it sends.
    pub(super) fn request(&mut self) -> bool {
        let Some(req) = self.channels.core_req.front() else { return false };
        let CoreReq { op, id, warp, .. } = req;
        let legal = is_legal(&req, self.config.warps);
        let acts = if !legal || op != op::LD && req.mask == 0 {
            self.is(if legal { Row::St1 } else { Row::BadRequest });
            if !legal {
                self.err = err::REQUEST;
            }
            self.channels.core_rsp.push(CoreRsp { op, warp, id, ..CoreRsp::default() });
            true
        } else if op == op::LD {
            self.load_request(&req)
        } else {
            self.store_request(&req)
        };
        if acts {
            self.channels.core_req.pop();
        }
        acts
    }

    /// LD1 to LD7, without LD5.
    fn load_request(&mut self, req: &CoreReq) -> bool {
        let CoreReq { id, warp, line, .. } = *req;
        let place = self.lines.find(line);
        if let Some(place) = place.filter(|&place| self.now < *self.lines.of(place)) {
            self.is(Row::Ld1);
            self.load(warp, id, *self.lines.data(place));
            self.lines.touch(place);
            self.shows(event::USED, place, line);
            count(&mut self.cnt.load_hit);
            return true;
        }
        let waiter = Waiter { warp, id, ts: self.now };
        if let Some(m) = self.misses.find(line) {
            if self.misses.st_after(m) || self.misses.is_full(m) {
                let passed = self.misses.st_after(m);
                self.is(if passed { Row::Ld2AfterStore } else { Row::Ld2Full });
                return false;
            }
            self.is(Row::Ld3);
            self.misses.push(m, waiter);
            return true;
        }
        let Some(m) = self.misses.free() else {
            self.is(Row::Ld4);
            return false;
        };
        self.misses.open(m, line, waiter);
        self.misses.sent(m);
        self.send(BusReq { id: m as u8, line, ..BusReq::default() });
        self.is(if place.is_some() { Row::Ld6 } else { Row::Ld7 });
        let of_kind = match place {
            Some(_) => &mut self.cnt.miss_expired,
            None => &mut self.cnt.miss_cold,
        };
        count(of_kind);
        true
    }

    /// ST2 to ST5.
    fn store_request(&mut self, req: &CoreReq) -> bool {
        let CoreReq { op, aop, sz, id, warp, line, mask, ref data } = *req;
        let miss = self.misses.find(line);
        let older = |m| self.misses.waiters(m).any(|waiter| waiter.warp == warp);
        let waits = |m| self.misses.is_pending(m) || self.keeps(Rule::OlderLoads) && older(m);
        if miss.is_some_and(waits) {
            self.is(Row::St2Older);
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
        let place = self.lines.find(line).filter(|_| self.keeps(Rule::OwnCopy));
        self.is(match (op, place) {
            (op::ST, None) => Row::St4Absent,
            (op::ST, _) => Row::St4Present,
            (_, None) => Row::St5Absent,
            _ => Row::St5Present,
        });
        if let Some(place) = place {
            self.lines.drop(place);
            self.shows(event::GONE, place, line);
        }
        let id = self.stores.put(entry, Store { warp, id });
        let req = BusReq { id, line, mask, data: masked(data, mask), ..BusReq::default() };
        self.send(match op {
            op::ST => BusReq { op: bus_op::WR, ..req },
            _ => BusReq { op: bus_op::ATOM, aop, sz, ..req },
        });
        true
    }
}
