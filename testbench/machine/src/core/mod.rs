//! A compute unit: wavefronts that replay their lists, the coalescer, and the L1 beside it.

mod coalesce;
mod cycles;
mod groups;
mod issue;
mod l1_commands;
mod order;
mod probed;
mod scoreboard;
mod wave;

pub use coalesce::{Lines, coalesce};
pub use scoreboard::MAX_SCHEDULERS;

use cycles::Cycles;
use issue::Issue;
use l1_commands::Checkpoint;
use scoreboard::Pipelines;
use std::collections::VecDeque;

use ports::cpelide::types::SLOTS;
use traces::trace::InstrKind;
use wave::{Ready, Running, State, Stopped, Wave};

use crate::config::{PipelineSection, TlbSection};
use crate::context::message::{Kind, Message, Unit};
use crate::context::transactions::{BankCredits, Transaction, Transactions, Value};
use crate::context::translation::Tlb;
use crate::context::{Context, Stop};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId};
use crate::l1::{self, Callbacks, IssuePolicy, L1};

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
#[derive(Clone, Debug)]
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
    /// Issue with a scoreboard; none: with gaps.
    pub pipeline: Option<PipelineSection>,
    /// Bytes of a sector.
    pub sector: u32,
    /// Its TLB.
    pub tlb: TlbSection,
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

/// A compute unit. In this order: what each cycle looks at comes first, close together.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Core {
    ports: Ports,
    unit: Unit,
    /// The L1 sends commands, or restricts what the CU issues.
    steers: bool,
    /// The L1 may hold or send back a wave at an instruction.
    returns: bool,
    /// An order to make the L1 safe for a kernel, and whether it can be answered.
    acquiring: Option<Handle<Message>>,
    is_acquired: bool,
    /// Work-groups that have ended and whose end was not sent yet.
    ended: [u32; SLOTS],
    issue: Issue,
    ready: Ready,
    /// None: instructions between two accesses take gaps.
    pipelines: Option<Box<Pipelines>>,
    l1: Box<dyn L1>,
    callbacks: Callbacks,
    policy: IssuePolicy,
    transactions: Transactions,
    waves: Vec<Wave>,
    groups: Vec<Option<Running>>,
    pub counters: Counters,
    cycles: Cycles,
    /// Waves that stand at something.
    stopped: Stopped,
    /// Work-groups that run.
    running: u32,
    /// The first cycle in which nothing could be issued, as all waves wait for answers.
    waits_from: Option<Cycle>,
    last: Cycle,
    spec: Spec,
    /// Of each wave slot its loads that are or may become speculative, oldest first.
    checkpoints: Vec<Vec<Checkpoint>>,
    /// Instructions that wait for a request to their next line, and buffers for more. Only if lines
    /// are exclusive.
    parked: VecDeque<Issue>,
    spare: Vec<Issue>,
    /// What was written past the L1s when that was asked last.
    seen_past: u64,
}

impl Core {
    /// Idle.
    pub fn new(unit: Unit, spec: Spec, ports: Ports, l1: Box<dyn L1>) -> Self {
        let (callbacks, mut policy) = (l1.callbacks(), l1.issue_policy());
        policy.exclusive_lines |= spec.exclusive_lines;
        let outstanding = policy.outstanding.unwrap_or(u32::MAX).min(spec.transactions);
        let mut transactions = Transactions::new(outstanding, policy.exclusive_lines);
        transactions.tlb = Tlb::of(&spec.tlb).map(Box::new);
        transactions.bank_credits = policy.bank_credits.map(BankCredits::new);
        let concurrent_kernels = policy.concurrent_kernels;
        Self {
            unit,
            ports,
            l1,
            callbacks,
            policy,
            steers: callbacks != Callbacks::default()
                || policy != IssuePolicy { concurrent_kernels, ..IssuePolicy::default() }
                || ports.to_unit.is_some(),
            returns: callbacks.may_issue || callbacks.speculation,
            checkpoints: (0..spec.waves).map(|_| Vec::new()).collect(),
            transactions,
            groups: (0..spec.waves).map(|_| None).collect(),
            waves: (0..spec.waves).map(|_| Wave::default()).collect(),
            ready: Ready::new(),
            pipelines: spec.pipeline.as_ref().map(|of| Box::new(Pipelines::new(of, spec.sector))),
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
            waits_from: None,
            last: 0,
            spec,
        }
    }

