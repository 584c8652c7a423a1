//! `duet mutate BLOCK`: how many faults in a block's RTL lockstep and assertions find.
//!
//! ```text
//! $ duet mutate gtsc_rst --count 40 --cycles 20000
//! gtsc_rst  config small  40 mutants, seed 1
//!   killed in a run of      2000 cycles, by lockstep         37
//!   equivalent      1  rtl/timestamp/gtsc_rst/gtsc_rst.sv:64  cnot1 $procmux$57_CMP0.A[1], bit 0
//!   equivalent      4  rtl/timestamp/gtsc_rst/gtsc_rst.sv:64  const0 $procmux$15.B[2]
//!   equivalent     23  rtl/timestamp/gtsc_rst/gtsc_rst.sv:94  cnot1 $41.A[1], bit 0
//! PASS mutate gtsc_rst: 37 of 37 killed (100.0 %), 3 equivalent
//! ```

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, iter, thread};

use bodies::netlist::{Mutant, Netlist, Proof, SELECT};
use bodies::{Request, Variant};
use cosim::{blocks, renamed};
use files::Folder;
use schemars::JsonSchema;
use serde::Serialize;

use super::bodies::Sources;
use super::outputs::Files;
use super::{DIFFER, Failure, WRONG_VALUE, output, rtl_status};

/// Plant faults in a block's RTL, one at a time, and see which ones lockstep and assertions find
#[derive(clap::Args)]
pub struct Args {
    /// Block
    block: String,
    /// Named configuration, or `random`: legal parameters drawn from the seed, but for those set
    #[arg(long, default_value = "small")]
    config: String,
    /// Set a parameter
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Mutants
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    count: u32,
    /// Seed of the mutants, of the stimuli, and of the parameters of `--config random`
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Cycles after which a mutant survives
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// Fail where fewer per cent of the mutants that are not equivalent are killed
    #[arg(long, value_name = "PERCENT", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=100))]
    require: u8,
    /// Processor time of each proof that a survivor is equivalent; 0 for no proofs
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u32).range(0..=3600))]
    proof: u32,
    /// Mutants that run at a time
    ///
    /// Default: the number of cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    rtl: Sources,
}

/// What has found a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Killer {
    /// An assertion of the RTL, before an output differed.
    Assertion,
    /// Lockstep: an output is not the model's.
    Lockstep,
    /// The RTL ended itself or its process.
    Stop,
}

impl Killer {
    fn name(self) -> &'static str {
        match self {
            Self::Assertion => "an assertion",
            Self::Lockstep => "lockstep",
            Self::Stop => "its end",
        }
    }
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A run of `cycles` cycles, with this seed, found it.
    Killed {
        /// What saw it.
        by: Killer,
        /// What was said.
        said: String,
        /// Cycles of the run.
        cycles: u64,
        /// Its seed.
        seed: u64,
    },
    /// It is proven that no output ever shows it.
    Equivalent,
    /// Neither.
    Survived {
        /// The cycle in which some inputs would show it; they may be such as the block's
        /// neighbours never give. None where neither such inputs nor a proof were found.
        shown: Option<u32>,
    },
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Planted {
    /// Number, from 1 on.
    pub number: u32,
    /// What is changed.
    pub change: String,
    /// File and line.
    pub source: String,
    /// What became of it.
    pub fate: Fate,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// The block.
    pub block: String,
    /// Its configuration.
    pub config: String,
    /// Seed of the mutants and of the stimuli.
    pub seed: u64,
    /// Cycles after which a mutant survives.
    pub cycles: u64,
    /// Seconds of processor time that a proof had; 0 for no proofs.
    pub proof: u32,
    /// Why there are no proofs, where yosys made no circuit for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_proofs: Option<String>,
    /// All mutants.
    pub mutants: Vec<Planted>,
}

impl Report {
    fn of_fate(&self, is_it: impl Fn(&Fate) -> bool) -> usize {
        self.mutants.iter().filter(|mutant| is_it(&mutant.fate)).count()
    }

    fn killed(&self) -> usize {
        self.of_fate(|fate| matches!(fate, Fate::Killed { .. }))
    }

    /// Mutants that are not equivalent.
    fn real(&self) -> usize {
        self.mutants.len() - self.of_fate(|fate| *fate == Fate::Equivalent)
    }

    /// Killed, of those, in per cent.
    fn percent(&self) -> f64 {
        100.0 * self.killed() as f64 / self.real().max(1) as f64
    }

