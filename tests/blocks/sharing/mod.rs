//! Sharing-aware scheduling and caching: each block by itself, by the worked examples of the
//! specification, and the policies of L1s and an L2 bank that are joined.

mod cta_scheduler;
mod joined;
mod sharing_l1_policy;
mod sharing_l2_policy;

use ports::sharing::types::Sharing;

/// The small parameters.
fn small() -> Sharing {
    duet_tests::parameters("small")
}
