//! Two bodies of a block, ticked together and compared in every cycle.

use std::fmt::{self, Write};

use hwmodel::{Block, Model, State};
use ports::ConfigError;
use ports::{Ports, image_words};

use crate::inspect::Window;
use crate::past::{Past, carried};
use crate::recorder::Recorder;
use crate::registers::{self, Registers};
use crate::report::{Mismatch, RunName, differences, shown_fields};
use crate::rtl::Rtl;
use crate::sample::{HISTORY, Inside, WindowCycle};

/// Cycles that are run on after a difference, so that the waves show what followed.
pub const AFTER: u64 = 4;

/// Ticks a model and its RTL with the same inputs and compares every output field: valids,
/// readies, pulses and status always, a payload while both valids are 1. Shows the model's outputs.
/// After the first difference it goes on ticking, so that the owner decides when to stop.
pub struct Lockstep<M: Model> {
    config: M::Config,
    run: RunName,
    model: M,
    rtl: Rtl<M>,
    cycle: u64,
    ticks: usize,
    /// The last ticks, at `ticks % HISTORY`.
    history: Vec<Kept>,
    failure: Option<Box<Failure>>,
    /// The last cycle, while every cycle is observed.
    trace: Option<Box<Recorder>>,
    /// The last transfers on each channel, while it is traced.
    past: Option<Box<Past>>,
    /// With the insides.
    inside: bool,
    inspection: Option<Box<Inspection>>,
}

/// The images of a tick in which both bodies agreed.
#[derive(Clone)]
struct Kept {
    cycle: u64,
    input: Vec<u32>,
    output: Vec<u32>,
}

struct Failure {
    mismatch: Mismatch,
    window: Window,
}

/// Who keeps the cycles before a difference with their insides.
struct Inspection {
    /// The first cycle that is kept.
    from: u64,
    /// It has come.
    open: bool,
    window: Window,
}

impl<M: Model> Lockstep<M> {
    /// Joins two bodies that have just been reset. `first_cycle` is the number of the first cycle.
    pub fn new(run: RunName, config: &M::Config, model: M, rtl: Rtl<M>, first_cycle: u64) -> Self {
        let block = M::describe(config);
        let kept = Kept {
            cycle: 0,
            input: vec![0; image_words(&block.inputs)],
            output: vec![0; image_words(&block.outputs)],
        };
        let history = vec![kept; HISTORY];
        Self {
            config: config.clone(),
            run,
            model,
            rtl,
            cycle: first_cycle,
            ticks: 0,
            history,
            failure: None,
            trace: None,
            past: None,
            inside: false,
            inspection: None,
        }
    }

    /// Keeps each cycle's images for [`Lockstep::last_cycle`] from now on, and the last transfers
    /// on each channel for a report, however long ago they are.
    pub fn start_tracing(&mut self) {
        let block = M::describe(&self.config);
        let mut recorder = Recorder::new(&block, self.inside);
        recorder.look(&self.model);
        self.rtl.set_trace(self.inside);
        self.trace = Some(Box::new(recorder));
        self.past = Some(Box::new(Past::new(&block)));
    }

    /// Ceases to keep them.
    pub fn stop_tracing(&mut self) {
        self.rtl.set_trace(false);
        (self.trace, self.past) = (None, None);
    }

    /// Waveforms from now on include its internals.
    pub fn look_inside(&mut self) -> Inside {
        self.inside = true;
        Inside {
            registers: registers::declared(&self.model),
            of_rtl: Registers::of(M::describe(&self.config).name),
            trace: self.rtl.trace_header(),
        }
    }

    /// Cycles up to the first that is kept with its insides; `u64::MAX` where none is.
    pub fn before_inspection(&self) -> u64 {
        self.inspection.as_ref().map_or(u64::MAX, |i| i.from.saturating_sub(self.cycle))
    }

    /// Keeps every cycle from number `from` on with its insides, for the report of a difference.
    pub fn inspect_from(&mut self, from: u64) {
        let window = Window { inside: self.look_inside(), cycles: Vec::new() };
        self.inspection = Some(Box::new(Inspection { from, open: false, window }));
        // Whether it is time is asked for where a tracing body asks: others have no work with it.
        let block = M::describe(&self.config);
        self.trace = Some(Box::new(Recorder::new(&block, true)));
        self.past = Some(Box::new(Past::new(&block)));
        self.open_inspection(self.cycle);
    }

    /// Before cycle `next`: starts to keep it and those after it, if it is time.
    fn open_inspection(&mut self, next: u64) {
        let Some(inspection) = &mut self.inspection else { return };
        if let (false, Some(recorder)) =
            (inspection.open || next < inspection.from, &mut self.trace)
        {
            inspection.open = true;
            recorder.look(&self.model);
            self.rtl.set_trace(true);
        }
    }

    /// The cycle that the last tick ended, while tracing.
    pub fn last_cycle(&self) -> Option<&WindowCycle> {
        self.trace.as_deref().map(|recorder| &recorder.last)
    }

    /// The block's parameters.
    pub fn config(&self) -> &M::Config {
        &self.config
    }

    /// The number of the next rising edge.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Resets both bodies in the midst of what they do. Cycles are counted on. Errors: an illegal
    /// parameter.
    pub fn reset(&mut self) -> Result<(), ConfigError> {
        self.model.reset(&self.config)?;
        self.rtl.reset();
        if let Some(recorder) = &mut self.trace {
            recorder.look(&self.model);
        }
        Ok(())
    }

    /// Takes other RTL in place of that which is compared, and a new model. To be followed by
    /// a reset. Errors: an illegal parameter.
    pub fn replace(&mut self, rtl: Rtl<M>) -> Result<(), ConfigError> {
        self.rtl = rtl;
        if self.trace.is_some() {
            self.rtl.set_trace(self.inside);
        }
        self.model = M::new(&self.config)?;
        Ok(())
    }

