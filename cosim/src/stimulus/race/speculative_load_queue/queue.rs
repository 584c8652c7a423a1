//! Entries of the block, derived from its ports, and the coverage rows that they reach.

use std::collections::VecDeque;

use ports::race::speculative_load_queue::{Config, In, Out, err};
use ports::race::types::{MAX_VLANES, rsp_kind};

use super::rows::Seen;

/// An entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    live: bool,
    warp: u8,
    count: u8,
}

/// A validation: the number of the first entry, how many there are, and the cycles so far.
#[derive(Clone, Copy, Debug)]
struct Validation {
    first: u64,
    entries: u64,
    cycle: u64,
}

/// The entries, numbered in order of allocation.
#[derive(Clone, Debug)]
pub struct Queue {
    slots: u64,
    lanes: u64,
    entries: VecDeque<Entry>,
    /// Number of the oldest.
    first: u64,
    validation: Option<Validation>,
    /// Entries queried in the cycle before.
    asked: [Option<u64>; MAX_VLANES],
}

impl Queue {
    pub fn new(c: &Config) -> Self {
        Self {
            slots: c.slq_n.into(),
            lanes: c.v_lanes.into(),
            entries: VecDeque::with_capacity(c.slq_n as usize),
            first: 0,
            validation: None,
            asked: [None; MAX_VLANES],
        }
    }

    /// The entry of this number, if it is still there.
    fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(number.checked_sub(self.first)? as usize)
    }

    /// Follows a cycle with these inputs and outputs.
    pub fn follow(&mut self, input: &In, out: &Out, seen: &mut Seen) {
        let took = self.takes(input, out);
        self.answered(input, took, seen);
        self.asks(out, seen);
        count(input, out, seen);
        let validates = out.busy;
        let before = self.entries.len();
        let replayed = self.head(input, out, seen);
        let popped = before > self.entries.len();
        let dec = input.done.is_some_and(|done| done.kind != rsp_kind::FORCED) && out.out > 0;
        self.entries.iter_mut().for_each(|entry| entry.count -= u8::from(dec && entry.count > 0));
        if let Some(alloc) = input.alloc {
            seen.full += u64::from(!out.alloc_ready);
            seen.full_and_pop += u64::from(!out.alloc_ready && popped);
            if out.alloc_ready {
                seen.alloc += 1;
                seen.alloc_with[usize::from(input.inc) + 2 * usize::from(dec)] += 1;
                let of_it = replayed == Some(alloc.warp);
                seen.alloc_of_replayed_warp += u64::from(of_it);
                seen.alloc_beside_replay += u64::from(replayed.is_some() && !of_it);
                seen.pop_and_alloc += u64::from(popped);
                seen.pop_and_alloc_in_validation += u64::from(popped && validates);
                seen.alloc_in_validation += u64::from(validates);
                let count = u32::from(out.out) + u32::from(input.inc) - u32::from(dec);
                let count = count.min(255) as u8;
                seen.alloc_without_outstanding += u64::from(count == 0);
                if !of_it {
                    self.entries.push_back(Entry { live: true, warp: alloc.warp, count });
                }
            }
        }
        if input.done.is_some_and(|done| done.sync) && !validates {
            let entries = self.entries.len() as u64;
            let kind = match entries {
                0 => 0,
                all if all == self.slots => 3,
                1 => 1,
                _ => 2,
            };
            seen.validates[kind] += 1;
            seen.sync_and_alloc += u64::from(took);
            seen.sync_and_pop += u64::from(popped);
            let (first, cycle) = (self.first, 0);
            self.validation = (entries > 0).then_some(Validation { first, entries, cycle });
        }
    }

    /// Whether a load gets an entry.
    fn takes(&self, input: &In, out: &Out) -> bool {
        let replayed = out.replay.filter(|_| input.replay_ready);
        let of_it = |warp| replayed.is_some_and(|replay| replay.warp == warp);
        out.alloc_ready && input.alloc.is_some_and(|alloc| !of_it(alloc.warp))
    }

    /// The answers to the queries of the cycle before. `took`: an entry is allocated.
    fn answered(&mut self, input: &In, took: bool, seen: &mut Seen) {
        let next = self.first + self.entries.len() as u64;
        for (v, asked) in std::mem::take(&mut self.asked).into_iter().enumerate() {
            let Some(number) = asked else { continue };
            let member = input.q_member >> v & 1 == 1;
            seen.member[usize::from(member)] += 1;
            if !member {
                continue;
            }
            match self.entry(number) {
                None => {
                    seen.member_has_left += 1;
                    let again = took && next % self.slots == number % self.slots;
                    seen.place_of_member_taken_again += u64::from(again);
                }
                Some(entry) if !entry.live => seen.member_was_dropped += 1,
                Some(entry) => seen.member_still_waits += u64::from(entry.count > 0),
            }
        }
    }

    fn asks(&mut self, out: &Out, seen: &mut Seen) {
        let Some(Validation { first, entries, cycle }) = self.validation else { return };
        let from = cycle * self.lanes;
        for v in 0..self.lanes.min(entries - from) {
            if out.q_valid >> v & 1 == 1 {
                self.asked[v as usize] = Some(first + from + v);
            } else {
                seen.dead_not_asked += 1;
            }
        }
        seen.several_cycles_of_queries += u64::from(cycle == 1);
        seen.lanes_left_over += u64::from(entries - from < self.lanes);
        seen.all_lanes_asked += u64::from(u64::from(out.q_valid.count_ones()) == self.lanes);
        let more = from + self.lanes < entries;
        self.validation = more.then_some(Validation { first, entries, cycle: cycle + 1 });
    }

    /// The oldest entry. Returns the warp of a replay that is taken.
    fn head(&mut self, input: &In, out: &Out, seen: &mut Seen) -> Option<u8> {
        let Entry { live, count, .. } = *self.entries.front()?;
        let busy = out.busy;
        let replay = out.replay.filter(|_| input.replay_ready);
        seen.replay_in_validation += u64::from(out.replay.is_some() && busy);
        seen.replay_held += u64::from(out.replay.is_some() && replay.is_none());
        let leaves = match () {
            () if replay.is_some() => Some(1),
            () if out.commit.is_some() => Some(0),
            () if !live && !busy => Some(2),
            () => None,
        };
        seen.waits[0] += u64::from(live && count > 0);
        seen.waits[1] += u64::from(live && count == 0 && out.replay.is_none() && busy);
        seen.waits[2] += u64::from(!live && busy);
        let of = leaves?;
        seen.head[of] += 1;
        self.entries.pop_front();
        self.first += 1;
        let warp = replay?.warp;
        let mut dropped = 0;
        for entry in self.entries.iter_mut().filter(|entry| entry.live && entry.warp == warp) {
            entry.live = false;
            dropped += 1;
        }
        seen.drops[dropped.min(2)] += 1;
        Some(warp)
    }
}

