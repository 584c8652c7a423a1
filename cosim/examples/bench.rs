//! The benchmark table: for each block and configuration the same recorded inputs go through a
//! plain C++ harness (the floor), the Verilated body behind the bridge, the lockstep pair and the
//! model, interleaved; the ratios of the median times are printed. Ratios of one run mean something
//! on a busy machine, absolute times do not.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bodies::{Request, Variant};
use cosim::catalog::{Family, Pair};
use cosim::report::RunName;
use cosim::stimulus::{self, NewStimulus, Statics};
use cosim::{Lockstep, Rtl};
use hwmodel::remote_write_queue::RemoteWriteQueue;
use hwmodel::{Block, Model};
use ports::Ports;
use ports::image_words;

/// Cycles of one measurement.
const CYCLES: usize = 10_000;
/// Interleaved measurements; the median counts.
const ROUNDS: usize = 25;
/// Seed of the inputs.
const SEED: u64 = 1;

fn main() {
    if let Err(problem) = bodies::ready(RemoteWriteQueue::NAME) {
        eprintln!("bench: {problem}");
        std::process::exit(5);
    }
    println!(
        "{:<24} {:<22} {:>12} {:>12} {:>12} {:>14}",
        "block", "config", "rtl", "bridge/C++", "lockstep/rtl", "model/rtl"
    );
    macro_rules! bench_all {
        ($($block:ident: $about:literal;)*) => {
            $(bench_block::<stimulus::$block::Inputs>();)*
        };
    }
    ports::for_each_block!(bench_all);
    println!("{:<60} {:>12.2} {:>12.2} {:>14.1}", "goal", 0.9, 0.85, 10.0);
}

/// A block in each of its configurations that is another one to it.
fn bench_block<S: NewStimulus<Model: Pair>>() {
    if let Err(problem) = bodies::ready(<S::Model as Model>::NAME) {
        return eprintln!("bench: {problem}");
    }
    let mut seen = Vec::new();
    for (name, parameters) in <S::Model as Pair>::Family::named() {
        let config = S::Model::config(&parameters);
        if !seen.contains(&config) {
            bench::<S>(&name, &config);
            seen.push(config);
        }
    }
}

fn bench<S: NewStimulus<Model: Pair>>(name: &str, config: &<S::Model as Model>::Config) {
    // Arguments choose blocks and configurations.
    let chosen: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_chosen = |of: &str| chosen.iter().any(|chosen| chosen == of);
    if !chosen.is_empty() && !is_chosen(<S::Model as Model>::NAME) && !is_chosen(name) {
        return;
    }
    let new_model = || <S::Model as Model>::new(config).expect("a named configuration is legal");
    let request = Request::new(S::Model::describe(config), Variant::default());
    let new_rtl = || Rtl::<S::Model>::new(config).unwrap_or_else(|error| panic!("{error}"));
    let library = bodies::body(&request).unwrap_or_else(|error| panic!("{error}"));

    // The inputs are recorded once; they depend on the outputs, so the model answers.
    let mut stimulus = S::new(config, &Statics::default(), SEED);
    let mut model = new_model();
    let inputs: Vec<_> = (0..CYCLES)
        .map(|_| {
            let input = stimulus.inputs(&model.outputs());
            model.tick(&input);
            input
        })
        .collect();
    let words = image_words(&<S::Model as Block>::In::declare(config));
    let mut images = vec![0; words * CYCLES];
    let mut previous = vec![0; words];
    for (input, image) in inputs.iter().zip(images.chunks_exact_mut(words)) {
        input.store(config, &mut previous);
        image.copy_from_slice(&previous);
    }

    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..ROUNDS {
        let floor = library.run_floor(&images, CYCLES);
        times[0].push(Duration::from_nanos(floor as u64));
        let mut rtl = new_rtl();
        times[1].push(time(|| drive(&mut rtl, &inputs)));
        let run = RunName { config: name.to_string(), seed: SEED };
        let mut pair = Lockstep::new(run, config, new_model(), new_rtl(), 0);
        times[2].push(time(|| drive(&mut pair, &inputs)));
        assert!(!pair.failed(), "the measured pair differs");
        let mut model = new_model();
        times[3].push(time(|| drive(&mut model, &inputs)));
    }
    let [floor, rtl, lockstep, model] = times.map(median);
    println!(
        "{:<24} {:<22} {:>8.2} M/s {:>12.2} {:>12.2} {:>14.1}",
        <S::Model as Model>::NAME,
        name,
        CYCLES as f64 / rtl / 1e6,
        floor / rtl,
        rtl / lockstep,
        rtl / model
    );
}

fn drive<B: Block>(block: &mut B, inputs: &[B::In]) {
    for input in inputs {
        black_box(block.tick(input));
    }
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}
