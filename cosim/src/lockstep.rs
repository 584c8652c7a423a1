//! Two bodies of a block, ticked together and compared in every cycle.

use std::fmt::{self, Write};

use hwmodel::ports::{Ports, image_words};
use hwmodel::{Block, ConfigError, Description, Model, State};

use crate::report::{Mismatch, RunName, differences, shown_fields, transfers};
use crate::rtl::Rtl;

/// Cycles that the report and the waveform window look back.
const HISTORY: usize = 32;
/// Transfers shown in a report.
const PAST: usize = 8;
/// Cycles that are run on after a difference, so that the waves show what followed.
pub const AFTER: u64 = 4;

/// One cycle of the waveform window, as images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowCycle {
    /// Rising edges since the end of reset.
    pub cycle: u64,
    /// Inputs.
    pub input: Vec<u32>,
    /// The model's outputs.
    pub model: Vec<u32>,
    /// The RTL's outputs.
    pub rtl: Vec<u32>,
}

impl WindowCycle {
    /// Room for the images of a cycle of this block.
    pub fn empty(block: &Description) -> Self {
        let output = vec![0; image_words(&block.outputs)];
        let input = vec![0; image_words(&block.inputs)];
        Self { cycle: 0, input, model: output.clone(), rtl: output }
    }
}

/// A body that can be compared with a model of the same ports.
pub trait Other: Block {
    /// Resets it while the inputs of its last cycle stand.
    fn reset(&mut self);

    /// What failed assertions printed.
    fn assertions(&self) -> &str {
        ""
    }
}

impl<M: Model> Other for Rtl<M> {
    fn reset(&mut self) {
        Rtl::reset(self);
    }

    fn assertions(&self) -> &str {
        self.messages()
    }
}

/// Ticks a model and another body with the same inputs and compares every output field: valids,
/// readies, pulses and status always, a payload while both valids are 1. Shows the model's outputs.
/// After the first difference it goes on ticking, so that the owner decides when to stop.
pub struct Lockstep<M: Model, B> {
    config: M::Config,
    run: RunName,
    model: M,
    other: B,
    cycle: u64,
    ticks: usize,
    /// The last ticks and their cycles, at `ticks % HISTORY`.
    history: Vec<(u64, M::In, M::Out)>,
    failure: Option<Box<Failure>>,
    /// The last cycle, while somebody wants to see every one.
    trace: Option<Box<WindowCycle>>,
}

struct Failure {
    mismatch: Mismatch,
    window: Vec<WindowCycle>,
}

impl<M: Model, B: Other<In = M::In, Out = M::Out>> Lockstep<M, B> {
    /// Joins two bodies that have just been reset. `first_cycle` is the number of the first cycle.
    pub fn new(run: RunName, config: &M::Config, model: M, other: B, first_cycle: u64) -> Self {
        Self {
            config: config.clone(),
            run,
            model,
            other,
            cycle: first_cycle,
            ticks: 0,
            history: vec![Default::default(); HISTORY],
            failure: None,
            trace: None,
        }
    }

    /// Keeps each cycle's images for [`Lockstep::last_cycle`] from now on.
    pub fn start_tracing(&mut self) {
        self.trace = Some(Box::new(WindowCycle::empty(&Description::of::<M>(&self.config))));
    }

    /// Ceases to keep them.
    pub fn stop_tracing(&mut self) {
        self.trace = None;
    }

    /// The cycle that the last tick ended, while tracing.
    pub fn last_cycle(&self) -> Option<&WindowCycle> {
        self.trace.as_deref()
    }

    /// The block's parameters.
    pub fn config(&self) -> &M::Config {
        &self.config
    }

    /// The number of the next rising edge.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Resets both bodies in the midst of what they do. Cycles are counted on. Errors: an illegal parameter.
    pub fn reset(&mut self) -> Result<(), ConfigError> {
        self.model = M::new(&self.config)?;
        self.other.reset();
        Ok(())
    }

    /// Takes another body in place of the one that is compared. To be followed by a reset.
    pub fn replace(&mut self, other: B) {
        self.other = other;
    }

