//! Histories as data.

use crate::check::sequential::{Keep, Placed, Seen, Sequential, Version, WaveOf, WriteId};
use crate::context::message::Unit;

/// What a wave does.
#[derive(Clone, Debug)]
pub enum Op {
    /// Sees so many writes of the line, in the order in which they are performed, and these ones
    /// on top: wave and place in its list.
    Load {
        line: u64,
        mask: u128,
        version: u32,
        own: Vec<(usize, usize)>,
    },
    Store {
        line: u64,
        mask: u128,
    },
    Atomic {
        line: u64,
        mask: u128,
        version: u32,
    },
    Barrier,
    /// Loads that are issued and answered, and then replayed.
    Replayed(Vec<Op>),
    /// An access that is not taken.
    Cancelled,
}

pub fn store(line: u64) -> Op {
    Op::Store { line, mask: 0xf }
}

pub fn load(line: u64, version: u32) -> Op {
    load_of(line, version, &[])
}

pub fn load_of(line: u64, version: u32, own: &[(usize, usize)]) -> Op {
    Op::Load { line, mask: 0xf, version, own: own.to_vec() }
}

pub fn atomic(line: u64, version: u32) -> Op {
    Op::Atomic { line, mask: 0xf, version }
}

impl Op {
    /// The line and the bytes that it changes.
    pub fn changes(&self) -> Option<(u64, u128)> {
        match *self {
            Op::Store { line, mask } | Op::Atomic { line, mask, .. } => Some((line, mask)),
            _ => None,
        }
    }
}

/// A history. Wave `w` is on a CU of its own.
#[derive(Clone, Debug)]
pub struct Case {
    pub waves: Vec<Vec<Op>>,
    /// Of each wave. Waves of a group are on the group's CU.
    pub groups: Vec<usize>,
    /// All writes, wave and place in its list, in their order.
    pub order: Vec<(usize, usize)>,
    /// In the order in which they are performed.
    pub performed: Vec<(usize, usize)>,
}

impl Case {
    pub fn op(&self, (wave, at): (usize, usize)) -> &Op {
        &self.waves[wave][at]
    }

    fn wave_of(&self, wave: usize) -> WaveOf {
        WaveOf { cu: Unit(self.groups[wave] as u16), slot: wave - self.first(self.groups[wave]) }
    }

    fn first(&self, group: usize) -> usize {
        self.groups.iter().position(|&g| g == group).unwrap()
    }

    /// Of each byte of a load, or of an atomic's old value, its write: none where it is as at the
    /// start.
    pub fn writers(&self, op: &Op) -> Vec<(u32, Option<(usize, usize)>)> {
        let (line, mask, version, own) = match op {
            Op::Load { line, mask, version, own } => (*line, *mask, *version, &own[..]),
            Op::Atomic { line, mask, version } => (*line, *mask, *version, &[][..]),
            _ => return Vec::new(),
        };
        let has = |at: &(usize, usize), k: u32| {
            self.op(*at).changes().is_some_and(|(l, m)| l == line && m >> k & 1 == 1)
        };
        let of_line = |at: &&(usize, usize)| self.op(**at).changes().is_some_and(|c| c.0 == line);
        let seen: Vec<_> =
            self.performed.iter().filter(of_line).take(version as usize).copied().collect();
        let of = |k: u32| {
            let newest = own.iter().rev().find(|at| has(at, k)).copied();
            newest.or_else(|| seen.iter().rev().find(|at| has(at, k)).copied())
        };
        (0..128).filter(|k| mask >> k & 1 == 1).map(|k| (k, of(k))).collect()
    }

    fn value(at: Option<(usize, usize)>) -> u8 {
        at.map_or(99, |(wave, at)| (wave * 16 + at) as u8)
    }

    fn read(&self, order: &mut Sequential, wave: WaveOf, tag: u32, op: &Op, numbers: &Numbers) {
        let mut bytes = [0; 128];
        for (k, writer) in self.writers(op) {
            bytes[k as usize] = Self::value(writer);
        }
        let (line, mask, writes, own) = match op {
            Op::Load { line, mask, version, own } => (*line, *mask, *version, &own[..]),
            Op::Atomic { line, mask, version } => (*line, *mask, *version, &[][..]),
            _ => return,
        };
        let own: Vec<_> = own
            .iter()
            .map(|&at| (numbers.of(at), self.op(at).changes().expect("a write").1))
            .collect();
        let seen = Seen { version: Version { kernel: 0, writes }, own: &own };
        order.read(wave, tag, (line, mask), seen, &bytes);
    }

