//! Timestamp coherence, G-TSC and TC: each block by itself, and the reset of several that are
//! joined, by the rules and the worked examples of the specification.

mod gtsc_rst;
mod timestamp_l1;
mod timestamp_l2;

use ports::timestamp::types::Timestamp;

/// A named configuration.
fn named(config: &str) -> Timestamp {
    duet_tests::parameters(config)
}
