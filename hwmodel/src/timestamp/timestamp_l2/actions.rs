//! Actions of a bank, one in a cycle (specification 5.4).

use ports::timestamp::timestamp_l2::{Counters, err};
use ports::timestamp::types::{
    Ask, BusReq, BusRsp, DramReq, Event, LineData, Pick, aop, bus_op, event,
};

use super::leases::Leases;
use super::lines::{Line, Lines};
use super::{Asking, Did, Hold, TimestampL2, count};

impl TimestampL2 {
    /// The policy's word.
    pub(super) fn picked(&mut self, ask: Ask, pick: Pick) {
        let offered = ask.ways >> pick.way & 1 == 1;
        if !offered {
            self.err = err::PICK;
        }
        let way = if offered { pick.way } else { ask.ways.trailing_zeros() as u8 };
        self.asking = Asking::Picked(Pick { way, ..pick });
    }

    /// The action of a cycle in which one may come.
    #[inline(always)]
    pub(super) fn act(&mut self, policy: bool) -> Did {
        match self.asking {
            Asking::Open(_) => return Did::Hold(Hold::Asks),
            Asking::Picked(Pick { way, keep }) => {
                self.asking = Asking::No;
                return self.miss(way.into(), keep || !self.leases.is_gtsc, true);
            }
            Asking::No => {}
        }
        if let Some(m) = self.misses.filled().find(|&m| !self.waits_in(m)) {
            return self.perform_oldest(m);
        }
        if !self.channels.filled.is_empty() {
            return self.fill();
        }
        if self.sync.is_on() {
            return self.sync_step();
        }
        let did = self.request(policy);
        count(&mut self.cnt.hold_cycles, matches!(did, Did::Hold(_)));
        did
    }

    /// B1.
    #[inline(always)]
    fn perform_oldest(&mut self, m: usize) -> Did {
        let Self { channels, lines, misses, leases, cnt, .. } = self;
        let (miss, req) = (*misses.at(m), misses.oldest(m));
        let goes = misses.has_last(m) && !miss.keep;
        let dirty = lines.at(miss.place).dirty || req.op != bus_op::RD;
        if !channels.has_room() {
            return Did::Hold(Hold::WaiterRoom);
        }
        if goes && dirty && !channels.has_places(1) {
            return Did::Hold(Hold::LastPlace);
        }
        let op = req.op;
        let Some(answer) = perform(leases, lines, miss.place, req, cnt) else {
            return Did::Refused(op);
        };
        channels.send(answer);
        misses.pop(m);
        if goes {
            self.leave(miss.place);
            return Did::PerformedLast { op, dirty };
        }
        self.used(miss.place);
        Did::PerformedWaiter(op)
    }

    fn show(&mut self, kind: u8, place: usize) {
        let (way, line) = (self.lines.way_of(place), self.lines.at(place).line);
        self.event = Some(Event { kind, way, line });
    }

    fn used(&mut self, place: usize) {
        self.lines.used(place);
        self.show(event::USED, place);
    }

    /// The line of this place goes, for which there is a place in the FIFO to memory.
    #[inline(always)]
    fn leave(&mut self, place: usize) {
        self.show(event::GONE, place);
        let line = *self.lines.at(place);
        self.leases.goes(&line.lease);
        count(&mut self.cnt.evictions, true);
        if line.dirty {
            self.write_back(place);
        }
        self.lines.both(place).0.valid = false;
    }

    pub(super) fn write_back(&mut self, place: usize) {
        let (line, data) = self.lines.both(place);
        line.dirty = false;
        let req = DramReq { we: true, line: line.line, data: *data };
        self.channels.ask_memory(req);
        count(&mut self.cnt.writebacks, true);
    }

    /// B2.
    #[inline(always)]
    fn fill(&mut self) -> Did {
        let Self { channels, lines, misses, leases, .. } = self;
        let Some(rsp) = channels.filled.peek() else { return Did::Nothing };
        match misses.find(rsp.line).filter(|&m| !misses.is_filled(m)) {
            None => {
                self.err = err::FILL;
                channels.filled.pop();
                return Did::DroppedFill;
            }
            Some(m) => {
                let Some(lease) = leases.lends() else { return Did::RefusedFill };
                let place = misses.at(m).place;
                let (line, data) = lines.both(place);
                (line.valid, line.reserved, line.dirty) = (true, false, false);
                (line.line, line.lease, *data) = (rsp.line, lease, rsp.data);
                misses.fill(m);
                self.lines.used(place);
                self.show(event::CAME, place);
            }
        }
        self.channels.filled.pop();
        Did::Filled
    }

