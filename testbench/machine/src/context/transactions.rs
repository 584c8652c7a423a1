//! What a CU has asked for and not got yet.

use std::collections::VecDeque;

use traces::trace::InstrKind;

use crate::engine::Cycle;

use crate::context::message::{Line, Unit};
use crate::context::translation::Tlb;
use crate::engine::pool::Handle;

/// Most loads of a wave that may be under way.
pub const MAX_LOADS: usize = 64;
/// Most wave slots of a CU.
pub const MAX_WAVES: usize = 64;

/// A command of an L1 to its CU, which executes it before it issues next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum L1Command {
    /// A wave slot that was held goes on.
    Resume(usize),
    /// A speculative load of this transaction is right.
    Confirm(u32),
    /// It is not.
    Replay(u32),
    /// What `acquire` has begun is over.
    Acquired,
}

/// One line of one memory instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transaction {
    /// Bytes of the line.
    pub mask: u128,
    /// Bytes whose value is not determined.
    pub racy: u128,
    /// Byte address of the line.
    pub addr: u64,
    /// What the program saw: a load's bytes, an atomic's old values.
    pub expected: Handle<Line>,
    /// What it is.
    pub kind: InstrKind,
    /// Wave slot.
    pub wave: u16,
    /// Which of the wave's loads in flight; unused for stores.
    pub load: u8,
    /// Number of the launch.
    pub launch: u8,
    /// What becomes of the value.
    pub value: Value,
    /// Where the instruction stands in the wave's list.
    pub place: u32,
    /// What a speculative load has got.
    pub found: Handle<Line>,
}

impl Transaction {
    /// It may still be replayed.
    pub fn is_speculative(&self) -> bool {
        matches!(self.value, Value::Speculative | Value::Taken)
    }
}

/// What becomes of the value of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// It is compared when it comes.
    #[default]
    Plain,
    /// It is kept until it is confirmed.
    Speculative,
    /// Likewise, and the wave has it.
    Taken,
    /// No longer needed.
    Dropped,
}

/// Address of a transaction that is free.
const NO_LINE: u64 = u64::MAX;

/// Hashes of lines.
const HASHES: usize = 1024;

/// No transaction.
const NONE: u32 = u32::MAX;

