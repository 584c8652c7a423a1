//! Requests, back-pressure and completions for the remote write queue.
//!
//! The run is cut into phases; each draws how dense and how local the requests are, which kinds
//! they are, and how readily the packetizer and the completions answer. A held request stays as it
//! is.

use std::collections::VecDeque;

use hwmodel::Block;
use hwmodel::remote_write_queue::RemoteWriteQueue;
use ports::common::finepack_types::{MAX_GPUS, Req, drain_kind, flush_cause, op};
use ports::remote_write_queue::{Config, In, Out};

use super::requests::{Pattern, Requester, dearest};
use super::{Count, LongTime, NewStimulus, Random, Statics, Stimulus};
use crate::settings::StaticInput;

crate::catalog::pair!(RemoteWriteQueue: ports::common::finepack_types::FinePack);

/// Cycles at the beginning of a long time in which all drains.
const DRAINS: u64 = 4_000;
/// Cycles at its end in which the packetizer takes beats again, and nothing is asked for yet.
const RESUMES: u64 = 300;

/// What one phase draws. Chances are parts of 256.
#[derive(Clone, Debug)]
struct Phase {
    left: u32,
    request: u32,
    ready: u32,
    completion_delay: u32,
    pattern: Pattern,
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct RemoteWriteQueueStimulus {
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

#[derive(Clone, Debug, Default)]
struct Seen {
    cause: [u64; 8],
    error: [u64; 16],
    error_lost: u64,
    overwritten: u64,
    stall_bank: u64,
    stall_order: u64,
    request_held: u64,
    drain_held: u64,
    op: [u64; 8],
    kind: [u64; 4],
    requests: u64,
    drained: u64,
    completed: u64,
    released: u64,
    atomic_of_8_at_4: u64,
    largest_payload: u64,
    late_timeout: u64,
    stopped_timeout: u64,
    window_and_payload: u64,
    window_and_entries: u64,
    payload_and_entries: u64,
}

impl RemoteWriteQueueStimulus {
    fn draw_phase(random: &mut Random, from: &Requester) -> Phase {
        Phase {
            left: 64 + random.below(24 * from.entries + 256),
            request: random.pick(&[256, 256, 200, 128, 40, 6]),
            ready: random.pick(&[256, 256, 240, 128, 24, 0]),
            completion_delay: random.pick(&[1, 4, 40, 200]),
            pattern: Pattern::draw(random, from),
        }
    }

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
                seen.requests += 1;
                seen.op[usize::from(req.op)] += 1;
                let (at, size) = (req.mask.trailing_zeros(), req.mask.count_ones());
                let odd = req.op == op::ATOMIC && at % 8 == 4 && req.mask >> at == 0xff;
                let else_right = u32::from(req.dest) < self.config.num_gpus
                    && req.dest != self.requester.self_id
                    && req.aop < 8;
                seen.atomic_of_8_at_4 += u64::from(odd && size == 8 && else_right);
            } else {
                seen.request_held += 1;
            }
        }
        if let Some(drain) = &out.drain {
            if input.drain_ready {
                seen.drained += 1;
                seen.kind[usize::from(drain.kind)] += 1;
                seen.largest_payload += u64::from(u32::from(drain.plen) == self.config.max_payload);
                if drain.kind == drain_kind::MARK {
                    let delay = self.random.below(self.phase.completion_delay + 1);
                    self.completions[usize::from(drain.dest)] = Some(delay);
                }
            } else {
                seen.drain_held += 1;
            }
        }
        seen.completed += u64::from(input.cpl.is_some());
        seen.released += u64::from(out.rel.is_some());
        if let Some(code) = out.err {
            seen.error[usize::from(code)] += 1;
        }
        let parts = self.config.parts() as usize;
        for cause in &out.evt.flush_cause[..parts] {
            seen.cause[usize::from(*cause)] += 1;
            let late = *cause == flush_cause::TIMEOUT && self.quiet > u64::from(u16::MAX);
            *(if self.blocked { &mut seen.stopped_timeout } else { &mut seen.late_timeout }) +=
                u64::from(late);
        }
        seen.stall_bank += u64::from(out.evt.stall & 1);
        seen.stall_order += u64::from(out.evt.stall >> 1);
        seen.overwritten += u64::from(out.evt.overwritten != 0);
        seen.error_lost += u64::from(out.evt.err_lost);
    }
}

impl Stimulus for RemoteWriteQueueStimulus {
    type Model = RemoteWriteQueue;

