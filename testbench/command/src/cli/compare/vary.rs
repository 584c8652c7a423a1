//! The combinations of what varies: which machines they are, and their runs.

use std::thread;

use cosim::body::BodyKind;
use machine::{SystemError, systems};
use ports::did_you_mean;
use reproductions::figure::geometric_mean;

use super::super::output::{JsonFile, write_file};
use super::super::points::{self, Known, Outcome, Point};
use super::super::{Failure, bodies, choice, job, record};
use super::{Args, Cp, notes, table};

/// Most runs of a comparison.
const MOST: usize = 1000;
/// Runs with other path latencies, unless stated.
const PERTURBED: u64 = 3;
/// What varies the implementation of all blocks.
const IMPL: &str = "impl";

/// A field and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Dotted path, `design` or `impl`.
    pub name: String,
    /// In the order of the command line.
    pub values: Vec<String>,
}

/// A combination of values.
#[derive(Clone, Debug)]
pub struct Variant {
    /// By field.
    pub values: Vec<(String, String)>,
    /// What it sets of the system: `design`, then `--set`, then what varies, as a later setting
    /// counts for more.
    pub set: job::Settings,
}

impl Variant {
    /// What a table calls it: its values.
    pub fn label(&self) -> String {
        self.values.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// The runs of a program with one seed on one combination.
pub struct Cell {
    /// Number of the combination.
    pub variant: usize,
    /// Number of the program.
    pub workload: usize,
    /// Seed of the program's input.
    pub seed: u64,
    /// The run without perturbation; none where it has failed.
    pub run: Option<record::Run>,
    /// Cycles of the runs with other path latencies, by their seeds.
    pub perturbed: Vec<Option<u64>>,
}

/// All runs of a comparison.
pub struct Compared<'a> {
    /// The command line.
    pub args: &'a Args,
    /// The combinations; the first is what the others are compared with.
    pub variants: Vec<Variant>,
    /// Their systems.
    pub systems: Vec<machine::System>,
    /// Each program with its size.
    pub programs: Vec<String>,
    /// Each program with each seed on each combination.
    pub cells: Vec<Cell>,
}

impl Compared<'_> {
    /// The runs of a program and seed on a combination.
    pub fn cell(&self, variant: usize, workload: usize, seed: u64) -> &Cell {
        let mut cells = self.cells.iter();
        let found = cells.find(|c| (c.variant, c.workload, c.seed) == (variant, workload, seed));
        found.expect("every program runs on every combination")
    }

    /// Seeds of inputs.
    pub fn seeds(&self) -> Vec<u64> {
        seeds(self.args)
    }

    /// The speedup of a combination over the first for a program and seed: without perturbation,
    /// then for each perturbation.
    pub fn speedups(&self, variant: usize, workload: usize, seed: u64) -> Vec<f64> {
        let [own, first] = [variant, 0].map(|variant| self.cell(variant, workload, seed));
        let cycles = |cell: &Cell| {
            let plain = cell.run.as_ref().map(|run| run.cycles);
            [plain].into_iter().chain(cell.perturbed.iter().copied()).collect::<Vec<_>>()
        };
        let both = cycles(own).into_iter().zip(cycles(first));
        both.filter_map(|(own, first)| Some(first? as f64 / own? as f64)).collect()
    }

    /// Geometric means over all seeds of a program, or of all programs: without perturbation, then
    /// for each perturbation. None where a run has failed.
    pub fn means(&self, variant: usize, workload: Option<usize>) -> Option<Vec<f64>> {
        let programs = match workload {
            Some(workload) => workload..workload + 1,
            None => 0..self.args.workload.len(),
        };
        let runs = 1 + perturbed(self.args) as usize;
        let seeds = self.seeds();
        let inputs = programs.flat_map(|workload| seeds.iter().map(move |seed| (workload, *seed)));
        let all: Vec<_> =
            inputs.map(|(workload, seed)| self.speedups(variant, workload, seed)).collect();
        let mean = |run| geometric_mean(&all.iter().map(|own| own[run]).collect::<Vec<_>>());
        let is_whole = all.iter().all(|own| own.len() == runs);
        is_whole.then(|| (0..runs).map(mean).collect())
    }
}

/// Number of runs with other path latencies.
pub fn perturbed(args: &Args) -> u64 {
    args.perturbed.unwrap_or(PERTURBED)
}

fn seeds(args: &Args) -> Vec<u64> {
    if args.seed.is_empty() { vec![1] } else { args.seed.clone() }
}

