//! What the blocks of timestamp coherence count (specification, section 9).

use ports::timestamp::types::Protocol;
use ports::timestamp::{timestamp_l1, timestamp_l2};

use crate::Counted;
use crate::statistics;
use crate::statistics::CounterValues;

inventory::submit! { Counted(&statistics! {
    "l1.timestamp_cold_misses" "requests" "loads of lines that the L1 did not hold",
    "l1.timestamp_expired_misses" "requests" "loads of lines whose lease had expired",
    "l1.timestamp_lock_waits" "requests" "loads that waited for a pending store to their line",
    "l1.timestamp_extra_renewals" "requests" "requests sent again for loads that an answer did not \
        serve",
    "l1.timestamp_fills" "lines" "answers with a line's bytes",
    "l1.timestamp_renewals" "messages" "answers that extended a lease without the line's bytes",
    "l1.timestamp_stale_answers" "messages" "answers to loads from before a reset",
    "l1.timestamp_lock_drops" "lines" "lines invalidated because a store met newer bytes",
    "l1.timestamp_hold_cycles" "cycles" "cycles in which a request waited for a reason other than \
        a full buffer",
    "l1.timestamp_spin_ticks" "events" "increments of a wave's clock because the wave only hit",
    "l1.timestamp_flushes" "events" "resets that L1s executed, summed over L1s",
    "l1.timestamp_late_fills" "lines" "lines whose lease had expired when they arrived",
    "l1.timestamp_evictions" "lines" "lines that L2 banks evicted",
    "l1.timestamp_l2_hold_cycles" "cycles" "cycles in which a bank could not serve its request",
    "l1.timestamp_lease_stalls" "cycles" "cycles in which a write waited at a bank for a lease to \
        expire",
    "l1.timestamp_eviction_stalls" "cycles" "cycles in which a request waited at a bank because \
        all lines of its set had leases",
    "l1.timestamp_resets" "events" "resets of a GPU's timestamps",
    "l1.timestamp_halt_cycles" "cycles" "cycles in which resets halted the banks",
    "l1.timestamp_fence_waits" "cycles" "cycles in which fences and ends of waves waited for \
        leases to expire",
}) }

/// What an L1 has counted.
pub fn l1(protocol: Protocol, counters: &timestamp_l1::Counters, all: &mut CounterValues) {
    let both = [
        ("hits", counters.load_hit),
        ("timestamp_cold_misses", counters.miss_cold),
        ("timestamp_expired_misses", counters.miss_expired),
    ];
    let gtsc = [
        ("merges", counters.merged_loads),
        ("timestamp_lock_waits", counters.lock_wait),
        ("timestamp_extra_renewals", counters.extra_renewals),
        ("stores", counters.stores),
        ("atomics", counters.atomics),
        ("timestamp_fills", counters.fill_rsp),
        ("timestamp_renewals", counters.renew_rsp),
        ("timestamp_stale_answers", counters.stale_rsp),
        ("timestamp_lock_drops", counters.lock_drops),
        ("timestamp_hold_cycles", counters.hold_cycles),
        ("timestamp_spin_ticks", counters.spin_ticks),
        ("timestamp_flushes", counters.flushes),
    ];
    let tc = [("timestamp_late_fills", counters.late_fills)];
    let wide = |(name, count): (&'static str, u32)| (name, u64::from(count));
    all.extend(both.map(wide));
    match protocol {
        Protocol::Gtsc => all.extend(gtsc.map(wide)),
        Protocol::Tcs | Protocol::Tcw => all.extend(tc.map(wide)),
    }
}

/// What a bank has counted.
pub fn l2(protocol: Protocol, counters: &timestamp_l2::Counters, all: &mut CounterValues) {
    let counted = match protocol {
        Protocol::Gtsc => [
            ("timestamp_evictions", counters.evictions),
            ("timestamp_l2_hold_cycles", counters.hold_cycles),
        ],
        Protocol::Tcs | Protocol::Tcw => [
            ("timestamp_lease_stalls", counters.stall_lease),
            ("timestamp_eviction_stalls", counters.stall_evict),
        ],
    };
    all.extend(counted.map(|(name, count)| (name, count.into())));
}
