//! Launches of each kind on the core, and what the firmware spends on them.

use cosim::cpelide::packet::{Access, Labels, Range};

use super::driver::{Driver, LINE, MACHINE, NONE, Operations, chunks, kernel, operations};
use super::{Core, Host, Work};

/// Lines of a structure.
const LINES: u64 = 4096;
/// Structures that fill the table.
const STRUCTURES: u64 = 64;
const ALL: u16 = 15;

/// CNT: entries at most, cycles of steps 1 to 7, coarsenings, conservative launches.
const ENTRIES: usize = 5;
const CYCLES: usize = 8;
const COARSENINGS: usize = 6;
const CONSERVATIVE: usize = 7;

/// What the dearest launch of a kind has cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Which launches.
    pub launches: &'static str,
    /// Cycles of the processor's clock in steps 1 to 7 (specification 5.1).
    pub cycles: u32,
    /// What the core did in them.
    pub work: Work,
}

/// Four structures of four ranges each, present in a table of four entries, and nothing to do.
pub const FEW: &str = "unchanged, 4 entries";
/// The same in a full table.
pub const UNCHANGED: &str = "unchanged, 64 entries";

/// What launches cost in a table of [`MACHINE`]: the dearest of each kind.
pub fn costs(core: &mut Core) -> Vec<Cost> {
    let mut bench = Bench { driver: Driver::new(core, &MACHINE), costs: Vec::new() };
    bench.launch("new, empty table", &own(0), NONE);
    bench.launch(FEW, &own(0), NONE);
    for first in (4..STRUCTURES).step_by(4) {
        bench.launch("new, 4 to 60 entries", &own(first), NONE);
    }
    for first in (0..STRUCTURES).step_by(4) {
        bench.launch(UNCHANGED, &own(first), NONE);
    }
    // What was written is read by the neighbours, then written again by its owners; by then all are
    // clean.
    for first in [0, 28, 60] {
        bench.fill();
        bench.launch("releases, 64 entries", &labels(first, 4, 1), operations(ALL, 0));
        bench.launch("acquires, 64 entries", &own(first), operations(0, ALL));
    }
    bench.fill();
    bench.measure("without labels, 64 entries", None, operations(ALL, ALL));
    assert_eq!(bench.counter(CONSERVATIVE), 1);
    bench.fill();
    let joins = bench.counter(COARSENINGS);
    for first in [STRUCTURES, STRUCTURES + 8] {
        bench.launch("new, full table", &own(first), NONE);
    }
    assert_eq!(bench.counter(COARSENINGS), joins + 8, "an entry is joined for each");
    // Five of them become one, in which the chiplets' hulls overlap.
    bench.fill();
    bench.launch("12 structures, coarsened", &labels(20, 12, 0), operations(ALL, ALL));
    assert_eq!(bench.counter(COARSENINGS), joins + 12, "12 records become 8");
    bench.costs
}

struct Bench<'a> {
    driver: Driver<&'a mut Core>,
    costs: Vec<Cost>,
}

impl Bench<'_> {
    fn counter(&self, number: usize) -> u32 {
        self.driver.host.counters()[number]
    }

    fn launch(&mut self, launches: &'static str, labels: &Labels, expected: Operations) {
        self.measure(launches, Some(labels), expected);
    }

    /// Ends the program, and fills the table again.
    fn fill(&mut self) {
        self.driver.finish();
        for first in (0..STRUCTURES).step_by(4) {
            assert_eq!(self.driver.run(&own(first)), NONE);
        }
        assert_eq!(self.counter(ENTRIES), STRUCTURES as u32, "the table is full");
    }

    fn measure(&mut self, launches: &'static str, labels: Option<&Labels>, expected: Operations) {
        let (cycles, work) = (self.counter(CYCLES), self.driver.host.work);
        let (found, tag) = self.driver.launch(&kernel(), labels);
        assert_eq!(found, expected, "{launches}");
        let cycles = self.counter(CYCLES) - cycles;
        let cost = Cost { launches, cycles, work: self.driver.host.work.since(&work) };
        match self.costs.iter_mut().find(|cost| cost.launches == launches) {
            Some(dearest) if dearest.cycles >= cycles => {}
            Some(dearest) => *dearest = cost,
            None => self.costs.push(cost),
        }
        assert_eq!(self.driver.end(tag), NONE);
    }
}

fn base(structure: u64) -> u64 {
    0x100_0000 + structure * LINES * LINE * 2
}

/// Four structures, each chiplet with its own chunk.
fn own(first: u64) -> Labels {
    labels(first, 4, 0)
}

/// So many structures from the first on, every other one read, the others written; chiplet i has
/// chunk i + shift.
fn labels(first: u64, structures: u64, shift: u64) -> Labels {
    let mut labels = Labels::new(4);
    for structure in first..first + structures {
        let access =
            if structure % 2 == 0 || shift != 0 { Access::Read } else { Access::ReadWrite };
        let base = base(structure);
        let mut ranges = chunks(base, LINES, 4);
        for Range { chiplet, .. } in &mut ranges {
            *chiplet = (u64::from(*chiplet) + 4 - shift) as u8 % 4;
        }
        ranges.sort_by_key(|range| range.chiplet);
        labels.set_access_mode_range(base, LINES * LINE, access, &ranges);
    }
    labels
}
