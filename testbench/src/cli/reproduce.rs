//! `duet reproduce PAPER`: a paper's experiments, our number beside the paper's.
//!
//! ```text
//! $ duet reproduce finepack --json out/reproduce-finepack.json
//! FinePack (HPCA'23) on models: configuration paper, 4 GPUs, PCIe 4.0 at 32 B/cycle, 1 GHz,
//! ...
//! PASS reproduce finepack: 4400 memories equal the expected ones, 9 of 15 figures shown
//! ```

use std::path::PathBuf;

use testbench::reproduce::PAPERS;
use testbench::reproduce::egress_run::RunError;
use testbench::reproduce::finepack::{self, Report};

use super::{Failure, STUCK, USAGE, WRONG_VALUE, output};

/// Run a paper's experiments
#[derive(clap::Args)]
pub struct Args {
    /// finepack, or all
    paper: String,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    // There is one paper, so `all` is that one.
    if args.paper != "all" && !PAPERS.contains(&args.paper.as_str()) {
        let names: Vec<_> = PAPERS.into_iter().chain(["all"]).collect();
        let names = names.join(", ");
        return Err(Failure::new(USAGE, format!("paper {}: must be one of {names}", args.paper)));
    }
    let catalog = cosim::Catalog::load().map_err(|e| Failure::new(USAGE, e))?;
    let parameters = catalog.finepack.get(finepack::CONFIG).ok_or_else(|| {
        Failure::new(USAGE, format!("configs.toml: [finepack.{}] is missing", finepack::CONFIG))
    })?;
    let report = finepack::run(parameters, &finepack::INPUTS).map_err(failure)?;
    print!("{report}");
    if let Some(path) = &args.json {
        output::write_json(path, &report)?;
    }
    println!("\n{}", verdict(&report));
    Ok(0)
}

fn verdict(report: &Report) -> String {
    let figures = || report.figures.iter().filter(|f| f.id.starts_with('F'));
    format!(
        "PASS reproduce {}: {} memories equal the expected ones, {} of {} figures shown",
        report.paper,
        report.memories_compared,
        figures().filter(|f| f.ours.is_some()).count(),
        figures().count()
    )
}

fn failure(error: RunError) -> Failure {
    let status = match &error {
        RunError::Config(_) => USAGE,
        RunError::WrongValue { .. } => WRONG_VALUE,
        RunError::Stuck { .. } => STUCK,
    };
    println!("FAIL reproduce finepack: {error}");
    Failure::new(status, error)
}
