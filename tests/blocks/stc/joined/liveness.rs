//! No store waits for longer than specification 6, 4 allows: systems with random parameters, links
//! and loads. A longer run:
//!
//! ```sh
//! DUET_STC_CYCLES=100000000 cargo test --release -p duet-tests liveness -- --nocapture
//! ```

use std::env;

use cosim::stimulus::Random;
use hwmodel::stc::epoch_agent::Rule;

use super::demand::{Demand, Habits, Longest};
use super::*;
use crate::stc::setup::VARIANTS;

/// Cycles in all, unless DUET_STC_CYCLES says otherwise.
const CYCLES: usize = 2_000_000;
/// Cycles of a system.
const RUN: usize = 50_000;
/// Cycles for which a store may be blocked without a selection.
const PATIENCE: usize = 2_000;

/// A system of a seed, and what its CUs do.
struct Run {
    stc: Stc,
    system: System,
    demands: Vec<Demand>,
    habits: Vec<Habits>,
    /// Habits change in this cycle.
    until: usize,
    /// Cycles in which each store is taken at least once, for the agents to issue some of those
    /// that are released.
    most_patience: u32,
    random: Random,
    /// Selections, and when the last one was.
    selections: u32,
    selected: usize,
}

impl Run {
    fn new(seed: u64, weakness: Option<Weakness>) -> Self {
        let mut r = Random::new(seed);
        let variant = VARIANTS[seed as usize % VARIANTS.len()];
        let band_bits = r.pick(&[2, 2, 3]);
        let (bsq_n, bsq_banks, bsq_rd) =
            r.pick(&[(16, 4, 2), (16, 1, 1), (16, 16, 1), (32, 4, 1), (64, 4, 2)]);
        // The rest of an epoch behind the scan: 2.2 asks for as much.
        let rest = (1 << band_bits) + r.pick(&[0, 4, 12, 60]);
        let stc = Stc {
            n_cu: 1 + r.below(4),
            band_bits,
            wakeup: (rest + bsq_n / (bsq_banks * bsq_rd)).max(8),
            seb_max: r.pick(&[4, 5, 7, 12]),
            max_bands: if variant == Variant::Mb { 1 + r.below(4) } else { 1 },
            adapt_cmp: r.below(2),
            seb_on_wrap: u32::from(r.below(8) != 0),
            bsq_n,
            bsq_banks,
            bsq_rd,
            ..small(variant)
        };
        let most = r.pick(&[1, 4, 17]);
        let system = System::with((MODELS.manager)(&stc, weakness), &stc, |_| {
            let [down, up] = [r.below(most), r.below(most)].map(|n| n as usize);
            let late = Chain::new(r.pick(&[0, 0, 70]));
            Cu { answers: None, late, ..Cu::new((MODELS.agent)(&stc, weakness), down, up) }
        });
        let demands = system.cus.iter().map(|_| Demand::new()).collect();
        Self {
            stc,
            system,
            demands,
            habits: Vec::new(),
            until: 0,
            most_patience: rest,
            random: r,
            selections: 0,
            selected: 0,
        }
    }

    /// Where the start epoch bit may move at each selection, a store may wait for ever.
    fn has_bound(&self) -> bool {
        self.stc.seb_on_wrap == 1 || !self.stc.variant.has_conflicts()
    }

    /// Selections after which the band of a store is granted.
    fn rotations(&self) -> u32 {
        2 * (1 << self.stc.band_bits) + 1
    }

    /// Selections for which a store may wait, if its agent issues so many in an epoch.
    fn bound(&self, issued: u32) -> u32 {
        2 * self.stc.bsq_n.div_ceil(issued) * self.rotations()
    }

