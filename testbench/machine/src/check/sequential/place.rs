//! The places of a work-group's accesses in the order.

use super::group::{Access, Group, Read};
use super::history::{History, Start, rank};
use super::{NONE, Placed, Sequential, WaveOf, Which};

/// How many writes of the kernel a wave is behind, and why.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    pub at: u32,
    /// The access that made it so, if any.
    pub by: Option<Which>,
    /// The write of which it is the place.
    pub write: u32,
}

impl Sequential {
    /// Gives a group that has ended its places, from barrier to barrier.
    pub(super) fn place(&mut self, group: &Group) {
        let mut positions = vec![Position::default(); group.count];
        let segments = group.waves().iter().map(|wave| wave.barriers.len() + 1).max();
        for segment in 0..segments.unwrap_or(0) {
            for (number, wave) in group.waves().iter().enumerate() {
                let Some(first) = segment.checked_sub(1).map_or(Some(&0), |s| wave.barriers.get(s))
                else {
                    continue;
                };
                let end = wave.barriers.get(segment).copied().unwrap_or(wave.accesses.len());
                let of = WaveOf { cu: group.cu, slot: wave.slot };
                let mut place = |at: usize| {
                    let which = group.which(of, number, at);
                    let access = &wave.accesses[at];
                    self.place_access(group, access, &which, &mut positions[number]);
                };
                match wave.is_mixed {
                    false => (*first..end).for_each(&mut place),
                    true => wave.in_order(*first, end).into_iter().for_each(&mut place),
                }
            }
            let meets = |number: &usize| group.waves[*number].barriers.len() > segment;
            let last = (0..group.count).filter(meets).max_by_key(|&number| positions[number].at);
            if let Some(last) = last.map(|number| positions[number]) {
                (0..group.count).filter(meets).for_each(|number| positions[number] = last);
            }
        }
    }

    fn place_access(
        &mut self,
        group: &Group,
        access: &Access,
        which: &Which,
        position: &mut Position,
    ) {
        let &Access { write, ref read, .. } = access;
        if write == 0 && read.mask == 0 {
            let text = format!("nothing is known of what {} has read", self.who(which));
            return self.fail(&text);
        }
        let mut seen = std::mem::take(&mut self.scratch);
        self.find_writers(group, read, &mut seen);
        if self.keep.values && read.mask != 0 {
            self.compare_values(&group.bytes, read, which, &seen);
        }
        if write == 0 {
            self.place_load(read, which, position, &seen);
        } else {
            self.place_write(write, read, which, position, &seen);
        }
        if self.keep.placed {
            self.keep_placed(write, read, which, position, &seen);
        }
        self.scratch = seen;
    }

    /// Who has written which of the bytes that were read: the newest own write, else the newest one
    /// of the version.
    fn find_writers(&mut self, group: &Group, read: &Read, seen: &mut Vec<(u32, u128)>) {
        seen.clear();
        let mut left = read.mask;
        let (first, count) = read.own;
        for &(write, mask) in group.own[first as usize..][..count as usize].iter().rev() {
            if left & mask != 0 {
                seen.push((write, left & mask));
                left &= !mask;
            }
        }
        let history = self.lines.get(&read.line);
        let mut end = history.map_or(0, |history| history.writes.len().min(read.writes as usize));
        while left != 0 {
            let steps = &mut self.steps;
            let before = history.and_then(|h| Some((h, h.masks.before(end, left, steps)?)));
            let Some((history, at)) = before else { return seen.push((0, left)) };
            let mask = history.masks.get(at);
            seen.push((history.writes[at], left & mask));
            left &= !mask;
            end = at;
        }
    }

    fn place_load(
        &mut self,
        read: &Read,
        which: &Which,
        position: &mut Position,
        seen: &[(u32, u128)],
    ) {
        for &(write, _) in seen {
            let at = self.index(write);
            if at > position.at {
                *position = Position { at, by: Some(*which), write };
            }
        }
        for &(write, mask) in seen {
            let next = self.next_write(read.line, write, mask);
            if next != 0 && self.index(next) <= position.at {
                return self.fail_load(read, which, position, (write, mask), next);
            }
        }
    }

