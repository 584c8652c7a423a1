//! A co-simulation run: model and RTL of one block in lockstep under a stimulus.
//!
//! The run is cut into episodes of random length, some longer than a counter of 16 bits. Between
//! them both bodies are reset in the midst of their traffic, or the RTL is a new one whose
//! registers held random values before its reset; static inputs are drawn anew. Cycles are counted
//! through.

use std::path::PathBuf;

use bodies::Variant;
use hwmodel::{Block, Model};
use ports::ConfigError;

use crate::body::BodyKind;
use crate::episodes::Episodes;
use crate::flip::{Flip, FlipError};
use crate::inspect::{Inspected, Window};
use crate::lockstep::{AFTER, Lockstep};
use crate::report::{Mismatch, RunName};
use crate::rtl::{Rtl, RtlError, RtlOptions};
use crate::sample::Inside;
use crate::settings::SettingError;
use crate::stimulus::{Count, Driven, Random, Statics, Stimulus};
use crate::wave::{Shown, Wave, WaveError, plain_clock, write_window};

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Number of cycles.
    pub cycles: u64,
    /// Seed of the stimulus.
    pub seed: u64,
    /// Static inputs that are not left to the seed.
    pub statics: Statics,
    /// Write every cycle of the run to this waveform.
    pub wave: Option<PathBuf>,
    /// With the insides of both bodies.
    pub inside: bool,
    /// Where the window around a mismatch goes when `wave` is not given.
    pub mismatch_wave: Option<PathBuf>,
    /// Run again up to a mismatch, with a body that can be traced, to see inside.
    pub inspect: bool,
    /// Cycles before a mismatch in which registers are compared, where they are more than those of
    /// the waveform around it.
    pub look_back: u64,
    /// Keep the insides from this cycle on, for the report of a mismatch.
    pub inspect_from: Option<u64>,
    /// Registers begin with 0 and not with random values, so that those without a reset are alike
    /// in two bodies.
    pub zeroed: bool,
    /// A deliberate difference.
    pub flip: Option<Flip>,
    /// One episode: nothing is reset in the midst of the run.
    pub one_episode: bool,
    /// The RTL body.
    pub rtl: RtlOptions,
}

impl Options {
    /// The RTL body, one that can be traced where that is needed. `registers` as in [`RtlOptions`].
    pub fn rtl(&self, registers: u32) -> RtlOptions {
        let variant = &self.rtl.variant;
        let trace = variant.trace || self.inside || self.inspect_from.is_some();
        RtlOptions { variant: Variant { trace, ..variant.clone() }, registers }
    }
}