    fn print(&self, drawn: &[String]) {
        let Self { block, config, seed, .. } = self;
        println!("{block}  config {config}  {} mutants, seed {seed}", self.mutants.len());
        if !drawn.is_empty() {
            println!("drawn  {}", drawn.join("  "));
        }
        let mut within: BTreeMap<(u64, Killer), usize> = BTreeMap::new();
        for mutant in &self.mutants {
            if let Fate::Killed { by, cycles, .. } = mutant.fate {
                *within.entry((cycles, by)).or_default() += 1;
            }
        }
        for ((cycles, by), count) in within {
            let by = by.name();
            println!("  killed in a run of {cycles:>9} cycles, by {by:<12} {count:>6}");
        }
        for Planted { number, change, source, fate } in &self.mutants {
            match fate {
                Fate::Survived { shown } => {
                    let shown =
                        shown.map_or(String::new(), |at| format!("  (some inputs: cycle {at})"));
                    println!("  survived    {number:>5}  {source}  {change}{shown}");
                }
                Fate::Equivalent => println!("  equivalent  {number:>5}  {source}  {change}"),
                Fate::Killed { .. } => {}
            }
        }
    }
}

/// Flags of the C++ compiler besides those of a Verilated library.
const FLAGS: &str = "CXXFLAGS";

/// Signals by which RTL ends its process.
const ABORTED: i32 = 6;
const NO_MEMORY: i32 = 11;

/// Shorter runs of a mutant: cycles, and how many. A stimulus draws much anew after a reset, and
/// many short runs have more resets than a long one.
const SHORTER: [(u64, usize); 3] = [(2_000, 2), (20_000, 8), (200_000, 1)];

/// Runs of a mutant, cheapest first, each with a seed of its own.
fn runs(cycles: u64, seed: u64) -> Vec<(u64, u64)> {
    let shorter = SHORTER.into_iter().filter(|(few, _)| *few < cycles);
    let shorter = shorter.flat_map(|(few, times)| iter::repeat_n(few, times));
    shorter.chain([cycles]).zip(seed..).collect()
}

/// A block's netlist, and how it is run.
struct Bench<'a> {
    netlist: &'a Netlist<'a>,
    args: &'a Args,
    /// What was drawn: the seeds of its runs must not draw again.
    drawn: &'a [String],
    program: PathBuf,
}

impl Bench<'_> {
    /// Lockstep of a mutant, 0 for none, in a process of its own: who says what where it fails.
    fn run(
        &self,
        number: u32,
        (cycles, seed): (u64, u64),
    ) -> Result<Option<(Killer, String)>, Failure> {
        let folder = Folder::new().map_err(Failure::environment)?;
        let mut command = Command::new(&self.program);
        command.args(["cosim", &self.args.block, "--brief", "--config", &self.args.config]);
        command.args(["--cycles", &cycles.to_string(), "--seed", &seed.to_string(), "--rtl"]);
        command.arg(self.netlist.rtl());
        command.args(self.args.set.iter().chain(self.drawn).flat_map(|set| ["--set", set]));
        command.env(SELECT, number.to_string()).current_dir(folder.path());
        // A netlist's runs are short, and it is built for one call.
        if env::var_os(FLAGS).is_none() {
            command.env(FLAGS, "-Og");
        }
        let output = command.output().map_err(Failure::environment)?;
        let said = String::from_utf8_lossy(&output.stdout);
        let verdict = said.lines().last().unwrap_or_default();
        let of_block = format!("FAIL {}: ", self.args.block);
        match (output.status.code(), verdict.strip_prefix(&of_block)) {
            (Some(0), _) => Ok(None),
            (Some(1), Some(why)) => {
                let by = match why.split(' ').next() {
                    Some("model") => Killer::Lockstep,
                    Some("assertion") => Killer::Assertion,
                    _ => Killer::Stop,
                };
                Ok(Some((by, why.to_string())))
            }
            // It does not settle, or reads where nothing is.
            (None, _) if matches!(output.status.signal(), Some(ABORTED | NO_MEMORY)) => {
                Ok(Some((Killer::Stop, output.status.to_string())))
            }
            _ => {
                let said = String::from_utf8_lossy(&output.stderr);
                let why = format!("{}: {said}", output.status);
                Err(Failure::new(super::ENVIRONMENT, format!("mutant {number}: {why}")))
            }
        }
    }

    fn fate(&self, mutant: &Mutant) -> Result<Fate, Failure> {
        for (cycles, seed) in runs(self.args.cycles, self.args.seed) {
            if let Some((by, said)) = self.run(mutant.number, (cycles, seed))? {
                return Ok(Fate::Killed { by, said, cycles, seed });
            }
        }
        Ok(match self.netlist.prove(mutant, self.args.proof) {
            Proof::Equivalent => Fate::Equivalent,
            Proof::Shown(cycle) => Fate::Survived { shown: Some(cycle) },
            Proof::Open => Fate::Survived { shown: None },
        })
    }

    /// Fates of all mutants, `jobs` at a time. Errors: that of the first mutant that fails, in
    /// their order.
    fn all(&self, mutants: &[Mutant], jobs: usize) -> Result<Vec<Fate>, Failure> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let fates = Mutex::new(vec![None; mutants.len()]);
        let failed: Mutex<Option<(usize, Failure)>> = Mutex::new(None);
        let lock = || fates.lock().unwrap_or_else(PoisonError::into_inner);
        let tells = io::stderr().is_terminal();
        thread::scope(|scope| {
            for _ in 0..jobs.min(mutants.len()) {
                scope.spawn(|| {
                    while let Some((at, mutant)) = {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        mutants.get(at).map(|mutant| (at, mutant))
                    } {
                        match self.fate(mutant) {
                            Ok(fate) => lock()[at] = Some(fate),
                            Err(failure) => {
                                next.store(mutants.len(), Ordering::Relaxed);
                                let mut failed =
                                    failed.lock().unwrap_or_else(PoisonError::into_inner);
                                if failed.as_ref().is_none_or(|(first, _)| at < *first) {
                                    *failed = Some((at, failure));
                                }
                            }
                        }
                        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                        if tells {
                            let line = format!("\rduet: {done} of {} mutants", mutants.len());
                            let _ = io::stderr().write_all(line.as_bytes());
                        }
                    }
                });
            }
        });
        if tells {
            eprintln!("");
        }
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, failure)) => Err(failure),
            None => Ok(lock().drain(..).map(|fate| fate.expect("all have run")).collect()),
        }
    }
}

