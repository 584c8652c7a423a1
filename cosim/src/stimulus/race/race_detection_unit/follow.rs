//! What the block is asked, and in which order it answers, as its inputs and outputs say it; the
//! rows that this is of.

use std::collections::VecDeque;

use ports::race::race_detection_unit::{Config, Counters, In, Out};
use ports::race::types::{BEAT_BITS, MAX_SMS, Req, Rsp, req_kind, rsp_kind};

use super::rows::{Seen, granules};

/// A request without an answer.
#[derive(Clone, Copy, Debug)]
struct Asked {
    kind: u8,
    /// Cycle in which it was taken.
    taken: u64,
}

/// An SM.
#[derive(Clone, Debug)]
struct Sm {
    asked: VecDeque<Asked>,
    /// In the cycle before a beat was held; the last beat of an answer was taken; there was no
    /// place for a request.
    held: bool,
    ended: bool,
    full: bool,
    /// Chunks of this answer so far, and where the next one may be.
    chunks: u32,
    place: u32,
}

/// All SMs, and what was before.
#[derive(Clone, Debug)]
pub struct Follow {
    config: Config,
    cycle: u64,
    sms: Vec<Sm>,
    /// SM whose request was answered last, and the cycle in which the header came.
    served: Option<(usize, u64)>,
    /// The request that is answered next has waited for the token register.
    stalled: bool,
    /// A signature was written to in the cycle before the last one.
    inserted: bool,
    idle: bool,
    counters: Counters,
}

impl Follow {
    pub fn new(config: &Config) -> Self {
        // A full queue and what is on its way.
        let asked = VecDeque::with_capacity(config.rq_n as usize + 4);
        let sm = Sm { asked, held: false, ended: false, full: false, chunks: 0, place: 0 };
        Self {
            config: config.clone(),
            cycle: 0,
            sms: (0..config.n_sm).map(|_| sm.clone()).collect(),
            served: None,
            stalled: false,
            inserted: false,
            idle: true,
            counters: Counters::default(),
        }
    }

    /// A cycle with these inputs and outputs.
    pub fn cycle(&mut self, input: &In, out: &Out, seen: &mut Seen) {
        self.counters(out, seen);
        let all = u16::MAX >> (MAX_SMS - self.sms.len());
        seen.all_held += u64::from(out.rsp_valid & !input.rsp_ready == all);
        seen.idle += u64::from(out.idle);
        seen.idle_again += u64::from(out.idle && !self.idle);
        self.idle = out.idle;
        if out.tok.is_some() {
            *(if input.tok_ready { &mut seen.tok } else { &mut seen.tok_held }) += 1;
        }
        let mut held = 0;
        for at in 0..self.sms.len() {
            if out.rsp_valid >> at & 1 == 1 {
                self.shows(at, &out.rsp[at], input.rsp_ready >> at & 1 == 1, seen);
            } else {
                (self.sms[at].held, self.sms[at].ended) = (false, false);
            }
            let ready = out.req_ready >> at & 1 == 1;
            if input.req_valid >> at & 1 == 1 {
                if ready {
                    self.asks(at, &input.req[at], seen);
                } else {
                    held += 1;
                }
            }
            self.sms[at].full = !ready;
        }
        seen.req_held += u64::from(held > 0);
        seen.several_held += u64::from(held > 1);
        self.cycle += 1;
    }

    /// What the counters say of the cycle before.
    fn counters(&mut self, out: &Out, seen: &mut Seen) {
        let (last, now) = (self.counters, out.counters);
        let changed = |of: fn(&Counters) -> u32| of(&now).wrapping_sub(of(&last));
        let forced = changed(|c| c.forced);
        let inserted = changed(|c| c.inserts) > 0;
        let stalled = changed(|c| c.token_stall) > 0;
        let beats = changed(|c| c.header_beats) + changed(|c| c.chunk_beats);
        seen.forced += u64::from(forced);
        if forced > 0 {
            seen.several_forced += u64::from(forced > 1);
            seen.all_others_forced += u64::from(forced == self.config.n_sm - 1);
            seen.forced_at_insert += u64::from(inserted);
            // The limit was reached earlier.
            seen.forced_late += u64::from(!self.inserted);
            seen.forced_in_token_stall += u64::from(stalled);
        }
        seen.beat_in_token_stall += u64::from(stalled && beats > 0);
        self.stalled |= stalled;
        (self.inserted, self.counters) = (inserted, now);
        let c = &now;
        let most = [c.reads, c.granules_checked, c.token_stall, c.header_beats, c.queue_full];
        let beyond = most.iter().any(|count| *count > u32::from(u16::MAX));
        seen.counter_beyond_16_bits += u64::from(beyond);
    }

