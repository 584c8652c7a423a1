//! The same system with RTL bodies: it does the same, cycle by cycle.

use cosim::{Rtl, RtlOptions};
use duet_tests::has_rtl_of;
use hwmodel::epoch_agent::EpochAgent;
use hwmodel::epoch_manager::EpochManager;
use ports::common::stc_types::Variant;

use super::random;
use super::setup::{Bodies, small};
use super::system::System;

const OPTIONS: fn() -> RtlOptions =
    || RtlOptions { registers: 0x2a51_7ec3, ..RtlOptions::default() };

const RTL: Bodies = Bodies {
    manager: |stc, _| {
        let body = Rtl::<EpochManager>::with(&stc.into(), &OPTIONS());
        Box::new(body.unwrap_or_else(|error| panic!("{error}")))
    },
    agent: |stc, _| {
        let body = Rtl::<EpochAgent>::with(&stc.into(), &OPTIONS());
        Box::new(body.unwrap_or_else(|error| panic!("{error}")))
    },
};

/// Of each variant.
const RUNS: u64 = 100;

#[test]
fn rtl_keeps_the_order_of_memory() {
    if !has_rtl_of::<EpochManager>() || !has_rtl_of::<EpochAgent>() {
        return;
    }
    for variant in [Variant::Es, Variant::Mb] {
        for seed in 1..=RUNS {
            let mut setup = random(seed);
            setup.stc = small(variant);
            setup.links.truncate(2);
            setup.programs.truncate(2);
            let model = System::new(&setup).run().unwrap_or_else(|failure| panic!("{failure}"));
            setup.bodies = RTL;
            let rtl = System::new(&setup).run();
            let rtl = rtl.unwrap_or_else(|failure| panic!("{variant:?}, seed {seed}: {failure}"));
            assert_eq!(rtl, model, "{variant:?}, seed {seed}");
        }
    }
}
