//! Requests, back-pressure and completions for the remote write queue.
//!
//! The run is cut into phases; each draws how dense and how local the requests are, which kinds
//! they are, and how readily the packetizer and the completions answer. A held request stays as it
//! is.

use std::collections::VecDeque;

use hwmodel::Block;
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::remote_write_queue::{Config, In, Out};
use ports::finepack::types::{MAX_GPUS, Req, drain_kind, flush_cause, op};

use crate::blocks;
use crate::seen;
use crate::settings::StaticInput;
use crate::stimulus::draws::draws;
use crate::stimulus::requests::{Pattern, Requester, dearest};
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};

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

draws! {
    /// What one phase draws. Chances are parts of 256.
    struct Phase(random: &mut Random, from: &Requester) {
        left: u32 = 64 + random.below(24 * from.entries + 256),
        request: u32 = random.pick(&[256, 256, 200, 128, 40, 6]),
        ready: u32 = random.pick(&[256, 256, 240, 128, 24, 0]),
        completion_delay: u32 = random.pick(&[1, 4, 40, 200]),
        pattern: Pattern = Pattern::draw(random, from),
    }
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    statics: Statics,
    random: Random,
    phase: Phase,
    requester: Requester,
    timeout: u16,
    acct: u8,
    held: Option<Req>,
    /// Per GPU: cycles until a taken MARK completes.
    completions: [Option<u32>; MAX_GPUS],
    long: LongTime,
    /// What is asked for in the long time, in which the packetizer may take nothing.
    last: VecDeque<Req>,
    blocked: bool,
    /// Cycles since a request was accepted.
    quiet: u64,
    /// Per partition: the STORE that has flushed it, until its cost can be seen.
    breaks: [Option<Break>; MAX_GPUS],
    before: Out,
    seen: Seen,
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
    fn completion(&mut self) -> Option<u8> {
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
        if due.is_none() && self.random.chance(self.phase.pattern.fault / 4) {
            due = Some(self.random.below(16) as u8);
        }
        due
    }

    /// What is asked for in a long time: a store, which waits for the timeout. Or its partition
    /// cannot be flushed for longer than its timer counts, because its other bank, or with one bank
    /// its order queue, is full.
    fn draw_last(&mut self) {
        let r = &mut self.random;
        let dest = self.requester.dest(r);
        let mut store = |window| {
            let mask = r.mask(self.config.line, None);
            self.requester.store(r, dest, window, 0, mask)
        };
        let first = self.requester.windows.start;
        self.last = VecDeque::from([store(first)]);
        if self.blocked && self.config.banks == 2 {
            self.last.push_back(store(first + 1));
        } else if self.blocked {
            // One more than the queue holds is with the packetizer.
            let load = Req { op: op::LOAD, ..store(first + 1) };
            self.last.extend((0..=self.config.order_queue_depth).map(|_| load));
        }
    }

    /// The request of a cycle, and how readily a beat is taken.
    fn draw_request(&mut self) -> (Option<Req>, u32) {
        let (r, phase) = (&mut self.random, &mut self.phase);
        let Some(cycle) = self.long.cycle() else {
            if self.held.is_none() && r.chance(phase.request) {
                self.held = Some(phase.pattern.request(r, &self.requester));
            }
            return (self.held, phase.ready);
        };
        if cycle == DRAINS {
            self.draw_last();
        }
        if self.held.is_none() && cycle >= DRAINS {
            self.held = self.last.pop_front();
        }
        let ready = if (DRAINS..LongTime::CYCLES - RESUMES).contains(&cycle) && self.blocked {
            0
        } else {
            256
        };
        (self.held, ready)
    }

    /// Which of its conditions a STORE broke that has flushed its partition (rule 14 of the block's
    /// README).
    fn observe_breaks(&mut self, out: &Out) {
        let c = &self.config;
        for p in 0..c.parts() as usize {
            let cause = out.evt.flush_cause[p];
            if (flush_cause::WINDOW..=flush_cause::FULL_ENTRIES).contains(&cause) {
                let Out { occ, avail, .. } = self.before;
                self.breaks[p] = Some(Break { cause, entries: occ[p], avail: avail[p] });
            }
            // The first entry of the next bank is the STORE's.
            let Some(broken) = self.breaks[p].take_if(|_| out.occ[p] == 1) else { continue };
            let too_dear = c.max_payload - u32::from(out.avail[p]) > u32::from(broken.avail);
            let full = u32::from(broken.entries) == c.entries;
            let seen = &mut self.seen;
            if broken.cause == flush_cause::WINDOW {
                seen.window_and_payload += u64::from(too_dear);
                seen.window_and_entries += u64::from(full);
            } else {
                seen.payload_and_entries += u64::from(too_dear && full);
            }
        }
    }

    fn observe(&mut self, input: &In, out: &Out) {
        self.observe_breaks(out);
        self.before = *out;
        let seen = &mut self.seen;
        self.quiet += 1;
        if let Some(req) = &input.req {
            if out.req_ready {
                self.quiet = 0;
                seen.req += 1;
                seen.op[usize::from(req.op.min(5))] += 1;
                let Requester { windows, offset_width, .. } = &self.requester;
                let carried = req.addr >> 32 != windows.start << offset_width >> 32;
                let is_near = windows.contains(&(req.addr >> offset_width));
                seen.window_over_4_gb += u64::from(carried && is_near);
                let (at, size) = (req.mask.trailing_zeros(), req.mask.count_ones());
                let odd = req.op == op::ATOMIC && at % 8 == 4 && req.mask >> at == 0xff;
                let else_right = u32::from(req.dest) < self.config.num_gpus
                    && req.dest != self.requester.self_id
                    && req.aop < 8;
                seen.atomic_of_8_at_4_modulo_8 += u64::from(odd && size == 8 && else_right);
            } else {
                seen.req_held += 1;
            }
        }
        if let Some(drain) = &out.drain {
            if input.drain_ready {
                seen.drain += 1;
                seen.kind[usize::from(drain.kind)] += 1;
                let is_last = drain.kind == drain_kind::PACK && drain.eop && drain.id == 255;
                seen.tag_255 += u64::from(is_last);
                seen.largest_payload += u64::from(u32::from(drain.plen) == self.config.max_payload);
                if drain.kind == drain_kind::MARK {
                    let delay = self.random.below(self.phase.completion_delay + 1);
                    self.completions[usize::from(drain.dest)] = Some(delay);
                }
            } else {
                seen.drain_held += 1;
            }
        }
        seen.cpl += u64::from(input.cpl.is_some());
        seen.rel += u64::from(out.rel.is_some());
        if let Some(code) = out.err {
            seen.error[usize::from(code)] += 1;
        }
        let parts = self.config.parts() as usize;
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

    fn restart(&mut self, cycles: u64) {
        let r = &mut self.random;
        self.requester.self_id = r.below(self.config.num_gpus) as u8;
        let word = r.word();
        let mut first = word >> self.config.offset_width & !(WINDOWS - 1);
        if self.config.offset_width < 32 && word.is_multiple_of(4) {
            // Some of the windows lie below a multiple of 4 GB, the others above.
            let above = (word | 1 << 32) >> 32 << 32;
            first = (above >> self.config.offset_width) - WINDOWS / 2;
        }
        self.requester.windows = first..first + WINDOWS;
        self.long = LongTime::plan(r, cycles);
        let timeout = if self.long.is_planned() {
            // In turn, for there are few.
            self.blocked = !self.blocked;
            if self.blocked { r.pick(&[1_000, 40_000, u16::MAX]) } else { u16::MAX }
        } else {
            let any = r.word() as u16;
            r.pick(&[0, 0, 0, 1, 1, 2, 2, 9, 9, 40, 40, 300, 300, any])
        };
        let acct = r.below(2) as u8;
        self.timeout = self.statics.get("timeout").map_or(timeout, |fixed| fixed as u16);
        self.acct = self.statics.get("acct").map_or(acct, |fixed| fixed as u8);
        self.held = None;
        self.completions = [None; MAX_GPUS];
        (self.quiet, self.breaks, self.before) = (0, [None; MAX_GPUS], Out::default());
        self.last.clear();
        self.phase = Phase::draw(r, &self.requester);
    }

    fn inputs(&mut self, out: &<RemoteWriteQueue as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Phase::draw(&mut self.random, &self.requester);
        }
        self.phase.left -= 1;
        let (req, ready) = self.draw_request();
        let input = In {
            req,
            drain_ready: self.random.chance(ready),
            cpl: self.completion(),
            self_id: self.requester.self_id,
            timeout: self.timeout,
            acct: self.acct,
        };
        if out.req_ready {
            self.held = None;
        }
        self.observe(&input, out);
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        let Config { entries, line, sub_header_bytes, max_payload, offset_width, .. } = self.config;
        match row {
            "window_over_4_gb" => offset_width < 32,
            "largest_payload" => entries * dearest(line, sub_header_bytes) >= max_payload,
            "flush_timeout_of_16_bits" | "flush_timeout_beyond_16_bits" => {
                self.statics.get("timeout") != Some(0)
            }
            _ => true,
        }
    }
}

impl NewStimulus for Inputs {
    /// Idle cycles before a flush; 0 EXACT, 1 PAPER.
    const STATICS: &'static [StaticInput] = &[("timeout", 65535), ("acct", 1)];

    fn unstarted(config: &Config, statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let requester = Requester {
            self_id: 0,
            num_gpus: config.num_gpus,
            entries: config.entries,
            line: config.line,
            offset_width: config.offset_width,
            windows: 0..WINDOWS,
            lines_per_end: (1 << config.offset_width) / u64::from(config.line),
            sub_header_bytes: config.sub_header_bytes,
            max_payload: config.max_payload,
        };
        let phase = Phase::draw(&mut random, &requester);
        Self {
            config: config.clone(),
            statics: statics.clone(),
            random,
            phase,
            requester,
            timeout: 0,
            acct: 0,
            held: None,
            completions: [None; MAX_GPUS],
            long: LongTime::never(),
            last: VecDeque::new(),
            // Another one first for each seed.
            blocked: seed.is_multiple_of(2),
            quiet: 0,
            breaks: [None; MAX_GPUS],
            before: Out::default(),
            seen: Seen::default(),
        }
    }
}
