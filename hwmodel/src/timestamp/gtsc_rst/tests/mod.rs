//! The rule that is taken away, and idle cycles. What the block does is tested on both bodies
//! (`tests/blocks/timestamp`).

use ports::timestamp::types::Protocol;

use super::*;
use crate::timestamp::small::small;

fn config() -> Config {
    (&small(Protocol::Gtsc)).into()
}

/// A reset whose second L1 has not flushed; whether the banks still stand still.
fn halted(mut block: GtscRst) -> bool {
    block.tick(&In { ovf: 1, ..In::default() });
    assert!(!block.is_idle());
    for _ in 0..2 {
        block.tick(&In { halted: 3, rst_done: 3, ..In::default() });
    }
    let mut rep_ack = [0; 32];
    rep_ack[0] = block.outputs().rep;
    assert_eq!(rep_ack[0], 1);
    block.tick(&In { rep_ack, ..In::default() });
    block.outputs().halt
}

#[test]
fn banks_stand_still_until_all_have_flushed() {
    assert!(halted(GtscRst::new(&config()).unwrap()));
    assert!(!halted(GtscRst::without(&config(), Rule::AllAcks).unwrap()));
}

#[test]
fn illegal_parameters_are_refused() {
    assert_eq!(GtscRst::new(&Config { n_sm: 33, ..config() }).unwrap_err().name, "n_sm");
    assert_eq!(GtscRst::new(&Config { l2_banks: 6, ..config() }).unwrap_err().name, "l2_banks");
}

#[test]
fn idle_behind_the_pulse_of_an_error() {
    let mut block = GtscRst::new(&config()).unwrap();
    assert!(block.is_idle());
    let mut rep_ack = [0; 32];
    rep_ack[1] = 2;
    block.tick(&In { rep_ack, ..In::default() });
    assert!(!block.is_idle());
    block.tick(&In::default());
    assert!(block.is_idle());
}
