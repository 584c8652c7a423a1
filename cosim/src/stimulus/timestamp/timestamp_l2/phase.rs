//! What the bank's surroundings are like for a while.

use ports::timestamp::timestamp_l2::Config;

use super::{is_gtsc, is_strong, waits_for_leases};
use crate::phase;
use crate::stimulus::draws::variants;
use crate::stimulus::random::MaskForm;
use crate::stimulus::{LONG, Random};

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random, s: &Config) {
        pub left: u32 = 16 + { let most = r.pick(&[64, 256, 1024]); r.below(most) },
        /// Requests.
        pub req: u32 = r.pick(&[256, 256, 128, 32, 4]),
        /// Frequencies of reads, writes and atomics.
        pub kinds: [u32; 3] = r.pick(&[[4, 2, 1], [1, 0, 0], [1, 4, 1], [1, 1, 4], [8, 1, 0]]),
        /// Lines in use, how far they are apart, and the first.
        pub lines: u32 = {
            let all = s.l2_sets * s.l2_ways;
            r.pick(&[1, 2, 4, 16, 2 * all])
        },
        pub stride: u64 = {
            let banks = u64::from(s.l2_banks);
            r.pick(&[1, banks, banks * u64::from(s.l2_sets)])
        },
        pub base: u64 = r.word(),
        /// Chance of bytes that are nearly the same in all requests: comparisons come to low bits.
        pub alike: u32 = r.pick(&[0, 0, 256]),
        /// The lines begin with the same as those of the phase before. Chance of any line.
        pub stays: bool = r.chance(64),
        pub far: u32 = r.pick(&[0, 0, 8]),
        /// Such lines go through the sets in turn; they are only written.
        pub walks: bool = r.chance(64),
        pub far_writes: bool = false,
        /// While more cycles than these are left the first line is read, and memory is fast.
        pub prepares: u32 = u32::MAX,
        /// Chances that the generation is any, that the L1 tells what copy it has, or else any.
        pub old: u32 = r.pick(&[0, 8, 64]),
        pub copy: u32 = r.pick(&[256, 200, 0]),
        pub odd: u32 = r.pick(&[0, 64]),
        /// Chances that a clock is near the last timestamp, and that it is any.
        pub high: u32 = r.pick(&[0, 0, 4, 64]),
        pub any: u32 = r.pick(&[0, 4, 64]),
        /// Chances of masks.
        pub full: u32 = r.pick(&[0, 64, 256]),
        pub empty: u32 = r.pick(&[0, 16]),
        pub form: Option<MaskForm> = r.form(),
        /// Chance of a request that cannot be, and of an unrequested line.
        pub fault: u32 = r.pick(&[0, 0, 8, 64]),
        pub bad_fill: u32 = r.pick(&[0, 0, 4]),
        pub rsp_ready: u32 = r.pick(&[256, 256, 256, 128, 16, 0]),
        pub dram_ready: u32 = r.pick(&[256, 256, 128, 16, 0]),
        /// Cycles of a read at most, chance that memory's turn comes.
        pub delay: u32 = r.pick(&[1, 4, 20, 100]),
        pub mem: u32 = r.pick(&[256, 128, 16]),
        pub sync: u32 = r.pick(&[0, 0, 1, 16]),
        /// Nothing is acquired.
        pub releases: bool = r.chance(32),
        /// The policy: chance of its word, that it is bad, that a line is kept, of one in vain.
        pub pick: u32 = r.pick(&[256, 64, 8]),
        pub bad_pick: u32 = r.pick(&[0, 0, 64]),
        pub keep: u32 = r.pick(&[256, 128, 0]),
        pub vain: u32 = r.pick(&[0, 16]),
        /// Chances of a kernel's end, of the next step of a reset, of steps in any order.
        pub kend: u32 = r.pick(&[0, 0, 1]),
        pub step: u32 = r.pick(&[256, 256, 64]),
        pub wild: u32 = r.pick(&[0, 0, 0, 16]),
    }
}

variants! {
    /// A phase that is about something.
    pub enum Kind {
        /// Nothing is asked.
        Quiet,
        /// One set, all at once.
        OneSet,
        /// Memory takes nothing for a time.
        MemoryFull,
        /// Answers stay.
        AnswersStay,
        /// Memory is slow: all MSHRs are in use, while a line is there.
        MissesFull,
        /// Memory takes little, and some of what is written does not stay.
        NotKept,
        /// A line is written again and again, and back, and memory takes little.
        WrittenBack,
        /// Nothing but requests that cannot be.
        Strange,
        /// L1s at their ease: what they tell of their copies is so.
        AtEase,
        /// Memory answers nothing: all MSHRs are in use. Writes leave no leases, so that ways are free.
        NoAnswers,
        /// All MSHRs are in use while a line is lent; for others there are only writes.
        LentLine,
        /// A set is read until leases of all its lines have ended.
        LentSet,
        /// Releases and acquires one after the other.
        Syncs,
        /// A policy whose word is never right.
        WrongPicks,
        /// Atomics of a few lines.
        Atomics,
    }
}

