//! Stage S2: decides what the oldest request does, and applies the action (specification 5.2 to
//! 5.4, 5.8). It decides from the registers at the start of the cycle.

use ports::finepack::types::{Evt, drain_kind, flush_cause, op};

use super::choices::{Choices, Done};
use super::order_queue::{OrderQueues, Token};
use super::partition::{Partitions, Place};
use super::release::{Completion, Release};
use super::slot::Slot;
use super::{Config, In};

/// Reasons of `evt_o.stall`.
const STALL_BANK: u8 = 1;
const STALL_ORDER: u8 = 2;

/// What S2 does with its request in a cycle.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// A fault: the request leaves without another effect (README rule 2).
    Drop,
    /// The request stays, for these reasons (README rule 5).
    Stall(u8),
    /// STORE: written into this place. After a flush it stays while its only bank drains.
    Store(Place),
    /// LOAD or ATOMIC: its token is pushed, behind the flush for this cause.
    Raw { flush: Option<u8> },
    /// RELEASE_SYS: bit p: partition p gets its MARK, behind its flush if it is in `flushed`. The
    /// request stays if others are not ready, for the reasons in `stall`.
    Mark { marked: u16, flushed: u16, stall: u8 },
    /// A release without anything to wait for is done.
    Finish,
}

/// The state that S2 decides on.
#[derive(Debug)]
pub(super) struct Decide {
    pub parts: Partitions,
    pub orders: OrderQueues,
    pub release: Release,
}

impl Decide {
    pub fn new(config: &Config) -> Self {
        Self {
            parts: Partitions::new(config),
            orders: OrderQueues::new(config.order_queue_depth),
            release: Release::default(),
        }
    }

    /// One cycle, number `now`, with `slot` in S2. Returns true when its request leaves.
    #[inline(always)]
    pub fn tick(
        &mut self,
        slot: Option<&Slot>,
        inputs: &In,
        now: u64,
        config: &Config,
        choices: &Choices,
    ) -> bool {
        // The pulses of the last cycle end.
        let out = &mut self.parts.out;
        (out.rel, out.err, out.evt) = (None, None, Evt::default());
        let completion = match inputs.cpl {
            Some(dest) => self.release.complete(dest, inputs.self_id, config, choices),
            None => Completion::default(),
        };
        let mut faults = completion.faults;
        let mut leaves = false;
        if let Some(slot) = slot {
            faults |= slot.faults;
            let action = self.decide(slot, completion.done.is_some(), choices);
            leaves = self.apply(action, slot, inputs, now, choices);
        }
        let yields = slot.is_some() && choices.timeout_yields;
        if inputs.timeout != 0 && self.parts.filled != 0 && !yields {
            self.flush_overdue(now, inputs.timeout, choices);
        }
        if faults != 0 {
            self.report(faults, choices);
        }
        if completion.done.is_some() {
            self.parts.out.rel = completion.done;
            self.release.finish();
        }
        leaves
    }

    /// The action for the request in S2; `done`: a system release is done in this cycle.
    #[inline(always)]
    fn decide(&self, slot: &Slot, done: bool, choices: &Choices) -> Action {
        if slot.faults != 0 {
            return Action::Drop;
        }
        match slot.op {
            op::STORE => self.decide_store(slot, choices),
            op::LOAD | op::ATOMIC => self.decide_raw(slot, choices),
            op::RELEASE_SYS => self.decide_release(choices),
            // README rule 10.
            _ if done && choices.gives_way => Action::Stall(0),
            _ if choices.gpu_release == op::RELEASE_SYS => self.decide_release(choices),
            _ => Action::Finish,
        }
    }

    /// Specification 5.2, 5.3.
    #[inline(always)]
    fn decide_store(&self, slot: &Slot, choices: &Choices) -> Action {
        let part = usize::from(slot.part);
        if !self.parts.can_store(part) {
            return Action::Stall(STALL_BANK);
        }
        let place = self.parts.place(part, slot.line, slot.size.cost, choices);
        if matches!(place, Place::Flushed(_)) {
            let missing = self.missing(part, true, 1, choices);
            if missing != 0 {
                return Action::Stall(missing);
            }
        }
        Action::Store(place)
    }

    /// Specification 5.4: a LOAD or ATOMIC flushes if it touches queued bytes.
    #[inline(never)]
    fn decide_raw(&self, slot: &Slot, choices: &Choices) -> Action {
        let part = usize::from(slot.part);
        let cause =
            if slot.op == op::ATOMIC { flush_cause::ATOMIC_HIT } else { flush_cause::LOAD_HIT };
        let touched = slot.mask | choices.raw_touches;
        let flushes = choices.flushes(cause) && self.parts.overlaps(part, slot.line, touched);
        match self.missing(part, flushes, 1 + u8::from(flushes), choices) {
            0 => Action::Raw { flush: flushes.then_some(cause) },
            missing => Action::Stall(missing),
        }
    }

    /// Specification 5.8 d: serves every partition that is ready. An entry implies the dirty bit,
    /// so the dirty partitions are exactly those that are not served.
    #[inline(never)]
    fn decide_release(&self, choices: &Choices) -> Action {
        let Self { parts, release, .. } = self;
        if release.outstanding && !release.serving && choices.second_waits {
            return Action::Stall(0);
        }
        let unserved = parts.dirty & (parts.filled | choices.empty_gets_mark);
        if unserved == 0 {
            return Action::Finish;
        }
        let (mut marked, mut flushed, mut stall) = (0, 0, 0);
        for part in bits(unserved) {
            let flushes = parts.filled >> part & 1 != 0 && choices.flushes(flush_cause::RELEASE);
            match self.missing(part, flushes, 1 + u8::from(flushes), choices) {
                0 => {
                    marked |= 1 << part;
                    flushed |= u16::from(flushes) << part;
                }
                missing => stall |= missing,
            }
        }
        Action::Mark { marked, flushed, stall }
    }

