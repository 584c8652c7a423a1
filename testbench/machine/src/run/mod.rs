//! Runs a program on a machine.

mod caught;
mod coherent;
pub mod deadlock;
mod error;
mod host;
mod kernel;
pub mod kernel_use;
mod meeting;
mod memory;
mod observe;
mod options;
mod owners;
mod packets;
mod probed;
mod results;
pub mod shard;
mod skip;
mod steps;
mod streams;
mod team;
mod trial;
mod watchdog;

use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};

use cosim::body::BodyKind;
use cosim::cpelide::SyncMode;
use cosim::socket::Sockets;
use traces::trace::{self, Bound, Event, Reader};
use traces::workloads::SplitMix64;

pub use error::RunError;
pub use observe::{Audited, LINK, Progress, Timeline};
pub use options::{NOISE, Options, Order};
pub use team::Windows;

use observe::Observers;
use packets::Handover;
use probed::Probing;
use skip::Skipping;
use streams::Queues;
use team::Team;
use trial::Trial;
use watchdog::Watchdog;

use crate::build::part::Part;
use crate::build::{Built, build, promises};
use crate::check;
use crate::check::life::Life;
use crate::check::sequential::Sequential;
use crate::check::timed::Timed;
use crate::config::System;
use crate::config::bodies::Bodies;
use crate::config::memory_model::MemoryModel;
use crate::context::Context;
use crate::context::copies::Copies;
use crate::context::places::{Placement, Places};
use crate::context::translation::SharedTlb;
use crate::engine::pool::Pool;
use crate::engine::{ComponentId, Cycle, LAST_CYCLE, Wheel};
use crate::gate::Gate;
use crate::l3::memories::Memories;
use crate::run::kernel_use::KernelUses;
use crate::statistics;
use crate::statistics::recording::Samples;

/// Steps between two calls of who wants to know how far the run is, and of the watchdog: a power of
/// 2.
const PROGRESS_STEPS: u64 = 8192;

/// Live buffers, by address: bytes and name.
pub type Buffers = BTreeMap<u64, (u64, String)>;

/// Longest time after the last kernel in which an L1 design's own messages may be under way.
const LAST_CYCLES: Cycle = 100_000;

/// A machine with a program.
pub struct Machine {
    parts: Vec<Part>,
    sockets: Sockets,
    ctx: Context,
    options: Options,
    system: System,
    first_global: usize,
    sync: SyncMode,
    bodies: Bodies,
    /// Of each component the piece that one thread simulates.
    pieces: Vec<u16>,
    /// Where several threads run it.
    team: Option<Box<Team>>,
    /// While the run is a trial on one thread.
    trial: Option<Trial>,
    /// The trial has found that several threads are faster.
    is_trial_over: bool,
    /// The part of the time that the gate takes, as the trial has found it.
    gate_share: f64,
    /// Events that are read and not done: buffers that come to be, the next kernel, and as far as
    /// the one behind it.
    upcoming: VecDeque<Event>,
    /// The next kernel, where its packet was handed over already.
    forwarded: Option<Handover>,
    /// Streams of the program, where it has several.
    queues: Option<Queues>,
    /// The host has changed memory since the last kernel.
    host_changed: bool,
    /// Who is active in this cycle, one bit each, and who is visited where that differs.
    active: Vec<u64>,
    visits: Vec<u32>,
    random: SplitMix64,
    kernels: u32,
    kernel_uses: KernelUses,
    names: OnceCell<statistics::Names>,
    /// Live buffers, by address.
    buffers: Buffers,
    observers: Observers,
    watchdog: Watchdog,
    /// Statistics over time, if they are recorded.
    samples: Option<Box<Samples>>,
    /// Where snapshots are published, if they are wanted.
    probing: Option<Box<Probing>>,
    /// Where launches are skipped.
    skipping: Option<Box<Skipping>>,
    steps: u64,
}

