//! Parameters and idle cycles. `tests/blocks/timestamp` tests the block on both implementations.

use ports::timestamp::types::Protocol;

use super::*;
use crate::timestamp::small::small;

fn config() -> Config {
    (&small(Protocol::Gtsc)).into()
}

#[test]
fn illegal_parameters_are_refused() {
    assert_eq!(GtscRst::new(&Config { n_sm: 33, ..config() }).unwrap_err().name, "n_sm");
    assert_eq!(GtscRst::new(&Config { l2_banks: 6, ..config() }).unwrap_err().name, "l2_banks");
}

#[test]
fn idle_outside_of_resets_and_after_the_pulse_of_an_error() {
    let mut block = GtscRst::new(&config()).unwrap();
    assert!(block.is_idle());
    block.tick(&In { ovf: 1, ..In::default() });
    assert!(!block.is_idle());
    let mut block = GtscRst::new(&config()).unwrap();
    let mut rep_ack = [0; 32];
    rep_ack[1] = 2;
    block.tick(&In { rep_ack, ..In::default() });
    assert!(!block.is_idle());
    block.tick(&In::default());
    assert!(block.is_idle());
}
