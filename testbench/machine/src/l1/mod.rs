//! L1 designs: what answers a CU's requests and talks to the network below, and what a design may
//! install beside that: something before the L1, a unit for each GPU, a hook in each L2 bank
//! (docs/machine.md, "Extension points").

pub mod combiner;
mod none;
mod policy;
mod port;
pub mod src;
mod unit;
pub mod without;

use std::fmt::Debug;

use traces::trace::{Instr, InstrKind};

pub use policy::{L1Policy, NewL1Policy};
pub use port::Port;
pub use src::DESIGN as SRC;
pub use unit::GpuUnit;
pub use without::take_away;

use crate::build::make::{Made, Make, UnitPorts};
use crate::check::timed::Clock;
use crate::config::memory_model::{Fences, MemoryModel};
use crate::config::registry::{self, kind};
use crate::config::resolved::Resolved;
use crate::config::section::Section;
use crate::config::{ConfigError, System};
use crate::context::message::Message;
use crate::engine::pool::Handle;
use crate::l2::{self, BankHook};
use crate::statistics;
use crate::statistics::Counted;
use crate::statistics::CounterValues;

/// An L1 design, one instance for each CU. One that stands before another holds it and passes calls
/// on.
pub trait L1: Debug {
    /// A request of the CU: `tag` is the CU's transaction, which knows the wave. False when it
    /// cannot be taken now; the design has then seen to it that the CU is visited when that may
    /// have changed.
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool;

    /// Whether `request` would take an access of this kind now, as far as that is known before.
    fn may_request(&self, _kind: InstrKind) -> bool {
        true
    }

    /// A message from below.
    fn answer(&mut self, port: &mut Port, message: Handle<Message>);

    /// A kernel begins: nothing may be returned from now on that memory has lost since it was read.
    /// `past`: since the last time something was written that no L1 has seen, by the host or
    /// another GPU, or an L2 has dropped lines. No request is under way but of kernels with which
    /// it overlaps, where the design allows that. False when it takes time: the launch then waits
    /// for `port.acquired`.
    fn acquire(&mut self, port: &mut Port, past: bool) -> bool;

    /// Counters by name.
    fn counters(&self, _all: &mut CounterValues) {}

    /// MSHRs in use, and all; for who looks at a run.
    fn mshrs(&self) -> (u32, u32) {
        (0, 0)
    }

    /// The optional calls that the CU makes. Queried once.
    fn callbacks(&self) -> Callbacks {
        Callbacks::default()
    }

    /// How the CU issues and what it may overlap under this design. Queried once.
    fn issue_policy(&self) -> IssuePolicy {
        IssuePolicy::default()
    }

    /// The CU is visited, after messages and answers were given and before it issues.
    fn tick(&mut self, _port: &mut Port) {}

    /// The CU's cycle ends: messages and answers were given, and it has issued what it could. Here
    /// a block of the design has its edge, as all its inputs of the cycle are known.
    fn end_cycle(&mut self, _port: &mut Port) {}

    /// Shows the lines that the design promises to hold as their L2 does: address and bytes.
    fn promised_lines(&self, _see: &mut dyn FnMut(u64, &[u8])) {}

    /// Who the design waits for, for a person: nothing can go on.
    fn waits_for(&self) -> Option<String> {
        None
    }

    /// A message of the GPU's unit. False when it cannot be taken now: it stays in its inlet, and
    /// the design has seen to it that the CU is visited when that may have changed.
    fn message(&mut self, _port: &mut Port, _message: Handle<Message>) -> bool {
        unreachable!("the design has no unit")
    }

    /// A wave starts in a slot.
    fn begin_wave(&mut self, _port: &mut Port, _wave: usize) {}

    /// It has ended, with nothing under way.
    fn end_wave(&mut self, _port: &mut Port, _wave: usize) {}

    /// Whether a wave's next instruction, an access or a barrier, may issue. False holds it until
    /// `port.go_on`; then this is asked again.
    fn may_issue(&mut self, _port: &mut Port, _wave: usize, _instr: &Instr) -> bool {
        true
    }

    /// Whether a wave that stands at a fence, or at its end, with nothing under way may pass. False
    /// delays it until `port.go_on`.
    fn fence(&mut self, _port: &mut Port, _wave: usize) -> bool {
        true
    }

    /// These waves, bit w of slot w, are all of a work-group that have not ended, and at a barrier
    /// that they pass.
    fn barrier(&mut self, _port: &mut Port, _waves: u64) {}

    /// Whether a load behind one that is replayed stays as it is: for tests of what replays are
    /// for.
    fn stays(&self, _younger: Younger) -> bool {
        false
    }

    /// A speculative load was dropped by the replay of an older one: its tag means nothing to the
    /// CU any more, but the request, if it has not been answered, must still be.
    fn dropped(&mut self, _tag: u32) {}
}

