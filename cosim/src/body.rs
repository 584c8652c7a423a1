//! The bodies of a block, chosen by name where a system is built.

use std::fmt::{self, Write};

use hwmodel::ports::Ports;
use hwmodel::{Block, ConfigError, Description, Model, State};

use crate::command_processor::BOOT;
use crate::inspect::Window;
use crate::lockstep::{Lockstep, WindowCycle};
use crate::recorder::{Inside, Recorder};
use crate::registers;
use crate::report::{Mismatch, RunName};
use crate::rtl::{Rtl, RtlError, RtlOptions};
use crate::runner::Flip;
pub use crate::transfers::Log;
use crate::transfers::Transfers;
use crate::verilated::Variant;

/// Which body stands for a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// The Rust model.
    #[default]
    Model,
    /// The Verilated RTL.
    Rtl,
    /// Both, compared in every cycle.
    Lockstep,
}

impl BodyKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Model, Self::Rtl, Self::Lockstep];

    /// Name, as in `--impl BLOCK=NAME`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rtl => "rtl",
            Self::Lockstep => "lockstep",
        }
    }

    /// The body of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What somebody wants to see of a body beside its ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// The signals of its RTL can be traced.
    pub inside: bool,
    /// Two bodies keep their insides from this cycle of theirs on, for the report of a difference.
    pub inspect_from: Option<u64>,
}

impl Sight {
    /// The RTL body that it needs.
    pub fn variant(self) -> Variant {
        match self.inside || self.inspect_from.is_some() {
            true => Variant::traced(),
            false => Variant::default(),
        }
    }
}

/// Why a body cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// An illegal parameter.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// No RTL body.
    #[error(transparent)]
    Rtl(#[from] RtlError),
    /// Firmware that does not start; with the status with which it has halted.
    #[error("the firmware image does not start: {}", why(*.0))]
    Image(Option<u32>),
}

fn why(exit: Option<u32>) -> String {
    match exit {
        Some(status) => format!("exit status {status}"),
        None => format!("it does not wait for a packet within {BOOT} cycles"),
    }
}

enum Inner<M: Model> {
    Model(Box<M>),
    Rtl(Box<Rtl<M>>),
    Lockstep(Box<Lockstep<M, Rtl<M>>>),
}

/// A body of block `M`, whichever it is: counts its transfers, and shows its cycles to whoever
/// wants to see them.
pub struct AnyBody<M: Model> {
    inner: Inner<M>,
    config: M::Config,
    transfers: Transfers,
    /// The last cycle of one body alone, while somebody wants to see every one.
    trace: Option<Box<Recorder>>,
    /// With the insides.
    inside: bool,
}

macro_rules! each {
    ($self:expr, $body:ident => $result:expr) => {
        match $self {
            Inner::Model($body) => $result,
            Inner::Rtl($body) => $result,
            Inner::Lockstep($body) => $result,
        }
    };
}

impl<M: Model> AnyBody<M> {
    /// The body after reset. `run` names the run in reports. Errors: an illegal parameter; no RTL
    /// body can be built.
    pub fn new(kind: BodyKind, run: &RunName, config: &M::Config) -> Result<Self, BodyError> {
        Self::with(kind, run, config, Sight::default())
    }

    /// Likewise, as somebody wants to see it.
    pub fn with(
        kind: BodyKind,
        run: &RunName,
        config: &M::Config,
        sight: Sight,
    ) -> Result<Self, BodyError> {
        let options = RtlOptions { variant: sight.variant(), registers: 0 };
        let rtl = || Rtl::<M>::with(config, &options);
        let inner = match kind {
            BodyKind::Model => Inner::Model(Box::new(M::new(config)?)),
            BodyKind::Rtl => Inner::Rtl(Box::new(rtl()?)),
            BodyKind::Lockstep => {
                let mut pair = Lockstep::new(run.clone(), config, M::new(config)?, rtl()?, 0);
                if let Some(from) = sight.inspect_from {
                    pair.inspect_from(from);
                }
                Inner::Lockstep(Box::new(pair))
            }
        };
        Ok(Self::from_inner(inner, config))
    }

    /// The model after reset.
    pub fn model(config: &M::Config) -> Result<Self, ConfigError> {
        Ok(Self::from_inner(Inner::Model(Box::new(M::new(config)?)), config))
    }

    fn from_inner(inner: Inner<M>, config: &M::Config) -> Self {
        let transfers = Transfers::new(&Description::of::<M>(config));
        Self { inner, config: config.clone(), transfers, trace: None, inside: false }
    }

    /// Its parameters.
    pub fn config(&self) -> &M::Config {
        &self.config
    }

