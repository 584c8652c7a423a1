//! The full GPU machine as a whole: every program on every combination of designs, random programs
//! on random machines, what must be refused, results that do not depend on how they are computed,
//! and the presets.

mod bodies;
mod captures;
mod checker;
mod coherence;
mod copies;
mod cover;
mod decisions;
mod designs;
mod directed;
mod extension_points;
mod host;
mod looks;
mod matrix;
mod mixes;
mod negative;
mod order;
mod performed;
mod probe;
mod program_order;
mod race;
mod random;
mod rates;
mod sampling;
mod sequential;
mod sharing;
mod staging;
mod stc;
mod streams;
mod systems;
mod threads;
mod timestamps;
mod traffic;

use machine::sequential::Keep;
use machine::{Bodies, Checked, Machine, Options, RunError, System};
use traces::kernels::{self, KernelError, Params};
use traces::trace::{Reader, Recorder};

/// Most cycles of any run here.
const MOST_CYCLES: u64 = 200_000_000;

/// A preset with some values replaced.
fn system(name: &str, set: &[(&str, &str)]) -> System {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    machine::systems::load(name, &set).unwrap_or_else(|e| panic!("{name} with {set:?}: {e}"))
}

/// The same, unless its L1 design refuses the machine, or pages with copies its designs.
fn accepted(name: &str, set: &[(&str, &str)]) -> Option<System> {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    match machine::systems::load(name, &set) {
        Ok(system) => Some(system),
        Err(error) if error.to_string().contains("with l1.design = ") => None,
        Err(error) if error.to_string().contains("placement.policy: ") => None,
        Err(error) if error.to_string().contains("sharing-aware") => None,
        Err(error) => panic!("{name} with {set:?}: {error}"),
    }
}

/// The trace of a built-in program.
fn built_in(name: &str, params: &Params) -> Reader {
    let mut recorder = Recorder::in_memory(name).unwrap();
    let run: Result<(), KernelError<_>> = kernels::run(name, params, &mut recorder);
    run.unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), name).unwrap()
}

/// The trace of a built-in program with its defaults.
fn by_default(name: &str) -> Reader {
    built_in(name, &kernels::program::<()>(name).unwrap().params())
}

/// A counter, over all components; 0 where none counts it.
fn count(outcome: &Outcome, name: &str) -> u64 {
    outcome.statistics.iter().filter(|(n, _)| n == name).map(|(_, value)| value).sum()
}

/// Names that a field may have.
fn all(field: &str) -> Vec<String> {
    let names = machine::names(field);
    assert!(!names.is_empty(), "{field} names no design");
    names.into_iter().map(String::from).collect()
}

/// Those of them that are not for tests.
fn production(field: &str) -> Vec<String> {
    all(field).into_iter().filter(|name| !name.starts_with("test-")).collect()
}

/// What a run gives that must not depend on how it was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    cycles: u64,
    statistics: Vec<(String, u64)>,
    checked: Checked,
}

impl Outcome {
    /// Share of loads with one right value.
    fn determined(&self) -> f64 {
        self.checked.determined as f64 / self.checked.loads.max(1) as f64
    }
}

/// Runs a program.
fn run(system: &System, program: &Reader, options: Options) -> Result<Outcome, RunError> {
    run_on(system, &Bodies::default(), program, options)
}

/// Runs a program on these bodies.
fn run_on(
    system: &System,
    bodies: &Bodies,
    program: &Reader,
    options: Options,
) -> Result<Outcome, RunError> {
    let most = if options.max_cycles == 0 { MOST_CYCLES } else { options.max_cycles };
    // Some designs for tests break what they promise.
    let keep = Keep { values: true, placed: false };
    let is_real = !system.l1.design.starts_with("test-");
    let sequential = options.sequential.or(is_real.then_some(keep));
    let options = Options { max_cycles: most, sequential, ..options };
    let mut machine = Machine::new(system, bodies, program.reopen()?, options)?;
    let cycles = machine.run()?;
    Ok(Outcome { cycles, statistics: machine.statistics(), checked: machine.checked() })
}

/// Runs a program that must pass.
fn passes(system: &System, program: &Reader) -> Outcome {
    let options = Options { compare_lines: 16, ..Options::default() };
    run(system, program, options)
        .unwrap_or_else(|e| panic!("{} on {}: {e}", program.name(), system.name))
}