    /// What the oracle says.
    pub fn run(&self) -> Result<Vec<Placed>, String> {
        let mut order = Sequential::new(Keep { values: true, placed: true }, Vec::new());
        order.begin_kernel(0);
        let mut tags = Vec::new();
        let mut numbers = Numbers(Vec::new());
        let groups = self.groups.iter().max().map_or(0, |last| last + 1);
        for group in 0..groups {
            let waves = self.groups.iter().filter(|&&g| g == group).count();
            let slots: Vec<_> = (0..waves).collect();
            order.begin_group(Unit(group as u16), 0, group as u32, &slots);
            self.issue(&mut order, group, &mut tags, &mut numbers);
        }
        for &at in &self.order {
            order.order(numbers.of(at));
        }
        for &at in &self.performed {
            let (line, mask) = self.op(at).changes().expect("a write");
            order.perform(numbers.of(at), line, mask, &[Self::value(Some(at)); 128]);
        }
        for &(wave, at, tag) in &tags {
            self.read(&mut order, self.wave_of(wave), tag, &self.waves[wave][at], &numbers);
        }
        for group in 0..groups {
            order.end_group(Unit(group as u16), 0);
        }
        order.end_kernel();
        match order.failure() {
            Some(text) => Err(text.to_string()),
            None => Ok(order.placed().to_vec()),
        }
    }

    /// Issues a group's accesses, from barrier to barrier.
    fn issue(
        &self,
        order: &mut Sequential,
        group: usize,
        tags: &mut Vec<(usize, usize, u32)>,
        numbers: &mut Numbers,
    ) {
        let waves: Vec<_> = (0..self.waves.len()).filter(|&w| self.groups[w] == group).collect();
        let mut next = vec![0; self.waves.len()];
        loop {
            let mut waiting = 0;
            for &wave in &waves {
                let of = self.wave_of(wave);
                let list = &self.waves[wave];
                if next[wave] > list.len() {
                    continue;
                }
                while let Some(op) = list.get(next[wave]).filter(|op| !matches!(op, Op::Barrier)) {
                    let at = (wave, next[wave]);
                    self.issue_one(order, of, at, op, tags, numbers);
                    next[wave] += 1;
                }
                if next[wave] == list.len() {
                    order.end_wave(of);
                } else {
                    waiting += 1;
                }
                next[wave] += 1;
            }
            if waiting == 0 {
                return;
            }
            order.barrier(Unit(group as u16), 0);
        }
    }

    fn issue_one(
        &self,
        order: &mut Sequential,
        wave: WaveOf,
        at: (usize, usize),
        op: &Op,
        tags: &mut Vec<(usize, usize, u32)>,
        numbers: &mut Numbers,
    ) {
        let (place, tag) = (at.1 as u32, tags.len() as u32);
        match op {
            Op::Cancelled => {
                order.issue(wave, place, tag);
                order.cancel(wave);
            }
            Op::Replayed(loads) => {
                for (k, load) in loads.iter().enumerate() {
                    let (version, own) = (Version { kernel: 0, writes: 0 }, &[][..]);
                    order.issue(wave, place + k as u32, tag + k as u32);
                    if let Op::Load { line, mask, .. } = *load {
                        let seen = Seen { version, own };
                        order.read(wave, tag + k as u32, (line, mask), seen, &[5; 128]);
                    }
                }
                order.replay(wave, place, &[]);
            }
            _ => {
                order.issue(wave, place, tag);
                tags.push((at.0, at.1, tag));
                if op.changes().is_some() {
                    numbers.0.push((at, order.send(wave, tag)));
                }
            }
        }
    }
}

/// Numbers of writes.
struct Numbers(Vec<((usize, usize), WriteId)>);

impl Numbers {
    fn of(&self, at: (usize, usize)) -> WriteId {
        self.0.iter().find(|(other, _)| *other == at).expect("it is sent").1
    }
}
