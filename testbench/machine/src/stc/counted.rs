//! What STC's L1s, agents and managers count (STC specification, section 9).

use crate::Counted;
use crate::statistics;

inventory::submit! { Counted(&statistics! {
    "l1.invalidated_lazily" "lines" "stale lines invalidated when a load found them before the \
        sweep",
    "l1.invalidated_by_sweep" "lines" "lines of the granted bands invalidated by sweeps",
    "l1.invalidated_by_stores" "lines" "lines invalidated by stores of the same CU",
    "l1.demoted_fills" "lines" "fills that the L1 did not install because their band was granted \
        before they arrived",
    "l1.stores_direct" "requests" "stores issued without waiting for their epoch",
    "l1.stores_blocked" "requests" "stores that entered the blocked store queue",
    "l1.scan_cycles" "cycles" "cycles in which the scan of the blocked store queue examined an \
        entry",
    "l1.drain_cycles" "cycles" "sum, over all agents, of the cycles in which they drained stores \
        and swept",
    "l1.sweep_cycles" "cycles" "cycles in which a sweep examined a set",
    "l1.store_wait_cycles" "cycles" "sum, over all stores, of the cycles from the agent to the L1",
    "l1.stores_held_peaks" "requests" "maximum number of stores that an agent held, summed over \
        agents",
    "l1.epoch_wakes" "events" "epochs that ended",
    "l1.epoch_wakes_idle" "events" "epochs that ended without a band to select",
    "l1.epoch_selections" "events" "epochs that ended with the selection of a band",
    "l1.epoch_skip_same" "events" "selections of bands that were already granted",
    "l1.epoch_conflicts_stale" "messages" "conflicts without a demand for their band, or during a \
        transition",
    "l1.epoch_conflicts_duplicate" "messages" "conflicts of a band that had already voted",
    "l1.epoch_votes_up" "votes" "votes for a higher start epoch bit",
    "l1.epoch_votes_down" "votes" "votes for a lower start epoch bit",
    "l1.epoch_transitions" "epochs" "transitions to another epoch",
    "l1.epoch_transition_cycles" "cycles" "sum, over all transitions, of the cycles from prepare \
        until the manager is idle",
    "l1.epoch_longest_transition" "cycles" "cycles of the longest transition in each GPU, summed \
        over GPUs",
    "l1.epoch_start_bit" "bit" "the start epoch bit at the end, summed over GPUs",
    "l1.epoch_demands" "messages" "demands that managers accepted",
    "l1.epoch_conflicts" "messages" "conflicts that managers accepted",
    "l1.epoch_messages" "messages" "messages between managers and agents",
    "l1.epoch_message_bytes" "bytes" "bytes of the messages between managers and agents",
    "l1.epochs_of_1_band" "epochs" "epochs that grant one band",
    "l1.epochs_of_2_bands" "epochs" "epochs that grant two bands",
    "l1.epochs_of_3_bands" "epochs" "epochs that grant three bands",
    "l1.epochs_of_4_bands" "epochs" "epochs that grant four or more bands",
}) }
