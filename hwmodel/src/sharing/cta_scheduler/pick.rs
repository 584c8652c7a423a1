//! Which work-group goes to which SM next (specification 5.1, the table of modes).

use ports::sharing::types::{Assignment, mode};

use super::{CtaScheduler, Rule, Sets};

impl CtaScheduler {
    /// The next assignment, if some SM takes one.
    pub(super) fn pick(&mut self) -> Option<Assignment> {
        let sm = if self.burst > 0 { self.pointer } else { self.search()? };
        let cta = match self.launch.mode {
            mode::RR => self.one(),
            mode::BCS => self.of_burst(sm),
            mode => self.of_group(sm, mode == mode::ADPT),
        };
        let more = self.burst > 0;
        self.pointer = if more { sm } else { (sm + 1) % self.config.n_sm as u8 };
        let at = usize::from(sm);
        self.set_free(at, self.sms[at].free.wrapping_sub(1));
        self.cnt.assigned = self.cnt.assigned.wrapping_add(1);
        Some(Assignment { more, sm, cta })
    }

    /// Whether there is one.
    pub(super) fn may_pick(&self) -> bool {
        self.burst > 0 || self.search().is_some()
    }

    /// The first SM from the pointer on that takes one.
    #[inline]
    fn search(&self) -> Option<u8> {
        let left = self.launch.total - self.nxt;
        let Sets { one, two, in_group, .. } = self.sets;
        let has_slot = if self.keeps(Rule::FreeSlot) { one } else { self.all() };
        let any_left = if left > 0 { u16::MAX } else { 0 };
        let eligible = match self.launch.mode {
            mode::RR => has_slot & any_left,
            mode::BCS => {
                let pairs = left.min(2).min(self.launch.slots.into()) == 2;
                let fits = if pairs { two } else { one };
                any_left & if self.keeps(Rule::FreeForBurst) { fits } else { fits | has_slot }
            }
            _ => has_slot & (in_group | any_left),
        };
        let behind = eligible >> self.pointer << self.pointer;
        let first = if behind != 0 { behind } else { eligible };
        (first != 0).then_some(first.trailing_zeros() as u8)
    }

    /// The next one that nobody has.
    fn one(&mut self) -> u32 {
        self.nxt += 1;
        self.nxt - 1
    }

    fn of_group(&mut self, sm: u8, adapts: bool) -> u32 {
        let (total, left) = (self.launch.total, self.launch.total - self.nxt);
        // A kernel of fewer groups than SMs is tested from its first work-group on.
        let tests_first = total <= self.thr || !self.keeps(Rule::FirstGroup);
        let own = &mut self.sms[usize::from(sm)];
        if own.cur < own.end {
            own.cur += 1;
            if own.cur == own.end {
                self.sets.in_group &= !(1 << sm);
            }
            return own.cur - 1;
        }
        if adapts && (own.started || tests_first) && left <= self.thr {
            self.cnt.rr_phase_ctas = self.cnt.rr_phase_ctas.wrapping_add(1);
            return self.one();
        }
        let first = self.nxt;
        self.nxt = first.saturating_add(self.launch.group.into()).min(total);
        (own.cur, own.end, own.started) = (first + 1, self.nxt, true);
        self.sets.in_group |= u16::from(own.cur < own.end) << sm;
        self.cnt.groups = self.cnt.groups.wrapping_add(1);
        first
    }

    fn of_burst(&mut self, sm: u8) -> u32 {
        let left = self.launch.total - self.nxt;
        if self.burst == 0 {
            let own = &mut self.sms[usize::from(sm)];
            let slots = self.launch.slots;
            let most = if own.started { slots.min(2) } else { slots };
            self.burst = left.min(most.into()) as u8;
            own.started = true;
        }
        self.burst -= 1;
        self.one()
    }
}