/// Takes each FIELD=A,B apart. Errors: one is not of this form, or names something twice.
pub fn fields(vary: &[String]) -> Result<Vec<Field>, Failure> {
    let mut all: Vec<Field> = Vec::new();
    for text in vary {
        let refused = |problem: &str| Failure::usage(format!("--vary {text}: {problem}"));
        let (name, values) =
            text.split_once('=').ok_or_else(|| refused("must be FIELD=A,B,..."))?;
        let values: Vec<String> = values.split(',').map(String::from).collect();
        if name.is_empty() || values.iter().any(String::is_empty) {
            return Err(refused("must be FIELD=A,B,..."));
        }
        if all.iter().any(|field| field.name == name) {
            return Err(refused("the field is varied already; one --vary takes all its values"));
        }
        if (1..values.len()).any(|at| values[..at].contains(&values[at])) {
            return Err(refused("a value is named twice"));
        }
        if name == IMPL {
            let known = ["model", "rtl", "lockstep"];
            if let Some(value) = values.iter().find(|value| BodyKind::find(value).is_none()) {
                let near = did_you_mean(value, known);
                return Err(refused(&format!("{value} is not model, rtl or lockstep{near}")));
            }
        }
        all.push(Field { name: name.to_string(), values });
    }
    Ok(all)
}

/// Whether only models and RTL vary, which are compared transfer by transfer.
pub fn is_sides(fields: &[Field]) -> bool {
    matches!(fields, [Field { name, values }] if name == IMPL && *values == ["model", "rtl"])
}

/// All combinations; the last field changes first.
fn combinations(args: &Args, fields: &[Field]) -> Result<Vec<Variant>, Failure> {
    let own = job::settings(&args.set)?;
    let own: Vec<_> = own.into_iter().filter(|(key, _)| !key.starts_with("workload.")).collect();
    let mut all: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for Field { name, values } in fields {
        let with = |before: &Vec<(String, String)>, value: &String| {
            let mut values = before.clone();
            values.push((name.clone(), value.clone()));
            values
        };
        all = all
            .iter()
            .flat_map(|before| values.iter().map(move |value| with(before, value)))
            .collect();
    }
    let before = job::plain(&args.system, &own)?;
    // A setting may be without effect on some of the combinations, but not on all.
    let mut idle: Vec<Option<SystemError>> = own.iter().map(|_| None).collect();
    let mut read = vec![false; own.len()];
    let mut variants = Vec::new();
    for values in all {
        let is_design = |(key, _): &&(String, String)| key == systems::DESIGN;
        let is_field = |(key, _): &&(String, String)| key != systems::DESIGN && key != IMPL;
        let (designs, varied) = (values.iter().filter(is_design), values.iter().filter(is_field));
        let set: Vec<_> = designs.clone().chain(&own).chain(varied.clone()).cloned().collect();
        let label = values.iter().map(|(field, value)| format!("{field}={value}"));
        let label = label.collect::<Vec<_>>().join(" ");
        let refused = |e: SystemError| Failure::usage(format!("--vary {label}: {e}"));
        let system = systems::load(&args.system, &set).map_err(refused)?;
        let mut kept = Vec::new();
        for (at, setting) in own.iter().enumerate() {
            match machine::idle::check(std::slice::from_ref(setting), &before, &system) {
                Ok(()) => {
                    read[at] = true;
                    kept.push(setting);
                }
                Err(error) => idle[at] = Some(error),
            }
        }
        let set = designs.chain(kept).chain(varied).cloned().collect();
        variants.push(Variant { values: values.clone(), set });
    }
    match idle.into_iter().zip(read).find_map(|(error, read)| error.filter(|_| !read)) {
        Some(error) => Err(Failure::usage(error)),
        None => Ok(variants),
    }
}

/// The arguments of one run.
fn choice(args: &Args, variant: &Variant, workload: usize, seed: u64) -> choice::Args {
    let of_program = args.set.iter().filter(|set| set.starts_with("workload.")).cloned();
    let of_system = variant.set.iter().map(|(key, value)| format!("{key}={value}"));
    let body = variant.values.iter().find(|(field, _)| field == IMPL);
    let cp = args.cp.map(|cp| match cp {
        Cp::Native => "native".to_string(),
        Cp::Core => match body {
            Some((_, body)) if body != "model" => body.clone(),
            _ => "iss".to_string(),
        },
    });
    choice::Args {
        job: job::Args {
            set: of_program.chain(of_system).collect(),
            // A recorded trace has none.
            seed: (!args.seed.is_empty()).then_some(seed),
            ..args.job(workload, 0)
        },
        bodies: body.iter().map(|(_, body)| format!("*={body}")).collect(),
        cp,
        firmware: None,
    }
}

