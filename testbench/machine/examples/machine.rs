//! The machine's speed on a program (the first argument): a trace, or a built-in program,
//! `pagerank`, with a size, `stream:65536`, and iterations, `pagerank:1024:60`. The next arguments
//! are the system, settings `KEY=VALUE`, `threads=N` for several threads, `trial` where a trial
//! decides on them, `kernels` for statistics of each kernel, as `duet run` keeps them, and `sample`
//! for a run that skips launches. Prints accesses and accesses per second of wall time; under
//! callgrind, with `--toggle-collect='*measured*'`, the instructions collected are the machine's
//! alone. `testbench/machine/bench.py` does both.

use std::path::Path;
use std::time::Instant;

use machine::systems;
use machine::{Bodies, Machine, Options, Windows};
use traces::kernels::{self, KernelError};
use traces::trace::{Reader, Recorder};

#[inline(never)]
fn measured(machine: &mut Machine) -> u64 {
    machine.run().expect("the program passes")
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().expect("a program");
    let system = arguments.next().unwrap_or("cpelide-4".to_string());
    let (mut settings, mut options) = (Vec::new(), Options::default());
    for argument in arguments {
        match argument.split_once('=') {
            Some(("threads", number)) => options.threads = number.parse().expect("a number"),
            Some((key, value)) => settings.push((key.to_string(), value.to_string())),
            None if argument == "sample" => options.sample = true,
            None if argument == "trial" => options.trial = true,
            None => options.by_kernel = argument == "kernels",
        }
    }
    let system = systems::load(&system, &settings).unwrap_or_else(|e| panic!("{e}"));
    let trace = match program.ends_with(".trace") {
        true => Reader::open(Path::new(&program)).unwrap_or_else(|e| panic!("{e}")),
        false => built_in(&program),
    };
    let mut machine = Machine::new(&system, &Bodies::default(), trace, options).expect("a machine");
    let start = Instant::now();
    let cycles = measured(&mut machine);
    let seconds = start.elapsed().as_secs_f64();
    let statistics = machine.statistics();
    let accesses = statistics.iter().find(|(name, _)| name == "cu.accesses").map_or(0, |s| s.1);
    println!(
        "{accesses} accesses {cycles} cycles {:.3} million accesses/s",
        accesses as f64 / seconds / 1e6
    );
    if let Some(Windows { count, visits, slowest }) = machine.windows() {
        let bound = visits as f64 / slowest as f64;
        println!(
            "{visits} visits of components in {count} windows, at most {bound:.2} times as fast"
        );
    }
}

/// The trace of a built-in program, `NAME`, `NAME:SIZE` or `NAME:SIZE:ITERATIONS`.
fn built_in(text: &str) -> Reader {
    let mut words = text.split(':');
    let name = words.next().unwrap_or(text);
    let known = kernels::program::<()>(name).unwrap_or_else(|_| panic!("no program {name}"));
    let mut params = known.params();
    if let Some(size) = words.next() {
        params.size = size.parse().expect("a size");
    }
    if let Some(iterations) = words.next() {
        params.iterations = iterations.parse().expect("a number of iterations");
    }
    let recorder = Recorder::in_memory(name).and_then(Recorder::fast);
    let mut recorder = recorder.expect("memory");
    let run: Result<(), KernelError<_>> = kernels::run(name, &params, &mut recorder);
    run.expect("legal parameters");
    let trace = Reader::from_bytes(recorder.into_bytes().expect("memory"), name);
    trace.expect("a trace just written")
}
