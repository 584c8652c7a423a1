//! What a run of the race detection unit can reach.

use ports::race::race_detection_unit::Config;
use ports::race::types::BEAT_BITS;

use crate::seen;

seen! {
    transfers: req, tok, rsp;
    rows:
        // Answers (specification section 5.2): two for each kind of request.
        answer["read_norace", "read_race", "check_norace", "check_race", "write_without_chunks",
            "write_with_chunks", "atomic_without_chunks", "atomic_with_chunks"],
        // What requests say.
        empty["empty_write", "empty_atomic"],
        written["one_granule", "some_granules", "all_granules"],
        several_steps["check_of_several_steps", "write_of_several_steps"],
        lanes_left_over, check_beside_mask,
        // Forced synchronisations.
        forced, several_forced, all_others_forced, forced_at_insert, forced_late,
        forced_behind_answer, forced_in_token_stall,
        // Order.
        several_in_turn, skipped, tok_held, stalled["read_stalled", "check_stalled",
            "write_stalled", "atomic_stalled"],
        beat_in_token_stall, req_held, several_held, taken_behind_full,
        // Beats.
        beat["header_alone", "header_with_chunks", "chunk", "last_chunk"],
        chunk_at["first_place", "last_place"], one_chunk, all_chunks, chunks_left_out,
        rsp_held["header_held", "chunk_held"], all_held, epoch_wraps,
        idle, idle_again, counter_beyond_16_bits,
}

/// Granules of a line.
pub fn granules(c: &Config) -> u32 {
    128u32.div_ceil(c.gran)
}

/// Whether a unit of this kind can come there.
pub fn can_reach(c: &Config, row: &str) -> bool {
    match row {
        "some_granules" => granules(c) > 2,
        "all_granules" => granules(c) > 1,
        "check_of_several_steps" | "write_of_several_steps" => granules(c) > c.lanes,
        "lanes_left_over" => c.lanes > 1,
        "several_forced" => c.n_sm > 2,
        "chunk" | "chunks_left_out" => c.m > BEAT_BITS,
        // The bits of a granule are in six of eight parts.
        "one_chunk" => c.m == BEAT_BITS,
        _ => true,
    }
}
