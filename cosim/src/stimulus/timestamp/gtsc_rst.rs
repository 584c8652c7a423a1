//! Overflows and kernels' ends for the reset of timestamps, and banks and L1s that obey it, or do
//! not.

use hwmodel::Block;
use hwmodel::timestamp::gtsc_rst::GtscRst;
use ports::timestamp::gtsc_rst::{Config, In, Out};

use crate::blocks;
use crate::seen;
use crate::stimulus::draws::draws;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};

crate::pair!(GtscRst: ports::timestamp::types::Timestamp);

inventory::submit! {
    blocks::entry::<Inputs>("G-TSC: resets all timestamps of a GPU after an overflow")
}

seen! {
    transfers: kend, err;
    rows:
        reset_for["reset_for_overflow", "reset_for_kernel_end", "reset_for_both"],
        several_overflows, kend_held, kend_done,
        halt["halt_one_cycle", "halt_waits"], some_halted,
        sweep["sweep_one_cycle", "sweep_waits"], some_done,
        flush["flush_one_cycle", "flush_waits"], some_flushed,
        overflow_in_reset, overflow_at_its_end, kend_at_its_end,
        rep["rep_0", "rep_1", "rep_2", "rep_3"], ack_far, counter_beyond_16_bits,
}

draws! {
    /// What one phase draws. Chances are parts of 256.
    struct Phase(r: &mut Random) {
        left: u32 = 16 + r.below(500),
        ovf: u32 = r.pick(&[0, 1, 8, 64, 256]),
        kend: u32 = r.pick(&[0, 1, 16, 256]),
        /// Chances that a bank obeys, that a bank is done, that an L1 has flushed, in a cycle.
        halt: u32 = r.pick(&[256, 64, 8]),
        sweep: u32 = r.pick(&[256, 64, 8]),
        flush: u32 = r.pick(&[256, 64, 8]),
        /// Chances that levels are any, that a generation is.
        wild: u32 = r.pick(&[0, 0, 8]),
        far: u32 = r.pick(&[0, 0, 0, 16]),
    }
}

/// Where a reset is, by the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Idle,
    Halt,
    Sweep,
    Flush,
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
    input: In,
    step: Step,
    /// Generation of the cycle before.
    rep: u8,
    seen: Seen,
}

impl Inputs {
    /// Each bit that is not as wanted is from now on, with this chance.
    fn towards(&mut self, now: u16, wanted: bool, chance: u32) -> u16 {
        let mut bits = now;
        for bank in 0..self.config.l2_banks {
            if self.random.chance(chance) {
                bits = bits & !(1 << bank) | u16::from(wanted) << bank;
            }
        }
        bits
    }

    /// `halted`, `rst_done` and `rep_ack` as obedient banks and L1s drive them, sometimes
    /// otherwise.
    fn obey(&mut self, out: &Out) {
        let In { halted, rst_done, .. } = self.input;
        let Phase { halt, sweep, flush, wild, far, .. } = self.phase;
        self.input.halted = self.towards(halted, out.halt, halt);
        self.input.rst_done = self.towards(rst_done, out.rst, sweep);
        for sm in 0..self.config.n_sm as usize {
            let (r, ack) = (&mut self.random, &mut self.input.rep_ack[sm]);
            if r.chance(far) {
                *ack = r.below(4) as u8;
            } else if r.chance(flush) {
                *ack = out.rep;
            }
        }
        let r = &mut self.random;
        if r.chance(wild) {
            let word = r.word() as u32 & u32::MAX >> (16 - self.config.l2_banks);
            self.input.halted = word as u16 & u16::MAX >> (16 - self.config.l2_banks);
            self.input.rst_done = (word >> 8) as u16 & u16::MAX >> (16 - self.config.l2_banks);
        }
    }

