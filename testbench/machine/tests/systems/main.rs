//! The presets: what they are, what they run, how long a load takes on them, and bad system files.

mod files;
mod latency;
mod runs;
mod table;
mod twins;

use machine::systems;
use machine::{Bodies, Machine, Options, System};
use traces::kernels::{Device, KernelError};
use traces::trace::{Reader, Recorder};

type Recording = Recorder<std::io::Cursor<Vec<u8>>>;

/// Presets without their twins.
fn full() -> Vec<String> {
    systems::names().into_iter().filter(|name| !name.ends_with("-small")).collect()
}

fn preset(name: &str) -> System {
    systems::load(name, &[]).unwrap()
}

/// A program's trace.
fn record(program: impl FnOnce(&mut Device<Recording>)) -> Reader {
    let mut recorder = Recorder::in_memory("test").unwrap();
    program(&mut Device::new(&mut recorder));
    Reader::from_bytes(recorder.into_bytes().unwrap(), "test").unwrap()
}

/// The trace of a built-in program, with its defaults.
fn built_in(name: &str) -> Reader {
    let mut recorder = Recorder::in_memory(name).unwrap();
    let program = traces::kernels::program::<()>(name).unwrap();
    let run: Result<(), KernelError<_>> =
        traces::kernels::run(name, &program.params(), &mut recorder);
    run.unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), name).unwrap()
}

/// Cycles of a run, which must pass.
fn cycles(system: &System, program: Reader) -> u64 {
    let mut machine = machine(system, program);
    machine.run().unwrap_or_else(|e| panic!("{}: {e}", system.name))
}

fn machine(system: &System, program: Reader) -> Machine {
    let options = Options { max_cycles: 10_000_000, ..Options::default() };
    Machine::new(system, &Bodies::default(), program, options)
        .unwrap_or_else(|e| panic!("{}: {e}", system.name))
}
