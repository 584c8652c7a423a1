//! Where a block stands in a system: a socket, which has one of its bodies, lets it stand still
//! while nothing comes, counts its transfers, shows its cycles, and tells what is wrong with it. A
//! system's register knows all sockets by their places, and no block by its name.

mod choice;
mod register;
mod shared;
mod stand;
mod uses;
mod watch;

use std::cell::{Ref, RefCell};
use std::fmt::{self, Write};
use std::rc::Rc;

use hwmodel::{Block, Model, State};
use ports::ConfigError;

use crate::body::{BodyError, BodyKind, Sight};
use crate::report::RunName;

pub use crate::transfers::Log;
pub use choice::{Choice, Pattern, summary};
pub use register::{At, Difference, Sockets};
pub use uses::BlockUse;
pub use watch::{WINDOW, Window};

use stand::{Seat, Stand};

/// A socket of block `M`, whichever body stands in it.
pub struct Socket<M: Model>(Rc<RefCell<Stand<M>>>);

impl<M: Model> Socket<M> {
    /// One that is in no register, with a body after reset. `run` names the run in reports. Errors:
    /// an illegal parameter; no RTL body can be built.
    pub fn alone(kind: BodyKind, run: &RunName, config: &M::Config) -> Result<Self, BodyError> {
        let stand = Stand::new(kind, run, config, Sight::default(), Rc::default(), 0)?;
        Ok(Self(Rc::new(RefCell::new(stand))))
    }

    /// Likewise, with the model. Errors: an illegal parameter.
    pub fn model(config: &M::Config) -> Result<Self, ConfigError> {
        let run = RunName { config: String::new(), seed: 0 };
        Self::alone(BodyKind::Model, &run, config).map_err(|error| match error {
            BodyError::Config(error) => error,
            error => unreachable!("a model needs no more: {error}"),
        })
    }

    /// Puts another model, after reset, in place of the one that stands here. False where another
    /// body does.
    pub fn put_model(&mut self, model: M) -> bool {
        self.0.borrow_mut().put_model(model)
    }

    /// Which body it is.
    pub fn kind(&self) -> BodyKind {
        self.0.borrow().kind()
    }

    /// Its parameters.
    pub fn config(&self) -> Ref<'_, M::Config> {
        Ref::map(self.0.borrow(), |stand| &stand.config)
    }

    /// Cycles of its clock so far, those that were left out included.
    pub fn cycle(&self) -> u64 {
        self.0.borrow().transfers.cycle
    }

    /// Transfers on each channel so far.
    pub fn transfers(&self) -> Vec<(&'static str, u64)> {
        self.0.borrow().transfers.counts()
    }

    /// Cycle of the last transfer.
    pub fn last_transfer(&self) -> Option<u64> {
        self.0.borrow().transfers.last
    }

    /// Cycles and transfers are counted from now on: those before were not of the run.
    pub fn restart(&mut self) {
        self.0.borrow_mut().restart();
    }

    /// Lets the cycles before `now` pass, in which no input came and it was not ticked: all
    /// inputs were `idle`. The body is ticked where it needs that; true where it was, as what it
    /// shows may have changed.
    #[inline]
    pub fn catch_up(&mut self, now: u64, idle: &M::In) -> bool {
        let mut stand = self.0.borrow_mut();
        stand.transfers.cycle < now && stand.catch_up(now, idle)
    }

    /// A model stands here, and neither a waveform nor a flip needs any socket of the system: the
    /// owner may let cycles with inputs pass after other owners have ticked later ones.
    #[inline]
    pub fn may_lag(&self) -> bool {
        self.0.borrow().may_lag()
    }

    /// Lets `cycles` cycles pass at once, where [`Socket::may_lag`]: `run` does to the model what
    /// as many ticks would, which all have the handshakes of `inputs` and of the outputs before.
    #[inline]
    pub fn pass(&mut self, cycles: u64, inputs: &M::In, run: impl FnOnce(&mut M)) {
        self.0.borrow_mut().pass(cycles, inputs, run);
    }
}

impl<M: Model> fmt::Debug for Socket<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind().name(), M::NAME)
    }
}

impl<M: Model> Block for Socket<M> {
    type In = M::In;
    type Out = M::Out;

    #[inline]
    fn outputs(&self) -> M::Out {
        self.0.borrow().outputs()
    }

    #[inline]
    fn tick(&mut self, inputs: &M::In) -> M::Out {
        self.0.borrow_mut().tick(inputs)
    }

    fn is_idle(&self) -> bool {
        self.quiet_cycles() == u64::MAX
    }

    /// How many ticks with idle inputs from now on need not be seen: the owner may leave them
    /// out, and have [`Socket::catch_up`] see to them later; `u64::MAX` until something comes. 0
    /// while every cycle is observed. The model reports it; RTL counts as idle once nothing
    /// has changed at its ports for so long that nothing will ([`Model::rests`]). While it is left
    /// alone RTL stands still, its counters of cycles too.
    #[inline]
    fn quiet_cycles(&self) -> u64 {
        self.0.borrow().quiet_cycles()
    }

    #[inline]
    fn failed(&self) -> bool {
        self.0.borrow().has_failed()
    }

    fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        self.0.borrow().write_failure(report)
    }

    fn show_state(&self, state: &mut State) {
        self.0.borrow().show_state(state)
    }
}

#[cfg(test)]
mod tests;