/// Counts the rows that the ports alone show.
fn count(input: &In, out: &Out, seen: &mut Seen) {
    let most = out.out == u8::MAX;
    let mut errors = 0;
    seen.inc += u64::from(input.inc);
    let mut dec = false;
    if let Some(done) = input.done {
        seen.done += 1;
        if let Some(of_kind) = seen.done_kind.get_mut(usize::from(done.kind)) {
            *of_kind += 1;
        }
        dec = done.kind != rsp_kind::FORCED;
        let unasked = dec && out.out == 0;
        seen.err_done_with_inc += u64::from(unasked && input.inc);
        let forced = done.sync && done.kind == rsp_kind::FORCED;
        seen.err_sync_forced += u64::from(forced && out.busy);
        errors += u32::from(unasked) + u32::from(done.sync && out.busy);
    }
    errors += u32::from(most && input.inc && !dec);
    seen.several_errors += u64::from(errors > 1);
    seen.out_at_most += u64::from(most);
    seen.inc_and_dec_at_most += u64::from(most && input.inc && dec);
    seen.q += u64::from(out.q_valid.count_ones());
    seen.commit += u64::from(out.commit.is_some());
    seen.replay += u64::from(out.replay.is_some() && input.replay_ready);
    seen.several_warps += u64::from(out.spec.count_ones() > 1);
    if let Some(code) = out.err {
        seen.err += 1;
        if let Some(row) = code.checked_sub(err::DONE).filter(|row| *row < 3) {
            seen.err_code[usize::from(row)] += 1;
        }
    }
    let c = &out.counters;
    let counts = [c.allocs, c.commits, c.replays, c.dropped, c.full_cycles, c.busy_cycles];
    let beyond = counts.iter().any(|count| *count > u32::from(u16::MAX));
    seen.counter_beyond_16_bits += u64::from(beyond);
}
