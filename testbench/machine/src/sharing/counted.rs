//! What the sharing-aware blocks count (specification, section 9).

use crate::Counted;
use crate::statistics;

inventory::submit! { Counted(&statistics! {
    "l1.write_backs" "lines" "dirty private lines that L1s with a sharing-aware policy wrote back",
    "l1.sharing_touches" "lines" "hits that the policies of L1s received",
    "l1.sharing_fills_private" "lines" "private lines installed in L1s",
    "l1.sharing_fills_shared" "lines" "shared lines installed in L1s",
    "l1.sharing_bypass_shared" "lines" "shared lines not installed because all lines of their set \
        were private",
    "l1.sharing_evict_private" "lines" "private lines evicted from L1s",
    "l1.sharing_evict_shared" "lines" "shared lines evicted from L1s",
    "l1.sharing_evict_dead" "lines" "evicted private lines that were predicted dead",
    "l1.sharing_shared_hits" "requests" "loads that hit lines that were shared when they were \
        filled",
    "l1.sharing_shared_misses" "requests" "loads that fetched shared lines",
    "l1.sharing_shared_merges" "requests" "loads that joined pending fills of shared lines",
    "l2.sharing_hits" "requests" "accesses to lines that the bank's policy tracks as filled",
    "l2.sharing_merges" "requests" "accesses to lines that the bank's policy tracks as pending",
    "l2.sharing_allocs" "lines" "lines that were allocated a way",
    "l2.sharing_bypasses" "requests" "private accesses that did not allocate a way",
    "l2.sharing_stalls" "requests" "accesses that found all ways reserved",
    "l2.sharing_sf_set" "lines" "lines that more than one CU used",
    "l2.sharing_evict_private" "lines" "lines used by one CU that were evicted",
    "l2.sharing_evict_shared" "lines" "lines used by several CUs that were evicted",
    "l2.sharing_users" "CUs" "sum, over all allocated lines, of the CUs that used the line; \
        `sf_set` of the `allocs` lines had more than one user",
    "l2.sharing_reuses" "requests" "hits on lines that several CUs used",
    "l2.sharing_late_reuses" "requests" "hits on lines that several CUs used, at least 1000 cycles \
        after the fill",
    "scheduler.assigned" "work-groups" "work-groups that scheduler blocks assigned to CUs",
    "scheduler.groups" "groups" "groups of consecutive work-groups that were started",
    "scheduler.rr_phase_ctas" "work-groups" "work-groups assigned singly because too few groups \
        were left",
    "scheduler.idle_sm_cycles" "cycles" "sum, over the cycles of all kernels, of the CUs without a \
        work-group",
}) }
