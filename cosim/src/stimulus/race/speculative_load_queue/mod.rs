//! Drives a speculative load queue as an SM, and as an access validation unit with a small
//! signature. Both sometimes break the protocol.

mod queue;
mod rows;

use hwmodel::race::speculative_load_queue::SpeculativeLoadQueue;
use ports::race::speculative_load_queue::{Config, In, Out};
use ports::race::types::{Alloc, Done, rsp_kind};

use crate::stimulus::{Driver, LONG, Random, Stimulus};
use crate::{blocks, phase};
use queue::Queue;
use rows::Seen;

crate::pair!(SpeculativeLoadQueue: ports::race::types::RaceDetection);

inventory::submit! {
    blocks::entry::<Inputs>(
        "race detection: holds speculative load hits until their check completes"
    )
}

/// Upper limit of outstanding requests.
const MOST_OUT: u32 = 255;

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
        left: u32 = 16 + { let most = r.pick(&[128, 512, 512, 2048]); r.below(most) },
        inc: u32 = r.pick(&[256, 128, 48, 8]),
        /// Upper limit of outstanding requests.
        most: u32 = r.pick(&[1, 2, 4, 16, MOST_OUT]),
        done: u32 = r.pick(&[256, 128, 48, 8]),
        /// Chance that an answer changes the epoch; chance of a forced answer.
        sync: u32 = r.pick(&[256, 128, 48, 0]),
        forced: u32 = r.pick(&[64, 8, 0]),
        /// Chance of an answer without sync while the unit waits for the validation.
        early: u32 = r.pick(&[0, 0, 128]),
        alloc: u32 = r.pick(&[256, 256, 128, 48, 8]),
        /// Chance that a load that found no slot comes again at once.
        again: u32 = r.pick(&[256, 128]),
        /// Chance of a load while no answer is outstanding.
        vain: u32 = r.pick(&[0, 0, 16]),
        /// Warps in use, and the first; chance that a load is of the warp to be replayed.
        warps: u32 = r.pick(&[1, 2, 4, 64]),
        first: u32 = r.below(64),
        same: u32 = r.pick(&[0, 64, 256]),
        /// Chance that a granule is in the signature.
        member: u32 = r.pick(&[0, 16, 96, 200, 256]),
        ready: u32 = r.pick(&[256, 256, 128, 16]),
        /// Chance of an illegal answer, request or sync.
        fault: u32 = r.pick(&[0, 0, 0, 8, 96]),
    }
}

impl Phase {
    /// A phase of any kind.
    fn any(r: &mut Random, c: &Config) -> Self {
        let mut phase = Self::draw(r);
        let p = &mut phase;
        match r.below(12) {
            // The SM has nothing to do.
            0 => (p.inc, p.alloc, p.done, p.forced, p.fault) = (0, 0, r.pick(&[0, 128]), 0, 0),
            // The queue fills up: answers are late.
            1 => {
                (p.alloc, p.inc, p.done, p.forced, p.fault) = (256, 128, 0, r.pick(&[0, 2]), 0);
                p.left = 32 + 2 * c.slq_n;
            }
            // As many requests as there may be, and more.
            2 => {
                (p.inc, p.most, p.forced) = (256, MOST_OUT, r.pick(&[0, 64]));
                (p.done, p.left) = (r.pick(&[0, 16]), MOST_OUT + 200);
                p.fault = r.pick(&[0, 8, 96]);
            }
            // Nearly all loads fail, at once.
            3 => {
                (p.inc, p.alloc, p.done, p.sync, p.member) = (256, 256, 256, 256, 256);
                (p.ready, p.most) = (256, r.pick(&[1, 2]));
            }
            // All loads commit.
            4 => {
                (p.inc, p.alloc, p.done, p.sync, p.forced) = (256, 256, 256, 0, 0);
                (p.most, p.fault) = (r.pick(&[1, 2, 4]), 0);
            }
            _ => {}
        }
        phase
    }

    /// A phase whose commits, or cycles with a full queue, exceed a counter of 16 bits.
    fn long(r: &mut Random, full: bool) -> Self {
        let mut phase = Self::draw(r);
        let p = &mut phase;
        (p.left, p.inc, p.alloc, p.again) = (LONG as u32, 256, 256, 256);
        (p.sync, p.forced, p.fault, p.most) = (0, 0, 0, 2);
        p.done = if full { 0 } else { 256 };
        phase
    }
}

