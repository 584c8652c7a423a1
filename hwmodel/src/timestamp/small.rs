//! Parameters for the tests of the blocks of timestamp coherence.

use ports::timestamp::types::{Protocol, Timestamp};

/// The small parameters of specification 2.
pub(crate) fn small(protocol: Protocol) -> Timestamp {
    Timestamp {
        protocol,
        n_sm: 2,
        warps: 4,
        ts_w: 6,
        lease: 5,
        line: 16,
        line_w: 10,
        l1_sets: 4,
        l1_ways: 2,
        l1_mshr: 4,
        waiters: 2,
        stq: 4,
        spin: 8,
        l2_banks: 2,
        l2_sets: 4,
        l2_ways: 2,
        l2_mshr: 4,
        l2_wait: 2,
        l2_div: 1,

        tc_lease: 10,
    }
}
