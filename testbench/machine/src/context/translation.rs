//! Translation of addresses, as far as it takes time: the TLB of each CU, and one that the CUs of a
//! chiplet share. Addresses of programs are those of memory.

use crate::config::TlbSection;
use crate::engine::Cycle;

const WAYS: usize = 8;
const NO_PAGE: u64 = u64::MAX;

/// Pages of a TLB: sets of eight ways, each the most recently used first.
#[derive(Debug)]
struct Pages(Vec<[u64; WAYS]>);

impl Pages {
    fn new(entries: u32) -> Self {
        Self(vec![[NO_PAGE; WAYS]; (entries as usize / WAYS).max(1)])
    }

    fn set(&self, page: u64) -> usize {
        (page % self.0.len() as u64) as usize
    }

    fn has(&self, page: u64) -> bool {
        self.0[self.set(page)].contains(&page)
    }

    /// A page is used: it replaces the least recently used one of its set. False where it was not
    /// there.
    fn touch(&mut self, page: u64) -> bool {
        let at = self.set(page);
        let set = &mut self.0[at];
        let found = set.iter().position(|&other| other == page);
        set[..=found.unwrap_or(WAYS - 1)].rotate_right(1);
        set[0] = page;
        found.is_some()
    }
}

/// The TLB of a CU.
#[derive(Debug)]
pub struct Tlb {
    pages: Pages,
    page_log: u32,
    shared_latency: u32,
    walk_latency: u32,
    /// Requests whose page was not here, and those of them whose page the shared TLB did not have.
    pub misses: u64,
    pub walks: u64,
}

impl Tlb {
    /// None where translation takes no time.
    pub fn of(spec: &TlbSection) -> Option<Self> {
        let &TlbSection { entries, page, shared_latency, walk_latency, .. } = spec;
        (entries > 0).then(|| Self {
            pages: Pages::new(entries),
            page_log: page.ilog2(),
            shared_latency,
            walk_latency,
            misses: 0,
            walks: 0,
        })
    }

    /// Cycles that the translation of a request adds to its way.
    pub fn translate(&mut self, now: Cycle, addr: u64, shared: &mut SharedTlb) -> u32 {
        let page = addr >> self.page_log;
        if self.pages.touch(page) {
            return 0;
        }
        self.misses += 1;
        if shared.has(now, page) {
            return self.shared_latency;
        }
        self.walks += 1;
        self.shared_latency + self.walk_latency
    }
}

/// The TLB of a chiplet. Its CUs ask it in any order of a cycle: what they use shows in later ones.
#[derive(Debug)]
pub struct SharedTlb {
    pages: Pages,
    /// Pages that were used in this cycle.
    used: Vec<u64>,
    cycle: Cycle,
}

impl SharedTlb {
    /// Empty.
    pub fn new(spec: &TlbSection) -> Self {
        Self { pages: Pages::new(spec.shared_entries), used: Vec::new(), cycle: 0 }
    }

    fn has(&mut self, now: Cycle, page: u64) -> bool {
        if self.cycle != now {
            self.used.sort_unstable();
            self.used.dedup();
            for page in self.used.drain(..) {
                self.pages.touch(page);
            }
            self.cycle = now;
        }
        self.used.push(page);
        self.pages.has(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(entries: u32, shared_entries: u32) -> TlbSection {
        let (page, shared_latency, walk_latency) = (4096, 10, 100);
        TlbSection { entries, page, shared_entries, shared_latency, walk_latency }
    }

    #[test]
    fn a_page_costs_a_walk_then_the_shared_tlb_then_nothing() {
        let spec = spec(8, 16);
        let (mut own, mut other) = (Tlb::of(&spec).unwrap(), Tlb::of(&spec).unwrap());
        let mut shared = SharedTlb::new(&spec);
        assert_eq!(own.translate(5, 0x1000, &mut shared), 110);
        // The use of this cycle shows in the next one.
        assert_eq!(other.translate(5, 0x1fff, &mut shared), 110);
        assert_eq!(own.translate(6, 0x1800, &mut shared), 0);
        let mut third = Tlb::of(&spec).unwrap();
        assert_eq!(third.translate(6, 0x1000, &mut shared), 10);
        assert_eq!((own.misses, own.walks, third.misses, third.walks), (1, 1, 1, 0));
    }

    #[test]
    fn the_least_recently_used_page_of_a_full_set_goes() {
        let spec = spec(8, 64);
        let (mut tlb, mut shared) = (Tlb::of(&spec).unwrap(), SharedTlb::new(&spec));
        for page in 0..8 {
            tlb.translate(page, page << 12, &mut shared);
        }
        assert_eq!(tlb.translate(10, 0, &mut shared), 0);
        // The ninth page takes the place of page 1.
        assert_eq!(tlb.translate(11, 8 << 12, &mut shared), 110);
        assert_eq!(tlb.translate(12, 0, &mut shared), 0);
        assert_eq!(tlb.translate(13, 1 << 12, &mut shared), 10);
    }

    #[test]
    fn without_entries_there_is_none() {
        assert!(Tlb::of(&spec(0, 8)).is_none());
    }
}
