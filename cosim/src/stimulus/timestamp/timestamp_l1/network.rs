//! The way from the banks: answers of one bank in order, those of different ones in any.

use std::collections::VecDeque;

use ports::timestamp::types::BusRsp;

use super::Phase;
use crate::stimulus::Random;

const BANKS: usize = 4;

/// Answers under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    /// Of each bank, with the cycle from which on it may come.
    banks: [VecDeque<(u64, BusRsp)>; BANKS],
    held: Option<BusRsp>,
    now: u64,
}

impl Network {
    pub fn restart(&mut self) {
        self.banks.iter_mut().for_each(VecDeque::clear);
        self.held = None;
    }

    /// The bank of this line answers.
    pub fn send(&mut self, r: &mut Random, p: &Phase, line: u64, rsp: BusRsp) {
        let due = self.now + u64::from(r.below(p.delay + 1));
        self.banks[line as usize % BANKS].push_back((due, rsp));
    }

    /// The answer that is shown, and stays until it is taken; else an unrequested one, if there is
    /// one.
    pub fn answer(
        &mut self,
        r: &mut Random,
        p: &Phase,
        ready: bool,
        unrequested: impl FnOnce(&mut Random) -> BusRsp,
    ) -> Option<BusRsp> {
        self.now += 1;
        if self.held.is_none() {
            self.held = if r.chance(p.wrong) {
                Some(unrequested(r))
            } else if r.chance(p.answer) {
                self.next(r)
            } else {
                None
            };
        }
        let shown = self.held;
        if ready {
            self.held = None;
        }
        shown
    }

    fn next(&mut self, r: &mut Random) -> Option<BusRsp> {
        let (now, first) = (self.now, r.below(BANKS as u32) as usize);
        let due = |bank: &usize| self.banks[*bank].front().is_some_and(|(due, _)| *due <= now);
        let bank = (0..BANKS).map(|n| (first + n) % BANKS).find(due)?;
        self.banks[bank].pop_front().map(|(_, rsp)| rsp)
    }
}
