//! What the L1s and units of race detection count (race detection specification, section 9).

use crate::Counted;
use crate::statistics;

inventory::submit! { Counted(&statistics! {
    "l1.merge_waits" "requests" "loads that could not join a pending fill and waited until it \
        completed",
    "l1.no_install" "lines" "fetched lines that the L1 did not install",
    "l1.race_fetches_expired" "lines" "fetches of a line that the L1 held but that had expired",
    "l1.race_fetches_avu" "lines" "fetches of a line that the L1 held but whose address was in the \
        signature",
    "l1.race_store_hold_cycles" "cycles" "sum, over all waves, of the cycles in which a store, an \
        atomic or a barrier waited",
    "l1.race_stall_cycles" "cycles" "cycles in which a load waited for an outstanding check",
    "l1.race_hit_age0" "lookups" "hits on lines of the current epoch",
    "l1.race_hit_age1" "lookups" "hits on lines of the previous epoch",
    "l1.race_needchk" "lookups" "hits that need a check",
    "l1.race_miss_cold" "lookups" "lookups of lines that the L1 did not hold",
    "l1.race_miss_expired" "lookups" "lookups of lines that had expired",
    "l1.race_miss_avu" "lookups" "lookups of lines that the signature contained",
    "l1.race_signature_tests" "lookups" "lookups and queries that tested the signature",
    "l1.race_syncs" "epochs" "epoch changes of L1s",
    "l1.race_load_cycles" "cycles" "cycles without a lookup because a signature was being loaded",
    "l1.race_wrapped" "lines" "lines invalidated because the epoch number wrapped to theirs",
    "l1.race_allocs" "loads" "loads that continued speculatively before their check completed",
    "l1.race_commits" "loads" "speculative loads that were right",
    "l1.race_replays" "loads" "speculative loads that were replayed",
    "l1.race_dropped" "loads" "speculative loads removed because an earlier load was replayed",
    "l1.race_full_cycles" "cycles" "cycles in which a load found the speculative load queue full",
    "l1.race_busy_cycles" "cycles" "cycles in which the speculative load queue validated loads",
    "l1.most_race_slots" "slots" "maximum number of occupied slots in a speculative load queue",
    "l1.race_reads" "requests" "read misses that race detection units checked",
    "l1.race_hit_checks" "requests" "hits that race detection units checked",
    "l1.race_writes" "requests" "writes that race detection units recorded",
    "l1.race_atomics" "requests" "atomics that race detection units recorded",
    "l1.race_races" "answers" "answers that report a race",
    "l1.race_forced" "syncs" "signatures sent without a request because they were full",
    "l1.race_inserts" "granules" "written granules inserted into signatures, counted once per \
        other CU",
    "l1.race_granules_checked" "granules" "granules that reads and checks tested",
    "l1.race_check_steps" "steps" "steps of reads and checks, each of up to `race_detection.lanes` \
        granules",
    "l1.race_token_stall" "cycles" "cycles in which a last step waited for the token register",
    "l1.race_header_beats" "beats" "header beats of answers that were accepted",
    "l1.race_chunk_beats" "beats" "signature chunks that were accepted",
    "l1.race_queue_full" "requests" "requests that were not accepted, counted in each cycle",
}) }
