//! Requests, back-pressure and completions for the remote write queue.
//!
//! The run is cut into phases; each draws how dense and how local the requests are, which kinds
//! they are, and how readily the packetizer and the completions answer. A held request stays as it
//! is.

use std::collections::VecDeque;

use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::remote_write_queue::{Config, In, Out};
use ports::finepack::types::{MAX_GPUS, Req, drain_kind, flush_cause, op};

use crate::settings::StaticInput;
use crate::stimulus::requests::{Pattern, Requester, dearest};
use crate::stimulus::{Driver, LONG, Random, Stimulus, count, stalled};
use crate::{blocks, phase, seen};

crate::family!(ports::finepack::types::FinePack, "finepack");
crate::pair!(RemoteWriteQueue: ports::finepack::types::FinePack);

inventory::submit! {
    blocks::entry::<Inputs>(
        "FinePack: coalesces stores to other GPUs, one partition per destination"
    )
}

/// Cycles at the beginning of a long time in which all drains.
const DRAINS: u64 = 4_000;
/// Cycles at its end in which the packetizer takes beats again, and nothing is asked for yet.
const RESUMES: u64 = 300;

/// Windows in use, a power of 2.
const WINDOWS: u64 = 4;

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(random: &mut Random, from: &Requester) {
        left: u32 = 64 + random.below(24 * from.entries + 256),
        request: u32 = random.pick(&[256, 256, 200, 128, 40, 6]),
        ready: u32 = random.pick(&[256, 256, 240, 128, 24, 0]),
        completion_delay: u32 = random.pick(&[1, 4, 40, 200]),
        pattern: Pattern = Pattern::draw(random, from),
    }
}

/// The stimulus.
pub struct Inputs {
    requester: Requester,
    timeout: u16,
    acct: u8,
    /// Per GPU: cycles until a taken MARK completes.
    completions: [Option<u32>; MAX_GPUS],
    /// What is asked for in the long time, in which the packetizer may take nothing.
    last: VecDeque<Req>,
    blocked: bool,
    /// Cycles since a request was accepted.
    quiet: u64,
    /// Per partition: the STORE that has flushed it, until its cost can be seen.
    breaks: [Option<Break>; MAX_GPUS],
}

/// A flush by a STORE: its cause, and the account of the partition before it.
#[derive(Clone, Copy, Debug)]
struct Break {
    cause: u8,
    entries: u8,
    avail: u16,
}

seen! {
    transfers: req, drain, cpl, rel;
    rows:
        flush["", "flush_window", "flush_payload", "flush_entries", "flush_load", "flush_atomic",
            "flush_release", "flush_timeout"],
        stall_bank, stall_order_queue, req_held, drain_held, overwritten,
        op["op_store", "op_load", "op_atomic", "op_release_sys", "op_release_gpu", "op_illegal"],
        kind["kind_pack", "kind_read", "kind_atomic", "kind_mark"],
        error["", "err_1_zero_mask", "err_2_bad_dest", "err_3_bad_op", "", "", "", "", "",
            "err_9_spurious_completion"],
        err_lost, atomic_of_8_at_4_modulo_8,
        window_and_payload, window_and_entries, payload_and_entries,
        largest_payload, flush_timeout_of_16_bits, flush_timeout_beyond_16_bits,
        // The last packet before a destination's tag wraps; a window that a carry to bit 32 or
        // above parts from the usual one.
        tag_255, window_over_4_gb,
}

impl Inputs {
    fn completion(&mut self, d: &mut Driver<Self>) -> Option<u8> {
        let mut due = None;
        for (gpu, left) in self.completions.iter_mut().enumerate() {
            match left {
                Some(0) if due.is_none() => {
                    *left = None;
                    due = Some(gpu as u8);
                }
                Some(left) => *left = left.saturating_sub(1),
                None => {}
            }
        }
        if due.is_none() && d.random.chance(d.phase.pattern.fault / 4) {
            due = Some(d.random.below(16) as u8);
        }
        due
    }

