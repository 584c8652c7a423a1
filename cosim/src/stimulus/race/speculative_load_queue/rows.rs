//! What a run of the speculative load queue can reach.

use ports::race::speculative_load_queue::Config;

use crate::seen;

seen! {
    transfers: inc, done, alloc, q, commit, replay, err;
    rows:
        done_kind["done_norace", "done_race", "done_wack", "done_forced"],
        // The head (specification section 5.4).
        head["head_commits", "head_replays", "head_is_dead"],
        waits["head_waits_for_answers", "commit_waits_for_validation",
            "dead_waits_for_validation"],
        replay_in_validation, replay_held,
        drops["replay_drops_none", "replay_drops_one", "replay_drops_several"],
        // A new entry.
        alloc_with["alloc_alone", "alloc_with_inc", "alloc_with_dec", "alloc_with_inc_and_dec"],
        alloc_without_outstanding, alloc_of_replayed_warp, alloc_beside_replay,
        pop_and_alloc, pop_and_alloc_in_validation, full, full_and_pop, several_warps,
        // Validation.
        validates["validates_none", "validates_one", "validates_some", "validates_all"],
        sync_and_alloc, sync_and_pop, alloc_in_validation, several_cycles_of_queries,
        lanes_left_over, dead_not_asked, all_lanes_asked,
        member["is_no_member", "is_member"], member_still_waits, member_has_left,
        member_was_dropped, place_of_member_taken_again,
        out_at_most, inc_and_dec_at_most,
        err_code["err_done", "err_request", "err_sync"], err_done_with_inc, err_sync_forced,
        several_errors, counter_beyond_16_bits,
}

/// Whether a queue of this configuration can reach the row.
pub fn can_reach(c: &Config, row: &str) -> bool {
    match row {
        // With one slot no entry is beside the head, and none is allocated in its last cycle.
        "head_is_dead"
        | "dead_waits_for_validation"
        | "replay_drops_one"
        | "alloc_of_replayed_warp"
        | "alloc_beside_replay"
        | "pop_and_alloc"
        | "pop_and_alloc_in_validation"
        | "several_warps"
        | "sync_and_pop"
        | "dead_not_asked"
        | "validates_one"
        | "member_was_dropped" => c.slq_n > 1,
        "replay_drops_several" | "validates_some" => c.slq_n > 2,
        "several_cycles_of_queries" => c.slq_n > c.v_lanes,
        "all_lanes_asked" => c.slq_n >= c.v_lanes,
        "lanes_left_over" => c.v_lanes > 1,
        _ => true,
    }
}