    /// Cycles and transfers are counted from now on: those before were not of the run.
    pub fn restart(&mut self) {
        self.transfers.restart();
        if let Inner::Lockstep(pair) = &mut self.inner {
            pair.restart();
        }
    }

    fn rests(&self) -> bool {
        let rests = || self.transfers.cycle - self.transfers.last.unwrap_or(0) > M::REST;
        matches!(self.inner, Inner::Rtl(_)) && rests()
    }

    #[cold]
    fn keep(&mut self, inputs: &M::In, outputs: &M::Out) {
        let Some(recorder) = &mut self.trace else { return };
        let last = &mut recorder.last;
        last.cycle = self.transfers.cycle;
        inputs.store(&self.config, &mut last.input);
        match &mut self.inner {
            Inner::Rtl(rtl) => {
                outputs.store(&self.config, &mut last.rtl);
                if self.inside {
                    last.trace = rtl.take_trace();
                }
            }
            Inner::Model(model) => {
                outputs.store(&self.config, &mut last.model);
                recorder.turn(&**model);
            }
            Inner::Lockstep(_) => {}
        }
    }
}

impl<M: Model> fmt::Debug for AnyBody<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind().name(), M::NAME)
    }
}

/// What the owner of a body may ask of it, whichever block it is.
pub trait Body {
    /// Which body it is.
    fn kind(&self) -> BodyKind;
    /// The block's ports and parameters.
    fn description(&self) -> Description;
    /// Lets `cycles` cycles pass without a tick: a body is left alone that is idle, or quiet for so
    /// long.
    fn skip(&mut self, cycles: u64);
    /// Transfers on each channel so far.
    fn transfers(&self) -> Vec<(&'static str, u64)>;
    /// Cycles with a transfer so far.
    fn busy(&self) -> u64;
    /// Cycle of the last transfer.
    fn last_transfer(&self) -> Option<u64>;
    /// Keeps each transfer for [`Body::log`] from now on.
    fn start_log(&mut self);
    /// The transfers since [`Body::start_log`].
    fn log(&self) -> Option<&Log>;
    /// Keeps each cycle's images for [`Body::last_cycle`], or ceases to.
    fn trace(&mut self, on: bool);
    /// From now on that has the insides too. Returns what is there: of RTL that cannot be traced,
    /// nothing.
    fn look_inside(&mut self) -> Inside;
    /// The cycle that the last tick ended, while tracing. One body alone has no images of the other
    /// side.
    fn last_cycle(&self) -> Option<&WindowCycle>;
    /// True once something is found to be wrong with it.
    fn has_failed(&self) -> bool;
    /// What is wrong, for a person.
    fn failure(&self) -> String;
    /// The first difference of two bodies, and the cycles around it.
    fn mismatch(&self) -> Option<(&Mismatch, &Window)>;
    /// Inverts the bit of the RTL's outputs in this cycle, if what it belongs to is shown; false
    /// where it is not, or where no RTL is compared.
    fn flip(&mut self, flip: &Flip) -> bool;
}

impl<M: Model> Body for AnyBody<M> {
    fn kind(&self) -> BodyKind {
        match self.inner {
            Inner::Model(_) => BodyKind::Model,
            Inner::Rtl(_) => BodyKind::Rtl,
            Inner::Lockstep(_) => BodyKind::Lockstep,
        }
    }

    fn description(&self) -> Description {
        Description::of::<M>(&self.config)
    }

    fn skip(&mut self, cycles: u64) {
        self.transfers.cycle += cycles;
        match &mut self.inner {
            Inner::Model(model) => {
                model.skip_quiet(cycles);
                if let Some(recorder) = &mut self.trace {
                    recorder.look(&**model);
                }
            }
            Inner::Rtl(_) => {}
            Inner::Lockstep(pair) => pair.skip(cycles),
        }
    }

    fn transfers(&self) -> Vec<(&'static str, u64)> {
        self.transfers.counts()
    }

    fn busy(&self) -> u64 {
        self.transfers.busy
    }

    fn last_transfer(&self) -> Option<u64> {
        self.transfers.last
    }

    fn start_log(&mut self) {
        self.transfers.log = Some(Box::default());
    }

    fn log(&self) -> Option<&Log> {
        self.transfers.log.as_deref()
    }

    fn trace(&mut self, on: bool) {
        match &mut self.inner {
            Inner::Lockstep(pair) if on => pair.start_tracing(),
            Inner::Lockstep(pair) => pair.stop_tracing(),
            inner => {
                let block = Description::of::<M>(&self.config);
                self.trace = on.then(|| Box::new(Recorder::new(&block, self.inside)));
                match (inner, &mut self.trace) {
                    (Inner::Model(model), Some(recorder)) => recorder.look(&**model),
                    (Inner::Rtl(rtl), _) => drop(rtl.set_trace(on && self.inside)),
                    _ => {}
                }
            }
        }
    }

