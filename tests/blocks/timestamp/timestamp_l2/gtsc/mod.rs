//! A bank of G-TSC by itself: specification 5.4, 5.5, 12. Figures come from its text.

mod atomics;
mod errors;
mod examples;
mod overflow;
mod policy;
mod sync;
mod timing;
mod victims;

use duet_tests::with_both_bodies;
use hwmodel::timestamp::timestamp_l2::TimestampL2;
use ports::timestamp::timestamp_l2::Config;

use super::{Bench, named, read, word_of, write};

type Make = duet_tests::Make<TimestampL2>;

fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<TimestampL2>(check);
}

/// The small parameters of specification 2: LEASE 5, timestamps of 6 bits.
fn config() -> Config {
    (&named("small")).into()
}

/// A line of set 0, and three others of it.
const X: u64 = 0;
const OTHERS: [u64; 3] = [8, 16, 24];

fn bench(body: Make, config: &Config) -> Bench {
    Bench::new(body(config), false)
}
