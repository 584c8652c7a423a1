//! L2 designs: what sits between the networks of a chiplet and the home of a line, and what
//! releases and acquires it.

mod addresses;
mod answers;
mod atomics;
pub mod bank;
mod data_port;
mod designs;
mod fifos;
pub mod hook;
mod hooks;
pub mod parameters;
mod policy;
mod reads;
mod requests;
mod serve;
mod walk;
mod ways;
mod writes;

use std::collections::VecDeque;
use std::fmt::Debug;

use cosim::cpelide::SyncMode;
use ports::directory::coherence_directory::Variant;

use crate::build::make::{Made, Make};
use crate::cache::Shape;
use crate::config::memory_model::MemoryModel;
use crate::config::policy::Policy;
use crate::config::registry::kind;
use crate::context::Context;
use crate::context::message::Unit;
use crate::engine::{InletId, OutletId};
use crate::statistics::CounterValues;
pub use addresses::Addresses;
pub use atomics::Atomics;
pub use data_port::DataPort;
pub use designs::SOFTWARE;
pub use fifos::Fifos;
pub use hook::{BankHook, BankPort, BankView};
pub use parameters::{are_through, check as check_directory, replacements, writes};
pub use policy::NewL2Policy;

/// A bank's inlets and outlets.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    /// Requests of CUs.
    pub requests: InletId,
    /// Fills and acknowledgements from below.
    pub fills: InletId,
    /// Answers to CUs.
    pub answers: OutletId,
    /// Reads, write-backs and atomics to L3 slices, in one FIFO: a read never overtakes a
    /// write-back.
    pub below: OutletId,
    /// Release and acquire commands.
    pub commands: InletId,
    /// Answers to them.
    pub done: OutletId,
    /// Requests of other chiplets' banks, and to them, where the design has a directory.
    pub peers: Option<(InletId, OutletId)>,
    /// To the gate, what its CUs store to lines of which other GPUs have copies; where pages have
    /// any.
    pub pushes: Option<OutletId>,
    /// Requests of other GPUs, where the bank pushes stores to these and they pass it.
    pub arrivals: Option<InletId>,
    /// To and from the GPU's unit, where the L1 design has one and hooks in the banks.
    pub unit: Option<(OutletId, InletId)>,
}

/// What a bank is.
#[derive(Debug)]
pub struct Spec {
    /// Its unit.
    pub unit: Unit,
    /// Its chiplet.
    pub chiplet: u16,
    /// Its GPU.
    pub gpu: u16,
    /// Its number among the chiplet's banks.
    pub number: u16,
    /// Its own numbering of its lines.
    pub addresses: Addresses,
    /// Whose lines it holds.
    pub policy: Policy,
    /// A coherent one sends stores of its own GPU on at once.
    pub through: bool,
    /// Sets, ways, line.
    pub shape: Shape,
    /// Bytes of a sector; none: whole lines are filled.
    pub sector: Option<usize>,
    /// The rate of loads and stores; none: each takes a cycle.
    pub data_port: Option<DataPort>,
    /// What performs atomics; none: they cost what stores do.
    pub atomics: Option<Atomics>,
    /// Miss registers.
    pub misses: u32,
    /// Cycles that answers of a coherent bank leave early which pass two banks, each time: so the
    /// two are charged once together.
    pub early: u32,
    /// Inlets and outlets.
    pub ports: Ports,
    /// The L1 design's hook, if it has one.
    pub hook: Option<Box<dyn BankHook>>,
    /// What says which lines it keeps, if anything does.
    pub keeps: Option<Box<dyn BankHook>>,
}

impl Spec {
    /// The bank as its hooks see it.
    pub fn view(&self) -> BankView {
        let ports = self.ports;
        BankView {
            unit: self.unit,
            number: self.number,
            addresses: self.addresses,
            requests: ports.requests,
            answers: ports.answers,
            early: self.early,
            peers: ports.peers.map(|(_, to)| to),
            unit_channel: ports.unit.map(|(to, _)| to),
            outbox: VecDeque::new(),
        }
    }
}

/// An L2 bank.
pub trait L2: Debug {
    /// One cycle.
    fn tick(&mut self, ctx: &mut Context);

    /// Counters by name.
    fn counters(&self, all: &mut CounterValues);

    /// Counters of the L1 design's hook, by name.
    fn l1_counters(&self, all: &mut CounterValues);

    /// MSHRs in use, and all; for who looks at a run.
    fn mshrs(&self) -> (u32, u32) {
        (0, 0)
    }

    /// Who it is.
    fn unit(&self) -> Unit;

    /// What it holds of a line that it serves: valid bytes, and all.
    fn line(&self, addr: u64) -> Option<(u128, &[u8])>;

    /// The host has written below. Nothing is under way.
    fn forget_line(&mut self, _addr: u64) {}

    /// All clean lines go, in no time. Nothing is under way.
    fn forget_all(&mut self) {}

    /// Bytes of a line have changed, below too: what it holds of them changes, and nothing else.
    /// Nothing is under way. A bank that cannot do that forgets the line.
    fn renew_line(&mut self, addr: u64, _mask: u128, _bytes: &[u8]) {
        self.forget_line(addr);
    }
}

/// An L2 design. It is known once it is submitted: `inventory::submit! { registered(DESIGN) }`.
#[derive(Clone, Copy)]
pub struct Design {
    /// Its name, `l2.design`.
    pub name: &'static str,
    /// One line for `duet list`.
    pub about: &'static str,
    /// What it promises.
    pub promises: MemoryModel,
    /// The directory that each bank has of its chiplet's lines, if any. CUs then ask the banks of
    /// their own chiplet whatever `l2.policy` says.
    pub directory: Option<Variant>,
    /// Whether its banks ask a policy which lines to keep ([`Spec::keeps`]).
    pub asks_policy: bool,
    /// Makes a bank.
    pub bank: fn(&mut Make, Spec) -> Made<dyn L2>,
    /// When the command processor releases and acquires the L2s.
    pub sync: SyncMode,
}

kind!(Design, "l2.design");