impl Kind {
    /// Which leads to a row, where phases as they are drawn hardly do.
    pub fn towards(row: &str, s: &Config) -> Option<Self> {
        Some(match row {
            "b5_holds_for_mshr" => Self::NoAnswers,
            "waiting_write_holds" | "write_waits" | "b3_behind_a_waiting_write" => Self::LentLine,
            "b5_holds_for_way" if is_gtsc(s) => Self::OneSet,
            "b5_clean_line" | "b5_picked_clean_line" | "b5_holds_for_way" => Self::LentSet,
            // With few MSHRs only what is written back fills the way to memory.
            "b5_holds_for_place" if s.l2_mshr >= 4 => Self::MemoryFull,
            "b5_holds_for_place" | "sync_holds_for_place" => Self::WrittenBack,
            "b5_holds_for_two_places" => Self::MemoryFull,
            "b1_holds_for_place" | "b1_last_dirty_line_goes" | "b1_last_line_goes" => Self::NotKept,
            "b1_holds_for_room" | "b4_holds" => Self::AnswersStay,
            "ok_same_copy" | "fill_of_other_copy" | "not_ok_other_copy" => Self::AtEase,
            "sync_at_done" | "release_ends" | "acquire_ends" => Self::Syncs,
            "sync_waits_for_leases" | "sync_while_asked" => Self::Syncs,
            "err_pick" | "pick_not_offered" => Self::WrongPicks,
            "b5_dirty_line" => Self::OneSet,
            "b4_atomic" => Self::Atomics,
            row if row.ends_with("_4") || row.ends_with("_8") => Self::Atomics,
            _ => return None,
        })
    }
}

/// A row needs a policy, or that there is none.
pub(super) fn wants_policy(row: &str) -> Option<bool> {
    match row {
        "b5_invalid_way" | "b5_clean_line" | "b5_dirty_line" | "b5_holds_for_place" => Some(false),
        "b1_holds_for_place" | "sync_while_asked" => Some(true),
        row => (row.contains("pick") || row.starts_with("b1_last")).then_some(true),
    }
}

impl Phase {
    /// It has just begun, see `prepares`.
    pub fn is_new(&self) -> bool {
        self.left > self.prepares
    }

    /// A phase of any kind.
    pub fn any(r: &mut Random, s: &Config) -> Self {
        match Kind::ALL.get(r.below(21) as usize) {
            Some(&kind) => Self::of(kind, r, s),
            None => Self::draw(r, s),
        }
    }

