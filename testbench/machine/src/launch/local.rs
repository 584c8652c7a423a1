//! A chiplet below its command processor: synchronises the L2, drops the L1s, hands work-groups to
//! CUs.

use ports::cpelide::types::SLOTS;

use super::{Grid, Room, Scheduler};
use crate::context::message::{Kind, Message, Packed, Sync, Synced, ToStart};
use crate::context::{Context, Stop};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId};
use crate::statistics::CounterValues;

/// Inlets and outlets.
#[derive(Clone, Debug)]
pub struct Ports {
    /// From the GPU's command processors.
    pub commands: InletId,
    /// To them.
    pub answers: OutletId,
    /// To each CU.
    pub to_cores: Vec<OutletId>,
    /// From each CU.
    pub from_cores: Vec<InletId>,
    /// To each L2 bank.
    pub to_banks: Vec<OutletId>,
    /// From each L2 bank.
    pub from_banks: Vec<InletId>,
}

#[derive(Clone, Copy, Debug)]
struct Syncing {
    sync: Sync,
    asked: usize,
    answered: usize,
    synced: Synced,
}

/// CUs commanded to drop their L1, and CUs that have.
#[derive(Clone, Copy, Debug, Default)]
struct Dropping {
    asked: usize,
    answered: usize,
}

/// A chiplet's dispatcher.
#[derive(Debug)]
pub struct Local {
    ports: Ports,
    /// What is free of each CU, and of one without a work-group.
    free: Vec<Room>,
    whole: Room,
    scheduler: Box<dyn Scheduler>,
    /// The scheduler knows of the kernel whose work-groups are started.
    is_begun: bool,
    /// Cycles from a kernel's arrival to its first work-group, and when they have passed.
    start_cycles: Cycle,
    starts_at: Option<Cycle>,
    syncing: Option<Syncing>,
    dropping: Option<Dropping>,
    /// Ends of work-groups that are not reported, by launch.
    ended: [u32; SLOTS],
    pub groups: u64,
}

impl Local {
    /// `whole`: what a CU has for work-groups. `start_cycles`: from a kernel's arrival to its first
    /// work-group.
    pub fn new(
        whole: Room,
        scheduler: Box<dyn Scheduler>,
        start_cycles: u32,
        ports: Ports,
    ) -> Self {
        Self {
            free: vec![whole; ports.to_cores.len()],
            whole,
            ports,
            scheduler,
            is_begun: false,
            start_cycles: start_cycles.into(),
            starts_at: None,
            syncing: None,
            dropping: None,
            ended: [0; SLOTS],
            groups: 0,
        }
    }

    /// The scheduler's counters, by name.
    pub fn scheduler_counters(&self, all: &mut CounterValues) {
        self.scheduler.counters(all);
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        self.scheduler.tick(ctx);
        self.take_answers(ctx);
        self.synchronise(ctx);
        self.drop_caches(ctx);
        while let Some(launch) = self.ended.iter().position(|&ended| ended > 0)
            && ctx.may_send(self.ports.answers)
        {
            let (kind, tag) = (Kind::GroupDone, launch as u32);
            let done = ctx.messages.put(Message { kind, tag, ..Message::default() });
            ctx.send(self.ports.answers, done);
            self.ended[launch] -= 1;
        }
        let busy = self.syncing.is_some() || self.dropping.is_some();
        if let Some(command) = ctx.peek(self.ports.commands).filter(|_| !busy)
            && self.obey(ctx, command)
        {
            ctx.take(self.ports.commands);
            ctx.messages.free(command);
            ctx.wake_at(ctx.now + 1);
        }
    }

    /// Executes its command, if it can now.
    fn obey(&mut self, ctx: &mut Context, command: Handle<Message>) -> bool {
        let Message { kind, sideband, tag, .. } = ctx.messages[command];
        match kind {
            Kind::Sync(sync) => {
                let synced = Synced::default();
                self.syncing = Some(Syncing { sync, asked: 0, answered: 0, synced });
                true
            }
            Kind::AcquireL1 => {
                self.dropping = Some(Dropping::default());
                true
            }
            Kind::StartGroup => self.start_group(ctx, sideband.get(()), tag),
            kind => unreachable!("{kind:?} is no command"),
        }
    }

