//! What stands in a socket: a body, its clock, its transfers, and what is to be observed or
//! invert of it.

use std::fmt::{self, Write};
use std::rc::Rc;

use hwmodel::{Block, Model, State};
use ports::Description;
use ports::Ports;

use super::shared::Shared;
use super::watch::{Change, Watch};
use crate::body::{BodyError, BodyKind, Sight};
use crate::inspect;
use crate::lockstep::{AFTER, Lockstep};
use crate::recorder::Recorder;
use crate::registers::{self, Registers};
use crate::report::{Mismatch, RunName};
use crate::rtl::{Rtl, RtlOptions};
use crate::sample::{Inside, WindowCycle};
use crate::transfers::Transfers;

/// Since when nothing has changed at the ports of RTL, which does not tell whether it waits.
struct Still<M: Model> {
    /// The ports in the last cycles, one for each of the block's period.
    ports: Vec<(M::In, M::Out)>,
    at: usize,
    /// Cycles in which they were as a period before.
    cycles: u64,
}

impl<M: Model> Still<M> {
    fn new(config: &M::Config, outputs: M::Out) -> Self {
        let ports = vec![(M::In::default(), outputs); M::period(config) as usize];
        Self { ports, at: 0, cycles: 0 }
    }

    #[inline]
    fn see(&mut self, inputs: &M::In, outputs: &M::Out) {
        let before = &mut self.ports[self.at];
        self.cycles += 1;
        if before.0 != *inputs || before.1 != *outputs {
            (*before, self.cycles) = ((*inputs, *outputs), 0);
        }
        self.at += 1;
        if self.at == self.ports.len() {
            self.at = 0;
        }
    }

    fn rests(&self, config: &M::Config) -> bool {
        let last = self.at.checked_sub(1).unwrap_or(self.ports.len() - 1);
        M::rests(config, &self.ports[last].1, self.cycles)
    }
}

enum Body<M: Model> {
    Model(Box<M>),
    Rtl(Box<Rtl<M>>, Box<Still<M>>),
    Lockstep(Box<Lockstep<M>>),
}

macro_rules! each {
    ($self:expr, $body:ident => $result:expr) => {
        match $self {
            Body::Model($body) => $result,
            Body::Rtl($body, _) => $result,
            Body::Lockstep($body) => $result,
        }
    };
}

pub(super) struct Stand<M: Model> {
    body: Body<M>,
    pub(super) config: M::Config,
    pub(super) transfers: Transfers,
    /// The last cycle of one body alone, while every cycle is observed.
    trace: Option<Box<Recorder>>,
    /// With the insides.
    inside: bool,
    watch: Option<Box<Watch>>,
    /// The first cycle after something was found to be wrong.
    failed_at: Option<u64>,
    /// Those that stand in other sockets of the system, and the number among them.
    shared: Rc<Shared>,
    number: usize,
}

impl<M: Model> Stand<M> {
    /// A body after reset.
    pub fn new(
        kind: BodyKind,
        run: &RunName,
        config: &M::Config,
        sight: Sight,
        shared: Rc<Shared>,
        number: usize,
    ) -> Result<Self, BodyError> {
        let options = RtlOptions { variant: sight.variant(), registers: 0 };
        let rtl = || Rtl::<M>::with(config, &options);
        let body = match kind {
            BodyKind::Model => Body::Model(Box::new(M::new(config)?)),
            BodyKind::Rtl => {
                let rtl = rtl()?;
                let still = Still::new(config, rtl.outputs());
                Body::Rtl(Box::new(rtl), Box::new(still))
            }
            BodyKind::Lockstep => {
                let mut pair = Lockstep::new(run.clone(), config, M::new(config)?, rtl()?, 0);
                if let Some(from) = sight.inspect_from {
                    pair.inspect_from(from);
                }
                Body::Lockstep(Box::new(pair))
            }
        };
        Ok(Self {
            body,
            config: config.clone(),
            transfers: Transfers::new(&M::describe(config)),
            trace: None,
            inside: false,
            watch: None,
            failed_at: None,
            shared,
            number,
        })
    }

    pub fn put_model(&mut self, model: M) -> bool {
        let is_model = matches!(self.body, Body::Model(_));
        if is_model {
            self.body = Body::Model(Box::new(model));
        }
        is_model
    }

    pub fn outputs(&self) -> M::Out {
        each!(&self.body, body => body.outputs())
    }

