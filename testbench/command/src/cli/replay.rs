//! `duet replay BUNDLE`: a failure again, wherever the bundle has come from.

use std::path::{Path, PathBuf};

use clap::Parser;

use super::{Cli, Failure, Verb};
use crate::bundle::{Bundle, Facts};

/// Run what is in a bundle again: ends as the run did that left it
#[derive(clap::Args)]
pub struct Args {
    /// The file that a failed run has left
    bundle: PathBuf,
    /// Begin with the kernel that fails, or the one before it; the cycles are others then
    #[arg(long)]
    short: bool,
    /// More arguments for the run, such as `--wave FILE --wave-internals`
    #[arg(last = true, value_name = "ARGUMENTS")]
    more: Vec<String>,
}

/// A bundle, and the command that it holds, unpacked for as long as this value lives.
pub struct Unpacked {
    pub facts: Facts,
    pub verb: Verb,
    _folder: files::Folder,
}

/// Unpacks a bundle, with its shorter program if so wished. Errors: it is none, or has none, or
/// what it holds is no command of this program.
pub fn unpack(path: &Path, short: bool, more: &[String]) -> Result<Unpacked, Failure> {
    let mut bundle = Bundle::read(path).map_err(Failure::usage)?;
    if short {
        let none = |problem| Failure::usage(format!("{}: --short: {problem}", path.display()));
        bundle = bundle.shorter().map_err(none)?;
    }
    let folder =
        files::Folder::new().map_err(|e| Failure::environment(format!("temporary folder: {e}")))?;
    let words = bundle
        .unpack(folder.path())
        .map_err(|e| Failure::environment(format!("temporary folder: {e}")))?;
    let facts = bundle.facts;
    let verb = ["duet", &facts.verb].map(String::from).into_iter().chain(words);
    let cli = Cli::try_parse_from(verb.chain(more.iter().cloned())).map_err(|e| {
        let problem = e.to_string();
        let first = problem.lines().next().unwrap_or_default();
        Failure::usage(format!("{}: {}: {first}", path.display(), facts.verb))
    })?;
    Ok(Unpacked { facts, verb: cli.verb.of_bundle(again(path, short)), _folder: folder })
}

/// The words that ask for a bundle's run again.
fn again(path: &Path, short: bool) -> String {
    let short = if short { " --short" } else { "" };
    format!("duet replay {}{short} --", path.display())
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let unpacked = unpack(&args.bundle, args.short, &args.more)?;
    let Facts { subject, message, status, duet, tools, kernels, .. } = &unpacked.facts;
    println!("bundle  {subject}, of duet {duet}");
    if !tools.is_empty() && *tools != bodies::versions() {
        println!("  RTL bodies were made with {tools}");
    }
    if let Some([first, end, all]) = kernels {
        println!("  kernels {first} to {} of {all}", end.saturating_sub(1));
    }
    let result = unpacked.verb.run();
    match result {
        Ok(passed) => {
            eprintln!("duet: the bundle has another end: {message}");
            Ok(passed)
        }
        Err(failure) if failure.status == *status && failure.message == *message => Err(failure),
        Err(Failure { status, message: found }) => {
            let first = |text: &str| text.lines().next().unwrap_or_default().to_string();
            let (found, message) = (first(&found), first(message));
            Err(Failure::new(status, format!("{found}; the bundle has: {message}")))
        }
    }
}
