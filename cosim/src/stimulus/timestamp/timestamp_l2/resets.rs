//! Resets of a bank of G-TSC, as `gtsc_rst` has them, or in any order.

use ports::timestamp::timestamp_l2::Out;

use super::Phase;
use super::rows::Seen;
use crate::stimulus::Random;

/// Where a reset is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Idle,
    Halt,
    Sweep,
    Flush,
}

/// What causes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Resets {
    step: Step,
    halt: bool,
    rst: bool,
    /// Of the cycle before: `rst`, and that all sets were written.
    last: (bool, bool),
    rep: u8,
}

impl Resets {
    /// Generation of the bank.
    pub fn rep(&self) -> u8 {
        self.rep
    }

    /// `halt` and `rst` of a cycle.
    pub fn inputs(
        &mut self,
        r: &mut Random,
        p: &Phase,
        out: &Out,
        seen: &mut Seen,
    ) -> (bool, bool) {
        self.draw(r, p, out, seen);
        self.follow(out, seen);
        (self.halt, self.rst)
    }

    fn draw(&mut self, r: &mut Random, p: &Phase, out: &Out, seen: &mut Seen) {
        let Self { step, .. } = self;
        if p.wild > 0 {
            self.halt ^= r.chance(p.wild);
            self.rst ^= r.chance(2 * p.wild);
            *step = Step::Idle;
            return;
        }
        let next = match *step {
            Step::Idle => {
                let kend = r.chance(p.kend);
                let starts = out.ovf && r.chance(p.step) || kend;
                seen.reset_after[usize::from(!out.ovf)] += u64::from(starts);
                if starts { Step::Halt } else { Step::Idle }
            }
            Step::Halt if out.halted && r.chance(p.step) => Step::Sweep,
            Step::Sweep if out.rst_done && r.chance(p.step) => Step::Flush,
            Step::Flush if r.chance(p.step / 2) => Step::Idle,
            step => step,
        };
        *step = next;
        (self.halt, self.rst) = (next != Step::Idle, next == Step::Sweep);
    }

    fn follow(&mut self, out: &Out, seen: &mut Seen) {
        let (rst, done) = self.last;
        if self.rst && !rst {
            self.rep = (self.rep + 1) & 3;
            seen.reset_without_halt += u64::from(!self.halt);
            seen.reset_while_asked += u64::from(out.ask.is_some());
            seen.reset_in_sync += u64::from(!out.sync_ready);
        }
        seen.halted_without_reset += u64::from(self.halt && !self.rst && !rst);
        if !self.rst && rst {
            seen.sweeps[usize::from(!out.rst_done)] += 1;
        }
        seen.done_again += u64::from(done && out.rst_done && rst);
        self.last = (self.rst, out.rst_done);
    }
}
