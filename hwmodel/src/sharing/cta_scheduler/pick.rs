//! Selects the next work-group and its SM (specification 5.1, the table of modes).

use ports::sharing::types::{Assignment, mode};

use super::choices::Choices;
use super::{CtaScheduler, Sets};
use crate::common::counter::count;

/// Where the work-group of an assignment comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// `rr`: the next of the kernel.
    Next,
    /// `q`, `adpt`: the next of the SM's group.
    Group,
    /// `q`, `adpt`: the first of a new group.
    NewGroup,
    /// `adpt`: the next of the kernel, as few groups are left.
    Tested,
    /// `bcs`: the next of the open burst.
    Burst,
    /// `bcs`: the first of a burst with this number of work-groups.
    NewBurst(u8),
}

/// What the scheduler assigns in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pick {
    sm: u8,
    source: Source,
}

impl CtaScheduler {
    /// The pick of this cycle, if any.
    #[inline(always)]
    pub(super) fn decide(&self, choices: &Choices) -> Option<Pick> {
        if self.burst > 0 {
            return Some(Pick { sm: self.pointer, source: Source::Burst });
        }
        let sm = self.search(choices)?;
        let (own, launch) = (&self.sms[usize::from(sm)], &self.launch);
        let left = launch.total - self.nxt;
        // README rule 6: a kernel of fewer groups than SMs is assigned one by one from the start.
        let is_exempt = choices.exempts_first_group && !own.started && launch.total > self.thr;
        let source = match launch.mode {
            mode::RR => Source::Next,
            mode::BCS => {
                let most = if own.started { launch.slots.min(2) } else { launch.slots };
                Source::NewBurst(left.min(most.into()) as u8)
            }
            _ if own.cur < own.end => Source::Group,
            mode::ADPT if left <= self.thr && !is_exempt => Source::Tested,
            _ => Source::NewGroup,
        };
        Some(Pick { sm, source })
    }

    /// The first eligible SM at or after the pointer, cyclic.
    #[inline(always)]
    fn search(&self, choices: &Choices) -> Option<u8> {
        let left = self.launch.total - self.nxt;
        let any_left = if left > 0 { u16::MAX } else { 0 };
        let has_slot = self.with_free(choices.slots);
        let eligible = match self.launch.mode {
            mode::RR => has_slot & any_left,
            mode::BCS => {
                let needed = choices.burst_slots.min(self.launch.slots.into()).min(left);
                self.with_free(needed) & any_left
            }
            _ => has_slot & (self.sets.in_group | any_left),
        };
        let from_pointer = eligible >> self.pointer << self.pointer;
        let first = if from_pointer != 0 { from_pointer } else { eligible };
        (first != 0).then_some(first.trailing_zeros() as u8)
    }

    /// The set of SMs with at least `slots` (0 to 2) free slots.
    #[inline(always)]
    fn with_free(&self, slots: u32) -> u16 {
        let Sets { one, two, .. } = self.sets;
        match slots {
            0 => self.all(),
            1 => one,
            _ => two,
        }
    }

    /// Applies a pick.
    #[inline(always)]
    pub(super) fn assign(&mut self, Pick { sm, source }: Pick) -> Assignment {
        let at = usize::from(sm);
        let cta = match source {
            Source::Next => self.next(),
            Source::Group => {
                let own = &mut self.sms[at];
                own.cur += 1;
                if own.cur == own.end {
                    self.sets.in_group &= !(1 << sm);
                }
                own.cur - 1
            }
            Source::NewGroup => {
                let first = self.nxt;
                self.nxt = first.saturating_add(self.launch.group.into()).min(self.launch.total);
                let own = &mut self.sms[at];
                (own.cur, own.end, own.started) = (first + 1, self.nxt, true);
                self.sets.in_group |= u16::from(own.cur < own.end) << sm;
                count(&mut self.counters.groups, true);
                first
            }
            Source::Tested => {
                count(&mut self.counters.rr_phase_ctas, true);
                self.next()
            }
            Source::Burst => {
                self.burst -= 1;
                self.next()
            }
            Source::NewBurst(ctas) => {
                self.sms[at].started = true;
                self.burst = ctas - 1;
                self.next()
            }
        };
        let more = self.burst > 0;
        self.pointer = if more { sm } else { (sm + 1) % self.config.n_sm as u8 };
        self.set_free(at, self.sms[at].free.wrapping_sub(1));
        count(&mut self.counters.assigned, true);
        Assignment { more, sm, cta }
    }

    /// Takes the next work-group of the kernel.
    #[inline]
    fn next(&mut self) -> u32 {
        self.nxt += 1;
        self.nxt - 1
    }
}
