//! The same system with RTL bodies: it does the same, cycle by cycle.

use ports::stc::types::Variant;

use super::random;
use super::setup::{RTL, has_rtl, small};
use super::system::System;

/// Of each variant.
const RUNS: u64 = 100;

#[test]
fn rtl_keeps_the_order_of_memory() {
    if !has_rtl() {
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
