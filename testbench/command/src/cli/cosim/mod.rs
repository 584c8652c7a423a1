//! `duet cosim BLOCK`: model and RTL of one block in lockstep under constrained-random stimulus.
//!
//! ```text
//! $ duet cosim packetizer --cycles 20000
//! packetizer  config small  seed 1
//! transfers  drain 3762  tlp 6857
//!   in the busiest 250 cycles  drain 50 %  tlp 60 %
//!   kind_pack                        758   kind_read                        512...
//! ...
//!   tlp_held                        5918
//! PASS packetizer: 20000 cycles, 0 mismatches
//! ```

mod finepack;

use std::path::{Path, PathBuf};

use cosim::Mismatch;
use cosim::blocks::{self, BlockEntry};
use cosim::body::BodyKind;
use cosim::flip::Flip;
use cosim::inspect::Window;
use cosim::renamed;
use cosim::runner::{Options, Outcome, RunError, SHARE_CYCLES};
use cosim::settings::{Chosen, FamilyEntry, StaticInput, Statics};
use cosim::stimulus::Stimulus;
use cosim::stimulus::finepack::remote_write_queue;
use cosim::wave::{Activity, Shown};
use ports::finepack::types::FinePack;

use crate::bundle::Bundle;

use super::keep::{self, Again};
use super::outputs::{Files, RESOLVED_MARK};
use super::{DIFFER, ENVIRONMENT, Failure, USAGE};
use super::{bodies, bundled, files_of_rtl, flip, output, program, record, rtl_status, waves};

pub use finepack::NAME as FINEPACK;

/// Run model and RTL of a block in lockstep
#[derive(clap::Args)]
#[command(groups = bundled::groups())]
pub struct Args {
    /// Block, or `finepack` for full GPUs with all its blocks
    #[arg(group = bundled::VALUE)]
    block: String,
    /// Named configuration, or `random`: legal parameters drawn from the seed, but for those set
    #[arg(long, default_value = "small", group = bundled::VALUE)]
    config: String,
    /// Set a parameter or a static input
    #[arg(long, value_name = "KEY=VALUE", group = bundled::VALUE)]
    set: Vec<String>,
    /// Cycles to run
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..),
        group = bundled::VALUE)]
    cycles: u64,
    /// Stop before this cycle
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), group = bundled::VALUE)]
    until_cycle: Option<u64>,
    /// Seed of the stimulus, and of the parameters of `--config random`
    #[arg(long, default_value_t = 1, group = bundled::VALUE)]
    seed: u64,
    /// Write a waveform of the whole run: VCD, or FST where FILE ends in .fst; and beside it what
    /// GTKWave (.gtkw) and Surfer (.sucl) open, unless files of your own are there
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Show all signals of the RTL in the waveform, and the model's registers: needs some four
    /// times the space
    #[arg(long, requires = "wave")]
    wave_internals: bool,
    /// Where model and RTL differ, report the ports alone: no registers, no waves, no bundle, and
    /// no second library that shows these
    #[arg(long)]
    brief: bool,
    /// Invert one bit of an RTL output at a cycle, for a payload at its next transfer. FIELD is a
    /// port, or a field of a port such as tlp.hdr
    #[arg(long, value_name = "FIELD[BIT]@CYCLE", value_parser = flip::parse,
        group = bundled::VALUE)]
    flip: Option<Flip>,
    /// Write every TLP that a link carries (finepack only)
    #[arg(long, value_name = "FILE")]
    dump_tlp: Option<PathBuf>,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pub rtl: bodies::Sources,
    /// If it is out of a bundle: a failure leaves no other.
    #[arg(skip)]
    pub again: Option<Again>,
}

impl Args {
    /// What runs again up to this cycle.
    fn to_bundle(
        &self,
        chosen: &Chosen,
        flip: Option<&Flip>,
        until: u64,
    ) -> Result<Bundle, Failure> {
        let (cycles, seed) = (self.cycles.to_string(), self.seed.to_string());
        let mut words = vec![self.block.clone()];
        words.extend(keep::words(&[
            ("config", &self.config),
            ("cycles", &cycles),
            ("until-cycle", &until.to_string()),
            ("seed", &seed),
        ]));
        let set = self.settings(chosen).flat_map(|set| ["--set".to_string(), set.clone()]);
        words.extend(set);
        words.extend(flip.iter().flat_map(|flip| ["--flip".to_string(), flip.to_string()]));
        keep::of_cosim(format!("{} {}", self.block, chosen.name), self.seed, words)
    }

    /// What is set, and what was drawn: a run of it draws nothing.
    fn settings<'a>(&'a self, chosen: &'a Chosen) -> impl Iterator<Item = &'a String> {
        self.set.iter().chain(&chosen.drawn)
    }

