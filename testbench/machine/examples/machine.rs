//! The machine's speed on a trace, or on the stream program of so many elements (the first
//! argument), on the system and with the L1 design of the next ones. Prints accesses and accesses
//! per second of wall time; under callgrind, with `--toggle-collect='*measured*'`, the instructions
//! collected are the machine's alone. `testbench/machine/bench.py` does both.

use std::path::Path;
use std::time::Instant;

use machine::systems;
use machine::{Bodies, Machine, Options};
use traces::kernels::{self, Params};
use traces::trace::{Reader, Recorder};

#[inline(never)]
fn measured(machine: &mut Machine) -> u64 {
    machine.run().expect("the program passes")
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().expect("a number of elements, or a trace");
    let system = arguments.next().unwrap_or("cpelide-4".to_string());
    let design = arguments.next().map(|design| ("l1.design".to_string(), design));
    let system = systems::load(&system, design.as_slice()).unwrap_or_else(|e| panic!("{e}"));
    let trace = match program.parse() {
        Ok(size) => stream(size),
        Err(_) => Reader::open(Path::new(&program)).unwrap_or_else(|e| panic!("{e}")),
    };
    let mut machine =
        Machine::new(&system, &Bodies::default(), trace, Options::default()).expect("a preset");
    let start = Instant::now();
    let cycles = measured(&mut machine);
    let seconds = start.elapsed().as_secs_f64();
    let statistics = machine.statistics();
    let accesses = statistics.iter().find(|(name, _)| name == "cu.accesses").map_or(0, |s| s.1);
    println!(
        "{accesses} accesses {cycles} cycles {:.3} million accesses/s",
        accesses as f64 / seconds / 1e6
    );
}

/// The trace of the stream program.
fn stream(size: u32) -> Reader {
    let params = Params { size, iterations: 2, seed: 1 };
    let recorder = Recorder::in_memory("stream").and_then(Recorder::fast);
    let mut recorder = recorder.expect("memory");
    kernels::run("stream", &params, &mut recorder).expect("legal parameters");
    let trace = Reader::from_bytes(recorder.into_bytes().expect("memory"), "stream");
    trace.expect("a trace just written")
}
