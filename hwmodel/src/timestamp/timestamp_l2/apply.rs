//! Effects of a bank's actions (specification 5.4).

use ports::timestamp::timestamp_l2::err;
use ports::timestamp::types::{Ask, BusRsp, DramReq, Event, LineData, Pick, bus_op, event};

use super::action::{Action, Hold};
use super::leases::Grant;
use super::{Asking, TimestampL2};
use crate::common::counter::count;

impl TimestampL2 {
    /// The policy's answer.
    pub(super) fn picked(&mut self, ask: Ask, pick: Pick) {
        let offered = ask.ways >> pick.way & 1 == 1;
        if !offered {
            self.err = err::PICK;
        }
        let way = if offered { pick.way } else { ask.ways.trailing_zeros() as u8 };
        self.asking = Asking::Picked(Pick { way, ..pick });
    }

    pub(super) fn apply(&mut self, action: Action) {
        count(&mut self.counters.hold_cycles, action.holds_request());
        match action {
            Action::Nothing => {}
            // One of G-TSC waits for lines that are requested.
            Action::Hold(hold) => {
                let waits = hold == Hold::Victim && !self.leases.is_gtsc;
                count(&mut self.counters.stall_evict, waits);
            }
            Action::Overflow(_) | Action::FillOverflow => self.leases.ovf = true,
            Action::Waiter { miss, grant, evicts, .. } => {
                let place = self.misses.at(miss).place;
                self.perform(Some(miss), place, grant);
                self.misses.pop(miss);
                match evicts {
                    Some(_) => self.evict(place),
                    None => self.used(place),
                }
            }
            Action::Fill { miss, lease } => {
                let (place, rsp) = (self.misses.at(miss).place, self.channels.filled.peek());
                if let Some(rsp) = rsp {
                    let (line, data) = self.lines.both(place);
                    (line.valid, line.reserved, line.dirty) = (true, false, false);
                    (line.line, line.lease, *data) = (rsp.line, lease, rsp.data);
                }
                self.channels.filled.pop();
                self.misses.fill(miss);
                self.lines.used(place);
                self.show(event::CAME, place);
            }
            Action::Append { miss, .. } => {
                if let Some(req) = self.channels.requests.peek() {
                    self.misses.push(miss, *req);
                }
                self.channels.requests.pop();
            }
            Action::Perform { place, grant, .. } => {
                self.perform(None, place, grant);
                self.channels.requests.pop();
                self.used(place);
            }
            Action::Wait { miss, place } => {
                self.start(miss, place, true);
                self.misses.fill(miss);
            }
            Action::Miss { miss, place, keep, valid, .. } => {
                self.asking = Asking::No;
                if valid {
                    self.evict(place);
                }
                self.lines.both(place).0.reserved = true;
                self.start(miss, place, keep);
                let line = self.misses.at(miss).line;
                self.channels.ask_memory(DramReq { we: false, line, data: LineData::default() });
                count(&mut self.counters.dram_reads, true);
            }
            Action::Query(ask) => self.asking = Asking::Open(ask),
            Action::BadRequest => {
                self.err = err::REQUEST;
                self.channels.requests.pop();
            }
            Action::BadFill => {
                self.err = err::FILL;
                self.channels.filled.pop();
            }
            Action::WriteBack(place) => self.write_back(place),
            Action::Pass { acquires, last } => self.pass(acquires, last),
        }
    }

    /// The oldest request takes an MSHR.
    #[inline(always)]
    fn start(&mut self, miss: usize, place: usize, keep: bool) {
        if let Some(req) = self.channels.requests.peek() {
            self.misses.start(miss, req.line, place, keep, *req);
        }
        self.channels.requests.pop();
    }

    /// Performs a request on its line: the oldest of an MSHR, or of bus_req.
    #[inline(always)]
    fn perform(&mut self, miss: Option<usize>, place: usize, grant: Grant) {
        let Self { channels, lines, misses, leases, counters, .. } = self;
        let oldest = miss.map(|miss| misses.oldest(miss)).or(channels.requests.peek());
        let Some(req) = oldest else { return };
        let (line, data) = lines.both(place);
        line.lease = grant.lease;
        line.dirty |= req.op != bus_op::RD;
        let answer = leases.answer(grant, data, req);
        match req.op {
            bus_op::RD => {
                count(&mut counters.busrd, true);
                let sent =
                    if grant.renews { &mut counters.renews_sent } else { &mut counters.fills_sent };
                count(sent, true);
            }
            bus_op::WR => count(&mut counters.buswr, true),
            _ => count(&mut counters.busatom, true),
        }
        channels.send(BusRsp { sm: req.sm, id: req.id, ..answer });
    }

    fn show(&mut self, kind: u8, place: usize) {
        let (way, line) = (self.lines.way_of(place), self.lines.at(place).line);
        self.event = Some(Event { kind, way, line });
    }

    fn used(&mut self, place: usize) {
        self.lines.used(place);
        self.show(event::USED, place);
    }

    /// The line of this place is evicted. There is a place in dram_req.
    #[inline(always)]
    fn evict(&mut self, place: usize) {
        self.show(event::GONE, place);
        let line = *self.lines.at(place);
        self.leases.goes(&line.lease);
        count(&mut self.counters.evictions, true);
        if line.dirty {
            self.write_back(place);
        }
        self.lines.both(place).0.valid = false;
    }

    fn write_back(&mut self, place: usize) {
        let (line, data) = self.lines.both(place);
        line.dirty = false;
        let req = DramReq { we: true, line: line.line, data: *data };
        self.channels.ask_memory(req);
        count(&mut self.counters.writebacks, true);
    }
}
