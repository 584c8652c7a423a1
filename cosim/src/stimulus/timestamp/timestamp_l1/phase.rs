//! Random parameters of a phase of the stimulus.

use ports::timestamp::timestamp_l1::Config;

use crate::phase;
use crate::stimulus::draws::variants;
use crate::stimulus::random::MaskForm;
use crate::stimulus::{LONG, Random};

phase! {
    /// Chances are parts of 256.
    pub struct Phase(r: &mut Random, l1: &Config) {
        pub left: u32 = 16 + { let most = r.pick(&[128, 512, 512, 2048]); r.below(most) },
        /// Of a new request; of repeating a request that was not accepted.
        pub request: u32 = r.pick(&[256, 256, 128, 32]),
        pub again: u32 = r.pick(&[256, 256, 128]),
        /// Warps in use, and the first; whether each has one request at most.
        pub warps: u32 = r.pick(&[1, 2, l1.warps]).min(l1.warps),
        pub first: u32 = r.below(l1.warps),
        pub one: bool = r.chance(96),
        /// Loads, stores and atomics: how many of each.
        pub ops: [u32; 3] =
            r.pick(&[[8, 4, 1], [8, 4, 1], [8, 1, 0], [1, 0, 0], [1, 2, 0], [2, 1, 2]]),
        /// Lines in use, the first, and how far apart they are.
        pub lines: u32 = r.pick(&[1, 2, 3, 4, 16]),
        pub base: u64 = r.word(),
        pub stride: u64 = { let far = u64::from(l1.l1_sets); r.pick(&[1, 1, far]) },
        /// Number of lines that are loaded, then stored to while rare loads use other lines; 0:
        /// no such lines.
        pub stored: u32 = 0,
        /// Chance that a store is to the same line as the previous store.
        pub runs: u32 = r.pick(&[0, 0, 128]),
        /// Of a mask without bytes; of a mask with all bytes.
        pub empty: u32 = r.pick(&[0, 4, 64]),
        pub full: u32 = r.pick(&[0, 64, 256]),
        pub form: Option<MaskForm> = r.form(),
        /// Of an illegal request.
        pub bad: u32 = r.pick(&[0, 0, 0, 4, 64]),
        pub rsp_ready: u32 = r.pick(&[256, 256, 128, 24]),
        pub req_ready: u32 = r.pick(&[256, 256, 128, 24]),
        /// Most cycles until an answer can arrive; chance that it then arrives in a cycle.
        pub delay: u32 = r.pick(&[0, 0, 4, 20, 60]),
        pub answer: u32 = r.pick(&[256, 256, 128, 32]),
        /// Of an unrequested answer.
        pub wrong: u32 = r.pick(&[0, 0, 0, 4, 64]),
        /// Length of a lease.
        pub lease: u32 = r.pick(&[1, 2, 5, 12, 40]),
        /// Of another SM's store before a request.
        pub other: u32 = r.pick(&[0, 32, 128]),
        /// Of an answer that no bank would send.
        pub lie: u32 = r.pick(&[0, 0, 16, 128]),
        /// Of a lease that is over for the requester.
        pub short: u32 = r.pick(&[0, 0, 32, 160]),
        /// Of a flush, and of one out of turn.
        pub flush: u32 = r.pick(&[0, 0, 0, 1, 6]),
        pub astray: u32 = r.pick(&[0, 0, 64]),
        /// Of a pick; that it keeps the line; that its way is random.
        pub pick: u32 = r.pick(&[256, 128, 16]),
        pub keep: u32 = r.pick(&[256, 224, 64]),
        pub any_way: u32 = r.pick(&[0, 0, 64]),
    }
}

/// Cycles of a phase with `stored` lines.
const STORED: u32 = 3000;

variants! {
    /// A phase that aims at certain rows.
    pub enum Kind {
        /// The SM has nothing to do.
        Quiet,
        /// Stores to all ways of a set are in flight while other lines of the set are filled.
        Stored,
        /// All warps access one line.
        OneLine,
        /// Many lines at once.
        ManyLines,
        /// Stores and nothing else.
        Stores,
        /// Loads that hit.
        Hits,
        /// More lines of a set than there are ways.
        Evicts,
        /// A policy that seldom picks a candidate way.
        WrongPicks,
        /// Loads and more stores of a line while its stores are in flight.
        Locked,
        /// Flushes, some of them out of order, during traffic.
        Flushes,
    }
}

impl Kind {
    /// The kind that reaches a row which random phases seldom reach.
    pub fn towards(row: &str) -> Option<Self> {
        Some(match row {
            "fill_no_way" => Self::Stored,
            "all_warps_busy" | "ld4" => Self::ManyLines,
            "st3" => Self::Stores,
            "pick_wrong" => Self::WrongPicks,
            "ld1_spin" => Self::Hits,
            "ld2_full" => Self::OneLine,
            "st2_pending" | "pending_locked" | "ld5" | "st4_locked" | "st5_locked" => Self::Locked,
            "flush" | "flush_wrong" | "fill_stale" | "renew_stale" | "ld2_stale" => Self::Flushes,
            "ack_old" | "ack_stale" | "replay_serves_old" | "replay_defers_stale" => Self::Flushes,
            _ => return None,
        })
    }
}

