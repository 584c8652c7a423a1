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
use hwmodel::timestamp::gtsc_l2::GtscL2;
use ports::timestamp::gtsc_l2::Config;

use super::l2::{self, read, word_of, write};
use super::named;

type Make = duet_tests::Make<GtscL2>;
type Bench = l2::Bench<GtscL2>;

fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<GtscL2>(check);
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
