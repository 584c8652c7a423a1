//! The state after reset.

use duet_tests::configs;
use ports::race::types::RaceDetection;

use super::*;

#[test]
fn after_reset_all_is_0_but_what_is_ready() {
    on_both(|body| {
        for config in configs::<RaceDetection>() {
            let config: Config = (&named(&config)).into();
            let out = body(&config).outputs();
            let req_ready = u16::MAX >> (16 - config.n_sm);
            assert_eq!(out, Out { req_ready, idle: true, ..Out::default() });
        }
    });
}
