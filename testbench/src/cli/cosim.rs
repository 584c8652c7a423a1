//! `duet cosim BLOCK`: model and RTL of one block in lockstep under constrained-random stimulus.
//!
//! ```text
//! $ duet cosim packetizer --cycles 20000
//! packetizer  config small  seed 1
//! transfers  drn 4986  tlp 7141
//!   kind_pack                       1159   kind_read                        380   kind_atomic                      383
//! ...
//!   tlp_held                        6159
//! PASS packetizer: 20000 cycles, 0 mismatches
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use cosim::runner::{Flip, Options, Outcome, RunError};
use cosim::stimulus::Statics;
use hwmodel::common::finepack_types::FinePack;
use serde::Serialize;
use testbench::finepack_chain;

use super::{DIFFER, ENVIRONMENT, Failure, STUCK, USAGE, WRONG_VALUE, output};

/// Run model and RTL of a block in lockstep
#[derive(clap::Args)]
pub struct Args {
    /// Block, or `finepack` for the chain of all its blocks
    block: String,
    /// Named configuration
    #[arg(long, default_value = "small")]
    config: String,
    /// Set a parameter, or the static inputs `timeout` and `acct`
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
    /// Write a waveform of the whole run
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Invert one bit of an RTL output at (or, for a payload, first after) a cycle
    #[arg(long, value_name = "FIELD[BIT]@CYCLE", value_parser = parse_flip)]
    flip: Option<Flip>,
    /// Write every TLP that a link carries (finepack only)
    #[arg(long, value_name = "FILE")]
    dump_tlp: Option<PathBuf>,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Args {
    /// Cycles to run, by both limits.
    fn asked(&self) -> u64 {
        self.until_cycle.map_or(self.cycles, |until| until.min(self.cycles))
    }
}

/// The JSON record of a run.
#[derive(Serialize)]
struct Record<'a> {
    block: &'a str,
    config: &'a str,
    seed: u64,
    cycles: u64,
    transfers: BTreeMap<&'a str, u64>,
    coverage: BTreeMap<&'a str, u64>,
    mismatches: u64,
    mismatch: Option<String>,
}

pub fn parse_flip(text: &str) -> Result<Flip, String> {
    let form = "must be FIELD@CYCLE or FIELD[BIT]@CYCLE";
    let (place, cycle) = text.split_once('@').ok_or(form)?;
    let cycle = cycle.parse().map_err(|_| format!("cycle {cycle}: must be a number"))?;
    let (field, bit) = match place.strip_suffix(']').and_then(|p| p.split_once('[')) {
        Some((field, bit)) => {
            (field, bit.parse().map_err(|_| format!("bit {bit}: must be a number"))?)
        }
        None => (place, 0),
    };
    if field.is_empty() || field.contains(['[', ']']) {
        return Err(form.to_string());
    }
    Ok(Flip { field: field.to_string(), bit, cycle })
}

