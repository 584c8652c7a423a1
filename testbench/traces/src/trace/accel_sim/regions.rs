//! Buffers for addresses of which nothing is known but that they are used: runs of neighbouring
//! pages.

use std::collections::BTreeMap;

use crate::trace::limits::PAGE;

/// Pages that are used, as runs: first byte and end, ascending, no two of them adjacent.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    runs: BTreeMap<u64, u64>,
}

impl Pages {
    /// Adds the pages of some bytes. Nothing wraps: addresses beyond 2^63 are refused by the
    /// caller.
    pub fn add(&mut self, addr: u64, bytes: u64) {
        let mut start = addr / PAGE * PAGE;
        let mut end = (addr + bytes.max(1)).next_multiple_of(PAGE);
        if let Some((&first, &last)) = self.runs.range(..=start).next_back() {
            if last >= end {
                return;
            }
            if last >= start {
                start = first;
            }
        }
        while let Some((&first, &last)) = self.runs.range(start..=end).next_back() {
            end = end.max(last);
            self.runs.remove(&first);
        }
        self.runs.insert(start, end);
    }

    /// What of the runs lies between two addresses: first byte and end of each part.
    pub fn within(&self, from: u64, end: u64) -> impl Iterator<Item = (u64, u64)> {
        let before = self.runs.range(..=from).next_back().filter(|&(_, &last)| last > from);
        let first = before.map_or(from, |(&start, _)| start);
        let runs = self.runs.range(first..end.max(first));
        let parts = runs.map(move |(&start, &last)| (start.max(from), last.min(end)));
        parts.filter(|(start, end)| start < end)
    }

    /// First byte and end of each run.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> {
        self.runs.iter().map(|(&start, &end)| (start, end))
    }
}

/// A run and its place in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte there.
    pub from: u64,
    /// End there.
    pub end: u64,
    /// First byte in the trace.
    pub addr: u64,
}

/// All regions, ascending.
#[derive(Debug, Default)]
pub struct Regions(pub Vec<Region>);

impl Regions {
    /// Number of the region of an address.
    pub fn find(&self, addr: u64) -> Option<usize> {
        let after = self.0.partition_point(|region| region.from <= addr);
        after.checked_sub(1).filter(|&at| addr < self.0[at].end)
    }

    /// The trace's address of an address.
    pub fn place(&self, addr: u64) -> Option<u64> {
        let region = self.0[self.find(addr)?];
        Some(region.addr + (addr - region.from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_pages_become_one_run() {
        let mut pages = Pages::default();
        for (addr, bytes) in [(10 * PAGE, 1), (12 * PAGE, 4), (20 * PAGE + 5, PAGE), (8 * PAGE, 1)]
        {
            pages.add(addr, bytes);
        }
        let run = |first, end| (first * PAGE, end * PAGE);
        let runs: Vec<_> = pages.runs().collect();
        assert_eq!(runs, [run(8, 9), run(10, 11), run(12, 13), run(20, 22)]);
        pages.add(9 * PAGE, 4 * PAGE);
        pages.add(8 * PAGE, 4);
        let runs: Vec<_> = pages.runs().collect();
        assert_eq!(runs, [run(8, 13), run(20, 22)]);
    }

    #[test]
    fn parts_of_runs_are_found() {
        let mut pages = Pages::default();
        for page in [2, 4, 5, 9] {
            pages.add(page * PAGE, 1);
        }
        let within = |from, end| pages.within(from, end).collect::<Vec<_>>();
        let page = |first, end| (first * PAGE, end * PAGE);
        assert_eq!(within(0, 20 * PAGE), [page(2, 3), page(4, 6), page(9, 10)]);
        assert_eq!(within(4 * PAGE + 5, 5 * PAGE + 9), [(4 * PAGE + 5, 5 * PAGE + 9)]);
        assert_eq!(within(5 * PAGE, 9 * PAGE), [page(5, 6)]);
        assert_eq!(within(6 * PAGE, 9 * PAGE), []);
        assert_eq!(within(4 * PAGE + 5, 4 * PAGE + 5), []);
    }

    #[test]
    fn an_address_keeps_its_offset() {
        let regions = Regions(vec![
            Region { from: 0x10000, end: 0x12000, addr: 0x1000 },
            Region { from: 0x20000, end: 0x21000, addr: 0x8000 },
        ]);
        assert_eq!(regions.place(0x10004), Some(0x1004));
        assert_eq!(regions.place(0x20fff), Some(0x8fff));
        assert_eq!((regions.place(0x12000), regions.place(0)), (None, None));
    }
}
