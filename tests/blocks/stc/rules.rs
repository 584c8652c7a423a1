//! Specification 6.1: each rule that is taken away is found, as the table says, within a number of
//! seeds. What a program can see is found by values alone, too: the checks that look inside are
//! then left out.

use cosim::stimulus::Random;
use hwmodel::stc::epoch_agent::Rule as Agent;
use hwmodel::stc::epoch_manager::Rule as Manager;
use ports::stc::types::{Stc, Variant};

use super::failure::{Check, INSIDE};
use super::litmus::{self, SHAPES};
use super::setup::{Link, Op, Setup, Timing, pool, small};
use super::system::System;
use super::weakness::Weakness;
use super::{programs, random};

/// Runs in which the rule makes a difference.
type Provoke = fn(&mut Setup);

const AS_IT_COMES: Provoke = |_| {};
const HOST: Provoke = |s| s.host = true;

/// The rise of `chg` is late at one CU, and stores are faster than that.
fn late_change(s: &mut Setup) {
    let cu = s.seed as usize % s.links.len();
    s.links[cu].late = 40 + (s.seed % 31) as usize;
    s.timing.store = 20;
}

/// One CU is so far away that its levels fall later than an epoch lasts.
fn far(s: &mut Setup) {
    s.links = vec![Link::default(); s.links.len()];
    s.links[0] = Link { down: 16, up: 16, late: 0 };
    s.stc = Stc { wakeup: 16, band_bits: 2, bsq_banks: 4, bsq_rd: 2, ..s.stc };
}

/// Stores take long, and the L1 often does not take them.
fn slow_stores(s: &mut Setup) {
    (s.timing.store, s.timing.st_ready) = (100, 32);
}

/// A scan takes longer than DONE.
fn long_scan(s: &mut Setup) {
    let r = &mut Random::new(s.seed);
    s.stc = Stc { bsq_n: 64, bsq_banks: 4, bsq_rd: 1, wakeup: 20, band_bits: 2, ..s.stc };
    s.pool = pool(r, 40);
    s.timing.st_ready = 64;
    let mut program = || {
        let op = |_| match r.below(3) {
            0 => Op::Load(r.below(160) as usize),
            _ => Op::Store(r.below(160) as usize),
        };
        (0..10).map(op).collect()
    };
    s.programs = s.links.iter().map(|_| (0..30).map(|_| program()).collect()).collect();
}

/// A line has words of several bands.
fn narrow_bands(s: &mut Setup) {
    s.stc = Stc { seb_min: 2, seb_init: 2, seb_max: 3, ..s.stc };
}

/// The first seed, of so many, that finds it, and how.
fn first(
    weakness: Option<Weakness>,
    provoke: Provoke,
    ignored: &'static [Check],
    seeds: u64,
) -> Option<(u64, Check)> {
    (1..=seeds).find_map(|seed| {
        let mut setup = random(seed);
        provoke(&mut setup);
        (setup.weakness, setup.ignored) = (weakness, ignored);
        System::new(&setup).run().err().map(|failure| (seed, failure.check))
    })
}

/// A row: the rule, what provokes it, what is not looked at, seeds, and what finds it.
struct Row(Weakness, Provoke, &'static [Check], u64, &'static [Check]);

/// Panics where a row is not found.
fn are_found(rows: &[Row]) {
    for Row(weakness, provoke, ignored, seeds, expected) in rows {
        let how = if ignored.is_empty() { "" } else { ", less than all checks" };
        let found = first(Some(*weakness), *provoke, ignored, *seeds);
        let (seed, check) = found.unwrap_or_else(|| panic!("{weakness:?}{how}: not found"));
        println!("{weakness:?}{how}: {check:?} with seed {seed}");
        assert!(expected.contains(&check), "{weakness:?}{how}: {check:?}");
    }
}

const VALUES: &[Check] = &[Check::Stale, Check::Order];
const V: &[Check] = &[Check::Coherent];
const CODES: &[Check] = &[Check::Error];
const ER3: &[Check] = &[Check::Er3];
const STUCK: &[Check] = &[Check::Stuck, Check::Wait];
const ER1: &[Check] = &[Check::Er1];
const ER2: &[Check] = &[Check::Er2];
const ER1_2_3: &[Check] = &[Check::Er1, Check::Er2, Check::Er3, Check::Error];