    /// One cycle, with new stores and loads or without.
    fn cycle(&mut self, busy: bool) -> Result<(), String> {
        let Self { stc, system, demands, habits, until, most_patience, random, .. } = self;
        if system.now == *until {
            let cus = 0..system.cus.len();
            *habits = cus.map(|_| Habits::random(random, *most_patience)).collect();
            *until += random.pick(&[500, 5_000, RUN]);
        }
        let selections = system.manager.outputs().counters.selections;
        let at = (system.now, selections, busy);
        for ((cu, demand), habits) in system.cus.iter_mut().zip(&mut *demands).zip(&*habits) {
            demand.inputs(cu, stc, habits, at, random);
        }
        system.cycle();
        system.assert_no_errors();
        if selections != self.selections {
            (self.selections, self.selected) = (selections, self.system.now);
            let waits = self.demands.iter().filter_map(|demand| demand.longest_now(selections));
            let longest = waits.max().unwrap_or(0);
            if self.has_bound() && longest > self.bound(1) {
                return Err(format!("a store waits for {longest} selections"));
            }
        } else if self.system.now > self.selected + PATIENCE {
            // Stores of an epoch that need not end may overtake each other (docs/errata.md, 5.4).
            let both = self.demands.iter().zip(&self.system.cus);
            let blocked = both
                .filter_map(|(demand, cu)| demand.blocked_since(&cu.shown.cer, self.stc.band_bits));
            if blocked.min().is_some_and(|since| self.system.now > since + PATIENCE) {
                return Err("a store is blocked, and nothing is selected".to_string());
            }
        }
        Ok(())
    }

    /// So many cycles, and until all stores are done. What those of each agent have waited for.
    fn run(&mut self, cycles: usize) -> Result<Vec<Longest>, String> {
        (0..cycles).try_for_each(|_| self.cycle(true))?;
        while !self.demands.iter().all(Demand::is_empty) {
            self.cycle(false)?;
        }
        let longest: Vec<_> = self.demands.iter().map(|demand| demand.longest).collect();
        for Longest { grant, issue, least_issued } in &longest {
            if *least_issued == 0 {
                return Err("an agent issues nothing of what is released".to_string());
            }
            if self.has_bound() && *issue > self.bound(*least_issued) {
                return Err(format!("{issue} selections, {least_issued} issued in an epoch"));
            }
            if self.has_bound() && *grant > self.rotations() {
                return Err(format!("a band is granted after {grant} selections"));
            }
        }
        Ok(longest)
    }
}

fn cycles() -> usize {
    let number = env::var("DUET_STC_CYCLES");
    number.map_or(CYCLES, |text| text.parse().expect("DUET_STC_CYCLES is a number"))
}

#[test]
fn no_store_waits_for_longer_than_is_allowed() {
    // By variant, of all agents: what came nearest to its bound, and the bound; the same of bands.
    let mut nearest = [[(0, 1); 2]; 4];
    let mut unbounded = 0;
    let (mut all, mut seed) = (0, 0);
    while all < cycles() {
        seed += 1;
        let mut run = Run::new(seed, None);
        let longest = run.run(RUN).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        all += run.system.now;
        for Longest { grant, issue, least_issued } in longest {
            if !run.has_bound() {
                unbounded = unbounded.max(issue);
                continue;
            }
            let seen = [(issue, run.bound(least_issued)), (grant, run.rotations())];
            for (most, now) in nearest[run.stc.variant as usize].iter_mut().zip(seen) {
                let [is, was] =
                    [now, *most].map(|(seen, bound)| f64::from(seen) / f64::from(bound));
                if is > was {
                    *most = now;
                }
            }
        }
    }
    println!("{all} cycles of {seed} systems; waits in selections, with what is allowed");
    for (variant, [issue, grant]) in VARIANTS.iter().zip(nearest) {
        println!("{variant:?}: to be issued {issue:?}, for the band {grant:?}");
    }
    println!("without a bound, as the start epoch bit moves at any selection: {unbounded}");
}

/// Lower slots go first, without end; or nobody says that a store waits.
#[test]
fn rules_that_bound_the_wait_are_found() {
    for rule in [Rule::Batch, Rule::ScannedCleared, Rule::FilterCleared, Rule::ScanDemands] {
        let weakness = Some(Weakness::Agent(rule));
        let found =
            (1..=100).find_map(|seed| Some((seed, Run::new(seed, weakness).run(RUN).err()?)));
        let (seed, problem) = found.unwrap_or_else(|| panic!("{rule:?} is not found"));
        println!("{rule:?}: {problem}, seed {seed}");
    }
}
