//! Latencies of an idle machine as sums of the fields of its system file (docs/machine.md, latency
//! of a load). Fields are changed by different amounts, so that a part that is missing, or counts
//! twice, changes the sum.

use dram::Parameters;
use machine::System;

use super::latency;
use super::programs::Chase;
use super::row::Row;
use super::runner::{Runner, Spec};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[Control {
    name: "latency-parts",
    about: "a load on an idle machine takes the sum of the parts in the system file",
    kind: Kind::SystemFile,
    rows: parts,
}];

/// Cycles beyond the first that a port of so many bytes in a cycle takes for a message.
fn port(bytes: u32, (rate, cycles): (u64, u64)) -> u64 {
    (u64::from(bytes) * cycles).div_ceil(rate) - 1
}

/// Bytes of whole granules; 0: a line is one.
fn whole(bytes: u32, granule: u32, line: u32) -> u32 {
    bytes.next_multiple_of(if granule == 0 { line } else { granule }).min(line)
}

/// The parts of a load of so many bytes from one line, on an idle machine.
pub(super) struct Parts {
    s: System,
    bytes: u32,
}

impl Parts {
    pub(super) fn of(spec: &Spec, bytes: u32) -> Self {
        Self { s: spec.system(), bytes }
    }

    /// Bytes that an L1 requests, an L2, and an L3 slice.
    fn fetched(&self) -> [u32; 3] {
        let (s, line) = (&self.s, self.s.machine.line);
        let l1 = whole(self.bytes, s.l1.sector, line);
        let l2 = whole(l1, s.l2.sector, line);
        [l1, l2, whole(l2, s.memory.granule, line)]
    }

    /// A message with so many bytes of a line.
    fn message(&self, bytes: u32) -> u32 {
        let n = &self.s.network;
        n.header_bytes + bytes.next_multiple_of(n.sector_bytes)
    }

    /// A hit in the L1.
    pub(super) fn l1(&self) -> u64 {
        self.s.l1.hit_latency.into()
    }

    /// A hit in the L2 of the chiplet.
    pub(super) fn l2(&self) -> u64 {
        let (s, n) = (&self.s, &self.s.network);
        let own = if n.request_bytes_per_cycle > 0 {
            n.request_bytes_per_cycle
        } else {
            n.bytes_per_cycle
        };
        let ways = 2 * u64::from(n.latency);
        let request = port(n.header_bytes, (own, 1)) + self.port(n.header_bytes);
        let answer = 2 * self.port(self.message(self.fetched()[0]));
        // Sectors that a load needs come one after another.
        let sectors = match s.l1.sector {
            0 => 0,
            sector => u64::from(self.bytes.div_ceil(sector) - 1) * u64::from(s.l1.sector_cycles),
        };
        ways + u64::from(s.l2.latency) + request + answer + sectors
    }

    fn port(&self, bytes: u32) -> u64 {
        port(bytes, (self.s.network.bytes_per_cycle, 1))
    }

    /// The way over a link between chiplets and back, for so many bytes of a line.
    fn link(&self, bytes: u32) -> u64 {
        let link = &self.s.chiplet_link;
        let rate = (link.bytes, link.cycles);
        let ports = port(self.s.network.header_bytes, rate) + port(self.message(bytes), rate);
        u64::from(link.round_trip) + ports
    }

    /// A hit in the L2 of another chiplet, its home.
    pub(super) fn far(&self) -> u64 {
        self.l2() + self.link(self.fetched()[0])
    }

    /// The same through the own L2, which a directory keeps coherent. Both banks together take one
    /// latency, from which the ports for a whole line are taken off: less may be fetched.
    pub(super) fn coherent(&self) -> u64 {
        let [_, fetched, _] = self.fetched();
        let ports = |bytes| 2 * self.port(self.message(bytes));
        self.l2() + self.link(fetched) + ports(fetched) - ports(self.s.machine.line)
    }

    /// A hit in the L3, or what a memory's controller adds.
    pub(super) fn l3(&self) -> u64 {
        let n = &self.s.network;
        let ports = 2 * self.port(n.header_bytes) + 2 * self.port(self.message(self.fetched()[1]));
        self.l2() + 2 * u64::from(n.memory_latency) + ports + u64::from(self.s.l3.latency)
    }

    /// Memory with a port of a bandwidth.
    fn simple(&self) -> u64 {
        let m = &self.s.memory;
        let transfer = (u64::from(self.fetched()[2]) * m.cycles).div_ceil(m.bytes);
        self.l3() + transfer + u64::from(m.latency)
    }

