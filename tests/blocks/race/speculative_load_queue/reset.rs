//! The state after reset.

use duet_tests::configs;
use ports::race::types::RaceDetection;

use super::*;

#[test]
fn after_reset_all_is_0_but_what_is_ready() {
    on_both(|body| {
        let expected = Out { alloc_ready: true, empty: true, ..Out::default() };
        for config in configs::<RaceDetection>() {
            assert_eq!(body(&(&named(&config)).into()).outputs(), expected);
        }
    });
}
