//! Stimuli reach every row with each of several seeds, not by the luck of one: on the models alone,
//! which is as good where model and RTL are equal.

use cosim::catalog::{Family, Pair};
use cosim::reach::reach;
use cosim::stimulus::{self, NewStimulus};
use hwmodel::Model;

const SEEDS: u64 = 8;
const CYCLES: u64 = 300_000;

fn every_seed_reaches_every_row<S: NewStimulus<Model: Pair>>() {
    let mut missed = Vec::new();
    for (config, parameters) in <S::Model as Pair>::Family::named() {
        let own = S::Model::config(&parameters);
        for seed in 1..=SEEDS {
            let never = reach::<S>(&own, seed, CYCLES).into_iter().filter(|(_, count)| *count == 0);
            missed.extend(never.map(|(row, _)| format!("{config}, seed {seed}: {row}")));
        }
    }
    assert!(missed.is_empty(), "{}: {missed:#?}", <S::Model as Model>::NAME);
}

macro_rules! tests_of {
    ($($block:ident),+) => {$(
        #[test]
        fn $block() {
            every_seed_reaches_every_row::<stimulus::$block::Inputs>();
        }
    )+};
}

tests_of!(gtsc_l1, gtsc_l2, gtsc_rst, tc_l1, tc_l2);