impl Machine {
    /// Builds a machine around a program.
    pub fn new(
        system: &System,
        bodies: &Bodies,
        program: Reader,
        options: Options,
    ) -> Result<Self, RunError> {
        let most = if options.max_cycles == 0 { LAST_CYCLE } else { options.max_cycles };
        let sequential = options.sequential.filter(|_| !options.sample);
        let options = Options { max_cycles: most.min(LAST_CYCLE), sequential, ..options };
        let built = build(system, bodies)?;
        let first_global = built.first_global;
        let Built { parts, sockets, network, wires, layout, placement, policy, sync, .. } = built;
        let watch = if options.watch_line { Life::watch_line } else { Life::watch };
        let life = options.watch.map_or(Life::default(), |addr| watch(addr, layout.line));
        let promised = promises(system).unwrap_or(MemoryModel::None);
        let clock = crate::l1::clock(system);
        let keep = options.sequential.filter(|_| clock.is_none() && promised == MemoryModel::Sc);
        let sequential = keep.map(|keep| Box::new(Sequential::new(keep, layout.names())));
        let timed = options.sequential.zip(clock).map(|(keep, clock)| {
            let (line, names) = (layout.line as usize, layout.names());
            Box::new(Timed::new(clock, promised, keep, line, names))
        });
        let seed = if let Order::Shuffled(seed) = options.order { seed } else { 0 };
        let chiplets = if system.tlb.entries > 0 { layout.all_chiplets() } else { 0 };
        let ctx = Context {
            tlbs: (0..chiplets).map(|_| SharedTlb::new(&system.tlb)).collect(),
            now: 0,
            me: ComponentId(0),
            wheel: Wheel::new(parts.len()),
            network,
            wires,
            messages: Pool::new(),
            lines: Pool::new(),
            places: Places::new(placement, &layout),
            layout,
            memory: Memories::new(1),
            check: check::Checker::default(),
            sequential,
            timed,
            values: options.values.then(Box::default),
            program,
            policy,
            life,
            private: Vec::new(),
            launches: Default::default(),
            written_past: 0,
            recorder: None,
            completions: Default::default(),
            stop: None,
            shard: None,
            #[cfg(test)]
            sent: Vec::new(),
        };
        let watchdog = Watchdog::new(system);
        let (system, random) = (system.clone(), SplitMix64::new(seed));
        let mut machine = Self {
            parts,
            sockets,
            ctx,
            options,
            system,
            first_global,
            sync,
            bodies: bodies.clone(),
            pieces: built.pieces,
            team: None,
            trial: None,
            is_trial_over: false,
            gate_share: 0.0,
            upcoming: VecDeque::new(),
            forwarded: None,
            queues: None,
            host_changed: false,
            active: Vec::new(),
            visits: Vec::new(),
            random,
            kernels: 0,
            kernel_uses: KernelUses::new(options.by_launch),
            names: OnceCell::new(),
            buffers: Buffers::new(),
            observers: Observers::default(),
            watchdog,
            samples: None,
            probing: None,
            skipping: options.sample.then(Box::default),
            steps: 0,
        };
        machine.replicate(placement)?;
        if options.by_kernel || options.by_launch {
            machine.names();
        }
        if options.visit_all
            && let Some(gate) = machine.gate_mut()
        {
            gate.tick_all();
        }
        Ok(machine)
    }

    /// Where pages have copies, each GPU has a memory of its own, and it is known from the program
    /// who has which.
    fn replicate(&mut self, placement: Placement) -> Result<(), RunError> {
        let layout = &self.ctx.layout;
        let Placement::Replicated(extent) = placement else { return Ok(()) };
        if layout.gpus == 1 {
            return Ok(());
        }
        let mut reader = self.ctx.program.reopen()?;
        let what = (extent, layout.gpus, layout.line);
        let copies = Copies::of_program(&mut reader, what, |groups| {
            let spans = self.partition(groups, Bound::ALL.chiplets(layout.chiplets)).spans();
            spans.iter().step_by(layout.chiplets.into()).map(|span| span.0).collect()
        })?;
        self.ctx.memory = Memories::new(self.ctx.layout.gpus);
        self.ctx.places.replicate(copies);
        Ok(())
    }

    /// Runs the program to its end. Gives the number of cycles.
    pub fn run(&mut self) -> Result<Cycle, RunError> {
        let result = self.run_anyhow();
        self.publish();
        if let Some(probing) = &self.probing {
            probing.end();
        }
        result
    }

    fn run_anyhow(&mut self) -> Result<Cycle, RunError> {
        let threads = self.threads();
        if threads > 1 && self.options.trial {
            self.trial = Some(Trial::new(threads));
            let result = self.run_program();
            if !self.is_trial_over {
                return result;
            }
            self.restart()?;
        }
        if threads > 1 {
            if let Ok(cycles) = self.run_on_threads(threads) {
                return Ok(cycles);
            }
            self.restart()?;
        }
        let result = match self.has_rtl() {
            true => self.run_on_rtl(),
            false => self.run_program(),
        };
        // A body may have failed in one of the last cycles.
        match (self.sockets.difference(), result) {
            (Some(difference), _) => Err(RunError::Differ(difference)),
            (None, Ok(_)) if threads > 1 => Err(RunError::Threads),
            (None, result) => result,
        }
    }

