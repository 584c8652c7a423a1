//! What a run that has found something leaves: a bundle, beside the waveform.

use std::fs;
use std::path::{Path, PathBuf};

use bodies::Sources;
use cosim::flip::Flip;
use firmware::image::ELVES;
use machine::{Bodies, Machine, Options};
use traces::trace::{Reader, excerpt};

use super::job::{self, Job, run_failure};
use super::output::write_bytes;
use super::{DIFFER, Failure, STUCK, WRONG_VALUE, choice, headline, program};
use crate::bundle::{Bundle, ENDING, Facts, INSIDE, Short};

/// Where bundles and waveforms of failures go.
pub const FOLDER: &str = "out";

/// Characters of a program's name in a file's name.
const MOST_CHARACTERS: usize = 80;

/// How a run came out of a bundle.
#[derive(Clone, Debug)]
pub struct Again {
    /// The words that run it again.
    pub words: String,
    /// Where it may write.
    pub folder: PathBuf,
}

/// Where a run writes what shows its failure; one out of a bundle has a folder of its own.
pub fn folder(again: Option<&Again>) -> &Path {
    again.map_or(Path::new(FOLDER), |again| &again.folder)
}

/// A name from a trace as part of a file's name.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    let plain = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    plain.take(MOST_CHARACTERS).collect()
}

/// Kernels behind the one that failed: whether the host comes after it decides what its packet
/// releases.
const BEHIND: u32 = 1;

/// A run of a program that has failed in kernel `kernel`, counted from 0. Errors: the trace cannot
/// be read, or RTL or firmware of the user's own.
pub fn of_run(
    choice: &choice::Args,
    flip: Option<&Flip>,
    job: &Job,
    kernel: u32,
) -> Result<Bundle, Failure> {
    let mut bundle = of_program("run", &choice.job, job, kernel + 1 + BEHIND)?;
    let words = &mut bundle.facts.words;
    words.extend(choice.bodies.iter().flat_map(|body| ["--impl".to_string(), body.clone()]));
    words.extend(choice.cp.iter().flat_map(|cp| ["--cp".to_string(), cp.clone()]));
    if let Some(firmware) = &choice.firmware {
        words.extend(["--firmware".to_string(), format!("{INSIDE}firmware.elf")]);
        let bytes = match ELVES.iter().find(|elf| elf.name == firmware) {
            Some(elf) => elf.bytes.to_vec(),
            None => read(Path::new(firmware))?,
        };
        bundle.files.insert("firmware.elf".to_string(), bytes);
    }
    words.extend(flip.iter().flat_map(|flip| ["--flip".to_string(), flip.to_string()]));
    Ok(bundle)
}

/// A comparison of a program on models and on RTL, with this host of the firmware. Errors: as of
/// `of_run`.
pub fn of_compare(args: &job::Args, cp: &str, job: &Job) -> Result<Bundle, Failure> {
    let mut bundle = of_program("compare", args, job, u32::MAX)?;
    bundle.facts.words.extend(words(&[("cp", cp)]));
    Ok(bundle)
}

/// The first kernels of a program on its machine.
fn of_program(verb: &str, args: &job::Args, job: &Job, kernels: u32) -> Result<Bundle, Failure> {
    let mut program = job.program()?;
    let all = program.kernels();
    let (name, end) = (plain(program.name()), kernels.min(all));
    let trace = excerpt(&mut program, 0..end)?;
    let resolved = toml::to_string(&job.system).map_err(Failure::environment)?;
    let files =
        [("system.toml".to_string(), resolved.into_bytes()), (format!("{name}.trace"), trace)];
    let mut words = words(&[
        ("system", &format!("{INSIDE}system.toml")),
        ("workload", &format!("{INSIDE}{name}.trace")),
    ]);
    for (option, value) in [("perturb", args.perturb), ("max-cycles", args.max_cycles)] {
        words.extend(value.iter().flat_map(|value| [format!("--{option}"), value.to_string()]));
    }
    let facts = Facts {
        seed: args.seed(),
        subject: format!("{} on {}", job.workload, job.system.name),
        kernels: Some([0, end, all]),
        ..Facts::new(verb, words)
    };
    with_rtl(Bundle { facts, files: files.into() })
}