    pub fn tick(&mut self, inputs: &M::In) -> M::Out {
        if self.watch.is_some() {
            self.prepare(inputs);
        }
        let outputs = match &mut self.body {
            Body::Model(model) => model.tick(inputs),
            Body::Lockstep(pair) => pair.tick(inputs),
            Body::Rtl(rtl, still) => {
                let outputs = rtl.tick(inputs);
                still.see(inputs, &outputs);
                outputs
            }
        };
        if self.trace.is_some() {
            self.keep(inputs, &outputs);
        }
        self.transfers.pass(inputs.handshakes(), outputs.handshakes());
        if self.has_failed() {
            self.note_failure();
        }
        outputs
    }

    /// How many ticks with idle inputs may be left out; see [`super::Socket::quiet_cycles`].
    pub fn quiet_cycles(&self) -> u64 {
        if self.trace.is_some() || self.failed_at.is_some() || self.is_traced() {
            return 0;
        }
        let cycle = self.transfers.cycle;
        let quiet = match &self.body {
            Body::Model(model) => model.quiet_cycles(),
            // The RTL beside it can only stand still, which is right where it would for ever.
            Body::Lockstep(pair) => {
                for_ever(pair.quiet_cycles() == u64::MAX).min(pair.before_inspection())
            }
            Body::Rtl(_, still) => for_ever(still.rests(&self.config)),
        };
        self.watch.as_ref().map_or(quiet, |watch| watch.quiet(quiet, cycle))
    }

    /// A window of two bodies is open.
    fn is_traced(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.is_open())
    }

    /// Lets the cycles before `now` pass, in which nothing came. True where the body was ticked.
    pub fn catch_up(&mut self, now: u64, idle: &M::In) -> bool {
        let mut ticked = false;
        while self.transfers.cycle < now {
            let passed = now - self.transfers.cycle;
            let quiet = self.quiet_cycles().min(passed);
            // RTL stands still, and its clock must be where it would.
            let period = match self.body {
                Body::Model(_) => 1,
                _ => M::period(&self.config),
            };
            match quiet / period * period {
                0 => {
                    self.tick(idle);
                    ticked = true;
                }
                cycles => self.skip(cycles),
            }
        }
        ticked
    }

    /// A model stands here, and neither a waveform nor a flip needs any socket of the system.
    pub fn may_lag(&self) -> bool {
        matches!(self.body, Body::Model(_)) && !self.shared.watched.get()
    }

    /// Lets cycles pass that `run` does to the model; all have the handshakes of these inputs.
    pub fn pass(&mut self, cycles: u64, inputs: &M::In, run: impl FnOnce(&mut M)) {
        let Body::Model(model) = &mut self.body else { unreachable!("a model stands here") };
        let outputs = model.outputs().handshakes();
        run(model);
        self.transfers.pass_alike(inputs.handshakes(), outputs, cycles);
    }

    fn skip(&mut self, cycles: u64) {
        self.transfers.cycle += cycles;
        match &mut self.body {
            Body::Model(model) => model.skip_quiet(cycles),
            Body::Rtl(_, still) => still.cycles += cycles,
            Body::Lockstep(pair) => pair.skip(cycles),
        }
    }

    pub fn restart(&mut self) {
        self.transfers.restart();
        match &mut self.body {
            Body::Model(_) => {}
            Body::Rtl(_, still) => still.cycles = 0,
            Body::Lockstep(pair) => pair.restart(),
        }
    }

    #[inline]
    pub fn has_failed(&self) -> bool {
        each!(&self.body, body => body.failed())
    }

    pub fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        each!(&self.body, body => body.write_failure(report))
    }

    pub fn show_state(&self, state: &mut State) {
        each!(&self.body, body => body.show_state(state));
    }

    #[cold]
    fn note_failure(&mut self) {
        self.failed_at.get_or_insert(self.transfers.cycle);
        self.shared.failed.set(true);
    }

    /// Before a cycle with these inputs.
    #[cold]
    fn prepare(&mut self, inputs: &M::In) {
        let Some(mut watch) = self.watch.take() else { return };
        let cycle = self.transfers.cycle;
        let moves = self.transfers.moves(inputs.handshakes(), self.outputs().handshakes());
        if let Body::Lockstep(pair) = &mut self.body {
            watch.flip = watch.flip.filter(|flip| cycle < flip.cycle || !flip.apply(pair));
        }
        match watch.step(cycle, moves) {
            Some(Change::Opens) => {
                self.shared.opened.set(Some(self.number));
                self.set_trace(true);
            }
            Some(Change::Closes) => self.set_trace(false),
            None => {}
        }
        self.watch = (!watch.is_over()).then_some(watch);
    }

    fn set_trace(&mut self, on: bool) {
        if let Body::Lockstep(pair) = &mut self.body {
            return if on { pair.start_tracing() } else { pair.stop_tracing() };
        }
        let block = M::describe(&self.config);
        self.trace = on.then(|| Box::new(Recorder::new(&block, self.inside)));
        match (&mut self.body, &mut self.trace) {
            (Body::Model(model), Some(recorder)) => recorder.look(&**model),
            (Body::Rtl(rtl, _), _) => drop(rtl.set_trace(on && self.inside)),
            _ => {}
        }
    }

    #[cold]
    fn keep(&mut self, inputs: &M::In, outputs: &M::Out) {
        let Some(recorder) = &mut self.trace else { return };
        let last = &mut recorder.last;
        last.cycle = self.transfers.cycle;
        inputs.store(&self.config, &mut last.input);
        match &mut self.body {
            Body::Rtl(rtl, _) => {
                outputs.store(&self.config, &mut last.rtl);
                if self.inside {
                    last.trace = rtl.take_trace();
                }
            }
            Body::Model(model) => {
                outputs.store(&self.config, &mut last.model);
                recorder.turn(&**model);
            }
            Body::Lockstep(_) => {}
        }
    }
}

