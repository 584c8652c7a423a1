//! The epoch agent before an L1, and the L1 (specification 5.6, 5.7).

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::stc::epoch_agent::EpochAgent;
use hwmodel::{Block, Model};
use ports::stc::epoch_agent::{Config, In, Out};
use ports::stc::types::{Epoch, Load, Store};
use traces::trace::InstrKind;

use super::cache::{Cache, Found};
use super::parameters::Parameters;
use super::slots::Slots;
use super::{Down, Up};
use crate::build::make::{Made, Make};
use crate::context::Stop;
use crate::context::masks;
use crate::context::message::{Kind, Message, Packed};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, WireId};
use crate::l1::src::Spec;
use crate::l1::{Callbacks, IssuePolicy, L1, Port};
use crate::statistics::CounterValues;

/// Makes what stands beside a CU.
pub fn new(make: &mut Make) -> Made<dyn L1> {
    let Parameters { blocks, link, name } = Parameters::of(make.system)?;
    let config = Config::from(&blocks);
    let block = make.socket(&name, &config)?;
    let out: Out = block.outputs();
    let spec = Spec::of(make.system);
    Ok(Box::new(Agent {
        cache: Cache::new(spec.shape, &blocks, out.cer),
        misses: spec.misses,
        hit_latency: spec.hit_latency.into(),
        line: masks::span(0, spec.shape.line as usize),
        bands: config.bands(),
        place: make.place.clone(),
        block,
        begun: Cycle::MAX,
        inputs: In::default(),
        levels: In::default(),
        slots: Slots::new(blocks.bsq_n),
        requests: vec![Handle::NONE; TAGS],
        stores: vec![0; TAGS],
        since: vec![0; TAGS],
        becomes: vec![Becomes::Nothing; TAGS],
        fetched: 0,
        is_stalled: false,
        acks: VecDeque::with_capacity(TAGS),
        has_swept: false,
        from_manager: make.wire_from_unit(link),
        to_manager: make.wire_to_unit(link),
        seen: Down { chg_info: out.cer, ..Down::default() },
        heard: None,
        shown: Up::default(),
        counters: Counters::default(),
        out,
    }))
}

/// Requests of a CU that may be under way: a load's identifier has 8 bits.
const TAGS: usize = 256;

/// What becomes of a request's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes {
    Nothing,
    /// It is a line for this way (I_V).
    Line(u32),
    /// It is the CU's alone (I_I).
    Value,
    /// It is the acknowledgement of the store in this slot.
    Ack(u8),
}

/// Counters (specification, section 9).
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    stores: u64,
    /// Cycles of drains, and in which the sweep looked at a set; when a drain began.
    drain: u64,
    sweep: u64,
    drains_since: Cycle,
    /// Cycles of all stores from their acceptance to the L1, stores that are held, and the most.
    waited: u64,
    held: u64,
    most: u64,
}

#[derive(Debug)]
struct Agent {
    place: String,
    block: Socket<EpochAgent>,
    /// What the block shows in the cycle of its next edge, and the inputs of that cycle.
    out: Out,
    inputs: In,
    /// Its inputs that are no pulses, in its last tick.
    levels: In,
    /// The cycle whose inputs these are.
    begun: Cycle,
    cache: Cache,
    misses: u32,
    hit_latency: Cycle,
    /// All bytes of a line.
    line: u128,
    bands: u32,
    slots: Slots,
    /// By tag, of loads that the block holds, and of stores.
    requests: Vec<Handle<Message>>,
    /// Tag of the store in a slot.
    stores: Vec<u8>,
    /// When it was accepted.
    since: Vec<Cycle>,
    becomes: Vec<Becomes>,
    /// Loads that wait for an answer.
    fetched: u32,
    /// The load that the block shows cannot be fetched before one of them has come.
    is_stalled: bool,
    /// Acknowledgements that came together with another one.
    acks: VecDeque<Handle<Message>>,
    /// The last cycle was a sweep's.
    has_swept: bool,
    from_manager: WireId,
    to_manager: WireId,
    /// What the manager shows, as it stands on the wire and unpacked; what it is shown.
    heard: Option<Packed>,
    seen: Down,
    shown: Up,
    counters: Counters,
}

