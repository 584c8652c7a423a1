//! What the bank's surroundings are like for a while.

use super::Sizes;
use crate::stimulus::draws::draws;
use crate::stimulus::random::MaskForm;
use crate::stimulus::{LongTime, Random};

draws! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random, s: &Sizes) {
        pub left: u32 = 16 + { let most = r.pick(&[64, 256, 1024]); r.below(most) },
        /// Requests.
        pub req: u32 = r.pick(&[256, 256, 128, 32, 4]),
        /// Frequencies of reads, writes and atomics.
        pub kinds: [u32; 3] = r.pick(&[[4, 2, 1], [1, 0, 0], [1, 4, 1], [1, 1, 4], [8, 1, 0]]),
        /// Lines in use, how far they are apart, and the first.
        pub lines: u32 = {
            let all = s.all.l2_sets * s.all.l2_ways;
            r.pick(&[1, 2, 4, 16, 2 * all])
        },
        pub stride: u64 = {
            let banks = u64::from(s.all.l2_banks);
            r.pick(&[1, banks, banks * u64::from(s.all.l2_sets)])
        },
        pub base: u64 = r.word(),
        /// The lines begin with the same as those of the phase before. Chance of any line.
        pub stays: bool = r.chance(64),
        pub far: u32 = r.pick(&[0, 0, 8]),
        /// Such lines go through the sets in turn.
        pub walks: bool = r.chance(64),
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
        /// Chance of a request that cannot be, and of a line that nobody has asked for.
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

impl Phase {
    /// A phase of any kind.
    pub fn any(r: &mut Random, s: &Sizes) -> Self {
        let mut phase = Self::draw(r, s);
        let p = &mut phase;
        match r.below(14) {
            // Nothing is asked.
            0 => (p.req, p.fault, p.bad_fill, p.vain, p.sync) = (0, 0, 0, 0, 0),
            // One set, all at once.
            1 => {
                p.lines = 4 * s.all.l2_ways;
                p.stride = u64::from(s.all.l2_banks * s.all.l2_sets);
                (p.req, p.delay, p.mem, p.rsp_ready) = (256, 1, r.pick(&[256, 2]), 256);
                p.left = 100 + 8 * s.all.l2_ways * s.all.l2_div;
            }
            // Memory takes nothing for a time.
            2 => {
                (p.dram_ready, p.req, p.lines) = (0, 256, 4 * s.all.l2_sets * s.all.l2_ways);
                (p.stride, p.rsp_ready, p.left) = (u64::from(s.all.l2_banks), 256, 100);
                p.kinds = [1, 4, 1];
            }
            // Answers stay.
            3 => (p.rsp_ready, p.req, p.lines, p.left) = (0, 256, 2, 60),
            // Memory is slow: all MSHRs are in use, while a line is there.
            4 => {
                (p.delay, p.mem, p.req, p.sync, p.fault) = (1, 8, 256, 0, 0);
                (p.lines, p.far, p.kinds) = (1, 128, [2, 1, 1]);
                (p.dram_ready, p.rsp_ready, p.pick, p.walks) = (256, 256, 256, true);
                p.left = 200 + 40 * s.all.l2_mshr;
            }
            // Memory takes little, and some of what is written does not stay.
            5 => {
                (p.dram_ready, p.delay, p.mem, p.keep, p.pick) = (16, 20, 256, 128, 256);
                (p.kinds, p.req, p.rsp_ready, p.sync) = ([0, 4, 1], 256, 256, 0);
                (p.lines, p.stride) = (4 * s.all.l2_sets * s.all.l2_ways, s.all.l2_banks.into());
                p.left = 400;
            }
            // A line is written again and again, and back, and memory takes little.
            6 => {
                (p.dram_ready, p.sync, p.stays, p.fault, p.lines) = (8, 64, true, 0, 1);
                (p.delay, p.mem, p.pick) = (1, 256, 256);
                (p.kinds, p.far) = (r.pick(&[[0, 1, 0], [2, 1, 0]]), r.pick(&[0, 4, 24]));
                (p.req, p.rsp_ready, p.left) = (256, 256, 300);
                p.releases = r.chance(128);
            }
            // Nothing but requests that cannot be.
            7 => (p.fault, p.req, p.sync) = (256, 256, 0),
            // L1s at their ease: what they tell of their copies is so.
            8 => {
                (p.req, p.kinds, p.copy, p.full, p.lines) = (32, [4, 2, 0], 256, 0, 2);
                (p.old, p.high, p.any, p.rsp_ready) = (0, 0, 0, 256);
            }
            _ => {}
        }
        phase
    }

    /// One that is longer than a counter of 16 bits counts: hits.
    pub fn long(r: &mut Random, s: &Sizes) -> Self {
        let mut phase = Self::draw(r, s);
        let p = &mut phase;
        (p.left, p.req, p.lines, p.kinds) = (LongTime::CYCLES as u32, 256, 1, [1, 0, 0]);
        (p.far, p.high, p.any, p.fault, p.bad_fill) = (0, 0, 0, 0, 0);
        (p.sync, p.kend, p.wild, p.pick) = (0, 0, 0, 256);
        (p.dram_ready, p.delay, p.mem) = (256, 1, 256);
        p.rsp_ready = 256;
        phase
    }
}