    /// Lets `cycles` cycles pass in which neither body is ticked.
    pub fn skip(&mut self, cycles: u64) {
        self.cycle += cycles;
    }

    /// Cycles are counted from now on, and those before are forgotten.
    pub fn restart(&mut self) {
        (self.cycle, self.ticks) = (0, 0);
    }

    /// The body that is compared with the model.
    pub fn other_mut(&mut self) -> &mut B {
        &mut self.other
    }

    /// The first difference or failed assertion.
    pub fn mismatch(&self) -> Option<&Mismatch> {
        Some(&self.failure.as_ref()?.mismatch)
    }

    /// The cycles around the first difference, oldest first.
    pub fn window(&self) -> &[WindowCycle] {
        self.failure.as_ref().map_or(&[], |f| &f.window)
    }

    fn image<P: Ports<Config = M::Config>>(&self, ports: &P) -> Vec<u32> {
        let mut image = vec![0; image_words(&P::declare(&self.config))];
        ports.store(&self.config, &mut image);
        image
    }

    #[cold]
    fn record(&mut self, input: &M::In, model: &M::Out, rtl: &M::Out) {
        let now = WindowCycle {
            cycle: self.cycle,
            input: self.image(input),
            model: self.image(model),
            rtl: self.image(rtl),
        };
        if let Some(failure) = &mut self.failure {
            if now.cycle <= failure.mismatch.cycle + AFTER {
                failure.window.push(now);
            }
            return;
        }
        let block = Description::of::<M>(&self.config);
        let mut window = Vec::new();
        let mut past = Vec::new();
        for back in (1..=HISTORY.min(self.ticks)).rev() {
            let (cycle, input, output) = &self.history[(self.ticks - back) % HISTORY];
            let (cycle, input, output) = (*cycle, self.image(input), self.image(output));
            past.extend(transfers(&block, cycle, &input, &output));
            window.push(WindowCycle { cycle, input, model: output.clone(), rtl: output });
        }
        past.drain(..past.len().saturating_sub(PAST));
        let mut model_state = String::new();
        let _ = self.model.write_state(&mut model_state);
        let mismatch = Mismatch {
            block: M::NAME,
            run: self.run.clone(),
            cycle: self.cycle,
            differences: differences(&block.outputs, &now.model, &now.rtl),
            inputs: shown_fields(&block.inputs, &now.input),
            model_state,
            past,
            assertions: self.other.assertions().to_string(),
            waves: None,
            rerun: None,
        };
        window.push(now);
        self.failure = Some(Box::new(Failure { mismatch, window }));
    }
}

impl<M: Model, B: Other<In = M::In, Out = M::Out>> Block for Lockstep<M, B> {
    type In = M::In;
    type Out = M::Out;

    fn outputs(&self) -> M::Out {
        self.model.outputs()
    }

    fn tick(&mut self, inputs: &M::In) -> M::Out {
        let model = self.model.tick(inputs);
        let rtl = self.other.tick(inputs);
        if let Some(trace) = &mut self.trace {
            trace.cycle = self.cycle;
            inputs.store(&self.config, &mut trace.input);
            model.store(&self.config, &mut trace.model);
            rtl.store(&self.config, &mut trace.rtl);
        }
        if model != rtl || self.failure.is_some() || self.other.failed() {
            self.record(inputs, &model, &rtl);
        }
        self.history[self.ticks % HISTORY] = (self.cycle, *inputs, model);
        self.ticks += 1;
        self.cycle += 1;
        model
    }

    fn is_idle(&self) -> bool {
        self.model.is_idle()
    }

    fn quiet_cycles(&self) -> u64 {
        self.model.quiet_cycles()
    }

    fn failed(&self) -> bool {
        self.failure.is_some()
    }

    fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        self.mismatch().map_or(Ok(()), |mismatch| write!(report, "{mismatch}"))
    }

    fn show_state(&self, state: &mut State) {
        self.model.show_state(state);
    }
}
