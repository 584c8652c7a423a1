//! A compute unit: wavefronts that replay their lists, the coalescer, and the L1 beside it.

mod coalesce;
mod cycles;
mod groups;
mod order;
mod probed;
mod told;
mod wave;

pub use coalesce::{Lines, coalesce};

use coalesce::LineAccess;
use cycles::Cycles;
use std::collections::VecDeque;
use told::Checkpoint;

use ports::cpelide::types::SLOTS;
use traces::trace::{Cursor, Instr, InstrKind};
use wave::{Ready, Running, State, Stopped, Wave};

use crate::check::life::Issuer;
use crate::context::message::{Kind, Message, Unit};
use crate::context::transactions::{BankPlaces, Transaction, Transactions, Value};
use crate::context::{Context, Stop};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId};
use crate::l1::{self, Hooks, L1};

/// A CU's inlets and outlets.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    /// From the local command processor.
    pub orders: InletId,
    /// To it.
    pub done: OutletId,
    /// Requests to the network.
    pub below: OutletId,
    /// Answers from it.
    pub answers: InletId,
    /// To the GPU's unit of the L1 design, if it has one.
    pub to_unit: Option<OutletId>,
    /// From it.
    pub from_unit: Option<InletId>,
}

/// Size and speed of a CU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Wave slots.
    pub waves: u32,
    /// Lanes of a wave: 32 or 64.
    pub lanes: u32,
    /// Loads of a wave that may be under way, 1 to
    /// [`MAX_LOADS`](crate::context::transactions::MAX_LOADS).
    pub loads: u32,
    /// Lines that may be under way in all.
    pub transactions: u32,
    /// Cycles for each instruction between memory accesses.
    pub gap_cycles: u32,
    /// One request for a line under way, though the L1 design may not ask for it.
    pub exclusive_lines: bool,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub instructions: u64,
    pub accesses: u64,
    pub groups: u64,
    pub access_cycles: u64,
    pub wait_cycles: u64,
}

/// The instruction that is being cut into line requests, one in each cycle.
#[derive(Debug, Default)]
struct Issue {
    wave: usize,
    instr: Box<Instr>,
    lines: Lines,
    next: usize,
    load: u8,
    launch: u8,
    place: u32,
    /// The wave's cursor before the instruction; only where the L1 may send it back there.
    start: Cursor,
}

impl Issue {
    /// Whether somebody of this CU has its next line under way.
    fn must_wait(&self, transactions: &Transactions) -> bool {
        transactions.is_under_way(self.lines[self.next].addr)
    }
}

/// A compute unit. In this order: what each cycle looks at comes first, close together.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Core {
    ports: Ports,
    unit: Unit,
    /// The L1 tells the CU something of its own accord.
    steers: bool,
    /// The L1 may hold or send back a wave at an instruction.
    returns: bool,
    /// An order to make the L1 safe for a kernel, and whether it can be answered.
    acquiring: Option<Handle<Message>>,
    is_acquired: bool,
    /// Work-groups whose end has not been told yet.
    ended: [u32; SLOTS],
    issue: Issue,
    ready: Ready,
    l1: Box<dyn L1>,
    /// What the L1 wants to be asked.
    hooks: Hooks,
    transactions: Transactions,
    waves: Vec<Wave>,
    groups: Vec<Option<Running>>,
    pub counters: Counters,
    cycles: Cycles,
    /// Waves that stand at something.
    stopped: Stopped,
    /// Work-groups that run.
    running: u32,
    /// From when on nothing can have been issued, for want of answers; `MAX` where something can.
    waits_from: Cycle,
    last: Cycle,
    spec: Spec,
    /// Of each wave slot its loads that are or may become speculative, oldest first.
    checkpoints: Vec<Vec<Checkpoint>>,
    /// Instructions whose next line somebody of this CU has under way, and places for more. Only
    /// where lines are exclusive.
    parked: VecDeque<Issue>,
    spare: Vec<Issue>,
    /// What was written past the L1s when that was asked last.
    seen_past: u64,
}