    /// Dependent loads from DRAM that finds a row in a state: the shortest and the longest mean of
    /// so many. Time passes from the GPU's clock to the command clock and back, each time to its
    /// next cycle, so the mean depends on where the first load finds the clocks.
    fn dram(&self, dram: &Parameters, row: Found, loads: u32) -> [f64; 2] {
        let t = &dram.timing;
        let bursts = self.fetched()[2] / dram.organization.access_bytes;
        let open = match row {
            Found::Open => 0,
            Found::Closed => t.rcd_rd,
            Found::Other => t.rp + t.rcd_rd,
        };
        let commands = u64::from(open + (bursts - 1) * t.ccd_l + t.cl + t.bl);
        let rest = self.l3() + u64::from(self.s.memory.latency);
        let (on, of) = (u64::from(t.clock_khz), 1000 * u64::from(self.s.machine.clock_mhz));
        let mean = |start: u64| {
            // From the end of a load to that of the next one.
            let next = |end: u64| ((end + rest) * on).div_ceil(of) + commands;
            let end = |command: u64| (command * of).div_ceil(on);
            let first = end(start);
            let last = (0..loads).fold(first, |at, _| end(next(at)));
            (last - first) as f64 / f64::from(loads)
        };
        let means = (0..on.min(PHASES)).map(mean);
        means.fold([f64::INFINITY, 0.0], |[low, high], mean| [mean.min(low), mean.max(high)])
    }
}

/// Places of the first load among the clocks that are tried: they repeat before.
const PHASES: u64 = 4000;

/// What a load finds in its DRAM bank.
#[derive(Clone, Copy)]
enum Found {
    /// Its row is open.
    Open,
    /// No row is open.
    Closed,
    /// Another row is open.
    Other,
}

/// What a load takes, and a row for it. A run that failed has no cycles, which are no sum of parts.
fn each(r: &mut Runner, spec: &Spec, loads: u32, chase: impl Fn(u32) -> Chase) -> (f64, Row) {
    let (value, program) = latency::each(r, spec, loads, |n| chase(n * loads));
    (value, Row::of("", spec, &program))
}

/// Fields that are latencies, and what is added to each: powers of two, then 1 to each.
const LATENCIES: [(&str, u32); 10] = [
    ("l1.hit_latency", 1),
    ("network.latency", 2),
    ("l2.latency", 4),
    ("network.memory_latency", 8),
    ("l3.latency", 16),
    ("memory.latency", 32),
    ("chiplet_link.round_trip", 64),
    ("l1.sector_cycles", 128),
    ("tlb.shared_latency", 256),
    ("tlb.walk_latency", 512),
];

/// A preset as it is, with other latencies, and with narrow ports. The sum says which part counts
/// how often.
fn changed(spec: &Spec) -> Vec<(Spec, &'static str)> {
    let add = |amount: fn(u32) -> u32| {
        LATENCIES.iter().fold(spec.clone(), |spec, &(field, by)| {
            let value = super::monotonicity::value(&spec, field) as u32;
            spec.with(field, value + amount(by))
        })
    };
    let narrow = [
        ("network.bytes_per_cycle", 24),
        ("network.request_bytes_per_cycle", 3),
        ("chiplet_link.bytes", 7),
        ("chiplet_link.cycles", 2),
    ];
    let narrow = narrow.iter().fold(spec.clone(), |spec, (field, value)| spec.with(field, value));
    vec![
        (spec.clone(), ""),
        (add(|by| by), "latencies 1, 2, 4 ... 512 cycles longer"),
        (add(|_| 1), "latencies a cycle longer"),
        (narrow, "narrow ports"),
    ]
}

fn parts(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let all = machine::systems::names();
    let some = ["cpelide-4", "rec-4gpu", "cpelide-4-small", "stc-8cu-small", "h100-small"];
    for name in r.either(&some.map(str::to_string), &all) {
        let base = Spec::placed(&name).with("cu.loads", 1);
        for (spec, what) in changed(&base) {
            let mut own = of_caches(r, &spec);
            own.extend(of_memory(r, &spec));
            own.extend(of_translation(r, &spec));
            rows.extend(own.into_iter().map(|row| row.designs(what)));
        }
    }
    rows
}

/// Bytes of a load of a work-item.
const WORD: u32 = 4;