    /// A request is taken.
    fn asks(&mut self, at: usize, req: &Req, seen: &mut Seen) {
        let c = &self.config;
        let sm = &mut self.sms[at];
        sm.asked.push_back(Asked { kind: req.kind, taken: self.cycle });
        seen.req += 1;
        seen.taken_behind_full += u64::from(sm.full);
        let all = granules(c);
        let checks = matches!(req.kind, req_kind::RDCHK | req_kind::HITCHK);
        let some = if checks { all } else { touched(req.mask, c.gran) };
        seen.lanes_left_over += u64::from(some % c.lanes != 0);
        seen.several_steps[usize::from(!checks)] += u64::from(some > c.lanes);
        if checks {
            seen.check_beside_mask += u64::from(req.mask != u128::MAX);
        } else if some == 0 {
            seen.empty[usize::from(req.kind == req_kind::ATOM)] += 1;
        } else {
            let row = match some {
                1 => 0,
                _ if some < all => 1,
                _ => 2,
            };
            seen.written[row] += 1;
        }
    }

    /// A beat is there.
    fn shows(&mut self, at: usize, rsp: &Rsp, taken: bool, seen: &mut Seen) {
        let new = !std::mem::replace(&mut self.sms[at].held, !taken);
        let behind = std::mem::take(&mut self.sms[at].ended);
        if new && rsp.hdr {
            seen.epoch_wraps += u64::from(rsp.sync && rsp.epoch == 0);
            if rsp.kind == rsp_kind::FORCED {
                seen.forced_behind_answer += u64::from(behind);
            } else {
                self.serves(at, rsp, seen);
            }
        }
        if !taken {
            seen.rsp_held[usize::from(!rsp.hdr)] += 1;
            return;
        }
        seen.rsp += 1;
        let sm = &mut self.sms[at];
        sm.ended = rsp.last;
        if rsp.hdr {
            seen.beat[usize::from(!rsp.last)] += 1;
            (sm.chunks, sm.place) = (0, 0);
            return;
        }
        let (all, place) = (self.config.m / BEAT_BITS, u32::from(rsp.chunk));
        seen.beat[2 + usize::from(rsp.last)] += 1;
        seen.chunk_at[0] += u64::from(place == 0);
        seen.chunk_at[1] += u64::from(place == all - 1);
        seen.chunks_left_out += u64::from(place != sm.place);
        (sm.chunks, sm.place) = (sm.chunks + 1, place + 1);
        seen.one_chunk += u64::from(rsp.last && sm.chunks == 1);
        seen.all_chunks += u64::from(rsp.last && sm.chunks == all);
    }

    /// The header of an answer to a request comes.
    fn serves(&mut self, at: usize, rsp: &Rsp, seen: &mut Seen) {
        let Some(Asked { kind, .. }) = self.sms[at].asked.pop_front() else { return };
        let kind = usize::from(kind & 3);
        let row = if kind < 2 { rsp.kind == rsp_kind::RACE } else { !rsp.last };
        seen.answer[2 * kind + usize::from(row)] += 1;
        seen.stalled[kind] += u64::from(std::mem::take(&mut self.stalled));
        if let Some((before, cycle)) = self.served {
            seen.several_in_turn += u64::from(before != at && cycle + 1 == self.cycle);
            // Another SM's request was there when this one was chosen, and it was its turn.
            let waits = |sm: &Sm| sm.asked.front().is_some_and(|asked| asked.taken < cycle);
            let others = self.sms.iter().enumerate().filter(|(other, _)| *other != at);
            let skipped = before == at && others.into_iter().any(|(_, sm)| waits(sm));
            seen.skipped += u64::from(skipped);
        }
        self.served = Some((at, self.cycle));
    }
}

/// Granules of a line with a byte of this mask.
fn touched(mask: u128, gran: u32) -> u32 {
    match gran {
        1 => mask.count_ones(),
        4 => {
            let any = mask | mask >> 1 | mask >> 2 | mask >> 3;
            (any & (u128::MAX / 15)).count_ones()
        }
        _ => u32::from(mask != 0),
    }
}
