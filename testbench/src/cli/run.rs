//! `duet run`: a program on a full GPU.
//!
//! ```text
//! $ duet run --system cpelide-4-small --workload reuse
//! cpelide-4-small  scale 60  workload reuse ...
//! ...
//! PASS reuse: ...
//! ```

use std::path::{Path, PathBuf};

use serde::Serialize;
use std::collections::BTreeMap;

use cosim::body::BodyKind;
use testbench::kernels;
use testbench::machine::{BLOCKS, Bodies, Machine, Options, RunError, System, SystemError};
use testbench::systems;
use testbench::trace::{self, Reader, Recorder};

use super::{DIFFER, ENVIRONMENT, Failure, STUCK, USAGE, WRONG_VALUE, output};

/// Run a program on a full GPU
#[derive(clap::Args)]
pub struct Args {
    /// Preset, or system file
    #[arg(long, value_name = "NAME|FILE")]
    system: String,
    /// Built-in program, or trace
    #[arg(long, value_name = "NAME|FILE")]
    workload: String,
    /// Set a field of the system, or `workload.size` and `workload.iterations`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Body of a block
    #[arg(long = "impl", value_name = "BLOCK=model|rtl|lockstep")]
    bodies: Vec<String>,
    /// Seed of a built-in program's input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop with status 3 after so many cycles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_cycles: Option<u64>,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The JSON record of a run.
#[derive(Serialize)]
struct Record {
    verdict: &'static str,
    system: String,
    scale: u32,
    workload: String,
    seed: u64,
    cycles: u64,
    time_ns: u64,
    values: Values,
    counters: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct Values {
    loads_checked: u64,
    loads_determined: u64,
    loads_racy: u64,
    atomics_checked: u64,
    released_bytes_checked: u64,
    mismatches: u64,
}

/// `KEY=VALUE` pairs: those of the workload, and those of the system.
type Settings = Vec<(String, String)>;

fn settings(args: &Args) -> Result<(Settings, Settings), Failure> {
    let mut pairs = Vec::new();
    for setting in &args.set {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::new(USAGE, format!("--set {setting}: must be KEY=VALUE")))?;
        pairs.push((key.to_string(), value.to_string()));
    }
    Ok(pairs.into_iter().partition(|(key, _)| key.starts_with("workload.")))
}

/// The bodies that `--impl` chooses.
fn bodies(args: &Args) -> Result<Bodies, Failure> {
    let usage = |message: String| Failure::new(USAGE, message);
    let mut bodies = Bodies::default();
    for choice in &args.bodies {
        let (block, kind) = choice
            .split_once('=')
            .ok_or_else(|| usage(format!("--impl {choice}: must be BLOCK=model|rtl|lockstep")))?;
        let kind = BodyKind::find(kind).ok_or_else(|| {
            usage(format!("--impl {choice}: {kind} is not model, rtl or lockstep"))
        })?;
        if !bodies.choose(block, kind) {
            return Err(usage(format!(
                "--impl {choice}: {block} is none of {}",
                BLOCKS.join(", ")
            )));
        }
    }
    Ok(bodies)
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let (workload_settings, system_settings) = settings(args)?;
    let system = systems::load(&args.system, &system_settings).map_err(system_failure)?;
    // A recorded trace's folder goes when this function ends.
    let (program, _folder) = program(args, &workload_settings)?;
    let workload = format!("{} {:016x}", program.name(), program.checksum());
    println!("{}  scale {}  workload {workload}  seed {}", system.name, system.scale, args.seed);
    let options = Options { max_cycles: args.max_cycles.unwrap_or(0), ..Options::default() };
    let bodies = bodies(args)?;
    let again = program.reopen().map_err(|e| Failure::new(USAGE, e))?;
    let mut machine = Machine::new(&system, &bodies, program, options).map_err(run_failure)?;
    let result = machine.run();
    let checked = machine.checked();
    let wrong = matches!(result, Err(RunError::Wrong(..)));
    let share = 100.0 * checked.determined as f64 / checked.loads.max(1) as f64;
    println!(
        "{} kernels, {} loads checked ({share:.1}% determined), {} atomics, {} bytes after releases",
        machine.kernels(),
        checked.loads,
        checked.atomics,
        checked.released_bytes
    );
    if let Some(file) = &args.json {
        let record = Record {
            verdict: if result.is_ok() { "PASS" } else { "FAIL" },
            system: system.name.clone(),
            scale: system.scale,
            workload,
            seed: args.seed,
            cycles: machine.cycle(),
            time_ns: (u128::from(machine.cycle()) * 1000 / u128::from(system.machine.clock_mhz))
                as u64,
            values: Values {
                loads_checked: checked.loads,
                loads_determined: checked.determined,
                loads_racy: checked.racy,
                atomics_checked: checked.atomics,
                released_bytes_checked: checked.released_bytes,
                mismatches: wrong.into(),
            },
            counters: machine.statistics().into_iter().collect(),
        };
        output::write_json(file, &record)?;
    }
    if let Err(RunError::Wrong(_, wrong)) = &result {
        tell_life(&system, &bodies, again, options, wrong.addr)?;
    }
    let cycles = result.map_err(run_failure)?;
    println!("PASS {}: {cycles} cycles, 0 wrong values", args.workload);
    Ok(0)
}

/// Runs again with the wrong byte watched, and shows what happened to it.
fn tell_life(
    system: &System,
    bodies: &Bodies,
    program: Reader,
    options: Options,
    addr: u64,
) -> Result<(), Failure> {
    let options = Options { watch: Some(addr), ..options };
    let mut machine = Machine::new(system, bodies, program, options).map_err(run_failure)?;
    // It ends as the first run did.
    let _ = machine.run();
    eprint!("life of byte {addr:#x}:\n{}", machine.life());
    Ok(())
}

/// The trace named, or that of a built-in program, recorded now.
fn program(
    args: &Args,
    settings: &Settings,
) -> Result<(Reader, Option<tempfile::TempDir>), Failure> {
    let usage = |message: String| Failure::new(USAGE, message);
    let file = Path::new(&args.workload);
    if file.extension().is_some() || file.components().count() > 1 {
        return Reader::open(file).map(|r| (r, None)).map_err(|e| usage(e.to_string()));
    }
    let program =
        kernels::program::<trace::Error>(&args.workload).map_err(|e| usage(e.to_string()))?;
    let mut params = program.params();
    params.seed = args.seed;
    for (key, value) in settings {
        let number = |v: &str| {
            v.parse()
                .map_err(|_| usage(format!("--set {key}={value}: must be a number below 2^32")))
        };
        match key.as_str() {
            "workload.size" => params.size = number(value)?,
            "workload.iterations" => params.iterations = number(value)?,
            _ => {
                let names = "workload.size or workload.iterations";
                return Err(usage(format!("--set {key}: must be {names}")));
            }
        }
    }
    let environment =
        |e: std::io::Error| Failure::new(ENVIRONMENT, format!("temporary trace: {e}"));
    let folder = tempfile::tempdir().map_err(environment)?;
    let path = folder.path().join(&args.workload);
    let mut recorder = Recorder::create(&path, &args.workload)
        .and_then(Recorder::fast)
        .map_err(|e| usage(e.to_string()))?;
    kernels::run(&args.workload, &params, &mut recorder).map_err(|e| usage(e.to_string()))?;
    recorder.save().map_err(|e| usage(e.to_string()))?;
    Reader::open(&path).map(|r| (r, Some(folder))).map_err(|e| usage(e.to_string()))
}

fn system_failure(error: SystemError) -> Failure {
    Failure::new(USAGE, error)
}

fn run_failure(error: RunError) -> Failure {
    let status = match error {
        RunError::Build(_) | RunError::Program { .. } | RunError::Trace(_) => USAGE,
        RunError::Differ(_) => DIFFER,
        RunError::Lost { .. } => WRONG_VALUE,
        RunError::Deadlock { .. } | RunError::CycleLimit(_) => STUCK,
        RunError::Wrong(..) => WRONG_VALUE,
    };
    Failure::new(status, error)
}
