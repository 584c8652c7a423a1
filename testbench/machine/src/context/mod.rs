//! What a component may touch while it is visited: time, its inlets and outlets, the pools, and the
//! machine's maps.

pub mod copies;
pub mod layout;
pub mod masks;
pub mod message;
pub mod pages;
pub mod places;
pub mod transactions;
pub mod translation;

use std::ops::Range;

use ports::cpelide::types::SLOTS;
use traces::trace::{self, InstrKind, Reader};

use crate::check::Checker;
use crate::check::life::Life;
use crate::check::sequential::Sequential;
use crate::check::timed::Timed;
use crate::check::values::Values;
use crate::config::policy::Policy;
use crate::context::layout::{Layout, Site};
use crate::context::message::{Class, Coherence, Kind, Line, Message, Packed, Unit};
use crate::context::places::Places;
use crate::context::transactions::Transaction;
use crate::context::translation::SharedTlb;
use crate::engine::pool::{Handle, Pool};
use crate::engine::{
    ComponentId, Cycle, InletId, Network, OutletId, Refusal, Wheel, WireId, Wires,
};
use crate::l3::memories::Memories;
use crate::launch::{Partition, Room};
use crate::run::shard::Shard;
use crate::statistics::recording::Recorder;
use crate::statistics::spans::{self, Spans};

/// Bytes of an invalidation (directory specification, section 3).
const INVALIDATION_BYTES: u32 = 16;

/// Shared state of a machine. Components are visited one at a time.
#[derive(Debug)]
pub struct Context {
    /// The current cycle.
    pub now: Cycle,
    /// Who is visited.
    pub me: ComponentId,
    /// Who is active when.
    pub wheel: Wheel,
    /// All inlets and outlets.
    pub network: Network,
    /// All wires of designs.
    pub wires: Wires<Packed>,
    /// All messages that are anywhere.
    pub messages: Pool<Message>,
    /// All payloads that are anywhere.
    pub lines: Pool<Line>,
    /// Which unit is where.
    pub layout: Layout,
    /// Where each page lies.
    pub places: Places,
    /// Of each chiplet the TLB that its CUs share; none where translation takes no time.
    pub tlbs: Vec<SharedTlb>,
    /// What the memory channels hold. The page's home says whose it is; a page may be written by
    /// the host before it has one.
    pub memory: Memories,
    /// What memory must show.
    pub check: Checker,
    /// Whether the order of accesses is one that sequential consistency allows, where that is
    /// asked for.
    pub sequential: Option<Box<Sequential>>,
    /// Whether times explain what loads have seen, where L1s say them.
    pub timed: Option<Box<Timed>>,
    /// What loads and atomics find, if it is recorded.
    pub values: Option<Box<Values>>,
    /// The byte that is watched, if any.
    pub life: Life,
    /// The program that runs.
    pub program: Reader,
    /// Whose lines an L2 holds, and with it which L2 serves a CU.
    pub policy: Policy,
    /// Private memory.
    pub private: Vec<Range<u64>>,
    /// Kernels that run, by the numbers of their launches.
    pub launches: [Launched; SLOTS],
    /// Counts what was written or dropped that no L1 has seen: by the host, by other GPUs, and
    /// lines that L2s have dropped.
    pub written_past: u64,
    /// What is recorded of accesses, for reports and timelines.
    pub recorder: Option<Box<Recorder>>,
    /// Completion signals written of each launch.
    pub completions: [u32; SLOTS],
    /// What ended the run early.
    pub stop: Option<Stop>,
    /// What this thread has of the machine, where several run it.
    pub shard: Option<Box<Shard>>,
    /// Every message that was sent: where, to whom, class and bytes.
    #[cfg(test)]
    pub sent: Vec<(OutletId, Unit, Class, u32)>,
}

/// A kernel that runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Launched {
    /// Number of the kernel.
    pub kernel: u32,
    /// Work-items of a work-group, and what it takes of a CU.
    pub items: u32,
    pub room: Room,
    /// Work-groups of a row of its grid.
    pub row: u32,
    /// Shares of its work-groups.
    pub partition: Partition,
}

