//! The command processor of a chiplet: synchronises its L2, drops its L1s, hands work-groups to its CUs.

use super::Control;
use crate::machine::context::Context;
use crate::machine::engine::{Handle, InletId, OutletId};
use crate::machine::message::{Kind, Message, Sync};

/// Inlets and outlets.
#[derive(Clone, Debug)]
pub struct Ports {
    /// From the global command processor.
    pub commands: InletId,
    /// To it.
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
    lines: u32,
    tag: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct Launch {
    tag: u8,
    kernel: u32,
    next: u32,
    end: u32,
    running: u32,
    /// CUs told to drop their L1, and CUs that have.
    acquire_asked: usize,
    acquired: usize,
    enabled: bool,
}

/// A chiplet's command processor.
#[derive(Debug)]
pub struct Local {
    chiplet: u16,
    ports: Ports,
    /// Free wave slots of each CU.
    free: Vec<u32>,
    turn: usize,
    syncing: Option<Syncing>,
    launch: Option<Launch>,
    pub groups: u64,
}

impl Local {
    /// `chiplet` within its GPU; each CU has `waves` wave slots.
    pub fn new(chiplet: u16, waves: u32, ports: Ports) -> Self {
        let free = vec![waves; ports.to_cores.len()];
        Self { chiplet, ports, free, turn: 0, syncing: None, launch: None, groups: 0 }
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        self.take_answers(ctx);
        self.step_sync(ctx);
        self.step_launch(ctx);
        if self.syncing.is_none()
            && let Some(message) = ctx.peek(self.ports.commands)
        {
            ctx.take(self.ports.commands);
            self.obey(ctx, message);
            ctx.messages.free(message);
            ctx.wake_at(ctx.now + 1);
        }
    }

    fn obey(&mut self, ctx: &Context, message: Handle<Message>) {
        let Message { addr, tag: kernel, .. } = ctx.messages[message];
        let (control, _, tag) = Control::decode(addr).expect("only known messages are sent");
        if let Control::SyncReq(sync) = control {
            self.syncing = Some(Syncing { sync, asked: 0, answered: 0, lines: 0, tag });
            return;
        }
        let launch = self.launch.get_or_insert_default();
        match control {
            Control::WgDesc { first, .. } => {
                *launch = Launch { tag, kernel, next: first, end: first, ..Launch::default() };
            }
            Control::WgCount(count) => launch.end = launch.next + count,
            Control::LaunchEn => launch.enabled = true,
            control => unreachable!("{control:?} comes from chiplets"),
        }
    }

    fn take_answers(&mut self, ctx: &mut Context) {
        for bank in 0..self.ports.from_banks.len() {
            let inlet = self.ports.from_banks[bank];
            if let Some(message) = ctx.peek(inlet) {
                ctx.take(inlet);
                let syncing = self.syncing.as_mut().expect("banks answer what they were asked");
                syncing.answered += 1;
                syncing.lines += ctx.messages[message].tag;
                ctx.messages.free(message);
            }
        }
        for core in 0..self.ports.from_cores.len() {
            let inlet = self.ports.from_cores[core];
            while let Some(message) = ctx.peek(inlet) {
                ctx.take(inlet);
                let launch = self.launch.as_mut().expect("CUs answer what they were asked");
                if ctx.messages[message].kind == Kind::GroupDone {
                    launch.running -= 1;
                    self.free[core] += ctx.waves_of_group;
                } else {
                    launch.acquired += 1;
                }
                ctx.messages.free(message);
            }
        }
    }

    fn step_sync(&mut self, ctx: &mut Context) {
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
            let ack = Control::Ack { done: syncing.sync, lines: syncing.lines };
            self.answer(ctx, ack, syncing.tag);
            self.syncing = None;
            ctx.wake_at(ctx.now + 1);
        }
    }

    fn answer(&self, ctx: &mut Context, control: Control, tag: u8) {
        let addr = control.encode(self.chiplet, tag);
        let message = ctx.messages.put(Message { kind: Kind::Control, addr, ..Message::default() });
        ctx.send(self.ports.answers, message);
    }

    /// After the launch is enabled: all L1s are dropped, then work-groups start, one in each cycle, on the
    /// next CU in turn that has room.
    fn step_launch(&mut self, ctx: &mut Context) {
        let Some(mut launch) = self.launch.filter(|launch| launch.enabled) else { return };
        let cores = self.ports.to_cores.len();
        while launch.acquire_asked < cores
            && ctx.may_send(self.ports.to_cores[launch.acquire_asked])
        {
            let message = ctx.messages.put(Message { kind: Kind::AcquireL1, ..Message::default() });
            ctx.send(self.ports.to_cores[launch.acquire_asked], message);
            launch.acquire_asked += 1;
        }
        if launch.acquired == cores && launch.next < launch.end && self.start_one(ctx, &launch) {
            launch.next += 1;
            launch.running += 1;
            self.groups += 1;
            ctx.wake_at(ctx.now + 1);
        }
        self.launch = Some(launch);
        let over = launch.acquired == cores && launch.next == launch.end && launch.running == 0;
        if over && ctx.may_send(self.ports.answers) {
            self.answer(ctx, Control::Done, launch.tag);
            self.launch = None;
        }
    }

    fn start_one(&mut self, ctx: &mut Context, launch: &Launch) -> bool {
        let cores = self.ports.to_cores.len();
        let waves = ctx.waves_of_group;
        let order = (self.turn..cores).chain(0..self.turn);
        let Some(core) = order.into_iter().find(|&core| self.free[core] >= waves) else {
            return false;
        };
        if !ctx.may_send(self.ports.to_cores[core]) {
            return false;
        }
        let (kind, addr) = (Kind::StartGroup, launch.kernel.into());
        let message = Message { kind, tag: launch.next, addr, ..Message::default() };
        let message = ctx.messages.put(message);
        ctx.send(self.ports.to_cores[core], message);
        self.free[core] -= waves;
        self.turn = (core + 1) % cores;
        true
    }
}
