//! `duet compare`: one program or several on whatever varies: designs, fields of the system, or the
//! implementation of the blocks.
//!
//! ```text
//! $ duet compare --system cpelide-4-small --workload reuse --vary design=software,cpelide
//! cpelide-4-small  scale 60  workload reuse ...
//! ...
//! PASS compare: ...
//! ```

mod notes;
mod sides;
mod table;
mod vary;

use std::path::PathBuf;

use super::keep::Again;
use super::outputs::Files;
use super::{Failure, bodies, bundled, choice, job, run};

/// Compare designs, settings, or model and RTL on the same programs
///
/// --vary FIELD=A,B runs every program with each value of a field of the system, and shows cycles,
/// speedup over the first value, and where the time and the traffic go. `design` is the field of a
/// paper's designs as the paper ran them (`duet list designs`). Without --vary, and with --vary
/// impl=model,rtl alone, the same run on models and on RTL is compared transfer by transfer.
#[derive(clap::Args)]
#[command(groups = bundled::groups())]
pub struct Args {
    /// Preset, or system file
    #[arg(long, value_name = "NAME|FILE", group = bundled::FILE)]
    system: String,
    /// Built-in program, or trace; several programs with several --workload
    #[arg(long, value_name = "NAME|FILE", required = true, group = bundled::FILE)]
    workload: Vec<String>,
    /// Set a field of the system, or `workload.size`, `workload.iterations` and `workload.shift`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Values of a field of the system, of `design`, or of `impl` (model, rtl, lockstep); several
    /// --vary give each combination
    #[arg(long, value_name = "FIELD=A,B,...")]
    vary: Vec<String>,
    /// Seed of a built-in program's input; several seeds with several --seed
    ///
    /// Default: 1.
    #[arg(long, value_name = "SEED")]
    seed: Vec<u64>,
    /// With --vary: runs of each combination with other random path latencies, which show the
    /// run-to-run variation
    ///
    /// Default: 3.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=100))]
    perturbed: Option<u64>,
    /// Model against RTL: add a random 0 to 3 cycles to each on-GPU path, redrawn for every kernel
    #[arg(long, value_name = "SEED", group = bundled::VALUE)]
    perturb: Option<u64>,
    /// Stop with status 3 after N cycles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        group = bundled::VALUE)]
    max_cycles: Option<u64>,
    /// Threads that simulate a machine, each some of its chiplets; the result is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: Option<u8>,
    /// What runs the command processors' firmware: called directly, or its image, in the
    /// instruction-set simulator beside models and on the RTL core beside RTL
    ///
    /// Default: what the system's command_processor.host says.
    #[arg(long, value_enum, group = bundled::VALUE)]
    cp: Option<Cp>,
    /// With --vary: runs at a time; the result is the same
    ///
    /// Default: one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// With --vary: write one line for each run
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// With --vary: write a page with the runs side by side
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    #[command(flatten)]
    pub rtl: bodies::Sources,
    /// If it is out of a bundle: a failure leaves no other.
    #[arg(skip)]
    pub again: Option<Again>,
}

/// What runs the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Cp {
    Native,
    Core,
}

impl Args {
    /// The program of this number, with the seed of that number.
    fn job(&self, workload: usize, seed: usize) -> job::Args {
        job::Args {
            system: self.system.clone(),
            workload: self.workload[workload].clone(),
            set: self.set.clone(),
            seed: self.seed.get(seed).copied(),
            perturb: self.perturb,
            max_cycles: self.max_cycles,
            threads: self.threads,
        }
    }

    /// The same program with both implementations of each block side by side.
    pub fn in_lockstep(self) -> run::Args {
        let cp = self.cp.map(|cp| match cp {
            Cp::Native => "native".to_string(),
            Cp::Core => "lockstep".to_string(),
        });
        let bodies = vec!["*=lockstep".to_string()];
        let choice = choice::Args { job: self.job(0, 0), bodies, cp, firmware: None };
        run::Args::of(choice, self.rtl)
    }
}

/// Compares.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let files = Files::default().reads("--system", Some(&args.system));
    args.workload
        .iter()
        .fold(files, |files, workload| files.reads("--workload", Some(workload)))
        .reads("--rtl", args.rtl.folder())
        .writes("--json", args.json.as_deref())
        .writes("--csv", args.csv.as_deref())
        .writes("--report", args.report.as_deref())
        .claim()?;
    args.rtl.apply()?;
    let fields = vary::fields(&args.vary)?;
    if fields.is_empty() || vary::is_sides(&fields) {
        only_sides(args)?;
        return sides::run(args);
    }
    if args.perturb.is_some() {
        return Err(Failure::usage("--perturb: with --vary it is --perturbed N, a number of runs"));
    }
    vary::run(args, fields)
}

/// Errors: options that model against RTL does not have.
fn only_sides(args: &Args) -> Result<(), Failure> {
    let refuse = |option: &str| {
        Err(Failure::usage(format!("{option}: only with --vary of a field other than impl")))
    };
    match args {
        Args { workload, .. } if workload.len() > 1 => refuse("several --workload"),
        Args { seed, .. } if seed.len() > 1 => refuse("several --seed"),
        Args { csv: Some(_), .. } => refuse("--csv"),
        Args { report: Some(_), .. } => refuse("--report"),
        Args { perturbed: Some(_), .. } => refuse("--perturbed"),
        Args { jobs: Some(_), .. } => refuse("--jobs"),
        _ => Ok(()),
    }
}
