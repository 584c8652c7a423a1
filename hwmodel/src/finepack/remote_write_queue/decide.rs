//! Stage S2: decides what the oldest request does and carries it out (specification 5.2 to 5.4).
//! Every decision is made from the registers at the start of the cycle: a request asks only about
//! partitions that it has not yet written.

use ports::finepack::types::{Evt, drain_kind, error_code, flush_cause, op};

use super::order_queue::{OrderQueues, Token};
use super::partition::{Partitions, Place};
use super::release::{Completion, Release};
use super::rule::Rule;
use super::slot::Slot;
use super::{Config, In};

const STALL_BANK: u8 = 1;
const STALL_ORDER: u8 = 2;

/// The state that S2 decides on.
#[derive(Debug)]
pub(super) struct Decide {
    pub parts: Partitions,
    pub orders: OrderQueues,
    pub release: Release,
    /// Without `Rule::MarkCleans`: the partitions that stay dirty.
    stay_dirty: u16,
    without: Option<Rule>,
}

impl Decide {
    pub fn new(config: &Config, without: Option<Rule>) -> Self {
        Self {
            parts: Partitions::new(config, without),
            orders: OrderQueues::new(config.order_queue_depth, without),
            release: Release::new(without),
            stay_dirty: 0,
            without,
        }
    }

    /// One cycle, number `now`, with `slot` in S2. Returns true when its request leaves.
    #[inline(always)]
    pub fn tick(&mut self, slot: Option<&Slot>, i: &In, now: u64, config: &Config) -> bool {
        // The pulses of the last cycle end.
        let out = &mut self.parts.out;
        (out.rel, out.err, out.evt) = (None, None, Evt::default());
        let completion = match i.cpl {
            Some(dest) => self.release.complete(dest, i.self_id, config),
            None => Completion::default(),
        };
        let mut faults = if completion.spurious { 1 << error_code::SPURIOUS_COMPLETION } else { 0 };
        let mut leaves = false;
        if let Some(slot) = slot {
            faults |= slot.faults;
            leaves = slot.faults != 0 || self.execute(slot, i, now, completion.done.is_some());
        }
        let yields = slot.is_some() && self.keeps(Rule::TimeoutYields);
        if i.timeout != 0 && self.parts.filled != 0 && !yields {
            self.flush_overdue(now, i.timeout);
        }
        if faults != 0 {
            self.report(faults);
        }
        if completion.done.is_some() {
            self.parts.out.rel = completion.done;
            self.release.finish();
        }
        leaves
    }

    /// No test has taken this rule away.
    #[inline(always)]
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// Shows the faults of a cycle, bit c for code c.
    fn report(&mut self, faults: u16) {
        let lowest = faults.trailing_zeros() as u8;
        let highest = faults.ilog2() as u8;
        let shown = if self.keeps(Rule::LowestCode) { lowest } else { highest };
        self.parts.out.err = Some(shown);
        self.parts.out.evt.err_lost = lowest != highest && self.keeps(Rule::LostFlag);
    }

    /// Carries out a request without fault. Returns true when it leaves.
    #[inline(always)]
    fn execute(&mut self, slot: &Slot, i: &In, now: u64, done: bool) -> bool {
        match slot.op {
            op::STORE => self.store(slot, i, now),
            op::LOAD | op::ATOMIC => self.raw(slot, now),
            op::RELEASE_SYS => self.release_sys(slot.id),
            // RELEASE_GPU, giving way to a system release's pulse (README rule 10).
            _ if done && self.keeps(Rule::GivesWay) => false,
            op::RELEASE_GPU if !self.keeps(Rule::GpuRelease) => self.release_sys(slot.id),
            _ => {
                self.parts.out.rel = Some(slot.id);
                true
            }
        }
    }

    #[inline(always)]
    fn store(&mut self, slot: &Slot, i: &In, now: u64) -> bool {
        let part = usize::from(slot.part);
        if !self.parts.can_store(part) {
            return self.stall(STALL_BANK);
        }
        let place = self.parts.place(part, slot.line, slot.size.cost);
        match place {
            Place::Hit(entry) => {
                self.parts.out.evt.overwritten = self.parts.write_hit(part, entry, slot, i.acct);
            }
            Place::Free => self.parts.write_new(part, slot),
            Place::Flush(cause) => {
                if !self.flush_with(part, 1, cause) {
                    return false;
                }
                // One bank: the store waits until its packet is gone.
                if !self.parts.can_store(part) {
                    return self.stall(STALL_BANK);
                }
                self.parts.write_new(part, slot);
            }
        }
        if self.keeps(Rule::StoreRestarts) || !matches!(place, Place::Hit(_)) {
            self.parts.restart_timer(part, now);
        }
        true
    }