    /// The same machine before the first cycle, on one thread.
    fn restart(&mut self) -> Result<(), RunError> {
        let (program, options) =
            (self.ctx.program.reopen()?, Options { threads: 1, ..self.options });
        let observers = std::mem::take(&mut self.observers);
        let mut probing = self.probing.take();
        if let Some(probing) = &mut probing {
            probing.restart(1);
        }
        let new = Self::new(&self.system, &self.bodies, program, options)?;
        *self = Self { observers, probing, gate_share: self.gate_share, ..new };
        Ok(())
    }

    fn has_rtl(&self) -> bool {
        let sockets = 0..self.sockets.places().len();
        sockets.into_iter().any(|number| self.sockets.kind(number) != BodyKind::Model)
    }

    /// RTL may answer what is impossible, at which the machine stops; models must not.
    fn run_on_rtl(&mut self) -> Result<Cycle, RunError> {
        caught::caught(|| self.run_program()).unwrap_or_else(|text| {
            let cycle = self.ctx.now;
            Err(RunError::Block(format!("cycle {cycle}: the machine cannot go on: {text}")))
        })
    }

    fn run_program(&mut self) -> Result<Cycle, RunError> {
        for id in (0..self.parts.len() as u32).map(ComponentId) {
            // What a unit does need not begin with a message.
            if matches!(self.parts[id.0 as usize], Part::Unit(_)) {
                self.wake(id, 1);
            }
        }
        while let Some(event) = self.next_event()? {
            if self.queues.is_some() && !self.enqueue(&event)? {
                continue;
            }
            if matches!(
                event,
                Event::Free { .. } | Event::HostWrite { .. } | Event::HostRead { .. }
            ) {
                self.look_behind_skipped()?;
            }
            match event {
                Event::Alloc { addr, bytes, name, private } => {
                    if private {
                        self.ctx.private.push(addr..addr + bytes);
                    }
                    self.ctx.places.add_buffer(addr, bytes);
                    self.buffers.insert(addr, (bytes, name));
                }
                Event::Free { addr } => self.free(addr),
                Event::HostWrite { addr, data } => {
                    self.host_write(addr, &data);
                    self.host_changed = true;
                }
                Event::HostRead { addr, bytes } => self.host_read(addr, bytes)?,
                Event::Kernel(head) if self.forwarded.is_none() && self.skips(&head) => {
                    self.skip(&head)?;
                }
                Event::Kernel(head) => self.kernel(&head)?,
                Event::Streams(bound) => self.begin_streams(bound),
                Event::Wait { .. } => {}
            }
        }
        self.join_streams()?;
        self.look_behind_skipped()?;
        let cycles = self.ctx.now;
        // Designs count on while they are idle.
        for (id, part) in (0..).map(ComponentId).zip(&mut self.parts) {
            if matches!(part, Part::Unit(_) | Part::Core(_)) && self.ctx.has_component(id) {
                self.ctx.me = id;
                part.tick(&mut self.ctx);
            }
        }
        self.let_arrive()?;
        if self.team.is_some() {
            self.ctx.end_run();
        }
        let (messages, lines) = self.in_use();
        if (messages, lines) != (0, 0) {
            return Err(RunError::Lost { messages, lines });
        }
        self.gather()?;
        Ok(cycles)
    }

    fn next_event(&mut self) -> Result<Option<Event>, trace::Error> {
        match self.upcoming.pop_front() {
            None => self.ctx.program.next_event(),
            event => Ok(event),
        }
    }

    /// Messages that an L1 design still sends after the last kernel arrive before the check for
    /// lost messages.
    fn let_arrive(&mut self) -> Result<(), RunError> {
        if let Some(team) = &mut self.team {
            // Else one may be at the end while others wait for it.
            team.is_close = true;
        }
        self.meet()?;
        let end = self.ctx.now + LAST_CYCLES;
        while self.in_use().0 > 0 && self.next().is_some_and(|at| at <= end) {
            self.step()?;
        }
        Ok(())
    }

    /// Messages and payloads that are anywhere.
    fn in_use(&self) -> (usize, usize) {
        let own = || (self.ctx.messages.in_use(), self.ctx.lines.in_use());
        self.team.as_ref().map_or_else(own, |team| team.in_use())
    }

    /// The next cycle in which a component may be active.
    fn next(&self) -> Option<Cycle> {
        self.team.as_ref().map_or_else(|| self.ctx.wheel.next(), |team| team.next())
    }

    /// Completion signals written so far.
    fn completions(&self) -> u32 {
        let own = || self.ctx.completions.iter().sum();
        self.team.as_ref().map_or_else(own, |team| team.completions())
    }

    fn gate(&self) -> Option<&Gate> {
        match self.parts.last() {
            Some(Part::Gate(gate)) => Some(gate),
            _ => None,
        }
    }

    fn gate_mut(&mut self) -> Option<&mut Gate> {
        self.parts.last_mut().and_then(Part::gate_mut)
    }
}

#[cfg(test)]
mod tests;