/// With the failure of kernel `kernel` in a program that begins with it, or with the one before it,
/// where that fails in the same way. Errors: the trace cannot be read.
pub fn shorten(
    mut bundle: Bundle,
    job: &Job,
    (bodies, options): (&Bodies, Options),
    kernel: u32,
    failure: &Failure,
) -> Result<Bundle, Failure> {
    let mut program = job.program()?;
    let (all, name) = (program.kernels(), plain(program.name()));
    let end = (kernel + 1 + BEHIND).min(all);
    for first in (kernel.saturating_sub(1).max(1)..=kernel).rev() {
        let trace = excerpt(&mut program, first..end)?;
        let reader = Reader::from_bytes(trace.clone(), &name)?;
        let machine = Machine::new(&job.system, bodies, reader, options);
        let mut machine = machine.map_err(run_failure)?;
        if let Err(Failure { status, message }) = machine.run().map_err(run_failure)
            && first + machine.kernels() == kernel
            && status == failure.status
            && without_numbers(&message) == without_numbers(&failure.message)
        {
            let words = [&name, "short"].map(|name| format!("{INSIDE}{name}.trace"));
            bundle.files.insert("short.trace".to_string(), trace);
            bundle.facts.short = Some(Short { words, kernels: [first, end, all], message });
            break;
        }
    }
    Ok(bundle)
}

/// What is said first, whatever the cycle and the value.
fn without_numbers(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let words = first.split_whitespace().filter(|word| !word.starts_with(|c: char| c.is_numeric()));
    words.collect::<Vec<_>>().join(" ")
}

/// A run of a block with these arguments.
pub fn of_cosim(subject: String, seed: u64, words: Vec<String>) -> Result<Bundle, Failure> {
    let facts = Facts { seed, subject, ..Facts::new("cosim", words) };
    with_rtl(Bundle { facts, files: [].into() })
}

/// Options with their values, as arguments.
pub fn words(options: &[(&str, &str)]) -> Vec<String> {
    options.iter().flat_map(|(option, value)| [format!("--{option}"), value.to_string()]).collect()
}

/// With the RTL, where that is not in this program.
fn with_rtl(mut bundle: Bundle) -> Result<Bundle, Failure> {
    let sources = Sources::current().ok();
    let Some(sources) = sources.filter(|sources| sources.folder().is_some()) else {
        return Ok(bundle);
    };
    bundle.facts.rtl = sources.named().map(|folder| folder.display().to_string());
    for file in sources.of_all_blocks().map_err(Failure::environment)? {
        bundle.files.insert(format!("rtl/{}", file.path), file.content);
    }
    bundle.facts.words.extend(words(&[("rtl", &format!("{INSIDE}rtl"))]));
    Ok(bundle)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|e| Failure::environment(format!("{}: {e}", path.display())))
}

/// Writes the bundle of a run that has failed so, and says where; with the waveform, if there is
/// one. Nothing where the run has found nothing, but cannot be done.
pub fn leave(bundle: Result<Bundle, Failure>, failure: &Failure, name: &str, wave: Option<&Path>) {
    if ![DIFFER, STUCK, WRONG_VALUE].contains(&failure.status) {
        return;
    }
    let left = bundle.and_then(|mut bundle| {
        bundle.facts.status = failure.status;
        bundle.facts.message = failure.message.clone();
        bundle.facts.tools = bodies::versions();
        if let Some(wave) = wave {
            let name = wave.file_name().map_or_else(Default::default, |n| n.to_string_lossy());
            bundle.files.insert(name.into_owned(), read(wave)?);
        }
        let Facts { verb, seed, .. } = &bundle.facts;
        let path = PathBuf::from(format!("{FOLDER}/{verb}-{}-{seed}.{ENDING}", plain(name)));
        let bytes = bundle.to_bytes().map_err(Failure::environment)?;
        // The same failure again loses nothing.
        let other = Bundle::read(&path).ok().filter(|old| *old != bundle);
        let replaced = other.map(|old| old.facts.message);
        write_bytes(&path, &bytes).map(|()| (path, bundle.facts.short, replaced))
    });
    match left {
        Ok((path, short, replaced)) => {
            println!("bundle  {}: {} explain says more", path.display(), program());
            if let Some(message) = replaced {
                println!("  replaces the bundle of another failure: {}", headline(&message));
            }
            if let Some(Short { kernels: [first, ..], .. }) = short {
                println!("  --short: the same from kernel {first} on");
            }
        }
        // What the run has found is reported without.
        Err(Failure { message, .. }) => eprintln!("duet: no bundle: {message}"),
    }
}
