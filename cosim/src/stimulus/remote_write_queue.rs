//! Requests, back-pressure and completions for the remote write queue.
//!
//! The run is cut into phases; each draws how dense and how local the requests are, which kinds
//! they are, and how readily the packetizer and the completions answer. A held request stays as it
//! is.

use hwmodel::Block;
use hwmodel::common::finepack_types::{MAX_GPUS, Req, drain_kind, flush_cause, op};
use hwmodel::remote_write_queue::{Config, In, Out, RemoteWriteQueue};

use super::requests::{Pattern, Requester};
use super::{Count, NewStimulus, Random, Statics, Stimulus};
use crate::settings::StaticInput;

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
    seen: Seen,
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

    fn observe(&mut self, input: &In, out: &Out) {
        let seen = &mut self.seen;
        if let Some(req) = &input.req {
            if out.req_ready {
                seen.requests += 1;
                seen.op[usize::from(req.op)] += 1;
            } else {
                seen.request_held += 1;
            }
        }
        if let Some(drain) = &out.drain {
            if input.drain_ready {
                seen.drained += 1;
                seen.kind[usize::from(drain.kind)] += 1;
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
        }
        seen.stall_bank += u64::from(out.evt.stall & 1);
        seen.stall_order += u64::from(out.evt.stall >> 1);
        seen.overwritten += u64::from(out.evt.overwritten != 0);
        seen.error_lost += u64::from(out.evt.err_lost);
    }
}

impl Stimulus for RemoteWriteQueueStimulus {
    type Model = RemoteWriteQueue;

    fn restart(&mut self) {
        let r = &mut self.random;
        self.requester.self_id = r.below(self.config.num_gpus) as u8;
        let timeout = r.pick(&[0, 0, 1, 2, 9, 40, 300]);
        let acct = r.below(2) as u8;
        self.timeout = self.statics.get("timeout").map_or(timeout, |fixed| fixed as u16);
        self.acct = self.statics.get("acct").map_or(acct, |fixed| fixed as u8);
        self.held = None;
        self.completions = [None; MAX_GPUS];
        self.phase = Self::draw_phase(r, &self.requester);
    }

    fn inputs(&mut self, out: &<RemoteWriteQueue as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Self::draw_phase(&mut self.random, &self.requester);
        }
        self.phase.left -= 1;
        if self.held.is_none() && self.random.chance(self.phase.request) {
            self.held = Some(self.phase.pattern.request(&mut self.random, &self.requester));
        }
        let input = In {
            req: self.held,
            drain_ready: self.random.chance(self.phase.ready),
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
        vec![
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
        ]
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
            seen: Seen::default(),
        };
        new.restart();
        new
    }
}
