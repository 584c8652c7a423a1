//! Random stores, loads and delays: the invariants hold, nothing is lost, every store is issued in
//! its time.

use super::*;
use crate::common::random::Random;
use invariants::Before;

/// A CU's stores: by slot, what was sent and when; on their way, the cycle of the acknowledgement.
#[derive(Default)]
struct Stores {
    waits: [Option<(u32, u32)>; 16],
    sent: Vec<(usize, u8)>,
    /// Slots that are in use.
    used: u32,
}

struct Run {
    config: Stc,
    system: System,
    stores: Vec<Stores>,
    before: Before,
    random: Random,
    latency: u32,
    patience: u32,
}

impl Run {
    fn new(config: Stc, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let links: Vec<_> = (0..config.n_cu)
            .map(|_| [random.below(6), random.below(6)].map(|n| n as usize))
            .collect();
        let system = System::with(&config, |c| Cu {
            answers: None,
            ..Cu::new(&config, links[c][0], links[c][1])
        });
        let stores = system.cus.iter().map(|_| Stores::default()).collect();
        let (latency, patience) = (1 + random.below(30), 1 + random.below(4));
        Self { config, system, stores, before: Before::default(), random, latency, patience }
    }

    /// One cycle, with stores and loads or without.
    fn cycle(&mut self, busy: bool) {
        let Self { config, system, stores, before, random, latency, patience } = self;
        let (now, selections) = (system.now(), system.manager.outputs().cnt.selections);
        let mut readies = Vec::new();
        for (cu, stores) in system.cus.iter_mut().zip(stores) {
            let slot = random.below(16) as u8;
            let addr = random.below(64) << 2 | (random.below(8) / 7) << 9;
            let next = &mut cu.next;
            if busy && stores.used >> slot & 1 == 0 && random.below(3) == 0 {
                next.st = Some(Store { slot, addr });
                stores.used |= 1 << slot;
                stores.waits[usize::from(slot)] = Some((addr, selections));
            }
            let load = busy && random.below(2) == 0;
            next.ld = load.then(|| Load { id: slot, addr: random.below(256) });
            next.st_ready = random.below(*patience) == 0;
            next.ld_ready = random.below(*patience) == 0;
            next.sweep_done = random.below(*patience) == 0;
            let due = stores.sent.iter().position(|(due, _)| *due <= now);
            next.wa_valid = due.is_some();
            if let Some(due) = due {
                stores.used &= !(1 << stores.sent.swap_remove(due).1);
            }
            readies.push((next.st_ready, next.ld_ready));
            if let (Some(st), true) = (cu.body.outputs().st, next.st_ready) {
                let sent = stores.waits[usize::from(st.slot)].take();
                let (addr, since) = sent.expect("it was accepted once");
                assert_eq!(addr, st.addr);
                // Specification 6, 4, with m = 1.
                let bound = 2 * config.bsq_n * (2 * (1 << config.band_bits) + 1);
                assert!(selections - since <= bound, "{} selections", selections - since);
                stores.sent.push((now + 1 + random.below(*latency) as usize, st.slot));
            }
        }
        invariants::check(system, config, before);
        system.cycle();
        before.note(system, readies.into_iter());
    }
}

fn run(config: Stc, seed: u64) {
    let mut run = Run::new(config, seed);
    (0..1500).for_each(|_| run.cycle(true));
    let epochs = run.system.manager.outputs().cnt.selections;
    assert!(epochs > 10, "{epochs}");
    let mut left = 6000;
    while !run.system.cus.iter().all(|cu| cu.body.outputs().empty) {
        run.cycle(false);
        left -= 1;
        assert!(left > 0, "a store is never issued");
    }
    assert!(run.stores.iter().all(|stores| stores.used == 0));
    run.system.assert_no_errors();
}

#[test]
fn invariants_hold_and_every_store_is_issued() {
    let mut seed = 0;
    for variant in [Variant::Nv, Variant::Es, Variant::Ab, Variant::Mb] {
        for (n_cu, band_bits, bsq_banks, bsq_rd) in
            [(1, 2, 4, 2), (2, 2, 1, 1), (3, 3, 16, 1), (4, 2, 2, 8)]
        {
            let wakeup = (1 << band_bits) + 16;
            let config =
                Stc { n_cu, band_bits, bsq_banks, bsq_rd, wakeup, seb_max: 7, ..small(variant) };
            seed += 1;
            run(config, seed);
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
