//! Coverage of an L1: rows of the specification's tables that its actions reach, and transfers at
//! its ports.

use hwmodel::timestamp::timestamp_l1::condition::*;
use hwmodel::timestamp::timestamp_l1::{Action, Fill, Lock, OwnCopy, Place, Request, Step};
use ports::timestamp::timestamp_l1::{In, Out};
use ports::timestamp::types::op;

use crate::seen;
use crate::stimulus::count;

seen! {
    transfers: core_req, core_rsp, bus_req, bus_rsp, ask, event, err;
    rows:
        // Replays, flushes, backpressure (specification 5.1, 5.5).
        step["replay_serves", "replay_serves_old", "replay_defers", "replay_defers_stale"],
        replay_waits_for_room, flush, flush_wrong, answer_waits_for_room,
        // Answers of banks (5.3, 5.8).
        fill_stale, fill_late, fill_after_store, fill_present, fill_invalid_way, fill_evicts,
        fill_no_way, fill_asks, fill_picked, fill_not_kept, pick_wrong,
        renew_stale, renew_after_store, renew_absent, renew,
        ack_without_lock, ack_stale, ack_still_locked, ack_ends, ack_drops, ack_old,
        ack_meets_lease,
        // MSHRs in PEND (5.3).
        pending_replays, pending_renews, pending_requests, pending_locked, request_waits_for_room,
        // Requests (5.2, 5.3, 12).
        ld1, ld1_spin, ld2_stale, ld2_after_store, ld2_full, ld3, ld4, ld5, ld6, ld7,
        st1, st2_pending, st2_older, st3,
        st4["st4_absent", "st4_present", "st4_locked"],
        st5["st5_absent", "st5_present", "st5_locked"],
        store_passes_miss, bad_request, bad_fill, bad_ack,
        // Ports.
        core_req_held, core_rsp_held, bus_req_held, bus_rsp_held, ask_held, pick_without_ask,
        answer_of["answers_load", "answers_store", "answers_atomic", "answers_op_3"],
        aop["add", "min", "max", "umin", "umax", "and", "or", "xor", "exchange"],
        size["elements_of_4", "elements_of_8"],
        event_of["used", "gone", "all_gone", "came"],
        all_warps_busy, counter_beyond_16_bits,
}

impl Seen {
    /// The action of a cycle.
    pub(super) fn action(&mut self, action: Action, is_gtsc: bool) {
        match action {
            Action::Nothing | Action::Pick { wrong: false, .. } => {}
            Action::Blocked { replay, answer, request } => {
                self.replay_waits_for_room += u64::from(replay);
                self.answer_waits_for_room += u64::from(answer);
                self.request_waits_for_room += u64::from(request);
            }
            Action::Pick { wrong: true, .. } => self.pick_wrong += 1,
            Action::Replay(step) => self.step(step),
            Action::Flush { wrong } => {
                self.flush += 1;
                self.flush_wrong += u64::from(wrong);
            }
            Action::Query(_) => self.fill_asks += 1,
            Action::Fill(fill) => self.fill(fill),
            Action::Renewal(renewal) => {
                *match renewal.conditions {
                    c if c & STALE != 0 => &mut self.renew_stale,
                    c if c & (PASSED | LOCKED) != 0 => &mut self.renew_after_store,
                    c if c & ABSENT != 0 => &mut self.renew_absent,
                    _ => &mut self.renew,
                } += 1;
                renewal.step.into_iter().for_each(|step| self.step(step));
            }
            Action::Acknowledgement(ack) => {
                *match ack.lock {
                    Lock::None => &mut self.ack_without_lock,
                    Lock::Stale => &mut self.ack_stale,
                    Lock::Remains(_) => &mut self.ack_still_locked,
                    Lock::Ends(_) => &mut self.ack_ends,
                    Lock::Drops(_) => &mut self.ack_drops,
                } += 1;
                self.ack_old += u64::from(ack.old);
                self.ack_meets_lease += u64::from(ack.fence.is_some_and(|(_, meets)| meets));
            }
            Action::BadFill => self.bad_fill += 1,
            Action::BadAcknowledgement => self.bad_ack += 1,
            Action::PendingReplay { step, .. } => {
                self.pending_replays += 1;
                self.step(step);
            }
            Action::PendingRequest { place, .. } => {
                // TC has no renewals: the line is requested.
                let renews = place.is_some() && is_gtsc;
                *if renews { &mut self.pending_renews } else { &mut self.pending_requests } += 1;
            }
            Action::Request { row, locked } => {
                self.pending_locked += u64::from(locked);
                row.into_iter().for_each(|row| self.request(row));
            }
        }
    }