/// Why a run cannot go on.
#[derive(Debug)]
pub enum Stop {
    /// The trace cannot be read.
    Trace(trace::Error),
    /// Something of the system is too small for the program.
    Limit(String),
    /// The firmware of a command processor has halted.
    Firmware(String),
    /// It traps, or reaches for what is in no memory.
    Trap(String),
    /// It executes without an end.
    Endless(String),
    /// A block of a design reports an error.
    Block(String),
    /// It has decided otherwise than the reference of the chiplet coherence table.
    Decision(String),
}

impl Context {
    /// Visits the current component again in cycle `at`.
    #[inline]
    pub fn wake_at(&mut self, at: Cycle) {
        self.wheel.wake(self.me, at);
    }

    /// Visits the current component again when so many cycles from the next on have passed;
    /// `u64::MAX`: not for this.
    #[inline]
    pub fn wake_after(&mut self, quiet: Cycle) {
        if quiet != Cycle::MAX {
            self.wake_at(self.now + 1 + quiet);
        }
    }

    /// Whether an inlet shows a message now.
    #[inline]
    pub fn has(&self, inlet: InletId) -> bool {
        self.network.has(inlet, self.now)
    }

    /// The oldest message of an inlet that is visible now.
    #[inline]
    pub fn peek(&self, inlet: InletId) -> Option<Handle<Message>> {
        self.network.peek(inlet, self.now)
    }

    /// Takes the oldest message of an inlet if it is visible now.
    #[inline]
    pub fn receive(&mut self, inlet: InletId) -> Option<Handle<Message>> {
        if self.has(inlet) { Some(self.take(inlet)) } else { None }
    }

    /// Takes the oldest message of an inlet, which must be visible. The component will be visited
    /// when the next one is; who leaves a visible one there must ask for another visit.
    #[inline(never)]
    pub fn take(&mut self, inlet: InletId) -> Handle<Message> {
        self.network.take(&mut self.wheel, inlet, self.now)
    }

    /// True when a message may be sent now. Else the current component will be visited when that
    /// may have changed.
    #[inline(always)]
    pub fn may_send(&mut self, outlet: OutletId) -> bool {
        match self.network.refusal(outlet, self.now) {
            None => true,
            Some(refusal) => self.may_send_with_credits(outlet, refusal),
        }
    }

    /// Whether a refused message may be sent, once it is known what other shards have taken.
    #[inline(never)]
    fn may_send_with_credits(&mut self, outlet: OutletId, refusal: Refusal) -> bool {
        let mut refusal = Some(refusal);
        if refusal == Some(Refusal::Full) && self.network.is_afar(outlet) {
            self.await_credits(self.now);
            refusal = self.network.refusal(outlet, self.now);
        }
        match refusal {
            None => return true,
            Some(Refusal::Full) => self.network.wait(&mut self.wheel, outlet, self.now),
            Some(Refusal::Busy(until)) => self.wake_at(until),
        }
        false
    }

    /// Sends a message; `may_send` must have said yes in this cycle. Apart, as most are sent so.
    #[inline(never)]
    pub fn send(&mut self, outlet: OutletId, message: Handle<Message>) {
        self.see_and_put(outlet, message, 0);
    }

    /// Sends a message that takes `extra` cycles longer than the way's latency, or less long: then
    /// it overtakes those that do not.
    #[inline(never)]
    pub fn send_after(&mut self, outlet: OutletId, message: Handle<Message>, extra: i32) {
        self.see_and_put(outlet, message, extra);
    }

    #[inline(always)]
    fn see_and_put(&mut self, outlet: OutletId, message: Handle<Message>, extra: i32) {
        if self.life.is_about(self.messages[message].addr) {
            self.record(message);
        }
        self.put(outlet, message, extra);
    }

    #[cold]
    fn record(&mut self, message: Handle<Message>) {
        let m = &self.messages[message];
        let line = if m.line.is_some() { Some(&self.lines[m.line]) } else { None };
        self.life.see(self.now, m, line);
    }

