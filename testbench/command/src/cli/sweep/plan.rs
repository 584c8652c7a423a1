//! The points of a sweep before any runs: which machine and program each is, what it is known by,
//! and which are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bodies::{Key, Request, Sources};
use machine::{Bodies, System, systems};

use super::super::job::{self, Program};
use super::super::{Failure, USAGE, choice, trace};
use super::file::{Sweep, Wanted};

/// A machine of a sweep.
pub struct Configuration {
    /// It.
    pub system: System,
    /// Its system file, with all fields.
    pub text: String,
    /// What stands in its sockets.
    pub bodies: Bodies,
    /// RTL bodies that it needs.
    requests: Vec<Request>,
}

/// A program on a machine.
pub struct Point {
    /// What it is known by: a hash of everything that its result depends on.
    pub key: String,
    /// What was asked for.
    pub choice: choice::Args,
    /// The machine.
    pub configuration: Arc<Configuration>,
    /// The program.
    pub program: Program,
}

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

/// Why a combination cannot run.
#[derive(Clone)]
struct No {
    failure: Failure,
    /// A value of it has no effect beside the others.
    is_idle: bool,
}

impl From<Failure> for No {
    fn from(failure: Failure) -> Self {
        Self { failure, is_idle: false }
    }
}

/// What several points have, so that each is looked at once.
#[derive(Default)]
struct Known {
    /// Machines by what was asked for.
    machines: BTreeMap<Vec<String>, Result<Arc<Configuration>, No>>,
    /// What recorded traces are known by.
    traces: BTreeMap<PathBuf, String>,
    /// What RTL of the user's own is known by, by block.
    rtl: BTreeMap<String, String>,
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
                match known.point(wanted) {
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

/// RTL bodies that these points need.
pub fn requests(points: &[&Point]) -> Vec<Request> {
    let mut all: BTreeMap<String, &Request> = BTreeMap::new();
    for request in points.iter().flat_map(|point| &point.configuration.requests) {
        all.insert(request.to_string(), request);
    }
    all.into_values().cloned().collect()
}

impl Known {
    /// A combination. Errors: it cannot run.
    fn point(&mut self, wanted: &Wanted) -> Result<Point, No> {
        let choice = &wanted.choice;
        let (of_system, of_workload) = job::of_system_and_workload(&choice.job)?;
        let asked = [&choice.job.system, &choice.cp].into_iter().chain(&choice.bodies).cloned();
        let asked = asked.chain(of_system.iter().map(|(key, value)| format!("{key}={value}")));
        let machine = self.machines.entry(asked.collect());
        let machine = machine.or_insert_with(|| configuration(choice, &of_system).map(Arc::new));
        let configuration = machine.clone()?;
        let program = Program::of(&choice.job, &of_workload)?;
        let mut key = Key::default();
        for part in ["point", env!("CARGO_PKG_VERSION"), &configuration.text, &choice.cp] {
            key.add(part);
        }
        key.add(self.identity(&program)?);
        key.add(format!("{:?} {:?}", choice.job.perturb, choice.job.max_cycles));
        key.add(choice.bodies.join(" "));
        for request in &configuration.requests {
            key.add(self.own_rtl(request.block.name)?);
        }
        let key = short(key);
        Ok(Point { key, choice: choice.clone(), configuration, program })
    }

    /// What a block does otherwise than the project's RTL; nothing where no folder was named.
    fn own_rtl(&mut self, block: &str) -> Result<String, Failure> {
        let sources = Sources::current().map_err(Failure::usage)?;
        if let Some(known) = self.rtl.get(block) {
            return Ok(known.clone());
        }
        let mut key = Key::default();
        if sources.folder().is_some() {
            for source in sources.of_block(block).map_err(Failure::usage)? {
                key.add(source.path);
                key.add(source.content);
            }
        }
        let known = key.finish();
        self.rtl.insert(block.to_string(), known.clone());
        Ok(known)
    }

    /// What a program's accesses depend on.
    fn identity(&mut self, program: &Program) -> Result<String, Failure> {
        let file = match program {
            Program::BuiltIn { .. } => return Ok(format!("{program:?}")),
            Program::Trace(file) => file,
        };
        if let Some(known) = self.traces.get(file) {
            return Ok(known.clone());
        }
        let trace = trace::open(file)?;
        let identity = format!("{} {:016x}", trace.name(), trace.checksum());
        self.traces.insert(file.clone(), identity.clone());
        Ok(identity)
    }
}

/// The machine of a combination. Errors: there is no such machine.
fn configuration(choice: &choice::Args, of_system: &job::Settings) -> Result<Configuration, No> {
    let name = &choice.job.system;
    let system = systems::load(name, of_system).map_err(Failure::usage)?;
    job::each_is_read(name, of_system, &system).map_err(|failure| No { failure, is_idle: true })?;
    let bodies = choice.bodies(&system)?;
    let requests = job::plan(&system, &bodies)?.requests().to_vec();
    let text = toml::to_string(&system).map_err(Failure::environment)?;
    Ok(Configuration { system, text, bodies, requests })
}

fn refused_key(choice: &choice::Args) -> String {
    let mut key = Key::default();
    key.add("refused");
    key.add(choice.words(""));
    key.add(format!("{:?}", choice.job.perturb));
    short(key)
}

/// 16 digits: a million points meet with a probability below 10^-7.
fn short(key: Key) -> String {
    key.finish()[..16].to_string()
}
