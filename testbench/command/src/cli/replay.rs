//! `duet replay BUNDLE`: a failure again, wherever the bundle has come from.

use std::path::{Path, PathBuf};

use clap::Parser;

use super::keep::{Again, FOLDER};
use super::{Cli, Failure, Verb, bundled, program};
use crate::bundle::{Bundle, Facts};

/// Run what is in a bundle again: ends as the run did that left it
#[derive(clap::Args)]
pub struct Args {
    /// The file that a failed run has left
    bundle: PathBuf,
    /// Begin with the kernel that fails, or the one before it; the cycles are others then
    #[arg(long)]
    short: bool,
    #[command(flatten)]
    trust: Trust,
    /// More arguments for the run, such as `--wave FILE --wave-internals`
    #[arg(last = true, value_name = "ARGUMENTS")]
    more: Vec<String>,
}

/// Whether what a bundle holds may do what programs may.
#[derive(clap::Args)]
pub struct Trust {
    /// Build the RTL of the bundle whatever it contains
    ///
    /// A bundle is data: it chooses a run and its inputs, and cannot write elsewhere. Its RTL is
    /// built only if it calls no system task that runs programs or opens files, neither imports nor
    /// exports C functions, and holds no C++. With this option it may do all that your own programs
    /// may: for bundles of people whose programs you would run.
    #[arg(long)]
    trust: bool,
}

/// A bundle, and the command that it holds, unpacked for as long as this value lives.
pub struct Unpacked {
    pub facts: Facts,
    pub verb: Verb,
    _folder: files::Folder,
}

/// Unpacks a bundle, with its shorter program if so wished. Errors: it is none, or has none, or
/// what it holds is no command of this program, or one that no bundle may ask for.
pub fn unpack(
    path: &Path,
    short: bool,
    trust: &Trust,
    more: &[String],
) -> Result<Unpacked, Failure> {
    let mut bundle = Bundle::read(path).map_err(Failure::usage)?;
    bundled::check(&bundle).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    if short {
        let none = |problem| Failure::usage(format!("{}: --short: {problem}", path.display()));
        bundle = bundle.shorter().map_err(none)?;
        bundled::check(&bundle).map_err(none)?;
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
    // What the user adds is the user's own.
    let has_rtl = facts.words.iter().any(|word| word.starts_with("--rtl"));
    let is_foreign = has_rtl && !trust.trust;
    let rtl = super::bodies::Bundled { is_foreign, named: facts.rtl.clone().map(PathBuf::from) };
    let verb = cli.verb.of_bundle(again(path, short, trust), rtl);
    Ok(Unpacked { facts, verb, _folder: folder })
}

/// What runs a bundle again, and where that may write.
fn again(path: &Path, short: bool, trust: &Trust) -> Again {
    let words = |is_given, word| if is_given { word } else { "" };
    let (short, trust) = (words(short, " --short"), words(trust.trust, " --trust"));
    let words = format!("{} replay {}{short}{trust} --", program(), path.display());
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Again { words, folder: Path::new(FOLDER).join(format!("replay-{name}")) }
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let unpacked = unpack(&args.bundle, args.short, &args.trust, &args.more)?;
    let Facts { subject, message, status, duet, tools, kernels, .. } = &unpacked.facts;
    println!("bundle  {subject}, of duet {duet}");
    if !tools.is_empty() && *tools != bodies::versions() {
        println!("  the Verilated libraries were built with {tools}");
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