/// A line's hash.
#[inline]
fn hash(addr: u64) -> usize {
    (addr.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize % HASHES
}

/// A fixed number of transactions, when each that has been answered is over, and the commands of
/// the L1.
#[derive(Debug)]
pub struct Transactions {
    all: Vec<Transaction>,
    free: Vec<u32>,
    /// Those that are over in the cycle in which they were answered.
    over: Vec<u32>,
    /// When each of the others is, in this order.
    due: VecDeque<(Cycle, u32)>,
    /// Of each wave, loads that may still be replayed.
    unconfirmed: [u32; MAX_WAVES],
    /// Of each hash of a line the last one, and of each one the next of its hash; empty unless
    /// lines are looked up.
    of_hash: Vec<u32>,
    same_hash: Vec<u32>,
    /// Commands of the L1 that the CU has not executed.
    pub commands: Vec<L1Command>,
    /// Credits in L2 banks, if the design limits requests by them.
    pub bank_credits: Option<BankCredits>,
    /// The CU's TLB, where translation takes time.
    pub tlb: Option<Box<Tlb>>,
}

/// Credits of a CU in L2 banks: a request takes one from its sending to its answer.
#[derive(Debug)]
pub struct BankCredits {
    most: u32,
    /// Of each bank, by its unit, up to the last one that a request was sent to.
    taken: Vec<u32>,
}

impl BankCredits {
    /// `most` in each bank.
    pub fn new(most: u32) -> Self {
        Self { most, taken: Vec::new() }
    }

    /// Whether one is free.
    pub fn is_free(&self, bank: Unit) -> bool {
        self.taken.get(usize::from(bank.0)).is_none_or(|taken| *taken < self.most)
    }

    /// Takes one, which must be free.
    pub fn take(&mut self, bank: Unit) {
        let bank = usize::from(bank.0);
        self.taken.resize(self.taken.len().max(bank + 1), 0);
        self.taken[bank] += 1;
    }

    /// Gives one back.
    pub fn give(&mut self, bank: Unit) {
        self.taken[usize::from(bank.0)] -= 1;
    }
}

impl Transactions {
    /// `count` free ones. `by_line`: lines will be looked up.
    pub fn new(count: u32, by_line: bool) -> Self {
        Self {
            all: vec![Transaction { addr: NO_LINE, ..Transaction::default() }; count as usize],
            free: (0..count).rev().collect(),
            over: Vec::with_capacity(count as usize),
            due: VecDeque::with_capacity(count as usize),
            unconfirmed: [0; MAX_WAVES],
            of_hash: vec![NONE; if by_line { HASHES } else { 0 }],
            same_hash: vec![NONE; if by_line { count as usize } else { 0 }],
            commands: Vec::new(),
            bank_credits: None,
            tlb: None,
        }
    }

    /// True when none is free.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.free.is_empty()
    }

    /// Starts one; one must be free.
    #[inline]
    pub fn start(&mut self, transaction: Transaction) -> u32 {
        let at = self.free.pop().expect("one is free");
        if let Some(first) = self.of_hash.get_mut(hash(transaction.addr)) {
            self.same_hash[at as usize] = std::mem::replace(first, at);
        }
        self.all[at as usize] = transaction;
        at
    }

    /// Takes back one that was just started.
    pub fn cancel(&mut self, at: u32) {
        let transaction = &self.all[at as usize];
        self.unconfirmed[usize::from(transaction.wave)] -= u32::from(transaction.is_speculative());
        self.release(at);
    }

    /// How many are in use.
    pub fn in_use(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// Whether one of a line is under way.
    #[inline]
    pub fn is_under_way(&self, addr: u64) -> bool {
        let mut at = self.of_hash[hash(addr)];
        while at != NONE && self.all[at as usize].addr != addr {
            at = self.same_hash[at as usize];
        }
        at != NONE
    }

    /// Shows the line of each one that is not answered.
    pub fn unanswered(&self, mut see: impl FnMut(u64)) {
        let mut is_answered = vec![false; self.all.len()];
        let due = self.due.iter().map(|(_, at)| at);
        self.over.iter().chain(due).for_each(|&at| is_answered[at as usize] = true);
        let all = self.all.iter().zip(is_answered);
        let unanswered = all.filter(|(t, is_answered)| t.addr != NO_LINE && !is_answered);
        unanswered.for_each(|(t, _)| see(t.addr));
    }

    /// How many of a line are under way.
    pub fn under_way(&self, addr: u64) -> usize {
        self.all.iter().filter(|t| t.addr == addr).count()
    }

    #[inline]
    fn release(&mut self, at: u32) {
        if !self.of_hash.is_empty() {
            let (first, next) = (hash(self.all[at as usize].addr), self.same_hash[at as usize]);
            let mut before = self.of_hash[first];
            if before == at {
                self.of_hash[first] = next;
            } else {
                while self.same_hash[before as usize] != at {
                    before = self.same_hash[before as usize];
                }
                self.same_hash[before as usize] = next;
            }
        }
        self.all[at as usize].addr = NO_LINE;
        self.free.push(at);
    }

    /// It is answered, and over now.
    #[inline]
    pub fn finish(&mut self, at: u32) {
        self.over.push(at);
    }

    /// It is answered, and over in a later cycle.
    #[inline]
    pub fn finish_at(&mut self, at: u32, when: Cycle) {
        let entry = (when, at);
        // Hits take the same time, so an entry is nearly always the last.
        if self.due.back().is_none_or(|last| *last <= entry) {
            return self.due.push_back(entry);
        }
        let place = self.due.partition_point(|other| *other <= entry);
        self.due.insert(place, entry);
    }

    /// The load may be replayed from now on; it must not be over.
    pub fn speculate(&mut self, at: u32) {
        let transaction = &mut self.all[at as usize];
        assert_eq!(transaction.value, Value::Plain, "a load becomes speculative once");
        transaction.value = Value::Speculative;
        self.unconfirmed[usize::from(transaction.wave)] += 1;
    }

    /// Loads of a wave that may still be replayed.
    #[inline]
    pub fn unconfirmed(&self, wave: usize) -> u32 {
        self.unconfirmed[wave]
    }

    /// What a speculative load has got.
    pub fn keep(&mut self, at: u32, found: Handle<Line>) {
        self.all[at as usize].found = found;
    }

    /// A speculative load is one no more. What it has got is compared and gone: another line of its
    /// load may still be replayed, before this one is over. True when its wave has the answer.
    pub fn confirm(&mut self, at: u32) -> bool {
        let transaction = &mut self.all[at as usize];
        transaction.found = Handle::NONE;
        self.unconfirmed[usize::from(transaction.wave)] -= 1;
        let is_over = std::mem::take(&mut transaction.value) == Value::Taken;
        if is_over {
            self.release(at);
        }
        is_over
    }

    /// Drops a load. It is over when it is answered, unless its wave has that answer.
    pub fn drop(&mut self, at: u32) {
        let transaction = &self.all[at as usize];
        self.unconfirmed[usize::from(transaction.wave)] -= u32::from(transaction.is_speculative());
        if transaction.value == Value::Taken {
            self.release(at);
        }
        self.all[at as usize].value = Value::Dropped;
    }

    /// A wave's transactions from a place in its list on, those that were dropped aside.
    pub fn since(&self, wave: usize, place: u32) -> Vec<u32> {
        let wanted = |&at: &u32| {
            let t = &self.all[at as usize];
            let is_used = t.addr != NO_LINE && t.value != Value::Dropped;
            is_used && usize::from(t.wave) == wave && t.place >= place
        };
        (0..self.all.len() as u32).filter(wanted).collect()
    }

    /// Whether one is over by now.
    #[inline]
    pub fn any_due(&self, now: Cycle) -> bool {
        !self.over.is_empty() || self.due.front().is_some_and(|(when, _)| *when <= now)
    }

    /// One that is over by now, or that its wave has got. It may be looked at until the next one
    /// starts.
    #[inline]
    pub fn take_due(&mut self, now: Cycle) -> Option<u32> {
        let at = match self.over.pop() {
            Some(at) => at,
            None => {
                let &(when, at) = self.due.front()?;
                if when > now {
                    return None;
                }
                self.due.pop_front();
                at
            }
        };
        match &mut self.all[at as usize].value {
            value @ Value::Speculative => *value = Value::Taken,
            _ => self.release(at),
        }
        Some(at)
    }
}

impl std::ops::Index<u32> for Transactions {
    type Output = Transaction;
    fn index(&self, at: u32) -> &Transaction {
        &self.all[at as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_over_in_the_order_of_their_cycles() {
        let mut transactions = Transactions::new(4, false);
        let all: Vec<_> = (0..4).map(|_| transactions.start(Transaction::default())).collect();
        for (at, when) in [(0, 10), (1, 12), (2, 9), (3, 10)] {
            transactions.finish_at(all[at], when);
        }
        let mut over = Vec::new();
        for now in 8..=12 {
            assert_eq!(transactions.any_due(now), [9, 10, 12].contains(&now));
            over.extend(std::iter::from_fn(|| transactions.take_due(now)).map(|at| (now, at)));
        }
        assert_eq!(over, [(9, all[2]), (10, all[0]), (10, all[3]), (12, all[1])]);
        assert_eq!(transactions.in_use(), 0);
    }
}
