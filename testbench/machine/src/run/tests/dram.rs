//! Machines with DRAM channels. A checker sees all commands of each channel.

use traces::trace::AtomicOp;
use traces::workloads::program::{Area, Kernel, Labels, Place, Program, Step, What, Who};

use super::*;
use crate::SystemError;

/// GDDR6, at one cycle of the GPU a cycle of its command clock.
const GDDR6: [(&str, &str); 4] = [
    ("memory.model", "dram"),
    ("dram.set", "GDDR6"),
    ("dram.refresh", "off"),
    ("machine.clock_mhz", "1750"),
];
/// A line of two bursts on an idle channel: tRCDRD, tCCDL, CL, BL.
const IDLE: u64 = 26 + 3 + 24 + 2;

fn load(per_item: u64, per_group: u64, page_by_group: bool) -> Step {
    let place = Place { page: 0, offset: 0, per_item, per_group, page_by_group };
    Step::Access { what: What::Load, who: Who::All, place, size: 4, aligned: true, gap: 0 }
}

fn kernel(groups: u32, items: u32, step: Step) -> Program {
    let (labels, writes, steps) = (Labels::None, Vec::new(), vec![step]);
    Program(vec![Kernel { labels, writes, groups, items, steps, read: false }])
}

#[test]
fn idle_latency_is_the_sum_of_the_configured_parts() {
    let load = cycles::access(What::Load, Who::Item(0), (0, 0), 0);
    let program = cycles::program(64, vec![load]);
    // Less a cycle of the simple channel.
    let rest = cycles::MISS - 1;
    let wait = |set: &[(&str, &str)]| cycles::spent("1", set, &program)[3] + 1 - rest;
    assert_eq!(wait(&GDDR6), IDLE);
    assert_eq!(wait(&[&GDDR6[..], &[("l3.bytes", "0")]].concat()), IDLE);
    assert_eq!(wait(&[&GDDR6[..], &[("memory.latency", "100")]].concat()), IDLE + 70);
    let slower = [("dram.cl", "25"), ("dram.rcd_rd", "30"), ("dram.ccd_l", "5")];
    assert_eq!(wait(&[&GDDR6[..], &slower].concat()), IDLE + 1 + 4 + 2);
    // 55 cycles of 1750 MHz are 31.4 of the GPU; the first one starts less than one cycle of the
    // command clock after the request.
    assert_eq!(wait(&[&GDDR6[..], &[("machine.clock_mhz", "1000")]].concat()), 32);
    // tRCDRD, tCCDL, CL, BL of HBM3 at 1309.5 MHz: 60.5 cycles, and up to 1.4 before.
    let hbm3 = [("memory.model", "dram"), ("machine.clock_mhz", "1801")];
    let cycles = wait(&hbm3);
    assert!((61..=62).contains(&cycles), "{cycles}");
}

/// One CU whose waves have many loads under way, and one channel.
const STREAM: [(&str, &str); 13] = [
    ("machine.chiplets", "1"),
    ("l1.design", "none"),
    ("cu.transactions", "512"),
    ("cu.loads", "4"),
    ("l2.misses", "256"),
    ("l2.banks", "1"),
    ("l3.misses", "256"),
    ("l3.slices", "1"),
    ("network.bytes_per_cycle", "1024"),
    ("network.queue", "64"),
    ("command_processor.packet_cycles", "100"),
    ("memory.granule", "0"),
    ("memory.latency", "20"),
];

/// Cycles that a line takes: of twice as many lines, what the second half takes. And the counters
/// of all lines.
fn per_line(
    set: &[(&str, &str)],
    area: Area,
    half: u32,
    program: impl Fn(u32) -> Program,
) -> (f64, BTreeMap<String, u64>) {
    let set = [&GDDR6, &STREAM[..], set].concat();
    let run = |lines| {
        let mut machine = machine("cpelide-4-small", &set, program(lines).record_over(area));
        machine.run().unwrap();
        (machine.cycle(), machine.statistics().into_iter().collect())
    };
    let ((first, _), (both, statistics)) = (run(half), run(2 * half));
    ((both - first) as f64 / f64::from(half), statistics)
}