    fn step(&mut self, step: Step) {
        self.step[step as usize] += 1;
    }

    fn fill(&mut self, Fill { conditions, place, step, .. }: Fill) {
        self.step(step);
        self.fill_late += u64::from(conditions & LATE != 0);
        *match place {
            Place::Nowhere if conditions & STALE != 0 => &mut self.fill_stale,
            Place::Nowhere if conditions & (PASSED | LOCKED) != 0 => &mut self.fill_after_store,
            Place::Nowhere => return,
            Place::NotKept => &mut self.fill_not_kept,
            Place::NoWay => &mut self.fill_no_way,
            Place::Present(_) => &mut self.fill_present,
            Place::Invalid(_) => &mut self.fill_invalid_way,
            Place::Evicts(_) => &mut self.fill_evicts,
            Place::Picked(_) => &mut self.fill_picked,
        } += 1;
    }

    fn request(&mut self, row: Request) {
        *match row {
            Request::Ld1 { spin, .. } => {
                self.ld1_spin += u64::from(spin);
                &mut self.ld1
            }
            Request::Ld2(conditions) if conditions & STALE != 0 => &mut self.ld2_stale,
            Request::Ld2(conditions) if conditions & PASSED != 0 => &mut self.ld2_after_store,
            Request::Ld2(_) => &mut self.ld2_full,
            Request::Ld3(_) => &mut self.ld3,
            Request::Ld4 => &mut self.ld4,
            Request::Ld5(_) => &mut self.ld5,
            Request::Ld6(..) => &mut self.ld6,
            Request::Ld7(_) => &mut self.ld7,
            Request::St1 => &mut self.st1,
            Request::St2(conditions) if conditions & PENDING != 0 => &mut self.st2_pending,
            Request::St2(_) => &mut self.st2_older,
            Request::St3 => &mut self.st3,
            Request::St4(send) | Request::St5(send) => {
                self.store_passes_miss += u64::from(send.passes.is_some());
                let rows =
                    if matches!(row, Request::St4(_)) { &mut self.st4 } else { &mut self.st5 };
                match send.copy {
                    OwnCopy::Absent => &mut rows[0],
                    OwnCopy::Unlocked(_) => &mut rows[1],
                    OwnCopy::Locked(_) => &mut rows[2],
                }
            }
            Request::Bad => &mut self.bad_request,
        } += 1;
    }

    /// The port transfers of a cycle; `warps` of the configuration.
    pub(super) fn ports(&mut self, input: &In, out: &Out, warps: u32) {
        count(input.core_req, out.core_req_ready, &mut self.core_req, &mut self.core_req_held);
        count(out.bus_req, input.bus_req_ready, &mut self.bus_req, &mut self.bus_req_held);
        count(input.bus_rsp, out.bus_rsp_ready, &mut self.bus_rsp, &mut self.bus_rsp_held);
        let rsp =
            count(out.core_rsp, input.core_rsp_ready, &mut self.core_rsp, &mut self.core_rsp_held);
        if let Some(rsp) = rsp {
            self.answer_of[usize::from(rsp.op)] += 1;
        }
        if let Some(req) = &input.core_req
            && let (op::ATOM, Some(row)) = (req.op, self.aop.get_mut(usize::from(req.aop)))
        {
            *row += 1;
            self.size[usize::from(req.sz)] += 1;
        }
        self.ask += u64::from(out.ask.is_some() && input.pick.is_some());
        self.ask_held += u64::from(out.ask.is_some() && input.pick.is_none());
        self.pick_without_ask += u64::from(out.ask.is_none() && input.pick.is_some());
        if let Some(event) = &out.event {
            self.event += 1;
            self.event_of[usize::from(event.kind)] += 1;
        }
        self.err += u64::from(out.err.is_some());
        self.all_warps_busy += u64::from(out.warp_busy.count_ones() == warps);
        let most = out.counters.load_hit.max(out.counters.hold_cycles);
        self.counter_beyond_16_bits += u64::from(most > u32::from(u16::MAX));
    }
}
