//! Victim selection (specification 4.3, README rules 10 and 11), against a plain list.

use super::*;

/// One set: the entries by way, and the ways from the oldest on.
struct List {
    ways: Vec<Option<u64>>,
    oldest_first: Vec<usize>,
    lru: bool,
}

impl List {
    fn renew(&mut self, way: usize) {
        self.oldest_first.retain(|&other| other != way);
        self.oldest_first.push(way);
    }

    fn find(&self, base: u64) -> Option<usize> {
        self.ways.iter().position(|entry| *entry == Some(base))
    }

    /// A remote access to `base`; returns the evicted base.
    fn remote(&mut self, base: u64) -> Option<u64> {
        if let Some(way) = self.find(base) {
            if self.lru {
                self.renew(way);
            }
            return None;
        }
        let free = self.ways.iter().position(|entry| entry.is_none());
        let way = free.unwrap_or_else(|| self.oldest_first[0]);
        self.renew(way);
        self.ways[way].replace(base)
    }

    fn remove(&mut self, base: u64) {
        if let Some(way) = self.find(base) {
            self.ways[way] = None;
        }
    }
}

/// A generator of its own, so that the requests never change.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn victims_are_those_of_a_plain_list() {
    for config in with_entries() {
        for replacement in [Replacement::Fifo, Replacement::Lru] {
            for ways in 1..=16 {
                let config = Config { entries: ways, ways, replacement, ..config.clone() };
                let mut b = Bench::new(&config);
                let mut list = List {
                    ways: vec![None; ways as usize],
                    oldest_first: Vec::new(),
                    lru: replacement == Replacement::Lru,
                };
                let mut state = 0x9E37_79B9_7F4A_7C15 ^ u64::from(ways);
                for step in 0..600 {
                    let base = random(&mut state) % u64::from(ways + 1 + ways / 2);
                    let addr = base * u64::from(config.range);
                    let (req, expected) = match random(&mut state) % 16 {
                        0 => (evict(addr), list.find(base).map(|_| base)),
                        1 => (lwr(addr), None),
                        2 => (lrd(addr), None),
                        n if n < 6 => (rwr(1, addr), list.remote(base)),
                        _ => (rrd(1, addr), list.remote(base)),
                    };
                    if req.op == op::EVICT || req.op == op::LWR {
                        list.remove(base);
                    }
                    let (rsp, invalidations) = b.run(req);
                    let evicted = invalidations.iter().find(|inv| inv.cause == cause::EVICT);
                    let evicted = evicted.map(|inv| inv.addr / u64::from(config.range));
                    assert_eq!(evicted, expected, "{config:?} step {step}");
                    assert_eq!(rsp.evicted, expected.is_some());
                }
            }
        }
    }
}

/// Fills the 2 ways of a set with bases 0 and 1, applies `use_0`, and returns the victim's base.
fn victim_after(replacement: Replacement, use_0: &[Req]) -> u64 {
    let mut b = Bench::new(&Config { entries: 2, ways: 2, replacement, ..rec() });
    b.run(rrd(1, 0));
    b.run(rrd(1, 0x400));
    use_0.iter().for_each(|&req| _ = b.run(req));
    b.run(rrd(1, 0x800)).1[0].addr / 0x400
}

#[test]
fn use_by_another_gpu_counts_in_lru_alone() {
    for req in [rrd(2, 0), rwr(1, 0), rrd(1, 0x40), rwr(3, 0x80)] {
        assert_eq!(victim_after(Replacement::Lru, &[req]), 1, "a position need not be set");
        assert_eq!(victim_after(Replacement::Fifo, &[req]), 0);
    }
}

#[test]
fn use_by_the_home_does_not_count() {
    for req in [lrd(0), lrd(0x40), lwr(0x40), fence(1), rrd(0, 0), req(7, 1, 0)] {
        assert_eq!(victim_after(Replacement::Lru, &[req]), 0);
    }
    // A write that leaves the entry a line.
    assert_eq!(victim_after(Replacement::Lru, &[rrd(1, 0x40), rrd(1, 0x400), lwr(0x40)]), 0);
}

#[test]
fn lowest_free_way_is_taken_first_and_becomes_the_newest() {
    for replacement in [Replacement::Fifo, Replacement::Lru] {
        let mut b = Bench::new(&Config { entries: 4, ways: 4, replacement, ..baseline() });
        let addr = |base: u64| 64 * base;
        (0..4).for_each(|base| _ = b.run(rrd(1, addr(base))));
        b.run(lwr(addr(2)));
        b.run(lwr(addr(0)));
        // Bases 4 and 5 take ways 0 and 2; then 1, 3, 4 and 5 are evicted in this order.
        let evicted: Vec<_> =
            (4..10).flat_map(|base| b.run(rrd(1, addr(base))).1).map(|inv| inv.addr / 64).collect();
        assert_eq!(evicted, [1, 3, 4, 5]);
    }
}

#[test]
fn sets_age_apart() {
    let mut b = Bench::new(&Config { entries: 4, ways: 2, ..baseline() });
    // Bases 0, 2, 4 lie in set 0; 1, 3, 5 in set 1.
    [0, 3, 2, 1].iter().for_each(|base| _ = b.run(rrd(1, 64 * base)));
    assert_eq!(b.run(rrd(1, 64 * 4)).1[0].addr, 0);
    assert_eq!(b.run(rrd(1, 64 * 5)).1[0].addr, 64 * 3);
}