    /// Cycles to run, by both limits.
    fn asked(&self) -> u64 {
        self.until_cycle.map_or(self.cycles, |until| until.min(self.cycles))
    }
}

/// What runs: a block, or full GPUs with those of FinePack.
enum Subject {
    Block(&'static BlockEntry),
    FinePack,
}

impl Subject {
    fn find(name: &str) -> Result<Self, Failure> {
        if name == FINEPACK {
            return Ok(Self::FinePack);
        }
        blocks::find(name).map(Self::Block).ok_or_else(|| {
            let names = blocks::all().into_iter().map(|block| block.name);
            let names: Vec<_> = names.chain([FINEPACK]).collect();
            Failure::unknown("block", name, &names, "duet list blocks")
        })
    }

    fn family(&self) -> FamilyEntry {
        match self {
            Self::Block(block) => block.family,
            Self::FinePack => FamilyEntry::of::<FinePack>(),
        }
    }

    /// What a waveform shows.
    fn shown(&self, chosen: &Chosen) -> Vec<Shown> {
        let blocks = match self {
            Self::Block(block) => vec![*block],
            Self::FinePack => finepack::BLOCKS.iter().filter_map(|n| blocks::find(n)).collect(),
        };
        let shown = |block: &BlockEntry| Shown::ports((block.describe)(chosen), BodyKind::Lockstep);
        blocks.into_iter().map(shown).collect()
    }

    fn statics(&self) -> &'static [StaticInput] {
        match self {
            Self::Block(block) => block.statics,
            Self::FinePack => remote_write_queue::Inputs::STATICS,
        }
    }

    fn chosen(&self, args: &Args) -> Result<(Chosen, Statics), Failure> {
        let (config, set) = renamed::settings(&args.block, &args.config, &args.set);
        let chosen = self.family().apply_or_draw(&config, args.seed, &set, self.statics());
        chosen.map_err(Failure::usage)
    }

    /// What is inverted, by the name of the field. Errors: there is no such bit.
    fn flip(&self, args: &Args, chosen: &Chosen) -> Result<Option<Flip>, Failure> {
        let Some(flip) = &args.flip else { return Ok(None) };
        let named = match self {
            Self::Block(block) => flip.checked(&(block.describe)(chosen), args.asked()),
            Self::FinePack => finepack::named(flip, chosen, args.asked()),
        };
        named.map(Some).map_err(Failure::usage)
    }

    fn run(&self, args: &Args, chosen: &Chosen, options: Options) -> Result<Outcome, Failure> {
        match self {
            Self::FinePack => finepack::run(chosen, &options, args.dump_tlp.as_deref()),
            Self::Block(block) => (block.run)(chosen, &options).map_err(run_failure),
        }
    }
}

/// What the name of the resolved configuration ends in.
const RESOLVED: &str = "config.toml";

pub fn run(args: &Args) -> Result<u8, Failure> {
    let (json, wave) = (args.json.as_deref(), args.wave.as_deref());
    let files = Files::default()
        .reads("--rtl", args.rtl.folder())
        .writes("--json", json)
        .writes("--dump-tlp", args.dump_tlp.as_deref())
        .beside("--json", json, RESOLVED, RESOLVED_MARK);
    waves::beside(files, wave).claim()?;
    let subject = Subject::find(&args.block)?;
    args.rtl.apply()?;
    let chosen = subject.chosen(args)?;
    if let (Subject::Block(block), Some(_)) = (&subject, &args.dump_tlp) {
        let problem = format!("--dump-tlp: {} has no link; use finepack", block.name);
        return Err(Failure::usage(problem));
    }
    if let Some(path) = &args.wave {
        let shown = subject.shown(&chosen.0);
        let (inside, cycles) = (args.wave_internals, args.asked());
        let activity = match subject {
            Subject::Block(_) => Activity::Stimulus,
            Subject::FinePack => Activity::Program,
        };
        waves::warn_of_size(path, &shown, inside, activity, cycles);
    }
    let flip = subject.flip(args, &chosen.0)?;
    let config = &chosen.0.name;
    println!("{}  config {config}  seed {}", args.block, args.seed);
    if !chosen.0.drawn.is_empty() {
        println!("drawn  {}", chosen.0.drawn.join("  "));
    }
    let wave = format!("{}-{config}-{}.vcd", args.block, args.seed);
    let mismatch_wave = Some(keep::folder(args.again.as_ref()).join(wave)).filter(|_| !args.brief);
    let options = Options { mismatch_wave, flip: flip.clone(), ..options(args, &chosen.1) };
    let leave = |failure: Failure, until: u64, wave: Option<&Path>| {
        if args.again.is_none() && !args.brief {
            let bundle = args.to_bundle(&chosen.0, flip.as_ref(), until);
            keep::leave(bundle, &failure, &args.block, wave);
        }
        failure
    };
    let outcome =
        subject.run(args, &chosen.0, options).map_err(|e| leave(e, args.asked(), None))?;
    let mismatch = outcome.mismatch.as_ref().map(|m| (m.cycle, m.verdict(), m.waves.clone()));
    report(args, &chosen.0, flip.as_ref(), outcome)?;
    let Some((cycle, verdict, waves)) = mismatch else { return Ok(0) };
    let failure = format!("{}: {verdict}", args.block);
    let until = args.asked().min(cycle + cosim::lockstep::AFTER);
    Err(leave(Failure::new(DIFFER, failure), until, waves.as_deref()))
}

