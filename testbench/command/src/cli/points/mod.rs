//! Programs on machines that several verbs run: which machine and program each is, and what it is
//! known by.

mod run;
mod workers;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bodies::{Key, Request, Sources};
use machine::{Bodies, System, systems};

use super::job::{self, Program};
use super::{Failure, choice, trace};
pub use run::{Opened, Outcome};
pub use workers::{Progress, each, spread};

/// A machine.
pub struct Configuration {
    /// It.
    pub system: System,
    /// Its system file, with all fields.
    pub text: String,
    /// The implementations in its block slots.
    pub bodies: Bodies,
    /// Verilated libraries that it needs.
    requests: Vec<Request>,
}

impl Configuration {
    /// Name of what runs its firmware.
    pub fn cp(&self) -> &'static str {
        self.bodies.cp(&self.system).name()
    }
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
    /// A page shows its run.
    pub is_shown: bool,
}

/// Why a program cannot run on a machine.
#[derive(Clone)]
pub struct No {
    /// What is wrong.
    pub failure: Failure,
    /// A value of the machine has no effect beside the others.
    pub is_idle: bool,
}

impl From<Failure> for No {
    fn from(failure: Failure) -> Self {
        Self { failure, is_idle: false }
    }
}

/// What several points have, so that each is looked at once.
#[derive(Default)]
pub struct Known {
    /// Machines by what was asked for.
    machines: BTreeMap<Vec<String>, Result<Arc<Configuration>, No>>,
    /// What recorded traces are known by.
    traces: BTreeMap<PathBuf, String>,
    /// What RTL of the user's own is known by, by block.
    rtl: BTreeMap<String, String>,
}

/// Verilated libraries that these points need.
pub fn requests<'a>(points: impl IntoIterator<Item = &'a Point>) -> Vec<Request> {
    let mut all: BTreeMap<String, &Request> = BTreeMap::new();
    for request in points.into_iter().flat_map(|point| &point.configuration.requests) {
        all.insert(request.to_string(), request);
    }
    all.into_values().cloned().collect()
}

impl Known {
    /// A program on a machine. Errors: it cannot run.
    pub fn point(&mut self, choice: &choice::Args) -> Result<Point, No> {
        let (of_system, of_workload) = job::of_system_and_workload(&choice.job)?;
        let asked = [&choice.job.system].into_iter().chain(&choice.cp).chain(&choice.bodies);
        let asked = asked.cloned();
        let asked = asked.chain(of_system.iter().map(|(key, value)| format!("{key}={value}")));
        let machine = self.machines.entry(asked.collect());
        let machine = machine.or_insert_with(|| configuration(choice, &of_system).map(Arc::new));
        let configuration = machine.clone()?;
        let program = Program::of(&choice.job, &of_workload)?;
        let mut key = Key::default();
        for part in ["point", env!("CARGO_PKG_VERSION"), &configuration.text, configuration.cp()] {
            key.add(part);
        }
        key.add(self.identity(&program)?);
        key.add(format!("{:?} {:?}", choice.job.perturb, choice.job.max_cycles));
        key.add(choice.bodies.join(" "));
        for request in &configuration.requests {
            key.add(self.own_rtl(request.block.name)?);
        }
        let key = short(key);
        Ok(Point { key, choice: choice.clone(), configuration, program, is_shown: false })
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

/// 16 digits: a million points meet with a probability below 10^-7.
pub fn short(key: Key) -> String {
    key.finish()[..16].to_string()
}
