//! The de-packetizer: the accesses and errors of random TLPs, good ones and broken ones.

mod cycles;
mod decoder;
mod examples;
mod random;
mod stalls;

use hwmodel::finepack::depacketizer::{Depacketizer, Rule};

use super::{Bodies, Check, are_missed, hold};

const CHECKS: [Check<Depacketizer>; 4] = [
    ("random TLPs", random::check),
    ("a memory that stalls", stalls::memory),
    ("slots", stalls::slots),
    ("an early error", stalls::early_error),
];

#[test]
fn depacketizer_does_what_is_specified() {
    hold(&CHECKS);
}

#[test]
fn each_rule_of_the_depacketizer_is_missed() {
    are_missed(&CHECKS, Rule::ALL, Depacketizer::without);
}
