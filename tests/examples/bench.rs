//! Loops of one block for `bench.py`, which counts their instructions, and their times.
//!
//! For each block and configuration the same recorded inputs go through a plain C++ test bench of
//! the Verilated library, the library behind the bridge (`rtl`), the lockstep pair, the model, and
//! a block that only moves its ports.
//!
//! ```text
//! bench [BLOCK|CONFIG ...]       ratios of the median times of interleaved runs
//! bench --list                   blocks and configurations
//! bench --count BLOCK CONFIG     each loop once, as counted_*
//! ```
//!
//! Ratios of one run mean something on a busy machine, absolute times do not.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bodies::{BodyLibrary, Request, Variant};
use cosim::catalog::{Family, Pair};
use cosim::report::RunName;
use cosim::stimulus::{self, Statics, Stimulus};
use cosim::{Lockstep, Rtl};
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use hwmodel::{Block, Model};
use ports::Ports;
use ports::image_words;

/// Cycles of one measurement. The bridge checks in 14 % of them that outputs are registered, as in
/// the episodes of `duet cosim`.
const CYCLES: usize = 32_000;
/// Interleaved measurements; the median counts.
const ROUNDS: usize = 9;
/// Seed of the inputs.
const SEED: u64 = 1;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let wanted = match words[..] {
        ["--list"] => Wanted::List,
        ["--count", block, config] => Wanted::Count(block, config),
        _ => Wanted::Times(&words),
    };
    if let Err(problem) = bodies::ready(RemoteWriteQueue::NAME) {
        eprintln!("bench: {problem}");
        std::process::exit(5);
    }
    if let Wanted::Times(_) = wanted {
        println!(
            "{:<24} {:<22} {:>12} {:>12} {:>12} {:>12} {:>12}",
            "block", "config", "rtl", "bridge/C++", "lockstep/C++", "lockstep/rtl", "model/rtl"
        );
    }
    macro_rules! bench_all {
        ($($family:ident::$block:ident;)*) => {
            $(bench_block::<stimulus::$family::$block::Inputs>(&wanted);)*
        };
    }
    duet_tests::for_each_block!(bench_all);
}

/// What the command line asks for.
enum Wanted<'a> {
    List,
    Count(&'a str, &'a str),
    /// Of these blocks and configurations, or of all.
    Times(&'a [&'a str]),
}

/// A block in each of its configurations that is another one to it.
fn bench_block<S: Stimulus<Model: Pair>>(wanted: &Wanted) {
    let block = <S::Model as Model>::NAME;
    if let Err(problem) = bodies::ready(block) {
        return eprintln!("bench: {problem}");
    }
    let mut seen = Vec::new();
    for (name, parameters) in <S::Model as Pair>::Family::named() {
        let config = S::Model::config(&parameters);
        if seen.contains(&config) {
            continue;
        }
        match *wanted {
            Wanted::List => println!("{block} {name}"),
            Wanted::Count(of, only) if (of, only) != (block, &name) => {}
            Wanted::Count(..) => Loops::<S>::new(&name, &config).count(),
            Wanted::Times(chosen) => {
                let is_chosen = |name: &str| chosen.contains(&name);
                if chosen.is_empty() || is_chosen(block) || is_chosen(&name) {
                    Loops::<S>::new(&name, &config).compare_times();
                }
            }
        }
        seen.push(config);
    }
}

/// The loops over the recorded inputs of a block.
struct Loops<'a, S: Stimulus> {
    name: &'a str,
    config: &'a <S::Model as Model>::Config,
    library: BodyLibrary,
    inputs: Vec<<S::Model as Block>::In>,
    /// The same as images.
    images: Vec<u32>,
}

impl<'a, S: Stimulus> Loops<'a, S> {
    fn new(name: &'a str, config: &'a <S::Model as Model>::Config) -> Self {
        let request = Request::new(S::Model::describe(config), Variant::default());
        let library = bodies::body(&request).unwrap_or_else(|error| panic!("{error}"));
        // The inputs are recorded once; they depend on the outputs, so the model answers.
        let mut stimulus = S::new(config, &Statics::default(), SEED);
        let mut model = <S::Model as Model>::new(config).expect("a named configuration is legal");
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
        Self { name, config, library, inputs, images }
    }

    fn model(&self) -> S::Model {
        <S::Model as Model>::new(self.config).expect("a named configuration is legal")
    }

    fn rtl(&self) -> Rtl<S::Model> {
        Rtl::new(self.config).unwrap_or_else(|error| panic!("{error}"))
    }

    fn pair(&self) -> Lockstep<S::Model> {
        let run = RunName { config: self.name.to_string(), seed: SEED };
        Lockstep::new(run, self.config, self.model(), self.rtl(), 0)
    }

    fn count(&self) {
        // The C++ loop sets its top up; one cycle less of it is the loop alone.
        let words = self.images.len() / CYCLES;
        counted_setup(|| _ = self.library.run_floor(&self.images[..words], 1));
        counted_floor(|| _ = self.library.run_floor(&self.images, CYCLES));
        let (mut rtl, mut pair, mut model) = (self.rtl(), self.pair(), self.model());
        counted_rtl(|| drive(&mut rtl, &self.inputs));
        counted_lockstep(|| drive(&mut pair, &self.inputs));
        assert!(!pair.failed(), "the measured pair differs");
        counted_model(|| drive(&mut model, &self.inputs));
        let mut ports = PortsAlone { inputs: self.inputs[0], outputs: model.outputs() };
        counted_ports(|| drive(&mut ports, &self.inputs));
        println!("{CYCLES} {}", self.library.evaluations());
    }

    fn compare_times(&self) {
        let mut times: [Vec<Duration>; 4] = Default::default();
        for _ in 0..ROUNDS {
            let floor = self.library.run_floor(&self.images, CYCLES);
            times[0].push(Duration::from_nanos(floor as u64));
            let (mut rtl, mut pair, mut model) = (self.rtl(), self.pair(), self.model());
            times[1].push(time(|| drive(&mut rtl, &self.inputs)));
            times[2].push(time(|| drive(&mut pair, &self.inputs)));
            assert!(!pair.failed(), "the measured pair differs");
            times[3].push(time(|| drive(&mut model, &self.inputs)));
        }
        let [floor, rtl, lockstep, model] = times.map(median);
        println!(
            "{:<24} {:<22} {:>8.2} M/s {:>12.2} {:>12.2} {:>12.2} {:>12.1}",
            <S::Model as Model>::NAME,
            self.name,
            CYCLES as f64 / rtl / 1e6,
            floor / rtl,
            floor / lockstep,
            rtl / lockstep,
            rtl / model
        );
    }
}

/// Takes its inputs and shows outputs, as any block must.
struct PortsAlone<I, O> {
    inputs: I,
    outputs: O,
}

impl<I: Ports, O: Ports> Block for PortsAlone<I, O> {
    type In = I;
    type Out = O;

    fn outputs(&self) -> O {
        self.outputs
    }

    fn tick(&mut self, inputs: &I) -> O {
        self.inputs = *inputs;
        self.outputs
    }
}

/// Functions of these names, whose instructions `bench.py` counts.
macro_rules! counted {
    ($($name:ident)*) => {$(
        #[inline(never)]
        fn $name(run: impl FnOnce()) {
            run();
            // Not in the place of a call that ends it.
            black_box(());
        }
    )*};
}
counted!(counted_setup counted_floor counted_rtl counted_lockstep counted_model counted_ports);

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
