//! `duet litmus FILE|NAME|all`: litmus tests on machines of every L1 and L2 design, their outcomes
//! counted. An outcome that a machine's promise forbids ends the command with status 4.
//!
//! ```text
//! $ duet litmus MP+fences --runs 200 --design gtsc-rc
//! ...
//! PASS litmus: 1 test on 1 design, 200 runs, no forbidden outcome
//! ```

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;

use ::litmus::{Design, Error, Forbidden, Job, Promise, Row, Sizes, Test, shapes};
use cosim::body::BodyKind;
use machine::Bodies;
use ports::{did_you_mean, known_names, nearest_names};
use schemars::JsonSchema;
use serde::Serialize;

use super::bodies::Sources;
use super::job::run_failure;
use super::outputs::Files;
use super::{Failure, WRONG_VALUE, output};

/// Run litmus tests on machines of every design, and count their outcomes
#[derive(clap::Args)]
pub struct Args {
    /// Tests: litmus files, names of known shapes, or all for all shapes
    #[arg(required = true, value_name = "FILE|NAME|all")]
    tests: Vec<String>,
    /// Runs of each test on each design
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Seed of machines, placements and delays
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Designs of L1s, or of both, that take part; without it all
    #[arg(long, value_name = "L1[/L2]")]
    design: Vec<String>,
    /// Implementation of the blocks whose instance paths match; only designs with such blocks
    /// take part, on machines of one size
    #[arg(long = "impl", value_name = "PLACES=model|rtl|lockstep")]
    bodies: Vec<String>,
    /// Set a field of each machine's system file
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads, each with tests of its own
    ///
    /// Default: the number of cores. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: Option<u16>,
    /// Show the known shapes, or with a name the file of one, and run nothing
    #[arg(long)]
    show: bool,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    rtl: Sources,
}

/// The result.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// PASS or FAIL.
    verdict: &'static str,
    /// Seed of machines, placements and delays.
    seed: u64,
    /// Runs of all tests on all designs.
    runs: u64,
    /// Of these, runs with a forbidden outcome.
    forbidden: u64,
    /// A test on the machines of a design that promise the same.
    rows: Vec<Row>,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    if args.show {
        return show(&args.tests);
    }
    let tests = tests(&args.tests)?;
    let is_file = |name: &&String| Path::new(name).is_file();
    args.tests
        .iter()
        .filter(is_file)
        .fold(Files::default(), |files, name| files.reads("FILE", Some(name)))
        .writes("--json", args.json.as_deref())
        .claim()?;
    args.rtl.apply()?;
    let job = job(args)?;
    let rows = ::litmus::run(&job, &tests).map_err(failure)?;
    print(&rows);
    let runs: u64 = rows.iter().map(|row| row.runs).sum();
    let forbidden: u64 = rows.iter().map(Row::forbidden_runs).sum();
    let did = format!(
        "{} on {}, {runs} runs",
        number(tests.len(), "test"),
        number(job.designs.len(), "design")
    );
    let passed = forbidden == 0;
    if let Some(path) = &args.json {
        let verdict = if passed { "PASS" } else { "FAIL" };
        let report = Report { verdict, seed: args.seed, runs, forbidden, rows };
        output::write_json(path, &report)?;
    }
    match passed {
        true => println!("PASS litmus: {did}, no forbidden outcome"),
        false => println!("FAIL litmus: {did}, {forbidden} with a forbidden outcome"),
    }
    Ok(if passed { 0 } else { WRONG_VALUE })
}