impl Core {
    /// Idle.
    pub fn new(unit: Unit, spec: Spec, ports: Ports, l1: Box<dyn L1>) -> Self {
        let hooks = l1.hooks();
        let exclusive_lines = hooks.exclusive_lines | spec.exclusive_lines;
        let hooks = Hooks { exclusive_lines, ..hooks };
        let mut transactions = Transactions::new(
            hooks.outstanding.map_or(spec.transactions, |most| most.min(spec.transactions)),
            hooks.exclusive_lines,
        );
        transactions.places = hooks.places.map(BankPlaces::new);
        Self {
            unit,
            spec,
            ports,
            l1,
            hooks,
            steers: Hooks { overlap: false, ..hooks } != Hooks::default()
                || ports.to_unit.is_some(),
            returns: hooks.issue || hooks.speculation,
            checkpoints: (0..spec.waves).map(|_| Vec::new()).collect(),
            transactions,
            groups: (0..spec.waves).map(|_| None).collect(),
            waves: (0..spec.waves).map(|_| Wave::default()).collect(),
            ready: Ready::new(),
            issue: Issue::default(),
            parked: VecDeque::new(),
            spare: Vec::new(),
            ended: [0; SLOTS],
            acquiring: None,
            is_acquired: false,
            seen_past: 0,
            counters: Counters::default(),
            cycles: Cycles::new(),
            stopped: Stopped::default(),
            running: 0,
            waits_from: Cycle::MAX,
            last: 0,
        }
    }

    /// Who it is.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Its cycles up to `now`, which has ended: statistics and values.
    pub fn cycles(&self, now: Cycle) -> impl Iterator<Item = (&'static str, u64)> {
        cycles::NAMES.into_iter().zip(self.cycles.until(now))
    }

    /// The L1, for its counters.
    pub fn l1(&self) -> &dyn L1 {
        &*self.l1
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        self.count_cycles(ctx.now);
        if let Some(order) = ctx.receive(self.ports.orders) {
            self.obey(ctx, order);
            if ctx.has(self.ports.orders) {
                ctx.wake_at(ctx.now + 1);
            }
        }
        while let Some(answer) = ctx.receive(self.ports.answers) {
            let Message { has_passed_a_link, sample, .. } = ctx.messages[answer];
            self.cycles.answer(has_passed_a_link);
            if sample != 0 {
                self.record_answer(ctx, sample);
            }
            if self.hooks.places.is_some() {
                self.give_place(ctx, answer);
            }
            let (l1, mut port) = self.l1_and_port(ctx);
            l1.answer(&mut port, answer);
        }
        while let Some(at) = self.transactions.take_due(ctx.now) {
            let Transaction { kind, wave, load, value, place, .. } = self.transactions[at];
            if value == Value::Dropped {
                self.forget(ctx, wave.into());
                continue;
            }
            if self.hooks.speculation && (value, kind) == (Value::Plain, InstrKind::Load) {
                self.end_checkpoint(wave.into(), place);
            }
            self.complete(ctx, kind, wave.into(), load.into());
        }
        if self.steers {
            self.hear_l1(ctx);
        }
        let (waits_from, has_issued) = self.step(ctx);
        self.waits_from = if self.running > 0 { waits_from } else { Cycle::MAX };
        if self.steers {
            self.end_cycle(ctx);
        }
        self.end_count(ctx.now, has_issued);
        self.tell(ctx);
    }

    /// Counts the cycles since the last one: nothing has changed in them.
    #[inline]
    fn count_cycles(&mut self, now: Cycle) {
        let past = now - self.last;
        self.last = now;
        self.cycles.begin(now);
        self.counters.access_cycles += past * self.transactions.in_use() as u64;
        self.counters.wait_cycles += now.saturating_sub(self.waits_from);
    }

    /// The L1 sees that the cycle is over; what it has told since is for the next one.
    fn end_cycle(&mut self, ctx: &mut Context) {
        if self.hooks.end_cycle {
            let (l1, mut port) = self.l1_and_port(ctx);
            l1.end_cycle(&mut port);
        }
        if !self.transactions.told.is_empty() {
            ctx.wake_at(ctx.now + 1);
        }
    }

    /// A sampled request is answered.
    #[cold]
    fn record_answer(&self, ctx: &mut Context, sample: u16) {
        let now = ctx.now;
        if let Some(spans) = ctx.spans() {
            spans.paths.ended(now, sample);
        }
    }

    /// A request that is answered has left its bank.
    #[cold]
    fn give_place(&mut self, ctx: &Context, answer: Handle<Message>) {
        let bank = ctx.serving_bank(self.unit, ctx.messages[answer].addr);
        if let Some((places, bank)) = self.transactions.places.as_mut().zip(bank) {
            places.give(bank);
        }
    }