    fn restart(&mut self, cycles: u64) {
        let r = &mut self.random;
        self.requester.self_id = r.below(self.config.num_gpus) as u8;
        self.long = LongTime::plan(r, cycles);
        let timeout = if self.long.is_planned() {
            // In turn, for there are few.
            self.blocked = !self.blocked;
            if self.blocked { r.pick(&[1_000, 40_000, u16::MAX]) } else { u16::MAX }
        } else {
            r.pick(&[0, 0, 1, 2, 9, 40, 300])
        };
        let acct = r.below(2) as u8;
        self.timeout = self.statics.get("timeout").map_or(timeout, |fixed| fixed as u16);
        self.acct = self.statics.get("acct").map_or(acct, |fixed| fixed as u8);
        self.held = None;
        self.completions = [None; MAX_GPUS];
        (self.quiet, self.breaks, self.before) = (0, [None; MAX_GPUS], Out::default());
        self.last.clear();
        self.phase = Self::draw_phase(r, &self.requester);
    }

    fn inputs(&mut self, out: &<RemoteWriteQueue as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Self::draw_phase(&mut self.random, &self.requester);
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

    fn transfers(&self) -> Vec<Count> {
        let s = &self.seen;
        vec![("req", s.requests), ("drain", s.drained), ("cpl", s.completed), ("rel", s.released)]
    }

    fn coverage(&self) -> Vec<Count> {
        let s = &self.seen;
        let mut rows = vec![
            ("flush_window", s.cause[usize::from(flush_cause::WINDOW)]),
            ("flush_payload", s.cause[usize::from(flush_cause::FULL_PAYLOAD)]),
            ("flush_entries", s.cause[usize::from(flush_cause::FULL_ENTRIES)]),
            ("flush_load", s.cause[usize::from(flush_cause::LOAD_HIT)]),
            ("flush_atomic", s.cause[usize::from(flush_cause::ATOMIC_HIT)]),
            ("flush_release", s.cause[usize::from(flush_cause::RELEASE)]),
            ("flush_timeout", s.cause[usize::from(flush_cause::TIMEOUT)]),
            ("stall_bank", s.stall_bank),
            ("stall_order_queue", s.stall_order),
            ("req_held", s.request_held),
            ("drain_held", s.drain_held),
            ("overwritten", s.overwritten),
            ("op_store", s.op[usize::from(op::STORE)]),
            ("op_load", s.op[usize::from(op::LOAD)]),
            ("op_atomic", s.op[usize::from(op::ATOMIC)]),
            ("op_release_sys", s.op[usize::from(op::RELEASE_SYS)]),
            ("op_release_gpu", s.op[usize::from(op::RELEASE_GPU)]),
            ("op_illegal", s.op[5..].iter().sum()),
            ("kind_pack", s.kind[usize::from(drain_kind::PACK)]),
            ("kind_read", s.kind[usize::from(drain_kind::READ)]),
            ("kind_atomic", s.kind[usize::from(drain_kind::ATOMIC)]),
            ("kind_mark", s.kind[usize::from(drain_kind::MARK)]),
            ("err_1_zero_mask", s.error[1]),
            ("err_2_bad_dest", s.error[2]),
            ("err_3_bad_op", s.error[3]),
            ("err_9_spurious_completion", s.error[9]),
            ("err_lost", s.error_lost),
            ("atomic_of_8_at_4_modulo_8", s.atomic_of_8_at_4),
            ("window_and_payload", s.window_and_payload),
            ("window_and_entries", s.window_and_entries),
            ("payload_and_entries", s.payload_and_entries),
        ];
        let Config { entries, line, sub_header_bytes, max_payload, .. } = self.config;
        if entries * dearest(line, sub_header_bytes) >= max_payload {
            rows.push(("largest_payload", s.largest_payload));
        }
        if self.statics.get("timeout") != Some(0) {
            rows.push(("flush_timeout_of_16_bits", s.late_timeout));
            rows.push(("flush_timeout_beyond_16_bits", s.stopped_timeout));
        }
        rows
    }
}

impl NewStimulus for RemoteWriteQueueStimulus {
    /// Idle cycles before a flush; 0 EXACT, 1 PAPER.
    const STATICS: &'static [StaticInput] = &[("timeout", 65535), ("acct", 1)];

    fn new(config: &Config, statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let requester = Requester {
            self_id: 0,
            num_gpus: config.num_gpus,
            entries: config.entries,
            line: config.line,
            offset_width: config.offset_width,
            windows: 1..5,
            lines_per_end: (1 << config.offset_width) / u64::from(config.line),
            sub_header_bytes: config.sub_header_bytes,
            max_payload: config.max_payload,
        };
        let phase = Self::draw_phase(&mut random, &requester);
        let mut new = Self {
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
        };
        new.restart(0);
        new
    }
}
