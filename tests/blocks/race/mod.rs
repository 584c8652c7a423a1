//! Sequential consistency by race detection: each block by itself, an SM's blocks and all of them
//! joined, by the rules and the worked examples of the specification; the rate of false positives.

mod access_validation_unit;
mod false_positives;
mod hash;
mod joined;
mod race_detection_unit;
mod random;
mod speculative_load_queue;

use duet_tests::{Make, has_rtl_of, parameters, rtl_with};
use hwmodel::Model;
use hwmodel::race::access_validation_unit::AccessValidationUnit;
use hwmodel::race::race_detection_unit::RaceDetectionUnit;
use hwmodel::race::speculative_load_queue::SpeculativeLoadQueue;
use ports::race::types::RaceDetection;

/// True where time does not count (`make soak`): RTL that takes minutes to compile is tested, too.
fn is_soak() -> bool {
    std::env::var_os("DUET_SOAK").is_some()
}

/// A named configuration.
fn named(config: &str) -> RaceDetection {
    parameters(config)
}

/// Each new bit fills a signature. Tests of the unit and of joined blocks share its body.
fn full_at_once() -> RaceDetection {
    RaceDetection { n_sat: 1, ..named("small") }
}

/// Who makes the blocks.
#[derive(Clone, Copy)]
struct Bodies {
    unit: Make<RaceDetectionUnit>,
    avu: Make<AccessValidationUnit>,
    slq: Make<SpeculativeLoadQueue>,
}

const MODELS: Bodies = Bodies {
    unit: |config| Box::new(RaceDetectionUnit::new(config).expect("legal parameters")),
    avu: |config| Box::new(AccessValidationUnit::new(config).expect("legal parameters")),
    slq: |config| Box::new(SpeculativeLoadQueue::new(config).expect("legal parameters")),
};

const RTL: Bodies = Bodies {
    unit: |config| Box::new(rtl_with::<RaceDetectionUnit>(config)),
    avu: |config| Box::new(rtl_with::<AccessValidationUnit>(config)),
    slq: |config| Box::new(rtl_with::<SpeculativeLoadQueue>(config)),
};

/// Runs `check` with models, then with RTL bodies where there are some.
fn on_both(check: impl Fn(Bodies)) {
    println!("on models");
    check(MODELS);
    if has_rtl_of::<RaceDetectionUnit>()
        && has_rtl_of::<AccessValidationUnit>()
        && has_rtl_of::<SpeculativeLoadQueue>()
    {
        println!("on the RTL");
        check(RTL);
    }
}