impl Agent {
    /// The cycle begins, at the first call in it.
    fn begin(&mut self, port: &mut Port) {
        let now = port.ctx.now;
        if self.begun == now {
            return;
        }
        self.begun = now;
        let Down { prep, chg, chg_info, .. } = self.seen;
        let sweep_done = self.inputs.sweep_done;
        self.inputs = In { prep, chg, chg_info, sweep_done, ..In::default() };
        let passed = now.saturating_sub(self.block.cycle());
        if passed > 0 {
            // They were the sweep's, if they are owned.
            self.has_swept = self.out.sweep && self.cache.unswept() > 0;
            if self.out.sweep {
                self.sweep(passed);
            }
            if self.block.catch_up(now, &self.inputs) {
                self.out = self.block.outputs();
            }
        }
        if self.out.cer_upd {
            self.begin_epoch(self.out.cer);
        }
        if let Some(ack) = self.acks.pop_front() {
            self.acknowledge(port, ack);
        }
    }

    fn begin_epoch(&mut self, epoch: Epoch) {
        self.cache.begin(epoch);
        self.is_stalled = false;
        for becomes in &mut self.becomes {
            if let Becomes::Line(way) = *becomes
                && self.cache.demote(way)
            {
                *becomes = Becomes::Value;
            }
        }
    }

    /// A store has reached the L2: one in a cycle.
    fn acknowledge(&mut self, port: &mut Port, answer: Handle<Message>) {
        let tag = port.ctx.messages[answer].tag as usize;
        let Becomes::Ack(slot) = std::mem::replace(&mut self.becomes[tag], Becomes::Nothing) else {
            unreachable!("the answer of a store")
        };
        self.slots.give(slot);
        self.inputs.wa_valid = true;
        port.finish_with(answer);
    }

    /// This many cycles are the sweep's, or as many as there are sets left.
    fn sweep(&mut self, cycles: Cycle) {
        let sets = self.cache.unswept().min(cycles);
        self.cache.sweep(sets);
        self.counters.sweep += sets;
    }

    /// A cycle is over. `drained`: in a drain.
    fn count_drain(&mut self, now: Cycle, drained: bool) {
        let c = &mut self.counters;
        match (drained, self.out.sweep) {
            (false, true) => c.drains_since = now,
            (true, false) => c.drain += now - c.drains_since,
            _ => {}
        }
    }

    /// The block's edge. It is left alone while nothing comes and it has nothing to do, but in a
    /// sweep, whose cycles are counted by its clock.
    fn tick_block(&mut self, port: &mut Port) {
        let In { prep, chg, chg_info, sweep_done, .. } = self.inputs;
        let levels = In { prep, chg, chg_info, sweep_done, ..In::default() };
        let stays = self.inputs == levels && levels == self.levels;
        if stays && !self.out.sweep && self.block.is_idle() {
            return;
        }
        self.levels = levels;
        self.block.tick(&self.inputs);
        let drained = self.out.sweep;
        self.out = self.block.outputs();
        self.count_drain(port.ctx.now, drained);
        if let Some(code) = self.out.err {
            let problem = format!("{}/{}: error {code}", self.place, EpochAgent::NAME);
            port.ctx.stop.get_or_insert(Stop::Block(problem));
        }
        let Out { ready, done, req, .. } = self.out;
        let up = Up { ready, done, req_valid: req.is_some(), req: req.unwrap_or_default() };
        if up != self.shown {
            self.shown = up;
            port.ctx.show(self.to_manager, Packed::new(&up, ()));
        }
    }