    /// Who it is.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Its cycles up to `now`, which has ended: statistics and values.
    #[inline]
    pub fn cycles(&self, now: Cycle) -> [(&'static str, u64); cycles::NAMES.len()] {
        let spent = self.cycles.until(now);
        std::array::from_fn(|at| (cycles::NAMES[at], spent[at]))
    }

    /// The TLB, for its counters.
    pub fn tlb(&self) -> Option<&Tlb> {
        self.transactions.tlb.as_deref()
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
            if self.policy.bank_credits.is_some() {
                self.return_credit(ctx, answer);
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
            if self.callbacks.speculation && (value, kind) == (Value::Plain, InstrKind::Load) {
                self.end_checkpoint(wave.into(), place);
            }
            self.complete(ctx, kind, wave.into(), load.into());
        }
        if self.steers {
            self.obey_l1(ctx);
        }
        let (waits_from, has_issued) = self.step(ctx);
        self.waits_from = waits_from.filter(|_| self.running > 0);
        if self.steers {
            self.end_cycle(ctx);
        }
        self.end_count(ctx.now, has_issued);
        self.send_done(ctx);
    }

    /// Counts the cycles since the last one: nothing has changed in them.
    #[inline]
    fn count_cycles(&mut self, now: Cycle) {
        let past = now - self.last;
        self.last = now;
        self.cycles.begin(now);
        self.counters.access_cycles += past * self.transactions.in_use() as u64;
        self.counters.wait_cycles +=
            self.waits_from.map_or(0, |waits_from| now.saturating_sub(waits_from));
    }

    /// Ends the L1's cycle. Commands that the L1 sends from now on are for the next cycle.
    fn end_cycle(&mut self, ctx: &mut Context) {
        if self.callbacks.end_cycle {
            let (l1, mut port) = self.l1_and_port(ctx);
            l1.end_cycle(&mut port);
        }
        if !self.transactions.commands.is_empty() {
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
    fn return_credit(&mut self, ctx: &Context, answer: Handle<Message>) {
        let bank = ctx.serving_bank(self.unit, ctx.messages[answer].addr);
        if let Some((credits, bank)) = self.transactions.bank_credits.as_mut().zip(bank) {
            credits.give(bank);
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
                let launched = &ctx.launches[tag as usize];
                let number = launched.partition.group(sideband.get(32));
                ctx.messages.free(order);
                match ctx.program.group(launched.kernel, number) {
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
            let missing = &mut wave.loads.0[load];
            *missing -= 1;
            // A load of which lines are still to be issued is not over.
            if *missing == 0 {
                wave.in_flight -= 1;
                if self.pipelines.is_some() {
                    return self.end_load(ctx, at, load);
                }
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
        if self.callbacks.fence && self.is_delayed(ctx, at) {
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
            self.record_fence(ctx, at);
        }
        self.go_on(at, ctx.now);
    }

    /// Sends the local command processor the ends of work-groups and of an acquire.
    fn send_done(&mut self, ctx: &mut Context) {
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
            self.send_acquired(ctx);
        }
    }

    #[cold]
    fn send_acquired(&mut self, ctx: &mut Context) {
        if let Some(order) = self.acquiring.filter(|_| self.is_acquired)
            && ctx.may_send(self.ports.done)
        {
            self.acquiring = None;
            ctx.messages[order].kind = Kind::SyncDone;
            ctx.send(self.ports.done, order);
        }
    }
}
