//! Which action a bank takes (specification 5.4).

use ports::timestamp::types::{Ask, BusReq, Pick, aop, bus_op};

use super::action::{Action, Hold};
use super::lines::Line;
use super::{Asking, TimestampL2};

impl TimestampL2 {
    /// The action of a cycle in which one may act; `policy`: a policy chooses ways.
    pub(super) fn decide(&self, policy: bool) -> Action {
        match self.asking {
            Asking::Open(_) => return Action::Hold(Hold::Asks),
            Asking::Picked(Pick { way, keep }) => {
                return self.miss(way.into(), keep || !self.leases.is_gtsc, true);
            }
            Asking::No => {}
        }
        if let Some(miss) = self.misses.filled().find(|&miss| !self.waits_in(miss)) {
            self.waiter(miss)
        } else if !self.channels.filled.is_empty() {
            self.fill()
        } else if self.sync.is_on() {
            self.sync_step()
        } else {
            self.request(policy)
        }
    }

    /// B1.
    #[inline(always)]
    fn waiter(&self, miss: usize) -> Action {
        let Self { channels, lines, misses, leases, .. } = self;
        let (of, req) = (misses.at(miss), misses.oldest(miss));
        let line = lines.at(of.place);
        let evicts = misses.has_last(miss) && !of.keep;
        let (op, dirty) = (req.op, line.dirty || req.op != bus_op::RD);
        if !channels.has_room() {
            return Action::Hold(Hold::WaiterRoom);
        }
        if evicts && dirty && !channels.has_places(1) {
            return Action::Hold(Hold::LastPlace);
        }
        match leases.grant(&line.lease, req) {
            None => Action::Overflow(op),
            Some(grant) => Action::Waiter { miss, op, grant, evicts: evicts.then_some(dirty) },
        }
    }

    /// B2.
    #[inline(always)]
    fn fill(&self) -> Action {
        let Some(rsp) = self.channels.filled.peek() else { return Action::Nothing };
        let miss = self.misses.find(rsp.line).filter(|&miss| !self.misses.is_filled(miss));
        match (miss, self.leases.lends()) {
            (None, _) => Action::BadFill,
            (_, None) => Action::FillOverflow,
            (Some(miss), Some(lease)) => Action::Fill { miss, lease },
        }
    }

    /// B3 to B5, and a request that cannot be.
    #[inline(always)]
    fn request(&self, policy: bool) -> Action {
        let Self { channels, lines, misses, leases, .. } = self;
        let Some(req) = channels.requests.peek() else { return Action::Nothing };
        let op = req.op;
        let bad = op > bus_op::ATOM || op == bus_op::ATOM && req.aop > aop::XCHG;
        if bad || u32::from(req.sm) >= self.config.n_sm {
            return Action::BadRequest;
        }
        if let Some(miss) = misses.find(req.line) {
            return match misses.is_full(miss) {
                true => Action::Hold(Hold::Queue),
                false => Action::Append { miss, filled: misses.is_filled(miss) },
            };
        }
        let Some(place) = lines.find(req.line) else { return self.choose(req, policy) };
        let lease = &lines.at(place).lease;
        if leases.must_wait(req, lease) {
            let hold = Action::Hold(Hold::MissToWait);
            return misses.free().map_or(hold, |miss| Action::Wait { miss, place });
        }
        if !channels.has_room() {
            return Action::Hold(Hold::Room);
        }
        let grant = leases.grant(lease, req);
        grant.map_or(Action::Overflow(op), |grant| Action::Perform { place, op, grant })
    }

    /// B5, or a query of the policy before it.
    #[inline(always)]
    fn choose(&self, &BusReq { sm, line, .. }: &BusReq, policy: bool) -> Action {
        let Self { channels, lines, misses, leases, .. } = self;
        let set = lines.set_of(line);
        let may_go = |way: &Line| leases.may_go(&way.lease) && misses.find(way.line).is_none();
        let ways = lines.offered(set, may_go);
        let Some(victim) = lines.victim(set, ways) else { return Action::Hold(Hold::Victim) };
        let writes = policy || lines.at(lines.place(set, victim)).dirty;
        if misses.free().is_none() {
            Action::Hold(Hold::Miss)
        } else if !channels.has_places(1 + usize::from(writes)) {
            Action::Hold(if writes { Hold::Places } else { Hold::Place })
        } else if policy {
            Action::Query(Ask { sm, line, ways })
        } else {
            self.miss(victim, true, false)
        }
    }

    /// B5 with this way. There is room.
    #[inline(always)]
    fn miss(&self, way: usize, keep: bool, picked: bool) -> Action {
        let (Some(req), Some(miss)) = (self.channels.requests.peek(), self.misses.free()) else {
            return Action::Nothing;
        };
        let place = self.lines.place(self.lines.set_of(req.line), way);
        let &Line { valid, dirty, .. } = self.lines.at(place);
        Action::Miss { miss, place, keep, valid, dirty, picked }
    }
}
