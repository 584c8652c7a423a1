//! `duet correlate`: cases measured on a real GPU beside the machine.
//!
//! A measurement file has the launches of each case (`measurements.rs`). The machine runs the
//! traces of the same launches (`cases.rs`), each from cold caches.

mod capture;
mod cases;
mod counters;
mod measurements;
mod micro;
mod page;
mod result;
mod statistics;
mod text;

use std::path::PathBuf;

use bodies::Cache;
use cosim::fold::{Style, fold};

use super::outputs::Files;
use super::points::spread;
use super::{Failure, job, output};
use cases::Runner;
use measurements::Case;
pub use micro::Report as MicroReport;
pub use result::Report;
use result::Summary;
use text::Table;

/// Compare the machine with a measured GPU, launch by launch
#[derive(clap::Args)]
pub struct Args {
    /// Measurements of a GPU; an H100's unless given
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// FILE has the latencies and rates that micro.cu prints, and no launches
    #[arg(long, conflicts_with_all = ["traces", "launches", "report"])]
    micro: bool,
    /// Preset, or system file; h100 unless given
    #[arg(long, value_name = "NAME|FILE")]
    system: Option<String>,
    /// Set a field of the system
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Only this case, PROGRAM-N-M, or all cases of a program; or lines that begin with these words
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    /// Folder with PROGRAM-N-M.trace of each case; those that are missing are captured into it
    ///
    /// Default: a folder of the user's cache.
    #[arg(long, value_name = "FOLDER")]
    traces: Option<PathBuf>,
    /// Cases that run at a time; the result is the same
    ///
    /// Default: one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Show each launch of cases with several
    #[arg(long)]
    launches: bool,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page with a scatter plot of the cycles
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write the programs that measure a GPU into this folder, and end
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    if let Some(folder) = &args.programs {
        capture::write(folder)?;
        println!("PASS correlate: {} files in {}", capture::FILES.len(), folder.display());
        return Ok(0);
    }
    Files::default()
        .reads("FILE", args.file.as_deref())
        .reads("--system", args.system.as_ref())
        .writes("--json", args.json.as_deref())
        .writes("--report", args.report.as_deref())
        .claim()?;
    if args.micro {
        return micro::run(args);
    }
    let cases = chosen(measurements::read(args.file.as_deref())?, &args.cases)?;
    let set = job::settings(&args.set)?;
    let system = job::system(args.system.as_deref().unwrap_or("h100"), &set)?;
    let (name, scale) = (system.name.clone(), system.scale);
    let runner = Runner::new(system, args.traces.clone().map_or_else(in_cache, Ok)?)?;
    cases.iter().try_for_each(|case| runner.check(case))?;

    println!("{name}  scale {scale}  {} cases of {}", cases.len(), cases[0].file);
    let width = cases.iter().map(|case| case.name().len() + 2).max().unwrap_or(0);
    let table = Table::new(width);
    println!("{}", table.head());
    let (cases, failure) = in_order(
        args,
        (cases.len(), "cases"),
        |at| runner.run(&cases[at]),
        |at, case| show(args, &table, &cases[at], case),
    )?;
    let verdict = if failure.is_none() { "PASS" } else { "FAIL" };
    let summary = Summary::of(&cases);
    let report = Report { verdict, system: name, scale, summary, cases };
    for line in table.notes().into_iter().chain(text::summary(&report)) {
        println!("{}", fold(&line, 2, Style::Text));
    }
    if let Some(path) = &args.json {
        output::write_json(path, &report)?;
    }
    if let Some(path) = &args.report {
        output::write_file(path, &page::page(&report).into_string())?;
    }
    match failure {
        Some(failure) => Err(failure),
        None => {
            println!("{}", text::pass(&report));
            Ok(0)
        }
    }
}

/// Does `work` on the numbers below `all`, several at a time; `show` receives each result in the
/// order of the numbers. Gives the results, and the failure with the greatest status if there is
/// one.
fn in_order<T: Send>(
    args: &Args,
    (all, what): (usize, &'static str),
    work: impl Fn(usize) -> Result<T, Failure> + Sync,
    show: impl Fn(usize, &Result<T, Failure>),
) -> Result<(Vec<T>, Option<Failure>), Failure> {
    let mut found: Vec<Option<Result<T, Failure>>> = (0..all).map(|_| None).collect();
    let mut shown = 0;
    let jobs = args.jobs.map_or_else(|| job::cores().into(), usize::from);
    let work = |(): &mut (), at: usize| work(at);
    spread(all, jobs, what, work, |at, result, progress| {
        found[at] = Some(result);
        progress.clear();
        while let Some(Some(result)) = found.get(shown) {
            show(shown, result);
            shown += 1;
        }
        Ok(())
    })?;
    let (done, failures): (Vec<_>, Vec<_>) = found.into_iter().flatten().partition(Result::is_ok);
    let failure = failures.into_iter().filter_map(Result::err).max_by_key(|f| f.status);
    Ok((done.into_iter().flatten().collect(), failure))
}

/// Prints a case that has run.
fn show(args: &Args, table: &Table, measured: &Case, case: &Result<result::Case, Failure>) {
    match case {
        Ok(case) => {
            println!("{}", table.case(case));
            let launches = case.launches.iter().enumerate();
            let wanted = args.launches && case.launches.len() > 1;
            for (number, launch) in launches.filter(|_| wanted) {
                println!("{}", table.launch(number, launch));
            }
        }
        Err(Failure { message, .. }) => println!("FAIL {}: {message}", measured.name()),
    }
}

/// The cases that were named, all if none was.
fn chosen(cases: Vec<Case>, names: &[String]) -> Result<Vec<Case>, Failure> {
    let is = |case: &Case, name: &String| case.name() == *name || case.program == *name;
    for name in names {
        if !cases.iter().any(|case| is(case, name)) {
            let known: Vec<_> = cases.iter().map(Case::name).collect();
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            return Err(Failure::unknown("--case", name, &known, &cases[0].file));
        }
    }
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| is(case, name));
    Ok(cases.into_iter().filter(wanted).collect())
}

/// Traces of all correlations, beside the Verilated libraries of the cache. Programs and plugin of
/// another version have a folder of their own.
fn in_cache() -> Result<PathBuf, Failure> {
    let cache = Cache::find();
    let cache = cache.map_err(|e| Failure::environment(format!("{e}; --traces names a folder")))?;
    Ok(cache.folder().with_file_name(format!("correlation-{:08x}", capture::version())))
}
