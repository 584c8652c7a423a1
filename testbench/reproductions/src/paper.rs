//! A paper whose experiments `duet reproduce` runs: its machines, programs and figures.

use std::fmt::{self, Debug, Display, Formatter};

use machine::Options;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::experiment::{Attempt, Error, Input, Plan, Point, Runs, SEED, SHIFT};
use crate::figure::{Figure, Listed};
use crate::scale::Scale;
use crate::score::{Score, scored};

/// A paper. It is registered by `inventory::submit! { Entry::of::<MyPaper>() }`.
pub trait Paper: Clone + Debug + PartialEq + 'static {
    /// As in `duet reproduce NAME`.
    const NAME: &'static str;
    /// `paper` or `thesis`.
    const WORK: &'static str = "paper";
    /// The system of its machine.
    const PRESET: &'static str;
    /// What has the CUs that the system counts.
    const PART: &'static str = "GPU";
    /// Its scales, the default first: what fits into five minutes on two cores.
    const SCALES: &'static [Scale];
    /// How the names of the statistics begin that figures read.
    const COUNTERS: &'static [&'static str];
    /// How the names of its figures begin.
    const FIGURES: &'static str;
    /// By how many bytes perturbed runs shift their buffers.
    const SHIFT: u64 = SHIFT;
    /// What is checked beside values.
    const CHECKED: &'static str = "";
    /// Machines that equal a published design of a system.
    const PUBLISHED: &'static [Published];

    /// Results beside the runs.
    type Details: Clone + Debug + PartialEq + Serialize + JsonSchema;

    /// Options of each run.
    fn options() -> Options {
        Options::default()
    }

    /// Its machines.
    fn points(scale: u32) -> Vec<Point>;

    /// Measures the details. Errors: a program does not run.
    fn details(inputs: &[Input]) -> Result<Self::Details, Error>;

    /// Its figures.
    fn figures(report: &Report<Self>) -> Vec<Figure>;

    /// Writes all but the figures as text.
    fn write(report: &Report<Self>, f: &mut Formatter) -> fmt::Result;
}

/// Machines of a scale, each the same as a system with a published design.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// The scale.
    pub scale: u32,
    /// The system.
    pub system: &'static str,
    /// Machine, and `design`.
    pub designs: &'static [(&'static str, &'static str)],
}

/// No details.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NoDetails {}

/// All results of a paper's experiments.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(bound = "P::Details: JsonSchema", rename = "Report")]
pub struct Report<P: Paper> {
    /// The paper, as in `duet reproduce`.
    pub paper: &'static str,
    /// `pass`: a report exists only when all values were right and all that is checked beside them
    /// held.
    pub verdict: &'static str,
    /// The paper's machine is divided by this.
    pub scale: u32,
    /// Seed of all inputs.
    pub seed: u64,
    /// Programs and sizes, and each program on each machine.
    #[serde(flatten)]
    pub runs: Runs,
    /// Results beside the runs.
    #[serde(flatten)]
    pub details: P::Details,
    /// The figures of the specification, section 11.
    pub figures: Vec<Figure>,
    /// How near they come to the paper's.
    pub score: Score,
}

impl<P: Paper> Report<P> {
    /// The same of other runs, without figures.
    fn of(&self, runs: &Runs) -> Self {
        Self { runs: runs.clone(), ..self.clone() }
    }
}

impl<P: Paper> Display for Report<P> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        P::write(self, f)?;
        writeln!(f, "\nFigures of the {}", P::WORK)?;
        let on = self.runs.on(self.scale, self.seed);
        write!(f, "{}", Listed { figures: &self.figures, on })
    }
}

/// Runs a paper's experiments at a scale on these inputs, on all threads that there are.
/// `perturbed`: repetitions with other latencies. Errors: a run fails, or its result cannot be
/// kept.
pub fn run<P: Paper>(
    scale: u32,
    inputs: &[Input],
    perturbed: u64,
    attempt: &Attempt,
) -> Result<Report<P>, Error> {
    let (points, counters) = (&P::points(scale)[..], P::COUNTERS);
    let (shift, options) = (P::SHIFT, P::options());
    let plan = Plan { inputs, points, counters, perturbed, shift, options };
    let experiment = plan.run(attempt)?;
    let mut report = Report::<P> {
        paper: P::NAME,
        verdict: "pass",
        scale,
        seed: SEED,
        runs: experiment.runs.clone(),
        details: P::details(inputs)?,
        figures: Vec::new(),
        score: Score::default(),
    };
    let figures = experiment.figures(|runs| P::figures(&report.of(runs)));
    (report.figures, report.score) = scored(figures, P::FIGURES);
    Ok(report)
}

/// A paper whose experiments have run.
pub struct Reproduced {
    /// Its name.
    pub paper: &'static str,
    /// What was compared with what is right.
    pub checked: String,
    /// Its figures, and others of ours.
    pub figures: Vec<Figure>,
    /// How near they come.
    pub score: Score,
    /// The report as text.
    pub text: String,
    /// And as JSON.
    pub json: serde_json::Value,
}

impl<P: Paper> From<Report<P>> for Reproduced {
    fn from(report: Report<P>) -> Self {
        let json = serde_json::to_value(&report).expect("names are strings");
        let loads = report.runs.loads_checked();
        let checked = format!("{loads} loads checked, 0 wrong values{}", P::CHECKED);
        let (paper, text) = (report.paper, report.to_string());
        Self { paper, checked, figures: report.figures, score: report.score, text, json }
    }
}

type Run = fn(u32, &[Input], u64, &Attempt) -> Result<Reproduced, Error>;

/// A paper as `duet` knows it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// As in `duet reproduce NAME`.
    pub name: &'static str,
    /// The system of its machine.
    pub preset: &'static str,
    /// What has the CUs that the system counts.
    pub part: &'static str,
    /// Its scales, the default first.
    pub scales: &'static [Scale],
    /// Machines that equal a published design of a system.
    pub published: &'static [Published],
    /// Its machines at a scale.
    pub points: fn(u32) -> Vec<Point>,
    /// Runs its experiments.
    pub run: Run,
    /// The schema of its report as JSON.
    pub schema: fn() -> Schema,
}

inventory::collect!(Entry);

impl Entry {
    /// Of a paper.
    pub const fn of<P: Paper>() -> Self {
        Self {
            name: P::NAME,
            preset: P::PRESET,
            part: P::PART,
            scales: P::SCALES,
            published: P::PUBLISHED,
            points: P::points,
            run: |scale, inputs, perturbed, attempt| {
                Ok(run::<P>(scale, inputs, perturbed, attempt)?.into())
            },
            schema: || {
                let settings = SchemaSettings::draft2020_12().for_serialize();
                settings.into_generator().into_root_schema_for::<Report<P>>()
            },
        }
    }
}

/// All papers, by name.
pub fn all() -> Vec<&'static Entry> {
    let mut all: Vec<_> = inventory::iter::<Entry>.into_iter().collect();
    all.sort_by_key(|paper| paper.name);
    all
}
