//! What a run of an L2 bank can reach.

use hwmodel::timestamp::timestamp_l2::{Action, Hold};
use ports::timestamp::timestamp_l2::Config;

use super::{is_gtsc, is_strong, waits_for_leases};
use crate::seen;

seen! {
    transfers: bus_req, bus_rsp, dram_req, dram_rsp, sync, ask, event, err;
    rows:
        // Actions (specification section 5.4).
        b1["b1_read", "b1_write", "b1_atomic"],
        b1_last["b1_last_line_goes", "b1_last_dirty_line_goes"],
        b2, b3["b3", "b3_behind_a_waiting_write"], b4["b4_read", "b4_write", "b4_atomic"],
        write_waits,
        b5["b5_invalid_way", "b5_clean_line", "b5_dirty_line"],
        b5_picked["b5_picked_invalid_way", "b5_picked_clean_line", "b5_picked_dirty_line"],
        asked, dropped["request_dropped", "fill_dropped"],
        hold["holds_for_pick", "b1_holds_for_room", "b1_holds_for_place", "b3_holds", "b4_holds",
            "waiting_write_holds", "b5_holds_for_way", "b5_holds_for_mshr", "b5_holds_for_place",
            "b5_holds_for_two_places", "sync_waits_for_misses", "sync_holds_for_place",
            "sync_waits_for_leases"],
        // Overflow, by the action.
        overflow["overflow_read", "overflow_write", "overflow_atomic"], overflow_fill,
        // Releases and acquires.
        sync_kind["release", "acquire"],
        sync_step["sync_writes_back", "release_passes", "acquire_passes"],
        sync_last["release_ends", "acquire_ends"],
        sync_while_asked, sync_at_done,
        // Requests.
        atomic["add_4", "add_8", "min_4", "min_8", "max_4", "max_8", "umin_4", "umin_8", "umax_4",
            "umax_8", "and_4", "and_8", "or_4", "or_8", "xor_4", "xor_8", "xchg_4", "xchg_8"],
        several_elements, part_of_element,
        mask["mask_empty", "mask_some", "mask_full"],
        aop_of_others, strange["strange_op", "strange_aop", "strange_sm"],
        // Answers.
        rsp_op["fill", "renewal", "write_ack", "atomic_ack"],
        ok["ok_same_copy", "ok_full_mask", "not_ok_no_copy", "not_ok_other_copy"],
        written_at["written_behind_leases", "written_at_warp_ts"],
        fill_of_other_copy, old_request, old_request_with_wts, old_answer,
        exp_beyond_16_bits,
        // The policy.
        pick["pick_offered", "pick_not_offered"], keep["line_not_kept", "line_kept"], vain_pick,
        event_kind["event_used", "event_gone", "event_all_gone", "event_came"],
        // Resets.
        sweeps["sweep_whole", "sweep_cut"], halted_without_reset, reset_without_halt,
        reset_while_asked, reset_in_sync,
        reset_after["reset_after_overflow", "reset_at_kernel_end"],
        done_again,
        err_code["err_request", "err_fill", "err_pick"],
        bus_req_held, bus_rsp_held, dram_req_held, dram_rsp_held, sync_held, ask_held,
        counter_beyond_16_bits,
}

impl Seen {
    /// The action of a cycle.
    pub(super) fn action(&mut self, action: Action) {
        match action {
            Action::Nothing => {}
            Action::Hold(hold) => self.hold[hold as usize] += 1,
            Action::Overflow(op) => self.overflow[usize::from(op)] += 1,
            Action::FillOverflow => self.overflow_fill += 1,
            Action::Waiter { op, evicts, .. } => {
                self.b1[usize::from(op)] += 1;
                evicts.into_iter().for_each(|dirty| self.b1_last[usize::from(dirty)] += 1);
            }
            Action::Fill { .. } => self.b2 += 1,
            Action::Append { filled, .. } => self.b3[usize::from(filled)] += 1,
            Action::Perform { op, .. } => self.b4[usize::from(op)] += 1,
            Action::Wait { .. } => self.write_waits += 1,
            Action::Miss { valid, dirty, picked, .. } => {
                let rows = if picked { &mut self.b5_picked } else { &mut self.b5 };
                rows[usize::from(valid) + usize::from(dirty)] += 1;
            }
            Action::Query(_) => self.asked += 1,
            Action::BadRequest => self.dropped[0] += 1,
            Action::BadFill => self.dropped[1] += 1,
            Action::WriteBack(_) => self.sync_step[0] += 1,
            Action::Pass { acquires, last } => {
                self.sync_step[1 + usize::from(acquires)] += 1;
                self.sync_last[usize::from(acquires)] += u64::from(last);
            }
        }
    }
}

const _: () = assert!(Hold::SyncLent as usize == 12);

/// Rows of G-TSC alone: answers with its timestamps, resets of them, lines that do not stay.
const OF_GTSC: [&str; 27] = [
    "b1_last_line_goes",
    "b1_last_dirty_line_goes",
    "b1_holds_for_place",
    "overflow_read",
    "overflow_write",
    "overflow_atomic",
    "overflow_fill",
    "renewal",
    "ok_same_copy",
    "ok_full_mask",
    "not_ok_no_copy",
    "not_ok_other_copy",
    "written_behind_leases",
    "written_at_warp_ts",
    "fill_of_other_copy",
    "old_request",
    "old_request_with_wts",
    "old_answer",
    "sweep_whole",
    "sweep_cut",
    "halted_without_reset",
    "reset_without_halt",
    "reset_while_asked",
    "reset_in_sync",
    "done_again",
    "reset_after_overflow",
    "reset_at_kernel_end",
];

/// Whether a bank of this kind can come there.
pub(super) fn can_reach(s: &Config, row: &str) -> bool {
    let is_tc = !is_gtsc(s);
    // A lease is over before the next action.
    let lent = is_tc && s.tc_lease > s.l2_div;
    let waits = is_strong(s) && lent;
    let places = s.l2_sets * s.l2_ways;
    match row {
        row if is_tc && OF_GTSC.contains(&row) => false,
        // Behind the read of one line those of others, and what they replace; else only where
        // memory answers what it has not been asked yet.
        "b1_holds_for_place" => s.l2_mshr > 2,
        "b5_holds_for_mshr" => s.l2_mshr < places,
        "sweep_cut" => s.l2_sets > 1,
        // Of TC, cycles in which writes wait.
        "counter_beyond_16_bits" => !is_tc || waits_for_leases(s),
        "exp_beyond_16_bits" => is_tc,
        "sync_waits_for_leases" => lent,
        "write_waits" => waits,
        "waiting_write_holds" => waits && places > 1,
        "b3_behind_a_waiting_write" => waits && s.l2_wait > 1,
        "b3" => s.l2_wait > 1,
        "strange_sm" => s.n_sm < 32,
        _ => true,
    }
}