    /// What is asked for in a long time: a store, which waits for the timeout. Or its partition
    /// cannot be flushed for longer than its timer counts, because its other bank, or with one bank
    /// its order queue, is full.
    fn draw_last(&mut self, d: &mut Driver<Self>) {
        let Driver { random: r, config: c, .. } = d;
        let dest = self.requester.dest(r);
        let mut store = |window| {
            let mask = r.mask(c.line, None);
            self.requester.store(r, dest, window, 0, mask)
        };
        let first = self.requester.windows.start;
        self.last = VecDeque::from([store(first)]);
        if self.blocked && c.banks == 2 {
            self.last.push_back(store(first + 1));
        } else if self.blocked {
            // One more than the queue holds is with the packetizer.
            let load = Req { op: op::LOAD, ..store(first + 1) };
            self.last.extend((0..=c.order_queue_depth).map(|_| load));
        }
    }

    /// The request of a cycle, and how readily a beat is taken.
    fn draw_request(&mut self, d: &mut Driver<Self>) -> (Option<Req>, u32) {
        let Some(cycle) = d.long else {
            let req = d.offer(d.last.req, d.before.req_ready, d.phase.request, |d| {
                d.phase.pattern.request(&mut d.random, &self.requester)
            });
            return (req, d.phase.ready);
        };
        if cycle == DRAINS {
            self.draw_last(d);
        }
        let mut req = stalled(d.last.req, d.before.req_ready);
        if cycle >= DRAINS {
            req = req.or_else(|| self.last.pop_front());
        }
        let taken = !self.blocked || !(DRAINS..LONG - RESUMES).contains(&cycle);
        (req, if taken { 256 } else { 0 })
    }

    /// Which of its conditions a STORE broke that has flushed its partition (rule 14 of the block's
    /// README).
    fn observe_breaks(&mut self, d: &mut Driver<Self>, out: &Out) {
        let Driver { config: c, before, seen, .. } = d;
        for p in 0..c.parts() as usize {
            let cause = out.evt.flush_cause[p];
            if (flush_cause::WINDOW..=flush_cause::FULL_ENTRIES).contains(&cause) {
                let Out { occ, avail, .. } = before;
                self.breaks[p] = Some(Break { cause, entries: occ[p], avail: avail[p] });
            }
            // The first entry of the next bank is the STORE's.
            let Some(broken) = self.breaks[p].take_if(|_| out.occ[p] == 1) else { continue };
            let too_dear = c.max_payload - u32::from(out.avail[p]) > u32::from(broken.avail);
            let full = u32::from(broken.entries) == c.entries;
            if broken.cause == flush_cause::WINDOW {
                seen.window_and_payload += u64::from(too_dear);
                seen.window_and_entries += u64::from(full);
            } else {
                seen.payload_and_entries += u64::from(too_dear && full);
            }
        }
    }

    fn observe(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        self.observe_breaks(d, out);
        let seen = &mut d.seen;
        self.quiet += 1;
        if let Some(req) = count(input.req, out.req_ready, &mut seen.req, &mut seen.req_held) {
            self.quiet = 0;
            seen.op[usize::from(req.op.min(5))] += 1;
            let Requester { windows, offset_width, .. } = &self.requester;
            let carried = req.addr >> 32 != windows.start << offset_width >> 32;
            let is_near = windows.contains(&(req.addr >> offset_width));
            seen.window_over_4_gb += u64::from(carried && is_near);
            let (at, size) = (req.mask.trailing_zeros(), req.mask.count_ones());
            let odd = req.op == op::ATOMIC && at % 8 == 4 && req.mask >> at == 0xff;
            let else_right = u32::from(req.dest) < d.config.num_gpus
                && req.dest != self.requester.self_id
                && req.aop < 8;
            seen.atomic_of_8_at_4_modulo_8 += u64::from(odd && size == 8 && else_right);
        }
        let drain = count(out.drain, input.drain_ready, &mut seen.drain, &mut seen.drain_held);
        if let Some(drain) = drain {
            seen.kind[usize::from(drain.kind)] += 1;
            let is_last = drain.kind == drain_kind::PACK && drain.eop && drain.id == 255;
            seen.tag_255 += u64::from(is_last);
            seen.largest_payload += u64::from(u32::from(drain.plen) == d.config.max_payload);
            if drain.kind == drain_kind::MARK {
                let delay = d.random.below(d.phase.completion_delay + 1);
                self.completions[usize::from(drain.dest)] = Some(delay);
            }
        }
        seen.cpl += u64::from(input.cpl.is_some());
        seen.rel += u64::from(out.rel.is_some());
        if let Some(code) = out.err {
            seen.error[usize::from(code)] += 1;
        }
        let parts = d.config.parts() as usize;
        for cause in &out.evt.flush_cause[..parts] {
            seen.flush[usize::from(*cause)] += 1;
            let late = *cause == flush_cause::TIMEOUT && self.quiet > u64::from(u16::MAX);
            let row = match self.blocked {
                true => &mut seen.flush_timeout_beyond_16_bits,
                false => &mut seen.flush_timeout_of_16_bits,
            };
            *row += u64::from(late);
        }
        seen.stall_bank += u64::from(out.evt.stall & 1);
        seen.stall_order_queue += u64::from(out.evt.stall >> 1);
        seen.overwritten += u64::from(out.evt.overwritten != 0);
        seen.err_lost += u64::from(out.evt.err_lost);
    }
}

