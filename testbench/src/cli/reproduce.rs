//! `duet reproduce PAPER`: a paper's experiments, our number beside the paper's.

use std::path::PathBuf;

use super::{Failure, USAGE};

/// Run a paper's experiments
#[derive(clap::Args)]
pub struct Args {
    /// finepack
    paper: String,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let _ = &args.json;
    Err(Failure::new(USAGE, format!("paper {}: must be finepack", args.paper)))
}
