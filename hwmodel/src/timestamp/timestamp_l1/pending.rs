//! A3: MSHRs in PEND (specification 5.1, 5.3).

use ports::timestamp::types::BusReq;

use super::TimestampL1;
use super::action::Action;
use crate::common::counter::count;

impl TimestampL1 {
    /// A3, if the line of an MSHR in PEND is not locked.
    pub(super) fn re_evaluate_pending(&self) -> Option<Action> {
        let Self { lines, misses, time, .. } = self;
        let unlocked = |line| lines.find(line).is_none_or(|place| !lines.lease(place).is_locked());
        let miss = misses.pending().find(|&miss| unlocked(misses.line(miss)))?;
        let place = lines.find(misses.line(miss));
        let serves = |place: &usize| {
            let end = lines.lease(*place).rts;
            misses.waiters(miss).any(|waiter| time.covers(end, waiter.ts))
        };
        Some(match place.filter(serves) {
            Some(place) => {
                let end = lines.lease(place).rts;
                let step = self.next_step(miss, self.rep, end, false);
                Action::PendingReplay { miss, place, step }
            }
            None => Action::PendingRequest { miss, place },
        })
    }

    /// A3: one request for all waiters.
    pub(super) fn apply_pending_request(&mut self, miss: usize, place: Option<usize>) {
        let line = self.misses.line(miss);
        let wts = place.map_or(0, |place| self.lines.lease(place).wts);
        let latest = self.misses.waiters(miss).map(|waiter| waiter.ts).max();
        let warp_ts = latest.unwrap_or_default();
        self.misses.set_sent(miss);
        self.send(BusReq { id: miss as u8, line, wts, warp_ts, ..BusReq::default() });
        count(&mut self.counters.extra_renewals, true);
    }
}
