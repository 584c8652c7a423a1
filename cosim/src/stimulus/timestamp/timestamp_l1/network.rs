//! The network from the banks: answers of one bank arrive in order, those of several in any order.

use std::collections::VecDeque;

use ports::timestamp::types::BusRsp;

use super::{Banks, Phase};
use crate::stimulus::Random;

const BANKS: usize = 4;

/// Answers in flight.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    /// Answers of each bank, each with the first cycle in which it can arrive.
    banks: [VecDeque<(u64, BusRsp)>; BANKS],
    pub now: u64,
}

impl Network {
    /// Enqueues an answer of the line's bank.
    pub fn send(&mut self, r: &mut Random, p: &Phase, line: u64, rsp: BusRsp) {
        let due = self.now + u64::from(r.below(p.delay + 1));
        self.banks[line as usize % BANKS].push_back((due, rsp));
    }

    /// The next answer, if one is due, or an unrequested one.
    pub fn answer(&mut self, r: &mut Random, p: &Phase, banks: &Banks) -> Option<BusRsp> {
        match () {
            () if r.chance(p.wrong) => Some(banks.unrequested(r)),
            () if r.chance(p.answer) => self.next(r),
            () => None,
        }
    }

    fn next(&mut self, r: &mut Random) -> Option<BusRsp> {
        let (now, first) = (self.now, r.below(BANKS as u32) as usize);
        let due = |bank: &usize| self.banks[*bank].front().is_some_and(|(due, _)| *due <= now);
        let bank = (0..BANKS).map(|n| (first + n) % BANKS).find(due)?;
        self.banks[bank].pop_front().map(|(_, rsp)| rsp)
    }
}