    fn take_answers(&mut self, ctx: &mut Context) {
        let banks = &self.ports.from_banks;
        let answers = self.syncing.is_some() && ctx.network.any_has(banks, ctx.now);
        for &inlet in if answers { &banks[..] } else { &[] } {
            if let Some(message) = ctx.receive(inlet) {
                let syncing = self.syncing.as_mut().expect("banks answer what they were asked");
                syncing.answered += 1;
                let Synced { written, dropped } = ctx.messages[message].sideband.get(());
                syncing.synced.written += written;
                syncing.synced.dropped |= dropped;
                ctx.messages.free(message);
            }
        }
        if !ctx.network.any_has(&self.ports.from_cores, ctx.now) {
            return;
        }
        let cores = self.ports.from_cores.iter().zip(&mut self.free).enumerate();
        for (core, (&inlet, free)) in cores {
            while let Some(message) = ctx.receive(inlet) {
                let Message { kind, tag, .. } = ctx.messages[message];
                if kind == Kind::GroupDone {
                    self.ended[tag as usize] += 1;
                    free.give(&ctx.launches[tag as usize].room);
                    self.scheduler.ended(ctx, core);
                } else {
                    let dropping = self.dropping.as_mut();
                    dropping.expect("CUs answer what they were asked").answered += 1;
                }
                ctx.messages.free(message);
            }
        }
    }

    fn synchronise(&mut self, ctx: &mut Context) {
        let Some(mut syncing) = self.syncing else { return };
        while syncing.asked < self.ports.to_banks.len()
            && ctx.may_send(self.ports.to_banks[syncing.asked])
        {
            let message = Message { kind: Kind::Sync(syncing.sync), ..Message::default() };
            let message = ctx.messages.put(message);
            ctx.send(self.ports.to_banks[syncing.asked], message);
            syncing.asked += 1;
        }
        self.syncing = Some(syncing);
        if syncing.answered == self.ports.to_banks.len() && ctx.may_send(self.ports.answers) {
            self.answer(ctx, Kind::SyncDone, Packed::new(&syncing.synced, ()));
            self.syncing = None;
            ctx.wake_at(ctx.now + 1);
        }
    }

    fn drop_caches(&mut self, ctx: &mut Context) {
        let Some(mut dropping) = self.dropping else { return };
        let cores = self.ports.to_cores.len();
        while dropping.asked < cores && ctx.may_send(self.ports.to_cores[dropping.asked]) {
            let message = ctx.messages.put(Message { kind: Kind::AcquireL1, ..Message::default() });
            ctx.send(self.ports.to_cores[dropping.asked], message);
            dropping.asked += 1;
        }
        self.dropping = Some(dropping);
        if dropping.answered == cores && ctx.may_send(self.ports.answers) {
            self.answer(ctx, Kind::AcquireL1, Packed::default());
            self.dropping = None;
            ctx.wake_at(ctx.now + 1);
        }
    }

    fn answer(&self, ctx: &mut Context, kind: Kind, sideband: Packed) {
        let message = ctx.messages.put(Message { kind, sideband, ..Message::default() });
        ctx.send(self.ports.answers, message);
    }

    /// One work-group in each cycle, on the CU that the scheduler chooses.
    fn start_group(&mut self, ctx: &mut Context, to_start: ToStart, launch: u32) -> bool {
        let ToStart { group: next, more } = to_start;
        let (room, row) = (ctx.launches[launch as usize].room, ctx.launches[launch as usize].row);
        if !self.is_begun {
            let starts_at = *self.starts_at.get_or_insert(ctx.now + self.start_cycles);
            if starts_at > ctx.now {
                ctx.wake_at(starts_at);
                return false;
            }
            self.starts_at = None;
            let grid = Grid { first: next, total: more + 1, row, most: self.whole.most(&room) };
            self.scheduler.begin(ctx, &grid);
            self.is_begun = true;
        }
        let has_room = |core: usize| self.free[core].has(&room);
        let chosen = self.scheduler.choose(ctx, next, self.free.len(), &has_room);
        let Some((group, core)) = chosen else { return false };
        if !has_room(core) {
            let problem = format!(
                "work-group {group} is assigned to CU {core} of a chiplet whose \
                                   CUs are full"
            );
            ctx.stop.get_or_insert(Stop::Block(problem));
            return false;
        }
        if !ctx.may_send(self.ports.to_cores[core]) {
            return false;
        }
        let (kind, sideband) = (Kind::StartGroup, Packed::new(&group, 32));
        let message = Message { kind, sideband, tag: launch, ..Message::default() };
        let message = ctx.messages.put(message);
        ctx.send(self.ports.to_cores[core], message);
        self.free[core].take(&room);
        self.scheduler.started(ctx, group, core);
        self.is_begun = more > 0;
        self.groups += 1;
        true
    }
}
