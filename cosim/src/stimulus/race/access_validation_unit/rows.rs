//! What a run of the access validation unit can reach.

use ports::race::access_validation_unit::{Config, In, Out, err};
use ports::race::types::{BEAT_BITS, rsp_kind};

use super::Inputs;
use super::answers::{Answers, Beat};
use crate::seen;
use crate::stimulus::Driver;

seen! {
    transfers: rsp, lk, rs, fill, hc_clr, q, done, err;
    rows:
        // Results of lookups (specification section 5.3).
        hit["hit_age_0", "hit_age_1"], needchk["needchk_age_0", "needchk_age_1"],
        miss_cold, miss_expired["miss_dead", "miss_expired"], miss_avu,
        size["1_byte", "2_bytes", "4_bytes", "8_bytes", "16_bytes", "32_bytes", "64_bytes",
            "128_bytes"],
        lookup_held, lookup_and_fill, lookup_and_clear, lookup_fill_and_clear, fill_and_clear,
        hit_and_fill, hit_and_clear, needchk_and_clear, miss_and_fill,
        lookup_at_header, lookup_at_sync, lookup_of_line_that_falls,
        fill_at_sync, clear_at_sync, fill_of_line_that_falls, line_falls, several_lines_fall,
        fill_of["fill_of_this_epoch", "fill_of_last_epoch", "fill_of_old_epoch"],
        fill_while_loading, clear_while_loading,
        // Answers.
        done_kind["done_norace", "done_race", "done_wack", "done_forced"],
        answer["header_without_sync", "header_without_chunks", "header_with_chunks", "chunk",
            "last_chunk"],
        chunk_at["first_place", "last_place"], one_chunk, epoch_wraps,
        rsp_held["held_behind_sync", "held_by_queue"], taken_at_once,
        member["query_no_member", "query_member"], all_lanes, query_and_lookup,
        // Bad input (specification section 12).
        err_code["err_chunk", "err_header", "err_kind", "err_epoch", "err_index", "err_line"],
        contradiction["norace_with_sync", "norace_with_chunks", "sync_without_epoch",
            "kind_beyond_3"],
        epoch_of["epoch_wrong_without_sync", "epoch_wrong_with_sync", "epoch_beyond_width"],
        index["index_beyond", "last_index_beyond"],
        line_beyond["lookup_beyond_lines", "fill_beyond_lines", "clear_beyond_lines"],
        cold_beyond_lines, several_errors, counter_beyond_16_bits,
}

/// Whether a unit of this kind can come there.
pub fn can_reach(c: &Config, row: &str) -> bool {
    match row {
        "several_lines_fall" => c.lines > 1,
        "err_index" | "index_beyond" | "last_index_beyond" => c.m / BEAT_BITS < 64,
        "chunk" => c.m > BEAT_BITS,
        "epoch_beyond_width" => c.epoch_w < 5,
        "err_line"
        | "lookup_beyond_lines"
        | "fill_beyond_lines"
        | "clear_beyond_lines"
        | "cold_beyond_lines"
        | "several_errors" => c.lines < 256,
        _ => true,
    }
}

/// Counts what needs no lines.
pub fn count(d: &mut Driver<Inputs>, answers: &Answers, beat: Option<Beat>, input: &In, out: &Out) {
    let Driver { config: c, seen, last, before, .. } = d;
    let mut errors = 0;
    match beat {
        Some(beat) if out.rsp_ready => {
            seen.rsp += 1;
            seen.taken_at_once += u64::from(last.rsp.is_some() && before.rsp_ready);
            count_beat(c, seen, answers, &beat);
            errors += u32::from(beat.fault.is_some());
        }
        Some(_) => seen.rsp_held[usize::from(last.slq_busy)] += 1,
        None => {}
    }
    if let Some(done) = out.done {
        seen.done += 1;
        if let Some(of_kind) = seen.done_kind.get_mut(usize::from(done.kind)) {
            *of_kind += 1;
        }
    }
    seen.epoch_wraps += u64::from(out.epoch < before.epoch);
    let beyond = |line: u8| u32::from(line) >= c.lines;
    let lookup = input.lk.filter(|_| out.lk_ready);
    let wrong = [
        lookup.is_some_and(|lookup| lookup.tag_hit && beyond(lookup.line)),
        input.fill.is_some_and(|fill| beyond(fill.line)),
        input.hc_clr.is_some_and(beyond),
    ];
    seen.line_beyond.iter_mut().zip(wrong).for_each(|(row, wrong)| *row += u64::from(wrong));
    errors += u32::from(wrong.contains(&true));
    seen.several_errors += u64::from(errors > 1);
    seen.fill += u64::from(input.fill.is_some());
    seen.hc_clr += u64::from(input.hc_clr.is_some());
    seen.fill_while_loading += u64::from(input.fill.is_some() && !out.lk_ready);
    seen.clear_while_loading += u64::from(input.hc_clr.is_some() && !out.lk_ready);
    let queries = input.q_valid.count_ones();
    seen.q += u64::from(queries);
    seen.all_lanes += u64::from(queries == c.v_lanes);
    seen.query_and_lookup += u64::from(queries > 0 && lookup.is_some_and(|l| l.tag_hit));
    seen.member[0] += u64::from((last.q_valid & !out.q_member).count_ones());
    seen.member[1] += u64::from((last.q_valid & out.q_member).count_ones());
    if let Some(code) = out.err {
        seen.err += 1;
        if let Some(row) = code.checked_sub(err::CHUNK).filter(|row| *row < 6) {
            seen.err_code[usize::from(row)] += 1;
        }
    }
    let counters = &out.counters;
    let counts =
        [counters.hit_age0, counters.miss_cold, counters.signature_tests, counters.load_cycles];
    let beyond = counts.iter().any(|count| *count > u32::from(u16::MAX));
    seen.counter_beyond_16_bits += u64::from(beyond);
}

/// A beat that is taken.
fn count_beat(c: &Config, seen: &mut Seen, answers: &Answers, Beat { rsp, fault }: &Beat) {
    match *fault {
        None if rsp.hdr => {
            let row = usize::from(rsp.sync) + usize::from(rsp.sync && !rsp.last);
            seen.answer[row] += 1;
        }
        None => {
            seen.answer[3 + usize::from(rsp.last)] += 1;
            seen.chunk_at[0] += u64::from(rsp.chunk == 0);
            seen.chunk_at[1] += u64::from(u32::from(rsp.chunk) == c.m / BEAT_BITS - 1);
            seen.one_chunk += u64::from(rsp.last && answers.is_first());
        }
        Some(err::KIND) => {
            let row = match (rsp.kind, rsp.sync) {
                (4.., _) => 3,
                (rsp_kind::NORACE, sync) => usize::from(!sync),
                _ => 2,
            };
            seen.contradiction[row] += 1;
        }
        Some(err::EPOCH) => {
            let wide = rsp.epoch >> c.epoch_w != 0;
            seen.epoch_of[if wide { 2 } else { usize::from(rsp.sync) }] += 1;
        }
        Some(err::INDEX) => seen.index[usize::from(rsp.last)] += 1,
        Some(_) => {}
    }
}
