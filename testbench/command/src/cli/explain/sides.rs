//! Whether model or RTL breaks a rule: a program on each of them alone.

use machine::{Bodies, Machine};

use super::super::job::{Job, run_failure};
use super::super::{Failure, bodies, run};

/// How a run with one of the implementations ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All values are right.
    Passes {
        /// Cycles.
        cycles: u64,
    },
    /// What it says.
    Fails(String),
}

/// Runs the program with these implementations.
pub fn end(args: &run::Args, job: &Job, chosen: &Bodies) -> Result<End, Failure> {
    bodies::build_all(&job.requests(chosen)?, None)?;
    let options = run::options(&args.choice.job);
    let machine = Machine::new(&job.system, chosen, job.program()?, options);
    Ok(match machine.map_err(run_failure)?.run() {
        Ok(cycles) => End::Passes { cycles },
        Err(error) => End::Fails(error.to_string().lines().next().unwrap_or_default().to_string()),
    })
}

/// What two such runs show.
pub fn verdict(model: &End, rtl: &End) -> String {
    match (model, rtl) {
        (End::Passes { .. }, End::Fails(what)) => {
            format!(
                "the RTL is wrong: alone it ends with {what}; with the model the program passes"
            )
        }
        (End::Fails(what), End::Passes { .. }) => {
            format!(
                "the model is wrong: alone it ends with {what}; with the RTL the program passes"
            )
        }
        (End::Fails(model), End::Fails(rtl)) => {
            format!(
                "both end otherwise than they must: the model with: {model}; the RTL with: {rtl}"
            )
        }
        (End::Passes { cycles: model }, End::Passes { cycles: rtl }) => format!(
            "no value is wrong with either: {model} cycles with the model, {rtl} with the RTL; the \
             rule decides"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_that_fails_alone_is_wrong() {
        let (good, bad) = (End::Passes { cycles: 7 }, End::Fails("a deadlock".into()));
        let rtl =
            "the RTL is wrong: alone it ends with a deadlock; with the model the program passes";
        assert_eq!(verdict(&good, &bad), rtl);
        let model =
            "the model is wrong: alone it ends with a deadlock; with the RTL the program passes";
        assert_eq!(verdict(&bad, &good), model);
    }
}