    fn follow(&mut self, input: &In, out: &Out) {
        let before = self.step;
        self.step = match (out.halt, out.rst) {
            (false, _) => Step::Idle,
            (true, true) => Step::Sweep,
            (true, false) if matches!(before, Step::Sweep | Step::Flush) => Step::Flush,
            (true, false) => Step::Halt,
        };
        let seen = &mut self.seen;
        let all = u16::MAX >> (16 - self.config.l2_banks);
        let acks = &input.rep_ack[..self.config.n_sm as usize];
        let flushed = acks.iter().filter(|&&ack| ack == out.rep).count();
        let waits = usize::from(before == self.step);
        let some = |bits: u16| u64::from(bits != 0 && bits != all);
        match self.step {
            Step::Idle => {
                let why = u32::from(input.ovf != 0) + 2 * u32::from(input.kend_valid);
                if let Some(why) = why.checked_sub(1) {
                    seen.reset_for[why as usize] += 1;
                    seen.several_overflows += u64::from(input.ovf.count_ones() > 1);
                }
                seen.kend += u64::from(input.kend_valid);
                let ends = before != Step::Idle;
                seen.overflow_at_its_end += u64::from(ends && input.ovf != 0);
                seen.kend_at_its_end += u64::from(ends && input.kend_valid);
            }
            Step::Halt => {
                seen.halt[waits] += u64::from(input.halted == all);
                seen.some_halted += some(input.halted);
            }
            Step::Sweep => {
                seen.sweep[waits] += u64::from(input.rst_done == all);
                seen.some_done += some(input.rst_done);
            }
            Step::Flush => {
                let done = flushed == acks.len();
                seen.flush[waits] += u64::from(done);
                seen.some_flushed += u64::from(flushed > 0 && !done);
            }
        }
        seen.overflow_in_reset += u64::from(out.halt && input.ovf != 0);
        seen.kend_held += u64::from(input.kend_valid && !out.kend_ready);
        seen.kend_done += u64::from(out.kend_done);
        seen.rep[usize::from(out.rep)] += u64::from(self.rep != out.rep);
        let far = |&ack: &u8| !matches!(out.rep.wrapping_sub(ack) & 3, 0 | 1);
        seen.ack_far += u64::from(acks.iter().any(far));
        seen.err += u64::from(out.err.is_some());
        seen.counter_beyond_16_bits += u64::from(out.cnt.halt_cycles > u32::from(u16::MAX));
        self.rep = out.rep;
    }
}

impl Stimulus for Inputs {
    type Model = GtscRst;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.phase = Phase::draw(&mut self.random);
        (self.input, self.step, self.rep) = (In::default(), Step::Idle, 0);
    }

    fn inputs(&mut self, out: &<GtscRst as Block>::Out) -> In {
        if self.long.cycle() == Some(0) {
            self.phase = Phase::draw(&mut self.random);
            // A bank does not obey.
            let p = &mut self.phase;
            (p.left, p.ovf, p.halt, p.wild) = (LongTime::CYCLES as u32, 256, 0, 0);
        } else if self.phase.left == 0 {
            self.phase = Phase::draw(&mut self.random);
        }
        self.phase.left -= 1;
        self.input.ovf = 0;
        if self.random.chance(self.phase.ovf) {
            let any = self.random.word() as u16 & u16::MAX >> (16 - self.config.l2_banks);
            self.input.ovf = any.max(1);
        }
        // It waits until it is taken.
        let kend = self.input.kend_valid && self.step != Step::Idle;
        self.input.kend_valid = kend || self.random.chance(self.phase.kend);
        self.obey(out);
        let input = self.input;
        self.follow(&input, out);
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        match row {
            "several_overflows" | "some_halted" | "some_done" => self.config.l2_banks > 1,
            "some_flushed" => self.config.n_sm > 1,
            _ => true,
        }
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::draw(&mut random);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            input: In::default(),
            step: Step::Idle,
            rep: 0,
            seen: Seen::default(),
        }
    }
}