/// Each line is a row of its own, banks take turns: the bounds are tRC of all banks, tFAW of four
/// activates, tRRD of one.
#[test]
fn rows_come_at_the_rate_that_the_parameters_allow() {
    let mapping = [("dram.mapping", "column:row:bank:group:column*2"), ("dram.rows", "1024")];
    let area = Area { pages: 1, window: 1 << 20, apart: 1 << 20 };
    for (set, bound) in [
        (&[("dram.groups", "2"), ("dram.banks", "2")][..], 79.0 / 4.0),
        (&[("dram.faw", "60")], 60.0 / 4.0),
        (&[("dram.rrd_s", "12"), ("dram.rrd_l", "12")], 12.0),
    ] {
        for l3 in ["0", "65536"] {
            let set = [&mapping[..], set, &[("l3.bytes", l3)]].concat();
            let stream = |lines| kernel(lines / 64, 64, load(64, 4096, false));
            let (cycles, statistics) = per_line(&set, area, 4096, stream);
            assert!((bound * 0.99..bound * 1.04).contains(&cycles), "{set:?}: {cycles}, {bound}");
            let of = |name: &str| statistics[&format!("dram.{name}")];
            assert_eq!([of("reads"), of("row_hits")], [2 * 8192, 8192], "{set:?}");
            assert_eq!(of("row_misses") + of("row_conflicts"), 8192, "{set:?}");
            assert_eq!(statistics["memory.bytes_read"], 8192 * 64);
        }
    }
}

/// Groups load lines that lie a row of all banks apart: in one bank without a hash.
#[test]
fn a_stride_shows_the_hash_of_banks_and_channels() {
    let stride = 64 * 16 * 32;
    for (mapping, channels, banks) in [
        ("row:bank:group:column", 1, 1.0),
        ("row:bank:group^row:column", 1, 4.0),
        ("row:bank:group:channel:column", 2, 1.0),
        ("row:bank:group:channel^row:column", 2, 2.0),
    ] {
        let area = Area { pages: 1024, window: 4096, apart: stride * channels };
        let channels = channels.to_string();
        let set = [("dram.mapping", mapping), ("dram.channels", &channels), ("l3.bytes", "0")];
        let strided = |lines| kernel(lines, 1, load(0, 0, true));
        let (cycles, statistics) = per_line(&set, area, 256, strided);
        let bound = 79.0 / banks;
        assert!((bound * 0.98..bound * 1.05).contains(&cycles), "{mapping}: {cycles}, {bound}");
        let conflicts = statistics["dram.row_conflicts"];
        assert!(conflicts >= 512 - 8 && statistics["dram.row_hits"] == 512, "{mapping}");
    }
}

/// Everything that a run reports, on threads and with each cycle visited. Each loaded value is
/// checked.
#[test]
fn threads_and_visits_change_nothing() {
    let two_gpus = [("machine.gpus", "2")];
    for (preset, set, programs) in [
        ("cpelide-4-small", &[("dram.set", "HBM2")][..], ["bfs", "stream"]),
        ("cpelide-4-small", &[("l3.bytes", "0"), ("dram.read_queue", "1")], ["kmeans", "lu"]),
        ("cpelide-2-small", &[two_gpus[0], ("dram.channels", "3")], ["pagerank", "stream"]),
        ("rec-4gpu-small", &[("memory.granule", "32")], ["bfs", "stream"]),
        ("finepack-4gpu-small", &[("dram.page", "closed")], ["pagerank", "stream"]),
        ("fermi-15sm-small", &[("dram.set", "GDDR5"), ("dram.refresh", "all-bank")], ["bfs", "lu"]),
    ] {
        let set = [&[("memory.model", "dram")], set].concat();
        for name in programs {
            let run = |threads, visit_all| {
                let mut machine = machine(preset, &set, program(name, 128));
                (machine.options.threads, machine.options.visit_all) = (threads, visit_all);
                machine.run().unwrap();
                (machine.cycle(), machine.statistics())
            };
            let one = run(1, false);
            assert_eq!(one, run(2, false), "{preset}, {name}");
            assert_eq!(one, run(1, true), "{preset}, {name}");
            let of: BTreeMap<_, _> = one.1.into_iter().collect();
            let columns = of["dram.reads"] + of["dram.writes"];
            let rows = of["dram.row_hits"] + of["dram.row_misses"] + of["dram.row_conflicts"];
            assert_eq!(rows, columns, "{preset}, {name}");
            assert!(of["dram.reads"] > 0 && of["dram.refreshes"] > 0, "{preset}, {name}");
        }
    }
}