    /// Why `part` cannot be flushed, if it `flushes`, and take `tokens`: a `stall`, 0 if it can.
    #[inline(always)]
    fn missing(&self, part: usize, flushes: bool, tokens: u8, choices: &Choices) -> u8 {
        let lacks_bank = flushes && !self.parts.can_flush(part);
        let lacks_order = !self.orders.has_room(part, tokens, choices);
        (u8::from(lacks_bank) * STALL_BANK) | (u8::from(lacks_order) * STALL_ORDER)
    }

    /// Applies an action. Returns true when the request leaves.
    #[inline(always)]
    fn apply(
        &mut self,
        action: Action,
        slot: &Slot,
        inputs: &In,
        now: u64,
        choices: &Choices,
    ) -> bool {
        match action {
            Action::Drop => true,
            Action::Stall(why) => self.stall(why),
            Action::Store(place) => self.store(place, slot, inputs.acct, now, choices),
            Action::Raw { flush } => {
                self.push_raw(flush, slot, now, choices);
                true
            }
            Action::Mark { marked, flushed, stall } => {
                self.parts.out.evt.stall |= stall;
                self.push_marks(marked, flushed, slot.id, stall == 0, choices);
                stall == 0
            }
            Action::Finish => {
                self.parts.out.rel = Some(slot.id);
                true
            }
        }
    }

    #[inline(always)]
    fn store(&mut self, place: Place, slot: &Slot, acct: u8, now: u64, choices: &Choices) -> bool {
        let part = usize::from(slot.part);
        match place {
            Place::Hit(entry) => {
                let overwritten = self.parts.write_hit(part, entry, slot, acct, choices);
                self.parts.out.evt.overwritten = overwritten;
            }
            Place::Free => self.parts.write_new(part, slot, choices),
            Place::Flushed(cause) => {
                self.flush(part, cause, choices);
                // One bank: the store waits until its packet has left.
                if !self.parts.can_store(part) {
                    return self.stall(STALL_BANK);
                }
                self.parts.write_new(part, slot, choices);
            }
        }
        if choices.hit_restarts || !matches!(place, Place::Hit(_)) {
            self.parts.restart_timer(part, now);
        }
        true
    }

    #[inline(never)]
    fn push_raw(&mut self, flush: Option<u8>, slot: &Slot, now: u64, choices: &Choices) {
        let Slot { line, mask, id, .. } = *slot;
        let part = usize::from(slot.part);
        let mut token = Token { kind: drain_kind::READ, id, line, mask, ..Token::default() };
        if slot.op == op::ATOMIC {
            token.kind = drain_kind::ATOMIC;
            token.aop = slot.aop;
            token.operands.copy_from_slice(&slot.data.0[..16]);
            self.parts.dirty |= u16::from(choices.atomic_dirties) << part;
        } else if choices.load_restarts {
            self.parts.restart_timer(part, now);
        }
        self.push(part, token, flush, choices.raw_behind, choices);
    }

    /// `all`: release `id` has served all partitions.
    #[inline(never)]
    fn push_marks(&mut self, marked: u16, flushed: u16, id: u8, all: bool, choices: &Choices) {
        for part in bits(marked) {
            let token = Token { kind: drain_kind::MARK, id, ..Token::default() };
            let flush = (flushed >> part & 1 != 0).then_some(flush_cause::RELEASE);
            self.push(part, token, flush, choices.mark_behind, choices);
        }
        self.parts.dirty &= !marked;
        self.release.push(marked, id, all);
        if all {
            self.parts.dirty |= self.release.marks & choices.mark_leaves_dirty;
            if choices.release_done == Done::Pushed {
                self.parts.out.rel = Some(id);
                self.release.finish();
            }
        }
    }

    /// Pushes a token, `behind` or before its flush.
    fn push(
        &mut self,
        part: usize,
        token: Token,
        flush: Option<u8>,
        behind: bool,
        choices: &Choices,
    ) {
        if !behind {
            self.orders.push(part, token);
        }
        if let Some(cause) = flush {
            self.flush(part, cause, choices);
        }
        if behind {
            self.orders.push(part, token);
        }
    }

    /// Flushes the partitions that had no STORE for `timeout` cycles (specification 5.8 e).
    #[inline(never)]
    fn flush_overdue(&mut self, now: u64, timeout: u16, choices: &Choices) {
        for part in bits(self.parts.filled) {
            if choices.flushes(flush_cause::TIMEOUT)
                && self.parts.is_overdue(part, now, timeout)
                && self.missing(part, true, 1, choices) == 0
            {
                self.flush(part, flush_cause::TIMEOUT, choices);
            }
        }
    }

    /// Flushes `part`, of which nothing is missing.
    #[inline(never)] // rare enough to keep out of the way of stores
    fn flush(&mut self, part: usize, cause: u8, choices: &Choices) {
        self.parts.flush(part, choices);
        self.orders.push_drain(part);
        self.parts.out.evt.flush_cause[part] = cause;
    }

    /// Shows the faults of a cycle, bit c for code c (README rule 3).
    fn report(&mut self, faults: u16, choices: &Choices) {
        let (lowest, highest) = (faults.trailing_zeros() as u8, faults.ilog2() as u8);
        self.parts.out.err = Some(if choices.shows_lowest { lowest } else { highest });
        self.parts.out.evt.err_lost = lowest != highest && choices.flags_lost;
    }

    /// Shows why the request in S2 stays. Returns false, as in "does not leave".
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
