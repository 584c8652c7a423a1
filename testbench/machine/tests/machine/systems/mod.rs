//! The presets: what they are, what they run, how long a load takes on them, and bad system files.

mod files;
mod latency;
mod runs;
mod table;
mod twins;

use machine::systems;
use machine::{Bodies, Machine, Options, System};
use traces::kernels::Device;
use traces::trace::{Reader, Recorder};

use super::system;

type Recording = Recorder<std::io::Cursor<Vec<u8>>>;

/// Presets without their twins.
fn full() -> Vec<String> {
    systems::names().into_iter().filter(|name| !name.ends_with("-small")).collect()
}

fn preset(name: &str) -> System {
    system(name, &[])
}

/// A program's trace.
fn record(program: impl FnOnce(&mut Device<Recording>)) -> Reader {
    let mut recorder = Recorder::in_memory("test").unwrap();
    program(&mut Device::new(&mut recorder));
    Reader::from_bytes(recorder.into_bytes().unwrap(), "test").unwrap()
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