    /// Passes a message on, `extra` cycles later than the way's latency.
    #[inline(never)]
    pub fn forward(&mut self, outlet: OutletId, message: Handle<Message>, extra: u32) {
        self.put(outlet, message, extra as i32);
    }

    /// A message of `bytes` bytes beyond the header leaves whose receiver finds it in a queue that
    /// it shares with the sender; `may_send` must have said yes. Gives when the receiver sees it.
    #[inline]
    pub fn depart(&mut self, outlet: OutletId, class: Class, bytes: u32) -> Cycle {
        let sector = self.layout.sector_log;
        let bytes = self.layout.header_bytes + (bytes.div_ceil(1 << sector) << sector);
        #[cfg(test)]
        self.sent.push((outlet, Unit::default(), class, bytes));
        self.network.depart(outlet, self.now, (class, bytes))
    }

    /// Shows a value on a wire from the next cycle on.
    pub fn show(&mut self, wire: WireId, value: Packed) {
        self.wires.set(&mut self.wheel, wire, self.now, value);
    }

    /// What a wire shows now.
    pub fn see(&mut self, wire: WireId) -> Packed {
        self.wires.get(wire, self.now)
    }

    /// Bytes that a message takes on its way.
    pub fn bytes_of(&self, message: Handle<Message>) -> u32 {
        self.size_of(&self.messages[message]).1
    }

    #[inline(always)]
    fn put(&mut self, outlet: OutletId, message: Handle<Message>, extra: i32) {
        let m = &self.messages[message];
        let (to, size) = (m.to, self.size_of(m));
        if let Some(recorder) = &mut self.recorder {
            recorder.loads.sent(self.now, m, &self.layout);
        }
        #[cfg(test)]
        self.sent.push((outlet, to, size.0, size.1));
        let what = (message, to);
        let passage = self.network.send(&mut self.wheel, outlet, self.now, what, size, extra);
        if let Some(passage) = passage {
            self.send_to_shard(passage);
        } else if self.recorder.is_some() {
            self.record_sent(outlet, what, size.1, extra < 0);
        }
    }

    /// What carries a sampled request on was sent; or a request that may be sampled.
    #[cold]
    fn record_sent(
        &mut self,
        outlet: OutletId,
        (message, to): (Handle<Message>, Unit),
        bytes: u32,
        is_early: bool,
    ) {
        let Some(spans) = self.recorder.as_mut().and_then(|recorder| recorder.spans.as_mut())
        else {
            return;
        };
        let visible = self.network.visible(outlet, to, bytes, is_early);
        let m = &mut self.messages[message];
        if m.sample == 0 && spans::is_request(m, &self.layout, self.me) {
            m.sample = spans.paths.choose(self.now, m);
        }
        if m.sample != 0 {
            spans.paths.sent(self.now, m.sample, (outlet, to), visible);
        }
    }

    /// The component of this visit puts a request into a miss register.
    #[cold]
    pub fn record_parked(&mut self, request: Handle<Message>) {
        let sample = self.messages[request].sample;
        let now = self.now;
        if let Some(spans) = self.spans()
            && sample != 0
        {
            spans.paths.parked(now, sample);
        }
    }

    /// What is recorded for a timeline, if anything is.
    pub fn spans(&mut self) -> Option<&mut Spans> {
        self.recorder.as_mut()?.spans.as_mut()
    }

    /// Accounting class and bytes of a message: a header, with what the L1 design adds to it, and
    /// for data the sectors that it touches.
    #[inline(always)]
    fn size_of(&self, message: &Message) -> (Class, u32) {
        let header = self.layout.header_bytes + u32::from(message.said);
        let sector = self.layout.sector_log;
        let (class, has_data) = match message.kind {
            Kind::Read => (Class::Request, false),
            Kind::Write => (Class::Write, true),
            Kind::Atomic(_) => (Class::Request, true),
            Kind::Data => (Class::Data, true),
            Kind::Ack => (Class::Acknowledgement, false),
            Kind::Coherence(Coherence::Invalidate(_)) => {
                return (Class::Invalidation, INVALIDATION_BYTES);
            }
            Kind::Coherence(Coherence::Marked(_) | Coherence::Fenced) => {
                (Class::Acknowledgement, false)
            }
            Kind::Coherence(_) => (Class::Invalidation, false),
            Kind::Design(class) => (class, true),
            _ => (Class::Launch, false),
        };
        let data = if has_data { masks::sectors(message.mask, sector) << sector } else { 0 };
        (class, header + data)
    }

