//! The same questions, answered by trying all orders, and by doing an order.

use std::collections::HashSet;

use super::case::{Case, Op};
use crate::check::sequential::Placed;

/// Accesses that each wave has done.
type Done = Vec<usize>;

impl Case {
    /// Whether a wave's next step may be the next one of all, after so many writes.
    fn may_do(&self, op: &Op, at: (usize, usize), writes: usize) -> bool {
        if op.changes().is_some() && self.order.get(writes) != Some(&at) {
            return false;
        }
        let line = match *op {
            Op::Load { line, .. } | Op::Atomic { line, .. } => line,
            _ => return true,
        };
        let last = |k: u32| {
            let has = |at: &&(usize, usize)| {
                self.op(**at).changes().is_some_and(|(l, m)| l == line && m >> k & 1 == 1)
            };
            self.order[..writes].iter().rev().find(has).copied()
        };
        self.writers(op).iter().all(|&(k, writer)| writer == last(k))
    }

    /// Waves of a group that have a barrier before them. Those that have not, though they may not
    /// have ended, take no part.
    fn waiting(&self, group: usize, done: &[usize]) -> Vec<usize> {
        let has = |op: &Op| matches!(op, Op::Barrier);
        let waits =
            |&w: &usize| self.groups[w] == group && self.waves[w][done[w]..].iter().any(has);
        (0..self.waves.len()).filter(waits).collect()
    }

    /// They are all at the barrier.
    pub fn may_pass(&self, group: usize, done: &[usize]) -> bool {
        let waiting = self.waiting(group, done);
        waiting.iter().all(|&w| matches!(self.waves[w][done[w]], Op::Barrier))
    }

    /// They pass it.
    pub fn pass(&self, group: usize, done: &mut [usize]) {
        self.waiting(group, done).iter().for_each(|&w| done[w] += 1);
    }

    fn next(&self, done: &Done, writes: usize) -> Vec<(Done, usize)> {
        let mut next = Vec::new();
        for wave in 0..self.waves.len() {
            let Some(op) = self.waves[wave].get(done[wave]) else { continue };
            let mut after = done.clone();
            if matches!(op, Op::Barrier) {
                if self.may_pass(self.groups[wave], done) {
                    self.pass(self.groups[wave], &mut after);
                    next.push((after, writes));
                }
            } else if self.may_do(op, (wave, done[wave]), writes) {
                after[wave] += 1;
                next.push((after, writes + usize::from(op.changes().is_some())));
            }
        }
        next
    }
}

/// Whether any order of all accesses, with the writes in theirs, explains all loads.
pub fn explains(case: &Case) -> bool {
    let mut open = vec![(vec![0; case.waves.len()], 0)];
    let mut known = HashSet::new();
    while let Some((done, writes)) = open.pop() {
        if done.iter().zip(&case.waves).all(|(done, wave)| *done == wave.len()) {
            return true;
        }
        if known.insert(done.clone()) {
            open.extend(case.next(&done, writes));
        }
    }
    false
}

/// Does what the oracle has placed, in the order that it says: each wave's accesses are in program
/// order, barriers hold, and each load finds what it has seen.
pub fn verify(case: &Case, placed: &[Placed]) {
    let mut placed: Vec<_> = placed.iter().collect();
    placed.sort_by_key(|access| (access.position, !access.writes));
    let (mut done, mut writes) = (vec![0; case.waves.len()], 0);
    for access in placed {
        let group = access.which.group as usize;
        let first = case.groups.iter().position(|&g| g == group).unwrap();
        let wave = first + usize::from(access.which.number);
        let at = access.which.place as usize;
        // Steps without an access.
        while done[wave] < at {
            let here = done[wave];
            match &case.waves[wave][here] {
                Op::Barrier => {
                    for other in case.waiting(group, &done) {
                        skip(case, other, &mut done);
                    }
                    assert!(case.may_pass(group, &done), "{case:?}");
                    case.pass(group, &mut done);
                }
                Op::Replayed(_) | Op::Cancelled => done[wave] += 1,
                op => panic!("{op:?} is left out, or comes later: {case:?}"),
            }
        }
        assert_eq!(done[wave], at, "program order: {case:?}");
        let op = &case.waves[wave][at];
        assert!(case.may_do(op, (wave, at), writes), "{access:?} of {case:?}");
        done[wave] += 1;
        writes += usize::from(access.writes);
    }
    assert_eq!(writes, case.order.len());
    for (wave, list) in case.waves.iter().enumerate() {
        let access = |op: &Op| matches!(op, Op::Load { .. }) || op.changes().is_some();
        assert!(!list[done[wave]..].iter().any(access), "not all placed: {case:?}");
    }
}

fn skip(case: &Case, wave: usize, done: &mut Done) {
    while let Some(Op::Replayed(_) | Op::Cancelled) = case.waves[wave].get(done[wave]) {
        done[wave] += 1;
    }
}
