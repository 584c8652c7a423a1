//! Stimuli reach every row with all of several seeds but one, not by the luck of one: on the models
//! alone, which is as good where model and RTL are equal.

use std::collections::BTreeMap;

use cosim::catalog::{Family, Pair};
use cosim::reach::reach;
use cosim::stimulus::{self, Stimulus};
use hwmodel::Model;

const SEEDS: u64 = 4;
const CYCLES: u64 = 300_000;

fn seeds_reach_every_row<S: Stimulus<Model: Pair>>() {
    let mut missed = Vec::new();
    for (config, parameters) in <S::Model as Pair>::Family::named() {
        let own = S::Model::config(&parameters);
        let mut by_row: BTreeMap<_, u64> = BTreeMap::new();
        for seed in 1..=SEEDS {
            let never = reach::<S>(&own, seed, CYCLES).into_iter().filter(|(_, count)| *count == 0);
            never.for_each(|(row, _)| *by_row.entry(row).or_default() += 1);
        }
        let often = by_row.into_iter().filter(|(_, seeds)| *seeds > 1);
        missed.extend(often.map(|(row, seeds)| format!("{config}: {row} by {seeds} seeds")));
    }
    assert!(missed.is_empty(), "{}: {missed:#?}", <S::Model as Model>::NAME);
}

macro_rules! tests_of {
    ($($block:ident),+) => {$(
        #[test]
        fn $block() {
            seeds_reach_every_row::<stimulus::timestamp::$block::Inputs>();
        }
    )+};
}

tests_of!(gtsc_rst, timestamp_l1, timestamp_l2);
