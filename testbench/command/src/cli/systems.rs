//! `duet systems`: system files, and what may stand in them.
//!
//! ```text
//! $ duet systems show stc-8cu --set l1.design=stc-mb
//! # A system file: duet run --system FILE...
//! ...
//! [machine]
//! # GPUs: must be 1 to 16; so few that all caches together hold at most 2^32 bytes
//! gpus = 1                    # the paper's: one GPU
//! ...
//! ```

use std::path::PathBuf;

use machine::systems;

use super::job::settings;
use super::{Failure, output};

/// Show system files, write a new one, or list all fields
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Print a system file: each field with what it means, what is legal, and its value's source
    Show {
        /// Preset, or system file
        #[arg(value_name = "NAME|FILE")]
        system: String,
        /// Set a field
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// Write a system file of your own: a preset's, with comments
    New {
        /// File to write, which must not be there; its name ends in .toml
        file: PathBuf,
        /// Preset, or system file, to begin with
        #[arg(long, value_name = "NAME|FILE", default_value = "cpelide-4-small")]
        from: String,
        /// Set a field
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// Print the reference of all fields as Markdown: docs/system-file.md
    Reference,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let show = |system: &str, set: &[String]| {
        systems::show(system, &settings(set)?).map_err(Failure::usage)
    };
    match &args.verb {
        Verb::Show { system, set } => print!("{}", show(system, set)?),
        Verb::New { file, from, set } => {
            let text = show(from, set)?;
            if file.extension().is_none_or(|ending| ending != "toml") {
                let problem = format!("{}: must end in .toml", file.display());
                return Err(Failure::usage(problem));
            }
            if file.exists() {
                return Err(Failure::usage(format!("{}: is there already", file.display())));
            }
            output::write_file(file, &text)?;
        }
        Verb::Reference => print!("{}", systems::reference()),
    }
    Ok(0)
}
