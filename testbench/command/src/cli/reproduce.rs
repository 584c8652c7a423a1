//! `duet reproduce PAPER`: a paper's experiments, our number beside the paper's.
//!
//! ```text
//! $ duet reproduce finepack
//! FinePack (HPCA'23) on models: configuration paper, 4 GPUs, PCIe 4.0 at 32 B/cycle, 1 GHz,
//! ...
//! PASS reproduce finepack: 4400 memories equal the expected ones, 9 of 15 figures shown
//! ```

use std::fmt::Display;
use std::path::PathBuf;

use ports::common::finepack_types::FinePack;
use reproductions::experiment::Runs;
use reproductions::figure::Figure;
use reproductions::finepack::egress_run::RunError;
use reproductions::{PAPERS, cpelide, finepack, race_detection, rec, stc};
use serde::Serialize;

use super::job::run_failure;
use super::outputs::Files;
use super::{Failure, STUCK, USAGE, WRONG_VALUE, output};

/// Run a paper's experiments
#[derive(clap::Args)]
pub struct Args {
    /// cpelide, finepack, race-detection, rec, stc, or all
    paper: String,
    /// Run all of it so many times more, with ways that take a few cycles longer: what differs is
    /// noise, beside each figure; 0 for none
    #[arg(long, value_name = "N", default_value_t = 2)]
    perturbed: u64,
    /// Write the result as JSON; of all papers, an object with each by its name
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    Files::default().writes("--json", args.json.as_deref()).claim()?;
    let wanted = |paper: &str| args.paper == "all" || args.paper == paper;
    if !PAPERS.into_iter().any(wanted) {
        let names: Vec<_> = PAPERS.into_iter().chain(["all"]).collect();
        return Err(Failure::unknown("paper", &args.paper, &names));
    }
    let mut all = serde_json::Map::new();
    for paper in PAPERS.into_iter().filter(|paper| wanted(paper)) {
        let failed = |failure: &Failure| println!("FAIL reproduce {paper}: {}", failure.message);
        let loads = |runs: &Runs| format!("{} loads checked, 0 wrong values", runs.loads_checked());
        let report = match paper {
            "cpelide" => {
                let report = cpelide::run(&cpelide::INPUTS, args.perturbed).map_err(run_failure);
                let report = report.inspect_err(failed)?;
                show(paper, &report, &loads(&report.runs), &report.figures, "C")
            }
            "finepack" => {
                let report = finepack::run(&parameters()?, &finepack::INPUTS).map_err(failure);
                let report = report.inspect_err(failed)?;
                let compared =
                    format!("{} memories equal the expected ones", report.memories_compared);
                show(paper, &report, &compared, &report.figures, "F")
            }
            "race-detection" => {
                let report = race_detection::run(&race_detection::INPUTS, args.perturbed)
                    .map_err(run_failure);
                let report = report.inspect_err(failed)?;
                let checked = format!("{}, sequentially consistent", loads(&report.runs));
                show(paper, &report, &checked, &report.figures, "RD-")
            }
            "rec" => {
                let report = rec::run(&rec::INPUTS, args.perturbed).map_err(run_failure);
                let report = report.inspect_err(failed)?;
                show(paper, &report, &loads(&report.runs), &report.figures, "R")
            }
            _ => {
                let report = stc::run(&stc::INPUTS, args.perturbed).map_err(run_failure);
                let report = report.inspect_err(failed)?;
                show(paper, &report, &loads(&report.runs), &report.figures, "S")
            }
        };
        all.insert(paper.to_string(), report?);
    }
    match (&args.json, all.get(&args.paper)) {
        (Some(path), Some(report)) => output::write_json(path, report)?,
        (Some(path), None) => output::write_json(path, &all)?,
        (None, _) => {}
    }
    Ok(0)
}

/// Of FinePack's blocks.
fn parameters() -> Result<FinePack, Failure> {
    cosim::settings::named(finepack::CONFIG).map_err(Failure::usage)
}

/// Prints a report and its verdict. `id`: how the ids of the paper's figures begin.
fn show(
    paper: &str,
    report: &(impl Display + Serialize),
    compared: &str,
    figures: &[Figure],
    id: &str,
) -> Result<serde_json::Value, Failure> {
    print!("{report}");
    let figures = || figures.iter().filter(|f| f.id.starts_with(id));
    let shown = figures().filter(|f| f.ours.is_some()).count();
    println!(
        "\nPASS reproduce {paper}: {compared}, {shown} of {} figures shown",
        figures().count()
    );
    serde_json::to_value(report).map_err(Failure::environment)
}

fn failure(error: RunError) -> Failure {
    let status = match &error {
        RunError::Config(_) => USAGE,
        RunError::WrongValue { .. } => WRONG_VALUE,
        RunError::Stuck { .. } => STUCK,
    };
    Failure::new(status, error)
}