/// Killed mutants of which it is seen that they are not proven equivalent.
const CONTROLS: usize = 3;

/// A control: the first mutants that lockstep has killed are not equivalent. Errors: one is proven
/// to be, so that no proof is worth anything.
fn control(bench: &Bench<'_>, mutants: &[Mutant], fates: &[Fate]) -> Result<(), Failure> {
    let by_lockstep =
        |(_, fate): &(&Mutant, &Fate)| matches!(fate, Fate::Killed { by: Killer::Lockstep, .. });
    for (mutant, _) in mutants.iter().zip(fates).filter(by_lockstep).take(CONTROLS) {
        if let Proof::Equivalent = bench.netlist.prove(mutant, bench.args.proof) {
            let number = mutant.number;
            let message =
                format!("mutant {number} is killed and proven equivalent: no proof holds");
            return Err(Failure::new(super::ENVIRONMENT, message));
        }
    }
    Ok(())
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    args.rtl.apply()?;
    let known: Vec<_> = blocks::all().into_iter().map(|block| block.name).collect();
    let block = blocks::find(&args.block);
    let block =
        block.ok_or_else(|| Failure::unknown("block", &args.block, &known, "duet list blocks"))?;
    let (config, set) = renamed::settings(&args.block, &args.config, &args.set);
    let applied = block.family.apply_or_draw(&config, args.seed, &set, &[]);
    let (chosen, _) = applied.map_err(Failure::usage)?;
    Files::default().writes("--json", args.json.as_deref()).claim()?;
    let request = Request::new((block.describe)(&chosen), Variant::default());
    let folder = Folder::new().map_err(Failure::environment)?;
    let rtl = |e: bodies::VerilatedError| Failure::new(rtl_status(&e), e);
    let netlist = Netlist::new(&request, folder.path()).map_err(rtl)?;
    let mutants = netlist.mutants(args.count, args.seed).map_err(rtl)?;
    let program = env::current_exe().map_err(Failure::environment)?;
    let bench = Bench { netlist: &netlist, args, drawn: &chosen.drawn, program };
    // In each run that a mutant gets: a netlist that differs by itself would kill all of them.
    for run in runs(args.cycles, args.seed) {
        if let Some((_, said)) = bench.run(0, run)? {
            let message = format!("{}: without a mutant: {said}", args.block);
            return Err(Failure::new(DIFFER, message));
        }
    }
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let fates = bench.all(&mutants, jobs)?;
    if fates.contains(&Fate::Equivalent) {
        control(&bench, &mutants, &fates)?;
    }
    let planted = mutants.into_iter().zip(fates).map(|(mutant, fate)| Planted {
        number: mutant.number,
        change: mutant.change,
        source: mutant.source,
        fate,
    });
    let report = Report {
        block: args.block.clone(),
        config: args.config.clone(),
        seed: args.seed,
        cycles: args.cycles,
        proof: args.proof,
        no_proofs: netlist.no_proofs().map(ToString::to_string),
        mutants: planted.collect(),
    };
    report.print(&chosen.drawn);
    if let Some(why) = &report.no_proofs {
        println!("  no proofs: {why}");
    }
    if let Some(path) = &args.json {
        output::write_json(path, &report)?;
    }
    let verdict = format!(
        "mutate {}: {} of {} killed ({:.1} %), {} equivalent",
        report.block,
        report.killed(),
        report.real(),
        report.percent(),
        report.mutants.len() - report.real(),
    );
    if report.percent() < args.require.into() {
        let message = format!("{verdict}; must be {} %", args.require);
        return Err(Failure::new(WRONG_VALUE, message));
    }
    println!("PASS {verdict}");
    Ok(0)
}
