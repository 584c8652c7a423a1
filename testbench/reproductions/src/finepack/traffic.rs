//! Which bytes arrive at their destination, how often, and whether they are read there.

use std::ops::Range;

use traces::workloads::{BASE, Replica};

/// One bit for each byte of a replica, in words of a line's byte enables.
#[derive(Clone, Debug)]
struct ByteSet {
    line: u64,
    words: Vec<u128>,
}

impl ByteSet {
    fn new(replica: &Replica, line: u32) -> Self {
        let words = vec![0; replica.bytes().len() / line as usize];
        Self { line: line.into(), words }
    }

    fn word(&mut self, addr: u64) -> &mut u128 {
        &mut self.words[((addr - BASE) / self.line) as usize]
    }

    fn insert(&mut self, range: &Range<u64>) {
        let mut at = range.start;
        while at < range.end {
            let first = at % self.line;
            let len = (self.line - first).min(range.end - at);
            *self.word(at) |= u128::MAX >> (128 - len) << first;
            at += len;
        }
    }

    fn clear(&mut self) {
        self.words.fill(0);
    }
}

/// Deliveries to all GPUs between two releases, and their sums since the start.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    delivered: Vec<ByteSet>,
    read: ByteSet,
    /// Writes that arrived at each GPU since the last release.
    arrivals: Vec<u64>,
    /// The most of them at one GPU, summed over the releases.
    pub busiest: u64,
    /// Writes that arrived.
    pub writes: u64,
    /// Of these, with fewer than 32 B.
    pub writes_below_32: u64,
    /// Bytes that arrived.
    pub bytes: u64,
    /// Of these, bytes that had arrived before since the last release.
    pub again: u64,
    /// Bytes that the destination reads next, each counted once.
    pub useful: u64,
}

impl Traffic {
    /// Nothing has arrived.
    pub fn new(memory: &[Replica], line: u32) -> Self {
        let set = ByteSet::new(&memory[0], line);
        Self {
            delivered: vec![set.clone(); memory.len()],
            read: set,
            arrivals: vec![0; memory.len()],
            busiest: 0,
            writes: 0,
            writes_below_32: 0,
            bytes: 0,
            again: 0,
            useful: 0,
        }
    }

    /// A write has arrived at `gpu`.
    pub fn deliver(&mut self, gpu: usize, line_addr: u64, mask: u128) {
        let word = self.delivered[gpu].word(line_addr);
        let bytes = mask.count_ones();
        self.arrivals[gpu] += 1;
        self.writes += 1;
        self.writes_below_32 += u64::from(bytes < 32);
        self.bytes += u64::from(bytes);
        self.again += u64::from((*word & mask).count_ones());
        *word |= mask;
    }

    /// All releases are done; `reads[g]` is what GPU g reads until the next.
    pub fn release<'a>(&mut self, reads: impl Iterator<Item = &'a [Range<u64>]>) {
        for (delivered, reads) in self.delivered.iter_mut().zip(reads) {
            self.read.clear();
            reads.iter().for_each(|range| self.read.insert(range));
            let both = delivered.words.iter().zip(&self.read.words).map(|(d, r)| d & r);
            self.useful += both.map(|bytes| u64::from(bytes.count_ones())).sum::<u64>();
            delivered.clear();
        }
        self.busiest += self.arrivals.iter().max().copied().unwrap_or(0);
        self.arrivals.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_that_arrives_twice_is_useful_once() {
        let mut traffic = Traffic::new(&vec![Replica::new(512, 128); 2], 128);
        traffic.deliver(1, BASE + 128, 0xFF);
        traffic.deliver(1, BASE + 128, 0xF0);
        // Bytes 0 to 3 of the line, and what did not arrive, are not read.
        let read = BASE + 132..BASE + 384;
        traffic.release([&[][..], std::slice::from_ref(&read)].into_iter());
        assert_eq!((traffic.bytes, traffic.again, traffic.useful), (12, 4, 4));
        assert_eq!(traffic.busiest, 2);
        traffic.deliver(1, BASE + 128, 0xFF);
        assert_eq!(traffic.again, 4, "a release ends the count");
        assert_eq!((traffic.writes, traffic.writes_below_32), (3, 3));
    }

    #[test]
    fn ranges_cover_lines_whole_and_in_part() {
        let mut set = ByteSet::new(&Replica::new(512, 128), 128);
        set.insert(&(BASE + 127..BASE + 257));
        assert_eq!(set.words, [1 << 127, u128::MAX, 1, 0]);
    }
}