    fn l1_and_port<'a>(&'a mut self, ctx: &'a mut Context) -> (&'a mut dyn L1, l1::Port<'a>) {
        let (below, unit) = (self.ports.below, self.ports.to_unit);
        (&mut *self.l1, l1::Port { ctx, below, unit, transactions: &mut self.transactions })
    }

    fn obey(&mut self, ctx: &mut Context, order: Handle<Message>) {
        let Message { kind, sideband, tag, .. } = ctx.messages[order];
        match kind {
            Kind::StartGroup => {
                let number: u32 = sideband.get(32);
                ctx.messages.free(order);
                match ctx.program.group(ctx.launches[tag as usize].kernel, number) {
                    Ok(group) => self.start(ctx, group, number, tag as u8),
                    Err(error) => ctx.stop = Some(Stop::Trace(error)),
                }
            }
            Kind::AcquireL1 => self.acquire(ctx, order),
            kind => unreachable!("{kind:?} is no order"),
        }
    }

    /// A kernel begins.
    #[cold]
    fn acquire(&mut self, ctx: &mut Context, order: Handle<Message>) {
        let past = self.seen_past != ctx.written_past;
        self.seen_past = ctx.written_past;
        let (l1, mut port) = self.l1_and_port(ctx);
        self.is_acquired = l1.acquire(&mut port, past);
        self.acquiring = Some(order);
    }

    /// An access is over.
    fn complete(&mut self, ctx: &mut Context, kind: InstrKind, at: usize, load: usize) {
        let wave = &mut self.waves[at];
        if kind == InstrKind::Store {
            wave.stores -= 1;
        } else {
            let missing = &mut wave.loads[load];
            *missing -= 1;
            // A load of which lines are still to be issued is not over.
            if *missing == 0 {
                wave.in_flight -= 1;
                if wave.state == State::Loads {
                    return self.go_on(at, ctx.now);
                }
            }
        }
        if matches!(wave.state, State::Fence | State::Ended) && wave.is_quiet() {
            self.settle(ctx, at);
        }
    }

    /// A wave at a fence or at its end passes it once nothing is under way.
    fn settle(&mut self, ctx: &mut Context, at: usize) {
        let wave = &self.waves[at];
        let is_fence = match wave.state {
            State::Fence => true,
            State::Ended => false,
            _ => return,
        };
        if !wave.is_quiet() || self.transactions.unconfirmed(at) > 0 {
            return;
        }
        if self.hooks.fence && self.is_delayed(ctx, at) {
            let held = if is_fence { State::FenceHeld } else { State::EndHeld };
            self.stopped.change(&mut self.waves[at], held);
        } else if is_fence {
            self.pass_fence(ctx, at);
        } else {
            self.end_wave(ctx, at);
        }
    }

    /// A wave passes a fence.
    fn pass_fence(&mut self, ctx: &mut Context, at: usize) {
        if ctx.orders() {
            self.tell_fence(ctx, at);
        }
        self.go_on(at, ctx.now);
    }

    /// Issues: the next line of the instruction in hand, else the next instruction. Gives the cycle
    /// from which on nothing is issued until an answer comes, `MAX` where something may be, and
    /// whether a line was issued.
    fn step(&mut self, ctx: &mut Context) -> (Cycle, bool) {
        let mut issued = false;
        if self.steers && self.hooks.exclusive_lines {
            self.choose(ctx);
        } else if self.issue.next == self.issue.lines.len() && self.ready.is_due(ctx.now) {
            self.fetch(ctx);
        }
        if self.issue.next < self.issue.lines.len() && !self.transactions.is_full() {
            if !self.issue_line(ctx) {
                return (ctx.now, false);
            }
            issued = true;
            if self.issue.next == self.issue.lines.len() {
                self.end_issue(ctx.now);
            }
        }
        let more = match self.issue.next < self.issue.lines.len() {
            true if self.transactions.is_full() => {
                return (ctx.now + Cycle::from(issued), issued);
            }
            true => ctx.now + 1,
            false if self.steers && self.next_parked().is_some() => ctx.now + 1,
            false => self.ready.next(),
        };
        if more != Cycle::MAX {
            ctx.wake_at(more.max(ctx.now + 1));
        }
        let waits_from =
            if more == Cycle::MAX { ctx.now + Cycle::from(issued) } else { Cycle::MAX };
        (waits_from, issued)
    }

    /// Has in hand an instruction whose next line nobody of this CU has under way, if there is one:
    /// the others wait beside it, oldest first. One in hand stays there while nothing can be
    /// issued.
    fn choose(&mut self, ctx: &mut Context) {
        if self.issue.next < self.issue.lines.len() && self.transactions.is_full() {
            return;
        }
        if let Some(at) = self.next_parked() {
            if self.issue.next == self.issue.lines.len() {
                let next = self.parked.remove(at).expect("it is there");
                self.spare.push(std::mem::replace(&mut self.issue, next));
            }
        } else if self.issue.next == self.issue.lines.len() {
            self.fetch(ctx);
        }
        while self.issue.next < self.issue.lines.len() && self.issue.must_wait(&self.transactions) {
            let next = self.spare.pop().unwrap_or_default();
            self.parked.push_back(std::mem::replace(&mut self.issue, next));
            self.fetch(ctx);
        }
    }

    /// The oldest instruction beside the one in hand whose next line nobody has under way.
    fn next_parked(&self) -> Option<usize> {
        if self.parked.is_empty() {
            return None;
        }
        self.parked.iter().position(|issue| !issue.must_wait(&self.transactions))
    }

    /// Takes the next instruction of the next wave that may issue.
    fn fetch(&mut self, ctx: &mut Context) {
        while let Some(at) = self.ready.take(ctx.now) {
            let wave = &mut self.waves[at];
            let slot = usize::from(wave.group);
            let running = self.groups[slot].as_mut().expect("a wave's group runs");
            self.issue.launch = running.launch;
            if self.returns {
                self.issue.start.clone_from(&wave.cursor);
            }
            match wave.cursor.next(&running.group, &mut self.issue.instr) {
                Ok(true) => {}
                Ok(false) => {
                    self.stopped.change(wave, State::Ended);
                    self.settle(ctx, at);
                    continue;
                }
                Err(error) => {
                    ctx.stop = Some(Stop::Trace(error));
                    return;
                }
            }
            if self.returns && !wave.stay.is_empty() && self.is_passed(ctx.now, at) {
                continue;
            }
            let wave = &mut self.waves[at];
            match self.issue.instr.kind {
                InstrKind::Barrier => {
                    if self.returns && self.is_held(ctx, at) {
                        continue;
                    }
                    self.stopped.change(&mut self.waves[at], State::Barrier);
                    self.groups[slot].as_mut().expect("it runs").at_barrier += 1;
                    self.meet(ctx, slot);
                }
                InstrKind::Fence => {
                    self.stopped.change(wave, State::Fence);
                    self.settle(ctx, at);
                }
                _ => {
                    self.issue.instr.lanes &= wave.lanes;
                    if self.issue.instr.lanes == 0 {
                        self.go_on(at, ctx.now);
                    } else if !self.returns || !self.is_held(ctx, at) {
                        self.begin_issue(ctx, at);
                        return;
                    }
                }
            }
        }
    }

    /// The wave's next instruction may issue after its gap.
    fn go_on(&mut self, at: usize, now: Cycle) {
        let wave = &mut self.waves[at];
        self.stopped.change(wave, State::Ready);
        let running = self.groups[usize::from(wave.group)].as_ref().expect("a wave's group runs");
        let gap = Cycle::from(wave.cursor.gap(&running.group)) * Cycle::from(self.spec.gap_cycles);
        self.ready.set(at, now + gap);
    }

    fn begin_issue(&mut self, ctx: &mut Context, at: usize) {
        let issue = &mut self.issue;
        coalesce(&issue.instr, ctx.layout.line.into(), &mut issue.lines);
        (issue.wave, issue.next) = (at, 0);
        self.counters.instructions += 1;
        self.counters.accesses += issue.lines.len() as u64;
        let wave = &mut self.waves[at];
        self.stopped.change(wave, State::Issuing);
        issue.place = wave.cursor.index() - 1;
        if issue.instr.kind == InstrKind::Store {
            wave.stores += issue.lines.len() as u32;
        } else {
            let load = wave.free_load();
            wave.loads[load] = issue.lines.len() as u16;
            wave.in_flight += 1;
            issue.load = load as u8;
        }
        if issue.place < wave.issued {
            // It is issued again, and was counted the first time.
            return;
        }
        let (lanes, racy) = (issue.instr.lanes, issue.instr.racy & issue.instr.lanes);
        let checked = &mut ctx.check.checked;
        match issue.instr.kind {
            InstrKind::Load => {
                checked.loads += u64::from(lanes.count_ones());
                checked.racy += u64::from(racy.count_ones());
                checked.determined += u64::from((lanes & !racy).count_ones());
            }
            InstrKind::Atomic(_) => checked.atomics += u64::from(lanes.count_ones()),
            _ => {}
        }
    }

    /// Hands one line to the L1. False when it does not take it now.
    fn issue_line(&mut self, ctx: &mut Context) -> bool {
        if self.hooks.refuses && !self.l1.may_request(self.issue.instr.kind) {
            return false;
        }
        let Issue { instr, lines, next, wave, load, launch, place, .. } = &self.issue;
        let LineAccess { addr, mask, racy, ref bytes, ref olds } = lines[*next];
        let length = ctx.layout.line as usize;
        let (bytes, olds) = (&bytes[..length], &olds[..length]);
        let (kind, expected, line) = match instr.kind {
            InstrKind::Load => (Kind::Read, ctx.payload(bytes), Handle::NONE),
            InstrKind::Store => (Kind::Write, Handle::NONE, ctx.payload(bytes)),
            InstrKind::Atomic(op) => (Kind::Atomic(op), ctx.payload(olds), ctx.payload(bytes)),
            kind => unreachable!("{kind:?} has no lines"),
        };
        let (kind_of_access, wave, load, place) = (instr.kind, *wave as u16, *load, *place);
        let transaction = Transaction {
            mask,
            racy,
            addr,
            expected,
            kind: kind_of_access,
            wave,
            load,
            launch: *launch,
            place,
            ..Transaction::default()
        };
        let tag = self.transactions.start(transaction);
        let (born, from, size) = (ctx.now as u32, self.unit, instr.size);
        let rest = Message::default();
        let message = Message { mask, addr, born, line, tag, from, kind, size, ..rest };
        let request = ctx.messages.put(message);
        if ctx.sequential.is_some() {
            self.tell_issue(ctx, tag);
        }
        let (l1, mut port) = self.l1_and_port(ctx);
        if !l1.request(&mut port, request) {
            if ctx.sequential.is_some() {
                self.tell_cancel(ctx, tag);
            }
            ctx.drop_message(request);
            self.transactions.cancel(tag);
            if expected.is_some() {
                ctx.lines.free(expected);
            }
            return false;
        }
        if self.hooks.speculation && kind_of_access == InstrKind::Load {
            self.keep_checkpoint(tag);
        }
        // The oracle's memory changes in the order of issue, which is each work-item's program
        // order.
        if ctx.life.is_about(addr) {
            self.tell_life(ctx, mask);
        }
        let LineAccess { ref bytes, .. } = self.issue.lines[self.issue.next];
        match self.issue.instr.kind {
            InstrKind::Store => ctx.change_memory((addr, mask), None, bytes),
            InstrKind::Atomic(op) => ctx.change_memory((addr, mask), Some((op, size)), bytes),
            _ => {}
        }
        self.issue.next += 1;
        true
    }

    /// Somebody watches a byte of the line that was issued.
    #[cold]
    fn tell_life(&self, ctx: &mut Context, mask: u128) {
        let wave = self.issue.wave;
        let running = self.groups[usize::from(self.waves[wave].group)].as_ref();
        let (kernel, group) = running.map_or((0, 0), |r| (r.group.kernel(), r.group.group()));
        let issuer = Issuer { unit: self.unit, wave: wave as u16, kernel, group };
        let is_load = self.issue.instr.kind == InstrKind::Load;
        let bytes = &self.issue.lines[self.issue.next].bytes;
        ctx.life.see_issue(ctx.now, issuer, mask, (!is_load).then_some(bytes));
    }

    fn end_issue(&mut self, now: Cycle) {
        let at = self.issue.wave;
        let wave = &mut self.waves[at];
        if u32::from(wave.in_flight) >= self.spec.loads {
            self.stopped.change(wave, State::Loads);
        } else {
            self.go_on(at, now + 1);
        }
    }

    /// Tells the local command processor what is over.
    fn tell(&mut self, ctx: &mut Context) {
        while let Some(launch) = self.ended.iter().position(|&ended| ended > 0)
            && ctx.may_send(self.ports.done)
        {
            self.ended[launch] -= 1;
            let (kind, tag, from) = (Kind::GroupDone, launch as u32, self.unit);
            let done = Message { kind, tag, from, ..Message::default() };
            let done = ctx.messages.put(done);
            ctx.send(self.ports.done, done);
        }
        if self.acquiring.is_some() {
            self.tell_acquired(ctx);
        }
    }

    #[cold]
    fn tell_acquired(&mut self, ctx: &mut Context) {
        if let Some(order) = self.acquiring.filter(|_| self.is_acquired)
            && ctx.may_send(self.ports.done)
        {
            self.acquiring = None;
            ctx.messages[order].kind = Kind::SyncDone;
            ctx.send(self.ports.done, order);
        }
    }
}