fn of_caches(r: &mut Runner, spec: &Spec) -> Vec<Row> {
    let s = spec.system();
    let (line, chiplets) = (s.machine.line, spec.chiplets());
    let mut rows = Vec::new();
    let mut exact = |case: &str, right: u64, (value, row): (f64, Row)| {
        rows.push(row.case(case).equal(value, right as f64, 0.0));
    };
    let word = Parts::of(spec, WORD);
    exact("L1", word.l1(), each(r, spec, 20, |loads| Chase::L1 { loads }));
    let home = spec.clone().l2("none").with("l2.policy", "home-forward");
    for (what, lanes) in [("", 1), (", a whole line", line / WORD)] {
        let parts = Parts::of(spec, lanes * WORD);
        // A wave has 32 lanes or more.
        let of =
            |home| move |loads| Chase::Other { line, loads, lanes, home, chiplets, warm: true };
        exact(&format!("L2{what}"), parts.l2(), each(r, &home, 8, of(0)));
        if s.machine.chiplets == 1 {
            continue;
        }
        exact(&format!("another chiplet's L2{what}"), parts.far(), each(r, &home, 8, of(1)));
        let ideal = spec.clone().l2("ideal");
        let case = format!("another chiplet's L2 under a directory{what}");
        exact(&case, parts.coherent(), each(r, &ideal, 8, of(1)));
    }
    if s.l3.bytes > 0 {
        // The L2 has dropped what the kernel before has loaded.
        let spec = spec.clone().l2("software").with("l2.policy", "private");
        exact("L3", word.l3(), each(r, &spec, 32, |loads| Chase::L3 { line, loads }));
    }
    rows
}

fn of_memory(r: &mut Runner, spec: &Spec) -> Vec<Row> {
    let s = spec.system();
    let line = s.machine.line;
    let Some(dram) = s.dram() else {
        let (value, row) = each(r, spec, 32, |loads| Chase::Memory { line, loads });
        let right = Parts::of(spec, WORD).simple() as f64;
        return vec![row.case("memory").equal(value, right, 0.0)];
    };
    // All loads of a slice, one row after another or in one row.
    let slices = u32::from(s.l3.slices);
    let row_bytes = dram.organization.columns * dram.organization.access_bytes;
    let quiet = spec.clone().set("dram.refresh", "off").with("machine.hash", "none");
    let one_bank = quiet.clone().set("dram.mapping", "bank:group:rank:pseudo:channel:row:column");
    let cases = [
        ("memory, closed row", Found::Closed, quiet.set("dram.page", "closed"), line),
        (
            "memory, open row",
            Found::Open,
            one_bank.clone().with("dram.columns", 65536),
            line * slices,
        ),
        ("memory, another row open", Found::Other, one_bank, row_bytes * slices),
    ];
    let row = |(case, found, spec, stride): (&str, Found, Spec, u32)| {
        let (value, row) = each(r, &spec, 32, |loads| Chase::Stride { stride, loads, rounds: 1 });
        let dram = spec.system().dram().expect("it has DRAM");
        let [low, high] = Parts::of(&spec, WORD).dram(&dram, found, 32);
        row.case(case).between(value, low, high).why("cycles of two clocks, without refresh")
    };
    cases.map(row).to_vec()
}

/// Entries of the TLB of a CU, fewer than the pages of the chase.
const ENTRIES: u32 = 8;

fn of_translation(r: &mut Runner, spec: &Spec) -> Vec<Row> {
    let s = spec.system();
    if s.tlb.entries == 0 {
        return Vec::new();
    }
    let (chiplets, spec) = (spec.chiplets(), spec.clone().l2("none"));
    let spec = spec.with("l2.policy", "home-forward").with("tlb.page", 4096);
    let spec = spec.set("tlb.entries", ENTRIES);
    let (parts, shared) = (Parts::of(&spec, WORD), u64::from(s.tlb.shared_latency));
    let of = |home| move |loads| Chase::Pages { loads, home, chiplets };
    let mut exact = |case: &str, right: u64, home| {
        let (value, row) = each(r, &spec, 16, of(home));
        row.case(case).equal(value, right as f64, 0.0)
    };
    let mut rows = vec![exact("L2, page in the shared TLB", parts.l2() + shared, 0)];
    if s.machine.chiplets > 1 {
        let walk = shared + u64::from(s.tlb.walk_latency);
        rows.push(exact("another chiplet's L2, page in no TLB", parts.far() + walk, 1));
    }
    rows
}