impl Phase {
    /// Phases with `stored` lines: the lines are still being loaded.
    pub fn loads_first(&self) -> bool {
        self.left > STORED - 600
    }

    /// A phase of any kind.
    pub fn any(r: &mut Random, l1: &Config) -> Self {
        match Kind::ALL.get(r.below(14) as usize) {
            Some(&kind) => Self::of(kind, r, l1),
            None => Self::draw(r, l1),
        }
    }

    /// A phase of this kind.
    pub fn of(kind: Kind, r: &mut Random, l1: &Config) -> Self {
        let mut phase = Self::draw(r, l1);
        let p = &mut phase;
        match kind {
            Kind::Quiet => (p.request, p.wrong) = (0, 0),
            Kind::Stored => {
                (p.stride, p.stored, p.lines) = (l1.l1_sets.into(), l1.l1_ways, l1.l1_ways + 3);
                (p.warps, p.one, p.left, p.request) = (l1.warps, false, STORED, 256);
                p.short = 0;
                (p.delay, p.answer, p.full, p.empty) = (200, 256, 256, 0);
                (p.bad, p.wrong, p.flush, p.lie, p.other, p.lease) = (0, 0, 0, 0, 0, 1);
                (p.req_ready, p.rsp_ready, p.pick, p.keep, p.any_way) = (256, 256, 256, 256, 0);
            }
            Kind::OneLine => {
                (p.lines, p.ops) = (1, r.pick(&[[8, 1, 0], [1, 0, 0]]));
                (p.warps, p.request, p.delay) = (l1.warps, 256, r.pick(&[4, 60, 200]));
                p.one = r.chance(64);
            }
            Kind::ManyLines => {
                (p.lines, p.ops, p.warps, p.delay) = (200, [4, 1, 0], l1.warps, 200);
                (p.request, p.one) = (256, r.chance(128));
            }
            Kind::Stores => {
                (p.lines, p.ops, p.one, p.full) = (2, [0, 8, 1], false, 0);
                p.delay = r.pick(&[60, 200]);
            }
            // Long enough for `Spin` hits.
            Kind::Hits => {
                (p.lines, p.ops, p.lease, p.flush, p.short) = (2, [1, 0, 0], 40, 0, 0);
                (p.request, p.rsp_ready, p.warps, p.bad, p.lie) = (256, 256, 1, 0, 0);
                (p.again, p.one, p.keep, p.left) = (256, false, 256, STORED);
            }
            Kind::Evicts => {
                (p.stride, p.lines, p.ops) = (l1.l1_sets.into(), 3 * l1.l1_ways, [8, 1, 0]);
                (p.lease, p.delay, p.flush) = (40, 4, 0);
            }
            Kind::WrongPicks => {
                (p.stride, p.lines, p.ops) = (l1.l1_sets.into(), 3 * l1.l1_ways, [8, 0, 1]);
                (p.lease, p.delay, p.flush, p.bad, p.request) = (12, 4, 0, 0, 256);
                (p.pick, p.keep, p.any_way) = (256, 256, 224);
            }
            Kind::Locked => {
                (p.lines, p.lease, p.delay) = (r.pick(&[1, 1, 6]), 40, 60);
                p.ops = r.pick(&[[2, 1, 0], [1, 2, 2]]);
                (p.request, p.one, p.flush, p.short, p.bad, p.wrong) = (256, false, 0, 0, 0, 0);
                (p.empty, p.req_ready, p.rsp_ready, p.pick, p.keep) = (0, 256, 256, 256, 256);
            }
            Kind::Flushes => (p.flush, p.astray, p.delay, p.request) = (24, 128, 20, 256),
        }
        phase
    }

    /// A phase that overflows 16 bits of a counter: by hits, or, with `waits`, by a store that is
    /// held behind an unanswered load.
    pub fn long(r: &mut Random, l1: &Config, waits: bool) -> Self {
        let mut phase = Self::draw(r, l1);
        let p = &mut phase;
        (p.left, p.request, p.again, p.one) = (LONG as u32, 256, 256, false);
        (p.lines, p.bad, p.wrong, p.lie, p.short) = (1, 0, 0, 0, 0);
        (p.rsp_ready, p.req_ready, p.lease, p.flush, p.other) = (256, 256, 10_000, 0, 0);
        (p.warps, p.empty, p.delay, p.pick, p.keep, p.any_way) = (1, 0, 0, 256, 256, 0);
        (p.ops, p.answer) = if waits { ([1, 1, 0], 0) } else { ([1, 0, 0], 256) };
        phase
    }
}
