//! The firmware's speed and cost: how fast the core with its image runs in RTL and in the
//! instruction-set simulator, and what each kind of launch costs in each layout of its memory, on
//! the RTL core.

use std::time::{Duration, Instant};

use cosim::body::BodyKind;
use cosim::cpelide::Host;
use cosim::report::RunName;
use cosim::socket::Socket;
use duet_tests::firmware::driver::MACHINE;
use duet_tests::firmware::launches::{Cost, costs};
use duet_tests::firmware::{Core, Host as _, bodies, images};
use duet_tests::parameters;
use firmware::image::Image;
use ports::cpelide::command_processor::Config;
use ports::cpelide::types::Command;

/// In the paper's clock and with the latency of its memory.
const CONFIG: &str = "paper";
/// Interleaved measurements; the median counts.
const ROUNDS: usize = 5;
/// Cycles of an access: its latency, and one.
const PRIVATE: u64 = 32;
const SLOT: u64 = 5;

fn main() {
    let images = images();
    if images.is_empty() || !bodies().contains(&BodyKind::Rtl) {
        eprintln!("bench: this build has no firmware on an RTL core; run `make setup`");
        std::process::exit(5);
    }
    speed(&images[0].1);
    println!();
    println!(
        "{:<8} {:<28} {:>8} {:>8} {:>8} {:>8} {:>8} {:>13}",
        "layout", "launch", "cycles", "private", "%", "slots", "%", "instructions"
    );
    for (name, image) in &images {
        for cost in costs(&mut Core::new(BodyKind::Rtl, CONFIG, image, MACHINE.bits())) {
            print(name, &cost);
        }
    }
}

/// The launches on a core that keeps what came in.
fn watched(image: &Image) -> Core {
    let mut core = Core::new(BodyKind::Model, CONFIG, image, MACHINE.bits());
    core.keep_offered();
    costs(&mut core);
    core
}

/// The simulator through the same launches as a core before it, without those who watch it.
fn alone(image: &Image, watched: &Core) -> Duration {
    let conf = MACHINE.bits();
    let (run, parameters) = (RunName::default(), Config::from(&parameters::<Command>(CONFIG)));
    let socket = Socket::alone(BodyKind::Model, &run, &parameters).expect("a legal model");
    let mut host = Host::core(socket, image, conf).expect("it started before");
    let nothing = watched.nothing();
    let mut cycle = 0;
    let mut run_to = |host: &mut Host, end: u64| {
        while cycle < end {
            cycle += host.quiet_cycles().min(end - cycle - 1);
            host.catch_up(cycle, &nothing);
            host.tick(&nothing);
            cycle += 1;
        }
        cycle += 1;
    };
    let start = Instant::now();
    for (at, inputs) in watched.offered() {
        run_to(&mut host, *at);
        host.tick(inputs);
    }
    run_to(&mut host, watched.cycles);
    let time = start.elapsed();
    assert_eq!(host.outputs().counters, watched.counters(), "it was another run");
    time
}

/// The launches below on both bodies. Ratios of one run mean something on a busy machine, absolute
/// times do not.
fn speed(image: &Image) {
    let mut times: [Vec<Duration>; 3] = Default::default();
    let watched = watched(image);
    let (cycles, instructions) = (watched.cycles, watched.instructions);
    for _ in 0..ROUNDS {
        for (kind, times) in [BodyKind::Rtl, BodyKind::Model].into_iter().zip(&mut times) {
            let mut core = Core::new(kind, CONFIG, image, MACHINE.bits());
            let start = Instant::now();
            costs(&mut core);
            times.push(start.elapsed());
        }
        times[2].push(alone(image, &watched));
    }
    let [rtl, followed, simulator] = times.map(|mut times| {
        times.sort();
        times[ROUNDS / 2].as_secs_f64()
    });
    let speed = |number: u64, seconds: f64| number as f64 / seconds / 1e6;
    println!("{:<40} {:>8} {:>12}", "firmware, default image", "M/s", "must reach");
    println!("{:<40} {:>8.2} {:>12.2}", "cycles, RTL", speed(cycles, rtl), 0.5);
    println!("{:<40} {:>8.2}", "cycles, simulator", speed(cycles, simulator));
    println!("{:<40} {:>8.2}", "instructions, RTL", speed(instructions, rtl));
    let [followed, alone] = [followed, simulator].map(|time| speed(instructions, time));
    println!("{:<40} {:>8.2} {:>12.2}", "instructions, simulator", alone, 20.0);
    println!("{:<40} {:>8.2}", "instructions, simulator under test", followed);
    println!("{:<40} {:>8.1}", "simulator / RTL", rtl / simulator);
}

/// A launch, and how much of it is accesses to the private memory and to the packet slots.
fn print(layout: &str, cost: &Cost) {
    let Cost { launches, cycles, work } = *cost;
    let share = |accesses: u64, cycles_of_one: u64| {
        100.0 * (accesses * cycles_of_one) as f64 / f64::from(cycles)
    };
    println!(
        "{layout:<8} {launches:<28} {cycles:>8} {:>8} {:>8.0} {:>8} {:>8.0} {:>13}",
        work.private,
        share(work.private, PRIVATE),
        work.slots,
        share(work.slots, SLOT),
        work.instructions
    );
}
