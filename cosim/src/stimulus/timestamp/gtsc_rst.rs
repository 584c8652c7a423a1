//! Overflows and kernels' ends for the reset of timestamps, and banks and L1s that obey it, or do
//! not.

use hwmodel::timestamp::gtsc_rst::GtscRst;
use ports::timestamp::gtsc_rst::{Config, In, Out};

use crate::stimulus::{Driver, LONG, Random, Stimulus};
use crate::{blocks, phase, seen};

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

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Idle,
    Halt,
    Sweep,
    Flush,
}

/// The stimulus.
#[derive(Default)]
pub struct Inputs {
    step: Step,
}

/// A bit for each bank.
fn all(c: &Config) -> u16 {
    u16::MAX >> (16 - c.l2_banks)
}

impl Inputs {
    /// Each bit that is not as wanted is from now on, with this chance.
    fn towards(d: &mut Driver<Self>, now: u16, wanted: bool, chance: u32) -> u16 {
        let moved = d.bits(d.config.l2_banks, |_, _| chance) as u16;
        if wanted { now | moved } else { now & !moved }
    }

    /// `halted`, `rst_done` and `rep_ack` as obedient banks and L1s drive them, sometimes
    /// otherwise.
    fn obey(d: &mut Driver<Self>, input: &mut In, out: &Out) {
        let Phase { halt, sweep, flush, wild, far, .. } = d.phase;
        input.halted = Self::towards(d, input.halted, out.halt, halt);
        input.rst_done = Self::towards(d, input.rst_done, out.rst, sweep);
        let Driver { config: c, random: r, .. } = d;
        for ack in &mut input.rep_ack[..c.n_sm as usize] {
            if r.chance(far) {
                *ack = r.below(4) as u8;
            } else if r.chance(flush) {
                *ack = out.rep;
            }
        }
        if r.chance(wild) {
            let word = r.word();
            (input.halted, input.rst_done) = (word as u16 & all(c), (word >> 16) as u16 & all(c));
        }
    }

    fn follow(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let before = self.step;
        self.step = match (out.halt, out.rst) {
            (false, _) => Step::Idle,
            (true, true) => Step::Sweep,
            (true, false) if matches!(before, Step::Sweep | Step::Flush) => Step::Flush,
            (true, false) => Step::Halt,
        };
        let seen = &mut d.seen;
        let all = all(&d.config);
        let acks = &input.rep_ack[..d.config.n_sm as usize];
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
        seen.rep[usize::from(out.rep)] += u64::from(d.before.rep != out.rep);
        let far = |&ack: &u8| !matches!(out.rep.wrapping_sub(ack) & 3, 0 | 1);
        seen.ack_far += u64::from(acks.iter().any(far));
        seen.err += u64::from(out.err.is_some());
        seen.counter_beyond_16_bits += u64::from(out.counters.halt_cycles > u32::from(u16::MAX));
    }
}

impl Stimulus for Inputs {
    type Model = GtscRst;

    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self::default()
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    /// A bank does not obey.
    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        let phase = Phase::draw(&mut d.random);
        Some(Phase { left: LONG as u32, ovf: 256, halt: 0, wild: 0, ..phase })
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let mut input = In { ovf: 0, ..d.last };
        if d.random.chance(d.phase.ovf) {
            input.ovf = (d.random.word() as u16 & all(&d.config)).max(1);
        }
        // It waits until it is taken.
        let held = input.kend_valid && self.step != Step::Idle;
        input.kend_valid = held || d.random.chance(d.phase.kend);
        Self::obey(d, &mut input, out);
        self.follow(d, &input, out);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        match row {
            "several_overflows" | "some_halted" | "some_done" => d.config.l2_banks > 1,
            "some_flushed" => d.config.n_sm > 1,
            _ => true,
        }
    }
}