    /// The load that the block shows looks for its line. False when it must wait.
    fn load(&mut self, port: &mut Port, tag: u8, nocache: bool) -> bool {
        let request = self.requests[usize::from(tag)];
        let addr = port.ctx.messages[request].addr;
        let found = self.cache.load(addr, nocache);
        let is_full = match found {
            Found::Full => true,
            Found::Room(_) | Found::Uncached => self.fetched == self.misses,
            Found::Hit(_) => false,
        };
        if is_full {
            self.is_stalled = true;
            return false;
        }
        match found {
            Found::Hit(way) => {
                port.finish(request, Some(self.cache.data(way)), self.hit_latency);
                self.cache.counters.hits += 1;
            }
            Found::Room(_) => port.ctx.messages[request].mask = self.line,
            Found::Uncached | Found::Full => {}
        }
        if !matches!(found, Found::Hit(_)) {
            if !port.send(request) {
                port.ctx.messages[request].mask = port.transactions[tag.into()].mask;
                return false;
            }
            self.fetched += 1;
        }
        self.becomes[usize::from(tag)] = match found {
            Found::Room(way) => {
                self.cache.fetch(way, addr, tag.into());
                Becomes::Line(way)
            }
            Found::Uncached => {
                self.cache.counters.uncached += 1;
                Becomes::Value
            }
            _ => Becomes::Nothing,
        };
        self.cache.counters.loads += 1;
        true
    }

    /// The store that the block shows drops its line here and goes below. False when it must wait.
    fn store(&mut self, port: &mut Port, slot: u8) -> bool {
        let request = self.requests[usize::from(self.stores[usize::from(slot)])];
        self.cache.store(port.ctx.messages[request].addr);
        let is_sent = port.send(request);
        if is_sent {
            let c = &mut self.counters;
            c.waited += port.ctx.now - self.since[usize::from(slot)];
            c.held -= 1;
        }
        is_sent
    }
}