    /// Lets `cycles` cycles pass in which neither body is ticked.
    pub fn skip(&mut self, cycles: u64) {
        self.cycle += cycles;
        self.open_inspection(self.cycle);
    }

    /// Cycles are counted from now on, and those before are forgotten.
    pub fn restart(&mut self) {
        (self.cycle, self.ticks) = (0, 0);
        if let Some(inspection) = &mut self.inspection {
            inspection.window.cycles.clear();
            inspection.open = false;
            self.rtl.set_trace(false);
            self.open_inspection(0);
        }
    }

    /// The body that is compared with the model.
    pub fn rtl_mut(&mut self) -> &mut Rtl<M> {
        &mut self.rtl
    }

    /// The first difference or failed assertion.
    pub fn mismatch(&self) -> Option<&Mismatch> {
        Some(&self.failure.as_ref()?.mismatch)
    }

    /// The cycles around it.
    pub fn window(&self) -> Option<&Window> {
        Some(&self.failure.as_ref()?.window)
    }

    /// The cycles that it has kept with their insides so far.
    pub fn inspected(&self) -> Option<&Window> {
        Some(&self.inspection.as_ref()?.window)
    }

    fn image<P: Ports<Config = M::Config>>(&self, ports: &P) -> Vec<u32> {
        let mut image = vec![0; image_words(&P::declare(&self.config))];
        ports.store(&self.config, &mut image);
        image
    }

    #[cold]
    fn keep(&mut self, inputs: &M::In, model: &M::Out) {
        let Some(recorder) = &mut self.trace else { return };
        let last = &mut recorder.last;
        last.cycle = self.cycle;
        inputs.store(&self.config, &mut last.input);
        model.store(&self.config, &mut last.model);
        if self.inspection.as_ref().is_some_and(|inspection| !inspection.open) {
            return self.open_inspection(self.cycle + 1);
        }
        self.rtl.last_outputs().store(&self.config, &mut last.rtl);
        if self.inside {
            last.trace = self.rtl.take_trace();
        }
        recorder.turn(&self.model);
        if let Some(inspection) = &mut self.inspection {
            inspection.window.cycles.push(recorder.last.clone());
        }
    }

    #[cold]
    fn record(&mut self, input: &M::In, model: &M::Out) {
        let mut now = WindowCycle {
            cycle: self.cycle,
            input: self.image(input),
            model: self.image(model),
            rtl: self.image(&self.rtl.last_outputs()),
            ..WindowCycle::default()
        };
        let inspection = self.inspection.as_ref().filter(|inspection| inspection.open);
        if let Some(kept) = inspection.and_then(|inspection| inspection.window.cycles.last()) {
            now = kept.clone();
        }
        if let Some(failure) = &mut self.failure {
            if now.cycle <= failure.mismatch.cycle + AFTER {
                failure.window.cycles.push(now);
            }
            return;
        }
        let block = M::describe(&self.config);
        let mut window = Vec::new();
        let mut recent = Past::new(&block);
        for back in (1..=HISTORY.min(self.ticks)).rev() {
            let Kept { cycle, input, output } = &self.history[(self.ticks - back) % HISTORY];
            let (cycle, config) = (*cycle, &self.config);
            // Payload words that are not valid are 0.
            let input = self.image(&M::In::load(config, input));
            let output = self.image(&M::Out::load(config, output));
            recent.see(cycle, &input, &output);
            let (model, rtl) = (output.clone(), output);
            window.push(WindowCycle { cycle, input, model, rtl, ..WindowCycle::default() });
        }
        let past = self.past.as_ref().map_or(recent.list(), |past| past.list());
        window.push(now);
        let mut window = Window { inside: Inside::default(), cycles: window };
        let (mut inside, mut first) = (None, None);
        if let Some(inspection) = inspection {
            window = inspection.window.clone();
            inside = Some(window.inspect(self.cycle));
            first = window.first_difference(self.cycle);
        }
        let now = window.cycles.last().expect("this cycle");
        let mut model_state = String::new();
        let _ = self.model.write_state(&mut model_state);
        let differences = differences(&block.outputs, &now.model, &now.rtl);
        let mismatch = Mismatch {
            place: M::NAME.to_string(),
            run: self.run.clone(),
            cycle: self.cycle,
            carried: differences.first().map_or([None, None], |d| carried(&block, &d.field, now)),
            differences,
            inputs: shown_fields(&block.inputs, &now.input),
            model_state,
            past,
            assertions: self.rtl.messages().to_string(),
            inside,
            first,
            waves: None,
            rerun: None,
        };
        self.failure = Some(Box::new(Failure { mismatch, window }));
    }
}

impl<M: Model> Block for Lockstep<M> {
    type In = M::In;
    type Out = M::Out;

    fn outputs(&self) -> M::Out {
        self.model.outputs()
    }

    fn tick(&mut self, inputs: &M::In) -> M::Out {
        let model = self.model.tick(inputs);
        let agree = self.rtl.tick_and_compare(inputs, &model);
        if self.trace.is_some() {
            self.keep(inputs, &model);
        }
        if !agree || self.failure.is_some() || self.rtl.failed() {
            self.record(inputs, &model);
        }
        if let (Some(trace), Some(past)) = (&self.trace, &mut self.past) {
            past.see(trace.last.cycle, &trace.last.input, &trace.last.model);
        }
        let kept = &mut self.history[self.ticks % HISTORY];
        kept.cycle = self.cycle;
        self.rtl.keep_last(&mut kept.input, &mut kept.output);
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
