//! `duet sweep FILE.toml`: configurations x programs x seeds into one SQLite file.
//!
//! A point that the file holds is not run again, so that a sweep which was ended goes on where it
//! was. `docs/sweeps.md` has the sweep file and the tables.

mod file;
mod intact;
mod plan;
mod slurm;
mod store;
mod summary;
mod views;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;

use super::output::write_file;
use super::outputs::Files;
use super::points::{self, Point};
use super::{ENVIRONMENT, Failure, USAGE, bodies, build};
pub use file::Sweep;
use plan::Plan;
use slurm::Part;
use store::Store;

/// Run configurations x programs x seeds into one SQLite file
#[derive(clap::Args)]
pub struct Args {
    /// The sweep file: grids of systems, programs, settings and seeds
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The SQLite file; points that it holds are not run again
    ///
    /// Default: FILE with the ending .sqlite.
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Write a line for each point: settings, status, cycles
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Points that run at a time; the result is the same
    ///
    /// Default: one for each core; with --engine slurm 1 for each element.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// What runs the points: threads here, or elements of a Slurm job array
    #[arg(long, value_enum, default_value_t = Engine::Local)]
    engine: Engine,
    /// Points of an element of the job array
    ///
    /// Default: 16, and more where there would be more than 1000 elements.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    chunk: Option<u32>,
    /// Of an element of a job array: the points whose keys this file lists
    #[arg(long, value_name = "FILE", hide = true, requires = "part")]
    points: Option<PathBuf>,
    /// Of an element of a job array: which of how many parts of these points, from 1
    #[arg(long, value_name = "K/N", hide = true, requires = "points", value_parser = slurm::part)]
    part: Option<Part>,
    #[command(flatten)]
    rtl: bodies::Sources,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    Local,
    Slurm,
}

impl Args {
    /// The SQLite file.
    fn into(&self) -> PathBuf {
        self.into.clone().unwrap_or_else(|| self.file.with_extension("sqlite"))
    }
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    if args.chunk.is_some() && args.engine == Engine::Local {
        return Err(Failure::usage("--chunk: only --engine slurm has chunks"));
    }
    Files::default()
        .reads("FILE", Some(&args.file))
        .reads("--into", Some(args.into()))
        .writes("--csv", args.csv.as_deref())
        .claim()?;
    args.rtl.apply()?;
    let sweep = Sweep::read(&args.file)?;
    let mut plan = Plan::new(&args.file, &sweep)?;
    if let (Some(list), Some(part)) = (&args.points, args.part) {
        part.choose(list, &mut plan)?;
    }
    let into = args.into();
    let mut store = Store::open(&into, &sweep, &build()?)?;
    if args.engine == Engine::Slurm {
        slurm::collect(&into, &mut store)?;
    }
    store.refuse(&plan.refused)?;
    let done = store.statuses()?;
    // What the environment has kept from running may run now.
    let is_done = |point: &&Point| done.get(&point.key).is_some_and(|(s, _)| *s != ENVIRONMENT);
    let left: Vec<&Point> = plan.points.iter().filter(|point| !is_done(point)).collect();
    println!(
        "{}: {} points, {} of them in {}; {} refused",
        sweep.name,
        plan.points.len(),
        plan.points.len() - left.len(),
        into.display(),
        plan.refused.len()
    );
    match args.engine {
        Engine::Local => {
            bodies::build_all(&points::requests(left.iter().copied()), args.jobs)?;
            points::each(&left, jobs(args), |at, outcome| store.add(left[at], &outcome))?;
        }
        Engine::Slurm => {
            // Before elements on several nodes ask for the same.
            bodies::build_all(&points::requests(left.iter().copied()), None)?;
            slurm::run(args, &left, &mut store)?;
        }
    }
    store.show()?;
    if let Some(path) = &args.csv {
        write_file(path, &store.csv()?)?;
    }
    summary::print(&plan.points, &store.cycles()?);
    verdict(&plan, &store.statuses()?)
}

/// Points that run at a time here.
fn jobs(args: &Args) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    args.jobs.map_or_else(cores, usize::from)
}

/// Prints what was refused and what has failed, and ends the sweep: with the greatest status.
fn verdict(plan: &Plan, done: &BTreeMap<String, (u8, String)>) -> Result<u8, Failure> {
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed: Vec<(u8, String)> = Vec::new();
    for known in &plan.refused {
        *refused.entry(&known.message).or_default() += 1;
    }
    for Point { key, choice, .. } in &plan.points {
        let (status, message) = &done[key];
        match *status {
            0 => {}
            USAGE => *refused.entry(message).or_default() += 1,
            status => {
                let first = message.lines().next().unwrap_or_default();
                println!("status {status}  {key}  {}: {first}", choice.words(""));
                failed.push((status, format!("{key}: {first}")));
            }
        }
    }
    for (message, count) in &refused {
        println!("refused {count:>5}  {}", message.lines().next().unwrap_or_default());
    }
    let refused: usize = refused.values().sum();
    let ran = plan.points.len() + plan.refused.len() - refused;
    match failed.iter().max_by_key(|(status, _)| *status) {
        None => {
            println!("PASS sweep: {ran} points, {refused} refused");
            Ok(0)
        }
        Some((status, first)) => {
            let problem = format!(
                "sweep: {} of {ran} points failed, {refused} refused: {first}",
                failed.len()
            );
            Err(Failure::new(*status, problem))
        }
    }
}