    /// A load or an atomic: behind a flush if it touches queued bytes.
    #[inline(never)]
    fn raw(&mut self, slot: &Slot, now: u64) -> bool {
        let Slot { line, mask, id, .. } = *slot;
        let part = usize::from(slot.part);
        let atomic = slot.op == op::ATOMIC;
        let flushes = if atomic { Rule::AtomicFlushes } else { Rule::LoadFlushes };
        let overlaps = self.parts.overlaps(part, line, mask) && self.keeps(flushes);
        let cause = if atomic { flush_cause::ATOMIC_HIT } else { flush_cause::LOAD_HIT };
        if overlaps && self.keeps(Rule::RawBehind) {
            if !self.flush_with(part, 2, cause) {
                return false;
            }
        } else if !self.orders.has_room(part, 1) {
            return self.stall(STALL_ORDER);
        }
        let mut token = Token { kind: drain_kind::READ, id, line, mask, ..Token::default() };
        if atomic {
            token.kind = drain_kind::ATOMIC;
            token.aop = slot.aop;
            token.operands.copy_from_slice(&slot.data.0[..16]);
            self.parts.dirty |= u16::from(self.keeps(Rule::AtomicDirty)) << part;
        } else if !self.keeps(Rule::LoadLeavesTimer) {
            self.parts.restart_timer(part, now);
        }
        self.orders.push(part, token);
        if overlaps && !self.keeps(Rule::RawBehind) {
            self.flush_with(part, 1, cause);
        }
        true
    }

    /// Serves every partition that it can. An entry implies the dirty bit, so the dirty partitions
    /// are exactly those not yet served.
    #[inline(never)]
    fn release_sys(&mut self, id: u8) -> bool {
        if self.release.outstanding && !self.release.serving && self.keeps(Rule::SecondWaits) {
            return false;
        }
        if !self.keeps(Rule::MarkDirty) {
            self.parts.dirty &= self.parts.filled;
        }
        if self.parts.dirty == 0 {
            self.parts.out.rel = Some(id);
            return true;
        }
        let mut served = 0;
        for part in bits(self.parts.dirty) {
            let flushes = self.parts.out.occ[part] != 0 && self.keeps(Rule::ReleaseFlushes);
            let behind = self.keeps(Rule::MarkBehind);
            let ready = if flushes && behind {
                self.flush_with(part, 2, flush_cause::RELEASE)
            } else {
                self.orders.has_room(part, 1) || self.stall(STALL_ORDER)
            };
            if ready {
                self.orders.push(part, Token { kind: drain_kind::MARK, id, ..Token::default() });
                if flushes && !behind {
                    self.flush_with(part, 1, flush_cause::RELEASE);
                }
                served |= 1 << part;
            }
        }
        self.parts.dirty &= !served;
        let all = self.parts.dirty == 0;
        self.release.push(served, id, all);
        if self.without.is_some() {
            self.release_without(served, id, all);
        }
        all
    }

    /// What a release does besides without some of its rules.
    #[cold]
    fn release_without(&mut self, served: u16, id: u8, all: bool) {
        if !self.keeps(Rule::MarkCleans) {
            self.stay_dirty |= served;
            if all {
                self.parts.dirty = std::mem::take(&mut self.stay_dirty);
            }
        }
        if !self.keeps(Rule::ReleaseWaits) && all {
            self.parts.out.rel = Some(id);
            self.release.finish();
        }
    }

    #[inline(never)]
    fn flush_overdue(&mut self, now: u64, timeout: u16) {
        for part in bits(self.parts.filled) {
            if self.keeps(Rule::Timeout)
                && self.parts.is_overdue(part, now, timeout)
                && self.parts.can_flush(part)
                && self.orders.has_room(part, 1)
            {
                self.flush(part, flush_cause::TIMEOUT);
            }
        }
    }

    /// Flushes `part` if its bank and `tokens` places are free; else notes what is missing.
    #[inline(never)] // rare enough to keep out of the way of stores
    fn flush_with(&mut self, part: usize, tokens: u8, cause: u8) -> bool {
        let bank = self.parts.can_flush(part);
        let order = self.orders.has_room(part, tokens);
        if bank && order {
            self.flush(part, cause);
            return true;
        }
        let why = if bank { 0 } else { STALL_BANK } | if order { 0 } else { STALL_ORDER };
        self.stall(why)
    }

    #[inline(always)]
    fn flush(&mut self, part: usize, cause: u8) {
        self.parts.flush(part);
        self.orders.push_drain(part);
        self.parts.out.evt.flush_cause[part] = cause;
    }

    /// Notes why the request in S2 stays. Returns false, as in "does not leave".
    #[inline(always)]
    fn stall(&mut self, why: u8) -> bool {
        self.parts.out.evt.stall |= why;
        false
    }
}

/// The set bits, lowest first.
fn bits(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        bit
    })
}