/// Cycles of a body that waits until something comes, or does not.
fn for_ever(waits: bool) -> u64 {
    if waits { u64::MAX } else { 0 }
}

/// What the register of a system asks of what stands in a socket, whichever block it is.
pub(super) trait Seat {
    fn kind(&self) -> BodyKind;
    fn description(&self) -> Description;
    fn transfers(&self) -> &Transfers;
    fn transfers_mut(&mut self) -> &mut Transfers;
    /// What there is to be seen beside the ports, from now on in each cycle that is shown.
    fn look_inside(&mut self) -> Inside;
    /// The cycle that the last tick ended, within a window.
    fn last_cycle(&self) -> Option<&WindowCycle>;
    fn watch(&mut self) -> &mut Watch;
    fn has_pending_flip(&self) -> bool;
    /// The first cycle after something was found to be wrong, and whether what followed has been
    /// seen.
    fn failed_at(&self) -> Option<(u64, bool)>;
    /// What is wrong, for a person.
    fn failure(&self) -> String;
    /// The first difference of two bodies, and the cycles around it.
    fn mismatch(&self) -> Option<(&Mismatch, &inspect::Window)>;
}

impl<M: Model> Seat for Stand<M> {
    fn kind(&self) -> BodyKind {
        match self.body {
            Body::Model(_) => BodyKind::Model,
            Body::Rtl(..) => BodyKind::Rtl,
            Body::Lockstep(_) => BodyKind::Lockstep,
        }
    }

    fn description(&self) -> Description {
        M::describe(&self.config)
    }

    fn transfers(&self) -> &Transfers {
        &self.transfers
    }

    fn transfers_mut(&mut self) -> &mut Transfers {
        &mut self.transfers
    }

    fn look_inside(&mut self) -> Inside {
        self.inside = true;
        match &mut self.body {
            Body::Model(model) => {
                Inside { registers: registers::declared(&**model), ..Inside::default() }
            }
            Body::Rtl(rtl, _) => {
                let of_rtl = Registers::of(M::describe(&self.config).name);
                Inside { of_rtl, trace: rtl.trace_header(), ..Inside::default() }
            }
            Body::Lockstep(pair) => pair.look_inside(),
        }
    }

    fn last_cycle(&self) -> Option<&WindowCycle> {
        match &self.body {
            Body::Lockstep(pair) if self.is_traced() => pair.last_cycle(),
            Body::Lockstep(_) => None,
            _ => self.trace.as_deref().map(|recorder| &recorder.last),
        }
    }

    fn watch(&mut self) -> &mut Watch {
        self.watch.get_or_insert_default()
    }

    fn has_pending_flip(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.flip.is_some())
    }

    fn failed_at(&self) -> Option<(u64, bool)> {
        self.failed_at.map(|at| (at, self.transfers.cycle >= at + AFTER))
    }

    fn failure(&self) -> String {
        let mut report = String::new();
        let _ = self.write_failure(&mut report);
        report
    }

    fn mismatch(&self) -> Option<(&Mismatch, &inspect::Window)> {
        match &self.body {
            Body::Lockstep(pair) => Some((pair.mismatch()?, pair.window()?)),
            _ => None,
        }
    }
}
