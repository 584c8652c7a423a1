//! Random stores, loads and delays: the invariants hold, and nothing is lost.

use cosim::stimulus::Random;

use super::demand::{Demand, Habits};
use super::invariants::Before;
use super::*;

struct Run {
    stc: Stc,
    system: System,
    demands: Vec<Demand>,
    before: Before,
    random: Random,
    habits: Habits,
}

impl Run {
    fn new(stc: Stc, seed: u64) -> Self {
        let mut r = Random::new(seed);
        let system = System::with((MODELS.manager)(&stc, None), &stc, |_| {
            let [down, up] = [r.below(6), r.below(6)].map(|n| n as usize);
            Cu { answers: None, ..Cu::new((MODELS.agent)(&stc, None), down, up) }
        });
        let demands = system.cus.iter().map(|_| Demand::new()).collect();
        let habits = Habits { st: 85, ld: 128, bits: 0x02FC, ..Habits::random(&mut r, 4) };
        Self { stc, system, demands, before: Before::default(), random: r, habits }
    }

    /// One cycle, with stores and loads or without.
    fn cycle(&mut self, busy: bool) {
        let Self { stc, system, demands, before, random, habits } = self;
        let at = (system.now, system.manager.outputs().counters.selections, busy);
        for (cu, demand) in system.cus.iter_mut().zip(demands) {
            demand.inputs(cu, stc, habits, at, random);
        }
        let readies: Vec<_> =
            system.cus.iter().map(|cu| (cu.next.st_ready, cu.next.ld_ready)).collect();
        invariants::check(system, stc, before);
        system.cycle();
        system.assert_no_errors();
        before.note(system, &readies);
    }
}

fn run(stc: Stc, seed: u64) {
    let mut run = Run::new(stc, seed);
    (0..1500).for_each(|_| run.cycle(true));
    let epochs = run.system.manager.outputs().counters.selections;
    assert!(epochs > 10, "{epochs}");
    let mut left = 6000;
    while !run.system.cus.iter().all(|cu| cu.body.outputs().empty) {
        run.cycle(false);
        left -= 1;
        assert!(left > 0, "a store is never issued");
    }
    assert!(run.demands.iter().all(Demand::is_empty));
}

#[test]
fn invariants_hold_and_every_store_is_issued() {
    let mut seed = 0;
    for variant in [Variant::Nv, Variant::Es, Variant::Ab, Variant::Mb] {
        for (n_cu, band_bits, bsq_banks, bsq_rd) in
            [(1, 2, 4, 2), (2, 2, 1, 1), (3, 3, 16, 1), (4, 2, 2, 8)]
        {
            let wakeup = (1 << band_bits) + 16;
            let stc =
                Stc { n_cu, band_bits, bsq_banks, bsq_rd, wakeup, seb_max: 7, ..small(variant) };
            seed += 1;
            run(stc, seed);
        }
    }
}

#[test]
fn start_epoch_bit_moves_both_ways() {
    let mut run = Run::new(small(Variant::Ab), 77);
    let (mut last, mut moved) = (4, [false; 2]);
    for _ in 0..3000 {
        run.cycle(true);
        let seb = run.system.manager.outputs().chg_info.seb;
        moved = [moved[0] | (seb < last), moved[1] | (seb > last)];
        last = seb;
    }
    assert_eq!(moved, [true; 2]);
}
