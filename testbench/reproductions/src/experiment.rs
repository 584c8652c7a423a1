//! Programs on machines: each program of an experiment runs on each of its machines, with every
//! value checked (`plan`); and what figures take from that.

mod plan;
mod programs;

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use machine::{Cp, RunError, System, systems};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use traces::kernels::{self, Params};
use traces::trace::Recorder;

use super::bootstrap;
use super::compared::compared;
use super::figure::{self, Each, Figure};
use super::ranks::ranks;
pub(crate) use plan::threads;
pub use plan::{Attempt, Error, Plan, Progress, SHIFT};

/// Seed of all inputs.
pub const SEED: u64 = 1;

/// The captured program that comes with the project.
pub const CAPTURE: &str = "bfs.trace";

/// A program and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Input {
    /// Built-in program, or [`CAPTURE`].
    pub program: &'static str,
    /// Its kin among the paper's programs, if any.
    pub like: &'static str,
    /// Size; 0 for a capture.
    pub size: u32,
    /// Iterations.
    pub iterations: u32,
}

impl Display for Input {
    /// The program, and its size where it has one.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(self.program)?;
        match self.size {
            0 => Ok(()),
            size => write!(f, ": size {size}, {} iterations", self.iterations),
        }
    }
}

/// An input: program, kin, size, iterations.
pub const fn input(program: &'static str, like: &'static str, size: u32, iterations: u32) -> Input {
    Input { program, like, size, iterations }
}

/// A machine of an experiment.
#[derive(Clone, Debug)]
pub struct Point {
    /// Name.
    pub name: &'static str,
    /// The machine.
    pub system: System,
    /// What runs its firmware.
    pub cp: Cp,
}

/// Fields of a system file and their values.
pub type Change = &'static [(&'static str, &'static str)];

/// One L2 for all CUs: nothing is written back or dropped between kernels but what the host asks
/// for; the decision takes no time.
const KEPT_L2: Change = &[("l2.design", "cpelide"), ("command_processor.elide_cycles", "0")];

impl Point {
    /// A preset of one chiplet with an L1 design, and an L2 that is kept between kernels. `change`
    /// has the last word. Panics where it cannot be built: it is a constant.
    pub fn with_l1(
        name: &'static str,
        preset: &str,
        design: &str,
        change: &[(&str, &str)],
    ) -> Self {
        let all = [("l1.design", design)].into_iter().chain(KEPT_L2.iter().copied());
        let mut set: Vec<(String, String)> = Vec::new();
        for (key, value) in all.chain(change.iter().copied()) {
            set.retain(|(other, _)| other != key);
            set.push((key.to_string(), value.to_string()));
        }
        let mut system = systems::load(preset, &set).unwrap_or_else(|e| panic!("{name}: {e}"));
        system.name = name.to_string();
        Self { name, system, cp: Cp::Native }
    }
}

/// A program on a machine.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Record {
    /// Program.
    pub program: &'static str,
    /// Machine.
    pub machine: &'static str,
    /// Cycles of the GPUs' clock.
    pub cycles: u64,
    /// Loads that were compared.
    pub loads_checked: u64,
    /// Of these, those with one right value.
    pub loads_determined: u64,
    /// Statistics that the experiment keeps.
    pub counters: BTreeMap<String, u64>,
    /// How the names of these begin.
    #[serde(skip)]
    pub kept: &'static [&'static str],
}

impl Record {
    /// A statistic; 0 where the machine has none of this name. Panics where the experiment keeps
    /// none like it: a figure would be made of zeros.
    pub fn counter(&self, name: &str) -> f64 {
        assert!(
            self.kept.iter().any(|start| name.starts_with(start)),
            "{name}: no entry of Paper::COUNTERS is a prefix of it"
        );
        self.counters.get(name).copied().unwrap_or(0) as f64
    }

    /// All statistics together whose names begin so.
    pub fn group(&self, start: &str) -> f64 {
        let group = self.counters.iter().filter(|(name, _)| name.starts_with(start));
        group.map(|(_, value)| value).sum::<u64>() as f64
    }

    /// A statistic as a share of another.
    pub fn share(&self, name: &str, of: &str) -> f64 {
        share(self.counter(name), self.counter(of))
    }

    /// Cycles without those between a kernel's packet and its start, and between its last
    /// work-group and its completion.
    pub fn inside(&self) -> f64 {
        let launches = ["launch.launch_cycles", "launch.release_cycles"].map(|n| self.counter(n));
        self.cycles as f64 - launches.iter().sum::<f64>()
    }
}

/// A run in a table, beside that of the base.
pub struct Row<'a> {
    /// It.
    pub own: &'a Record,
    /// The base.
    pub base: &'a Record,
}

impl Row<'_> {
    /// How many times as fast as the base.
    pub fn speedup(&self) -> f64 {
        self.base.cycles as f64 / self.own.cycles as f64
    }

    /// A statistic.
    pub fn count(&self, name: &str) -> u64 {
        self.own.counter(name) as u64
    }

    /// A statistic, of how many of the base.
    pub fn beside(&self, name: &str) -> String {
        format!("{}/{}", self.own.counter(name), self.base.counter(name))
    }
}

