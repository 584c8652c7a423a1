//! `duet cosim BLOCK`: model and RTL of one block in lockstep under constrained-random stimulus.
//!
//! ```text
//! $ duet cosim packetizer --cycles 20000
//! packetizer  config small  seed 1
//! transfers  drain 4468  tlp 6750
//!   in the busiest 250 cycles  drain 93 %  tlp 66 %
//!   kind_pack                        691   kind_read                        383...
//! ...
//!   tlp_held                        7578
//! PASS packetizer: 20000 cycles, 0 mismatches
//! ```

use std::path::PathBuf;

use cosim::blocks::{self, BlockEntry};
use cosim::body::BodyKind;
use cosim::flip::Flip;
use cosim::runner::{Options, Outcome, RunError, SHARE_CYCLES};
use cosim::settings::{Chosen, FamilyEntry, StaticInput};
use cosim::stimulus::NewStimulus;
use cosim::stimulus::remote_write_queue;
use cosim::wave::{Activity, Shown};
use ports::common::finepack_types::FinePack;
use reproductions::finepack_chain;

use super::{DIFFER, ENVIRONMENT, Failure, STUCK, USAGE, WRONG_VALUE};
use super::{bodies, flip, output, record, rtl_status, waves};

/// Run model and RTL of a block in lockstep
#[derive(clap::Args)]
pub struct Args {
    /// Block, or `finepack` for the chain of all its blocks
    block: String,
    /// Named configuration
    #[arg(long, default_value = "small")]
    config: String,
    /// Set a parameter or a static input
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Cycles to run
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// Stop before this cycle
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    until_cycle: Option<u64>,
    /// Seed of the stimulus
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write a waveform of the whole run: VCD, or FST where FILE ends in .fst; and a GTKWave save
    /// file beside it
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Show all signals of the RTL in the waveform, and the model's registers: needs some four
    /// times the space
    #[arg(long, requires = "wave")]
    wave_internals: bool,
    /// Invert one bit of an RTL output at (or, for a payload, first after) a cycle
    #[arg(long, value_name = "FIELD[BIT]@CYCLE", value_parser = flip::parse)]
    flip: Option<Flip>,
    /// Write every TLP that a link carries (finepack only)
    #[arg(long, value_name = "FILE")]
    dump_tlp: Option<PathBuf>,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    rtl: bodies::Sources,
}

impl Args {
    /// Cycles to run, by both limits.
    fn asked(&self) -> u64 {
        self.until_cycle.map_or(self.cycles, |until| until.min(self.cycles))
    }
}

/// What runs: a block, or the chain.
enum Subject {
    Block(&'static BlockEntry),
    Chain,
}

impl Subject {
    fn find(name: &str) -> Result<Self, Failure> {
        if name == finepack_chain::NAME {
            return Ok(Self::Chain);
        }
        blocks::find(name).map(Self::Block).ok_or_else(|| {
            let names = blocks::BLOCKS.iter().map(|block| block.name);
            let names: Vec<_> = names.chain([finepack_chain::NAME]).collect();
            Failure::unknown("block", name, &names)
        })
    }

    fn family(&self) -> FamilyEntry {
        match self {
            Self::Block(block) => block.family,
            Self::Chain => FamilyEntry::of::<FinePack>(),
        }
    }

    /// What a waveform shows.
    fn shown(&self, chosen: &Chosen) -> Vec<Shown> {
        let blocks = match self {
            Self::Block(block) => vec![*block],
            Self::Chain => finepack_chain::BLOCKS.iter().filter_map(|n| blocks::find(n)).collect(),
        };
        let shown = |block: &BlockEntry| Shown::ports((block.describe)(chosen), BodyKind::Lockstep);
        blocks.into_iter().map(shown).collect()
    }