#[test]
fn rules_of_the_l1_are_found() {
    are_found(&[
        Row(Weakness::NocacheAlone, AS_IT_COMES, &[], 20, ER1),
        Row(Weakness::NocacheAlone, AS_IT_COMES, ER1, 60, V),
        Row(Weakness::NocacheAlone, AS_IT_COMES, &INSIDE, 200, VALUES),
        Row(Weakness::OldEpochAtUpdate, AS_IT_COMES, &[], 200, &[Check::Er1, Check::Coherent]),
        Row(Weakness::OldEpochAtUpdate, AS_IT_COMES, ER1, 300, V),
        Row(Weakness::OldEpochAtUpdate, AS_IT_COMES, &INSIDE, 500, VALUES),
        Row(Weakness::NoDemotion, AS_IT_COMES, &[], 50, V),
        Row(Weakness::NoDemotion, AS_IT_COMES, &INSIDE, 100, VALUES),
        Row(Weakness::NoComparison, AS_IT_COMES, &[], 20, V),
        Row(Weakness::NoComparison, AS_IT_COMES, &INSIDE, 300, VALUES),
        Row(Weakness::TouchedKept, AS_IT_COMES, &[], 20, V),
        Row(Weakness::TouchedKept, AS_IT_COMES, &INSIDE, 20, VALUES),
        Row(Weakness::FillTouches, AS_IT_COMES, &[], 400, V),
        Row(Weakness::FillTouches, AS_IT_COMES, &INSIDE, 800, VALUES),
        Row(Weakness::NoSweep, AS_IT_COMES, &[], 20, V),
        Row(Weakness::NoSweep, AS_IT_COMES, &INSIDE, 20, VALUES),
        Row(Weakness::SweepNotAwaited, AS_IT_COMES, &[], 20, V),
        Row(Weakness::SweepNotAwaited, AS_IT_COMES, &INSIDE, 20, VALUES),
    ]);
}

#[test]
fn rules_of_cu_and_l2_are_found() {
    are_found(&[
        Row(Weakness::ManyPerLine, AS_IT_COMES, &[], 10, &[Check::Order]),
        Row(Weakness::SlotFreedByAck, AS_IT_COMES, &[], 10, &[Check::Protocol]),
        Row(Weakness::EarlyAck, AS_IT_COMES, &[], 20, &[Check::Stale, Check::Coherent]),
        Row(Weakness::EarlyAck, AS_IT_COMES, &[Check::Stale, Check::Order], 100, V),
        Row(Weakness::EarlyAck, AS_IT_COMES, &INSIDE, 20, VALUES),
        Row(Weakness::NoFlash, HOST, &[], 20, V),
        Row(Weakness::NoFlash, HOST, &INSIDE, 50, VALUES),
        Row(Weakness::FlashWithoutDemotion, HOST, &[], 100, V),
        Row(Weakness::FlashWithoutDemotion, HOST, &INSIDE, 100, VALUES),
    ]);
    let (seed, check) = first(None, narrow_bands, ER1, 20).expect("V");
    println!("2^SEB_MIN < LINE: {check:?} with seed {seed}");
    assert_eq!(check, Check::Coherent);
}

#[test]
fn rules_of_the_agents_are_found() {
    let row = |rule, provoke, ignored, seeds, expected| {
        Row(Weakness::Agent(rule), provoke, ignored, seeds, expected)
    };
    are_found(&[
        row(Agent::DrainWaits, slow_stores, &[], 10, ER2),
        row(Agent::DrainWaits, slow_stores, ER2, 20, ER3),
        row(Agent::DrainWaits, slow_stores, ER1_2_3, 20, V),
        row(Agent::DrainWaits, slow_stores, &INSIDE, 100, VALUES),
        row(Agent::CountAtLoad, slow_stores, &[], 10, ER2),
        row(Agent::CountAtLoad, slow_stores, ER2, 20, ER3),
        row(Agent::CountAtLoad, slow_stores, ER1_2_3, 100, V),
        row(Agent::RelCleared, long_scan, &[], 10, ER2),
        row(Agent::RelCleared, long_scan, ER2, 100, V),
        row(Agent::ScannedCleared, AS_IT_COMES, &[], 10, STUCK),
        row(Agent::FilterCleared, AS_IT_COMES, &[], 10, STUCK),
        row(Agent::ScanDemands, AS_IT_COMES, &[], 10, STUCK),
        row(Agent::StoresWaitForAll, late_change, &[], 10, ER2),
        row(Agent::StoresWaitForAll, late_change, ER2, 10, ER3),
        row(Agent::StoresWaitForAll, late_change, ER1_2_3, 20, V),
        row(Agent::StoresWaitForAll, late_change, &INSIDE, 150, VALUES),
    ]);
}