    /// B3 to B5, and a request that cannot be.
    #[inline(always)]
    fn request(&mut self, policy: bool) -> Did {
        let Self { channels, lines, misses, leases, cnt, .. } = self;
        let Some(req) = channels.requests.peek() else { return Did::Nothing };
        let strange = req.op > bus_op::ATOM || req.op == bus_op::ATOM && req.aop > aop::XCHG;
        let did = if strange || u32::from(req.sm) >= self.config.n_sm {
            self.err = err::REQUEST;
            Did::DroppedRequest
        } else if let Some(m) = misses.find(req.line) {
            if misses.is_full(m) {
                return Did::Hold(Hold::Queue);
            }
            misses.push(m, *req);
            Did::Appended { filled: misses.is_filled(m) }
        } else if let Some(place) = lines.find(req.line) {
            if leases.must_wait(req, &lines.at(place).lease) {
                let Some(m) = misses.free() else { return Did::Hold(Hold::MissToWait) };
                misses.start(m, req.line, place, true, *req);
                misses.fill(m);
                Did::Waits
            } else {
                if !channels.has_room() {
                    return Did::Hold(Hold::Room);
                }
                let op = req.op;
                let Some(answer) = perform(leases, lines, place, req, cnt) else {
                    return Did::Refused(op);
                };
                channels.send(answer);
                self.used(place);
                Did::Performed(op)
            }
        } else {
            return self.choose(policy);
        };
        self.channels.requests.pop();
        did
    }

    /// B5 of the head of bus_req, or what comes before it: the policy is asked.
    #[inline(always)]
    fn choose(&mut self, policy: bool) -> Did {
        let Self { channels, lines, misses, leases, .. } = self;
        let Some(&BusReq { sm, line, .. }) = channels.requests.peek() else {
            return Did::Nothing;
        };
        let set = lines.set_of(line);
        let may_go = |way: &Line| leases.may_go(&way.lease) && misses.find(way.line).is_none();
        let ways = lines.offered(set, may_go);
        let Some(victim) = lines.victim(set, ways) else {
            // One of G-TSC waits for lines that were asked for.
            count(&mut self.cnt.stall_evict, !leases.is_gtsc);
            return Did::Hold(Hold::Victim);
        };
        let writes = policy || lines.at(lines.place(set, victim)).dirty;
        if misses.free().is_none() {
            return Did::Hold(Hold::Miss);
        }
        if !channels.has_places(1 + usize::from(writes)) {
            return Did::Hold(if writes { Hold::Places } else { Hold::Place });
        }
        if policy {
            self.asking = Asking::Open(Ask { sm, line, ways });
            return Did::Asked;
        }
        self.miss(victim, true, false)
    }

    /// B5 of the head of bus_req with this way. There is room.
    #[inline(always)]
    fn miss(&mut self, way: usize, keep: bool, picked: bool) -> Did {
        let (Some(req), Some(m)) = (self.channels.requests.front(), self.misses.free()) else {
            return Did::Nothing;
        };
        let place = self.lines.place(self.lines.set_of(req.line), way);
        let &Line { valid, dirty, .. } = self.lines.at(place);
        if self.lines.at(place).valid {
            self.leave(place);
        }
        self.lines.both(place).0.reserved = true;
        let read = DramReq { we: false, line: req.line, data: LineData::default() };
        self.channels.ask_memory(read);
        count(&mut self.cnt.dram_reads, true);
        self.misses.start(m, req.line, place, keep, req);
        self.channels.requests.pop();
        Did::Missed { valid, dirty, picked }
    }
}

/// Performs a request on the line of this place.
#[inline(always)]
fn perform(
    leases: &mut Leases,
    lines: &mut Lines,
    place: usize,
    req: &BusReq,
    cnt: &mut Counters,
) -> Option<BusRsp> {
    let (line, data) = lines.both(place);
    let answer = leases.perform(&mut line.lease, data, req, cnt)?;
    line.dirty |= req.op != bus_op::RD;
    Some(BusRsp { sm: req.sm, id: req.id, ..answer })
}
