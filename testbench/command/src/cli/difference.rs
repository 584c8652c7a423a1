//! `duet run` where model and RTL differ: the report, the waveform around it, and how to see it
//! again.

use std::path::PathBuf;

use cosim::Mismatch;
use cosim::body::Sight;
use cosim::flip::Flip;
use cosim::inspect::{Inspected, Window};
use cosim::socket::{Difference, Pattern};
use cosim::wave::write_window;
use machine::{Bodies, Machine, Options, RunError};

use super::job::{Job, run_failure};
use super::{Failure, files_of_rtl, flip, keep, program, run};

/// Reports the first difference of model and RTL, and writes the waveform around it; returns its
/// path.
pub fn report(
    args: &run::Args,
    flip: Option<&Flip>,
    job: &Job,
    bodies: Bodies,
    options: Options,
    difference: Box<Difference>,
) -> Result<(Failure, Option<PathBuf>), Failure> {
    let (name, place) = (difference.block.name, &difference.place);
    let cycle = difference.system_cycle.unwrap_or(difference.cycle);
    let mut waves = None;
    match &difference.mismatch {
        Some((mismatch, window)) => {
            let from = mismatch.cycle.saturating_sub(Window::BEFORE);
            let again = look_inside(flip, job, bodies, options, place, from)?;
            let mut mismatch = mismatch.clone();
            let window = match &again {
                Ok((again, window)) => {
                    mismatch.take_inside(again.clone());
                    window
                }
                Err(missing) => {
                    mismatch.inside = Some(Inspected::Missing(missing.clone()));
                    window
                }
            };
            let path = format!("run-{name}-{}.vcd", args.choice.job.seed());
            let path = keep::folder(args.again.as_ref()).join(path);
            let (block, clock) = (difference.block.clone(), difference.clock.clone());
            mismatch.run.seed = args.choice.job.seed();
            match write_window(&path, block, window, &mismatch, clock) {
                Ok(path) => waves = Some(path),
                // The difference is reported without.
                Err(error) => eprintln!("duet: {error}"),
            }
            mismatch.waves = waves.clone();
            let (from, to) = (cycle.saturating_sub(100), cycle + 10);
            let again = args.again.as_ref().map(|again| again.words.clone()).unwrap_or_else(|| {
                let flip = flip::words(flip);
                format!("{} run {}{}", program(), args.choice.words(&flip), args.rtl.words())
            });
            mismatch.rerun = Some(format!(
                "{again} --wave out.vcd --wave-internals --wave-of {place} --wave-from {from} \
                 --wave-to {to}"
            ));
            mismatch.place = place.clone();
            mismatch.assertions = files_of_rtl::assertions(&mismatch.assertions, name);
            print!("{mismatch}");
        }
        None => {
            let text = files_of_rtl::assertions(&difference.text, name);
            print!("ASSERTION of {place} at cycle {cycle}\n{text}");
        }
    }
    Ok((run_failure(RunError::Differ(difference)), waves))
}

/// The difference with registers, and the cycles around it; or why that is not known.
pub type Seen = Result<(Mismatch, Window), String>;

/// Runs again with libraries that can be traced, up to the same difference; from cycle `from` of
/// the block on, registers are compared.
pub fn look_inside(
    flip: Option<&Flip>,
    job: &Job,
    mut bodies: Bodies,
    options: Options,
    place: &str,
    from: u64,
) -> Result<Seen, Failure> {
    let inspect_from = Some(from);
    bodies.choice.look_at(Pattern::new(place), Sight { inspect_from, ..Sight::default() });
    let mut machine = match Machine::new(&job.system, &bodies, job.program()?, options) {
        Ok(machine) => machine,
        Err(error) => return Ok(Err(error.to_string())),
    };
    flip::set(flip, &mut machine)?;
    Ok(match machine.run() {
        Err(RunError::Differ(again)) if again.place == place => {
            again.mismatch.ok_or_else(|| "the second run ended otherwise".to_string())
        }
        _ => Err("the second run ended otherwise".to_string()),
    })
}
