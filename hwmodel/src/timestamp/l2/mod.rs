//! What the L2 banks of G-TSC and of TC share: channels, lines, misses, and which action comes in a
//! cycle (specification 5.4). What a lease is, and when it ends, is the protocol's.

mod atomic;
mod channels;
mod did;
mod lines;
mod misses;
mod sync;

use std::hash::{Hash, Hasher};

use ports::timestamp::types::{
    Ask, BusReq, BusRsp, DramReq, DramRsp, Event, LineData, Pick, aop, bus_op, event,
};

use crate::state::{State, index_width};
use channels::Channels;
use misses::Misses;
use sync::Sync;

pub(crate) use atomic::{change, write};
pub use did::{Did, Hold};
pub(crate) use lines::{Line, Lines};

/// `err_code_o` of both banks.
mod err {
    pub use ports::timestamp::gtsc_l2::err::*;
}

/// What a bank does by its protocol.
pub(crate) trait Protocol {
    /// What it knows of the leases of a line.
    type Lease: Copy + Default + std::fmt::Debug;
    /// Lines stay though their policy does not want them.
    const KEEPS: bool;

    /// The lease of a line that memory has sent; `None` where it does not fit.
    fn lends(&mut self) -> Option<Self::Lease>;
    /// Performs a request on its line; `None` where the timestamps do not fit, and nothing changes.
    fn perform(
        &mut self,
        lease: &mut Self::Lease,
        data: &mut LineData,
        req: &BusReq,
    ) -> Option<BusRsp>;
    /// A line with this lease goes.
    fn goes(&mut self, lease: &Self::Lease);
    /// It may.
    fn may_go(&self, lease: &Self::Lease) -> bool;
    /// The request cannot be performed yet.
    fn must_wait(&self, req: &BusReq, lease: &Self::Lease) -> bool;
}

/// Parameters of a bank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub n_sm: u32,
    pub line_w: u32,
    pub banks: u32,
    pub sets: u32,
    pub ways: u32,
    pub mshr: u32,
    pub wait: u32,
    pub div: u32,
}

/// Inputs of a bank that both protocols have.
pub(crate) struct Inputs<'a> {
    pub bus_req: &'a Option<BusReq>,
    pub bus_rsp_ready: bool,
    pub dram_req_ready: bool,
    pub dram_rsp: &'a Option<DramRsp>,
    pub sync: Option<u8>,
    pub policy: bool,
    pub pick: Option<Pick>,
}

impl Inputs<'_> {
    /// A bank that waits must see them.
    #[inline(always)]
    pub fn come(&self) -> bool {
        self.bus_req.is_some()
            || self.dram_rsp.is_some()
            || self.sync.is_some()
            || self.pick.is_some()
    }
}

/// Events of a bank; each block shows some of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub dram_reads: u32,
    pub writebacks: u32,
    pub evictions: u32,
    pub hold_cycles: u32,
    pub stall_evict: u32,
}

/// A way is asked of the policy.
#[derive(Clone, Copy, Debug, Hash)]
enum Asking {
    No,
    Open(Ask),
    Picked(Pick),
}

/// A bank.
#[derive(Clone, Debug)]
pub(crate) struct Bank<P: Protocol> {
    shape: Shape,
    channels: Channels,
    pub lines: Lines<P::Lease>,
    misses: Misses,
    sync: Sync,
    asking: Asking,
    /// Cycles in which no action may come.
    pause: u8,
    did: Did,
    event: Option<Event>,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
    pub counts: Counts,
}

/// What decides about what comes: not the counters, nor what the last cycle was.
impl<P: Protocol<Lease: Hash>> Hash for Bank<P> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.hash_as(hasher, |lease, hasher| lease.hash(hasher));
    }
}

impl<P: Protocol> Bank<P> {
    /// The same, where a lease is more than what counts.
    pub fn hash_as<H: Hasher>(&self, hasher: &mut H, hash: impl Fn(&P::Lease, &mut H)) {
        let Self { shape: _, channels, lines, misses, sync, asking, pause, .. } = self;
        (channels, misses, sync, asking, pause).hash(hasher);
        lines.hash_as(hasher, hash);
    }
}

fn add(counter: &mut u32, events: u32) {
    *counter = counter.wrapping_add(events);
}

