//! What STC's L1s, agents and managers count (STC specification, section 9).

use crate::{Counted, statistics};

inventory::submit! { Counted(&statistics! {
    "l1.invalidated_lazily" "lines" "stale lines that a load found before the sweep",
    "l1.invalidated_by_sweep" "lines" "lines of the granted bands that sweeps dropped",
    "l1.invalidated_by_stores" "lines" "lines that the CU's own stores dropped",
    "l1.demoted_fills" "lines" "lines under way whose band was granted before they came",
    "l1.stores_direct" "requests" "stores issued when they were classified",
    "l1.stores_blocked" "requests" "stores that went into the blocked store queue",
    "l1.scan_cycles" "cycles" "in which the scan of that queue examined an entry",
    "l1.drain_cycles" "cycles" "in which agents drained their stores and swept, together",
    "l1.sweep_cycles" "cycles" "in which a sweep looked at a set",
    "l1.store_wait_cycles" "cycles" "of all stores, from the agent to the L1",
    "l1.stores_held_peaks" "requests" "the most stores that an agent held, summed over agents",
    "l1.epoch_wakes" "events" "times that an epoch was over",
    "l1.epoch_wakes_idle" "events" "of these, without a band to select",
    "l1.epoch_selections" "events" "of these, with one",
    "l1.epoch_skip_same" "events" "selections of what was granted already",
    "l1.epoch_conflicts_stale" "messages" "conflicts without a demand of their band, or at a \
        change",
    "l1.epoch_conflicts_duplicate" "messages" "conflicts of a band that had voted",
    "l1.epoch_votes_up" "votes" "for a higher start epoch bit",
    "l1.epoch_votes_down" "votes" "for a lower one",
    "l1.epoch_transitions" "epochs" "changes of the epoch",
    "l1.epoch_transition_cycles" "cycles" "of changes, from prepare until the manager is idle",
    "l1.epoch_longest_transition" "cycles" "the longest change of each GPU, summed over GPUs",
    "l1.epoch_start_bit" "bit" "the start epoch bit at the end, summed over GPUs",
    "l1.epoch_demands" "messages" "demands that managers took",
    "l1.epoch_conflicts" "messages" "conflicts that managers took",
    "l1.epoch_messages" "messages" "all between managers and agents",
    "l1.epoch_message_bytes" "bytes" "their bytes",
    "l1.epochs_of_1_band" "epochs" "epochs that grant one band",
    "l1.epochs_of_2_bands" "epochs" "two",
    "l1.epochs_of_3_bands" "epochs" "three",
    "l1.epochs_of_4_bands" "epochs" "four or more",
}) }