    fn look_inside(&mut self) -> Inside {
        self.inside = true;
        match &mut self.inner {
            Inner::Model(model) => Inside { registers: registers::declared(&**model), trace: None },
            Inner::Rtl(rtl) => Inside { registers: Vec::new(), trace: rtl.trace_header() },
            Inner::Lockstep(pair) => pair.look_inside(),
        }
    }

    fn last_cycle(&self) -> Option<&WindowCycle> {
        match &self.inner {
            Inner::Lockstep(pair) => pair.last_cycle(),
            _ => self.trace.as_deref().map(|recorder| &recorder.last),
        }
    }

    fn has_failed(&self) -> bool {
        self.failed()
    }

    fn failure(&self) -> String {
        let mut report = String::new();
        let _ = self.write_failure(&mut report);
        report
    }

    fn mismatch(&self) -> Option<(&Mismatch, &Window)> {
        match &self.inner {
            Inner::Lockstep(pair) => Some((pair.mismatch()?, pair.window()?)),
            _ => None,
        }
    }

    fn flip(&mut self, flip: &Flip) -> bool {
        match &mut self.inner {
            Inner::Lockstep(pair) => flip.apply(pair),
            _ => false,
        }
    }
}

impl<M: Model> Block for AnyBody<M> {
    type In = M::In;
    type Out = M::Out;

    fn outputs(&self) -> M::Out {
        each!(&self.inner, body => body.outputs())
    }

    fn tick(&mut self, inputs: &M::In) -> M::Out {
        let outputs = each!(&mut self.inner, body => body.tick(inputs));
        if self.trace.is_some() {
            self.keep(inputs, &outputs);
        }
        self.transfers.pass(inputs.handshakes(), outputs.handshakes());
        outputs
    }

    /// RTL does not tell. When it has rested for longer than any timer of a block, a tick changes
    /// nothing.
    fn is_idle(&self) -> bool {
        each!(&self.inner, body => body.is_idle()) || self.rests()
    }

    /// Of a body that only waits, its clocks and counters stand still too while nobody ticks it:
    /// RTL has no other way.
    fn quiet_cycles(&self) -> u64 {
        match &self.inner {
            Inner::Model(model) => model.quiet_cycles(),
            Inner::Lockstep(pair) => pair.quiet_cycles(),
            Inner::Rtl(_) => {
                if self.rests() {
                    u64::MAX
                } else {
                    0
                }
            }
        }
    }

    fn failed(&self) -> bool {
        each!(&self.inner, body => body.failed())
    }

    fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        each!(&self.inner, body => body.write_failure(report))
    }

    fn show_state(&self, state: &mut State) {
        each!(&self.inner, body => body.show_state(state))
    }
}

#[cfg(test)]
mod tests {
    use hwmodel::command_processor::{self, CommandProcessor};
    use hwmodel::common::finepack_types::FinePack;
    use hwmodel::packetizer::{self, Packetizer};

    use super::*;
    use crate::Catalog;

    fn small() -> FinePack {
        Catalog::load().unwrap().finepack["small"].clone()
    }

    /// A model that only waits may be left alone, and its clock goes on.
    #[test]
    fn skipped_cycles_of_a_quiet_model_are_those_of_its_clock() {
        let config = command_processor::Config { private_latency: 3, clock_on: 5, clock_of: 6 };
        let mut body = AnyBody::<CommandProcessor>::model(&config).unwrap();
        // Nothing is loaded: the core traps for ever, but no sixth cycle shows it.
        let idle = command_processor::In::default();
        for _ in 0..11 {
            body.tick(&idle);
        }
        assert!(!body.outputs().rx_ready && body.quiet_cycles() > 0);
        body.skip(1);
        assert!(body.outputs().rx_ready);
    }

    /// Cycles in which nobody ticks a body count, so that the numbers of its transfers are those of
    /// the system's clock.
    #[test]
    fn skipped_cycles_count_and_move_nothing() {
        let mut body = AnyBody::<Packetizer>::model(&(&small()).into()).unwrap();
        body.start_log();
        body.skip(10);
        body.tick(&packetizer::In::default());
        body.tick(&packetizer::In { drain: Some(Default::default()), ..Default::default() });
        assert_eq!(body.last_transfer(), Some(11));
        assert_eq!(body.log().unwrap().first, [(11, "drain")]);
        assert_eq!(body.transfers(), [("drain", 1), ("tlp", 0)]);
    }
}