    /// Who serves the requests of a unit for a line: an L2 bank, or the way to another GPU.
    #[inline(always)]
    pub fn server(&self, from: Unit, addr: u64) -> Unit {
        let own = self.layout.chiplet_of(from);
        let bank = self.layout.bank_of(addr);
        let at_home = self.policy == Policy::HomeForward;
        if self.policy == Policy::Coherent || (self.layout.gpus == 1 && !at_home) {
            return self.layout.bank(own, bank);
        }
        let gpu = self.layout.gpu_of(own);
        let home = self.places.near(gpu, addr);
        if self.layout.gpu_of(home) != gpu {
            return self.layout.gate(gpu);
        }
        self.layout.bank(if at_home { home } else { own }, bank)
    }

    /// The bank that does, unless another GPU serves the line.
    #[cold]
    pub fn serving_bank(&self, from: Unit, addr: u64) -> Option<Unit> {
        let is_bank = |unit: &Unit| matches!(self.layout.site(*unit), Site::Bank(..));
        Some(self.server(from, addr)).filter(is_bank)
    }

    /// True where the L1 of a unit may hold a line: its home or a copy is on the same GPU
    /// (FinePack, HPCA'23, section II: remote loads are not cached), or the L2 beside it holds it
    /// too.
    #[inline]
    pub fn is_cacheable(&self, unit: Unit, addr: u64) -> bool {
        if self.layout.gpus == 1 || self.policy == Policy::Coherent {
            return true;
        }
        let gpu = self.layout.gpu_of(self.layout.chiplet_of(unit));
        self.layout.gpu_of(self.places.near(gpu, addr)) == gpu
    }

    /// Whether an address is of private memory: of one work-item alone.
    pub fn is_private(&self, addr: u64) -> bool {
        self.private.iter().any(|bytes| bytes.contains(&addr))
    }

    /// The GPU of a chiplet's unit.
    #[inline]
    pub fn gpu_of(&self, unit: Unit) -> u16 {
        self.layout.gpu_of(self.layout.chiplet_of(unit))
    }

    /// Compares what a load or an atomic of a CU has got with what the program saw.
    #[inline(always)]
    pub fn compare(&mut self, who: Unit, t: &Transaction, data: &[u8]) {
        let expected = &self.lines[t.expected].0;
        match t.kind {
            InstrKind::Load => self.check.load(self.now, who, t, expected, data),
            _ => self.check.atomic(self.now, who, t, expected, data),
        }
        if self.values.is_some() {
            self.keep_value(who, t, data);
        }
    }

    #[cold]
    fn keep_value(&mut self, who: Unit, t: &Transaction, data: &[u8]) {
        let kernel = self.launches[usize::from(t.launch)].kernel;
        let line = &data[..self.layout.line as usize];
        if let Some(values) = &mut self.values {
            values.see(kernel, (who, t.wave), (t.place, t.addr), line);
        }
    }

    /// A payload with these bytes of a line. What lies behind them is not to be looked at.
    #[inline]
    pub fn payload(&mut self, bytes: &[u8]) -> Handle<Line> {
        let line = self.lines.place();
        masks::copy_line(&mut self.lines[line].0, bytes);
        line
    }

    /// Whether the order of accesses, or what they find, is checked.
    #[inline]
    pub fn orders(&self) -> bool {
        self.sequential.is_some() || self.timed.is_some() || self.values.is_some()
    }

    /// Gives a message and its payload back.
    #[inline]
    pub fn drop_message(&mut self, message: Handle<Message>) {
        let line = self.messages[message].line;
        if line.is_some() {
            self.lines.free(line);
        }
        self.messages.free(message);
    }
}
