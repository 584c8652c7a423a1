//! `duet reproduce PAPER`: a paper's experiments, our number beside the paper's.
//!
//! ```text
//! $ duet reproduce stc --perturbed 0
//! ...
//! PASS reproduce stc: 22 of 23 figures shown, 7 of 11 effects with the paper's sign
//! ```

mod keeping;
mod page;

use std::path::PathBuf;

use reproductions::experiment::{Attempt, Input};
use reproductions::paper::{self, Entry, Reproduced};
use reproductions::scale;
use reproductions::summary::{Summary, Table};

use keeping::Keeping;

use super::outputs::Files;
use super::{Failure, output};

/// Run a paper's experiments
#[derive(clap::Args)]
pub struct Args {
    #[arg(help = papers())]
    paper: String,
    /// Divide the paper's machine by this; 1 is the paper's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(long_help = scales())]
    scale: Option<u32>,
    /// Repeat the experiment N times with perturbed latencies; each figure shows the resulting
    /// run-to-run variation, which its 95 % intervals contain; 0 for none
    #[arg(long, value_name = "N", long_help = repetitions())]
    perturbed: Option<u64>,
    /// Keep the result of each run in this folder, so that the same command goes on where it was
    /// ended; of all papers, in a folder for each
    ///
    /// Default: a folder of the user's cache, until the command has passed.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Write the result as JSON; of all papers, an object with each by its name, and the summary
    /// of all
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page with the paper's numbers beside ours
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

fn papers() -> String {
    let names = paper::all().into_iter().map(|paper| format!("{}, ", paper.name));
    names.collect::<String>() + "or all"
}

fn scales() -> String {
    let default = |paper: &Entry| format!("{} for {}", paper.scales[0].by, paper.name);
    let defaults: Vec<_> = paper::all().into_iter().map(default).collect();
    format!(
        "Divide the paper's machine by this; 1 is the paper's\n\n\
         Default: what takes less than five minutes on two cores: {}.",
        defaults.join(", ")
    )
}

fn repetitions() -> String {
    let scales = |paper: &'static Entry| paper.scales.iter().map(move |scale| (paper, scale));
    let all = paper::all().into_iter().flat_map(scales);
    let none = all.filter(|(_, scale)| scale.perturbed == 0);
    let none: Vec<_> =
        none.map(|(paper, scale)| format!("{} at scale {}", paper.name, scale.by)).collect();
    format!(
        "Repeat the experiment N times with perturbed latencies; each figure shows the resulting \
         run-to-run variation, which its 95 % intervals contain; 0 for none\n\n\
         Default: 2; 0 for {}.",
        none.join(", ")
    )
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    Files::default()
        .writes("--json", args.json.as_deref())
        .writes("--report", args.report.as_deref())
        .claim()?;
    let is_all = args.paper == "all";
    let wanted = wanted(args)?;
    let (mut all, mut failed, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for wanted in wanted {
        let paper = wanted.paper.name;
        match keeping::of(args, wanted).and_then(|keeping| {
            let Wanted { paper, scale, inputs, perturbed } = wanted;
            let run = |attempt: &Attempt| (paper.run)(scale, inputs, perturbed, attempt);
            let reproduced = keeping.attempt(run)?;
            kept.push(keeping);
            Ok(reproduced)
        }) {
            Ok(reproduced) => {
                println!("{}", reproduced.text);
                println!("{}", reproduced.checked);
                if is_all {
                    println!("{}\n", line(&reproduced));
                }
                all.push(reproduced);
            }
            Err(Failure { status, message }) => {
                let message = format!("reproduce {paper}: {message}");
                if is_all {
                    println!("FAIL {message}");
                }
                failed.push(Failure { status, message });
            }
        }
    }
    let summary = is_all.then(|| paper::summary_of(&all));
    if let Some(path) = &args.json {
        write_json(path, &all, summary.as_ref())?;
    }
    if let Some(path) = &args.report {
        output::write_file(path, &page::page(&all, summary.as_ref()).into_string())?;
    }
    // Each was reported; the greatest status counts.
    if let Some(failure) = failed.into_iter().max_by_key(|failure| failure.status) {
        return Err(failure);
    }
    kept.into_iter().try_for_each(Keeping::end)?;
    println!("{}", table(&all, summary.as_ref()));
    match (&all[..], summary) {
        (_, Some(summary)) => println!("PASS reproduce all: {summary}"),
        (all, None) => all.iter().for_each(|one| println!("{}", line(one))),
    }
    Ok(0)
}

/// The experiments of a paper as they were asked for.
#[derive(Clone, Copy)]
struct Wanted {
    paper: &'static Entry,
    /// The machine is divided by this.
    scale: u32,
    /// Its inputs.
    inputs: &'static [Input],
    /// The number of perturbed repetitions.
    perturbed: u64,
}

/// The papers, each of which has what was asked for.
fn wanted(args: &Args) -> Result<Vec<Wanted>, Failure> {
    let is_all = args.paper == "all";
    let papers = paper::all().into_iter().filter(|paper| is_all || args.paper == paper.name);
    let wanted = papers.map(|paper| {
        let scale = scale::choose(paper, args.scale).map_err(|e| {
            let by = args.scale.unwrap_or_default();
            Failure::usage(format!("--scale {by}: {e}"))
        })?;
        let perturbed = args.perturbed.unwrap_or(scale.perturbed);
        Ok(Wanted { paper, scale: scale.by, inputs: scale.inputs, perturbed })
    });
    let wanted = wanted.collect::<Result<Vec<_>, Failure>>()?;
    if wanted.is_empty() {
        let names = paper::all().into_iter().map(|paper| paper.name);
        let names: Vec<_> = names.chain(["all"]).collect();
        return Err(Failure::unknown("paper", &args.paper, &names, "duet list designs"));
    }
    Ok(wanted)
}

/// The summary of a paper, as a line.
fn line(Reproduced { paper, summary, .. }: &Reproduced) -> String {
    format!("PASS reproduce {paper}: {summary}")
}

/// The summaries of papers, and of all together.
fn table<'a>(all: &'a [Reproduced], summary: Option<&Summary>) -> Table<'a> {
    let rows = all.iter().map(|one| (one.paper, one.summary.clone()));
    Table(rows.chain(summary.map(|summary| ("all", summary.clone()))).collect())
}

/// One report; of all papers, an object.
fn write_json(
    path: &std::path::Path,
    all: &[Reproduced],
    summary: Option<&Summary>,
) -> Result<(), Failure> {
    match (all, summary) {
        ([one], None) => output::write_json(path, &one.json),
        (all, summary) => {
            let reports = all.iter().map(|one| (one.paper.to_string(), one.json.clone()));
            let mut object: serde_json::Map<_, _> = reports.collect();
            let summary = serde_json::to_value(summary).map_err(Failure::environment)?;
            object.insert("summary".into(), summary);
            output::write_json(path, &object)
        }
    }
}
