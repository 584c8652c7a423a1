//! A run of a program: what failed, in which block first, and what the program did there.

use cosim::body::BodyKind;
use cosim::flip::Flip;
use machine::{Bodies, Cp, Machine, RunError};

use super::super::difference::look_inside;
use super::super::job::{Job, run_failure};
use super::super::{Failure, bodies, files_of_rtl, flip, run};
use super::sides::{self, End};
use super::{LOOK_BACK, line, mismatch, parents};

/// Runs it again, and reports.
pub fn explain(args: &run::Args) -> Result<(), Failure> {
    args.rtl.apply()?;
    let job = Job::load(&args.choice.job)?;
    let chosen = args.choice.bodies(&job.system)?;
    match end(args, &job, &chosen)? {
        None => println!("the run passes here"),
        Some(RunError::Differ(difference)) => report_difference(args, &job, &chosen, &difference)?,
        Some(error) => {
            report_other(args, &job, &chosen, &error)?;
        }
    }
    Ok(())
}

/// How a run with these implementations ends.
fn end(args: &run::Args, job: &Job, chosen: &Bodies) -> Result<Option<RunError>, Failure> {
    bodies::build_all(&job.requests(chosen)?, None)?;
    let options = run::options(&args.choice.job);
    let machine = Machine::new(&job.system, chosen, job.program()?, options);
    let mut machine = machine.map_err(run_failure)?;
    flip::set(args.flip.as_ref(), &mut machine)?;
    Ok(machine.run().err())
}

/// What --flip inverts, by the name of its field.
fn planted(args: &run::Args, job: &Job, chosen: &Bodies) -> Result<Option<Flip>, Failure> {
    let options = run::options(&args.choice.job);
    let machine = Machine::new(&job.system, chosen, job.program()?, options);
    flip::set(args.flip.as_ref(), &mut machine.map_err(run_failure)?)
}

type Difference = cosim::socket::Difference;

fn report_difference(
    args: &run::Args,
    job: &Job,
    chosen: &Bodies,
    difference: &Difference,
) -> Result<(), Failure> {
    let place = &difference.place;
    let Some((first, _)) = &difference.mismatch else {
        line("assertion", &format!("of the RTL in {place}, cycle {}", difference.cycle));
        let text = files_of_rtl::assertions(&difference.text, difference.block.name);
        text.lines().for_each(|text| line("", text));
        // Beside its model the RTL may differ before that.
        let both = chosen.clone().with(place, BodyKind::Lockstep);
        return match end(args, job, &both)? {
            Some(RunError::Differ(again)) if again.mismatch.is_some() => {
                report_difference(args, job, &both, &again)
            }
            _ => {
                line("side", "beside its model the RTL does not differ");
                Ok(())
            }
        };
    };
    let options = run::options(&args.choice.job);
    let from = first.cycle.saturating_sub(LOOK_BACK);
    let (flip, bodies) = (args.flip.as_ref(), chosen.clone());
    let seen = look_inside(flip, job, bodies, options, place, from)?;
    let found = match &seen {
        Ok((again, _)) => again,
        Err(why) => {
            line("registers", why);
            first
        }
    };
    if let Some(cycle) = difference.system_cycle {
        let (own, clock) = (difference.cycle, &difference.clock.name);
        line("cycle", &format!("{cycle} of the GPU, {own} of {clock}"));
    }
    let planted = planted(args, job, chosen)?;
    mismatch::report(found, place, planted.as_ref(), None);
    parents::report(args, job, chosen, found, place)?;
    if planted.is_some() {
        line("side", "the flip: the RTL itself need not be wrong");
        return Ok(());
    }
    let alone = [BodyKind::Model, BodyKind::Rtl].map(|kind| {
        // All of its instances: others have the same bug.
        let bodies = chosen.clone().with(difference.block.name, kind);
        sides::end(args, job, &bodies)
    });
    let [model, rtl] = alone;
    line("side", &sides::verdict(&model?, &rtl?));
    Ok(())
}

/// Wrong values, deadlocks and the like: RTL beside the models shows where it begins.
fn report_other(
    args: &run::Args,
    job: &Job,
    chosen: &Bodies,
    error: &RunError,
) -> Result<(), Failure> {
    // The first line stands above already.
    error.to_string().lines().skip(1).for_each(|text| line("", text));
    if let RunError::Wrong(_, wrong) = error {
        parents::report_life(args, job, chosen, wrong.addr, false)?;
    }
    let plan = job.plan(chosen)?;
    if plan.requests().is_empty() {
        line("side", "no RTL took part: the models, or the machine around them, break it");
        return Ok(());
    }
    let mut both = chosen.clone();
    for place in plan.places() {
        if chosen.choice.body(&place) == BodyKind::Rtl {
            both = both.with(&place, BodyKind::Lockstep);
        }
    }
    if both.cp(&job.system) == Cp::Core(BodyKind::Rtl) {
        both = both.with_cp(Cp::Core(BodyKind::Lockstep));
    }
    match end(args, job, &both)? {
        Some(RunError::Differ(difference)) => report_difference(args, job, &both, &difference)?,
        Some(_) => line("side", "model and RTL of each block agree: the cause is common to both"),
        None => line("side", "the RTL passes beside the models: try the blocks one by one"),
    }
    let places = plan.places();
    let models = places.iter().fold(chosen.clone(), |all, place| all.with(place, BodyKind::Model));
    if let End::Passes { .. } = sides::end(args, job, &models)? {
        line("", "with models alone the program passes");
    }
    Ok(())
}