/// The parameters after `--set`, the static inputs, and the named configuration that they are.
fn resolve(args: &Args) -> Result<(String, FinePack, Statics), Failure> {
    let usage = |message: String| Failure::new(USAGE, message);
    let catalog = cosim::Catalog::load().map_err(|e| usage(e.to_string()))?;
    let names = || catalog.finepack.keys().cloned().collect::<Vec<_>>().join(", ");
    let named = catalog
        .finepack
        .get(&args.config)
        .ok_or_else(|| usage(format!("--config {}: must be one of {}", args.config, names())))?;
    let mut table = toml::Table::try_from(named).map_err(|e| usage(e.to_string()))?;
    let mut statics = Statics::default();
    for setting in &args.set {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| usage(format!("--set {setting}: must be KEY=VALUE")))?;
        let number = |most: u32| {
            let parsed = value.parse::<u32>().ok().filter(|v| *v <= most);
            parsed
                .ok_or_else(|| usage(format!("--set {key}={value}: must be a number, 0 to {most}")))
        };
        match key {
            "timeout" => statics.timeout = Some(number(65535)? as u16),
            "acct" => statics.acct = Some(number(1)? as u8),
            _ if table.contains_key(key) => {
                table.insert(key.to_string(), i64::from(number(u32::MAX)?).into());
            }
            _ => {
                let keys: Vec<_> =
                    table.keys().map(String::as_str).chain(["timeout", "acct"]).collect();
                return Err(usage(format!("--set {key}: must be one of {}", keys.join(", "))));
            }
        }
    }
    let parameters: FinePack =
        table.try_into().map_err(|e: toml::de::Error| usage(e.to_string()))?;
    parameters.validate().map_err(|e| usage(format!("{e}, in configuration {}", args.config)))?;
    let (name, _) = catalog.finepack.iter().find(|(_, p)| **p == parameters).ok_or_else(|| {
        usage(format!(
            "--set {}: no RTL body was built with these parameters; built: {}; a new table in cosim/configs.toml builds one",
            args.set.join(" --set "), names()
        ))
    })?;
    Ok((name.clone(), parameters, statics))
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let (config, parameters, statics) = resolve(args)?;
    let options = Options {
        cycles: args.asked(),
        seed: args.seed,
        statics,
        wave: args.wave.clone(),
        mismatch_wave: Some(PathBuf::from(format!(
            "out/{}-{config}-{}.vcd",
            args.block, args.seed
        ))),
        flip: args.flip.clone(),
    };
    println!("{}  config {config}  seed {}", args.block, args.seed);
    let outcome = match (args.block.as_str(), cosim::blocks::find(&args.block)) {
        (finepack_chain::NAME, _) => {
            let chain = finepack_chain::Options { run: options, dump_tlp: args.dump_tlp.clone() };
            finepack_chain::run(&config, &parameters, &chain).map_err(chain_failure)?
        }
        (_, Some(block)) => {
            if args.dump_tlp.is_some() {
                return Err(Failure::new(
                    USAGE,
                    format!("--dump-tlp: {} has no link; use finepack", args.block),
                ));
            }
            (block.run)(&config, &parameters, &options).map_err(run_failure)?
        }
        (name, None) => {
            let names: Vec<_> = cosim::blocks::BLOCKS
                .iter()
                .map(|b| b.name)
                .chain([finepack_chain::NAME])
                .collect();
            return Err(Failure::new(
                USAGE,
                format!("block {name}: must be one of {}", names.join(", ")),
            ));
        }
    };
    report(args, &config, &parameters, outcome)
}

fn report(
    args: &Args,
    config: &str,
    parameters: &FinePack,
    mut outcome: Outcome,
) -> Result<u8, Failure> {
    let transfers: Vec<_> = outcome.transfers.iter().map(|(n, c)| format!("{n} {c}")).collect();
    println!("transfers  {}", transfers.join("  "));
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
            "duet cosim {} --config {config} --seed {}{}{} --{stop} --wave out.vcd",
            args.block,
            args.seed,
            args.set.iter().map(|s| format!(" --set {s}")).collect::<String>(),
            args.flip
                .as_ref()
                .map_or(String::new(), |f| format!(" --flip {}[{}]@{}", f.field, f.bit, f.cycle)),
        ));
        print!("{mismatch}");
    }
    if let Some(path) = &args.json {
        let record = Record {
            block: &args.block,
            config,
            seed: args.seed,
            cycles: outcome.cycles,
            transfers: outcome.transfers.iter().copied().collect(),
            coverage: outcome.coverage.iter().copied().collect(),
            mismatches: outcome.mismatch.is_some().into(),
            mismatch: outcome.mismatch.as_ref().map(ToString::to_string),
        };
        output::write_json(path, &record)?;
        let resolved = toml::to_string(parameters).map_err(|e| Failure::new(ENVIRONMENT, e))?;
        output::write_file(&path.with_extension("config.toml"), &resolved)?;
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
        RunError::Rtl(cosim::RtlError::NoVerilator { .. }) | RunError::Wave { .. } => ENVIRONMENT,
        RunError::Rtl(_) | RunError::Config(_) | RunError::Flip { .. } => USAGE,
    };
    Failure::new(status, error)
}

fn chain_failure(error: finepack_chain::ChainError) -> Failure {
    match error {
        finepack_chain::ChainError::Run(error) => run_failure(error),
        error @ finepack_chain::ChainError::WrongValue { .. } => Failure::new(WRONG_VALUE, error),
        error @ finepack_chain::ChainError::Stuck { .. } => Failure::new(STUCK, error),
        error @ finepack_chain::ChainError::Dump(_) => Failure::new(ENVIRONMENT, error),
    }
}
