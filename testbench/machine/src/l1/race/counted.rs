//! What the L1s and units of race detection count (race detection specification, section 9).

use crate::{Counted, statistics};

inventory::submit! { Counted(&statistics! {
    "l1.merge_waits" "requests" "loads that could not join the fetch of their line and waited \
        for its end",
    "l1.no_install" "lines" "fetched lines that were not kept",
    "l1.race_fetches_expired" "lines" "lines fetched again because they were too old",
    "l1.race_fetches_avu" "lines" "lines fetched again because they may have been written",
    "l1.race_store_hold_cycles" "cycles" "in which waves waited with a store, an atomic or a \
        barrier, together",
    "l1.race_stall_cycles" "cycles" "in which a load waited for what was being checked",
    "l1.race_hit_age0" "lookups" "hits of lines of this epoch",
    "l1.race_hit_age1" "lookups" "of the one before",
    "l1.race_needchk" "lookups" "hits that need a check",
    "l1.race_miss_cold" "lookups" "of lines that the L1 does not hold",
    "l1.race_miss_expired" "lookups" "of lines that are too old",
    "l1.race_miss_avu" "lookups" "of lines that may have been written",
    "l1.race_signature_tests" "lookups" "lookups and queries that asked the signature",
    "l1.race_syncs" "epochs" "changes of an L1's epoch",
    "l1.race_load_cycles" "cycles" "without a lookup because a signature is loaded",
    "l1.race_wrapped" "lines" "lines that would have looked new again",
    "l1.race_allocs" "loads" "loads that went on before their check",
    "l1.race_commits" "loads" "of these, right",
    "l1.race_replays" "loads" "done again",
    "l1.race_dropped" "loads" "gone with one that was done again",
    "l1.race_full_cycles" "cycles" "in which a load found no slot of the speculative load queue",
    "l1.race_busy_cycles" "cycles" "of validation in that queue",
    "l1.most_race_slots" "slots" "most slots of such a queue that were occupied",
    "l1.race_reads" "requests" "checks of reads that missed",
    "l1.race_hit_checks" "requests" "checks of hits",
    "l1.race_writes" "requests" "writes shown to race detection units",
    "l1.race_atomics" "requests" "atomics shown to them",
    "l1.race_races" "answers" "answers that tell of a race",
    "l1.race_forced" "syncs" "signatures sent unasked, because they were full",
    "l1.race_inserts" "granules" "granules of writes, once for each other CU",
    "l1.race_granules_checked" "granules" "granules of reads and checks",
    "l1.race_check_steps" "steps" "steps of reads and checks",
    "l1.race_token_stall" "cycles" "in which a last step waited for the token register",
    "l1.race_header_beats" "beats" "headers of answers that were taken",
    "l1.race_chunk_beats" "beats" "chunks of signatures that were taken",
    "l1.race_queue_full" "requests" "requests that were not taken, once in each cycle",
}) }