impl Stimulus for Inputs {
    type Model = RemoteWriteQueue;
    type Phase = Phase;
    type Seen = Seen;

    /// Idle cycles before a flush; 0 EXACT, 1 PAPER.
    const STATICS: &'static [StaticInput] = &[("timeout", 65535), ("acct", 1)];

    fn start(d: &mut Driver<Self>) -> Self {
        let is_long = d.has_long_time();
        // In turn, for there are few; another one first for each seed.
        let blocked = is_long && d.long_times.is_multiple_of(2);
        let Driver { config: c, random: r, .. } = d;
        let self_id = r.below(c.num_gpus) as u8;
        let word = r.word();
        let mut first = word >> c.offset_width & !(WINDOWS - 1);
        if c.offset_width < 32 && word.is_multiple_of(4) {
            // Some of the windows lie below a multiple of 4 GB, the others above.
            let above = (word | 1 << 32) >> 32 << 32;
            first = (above >> c.offset_width) - WINDOWS / 2;
        }
        let any = r.word() as u16;
        let timeout = match (is_long, blocked) {
            (true, true) => r.pick(&[1_000, 40_000, u16::MAX]),
            (true, false) => u16::MAX,
            _ => r.pick(&[0, 0, 0, 1, 1, 2, 2, 9, 9, 40, 40, 300, 300, any]),
        };
        let acct = r.below(2) as u8;
        let requester = Requester {
            self_id,
            num_gpus: c.num_gpus,
            entries: c.entries,
            line: c.line,
            offset_width: c.offset_width,
            windows: first..first + WINDOWS,
            lines_per_end: (1 << c.offset_width) / u64::from(c.line),
            sub_header_bytes: c.sub_header_bytes,
            max_payload: c.max_payload,
        };
        Self {
            requester,
            timeout: d.statics.get("timeout").map_or(timeout, |fixed| fixed as u16),
            acct: d.statics.get("acct").map_or(acct, |fixed| fixed as u8),
            completions: [None; MAX_GPUS],
            last: VecDeque::new(),
            blocked,
            quiet: 0,
            breaks: [None; MAX_GPUS],
        }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random, &self.requester)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let (req, ready) = self.draw_request(d);
        let input = In {
            req,
            drain_ready: d.random.chance(ready),
            cpl: self.completion(d),
            self_id: self.requester.self_id,
            timeout: self.timeout,
            acct: self.acct,
        };
        self.observe(d, &input, out);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        let Config { entries, line, sub_header_bytes, max_payload, offset_width, .. } = d.config;
        match row {
            "window_over_4_gb" => offset_width < 32,
            "largest_payload" => entries * dearest(line, sub_header_bytes) >= max_payload,
            "flush_timeout_of_16_bits" | "flush_timeout_beyond_16_bits" => {
                d.statics.get("timeout") != Some(0)
            }
            _ => true,
        }
    }
}