/// The stimulus.
pub struct Inputs {
    /// Granules that the signature has, of 64.
    signature: u64,
    /// Sync, and `busy` of the block, one and two cycles ago.
    synced: [bool; 2],
    busy: [bool; 2],
    queue: Queue,
}

impl Inputs {
    /// A granule of the small signature.
    fn granule(addr: u32) -> u32 {
        addr >> 7 & 63
    }

    fn sign(&mut self, d: &mut Driver<Self>) {
        let chance = d.phase.member;
        let bits = (0..64).filter(|_| d.random.chance(chance));
        self.signature = bits.fold(0, |bits, bit| bits | 1 << bit);
    }

    /// An answer of the access validation unit, legal or illegal.
    fn done(&self, d: &mut Driver<Self>, out: &Out) -> Option<Done> {
        let Driver { phase: p, random: r, .. } = d;
        let any = Done { kind: 0, id: r.word() as u8, epoch: r.below(32) as u8, sync: false };
        if r.chance(p.fault) {
            let sync = r.chance(128);
            let kind = r.pick(&[rsp_kind::NORACE, rsp_kind::WACK, rsp_kind::FORCED, 7]);
            let wanted = match r.below(3) {
                // None is outstanding; the epoch changes too early.
                0 => out.out == 0,
                1 => out.busy,
                _ => true,
            };
            return wanted.then_some(Done { kind, sync, ..any });
        }
        let waits = self.synced.contains(&true) || self.busy[1];
        if r.chance(p.forced) && !waits {
            return Some(Done { kind: rsp_kind::FORCED, sync: true, ..any });
        }
        if out.out == 0 || !r.chance(p.done) || waits && !r.chance(p.early) {
            return None;
        }
        let sync = r.chance(p.sync) && !waits;
        let kind = if sync { r.pick(&[rsp_kind::RACE, rsp_kind::WACK]) } else { rsp_kind::NORACE };
        Some(Done { kind, sync, ..any })
    }

    fn load(d: &mut Driver<Self>, out: &Out) -> Option<Alloc> {
        let Driver { phase: p, random: r, .. } = d;
        let wanted = r.chance(if out.out > 0 { p.alloc } else { p.vain });
        if !wanted {
            return None;
        }
        let warp = match out.replay {
            Some(replay) if r.chance(p.same) => replay.warp,
            _ => ((p.first + r.below(p.warps)) % 64) as u8,
        };
        let word = r.word();
        let (tag, size, addr) = (word as u16, (word >> 16) as u8 & 7, (word >> 32) as u32);
        Some(Alloc { warp, tag, size, addr })
    }

    fn answers(&self, d: &mut Driver<Self>) -> u8 {
        // The block ignores the answers of lanes without a query.
        let lanes = u8::MAX >> (8 - d.config.v_lanes);
        let unasked = d.random.word() as u8 & lanes & !d.before.q_valid;
        let asked = |v: &usize| d.before.q_valid >> v & 1 == 1;
        let queries = (0..d.config.v_lanes as usize).filter(asked);
        let member =
            |v: usize| (self.signature >> Self::granule(d.before.q[v].addr) & 1 == 1) as u8;
        queries.fold(unasked, |bits, v| bits | member(v) << v)
    }
}

impl Stimulus for Inputs {
    type Model = SpeculativeLoadQueue;

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let queue = Queue::new(&d.config);
        Self { signature: 0, synced: [false; 2], busy: [false; 2], queue }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::any(&mut d.random, &d.config)
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        let full = d.long_times.is_multiple_of(2);
        Some(Phase::long(&mut d.random, full))
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let q_member = self.answers(d);
        let held = d.retry(d.last.alloc, d.before.alloc_ready, d.phase.again);
        let alloc = held.or_else(|| Self::load(d, out));
        let done = self.done(d, out);
        let Driver { phase: p, random: r, .. } = d;
        let room = u32::from(out.out) < p.most;
        let inc = r.chance(if room { p.inc } else { 0 }) || r.chance(p.fault) && out.out == 255;
        let replay_ready = r.chance(p.ready);
        let input = In { inc, done, alloc, q_member, replay_ready };
        self.queue.follow(&input, out, &mut d.seen);
        let syncs = done.is_some_and(|done| done.sync);
        if syncs {
            self.sign(d);
        }
        self.synced = [syncs, self.synced[0]];
        self.busy = [out.busy, self.busy[0]];
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        rows::can_reach(&d.config, row)
    }
}