fn number(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Names of the shapes, or files of those that are named.
fn show(names: &[String]) -> Result<u8, Failure> {
    for name in names {
        if name == "all" {
            shapes::SHAPES.iter().for_each(|(name, _)| println!("{name}"));
            continue;
        }
        let shape = shapes::SHAPES.iter().find(|(known, _)| known == name);
        let (_, text) = shape.ok_or_else(|| unknown(name))?;
        print!("{text}");
    }
    Ok(0)
}

fn unknown(name: &str) -> Failure {
    let known: Vec<_> = shapes::SHAPES.iter().map(|(name, _)| *name).chain(["all"]).collect();
    let known = known_names(name, known, Some("duet litmus all --show"));
    Failure::usage(format!("{name}: must be a litmus file, or one of {known}"))
}

fn tests(names: &[String]) -> Result<Vec<Test>, Failure> {
    let mut all: Vec<Test> = Vec::new();
    for name in names {
        let read = match shapes::SHAPES.iter().find(|(known, _)| known == name) {
            _ if name == "all" => shapes::all(),
            Some((name, text)) => vec![parsed(name, text)?],
            None if Path::new(name).exists() => {
                let text = std::fs::read_to_string(name);
                let text = text.map_err(|e| Failure::usage(format!("{name}: {e}")))?;
                vec![parsed(name, &text)?]
            }
            None => return Err(unknown(name)),
        };
        for test in read {
            // Rows have no other name.
            if all.iter().any(|other| other.name == test.name) {
                let twice = format!("{name}: there is a test {} already", test.name);
                return Err(Failure::usage(twice));
            }
            all.push(test);
        }
    }
    Ok(all)
}

fn parsed(file: &str, text: &str) -> Result<Test, Failure> {
    ::litmus::parse(file, text).map_err(Failure::usage)
}

/// What is to be run.
fn job(args: &Args) -> Result<Job, Failure> {
    let mut bodies = Bodies::default();
    let mut places = Vec::new();
    for choice in &args.bodies {
        let must = || Failure::usage(format!("--impl {choice}: must be PLACES=model|rtl|lockstep"));
        let (pattern, kind) = choice.rsplit_once('=').ok_or_else(must)?;
        bodies = bodies.with(pattern, BodyKind::find(kind).ok_or_else(must)?);
        places.push(pattern.to_string());
    }
    let set = |text: &String| {
        let pair = text.split_once('=');
        let pair = pair.ok_or_else(|| Failure::usage(format!("--set {text}: must be KEY=VALUE")));
        pair.map(|(key, value)| (key.to_string(), value.to_string()))
    };
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let mut job = Job {
        runs: args.runs,
        seed: args.seed,
        designs: designs(&args.design)?,
        bodies,
        sizes: if places.is_empty() { Sizes::Drawn } else { Sizes::Fixed },
        set: args.set.iter().map(set).collect::<Result<_, _>>()?,
        threads: args.threads.map_or_else(cores, usize::from),
    };
    if !places.is_empty() {
        job.designs = ::litmus::designs_with(&job, &places).map_err(failure)?;
        if job.designs.is_empty() {
            let none = format!("--impl {}: no design has such a block", args.bodies.join(" "));
            return Err(Failure::usage(none));
        }
    }
    Ok(job)
}

/// Those of which each has one of these names; all without any.
fn designs(names: &[String]) -> Result<Vec<Design>, Failure> {
    let all = Design::all();
    let is_named = |design: &Design, name: &str| design.l1 == name || design.name() == name;
    for name in names {
        if !all.iter().any(|design| is_named(design, name)) {
            let l1: BTreeSet<_> = all.iter().map(|design| design.l1.as_str()).collect();
            let l1: Vec<_> = l1.into_iter().collect();
            let pairs: Vec<_> = all.iter().map(Design::name).collect();
            let near = did_you_mean(name, l1.iter().copied().chain(pairs.iter().map(|p| &p[..])));
            let known = nearest_names(name, l1, Some("duet list protocols"));
            let problem =
                format!("must be one of {known}, alone or as L1/L2 with its L2 design{near}");
            return Err(Failure::usage(format!("--design {name}: {problem}")));
        }
    }
    let wanted =
        |design: &Design| names.is_empty() || names.iter().any(|name| is_named(design, name));
    Ok(all.into_iter().filter(wanted).collect())
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Run { test, design, seed, error } => {
            let Failure { status, message } = run_failure(*error);
            Failure::new(status, format!("{test} on {design}, seed {seed}: {message}"))
        }
        Error::Trace(error) => Failure::environment(error),
        _ => Failure::usage(error),
    }
}

fn print(rows: &[Row]) {
    let width = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (test, design) = (width(|row| row.test.len()), width(|row| row.design.len()));
    println!(
        "{:<test$}  {:<design$}  {:<14}{:>9}{:>9}{:>6}{:>11}{:>11}",
        "test", "design", "promise", "runs", "allowed", "seen", "condition", "forbidden"
    );
    for row in rows {
        print!(
            "{:<test$}  {:<design$}  {:<14}{:>9}{:>9}{:>6}{:>11}{:>11}",
            row.test,
            row.design,
            row.promise.name(),
            row.runs,
            row.allowed,
            row.seen.len(),
            row.condition,
            row.forbidden_runs(),
        );
        match row.never.is_empty() {
            true => println!(),
            false => println!("  never {}", some(&row.never)),
        }
        for Forbidden { outcome, runs, first } in &row.forbidden {
            println!("  forbidden {outcome}, {runs} runs, the first: {first}");
        }
    }
    print_never(rows);
}

/// The first of a list, and how many are left: the JSON has all.
fn some<T: Borrow<str>>(list: &[T]) -> String {
    const MOST: usize = 4;
    let first = list[..list.len().min(MOST)].join(", ");
    match list.len().saturating_sub(MOST) {
        0 => first,
        left => format!("{first} and {left} more"),
    }
}

/// What a promise allows and no design has shown.
fn print_never(rows: &[Row]) {
    let mut of: BTreeMap<(Promise, &str), (u64, BTreeSet<&str>)> = BTreeMap::new();
    for row in rows {
        let never = row.never.iter().map(|outcome| &outcome[..]).collect();
        let (runs, all) = of.entry((row.promise, &row.test)).or_insert_with(|| (0, never));
        *runs += row.runs;
        all.retain(|outcome| row.never.iter().any(|other| other == outcome));
    }
    for promise in Promise::ALL {
        let tests = of.iter().filter(|((other, _), _)| *other == promise);
        let runs: u64 = tests.clone().map(|(_, (runs, _))| runs).sum();
        if runs == 0 {
            continue;
        }
        let own = rows.iter().filter(|row| row.promise == promise);
        let forbidden: u64 = own.map(Row::forbidden_runs).sum();
        println!("{}: {runs} runs, {forbidden} with a forbidden outcome", promise.name());
        for ((_, test), (_, never)) in tests.filter(|(_, (_, never))| !never.is_empty()) {
            let never: Vec<_> = never.iter().copied().collect();
            println!("  allowed and never seen  {test}: {}", some(&never));
        }
    }
}
