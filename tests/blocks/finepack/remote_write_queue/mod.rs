//! The remote write queue: what leaves for each GPU follows from the requests alone, and when a
//! release is done from the completions.

mod cycles;
mod directed;
mod examples;
mod random;
mod reference;

use hwmodel::finepack::remote_write_queue::{RemoteWriteQueue, Rule};

use super::{Bodies, Check, are_missed, hold};

const CHECKS: [Check<RemoteWriteQueue>; 5] = [
    ("random requests", random::check),
    ("timeouts", directed::timeouts),
    ("turns", directed::turns),
    ("GPU releases", directed::gpu_releases),
    ("ends of releases", directed::ends),
];

#[test]
fn queue_does_what_is_specified() {
    hold(&CHECKS);
}

#[test]
fn each_rule_of_the_queue_is_missed() {
    are_missed(&CHECKS, Rule::ALL, RemoteWriteQueue::without);
}
