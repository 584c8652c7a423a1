//! The lines of an L1: write-through, without allocation on writes.

use ports::race::types::Lookup;

use crate::cache::{Array, Shape, Way};
use crate::check::sequential::{Version, WriteId};
use crate::context::masks;
use crate::context::message::MAX_LINE;

/// Lines; and, for the oracle of sequential consistency, which version of it each one is.
#[derive(Debug)]
pub struct Lines {
    array: Array,
    line: usize,
    /// By way.
    versions: Vec<Seen>,
}

/// A version of a line, and the writes of this CU that have changed the copy since, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub version: Version,
    pub own: Vec<(WriteId, u128)>,
}

/// The copy of a line that a lookup has found.
#[derive(Clone, Debug)]
pub struct Found {
    pub way: Way,
    pub data: [u8; MAX_LINE],
    /// Where the oracle is on.
    pub seen: Seen,
}

impl Lines {
    pub fn new(shape: Shape) -> Self {
        let count = (shape.sets * shape.ways) as usize;
        let versions = vec![Seen::default(); count];
        Self { array: Array::new(shape), line: shape.line as usize, versions }
    }

    /// The valid line at an address.
    pub fn find(&self, addr: u64) -> Option<Way> {
        self.array.find(addr).filter(|&way| self.array.miss(way).is_none())
    }

    /// The way that a fetched line is to take: that of an old copy, else one that is not held.
    pub fn room(&self, addr: u64) -> Option<Way> {
        match self.array.find(addr) {
            Some(way) => self.array.miss(way).is_none().then_some(way),
            None => self.array.victim(addr),
        }
    }

    /// What a lookup asks the access validation unit.
    pub fn lookup(&self, way: Option<Way>, addr: u64, mask: u128) -> Lookup {
        let (size, offset) = enclosing(mask);
        let line = way.unwrap_or(0) as u8;
        Lookup { line, tag_hit: way.is_some(), size, addr: addr as u32 + offset }
    }

    /// The copy in a way.
    pub fn copy(&mut self, way: Way) -> Found {
        self.array.touch(way);
        let mut data = [0; MAX_LINE];
        data[..self.line].copy_from_slice(self.array.data(way));
        Found { way, data, seen: self.versions[way as usize].clone() }
    }

    /// A line is fetched to a way: what was there is gone.
    pub fn fetch(&mut self, way: Way, addr: u64, miss: usize) {
        self.array.place(way, addr);
        self.array.hold(way, miss);
    }

    /// What was fetched to a way has come, and is kept.
    pub fn install(&mut self, way: Way, data: &[u8], version: Version) {
        self.array.fill(way, data);
        self.array.release(way);
        let seen = &mut self.versions[way as usize];
        seen.version = version;
        seen.own.clear();
    }

    /// It has come, and is not kept.
    pub fn give_up(&mut self, way: Way) {
        self.array.release(way);
        self.array.invalidate_clean(way);
    }

    /// A store changes the copy of its line.
    pub fn store(&mut self, addr: u64, mask: u128, data: &[u8], write: WriteId) {
        if let Some(way) = self.find(addr) {
            self.array.write(way, data, mask, false);
            if write != WriteId::default() {
                self.versions[way as usize].own.push((write, mask));
            }
        }
    }

    /// An atomic takes the copy of its line away.
    pub fn forget(&mut self, addr: u64) {
        if let Some(way) = self.find(addr) {
            self.array.invalidate_clean(way);
        }
    }

    /// A kernel begins. Gives how many lines go.
    pub fn forget_all(&mut self) -> u32 {
        self.array.invalidate_all_clean()
    }
}

/// The smallest aligned power of 2 of bytes that has all of `mask`: its log2, and the first byte of
/// the mask (specification 3.2).
fn enclosing(mask: u128) -> (u8, u32) {
    let (first, last) = (mask.trailing_zeros(), 127 - mask.leading_zeros());
    (((32 - (first ^ last).leading_zeros()) as u8), first)
}

/// All bytes of a line.
pub fn whole(line: u32) -> u128 {
    masks::span(0, line as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_with_holes_takes_the_smallest_power_of_two_around_it() {
        for (mask, size, first) in [
            (0b1, 0, 0),
            (0b1111 << 4, 2, 4),
            (0b11 << 3, 3, 3),
            (1 | 1 << 127, 7, 0),
            (1 << 63 | 1 << 64, 7, 63),
            (u128::MAX, 7, 0),
            (0b1001 << 16, 2, 16),
        ] {
            assert_eq!(enclosing(mask), (size, first), "{mask:#x}");
        }
    }
}