/// Runs all combinations.
pub fn run(args: &Args, fields: Vec<Field>) -> Result<u8, Failure> {
    let (seeds, perturbed) = (seeds(args), perturbed(args));
    let inputs = args.workload.len() * seeds.len();
    let each = inputs.saturating_mul(1 + perturbed as usize);
    let count = fields.iter().map(|field| field.values.len()).fold(each, usize::saturating_mul);
    if count > MOST {
        let problem = format!("{count} runs; at most {MOST}");
        return Err(Failure::usage(format!("--vary {}: {problem}", args.vary.join(" --vary "))));
    }
    let variants = combinations(args, &fields)?;
    let points = points(args, &variants)?;
    let runs = 1 + perturbed as usize;
    let json = args.json.as_deref().map(JsonFile::create).transpose()?;
    bodies::build_all(&points::requests(&points), args.jobs)?;
    let mut compared = Compared {
        args,
        // The first combinations are those of the first program and seed.
        systems: (0..variants.len())
            .map(|variant| points[variant * runs].configuration.system.clone())
            .collect(),
        programs: programs(&points, args.workload.len()),
        cells: cells(args, variants.len(), &seeds, perturbed),
        variants,
    };
    let mut shown: Vec<Option<report::Run>> = points.iter().map(|_| None).collect();
    let mut failed: Vec<(usize, u8, String)> = Vec::new();
    let all: Vec<&Point> = points.iter().collect();
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    points::each(&all, args.jobs.map_or_else(cores, usize::from), |at, outcome| {
        let Outcome { status, message, record, shown: page, .. } = outcome;
        let cell = &compared.cells[at / runs];
        let name = compared.variants[cell.variant].label();
        let name = match args.workload.len() {
            1 => name,
            _ => format!("{} {name}", compared.programs[cell.workload]),
        };
        shown[at] = page.map(|page| report::Run { name, ..page });
        if status != 0 {
            failed.push((at, status, message.lines().next().unwrap_or_default().to_string()));
            return Ok(());
        }
        let cell = &mut compared.cells[at / runs];
        match (at % runs).checked_sub(1) {
            None => cell.run = record,
            Some(number) => cell.perturbed[number] = record.map(|run| run.cycles),
        }
        Ok(())
    })?;
    table::print(&compared);
    notes::print(&compared);
    if let Some(path) = &args.csv {
        write_file(path, &table::csv(&compared))?;
    }
    if let Some(json) = json {
        json.write(&table::record(&compared, failed.is_empty()))?;
    }
    if let Some(path) = &args.report {
        let runs: Vec<_> = shown.into_iter().flatten().collect();
        write_file(path, &report::page(&runs))?;
        println!("details: {}", path.display());
    }
    failed.sort();
    for (at, status, message) in &failed {
        println!("status {status}  {}: {message}", points[*at].choice.words(""));
    }
    match failed.iter().max_by_key(|(_, status, _)| *status) {
        None => {
            println!(
                "PASS compare: {} runs, {} combinations, 0 wrong values",
                points.len(),
                compared.variants.len()
            );
            Ok(0)
        }
        Some((_, status, first)) => {
            let problem =
                format!("compare: {} of {} runs failed: {first}", failed.len(), points.len());
            Err(Failure::new(*status, problem))
        }
    }
}

/// All runs: of each cell, in the order of [`cells`], the one without perturbation, then the
/// perturbed ones. Errors: a combination is no machine, or a field has no effect in it.
fn points(args: &Args, variants: &[Variant]) -> Result<Vec<Point>, Failure> {
    let mut known = Known::default();
    let mut all = Vec::new();
    for workload in 0..args.workload.len() {
        for seed in seeds(args) {
            for variant in variants {
                for perturb in 0..=perturbed(args) {
                    let mut choice = choice(args, variant, workload, seed);
                    choice.job.perturb = (perturb > 0).then_some(perturb);
                    let mut point = known.point(&choice).map_err(|no| {
                        let Failure { status, message } = no.failure;
                        Failure::new(status, format!("--vary {}: {message}", variant.label()))
                    })?;
                    point.is_shown = args.report.is_some() && perturb == 0;
                    all.push(point);
                }
            }
        }
    }
    Ok(all)
}

/// The programs with their sizes, in the order of the command line.
fn programs(points: &[Point], workloads: usize) -> Vec<String> {
    let each = points.len() / workloads;
    (0..workloads).map(|workload| points[workload * each].program.to_string()).collect()
}

/// Cells without results.
fn cells(args: &Args, variants: usize, seeds: &[u64], perturbed: u64) -> Vec<Cell> {
    let mut all = Vec::new();
    for workload in 0..args.workload.len() {
        for &seed in seeds {
            for variant in 0..variants {
                let perturbed = vec![None; perturbed as usize];
                all.push(Cell { variant, workload, seed, run: None, perturbed });
            }
        }
    }
    all
}
