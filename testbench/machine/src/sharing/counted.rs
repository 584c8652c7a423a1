//! What the sharing-aware blocks count (specification, section 9).

use crate::{Counted, statistics};

inventory::submit! { Counted(&statistics! {
    "l1.write_backs" "lines" "under a policy: dirty private lines that L1s wrote back",
    "l1.sharing_touches" "lines" "hits, as the policy of an L1 was told of them",
    "l1.sharing_fills_private" "lines" "private lines that L1s kept",
    "l1.sharing_fills_shared" "lines" "shared lines that L1s kept",
    "l1.sharing_bypass_shared" "lines" "shared lines that L1s did not keep, as all lines of their \
        set were private",
    "l1.sharing_evict_private" "lines" "private lines that went for others",
    "l1.sharing_evict_shared" "lines" "shared lines that went for others",
    "l1.sharing_evict_dead" "lines" "of the private ones, those thought to be dead",
    "l1.sharing_shared_hits" "requests" "loads that found lines which were shared when they came",
    "l1.sharing_shared_misses" "requests" "loads that fetched such lines",
    "l1.sharing_shared_merges" "requests" "loads that waited for such lines under way",
    "l2.sharing_hits" "requests" "accesses to lines that a bank's policy knows to be there",
    "l2.sharing_merges" "requests" "to lines that are waited for",
    "l2.sharing_allocs" "lines" "lines that got a way",
    "l2.sharing_bypasses" "requests" "private accesses that the bank did not keep",
    "l2.sharing_stalls" "requests" "accesses for which all ways were reserved",
    "l2.sharing_sf_set" "lines" "lines that more than one CU has used",
    "l2.sharing_evict_private" "lines" "lines of one CU that went for others",
    "l2.sharing_evict_shared" "lines" "lines of several CUs that went for others",
    "l2.sharing_users" "CUs" "of all lines that got a way, the CUs that used them, together: \
        `sf_set` of `allocs` lines had more than one",
    "l2.sharing_reuses" "requests" "accesses to lines of several CUs that were there",
    "l2.sharing_late_reuses" "requests" "of these, 1000 cycles and more after the line had come",
    "scheduler.assigned" "work-groups" "work-groups that schedulers with a block gave to CUs",
    "scheduler.groups" "groups" "groups of consecutive work-groups begun",
    "scheduler.rr_phase_ctas" "work-groups" "given singly, as too few groups were left",
    "scheduler.idle_sm_cycles" "cycles" "of each cycle of a kernel the CUs without a work-group",
}) }
