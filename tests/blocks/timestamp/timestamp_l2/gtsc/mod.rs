//! A bank of G-TSC by itself: specification 5.4, 5.5, 12. Figures come from its text.

mod atomics;
mod errors;
mod examples;
mod leases;
mod overflow;
mod policy;
mod sync;
mod timing;
mod victims;

use hwmodel::timestamp::timestamp_l2::{Rule, TimestampL2};
use ports::timestamp::timestamp_l2::Config;

use super::{Bench, named, read, with_implementations, word_of, write};

type Make = duet_tests::Make<TimestampL2>;

/// Rules, and tests that fail without them.
pub const DETECTED: &[(Rule, fn())] = &[
    (Rule::Ok, examples::example_4_stale_partial_write),
    (Rule::AfterLease, examples::example_1_figure_3_9),
    (Rule::AboveWarp, leases::write_is_not_scheduled_before_its_warp),
    (Rule::Remembered, examples::example_5_eviction),
    (Rule::Compared, examples::example_1_figure_3_9),
    (Rule::OldGeneration, overflow::an_old_renewal_is_a_fill_though_the_numbers_agree),
    (Rule::Overflow, overflow::reads_fit_up_to_the_last_timestamp),
];

fn on_both(check: impl Fn(Make)) {
    with_implementations(check);
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
