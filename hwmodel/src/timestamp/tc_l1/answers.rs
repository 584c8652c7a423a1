//! A2: answers of the banks (specification 5.3, 5.8, 12).

use ports::timestamp::tc_l1::err;
use ports::timestamp::types::{
    Ask, BusRsp, CoreRsp, LineData, Protocol, TC_TS_W, event, op, rsp_op,
};

use super::{Row, Rule, TcL1};
use crate::timestamp::l1::count;
use crate::timestamp::l1::policy::Policy;

/// When a lease ends.
fn expiry(rsp: &BusRsp) -> u32 {
    rsp.wts << TC_TS_W | rsp.rts
}

impl TcL1 {
    /// The oldest answer; there is room for what it brings.
    pub(super) fn answer(&mut self, rsp: &BusRsp, policy: bool) {
        match rsp.op {
            rsp_op::FILL => match self.misses.answered(rsp.id) {
                None => self.bad_fill(),
                Some(m) => {
                    if !self.fill(m, rsp, policy) {
                        return;
                    }
                }
            },
            rsp_op::RNW => self.bad_fill(),
            _ => {
                if !self.acknowledge(rsp) {
                    self.is(Row::BadAck);
                    self.err = err::ACK;
                }
            }
        }
        self.channels.bus_rsp.pop();
    }

    /// Nobody waits for it.
    fn bad_fill(&mut self) {
        self.is(Row::BadFill);
        self.err = err::FILL;
    }

    /// A line comes. False: the policy is asked first.
    fn fill(&mut self, m: usize, rsp: &BusRsp, policy: bool) -> bool {
        let (line, exp) = (self.misses.line(m), expiry(rsp));
        let late = self.now >= exp;
        let said = std::mem::take(&mut self.policy);
        if !late && !self.misses.st_after(m) {
            let ways = self.lines.replaceable(line, |_| true);
            let place = match (self.lines.find(line), said) {
                (Some(place), _) => {
                    self.is(Row::FillPresent);
                    Some(place)
                }
                (None, Policy::Said(way)) => {
                    self.is(if way.is_some() { Row::FillPicked } else { Row::FillNotKept });
                    way.map(|way| self.lines.place(line, way.into()))
                }
                (None, _) if policy => {
                    self.is(Row::FillAsks);
                    self.policy = Policy::Asked(Ask { sm: 0, line, ways });
                    return false;
                }
                (None, _) => {
                    let place = self.lines.victim(line, ways);
                    let evicts = place.is_some_and(|place| self.lines.is_valid(place));
                    self.is(if evicts { Row::FillEvicts } else { Row::FillInvalidWay });
                    place
                }
            };
            if let Some(place) = place {
                self.lines.install(place, line, exp, &rsp.data);
                self.shows(event::CAME, place, line);
            }
        }
        if self.misses.st_after(m) {
            self.is(Row::FillAfterStore);
        }
        if late {
            self.is(Row::FillLate);
            count(&mut self.cnt.late_fills);
        }
        self.walk(m, exp, rsp.data);
        true
    }

    /// A store or atomic is performed. False: there is none.
    fn acknowledge(&mut self, rsp: &BusRsp) -> bool {
        let Some(store) = self.stores.take(rsp.id) else { return false };
        self.is(Row::Ack);
        let (op, data) = match rsp.op {
            rsp_op::WR_ACK => (op::ST, LineData::default()),
            _ => (op::ATOM, rsp.data),
        };
        let (warp, id) = (store.warp, store.id);
        self.channels.core_rsp.push(CoreRsp { op, warp, id, data, ..CoreRsp::default() });
        if self.config.proto == Protocol::Tcw && self.keeps(Rule::Fence) {
            let exp = expiry(rsp);
            if exp > self.now {
                self.is(Row::AckMeetsLease);
            }
            self.fences.meet(warp, exp);
            self.met = true;
        }
        true
    }
}