/// Runs up to the difference that the arguments lead to, if they do, and looks at registers for so
/// many cycles before it. With what --flip inverts.
pub fn look(args: &Args, look_back: u64) -> Result<Option<(Mismatch, Option<Flip>)>, Failure> {
    let subject = Subject::find(&args.block)?;
    args.rtl.apply()?;
    let chosen = subject.chosen(args)?;
    let flip = subject.flip(args, &chosen.0)?;
    let options = options(args, &chosen.1);
    let options = Options { look_back, wave: None, flip: flip.clone(), ..options };
    Ok(subject.run(args, &chosen.0, options)?.mismatch.map(|mismatch| (mismatch, flip)))
}

/// The insides of a block's RTL in the cycles before this one, and in it. None where full GPUs run.
/// Registers begin with 0: Verilated libraries of other RTL begin alike.
pub fn insides(args: &Args, cycle: u64, look_back: u64) -> Result<Option<Window>, Failure> {
    let subject = Subject::find(&args.block)?;
    if let Subject::FinePack = subject {
        return Ok(None);
    }
    let chosen = subject.chosen(args)?;
    let options = Options {
        cycles: cycle + 1,
        inspect: false,
        inspect_from: Some(cycle.saturating_sub(look_back)),
        zeroed: true,
        wave: None,
        ..options(args, &chosen.1)
    };
    Ok(subject.run(args, &chosen.0, options)?.window)
}

fn options(args: &Args, statics: &Statics) -> Options {
    Options {
        cycles: args.asked(),
        seed: args.seed,
        statics: statics.clone(),
        wave: args.wave.clone(),
        inside: args.wave_internals,
        inspect: !args.brief,
        ..Options::default()
    }
}

fn report(
    args: &Args,
    chosen: &Chosen,
    flip: Option<&Flip>,
    mut outcome: Outcome,
) -> Result<(), Failure> {
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
        // Full GPUs run to the end of their program: a rerun must not begin another.
        let (until, asked) = (mismatch.cycle + cosim::lockstep::AFTER, args.asked());
        let stop =
            if until < asked { format!("until-cycle {until}") } else { format!("cycles {asked}") };
        let again = args.again.as_ref().map(|again| again.words.clone()).unwrap_or_else(|| {
            let set = args.settings(chosen).map(|s| format!(" --set {s}")).collect::<String>();
            let flip = flip::words(flip);
            let (block, config, seed) = (&args.block, &args.config, args.seed);
            let rtl = args.rtl.words();
            let duet = program();
            format!("{duet} cosim {block} --config {config} --seed {seed}{set}{flip}{rtl} --{stop}")
        });
        mismatch.rerun = Some(format!("{again} --wave out.vcd --wave-internals"));
        let block = mismatch.place.rsplit('/').next().unwrap_or_default();
        mismatch.assertions = files_of_rtl::assertions(&mismatch.assertions, block);
        print!("{mismatch}");
    }
    let mut written = outcome.unwritten.take().map_or(Ok(()), |e| Err(Failure::environment(e)));
    if let Some(path) = &args.json {
        let record = record::Cosim::of(&args.block, &chosen.name, args.seed, &outcome);
        let json = output::write_json(path, &record);
        let json = json.and_then(|()| output::write_resolved(path, RESOLVED, &chosen.text()));
        written = written.and(json);
    }
    match &outcome.mismatch {
        None => {
            written?;
            println!("PASS {}: {} cycles, 0 mismatches", args.block, outcome.cycles);
        }
        Some(_) => {
            // What the run has found comes before what has become of its files.
            if let Err(unwritten) = written {
                eprintln!("duet: {}", unwritten.message);
            }
        }
    }
    Ok(())
}

fn run_failure(error: RunError) -> Failure {
    let status = match &error {
        RunError::Rtl(error) => rtl_status(error),
        RunError::Wave { .. } => ENVIRONMENT,
        RunError::Config(_) | RunError::Setting(_) | RunError::Flip { .. } => USAGE,
    };
    Failure::new(status, error)
}