/// All runs of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Runs {
    /// Programs and sizes that figures count; a resample has some several times, and others not.
    pub inputs: Vec<Input>,
    /// Each program on each machine.
    #[serde(serialize_with = "whole")]
    #[schemars(with = "Vec<Record>")]
    pub records: Vec<Arc<Record>>,
    /// Place of the run of a program on a machine: figures of 1000 resamples look many up.
    #[serde(skip)]
    places: Arc<BTreeMap<(&'static str, &'static str), usize>>,
}

/// Serializes shared records as records.
fn whole<S: Serializer>(records: &[Arc<Record>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(records.iter().map(|record| &**record))
}

impl Runs {
    /// Of these programs.
    pub fn new(inputs: Vec<Input>, records: impl IntoIterator<Item = Record>) -> Self {
        let records: Vec<_> = records.into_iter().map(Arc::new).collect();
        let places = records.iter().enumerate().map(|(at, r)| ((r.program, r.machine), at));
        let places = Arc::new(places.collect());
        Self { inputs, records, places }
    }

    /// A resample of these: programs with as many runs in the same order.
    pub(crate) fn drawn(&self, inputs: Vec<Input>, records: Vec<Arc<Record>>) -> Self {
        Self { inputs, records, places: self.places.clone() }
    }

    /// The run of a program on a machine.
    pub fn record(&self, program: &str, machine: &str) -> &Record {
        let places: &BTreeMap<(&str, &str), usize> = &self.places;
        &self.records[*places.get(&(program, machine)).expect("every program runs everywhere")]
    }

    /// True where the experiment has a program, even if a resample does not count it.
    pub fn ran(&self, program: &str) -> bool {
        self.records.iter().any(|record| record.program == program)
    }

    /// True where programs ran on this machine.
    pub fn has(&self, machine: &str) -> bool {
        self.records.iter().any(|record| record.machine == machine)
    }

    /// The runs of a program on some machines, each beside that on a base.
    pub fn beside<'a>(
        &'a self,
        program: &'a str,
        base: &str,
        machines: &'a [&str],
    ) -> impl Iterator<Item = Row<'a>> {
        let base = self.record(program, base);
        machines.iter().map(move |machine| Row { own: self.record(program, machine), base })
    }

    /// What figures of these runs were measured on.
    pub fn on(&self, scale: u32, seed: u64) -> String {
        let each = self.inputs.iter().map(|input| match input {
            Input { program, size: 0, .. } => program.to_string(),
            Input { program, size, iterations, .. } => format!("{program} {size} x {iterations}"),
        });
        figure::on(scale, seed, each)
    }

    /// Loads that were compared with what the programs saw.
    pub fn loads_checked(&self) -> u64 {
        self.records.iter().map(|r| r.loads_checked).sum()
    }
}

/// An experiment, and the same again with ways between components that take a few cycles more and
/// buffers that begin elsewhere in their pages: what differs between these is noise.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// As it is.
    pub runs: Runs,
    /// Perturbed, by seeds from 1 on.
    pub perturbed: Vec<Runs>,
}

impl Experiment {
    /// Figures made of the runs, each with its noise, its intervals, and the paper's numbers beside
    /// ours.
    pub fn figures(&self, of: impl Fn(&Runs) -> Vec<Figure> + Sync) -> Vec<Figure> {
        let perturbed: Vec<_> = self.perturbed.iter().map(&of).collect();
        let mut figures = figure::with_noise(of(&self.runs), &perturbed);
        let programs: Vec<_> = self.runs.inputs.iter().map(|input| input.program).collect();
        for (figure, intervals) in figures.iter_mut().zip(bootstrap::intervals(self, &of)) {
            figure.intervals = intervals;
            figure.compared = compared(figure);
            figure.ranks = ranks(figure, &programs);
        }
        figures
    }
}

/// The trace of an input, buffers shifted by so many bytes; the captured program stays as it is.
pub fn record(input: &Input, shift: u64) -> Result<Vec<u8>, RunError> {
    if input.program == CAPTURE {
        return Ok(include_bytes!("../../traces/workloads/bfs.trace").to_vec());
    }
    let params = Params { size: input.size, iterations: input.iterations, seed: SEED };
    let mut recorder = Recorder::in_memory(input.program)?.shifted(shift)?;
    kernels::run::<Recorder<_>>(input.program, &params, &mut recorder)
        .unwrap_or_else(|e| panic!("{}: {e}", input.program));
    Ok(recorder.into_bytes()?)
}

impl Each {
    /// Of each program, where `of` says something.
    pub fn of(r: &Runs, of: impl Fn(&'static str) -> Option<f64>) -> Self {
        Self(r.inputs.iter().filter_map(|i| Some((i.program, of(i.program)?))).collect())
    }

    /// How many times as fast a machine is as another.
    pub fn speedup(r: &Runs, machine: &'static str, over: &'static str) -> Self {
        let cycles = |program, machine| r.record(program, machine).cycles as f64;
        Self::of(r, |program| Some(cycles(program, over) / cycles(program, machine)))
    }

    /// A count on a machine over the same on another, where that is not 0.
    pub fn ratio(r: &Runs, machine: &str, over: &str, of: impl Fn(&Record) -> f64) -> Self {
        Self::of(r, |program| {
            let base = of(r.record(program, over));
            (base != 0.0).then(|| of(r.record(program, machine)) / base)
        })
    }
}

/// One count of so many of another.
pub fn share(of: f64, all: f64) -> f64 {
    of / all.max(1.0)
}

/// `+12.3 %`
pub fn percent(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}