impl<P: Protocol> Bank<P> {
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            channels: Channels::default(),
            lines: Lines::new(shape.banks, shape.sets, shape.ways),
            misses: Misses::new(shape.mshr, shape.wait),
            sync: Sync::default(),
            asking: Asking::No,
            pause: 0,
            did: Did::Nothing,
            event: None,
            err: 0,
            counts: Counts::default(),
        }
    }

    #[inline(always)]
    pub fn bus_req_ready(&self) -> bool {
        !self.channels.requests.is_full()
    }

    #[inline(always)]
    pub fn dram_rsp_ready(&self) -> bool {
        !self.channels.filled.is_full()
    }

    #[inline(always)]
    pub fn bus_rsp(&self) -> Option<BusRsp> {
        self.channels.answer().copied()
    }

    #[inline(always)]
    pub fn dram_req(&self) -> Option<DramReq> {
        self.channels.to_memory().copied()
    }

    #[inline(always)]
    pub fn sync_ready(&self) -> bool {
        !self.sync.is_on()
    }

    #[inline(always)]
    pub fn sync_done(&self) -> bool {
        self.sync.done
    }

    #[inline(always)]
    pub fn ask(&self) -> Option<Ask> {
        if let Asking::Open(ask) = self.asking { Some(ask) } else { None }
    }

    #[inline(always)]
    pub fn event(&self) -> Option<Event> {
        self.event
    }

    #[inline(always)]
    pub fn err(&self) -> Option<u8> {
        (self.err != 0).then_some(self.err)
    }

    /// What the cycle before did.
    pub fn did(&self) -> Did {
        self.did
    }

    /// Nothing changes until one of the [`Inputs`] comes. While a way is asked the request is
    /// there.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.channels.is_empty()
            && !self.misses.has_filled()
            && (!self.sync.is_on() || !self.misses.is_empty())
            && self.pause == 0
            && self.did == Did::Nothing
            && self.err == 0
            && !self.sync.done
    }

    /// A request that is there waits for its line's lease.
    #[inline(always)]
    pub fn lease_waits(&self, p: &P) -> bool {
        self.misses.filled().any(|m| self.waits_in(p, m))
    }

    #[inline(always)]
    fn waits_in(&self, p: &P, m: usize) -> bool {
        let lease = &self.lines.at(self.misses.at(m).place).lease;
        p.must_wait(self.misses.oldest(m), lease)
    }

    /// A cycle. Without `may_act` no action comes.
    #[inline(always)]
    pub fn tick(&mut self, p: &mut P, inputs: &Inputs, may_act: bool) {
        // All by the registers.
        let (req_ready, rsp_ready) = (self.bus_req_ready(), self.dram_rsp_ready());
        let answer = inputs.bus_rsp_ready && self.channels.answer().is_some();
        let to_memory = inputs.dram_req_ready && self.channels.to_memory().is_some();
        let sync = inputs.sync.filter(|_| self.sync_ready());
        let ask = self.ask();

        (self.event, self.err, self.sync.done) = (None, 0, false);
        self.did = Did::Nothing;
        if self.pause > 0 {
            self.pause -= 1;
        } else if may_act {
            self.did = self.act(p, inputs.policy);
            self.pause = if self.did.is_action() { self.shape.div as u8 - 1 } else { 0 };
        }
        if let (Some(ask), Some(pick)) = (ask, inputs.pick) {
            self.picked(ask, pick);
        }
        self.channels.taken(answer, to_memory);
        if let (Some(req), true) = (inputs.bus_req, req_ready) {
            self.channels.requests.push(*req);
        }
        if let (Some(rsp), true) = (inputs.dram_rsp, rsp_ready) {
            self.channels.filled.push(*rsp);
        }
        if let Some(kind) = sync {
            self.sync.start(kind);
        }
    }

    /// The policy's word.
    fn picked(&mut self, ask: Ask, pick: Pick) {
        let offered = ask.ways >> pick.way & 1 == 1;
        if !offered {
            self.err = err::PICK;
        }
        let way = if offered { pick.way } else { ask.ways.trailing_zeros() as u8 };
        self.asking = Asking::Picked(Pick { way, ..pick });
    }

    /// The action of a cycle in which one may come.
    #[inline(always)]
    fn act(&mut self, p: &mut P, policy: bool) -> Did {
        match self.asking {
            Asking::Open(_) => return Did::Hold(Hold::Asks),
            Asking::Picked(Pick { way, keep }) => {
                self.asking = Asking::No;
                return self.miss(p, way.into(), keep || P::KEEPS, true);
            }
            Asking::No => {}
        }
        if let Some(m) = self.misses.filled().find(|&m| !self.waits_in(p, m)) {
            return self.perform_oldest(p, m);
        }
        if !self.channels.filled.is_empty() {
            return self.fill(p);
        }
        if self.sync.is_on() {
            return self.sync_step(p);
        }
        let did = self.request(p, policy);
        add(&mut self.counts.hold_cycles, matches!(did, Did::Hold(_)).into());
        did
    }

    /// B1.
    #[inline(always)]
    fn perform_oldest(&mut self, p: &mut P, m: usize) -> Did {
        let Self { channels, lines, misses, .. } = self;
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
        let Some(answer) = perform(p, lines, miss.place, req) else { return Did::Refused(op) };
        channels.send(answer);
        misses.pop(m);
        if goes {
            self.leave(p, miss.place);
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
    fn leave(&mut self, p: &mut P, place: usize) {
        self.show(event::GONE, place);
        let line = *self.lines.at(place);
        p.goes(&line.lease);
        add(&mut self.counts.evictions, 1);
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
        add(&mut self.counts.writebacks, 1);
    }

    /// B2.
    #[inline(always)]
    fn fill(&mut self, p: &mut P) -> Did {
        let Self { channels, lines, misses, .. } = self;
        let Some(rsp) = channels.filled.peek() else { return Did::Nothing };
        match misses.find(rsp.line).filter(|&m| !misses.is_filled(m)) {
            None => {
                self.err = err::FILL;
                channels.filled.pop();
                return Did::DroppedFill;
            }
            Some(m) => {
                let Some(lease) = p.lends() else { return Did::RefusedFill };
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
    fn request(&mut self, p: &mut P, policy: bool) -> Did {
        let Self { channels, lines, misses, .. } = self;
        let Some(req) = channels.requests.peek() else { return Did::Nothing };
        let strange = req.op > bus_op::ATOM || req.op == bus_op::ATOM && req.aop > aop::XCHG;
        let did = if strange || u32::from(req.sm) >= self.shape.n_sm {
            self.err = err::REQUEST;
            Did::DroppedRequest
        } else if let Some(m) = misses.find(req.line) {
            if misses.is_full(m) {
                return Did::Hold(Hold::Queue);
            }
            misses.push(m, *req);
            Did::Appended { filled: misses.is_filled(m) }
        } else if let Some(place) = lines.find(req.line) {
            if p.must_wait(req, &lines.at(place).lease) {
                let Some(m) = misses.free() else { return Did::Hold(Hold::MissToWait) };
                misses.start(m, req.line, place, true, *req);
                misses.fill(m);
                Did::Waits
            } else {
                if !channels.has_room() {
                    return Did::Hold(Hold::Room);
                }
                let op = req.op;
                let Some(answer) = perform(p, lines, place, req) else { return Did::Refused(op) };
                channels.send(answer);
                self.used(place);
                Did::Performed(op)
            }
        } else {
            return self.choose(p, policy);
        };
        self.channels.requests.pop();
        did
    }

    /// B5 of the head of bus_req, or what comes before it: the policy is asked.
    #[inline(always)]
    fn choose(&mut self, p: &mut P, policy: bool) -> Did {
        let Self { channels, lines, misses, .. } = self;
        let Some(&BusReq { sm, line, .. }) = channels.requests.peek() else {
            return Did::Nothing;
        };
        let set = lines.set_of(line);
        let may_go = |way: &Line<_>| p.may_go(&way.lease) && misses.find(way.line).is_none();
        let ways = lines.offered(set, may_go);
        let Some(victim) = lines.victim(set, ways) else {
            add(&mut self.counts.stall_evict, 1);
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
        self.miss(p, victim, true, false)
    }

    /// B5 of the head of bus_req with this way. There is room.
    #[inline(always)]
    fn miss(&mut self, p: &mut P, way: usize, keep: bool, picked: bool) -> Did {
        let (Some(req), Some(m)) = (self.channels.requests.front(), self.misses.free()) else {
            return Did::Nothing;
        };
        let place = self.lines.place(self.lines.set_of(req.line), way);
        let &Line { valid, dirty, .. } = self.lines.at(place);
        if self.lines.at(place).valid {
            self.leave(p, place);
        }
        self.lines.both(place).0.reserved = true;
        let read = DramReq { we: false, line: req.line, data: LineData::default() };
        self.channels.ask_memory(read);
        add(&mut self.counts.dram_reads, 1);
        self.misses.start(m, req.line, place, keep, req);
        self.channels.requests.pop();
        Did::Missed { valid, dirty, picked }
    }

    /// The registers that both protocols have.
    pub fn show_state(&self, state: &mut State) {
        let Shape { line_w, sets, .. } = self.shape;
        state.part("channels", |state| self.channels.show_state(state));
        state.part("misses", |state| {
            let way_of = |place| self.lines.way_of(place);
            self.misses.show_state(state, line_w, way_of);
        });
        state.part("ways", |state| {
            for set in 0..sets as usize {
                let lines = self.lines.set(set);
                state.flags(&format!("valid[{set}]"), lines.iter().map(|line| line.valid));
                state.flags(&format!("dirty[{set}]"), lines.iter().map(|line| line.dirty));
            }
        });
        state.part("sync", |state| self.sync.show_state(state, index_width(sets)));
        state.part("ask", |state| {
            state.flag("ask", self.ask().is_some());
            state.flag("picked", matches!(self.asking, Asking::Picked(_)));
        });
        state.bits("pause", 2, self.pause);
        state.flag("event_valid", self.event.is_some());
        state.bits("err", 4, self.err);
    }
}

/// Performs a request on the line of this place.
#[inline(always)]
fn perform<P: Protocol>(
    p: &mut P,
    lines: &mut Lines<P::Lease>,
    place: usize,
    req: &BusReq,
) -> Option<BusRsp> {
    let (line, data) = lines.both(place);
    let answer = p.perform(&mut line.lease, data, req)?;
    line.dirty |= req.op != bus_op::RD;
    Some(BusRsp { sm: req.sm, id: req.id, ..answer })
}
