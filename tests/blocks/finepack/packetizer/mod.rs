//! The packetizer: the TLPs of random packets, to the byte.

mod cycles;
mod encoder;
mod examples;
mod random;

use hwmodel::finepack::packetizer::{Packetizer, Rule};

use super::{Bodies, Check, are_missed, hold};

const CHECKS: [Check<Packetizer>; 2] =
    [("random packets", random::check), ("a link that stalls", random::stalled)];

#[test]
fn packetizer_does_what_is_specified() {
    hold(&CHECKS);
}

#[test]
fn each_rule_of_the_packetizer_is_missed() {
    are_missed(&CHECKS, Rule::ALL, Packetizer::without);
}
