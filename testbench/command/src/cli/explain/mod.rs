//! `duet explain [BUNDLE]`: what came first, who caused it, and whose rule it breaks.

mod active;
mod changes;
mod mismatch;
mod origin;
mod parents;
mod program;
mod rtl;
mod rules;
mod sides;
mod source;
mod tags;

use std::fs;
use std::path::{Path, PathBuf};

use ::cosim::Mismatch;
use ::cosim::deviation::{self, Deviation};
use ::cosim::fold::{Style, fold};
use bodies::Sources;

use self::changes::Hunk;
use super::keep::FOLDER;
use super::replay::{Trust, unpack};
use super::{Failure, Verb, cosim};
use crate::bundle::ENDING;

/// Find the first cause of a failure, its block, and the rules that concern it
#[derive(clap::Args)]
pub struct Args {
    /// The file that a failed run has left; unless given, the newest in `out`
    bundle: Option<PathBuf>,
    /// Begin with the kernel that fails, or the one before it; the cycles are others then
    #[arg(long)]
    short: bool,
    #[command(flatten)]
    trust: Trust,
}

/// Cycles before a difference in which the registers of model and RTL are compared.
const LOOK_BACK: u64 = 4096;

pub fn run(args: &Args) -> Result<u8, Failure> {
    let path = args.bundle.clone().map_or_else(newest, Ok)?;
    let unpacked = unpack(&path, args.short, &args.trust, &[])?;
    let facts = &unpacked.facts;
    println!("{}", facts.message.lines().next().unwrap_or_default());
    line("run", &format!("{}, seed {}", facts.subject, facts.seed));
    match unpacked.verb {
        Verb::Cosim(ref args) => match cosim::look(args, LOOK_BACK) {
            Ok(Some((mismatch, flip))) => {
                let deviation = match flip {
                    Some(_) => None,
                    None => deviation(args, &mismatch),
                };
                mismatch::report(&mismatch, &mismatch.place, flip.as_ref(), deviation.as_ref());
            }
            Ok(None) => println!("{}: the run passes here", path.display()),
            // Of the checks of full GPUs.
            Err(failure) if failure.status == facts.status => println!("{}", failure.message),
            Err(failure) => return Err(failure),
        },
        Verb::Run(ref args) => program::explain(args)?,
        // Where the two part, one body of a block does otherwise than the other.
        Verb::Compare(args) => program::explain(&args.in_lockstep())?,
        _ => return Err(Failure::usage(format!("{}: of {}", path.display(), facts.verb))),
    }
    Ok(0)
}

/// Where the insides of the run's RTL first differ from those of the RTL in this program, which
/// agrees with the model. None where that says no more than the one change does, or is not known.
fn deviation(args: &cosim::Args, mismatch: &Mismatch) -> Option<Deviation> {
    let sources = Sources::current().ok()?;
    let hunks = changes::of_block(&sources, &mismatch.place);
    if hunks.len() < 2 && hunks.iter().all(Hunk::is_small) {
        return None;
    }
    let insides = || cosim::insides(args, mismatch.cycle, LOOK_BACK).ok().flatten();
    let (other, reference) = (insides()?, bodies::with_built_in(insides)?);
    deviation::first(&other, &reference)
}

/// The bundle that was written last.
fn newest() -> Result<PathBuf, Failure> {
    let none = || {
        Failure::usage(format!(
            "no bundle in {FOLDER}; a run that fails leaves one, or name a file"
        ))
    };
    let all = fs::read_dir(FOLDER).map_err(|_| none())?.filter_map(Result::ok);
    let bundles =
        all.filter(|e| Path::new(&e.file_name()).extension().is_some_and(|x| x == ENDING));
    let dated = bundles.filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())));
    dated.max().map(|(_, path)| path).ok_or_else(none)
}

/// Columns of the label.
const LABEL: usize = 13;

/// Prints a labelled line, folded.
fn line(about: &str, text: &str) {
    println!("{}", fold(&format!("{about:<12} {text}"), LABEL + 2, Style::Text));
}