impl L1 for Agent {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.begin(port);
        let Message { kind, tag, addr, .. } = port.ctx.messages[request];
        let (id, addr) = (tag as u8, addr as u32);
        if kind == Kind::Read {
            if !self.out.ld_ready {
                return false;
            }
            self.inputs.ld = Some(Load { id, addr });
        } else {
            let Some(slot) = self.slots.take() else { return false };
            self.inputs.st = Some(Store { slot, addr });
            self.stores[usize::from(slot)] = id;
            self.becomes[tag as usize] = Becomes::Ack(slot);
            self.since[usize::from(slot)] = port.ctx.now;
            let c = &mut self.counters;
            c.stores += 1;
            c.held += 1;
            c.most = c.most.max(c.held);
        }
        self.requests[tag as usize] = request;
        true
    }

    fn may_request(&self, kind: InstrKind) -> bool {
        // An acknowledgement that is kept gives its slot when the cycle begins.
        match kind {
            InstrKind::Load => self.out.ld_ready,
            _ => self.slots.any_free() || !self.acks.is_empty(),
        }
    }

    fn answer(&mut self, port: &mut Port, answer: Handle<Message>) {
        self.begin(port);
        let Message { tag, line, .. } = port.ctx.messages[answer];
        match self.becomes[tag as usize] {
            Becomes::Ack(_) if self.inputs.wa_valid => return self.acks.push_back(answer),
            Becomes::Ack(_) => return self.acknowledge(port, answer),
            Becomes::Line(way) => self.cache.fill(way, &port.ctx.lines[line].0),
            Becomes::Value => {}
            Becomes::Nothing => unreachable!("an answer without a waiting request"),
        }
        self.becomes[tag as usize] = Becomes::Nothing;
        self.fetched -= 1;
        self.is_stalled = false;
        port.finish_with(answer);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        self.begin(port);
        if past {
            self.cache.flash();
        }
        true
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { end_cycle: true, may_request: true, ..Callbacks::default() }
    }

    fn issue_policy(&self) -> IssuePolicy {
        let outstanding = Some(TAGS as u32);
        IssuePolicy { exclusive_lines: true, outstanding, ..IssuePolicy::default() }
    }

    fn end_cycle(&mut self, port: &mut Port) {
        self.begin(port);
        if self.block.cycle() > port.ctx.now {
            return;
        }
        let Out { st, ld, sweep, .. } = self.out;
        let down = port.ctx.see(self.from_manager);
        if self.heard != Some(down) {
            (self.heard, self.seen) = (Some(down), down.get((self.bands,)));
        }
        let Down { dmd_ack, prep, chg, chg_info } = self.seen;
        let inputs = In { dmd_ack, prep, chg, chg_info, ..self.inputs };
        self.inputs = In { sweep_done: self.cache.unswept() == 0, ..inputs };
        // At least every second cycle is the sweep's, and each in which no request may look.
        let ld = ld.filter(|_| !self.is_stalled);
        let sweeps = sweep && self.cache.unswept() > 0;
        let alone = ld.is_none() && st.is_none();
        let looks = !sweeps || self.has_swept;
        if looks {
            if let Some(load) = ld {
                self.inputs.ld_ready = self.load(port, load.id, load.nocache);
            }
            if let Some(store) = st {
                self.inputs.st_ready = self.store(port, store.slot);
            }
        }
        self.has_swept = sweeps && (alone || !self.has_swept);
        if self.has_swept {
            self.sweep(1);
        }
        self.tick_block(port);
        // What the network refuses is offered again when the network wakes the CU; in a sweep it
        // takes turns with the sweep.
        let unswept = self.cache.unswept();
        let waits = looks && !(self.out.sweep && unswept > 0);
        let st_waits = waits && st.is_some() && !self.inputs.st_ready;
        let ld_waits = waits && ld.is_some() && !self.inputs.ld_ready;
        // The CU sees in the next cycle that the store is over, the block that all is swept.
        let idle = self.acks.is_empty()
            && !self.inputs.wa_valid
            && self.inputs.sweep_done == (unswept == 0)
            && (self.out.st.is_none() || st_waits)
            && (self.out.ld.is_none() || self.is_stalled || ld_waits);
        let quiet = match self.out.sweep && unswept > 0 {
            // The last of them is seen.
            true => self.block.quiet_cycles().min(unswept - 1),
            false => self.block.quiet_cycles(),
        };
        port.ctx.wake_after(if idle { quiet } else { 0 });
    }

    fn promised_lines(&self, see: &mut dyn FnMut(u64, &[u8])) {
        self.cache.held().for_each(|(addr, data)| see(addr, data));
    }

    fn mshrs(&self) -> (u32, u32) {
        (self.fetched, self.misses)
    }

    fn waits_for(&self) -> Option<String> {
        let Out { ready, occ, sweep, .. } = self.out;
        let waits = match (self.seen.prep, ready) {
            (true, true) => "its epoch agent waits for the next epoch".to_string(),
            (true, false) if sweep => "its epoch agent drains stores, or its L1 sweeps".to_string(),
            _ if occ > 0 => format!("{occ} stores wait for their epochs"),
            _ => return None,
        };
        Some(waits)
    }

    fn counters(&self, all: &mut CounterValues) {
        let (c, own, counters) = (&self.cache.counters, &self.counters, &self.out.counters);
        all.extend([
            ("loads", c.loads),
            ("hits", c.hits),
            ("uncached_loads", c.uncached),
            ("stores", own.stores),
            ("invalidated_lazily", c.lazy),
            ("invalidated_by_sweep", c.sweep),
            ("invalidated_by_stores", c.store),
            ("invalidated_lines", c.flash),
            ("demoted_fills", c.demoted),
            ("stores_direct", counters.stores_direct.into()),
            ("stores_blocked", counters.stores_blocked.into()),
            ("scan_cycles", counters.scan_cycles.into()),
            ("drain_cycles", own.drain),
            ("sweep_cycles", own.sweep),
            ("store_wait_cycles", own.waited),
            ("stores_held_peaks", own.most),
        ]);
    }
}
