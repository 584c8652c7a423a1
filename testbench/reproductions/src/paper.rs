//! A paper whose experiments `duet reproduce` runs: its machines, programs and figures.

use std::fmt::{self, Debug, Display, Formatter};
use std::panic::Location;

use machine::Options;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::experiment::{Attempt, Error, Input, Plan, Point, Row, Runs, SEED, SHIFT};
use crate::figure::{Figure, Listed};
use crate::scale::Scale;
use crate::summary::Summary;
use crate::table::{self, Column};

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
    type Details: Clone + Debug + PartialEq + Serialize + JsonSchema + Sync;

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
}

/// A paper's report as text: a table for each program.
pub trait Text: Paper {
    /// Publication and machine.
    const TITLE: &'static str;
    /// The machine that others are compared with.
    const BASE: &'static str;
    /// Machines of the tables; the JSON has all.
    const SHOWN: &'static [&'static str];
    /// What the columns mean.
    const LEGEND: &'static str;

    /// Columns of the tables.
    fn columns<'a>() -> Vec<Column<Row<'a>>>;

    /// What stands behind a program and its size.
    fn about(_report: &Report<Self>, _input: &Input) -> String {
        String::new()
    }

    /// The publication's program that a program corresponds to.
    fn like(input: &Input) -> &'static str {
        if input.like.is_empty() { "none" } else { input.like }
    }

    /// Writes what stands behind the tables.
    fn more(_report: &Report<Self>, _f: &mut Formatter) -> fmt::Result {
        Ok(())
    }
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
    pub summary: Summary,
}

impl<P: Paper> Report<P> {
    /// The same of other runs, without figures.
    fn of(&self, runs: &Runs) -> Self {
        Self { runs: runs.clone(), ..self.clone() }
    }
}

impl<P: Text> Display for Report<P> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let scale = match (self.scale, P::SCALES) {
            (1, [_]) => String::new(),
            (1, _) => " at full scale".to_string(),
            (by, _) => format!(" scaled by 1/{by}"),
        };
        writeln!(f, "{}{scale}. Seed {}.", P::TITLE, self.seed)?;
        let shown: Vec<_> = P::SHOWN.iter().copied().filter(|name| self.runs.has(name)).collect();
        for input in &self.runs.inputs {
            let (about, like) = (P::about(self, input), P::like(input));
            writeln!(f, "\n{input}{about}; corresponding program of the {}: {like}", P::WORK)?;
            table::write(f, &P::columns(), self.runs.beside(input.program, P::BASE, &shown))?;
        }
        writeln!(f, "\n{}", P::LEGEND)?;
        P::more(self, f)?;
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
        summary: Summary::default(),
    };
    report.figures = experiment.figures(|runs| P::figures(&report.of(runs)));
    report.summary = Summary::of(of_paper(&report.figures, P::FIGURES));
    Ok(report)
}

/// The figures that are the paper's: their ids begin so.
fn of_paper<'a>(figures: &'a [Figure], ids: &str) -> impl Iterator<Item = &'a Figure> {
    figures.iter().filter(move |figure| figure.id.starts_with(ids))
}

/// A paper whose experiments have run.
pub struct Reproduced {
    /// Its name.
    pub paper: &'static str,
    /// What was compared with what is right.
    pub checked: String,
    /// Its figures, and others of ours.
    pub figures: Vec<Figure>,
    /// How the ids of its figures begin.
    ids: &'static str,
    /// How near they come.
    pub summary: Summary,
    /// The report as text.
    pub text: String,
    /// And as JSON.
    pub json: serde_json::Value,
}

impl<P: Text> From<Report<P>> for Reproduced {
    fn from(report: Report<P>) -> Self {
        let json = serde_json::to_value(&report).expect("names are strings");
        let loads = report.runs.loads_checked();
        let checked = format!("{loads} loads checked, 0 wrong values{}", P::CHECKED);
        let (paper, text) = (report.paper, report.to_string());
        let (ids, Report { figures, summary, .. }) = (P::FIGURES, report);
        Self { paper, checked, figures, ids, summary, text, json }
    }
}

/// The summary of all figures of some papers.
pub fn summary_of(all: &[Reproduced]) -> Summary {
    Summary::of(all.iter().flat_map(|one| of_paper(&one.figures, one.ids)))
}

type Run = fn(u32, &[Input], u64, &Attempt) -> Result<Reproduced, Error>;

/// A paper as `duet` knows it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// As in `duet reproduce NAME`.
    pub name: &'static str,
    /// Where it is registered.
    pub place: &'static Location<'static>,
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
    #[track_caller]
    pub const fn of<P: Text>() -> Self {
        Self {
            name: P::NAME,
            place: Location::caller(),
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

/// Checks that no two papers have one name. Errors: the name and both places.
pub fn check_names() -> Result<(), String> {
    ports::check_unique("paper", all().into_iter().map(|paper| (paper.name, paper.place)))
}

/// All papers, by name.
pub fn all() -> Vec<&'static Entry> {
    let mut all: Vec<_> = inventory::iter::<Entry>.into_iter().collect();
    all.sort_by_key(|paper| paper.name);
    all
}

#[cfg(test)]
impl<P: Paper> Report<P> {
    /// A statistic of a run.
    pub fn count(&self, program: &str, machine: &str, name: &str) -> u64 {
        self.runs.record(program, machine).counter(name) as u64
    }

    /// A figure.
    pub fn figure(&self, id: &str) -> &Figure {
        self.figures.iter().find(|figure| figure.id == id).expect("a figure of this name")
    }

    /// Each program ran on all machines with the same loads checked, more than `least`.
    pub fn checks_all_loads(&self, least: u64) {
        let Runs { inputs, records, .. } = &self.runs;
        assert_eq!(records.len(), inputs.len() * P::points(self.scale).len());
        for Input { program, .. } in inputs {
            let mut loads =
                records.iter().filter(|r| r.program == *program).map(|r| r.loads_checked);
            let first = loads.next().unwrap();
            assert!(first > least && loads.all(|loads| loads == first), "{program}");
        }
    }
}
