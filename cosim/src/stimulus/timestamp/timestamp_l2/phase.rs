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
        pub in_turn: bool = r.chance(64),
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
        /// Memory answers nothing: all MSHRs are in use. Writes leave no leases, so that ways are
        /// free.
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
        let p = Self::draw(r, s);
        let (ways, places) = (s.l2_ways, s.l2_sets * s.l2_ways);
        let of_one_set = u64::from(s.l2_banks * s.l2_sets);
        // For how long a line is lent, by the clock.
        let lent = if is_gtsc(s) { 0 } else { s.tc_lease.min(4000) };
        match kind {
            Kind::Quiet => Self { req: 0, fault: 0, bad_fill: 0, vain: 0, sync: 0, ..p },
            Kind::OneSet => Self {
                lines: 4 * ways,
                stride: of_one_set,
                req: 256,
                delay: 1,
                mem: r.pick(&[256, 2]),
                rsp_ready: 256,
                left: 100 + 8 * ways * s.l2_div,
                ..p
            },
            Kind::MemoryFull => Self {
                dram_ready: 0,
                req: 256,
                lines: 4 * places,
                stride: s.l2_banks.into(),
                rsp_ready: 256,
                left: 100,
                kinds: r.pick(&[[1, 4, 1], [1, 0, 0]]),
                ..p
            },
            Kind::AnswersStay => {
                Self { rsp_ready: 0, req: 256, lines: 2, left: 60 * s.l2_div, ..p.at_once() }
            }
            Kind::MissesFull => Self {
                mem: 8,
                req: 256,
                sync: 0,
                fault: 0,
                lines: 1,
                far: 128,
                kinds: [2, 1, 1],
                in_turn: true,
                left: 200 + 40 * s.l2_mshr,
                ..p.at_once()
            },
            Kind::NotKept => Self {
                dram_ready: 16,
                delay: 20,
                keep: 128,
                kinds: [0, 4, 1],
                req: 256,
                sync: 0,
                lines: 4 * places,
                stride: s.l2_banks.into(),
                left: 400,
                ..p.at_once()
            },
            Kind::WrittenBack => {
                let (kinds, far) = (r.pick(&[[0, 1, 0], [2, 1, 0]]), r.pick(&[0, 4, 24]));
                let waits = is_strong(s) && lent > 100;
                Self {
                    dram_ready: 8,
                    sync: 64,
                    stays: true,
                    fault: 0,
                    lines: 1,
                    kinds: if waits { [0, 1, 0] } else { kinds },
                    far,
                    req: 256,
                    left: 300 * s.l2_div,
                    releases: r.chance(128),
                    ..p.at_once()
                }
            }
            Kind::Strange => Self { fault: 256, req: 256, sync: 0, ..p },
            Kind::AtEase => Self {
                kinds: r.pick(&[[4, 2, 0], [16, 1, 0]]),
                lines: r.pick(&[1, 2]),
                req: r.pick(&[32, 128]),
                copy: 256,
                full: 0,
                old: 0,
                high: 0,
                any: 0,
                rsp_ready: 256,
                ..p
            },
            Kind::NoAnswers => Self {
                mem: 0,
                bad_fill: 0,
                req: 256,
                sync: 0,
                fault: 0,
                far: 256,
                in_turn: true,
                kinds: [0, 1, 0],
                high: 0,
                left: 200 + lent + 8 * s.l2_mshr * s.l2_div,
                ..p.at_once()
            },
            Kind::LentLine => {
                let prepares = lent + 40 * s.l2_mshr;
                Self {
                    // So slow that an MSHR that is freed is taken again at once.
                    mem: 24 / s.l2_div,
                    req: 256,
                    sync: 0,
                    fault: 0,
                    lines: 1,
                    far: if lent < 50 { 128 } else { 208 },
                    kinds: if lent < 50 { [1, 1, 0] } else { [3, 1, 0] },
                    in_turn: true,
                    far_writes: true,
                    bad_fill: 0,
                    prepares,
                    left: prepares + 100 + 3 * s.l2_mshr * s.l2_div,
                    ..p.at_once()
                }
            }
            Kind::LentSet => Self {
                lines: ways + 2,
                stride: of_one_set,
                far: 0,
                req: 256,
                kinds: [1, 0, 0],
                sync: 0,
                fault: 0,
                bad_fill: 0,
                left: 200 + 2 * lent + 16 * ways * s.l2_div,
                ..p.at_once()
            },
            Kind::Syncs => {
                let far = r.pick(&[0, 64]);
                // One after the other, or while the policy is asked.
                let (sync, pick) = r.pick(&[(256, 256), (24, 8)]);
                let left = 200 + lent + 4 * s.l2_sets * s.l2_div;
                let releases = r.chance(64);
                Self { req: 64, far, sync, pick, releases, left, ..p.at_once() }
            }
            Kind::WrongPicks => Self {
                lines: 4 * ways,
                stride: of_one_set,
                req: 256,
                delay: 4,
                mem: 64,
                rsp_ready: 256,
                pick: 256,
                bad_pick: 256,
                left: 100 + 8 * ways * s.l2_div,
                ..p
            },
            Kind::Atomics => Self {
                lines: 2,
                far: 0,
                kinds: [0, 1, 4],
                fault: 0,
                sync: 0,
                req: 256,
                left: 300 * s.l2_div,
                ..p.at_once()
            },
        }
    }

    /// Memory, the L1s and the policy neither wait nor let wait.
    fn at_once(self) -> Self {
        Self { delay: 1, mem: 256, dram_ready: 256, rsp_ready: 256, pick: 256, ..self }
    }

    /// One that is longer than a counter of 16 bits counts: hits, or writes that wait for leases.
    pub fn long(r: &mut Random, s: &Config) -> Self {
        let drawn = Self::draw(r, s).at_once();
        let p = Self {
            left: LONG as u32,
            req: 256,
            lines: 1,
            kinds: [1, 0, 0],
            far: 0,
            high: 0,
            any: 0,
            fault: 0,
            bad_fill: 0,
            sync: 0,
            kend: 0,
            wild: 0,
            bad_pick: 0,
            keep: 256,
            ..drawn
        };
        if !waits_for_leases(s) {
            return p;
        }
        Self { lines: s.l2_mshr.min(8), kinds: [1, 1, 0], stride: s.l2_banks.into(), ..p }
    }
}
