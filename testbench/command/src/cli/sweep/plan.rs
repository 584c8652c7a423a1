//! The points of a sweep before any runs: which machine and program each is, what it is known by,
//! and which are refused.

use std::collections::BTreeSet;
use std::path::Path;

use bodies::Key;

use super::super::points::{Known, No, Point, short};
use super::super::{Failure, USAGE, choice};
use super::file::{Sweep, Wanted};

/// A combination that is not run.
pub struct Refused {
    /// What it is known by: a hash of what was asked for.
    pub key: String,
    /// What was asked for.
    pub choice: choice::Args,
    /// Why.
    pub message: String,
}

/// All points of a sweep; none twice.
#[derive(Default)]
pub struct Plan {
    /// Those that can run.
    pub points: Vec<Point>,
    /// Those that cannot.
    pub refused: Vec<Refused>,
}

impl Plan {
    /// Errors: a value with which no point can run is wrong use, whatever is wrong with it, but
    /// where it only has no effect beside others; and so is a grid without a point that can run.
    pub fn new(path: &Path, sweep: &Sweep) -> Result<Self, Failure> {
        let (mut plan, mut keys, mut known) = (Self::default(), BTreeSet::new(), Known::default());
        for grid in &sweep.grids {
            let mut good: BTreeSet<&(String, String)> = BTreeSet::new();
            let mut wrong: Vec<(&Wanted, No)> = Vec::new();
            for wanted in grid {
                match known.point(&wanted.choice) {
                    Ok(point) => {
                        good.extend(&wanted.values);
                        plan.points.extend(keys.insert(point.key.clone()).then_some(point));
                    }
                    Err(no) if no.failure.status == USAGE => wrong.push((wanted, no)),
                    Err(no) => return Err(no.failure),
                }
            }
            for (Wanted { choice, values }, No { failure, is_idle }) in wrong {
                let message = failure.message;
                let is_bad = |value| !good.contains(value);
                if good.is_empty() || !is_idle && values.iter().any(is_bad) {
                    return Err(Failure::usage(format!("{}: {message}", path.display())));
                }
                let key = refused_key(choice);
                let refused = Refused { key: key.clone(), choice: choice.clone(), message };
                plan.refused.extend(keys.insert(key).then_some(refused));
            }
        }
        Ok(plan)
    }
}

fn refused_key(choice: &choice::Args) -> String {
    let mut key = Key::default();
    key.add("refused");
    key.add(choice.words(""));
    key.add(format!("{:?}", choice.job.perturb));
    short(key)
}