/// Why a run cannot start or go on. None of these is a difference between model and RTL.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An illegal parameter.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No such configuration.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No RTL body.
    #[error(transparent)]
    Rtl(#[from] RtlError),
    /// `--flip` names something that is not there.
    #[error(transparent)]
    Flip(#[from] FlipError),
    /// A waveform that cannot be written.
    #[error(transparent)]
    Wave(#[from] WaveError),
}

impl RunError {
    /// What it says, if it is only that there is no such RTL body.
    pub fn missing(self) -> Result<String, Self> {
        match self {
            Self::Rtl(error) => Ok(error.to_string()),
            other => Err(other),
        }
    }
}

/// Cycles of the peak utilization window.
pub const SHARE_CYCLES: u64 = 250;

/// The busiest cycles of each channel so far.
#[derive(Default)]
struct Shares {
    before: Vec<Count>,
    most: Vec<Count>,
}

impl Shares {
    /// [`SHARE_CYCLES`] more cycles are over, and these transfers since the beginning.
    fn see(&mut self, transfers: Vec<Count>) {
        self.most.resize(transfers.len(), Count::default());
        for (at, &(name, count)) in transfers.iter().enumerate() {
            let new = count - self.before.get(at).map_or(0, |(_, before)| *before);
            // A channel for each of several may transfer more than once in a cycle.
            let share = (100 * new / SHARE_CYCLES).min(100);
            self.most[at] = (name, self.most[at].1.max(share));
        }
        self.before = transfers;
    }
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Cycles that were compared.
    pub cycles: u64,
    /// Transfers on each channel.
    pub transfers: Vec<Count>,
    /// Of each channel the transfers of [`SHARE_CYCLES`] cycles, in per cent of them, where they
    /// were most; none unless they are counted.
    pub busiest: Vec<Count>,
    /// How often each cause, case and code was reached.
    pub coverage: Vec<Count>,
    /// The first difference, if there is one.
    pub mismatch: Option<Mismatch>,
    /// The cycles that were kept with their insides.
    pub window: Option<Window>,
    /// The file that could not be written, and why.
    pub unwritten: Option<String>,
}

/// Runs one block. `name` is the named configuration that `config` is.
pub fn run<S: Stimulus>(
    name: &str,
    config: &<S::Model as Model>::Config,
    options: &Options,
) -> Result<Outcome, RunError> {
    let run = |options: &Options| run_once::<S>(name, config, options);
    inspected(options, run, RunError::missing)
}

/// Runs; where model and RTL differ and that is asked for, again up to there, to see inside.
/// `missing` tells of an error that means no more than that there is no body which can be traced;
/// any other it gives back.
pub fn inspected<E>(
    options: &Options,
    mut run: impl FnMut(&Options) -> Result<Outcome, E>,
    missing: impl FnOnce(E) -> Result<String, E>,
) -> Result<Outcome, E> {
    let mut outcome = run(options)?;
    let Some(first) = outcome.mismatch.as_mut().filter(|_| options.inspect) else {
        return Ok(outcome);
    };
    // A waveform of the whole run is there already.
    let mismatch_wave = options.mismatch_wave.clone().filter(|_| options.wave.is_none());
    let back = options.look_back.max(Window::BEFORE);
    let inspect_from = Some(first.cycle.saturating_sub(back));
    let again = Options { wave: None, mismatch_wave, inspect_from, ..options.clone() };
    match run(&again) {
        Ok(again) => {
            if let Some(again) = again.mismatch {
                first.take_inside(again);
            }
        }
        Err(error) => first.inside = Some(Inspected::Missing(missing(error)?)),
    }
    Ok(outcome)
}

fn run_once<S: Stimulus>(
    name: &str,
    config: &<S::Model as Model>::Config,
    options: &Options,
) -> Result<Outcome, RunError> {
    let block = S::Model::describe(config);
    if let Some(flip) = &options.flip {
        flip.checked(&block, options.cycles)?;
    }
    let mut stimulus = S::new(config, &options.statics, options.seed);
    // Apart from what the stimulus draws.
    let mut resets = Random::new(!options.seed);
    let mut episodes = Episodes::default();
    let mut flip = options.flip.clone();
    let mut cycle = 0;
    let mut shares = Shares::default();
    let run = RunName { config: name.to_string(), seed: options.seed };
    let rtl = |random: &mut Random| {
        let registers = random.word() as u32 | 1;
        Rtl::with(config, &options.rtl(if options.zeroed { 0 } else { registers }))
    };
    let (first, model) = (rtl(&mut resets)?, S::Model::new(config)?);
    let mut pair = Lockstep::new(run, config, model, first, cycle);
    if let Some(from) = options.inspect_from {
        pair.inspect_from(from);
    }
    let mut wave = match &options.wave {
        Some(path) => {
            let inside = if options.inside { pair.look_inside() } else { Inside::default() };
            let shown = Shown { inside, ..Shown::ports(block.clone(), BodyKind::Lockstep) };
            let wave = Wave::create(path, vec![plain_clock()], vec![shown])?;
            pair.start_tracing();
            Some(wave)
        }
        None => None,
    };
    while cycle < options.cycles {
        // The stimulus gets the whole episode: what it does does not depend on where the run
        // ends.
        let length = if options.one_episode { u64::MAX } else { episodes.next(&mut resets) };
        let end = options.cycles.min(cycle.saturating_add(length));
        if cycle > 0 {
            stimulus.restart(length);
            if resets.chance(64) {
                pair.replace(rtl(&mut resets)?)?;
            }
            pair.reset()?;
        }
        while cycle < end {
            if flip.as_ref().is_some_and(|f| cycle >= f.cycle && f.apply(&mut pair)) {
                flip = None;
            }
            step(&mut pair, &mut stimulus, wave.as_mut());
            cycle += 1;
            if cycle.is_multiple_of(SHARE_CYCLES) {
                shares.see(stimulus.transfers());
            }
            if pair.failed() {
                for _ in 0..AFTER {
                    step(&mut pair, &mut stimulus, wave.as_mut());
                }
                break;
            }
        }
        if pair.failed() {
            let mut mismatch = pair.mismatch().cloned();
            let found = mismatch.as_ref();
            let written = match (wave.take(), &options.mismatch_wave) {
                (Some(mut wave), _) => {
                    found.into_iter().for_each(|found| wave.mark(found));
                    Some(wave.finish())
                }
                (None, Some(path)) => pair
                    .window()
                    .zip(found)
                    .map(|(window, found)| write_window(path, block, window, found, plain_clock())),
                (None, None) => None,
            };
            let (path, unwritten) = told(written);
            if let Some(mismatch) = &mut mismatch {
                mismatch.waves = path;
            }
            let window = options.inspect_from.and_then(|_| pair.window().cloned());
            return Ok(Outcome {
                unwritten,
                window,
                ..outcome(cycle, &stimulus, shares, mismatch)
            });
        }
    }
    let (_, unwritten) = told(wave.map(Wave::finish));
    flip.map_or(Ok(()), |flip| Err(flip.never_shown(cycle)))?;
    let window = pair.inspected().cloned();
    Ok(Outcome { unwritten, window, ..outcome(cycle, &stimulus, shares, None) })
}

/// The waveform that was written, or why it was not.
pub fn told(written: Option<Result<PathBuf, WaveError>>) -> (Option<PathBuf>, Option<String>) {
    match written.transpose() {
        Ok(path) => (path, None),
        Err(error) => (None, Some(error.to_string())),
    }
}

fn outcome<S: Stimulus>(
    cycles: u64,
    stimulus: &Driven<S>,
    shares: Shares,
    mismatch: Option<Mismatch>,
) -> Outcome {
    let (transfers, coverage) = (stimulus.transfers(), stimulus.coverage());
    let (busiest, window, unwritten) = (shares.most, None, None);
    Outcome { cycles, transfers, busiest, coverage, mismatch, window, unwritten }
}

/// One cycle of the pair, traced where a waveform is being written.
#[inline]
fn step<S: Stimulus>(
    pair: &mut Lockstep<S::Model>,
    stimulus: &mut Driven<S>,
    wave: Option<&mut Wave>,
) {
    let input = stimulus.inputs(&pair.outputs());
    pair.tick(&input);
    if let (Some(wave), Some(cycle)) = (wave, pair.last_cycle()) {
        wave.cycle(&[(0, cycle)]);
    }
}