/// Reads of memory by atomics on the words of a line of two granules: lines or parts of them that
/// the slice reads, bytes where they are counted, and bursts.
fn reads(model: &str, granule: &str, l3: &str, steps: &[Step]) -> (u64, Option<u64>, Option<u64>) {
    let set = [("memory.model", model), ("memory.granule", granule), ("l3.bytes", l3)];
    let set = [&set[..], &[("machine.chiplets", "1"), ("l1.design", "none")]].concat();
    let area = Area { pages: 1, window: 256, apart: 4096 };
    let (labels, writes, steps) = (Labels::None, Vec::new(), steps.to_vec());
    let kernel = Kernel { labels, writes, groups: 1, items: 128, steps, read: true };
    let mut machine = machine("cpelide-4-small", &set, Program(vec![kernel]).record_over(area));
    machine.run().unwrap();
    let of: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    let number = |name: &str| of.get(name).copied();
    (number("l3.fetches").unwrap(), number("memory.bytes_read"), number("dram.reads"))
}

#[test]
fn requests_cost_the_granules_that_they_touch() {
    // Words of 4 bytes that atomics change lie in the third quarter of the window.
    let atomic = |who, offset| {
        let place = Place { page: 0, offset, per_item: 0, per_group: 0, page_by_group: false };
        let what = What::Atomic(AtomicOp::Add);
        Step::Access { what, who, place, size: 4, aligned: true, gap: 0 }
    };
    let one = [atomic(Who::Item(0), 4)];
    for (model, is_dram) in [("simple", false), ("dram", true)] {
        let dram = |number: u64| is_dram.then_some(number);
        for l3 in ["0", "16384"] {
            assert_eq!(reads(model, "32", l3, &one), (1, Some(32), dram(1)), "{model}, {l3}");
            assert_eq!(reads(model, "0", l3, &one), (1, dram(64), dram(2)), "{model}, {l3}");
        }
        // Of an L3's line, a pending fill reads the other granule, and each only once.
        let both =
            [(0, 0), (64, 32), (1, 8), (65, 40)].map(|(item, at)| atomic(Who::Item(item), at));
        assert_eq!(reads(model, "32", "16384", &both), (2, Some(64), dram(2)), "{model}");
        assert_eq!(reads(model, "0", "16384", &both), (1, dram(64), dram(2)), "{model}");
    }
}

#[test]
fn contradictions_are_refused_by_name() {
    let refused = |set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        match systems::load("cpelide-4-small", &set) {
            Err(SystemError::Value { error, .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let with = |key, value| refused(&[("memory.model", "dram"), (key, value)]);
    assert_eq!(
        with("dram.rc", "63"),
        "dram.rc: 63: must be at least ras + rp, where ras = 45, rp = 19"
    );
    assert_eq!(with("dram.faw", "0"), "dram.faw: 0 is not 1 to 1048576");
    assert_eq!(
        with("dram.write_low", "56"),
        "dram.write_low: 56: must be less than write_high, where write_high = 56"
    );
    assert_eq!(
        with("dram.access_bytes", "128"),
        "dram.access_bytes: 128: must be a divisor of machine.line = 64"
    );
    assert_eq!(
        with("memory.granule", "16"),
        "memory.granule: 16: must be a multiple of dram.access_bytes = 32"
    );
    assert_eq!(
        with("memory.granule", "48"),
        "memory.granule: 48: must be 0 or a divisor of machine.line, where machine.line = 64"
    );
    assert!(with("dram.mapping", "row").starts_with("dram.mapping: \"row\": \"pseudo\" must be"));
    assert!(with("dram.set", "HBM9").starts_with("dram.set: \"HBM9\" is none of HBM2, HBM2E"));
    assert!(with("dram.page", "shut").contains("`open` or `closed`"));
    assert_eq!(
        refused(&[("dram.rc", "70")]),
        "dram: this section requires memory.model = dram; the file has \"simple\""
    );
}
