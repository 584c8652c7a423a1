//! Traces that are made: what they may replace, what must be right in them before they appear.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;

use files::{Folder, PartFile};
use traces::trace::{Reader, Recorder, Totals, capture, is_trace, verify};

use super::super::outputs::Files;
use super::super::progress::{Line, SHORT, Tenths, left};
use super::{Failure, WRONG_VALUE, nothing_ran};

/// Before a trace is made. It is read back, so that it must be a file.
pub fn claim(output: &Path) -> Result<(), Failure> {
    let name = output.display();
    if files::is_stream(output) {
        return Err(Failure::usage(format!("-o {name}: must be a file: a trace is read back")));
    }
    if output.is_file() && !is_trace(output) {
        return Err(Failure::usage(format!(
            "-o {name}: exists and is no trace; it is not replaced"
        )));
    }
    Files::default().writes("-o", Some(output)).claim()
}

/// Makes the trace `name` of a raw capture.
pub fn convert(prefix: &Path, output: &Path, name: &str) -> Result<(), Failure> {
    let mut recorder = Recorder::create(output, name)?;
    let (line, tenths) = (Line::new(), Tenths::default());
    let converted = capture::convert_watched(prefix, &mut recorder, |done, all| {
        if io::stderr().is_terminal() {
            let share = done as f64 / all as f64;
            line.show(|since| {
                let left = left(since, share).unwrap_or_default();
                format!("{name}: {:.0} % of {all} records; {left}", 100.0 * share)
            });
        } else if all >= SHORT
            && let Some(share) = tenths.pass(done, all)
        {
            eprintln!("duet: {name}: {share} % of {all} records");
        }
    })?;
    drop(line);
    if !converted.checked {
        eprintln!(
            "duet: warning: {}.sum: not there; without checksums some damage is not found",
            prefix.display()
        );
    }
    if converted.left_out > 0 {
        let n = converted.left_out;
        eprintln!("duet: {n} accesses beyond the end of their buffers were left out");
    }
    save(recorder, name)
}

/// Completes the trace of a program that did something.
pub fn save(mut recorder: Recorder<PartFile>, name: &str) -> Result<(), Failure> {
    match recorder.totals() {
        Totals { groups: 0, kernels, .. } => Err(nothing_ran(name, *kernels as u32)),
        _ => Ok(recorder.save()?),
    }
}

/// A trace that `make` makes at the path that it is given, in a folder that goes afterwards. It
/// gets its name where its values follow from its stores.
pub fn checked(
    output: &Path,
    name: &str,
    make: impl FnOnce(&Folder, &Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let unwritten =
        |error: io::Error| Failure::environment(format!("{}: {error}", output.display()));
    // Before it takes long; where the trace goes there is room.
    let mut whole = PartFile::create(output).map_err(unwritten)?;
    let parent = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = Folder::new_in(parent.unwrap_or(Path::new("."))).map_err(unwritten)?;
    let trace = folder.path().join("trace");
    make(&folder, &trace)?;
    let outcome = verify(&mut Reader::open(&trace)?)?;
    if outcome.wrong > 0 {
        let what =
            format!("{name}: {} captured values do not follow from its stores", outcome.wrong);
        return Err(Failure::new(WRONG_VALUE, [vec![what], outcome.described].concat().join("\n")));
    }
    let copied = File::open(&trace).and_then(|mut trace| io::copy(&mut trace, &mut whole));
    copied.and_then(|_| whole.finish()).map_err(unwritten)
}

/// Says what a new trace holds, and what of the program was left out, by name.
pub fn made(path: &Path, left_out: &BTreeMap<String, u64>) -> Result<u8, Failure> {
    let names: Vec<String> = left_out.iter().map(|(name, n)| format!("{n} {name}")).collect();
    let left_out = match names.as_slice() {
        [] => String::new(),
        names => format!(", left out: {}", names.join(", ")),
    };
    let reader = Reader::open(path)?;
    let Totals { kernels, groups, loads, stores, atomics, .. } = *reader.totals();
    println!(
        "PASS {}: {kernels} kernels, {groups} work-groups, {loads} loads ({:.3} determined), \
         {stores} stores, {atomics} atomics, checksum {:016x}{left_out}",
        reader.name(),
        reader.totals().share_determined(),
        reader.checksum()
    );
    Ok(0)
}