#[test]
fn rules_of_the_manager_are_found() {
    let row = |rule, provoke, ignored, seeds, expected| {
        Row(Weakness::Manager(rule), provoke, ignored, seeds, expected)
    };
    are_found(&[
        row(Manager::PrepWaitsForAll, AS_IT_COMES, &[], 10, &[Check::Error, Check::Er3]),
        row(Manager::PrepWaitsForAll, AS_IT_COMES, CODES, 50, ER3),
        row(Manager::PrepWaitsForAll, AS_IT_COMES, ER1_2_3, 50, V),
        row(Manager::PrepWaitsForAll, AS_IT_COMES, &INSIDE, 150, VALUES),
        row(Manager::ChgWaitsForAll, late_change, &[], 10, &[Check::Error, Check::Er3]),
        row(Manager::ChgWaitsForAll, late_change, CODES, 20, ER3),
        row(Manager::RelWaits, AS_IT_COMES, &[], 10, CODES),
        row(Manager::RelWaits, far, CODES, 50, ER3),
    ]);
}

/// A store of a CU that stores all the time is overtaken by the others; the lowest slots go first
/// (specification 5.4, 6.1).
#[test]
fn store_of_a_batch_is_not_overtaken_for_ever() {
    let mut setup = random(3);
    setup.stc =
        Stc { n_cu: 1, bsq_n: 64, bsq_banks: 4, bsq_rd: 2, wakeup: 12, ..small(Variant::Es) };
    let r = &mut Random::new(1);
    setup.pool = pool(r, 200);
    setup.links = vec![Link::default()];
    setup.host = false;
    setup.timing = Timing { st_ready: 32, stalls: 0, store: 10, ack: 10, ..setup.timing };
    let mut program = || (0..500).map(|_| Op::Store(r.below(800) as usize)).collect();
    setup.programs = vec![(0..80).map(|_| program()).collect()];
    let counts = System::new(&setup).run().unwrap_or_else(|failure| panic!("{failure}"));
    println!("longest wait with batches: {} selections, {} cycles", counts.longest, counts.cycles);
    setup.weakness = Some(Weakness::Agent(Agent::Batch));
    let failure = System::new(&setup).run().expect_err("a store waits for longer than 6.4 allows");
    println!("without: {failure}");
    assert_eq!(failure.check, Check::Wait);
    // To its end.
    setup.ignored = &[Check::Wait];
    let weak = System::new(&setup).run().unwrap_or_else(|failure| panic!("{failure}"));
    println!("to its end: {} selections", weak.longest);
    assert!(weak.longest > 3 * counts.longest);
}

/// The values that a program sees find these, by these shapes, within so many seeds; the last ones
/// in long runs only.
#[test]
fn rules_are_found_by_litmus_shapes() {
    const ROWS: [(Weakness, &[(&str, u64)]); 7] = [
        (Weakness::NoRelease, &[("MP", 100), ("SB", 50), ("LB", 50), ("RWC", 150), ("WRC", 3000)]),
        (
            Weakness::TouchedKept,
            &[("MP", 150), ("SB", 100), ("RWC", 150), ("WRC", 3000), ("IRIW", 4000)],
        ),
        (
            Weakness::NoSweep,
            &[("MP", 400), ("SB", 100), ("RWC", 150), ("WRC", 4000), ("IRIW", 4000)],
        ),
        (
            Weakness::SweepNotAwaited,
            &[("MP", 400), ("SB", 100), ("RWC", 150), ("WRC", 4000), ("IRIW", 4000)],
        ),
        (Weakness::EarlyAck, &[("SB", 150), ("CoWW", 150), ("RWC", 400)]),
        (Weakness::NoDemotion, &[("SB", 500), ("MP", 4000), ("WRC", 5000), ("RWC", 5000)]),
        (Weakness::NoComparison, &[("MP", 4000), ("SB", 4000), ("WRC", 6000)]),
    ];
    let most = if programs(0) < 10_000 { 500 } else { u64::MAX };
    for (weakness, shapes) in ROWS {
        for (name, seeds) in shapes.iter().filter(|(_, seeds)| *seeds <= most) {
            let shape = SHAPES.iter().find(|shape| shape.name == *name).expect("a shape");
            let found = (1..=*seeds).find(|seed| {
                let change = |s: &mut Setup| {
                    (s.weakness, s.ignored) = (Some(weakness), litmus::BUT_VALUES);
                };
                litmus::run(shape, true, *seed, change).is_ok_and(|(forbidden, _)| forbidden)
            });
            println!("{weakness:?}: {name} with seed {found:?}");
            assert!(found.is_some(), "{weakness:?} is not found by {name}");
        }
    }
}