    fn place_write(
        &mut self,
        number: u32,
        read: &Read,
        which: &Which,
        position: &mut Position,
        seen: &[(u32, u128)],
    ) {
        let at = self.index(number);
        if at <= position.at {
            self.fail_write(number, which, position);
        }
        if read.mask != 0 {
            for &(write, mask) in seen {
                let next = self.next_write(read.line, write, mask);
                if next != number {
                    self.fail_atomic(number, read, which, (write, mask), next);
                    break;
                }
            }
        }
        *position = Position { at, by: Some(*which), write: number };
    }

    /// Place of a write in the order; 0 for the initial value.
    pub(super) fn index(&self, write: u32) -> u32 {
        if write == 0 { 0 } else { self.writes[write as usize - 1].index }
    }

    /// The write behind `write` (0: the first one) in the order of all writes, among those that
    /// change any of these bytes of a line; 0 where there is none.
    fn next_write(&mut self, line: u64, write: u32, mask: u128) -> u32 {
        let Some(history) = self.lines.get(&line) else { return 0 };
        if history.mixed {
            return self.next_of_mixed(line, write, mask);
        }
        let from = if write == 0 { 0 } else { self.writes[write as usize - 1].at as usize + 1 };
        let next = history.masks.after(from, mask, &mut self.steps);
        next.map_or(0, |at| history.writes[at])
    }

    /// The same where writes were performed in another order.
    #[cold]
    fn next_of_mixed(&mut self, line: u64, write: u32, mask: u128) -> u32 {
        let history = &self.lines[&line];
        self.steps += history.writes.len() as u64;
        let from = self.index(write);
        let next = |at: &usize| {
            let index = self.index(history.writes[*at]);
            index != NONE && index > from && history.masks.get(*at) & mask != 0
        };
        let behind = (0..history.writes.len()).filter(next).map(|at| history.writes[at]);
        behind.min_by_key(|&write| self.index(write)).unwrap_or(0)
    }

    /// What was read must be what was written by whom it was.
    fn compare_values(&mut self, bytes: &[u8], read: &Read, which: &Which, seen: &[(u32, u128)]) {
        for &(write, mask) in seen {
            let mut left = mask;
            while left != 0 {
                let k = left.trailing_zeros();
                left &= left - 1;
                let got = bytes[read.bytes + rank(read.mask, k)];
                let history = self.lines.entry(read.line).or_default();
                let right = match write {
                    0 => history.at_start(k, got),
                    write => {
                        let at = self.writes[write as usize - 1].at as usize;
                        history.values.get(at, history.masks.get(at), k)
                    }
                };
                if got != right {
                    return self.fail_value(read, which, (write, k), (got, right));
                }
            }
        }
    }

    #[cold]
    fn keep_placed(
        &mut self,
        write: u32,
        read: &Read,
        which: &Which,
        position: &Position,
        seen: &[(u32, u128)],
    ) {
        let (line, mask) = match write {
            0 => (read.line, read.mask),
            write => {
                let of = &self.writes[write as usize - 1];
                (of.line, self.lines[&of.line].masks.get(of.at as usize))
            }
        };
        let who = |write: u32| (write > 0).then(|| self.writes[write as usize - 1].which);
        let all = seen.iter().filter(|(_, mask)| *mask != 0);
        let read = all.map(|&(write, mask)| (who(write), mask)).collect();
        let (kernel, which, position) = (self.kernel, *which, position.at);
        self.placed.push(Placed { kernel, which, position, writes: write > 0, line, mask, read });
    }
}

impl History {
    /// Byte `k` at the kernel's start: what the first one to load it has got.
    fn at_start(&mut self, k: u32, got: u8) -> u8 {
        let start = self.start.get_or_insert_with(|| Box::new(Start { known: 0, bytes: [0; 128] }));
        if start.known >> k & 1 == 0 {
            start.known |= 1 << k;
            start.bytes[k as usize] = got;
        }
        start.bytes[k as usize]
    }
}
