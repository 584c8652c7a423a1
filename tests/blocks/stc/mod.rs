//! Turn-based spatiotemporal coherence: each block by itself, and a manager with its agents, by the
//! rules and the worked examples of the specification; how long stores wait.
//!
//! It keeps the order of memory: a manager and agents with random links between them, L1s, an L2
//! and random programs. Every load returns what the L2 held between
//! its issue and its return, and all that section 8 of the specification says of a system holds in
//! every cycle. The same programs find each rule of specification 6.1 that is taken away.
//!
//! More programs, a longer run:
//!
//! ```sh
//! DUET_STC_PROGRAMS=100000 cargo test --release -p duet-tests --test blocks stc -- --nocapture
//! ```

mod cu;
mod epoch_agent;
mod epoch_manager;
mod failure;
mod figure_7;
mod joined;
mod l1;
mod l2;
mod litmus;
mod rtl;
mod rules;
mod setup;
mod system;
mod weakness;

use std::env;

use setup::{Setup, VARIANTS};
use system::{Counts, System};

/// Random programs unless DUET_STC_PROGRAMS says otherwise.
const PROGRAMS: u64 = 1500;

fn programs(usual: u64) -> u64 {
    let number = env::var("DUET_STC_PROGRAMS");
    number.map_or(usual, |text| text.parse().expect("DUET_STC_PROGRAMS is a number"))
}

/// A seed's system.
fn random(seed: u64) -> Setup {
    Setup::random(VARIANTS[seed as usize % VARIANTS.len()], seed)
}

#[test]
fn random_programs_keep_the_order_of_memory() {
    let mut counts = Counts::default();
    for seed in 1..=programs(PROGRAMS) {
        let run = System::new(&random(seed)).run();
        counts += run.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    }
    println!("{counts:?}");
    let Counts { transitions, moves, hits, blocked, direct, flashes, .. } = counts;
    assert!([transitions, moves, hits, blocked, direct, flashes].iter().all(|count| *count > 100));
}