    /// A phase of this kind.
    pub fn of(kind: Kind, r: &mut Random, s: &Config) -> Self {
        let mut phase = Self::draw(r, s);
        let p = &mut phase;
        let (ways, places) = (s.l2_ways, s.l2_sets * s.l2_ways);
        let of_one_set = u64::from(s.l2_banks * s.l2_sets);
        // For how long a line is lent, by the clock.
        let lent = if is_gtsc(s) { 0 } else { s.tc_lease.min(4000) };
        match kind {
            Kind::Quiet => (p.req, p.fault, p.bad_fill, p.vain, p.sync) = (0, 0, 0, 0, 0),
            Kind::OneSet => {
                (p.lines, p.stride) = (4 * ways, of_one_set);
                (p.req, p.delay, p.mem, p.rsp_ready) = (256, 1, r.pick(&[256, 2]), 256);
                p.left = 100 + 8 * ways * s.l2_div;
            }
            Kind::MemoryFull => {
                (p.dram_ready, p.req, p.lines) = (0, 256, 4 * places);
                (p.stride, p.rsp_ready, p.left) = (u64::from(s.l2_banks), 256, 100);
                p.kinds = r.pick(&[[1, 4, 1], [1, 0, 0]]);
            }
            Kind::AnswersStay => {
                (p.rsp_ready, p.req, p.lines, p.left) = (0, 256, 2, 60 * s.l2_div);
                (p.delay, p.mem, p.dram_ready, p.pick) = (1, 256, 256, 256);
            }
            Kind::MissesFull => {
                (p.delay, p.mem, p.req, p.sync, p.fault) = (1, 8, 256, 0, 0);
                (p.lines, p.far, p.kinds) = (1, 128, [2, 1, 1]);
                (p.dram_ready, p.rsp_ready, p.pick, p.walks) = (256, 256, 256, true);
                p.left = 200 + 40 * s.l2_mshr;
            }
            Kind::NotKept => {
                (p.dram_ready, p.delay, p.mem, p.keep, p.pick) = (16, 20, 256, 128, 256);
                (p.kinds, p.req, p.rsp_ready, p.sync) = ([0, 4, 1], 256, 256, 0);
                (p.lines, p.stride, p.left) = (4 * places, s.l2_banks.into(), 400);
            }
            Kind::WrittenBack => {
                (p.dram_ready, p.sync, p.stays, p.fault, p.lines) = (8, 64, true, 0, 1);
                (p.delay, p.mem, p.pick) = (1, 256, 256);
                (p.kinds, p.far) = (r.pick(&[[0, 1, 0], [2, 1, 0]]), r.pick(&[0, 4, 24]));
                if is_strong(s) && lent > 100 {
                    p.kinds = [0, 1, 0];
                }
                (p.req, p.rsp_ready, p.left) = (256, 256, 300 * s.l2_div);
                p.releases = r.chance(128);
            }
            Kind::Strange => (p.fault, p.req, p.sync) = (256, 256, 0),
            Kind::AtEase => {
                (p.kinds, p.lines) = (r.pick(&[[4, 2, 0], [16, 1, 0]]), r.pick(&[1, 2]));
                (p.req, p.copy, p.full) = (r.pick(&[32, 128]), 256, 0);
                (p.old, p.high, p.any, p.rsp_ready) = (0, 0, 0, 256);
            }
            Kind::NoAnswers => {
                (p.mem, p.bad_fill, p.req, p.sync, p.fault) = (0, 0, 256, 0, 0);
                (p.far, p.walks, p.kinds, p.high) = (256, true, [0, 1, 0], 0);
                (p.dram_ready, p.rsp_ready, p.pick) = (256, 256, 256);
                p.left = 200 + lent + 8 * s.l2_mshr * s.l2_div;
            }
            // Memory is so slow that an MSHR that is freed is taken again at once.
            Kind::LentLine => {
                (p.delay, p.mem, p.req, p.sync, p.fault) = (1, 24 / s.l2_div, 256, 0, 0);
                p.lines = 1;
                (p.far, p.kinds) = if lent < 50 { (128, [1, 1, 0]) } else { (208, [3, 1, 0]) };
                (p.walks, p.far_writes, p.bad_fill) = (true, true, 0);
                (p.dram_ready, p.rsp_ready, p.pick) = (256, 256, 256);
                p.prepares = lent + 40 * s.l2_mshr;
                p.left = p.prepares + 100 + 3 * s.l2_mshr * s.l2_div;
            }
            Kind::LentSet => {
                (p.lines, p.stride, p.far) = (ways + 2, of_one_set, 0);
                (p.req, p.kinds, p.sync, p.fault, p.bad_fill) = (256, [1, 0, 0], 0, 0, 0);
                (p.delay, p.mem, p.dram_ready, p.rsp_ready, p.pick) = (1, 256, 256, 256, 256);
                p.left = 200 + 2 * lent + 16 * ways * s.l2_div;
            }
            Kind::Syncs => {
                (p.req, p.far) = (64, r.pick(&[0, 64]));
                // One after the other, or while the policy is asked.
                (p.sync, p.pick) = r.pick(&[(256, 256), (24, 8)]);
                (p.delay, p.mem, p.dram_ready, p.rsp_ready) = (1, 256, 256, 256);
                p.releases = r.chance(64);
                p.left = 200 + lent + 4 * s.l2_sets * s.l2_div;
            }
            Kind::WrongPicks => {
                (p.lines, p.stride) = (4 * ways, of_one_set);
                (p.req, p.delay, p.mem, p.rsp_ready) = (256, 4, 64, 256);
                (p.pick, p.bad_pick) = (256, 256);
                p.left = 100 + 8 * ways * s.l2_div;
            }
            Kind::Atomics => {
                (p.lines, p.far, p.kinds, p.fault, p.sync) = (2, 0, [0, 1, 4], 0, 0);
                (p.delay, p.mem, p.dram_ready, p.rsp_ready) = (1, 256, 256, 256);
                (p.req, p.pick, p.left) = (256, 256, 300 * s.l2_div);
            }
        }
        phase
    }

    /// One that is longer than a counter of 16 bits counts: hits, or writes that wait for leases.
    pub fn long(r: &mut Random, s: &Config) -> Self {
        let mut phase = Self::draw(r, s);
        let p = &mut phase;
        (p.left, p.req, p.lines, p.kinds) = (LONG as u32, 256, 1, [1, 0, 0]);
        (p.far, p.high, p.any, p.fault, p.bad_fill) = (0, 0, 0, 0, 0);
        (p.sync, p.kend, p.wild) = (0, 0, 0);
        (p.pick, p.bad_pick, p.keep) = (256, 0, 256);
        (p.dram_ready, p.delay, p.mem) = (256, 1, 256);
        p.rsp_ready = 256;
        if waits_for_leases(s) {
            (p.lines, p.kinds) = (s.l2_mshr.min(8), [1, 1, 0]);
            p.stride = s.l2_banks.into();
        }
        phase
    }
}