/// A load behind one that is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Younger {
    /// It is over.
    Over,
    /// One of its transactions.
    UnderWay(u32),
}

/// Optional calls of [`L1`]: a CU makes only those that the design enables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callbacks {
    /// `tick`.
    pub tick: bool,
    /// `end_cycle`.
    pub end_cycle: bool,
    /// `may_request`.
    pub may_request: bool,
    /// `begin_wave` and `end_wave`.
    pub waves: bool,
    /// `may_issue`.
    pub may_issue: bool,
    /// `fence`.
    pub fence: bool,
    /// `barrier`.
    pub barrier: bool,
    /// `stays` and `dropped`: the CU keeps checkpoints to replay loads.
    pub speculation: bool,
}

/// Limits on a CU's requests, and what may overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IssuePolicy {
    /// Stores do not wait for speculative loads, and are not replayed: for tests.
    pub stores_bypass_speculation: bool,
    /// At most one request in flight for each line.
    pub exclusive_lines: bool,
    /// Maximum requests in flight, if fewer than `cu.transactions`.
    pub outstanding: Option<u32>,
    /// Credits of the CU in each L2 bank. A request takes one from its sending to its answer.
    pub bank_credits: Option<u32>,
    /// Kernels of several streams run concurrently; else one after another.
    pub concurrent_kernels: bool,
}

/// Makes a unit of a GPU.
pub type NewUnit = fn(&mut Make, UnitPorts) -> Made<dyn GpuUnit>;
/// Makes a hook in an L2 bank.
pub type NewHook = fn(&mut Make) -> Made<dyn BankHook>;

/// A design. It is known once it is submitted: `inventory::submit! { registered(DESIGN) }`.
#[derive(Clone, Copy)]
pub struct Design {
    /// Its name, `l1.design`.
    pub name: &'static str,
    /// One line for `duet list`.
    pub about: &'static str,
    /// What it promises.
    pub promises: MemoryModel,
    /// What fences order under it while a kernel runs, in a machine with one L2.
    pub fences: Fences,
    /// Whether its hooks order all that is done to a line in the one L2 that has it: an L2 design
    /// that promises release consistency then does not lessen what this one promises.
    pub orders_l2: bool,
    /// Sections of the system file that are its own; others may not stand there.
    pub sections: &'static [Section],
    /// Which time it orders accesses by, where its L1s say when each of them was.
    pub clock: Option<Clock>,
    /// Whether what it says goes to other GPUs: sidebands of loads and atomics and of their
    /// answers, messages of its units, and of its hooks to those of other banks.
    pub crosses: bool,
    /// Whether it asks a policy which lines to keep ([`Make::l1_policy`]).
    pub asks_policy: bool,
    /// What it needs of a system, and what it does not go together with. Errors name the field, and
    /// say why.
    pub check: fn(&Resolved) -> Result<(), ConfigError>,
    /// Makes what stands beside each CU.
    pub core: fn(&mut Make) -> Made<dyn L1>,
    /// Makes a unit for each GPU, with channels to and from its CUs, and its L2 banks where they
    /// have hooks. It is made when those are.
    pub unit: Option<NewUnit>,
    /// Makes a hook for each L2 bank.
    pub bank: Option<NewHook>,
    /// The L2 that it brings, `l2.design = "own"`; without a directory.
    pub l2: Option<l2::Design>,
}

kind!(Design, "l1.design");

/// [`Design::clock`] of a system, where one GPU has all its lines: what other GPUs do has no time
/// here.
pub fn clock(system: &System) -> Option<Clock> {
    let design = registry::find::<Design>(&system.l1.design)?;
    design.clock.filter(|_| system.machine.gpus == 1)
}

inventory::submit! { Counted(&statistics! {
    "l1.loads" "requests" "loads of lines that L1s accepted",
    "l1.hits" "requests" "loads that hit",
    "l1.merges" "requests" "loads that joined a pending fill (secondary misses)",
    "l1.load_sectors" "sectors" "with `l1.sector`: sectors of loads that L1s accepted",
    "l1.sector_hits" "sectors" "with `l1.sector`: sectors of loads that were valid or pending",
    "l1.combined_reads" "requests" "with `network.combine`: reads that got the answer of another \
        CU's read",
    "l1.combined_stores" "requests" "with `network.combine_store_cycles`: stores that joined an \
        earlier store of their CU",
    "l1.stores" "requests" "stores of lines that L1s accepted",
    "l1.atomics" "requests" "atomics on lines that L1s forwarded",
    "l1.uncached_loads" "requests" "loads of lines that the L1 must not cache",
    "l1.invalidated_lines" "lines" "lines invalidated at the start of a kernel",
}) }
