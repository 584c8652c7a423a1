//! What the blocks of timestamp coherence count (specification, section 9).

use crate::{Counted, statistics};

inventory::submit! { Counted(&statistics! {
    "l1.timestamp_cold_misses" "requests" "loads of lines that the L1 did not hold",
    "l1.timestamp_expired_misses" "requests" "loads of lines whose lease was over",
    "l1.timestamp_lock_waits" "requests" "loads that waited for a store to their line",
    "l1.timestamp_extra_renewals" "requests" "lines asked for again for loads that an answer did \
        not serve",
    "l1.timestamp_fills" "lines" "lines that came",
    "l1.timestamp_renewals" "messages" "leases that were made longer without the line's bytes",
    "l1.timestamp_stale_answers" "messages" "answers to loads from before a reset",
    "l1.timestamp_lock_drops" "lines" "lines dropped because a store had met newer bytes",
    "l1.timestamp_hold_cycles" "cycles" "in which a request waited, but not for room",
    "l1.timestamp_spin_ticks" "events" "clocks of waves that were moved because they only hit",
    "l1.timestamp_flushes" "events" "resets that L1s have seen, together",
    "l1.timestamp_late_fills" "lines" "lines that came when their lease was over",
    "l1.timestamp_evictions" "lines" "lines that L2 banks dropped for others",
    "l1.timestamp_l2_hold_cycles" "cycles" "in which a bank's request could not be served",
    "l1.timestamp_lease_stalls" "cycles" "in which a write waited at a bank for a lease",
    "l1.timestamp_eviction_stalls" "cycles" "in which a request waited at a bank as each line of \
        its set was lent",
    "l1.timestamp_resets" "events" "resets of a GPU's timestamps",
    "l1.timestamp_halt_cycles" "cycles" "in which banks stood still for them",
    "l1.timestamp_fence_waits" "cycles" "of fences and ends of waves that waited for leases",
}) }