    fn statics(&self) -> &'static [StaticInput] {
        match self {
            Self::Block(block) => block.statics,
            Self::Chain => remote_write_queue::Inputs::STATICS,
        }
    }
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let subject = Subject::find(&args.block)?;
    args.rtl.apply()?;
    let (chosen, statics) = subject
        .family()
        .apply(&args.config, &args.set, subject.statics())
        .map_err(Failure::usage)?;
    let options = Options {
        cycles: args.asked(),
        seed: args.seed,
        statics,
        wave: args.wave.clone(),
        inside: args.wave_internals,
        inspect: true,
        mismatch_wave: Some(PathBuf::from(format!(
            "out/{}-{}-{}.vcd",
            args.block, chosen.name, args.seed
        ))),
        flip: args.flip.clone(),
        ..Options::default()
    };
    let config = &chosen.name;
    if let (Subject::Block(block), Some(_)) = (&subject, &args.dump_tlp) {
        let problem = format!("--dump-tlp: {} has no link; use finepack", block.name);
        return Err(Failure::usage(problem));
    }
    if let Some(path) = &args.wave {
        let shown = subject.shown(&chosen);
        let (inside, cycles) = (args.wave_internals, options.cycles);
        waves::warn_of_size(path, &shown, inside, Activity::Stimulus, cycles);
    }
    println!("{}  config {config}  seed {}", args.block, args.seed);
    let outcome = match &subject {
        Subject::Chain => {
            let chain = finepack_chain::Options { run: options, dump_tlp: args.dump_tlp.clone() };
            finepack_chain::run(config, &chosen.parameters(), &chain).map_err(chain_failure)?
        }
        Subject::Block(block) => (block.run)(&chosen, &options).map_err(run_failure)?,
    };
    report(args, config, &chosen.text(), outcome)
}

fn report(args: &Args, config: &str, resolved: &str, mut outcome: Outcome) -> Result<u8, Failure> {
    let transfers: Vec<_> = outcome.transfers.iter().map(|(n, c)| format!("{n} {c}")).collect();
    println!("transfers  {}", transfers.join("  "));
    if !outcome.busiest.is_empty() {
        let busiest = outcome.busiest.iter().map(|(name, share)| format!("{name} {share} %"));
        let busiest: Vec<_> = busiest.collect();
        println!("  in the busiest {SHARE_CYCLES} cycles  {}", busiest.join("  "));
    }
    for row in outcome.coverage.chunks(3) {
        let row: Vec<_> =
            row.iter().map(|(name, count)| format!("{name:<26}{count:>10}")).collect();
        println!("  {}", row.join("   "));
    }
    if let Some(mismatch) = &mut outcome.mismatch {
        // The chain drains once its cycles are over: a rerun must not begin to do so later.
        let (until, asked) = (mismatch.cycle + cosim::lockstep::AFTER, args.asked());
        let stop =
            if until < asked { format!("until-cycle {until}") } else { format!("cycles {asked}") };
        mismatch.rerun = Some(format!(
            "duet cosim {} --config {} --seed {}{}{} --{stop} --wave out.vcd{}",
            args.block,
            args.config,
            args.seed,
            args.set.iter().map(|s| format!(" --set {s}")).collect::<String>(),
            flip::words(args.flip.as_ref()),
            if args.wave_internals { " --wave-internals" } else { "" },
        ));
        print!("{mismatch}");
    }
    if let Some(path) = &args.json {
        let record = record::Cosim::of(&args.block, config, args.seed, &outcome);
        output::write_json(path, &record)?;
        output::write_file(&path.with_extension("config.toml"), resolved)?;
    }
    match &outcome.mismatch {
        None => {
            println!("PASS {}: {} cycles, 0 mismatches", args.block, outcome.cycles);
            Ok(0)
        }
        Some(mismatch) => {
            println!("FAIL {}: model and RTL differ at cycle {}", args.block, mismatch.cycle);
            Ok(DIFFER)
        }
    }
}

fn run_failure(error: RunError) -> Failure {
    let status = match &error {
        RunError::Rtl(error) => rtl_status(error),
        RunError::Wave { .. } => ENVIRONMENT,
        RunError::Config(_) | RunError::Setting(_) | RunError::Flip { .. } => USAGE,
    };
    Failure::new(status, error)
}

fn chain_failure(error: finepack_chain::ChainError) -> Failure {
    match error {
        finepack_chain::ChainError::Run(error) => run_failure(error),
        error @ finepack_chain::ChainError::WrongValue { .. } => Failure::new(WRONG_VALUE, error),
        error @ finepack_chain::ChainError::Stuck { .. } => Failure::new(STUCK, error),
        error @ finepack_chain::ChainError::Dump(_) => Failure::environment(error),
    }
}
