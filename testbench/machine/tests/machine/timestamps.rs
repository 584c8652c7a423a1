//! Timestamp coherence over the whole machine (G-TSC specification 5 to 8): whole caches as blocks,
//! which stand where L1s and L2 banks of other designs do. Logical time explains what loads have
//! seen in each of these runs (`timed`), and physical time under TC.

use cosim::body::BodyKind;
use machine::sequential::Keep;
use machine::{Bodies, Machine, Options, RunError, systems};
use traces::kernels::{PROGRAMS, Params};
use traces::trace::Reader;

use super::{Outcome, built_in, by_default, passes, run, run_on, system};

const DESIGNS: [&str; 4] = ["gtsc-rc", "gtsc-sc", "tc-weak", "tc-strong"];

type Fields = &'static [(&'static str, &'static str)];

/// A GPU; of several chiplets; two GPUs, of which each asks the other's banks.
const MACHINES: [Fields; 3] = [
    &[],
    &[("machine.chiplets", "3"), ("network.queue", "1")],
    &[("machine.gpus", "2"), ("machine.chiplets", "2")],
];

/// Tables that are full at once, and timestamps that overflow in each program; leases that end
/// while a line is on its way.
pub const TIGHT: Fields = &[
    ("l1.bytes", "1024"),
    ("l1.ways", "2"),
    ("l1.misses", "3"),
    ("l2.bytes", "8192"),
    ("l2.ways", "4"),
    ("l2.misses", "2"),
    ("timestamp.ts_w", "5"),
    ("timestamp.lease", "3"),
    ("timestamp.waiters", "2"),
    ("timestamp.stq", "3"),
    ("timestamp.spin", "4"),
    ("timestamp.l2_wait", "1"),
    ("timestamp.l2_div", "3"),
    ("timestamp.tc_lease", "400"),
];

fn count(outcome: &Outcome, name: &str) -> u64 {
    let mut found = outcome.statistics.iter().filter(|(counter, _)| counter == name);
    found.next().unwrap_or_else(|| panic!("there is no {name}")).1
}

fn fields(design: &'static str, more: Fields) -> Vec<(&'static str, &'static str)> {
    [&[("l1.design", design), ("l2.design", "own")], more].concat()
}

fn small(name: &str, size: u32) -> Reader {
    let params = traces::kernels::program::<()>(name).unwrap().params();
    built_in(name, &Params { size, iterations: 1, ..params })
}

/// Programs and machines in turns: each program meets each design, each design each machine, with
/// and without room.
#[test]
fn every_program_passes_and_logical_time_explains_it() {
    for (number, program) in PROGRAMS.iter().enumerate() {
        let trace = by_default(program.name);
        for (turn, design) in DESIGNS.into_iter().enumerate() {
            let machine = MACHINES[(number + turn) % MACHINES.len()];
            let tight = if (number + turn / 2) % 2 == 1 { TIGHT } else { &[] };
            let set = [&fields(design, machine)[..], tight].concat();
            passes(&system("fermi-16sm-8p-small", &set), &trace);
        }
    }
}

/// Instead of the design's own.
const SOFTWARE: Fields = &[("l2.design", "software")];

/// All of them where nothing overflows; else but those whose generation is not sure.
#[test]
fn accesses_are_looked_at_in_their_time() {
    let looked_at = |design, more| {
        let machine = system("fermi-16sm-8p-small", &fields(design, more));
        let keep = Keep { values: true, placed: false };
        let options = Options { sequential: Some(keep), ..Options::default() };
        let mut run =
            Machine::new(&machine, &Bodies::default(), by_default("bfs"), options).unwrap();
        run.run().unwrap();
        run.timed().map(machine::timed::Timed::counts)
    };
    let (checked, unchecked) = looked_at("gtsc-sc", &[]).expect("it is looked at");
    assert!(checked > 10_000 && unchecked == 0, "{checked}, {unchecked}");
    let (checked, unchecked) = looked_at("gtsc-rc", TIGHT).expect("it is looked at");
    assert!(checked > unchecked, "{checked}, {unchecked}");
    // In physical time every access is sure.
    for design in ["tc-weak", "tc-strong"] {
        let (checked, unchecked) = looked_at(design, TIGHT).expect("it is looked at");
        assert!(checked > 10_000 && unchecked == 0, "{design}: {checked}, {unchecked}");
    }
    assert_eq!(looked_at("src", SOFTWARE), None);
}

#[test]
fn what_the_designs_do_is_reached() {
    let programs = ["bfs", "pagerank_push", "work_queue", "lu", "reuse"];
    let sums = |design, more| {
        let machine = system("fermi-16sm-8p-small", &fields(design, more));
        let runs = programs.map(|name| passes(&machine, &by_default(name)));
        move |name: &str| -> u64 { runs.iter().map(|run| count(run, &format!("l1.{name}"))).sum() }
    };
    let resets = [&[][..], TIGHT].map(|more| {
        ["gtsc-rc", "gtsc-sc"].map(|design| {
            let sum = sums(design, more);
            for reached in [
                "hits",
                "merges",
                "timestamp_cold_misses",
                "timestamp_expired_misses",
                "timestamp_renewals",
                "timestamp_fills",
            ] {
                assert!(sum(reached) > 0, "{design}: {reached}");
            }
            sum("timestamp_resets")
        })
    });
    // One or two at each kernel's start, and with short timestamps overflows.
    assert!(resets[1].iter().zip(resets[0]).all(|(tight, wide)| *tight > 2 * wide), "{resets:?}");
    let sum = sums("gtsc-rc", TIGHT);
    for reached in ["timestamp_lock_waits", "timestamp_stale_answers", "timestamp_spin_ticks"] {
        assert!(sum(reached) > 0, "{reached}");
    }
    let [weak, strong] = ["tc-weak", "tc-strong"].map(|design| sums(design, TIGHT));
    for reached in ["hits", "timestamp_expired_misses", "timestamp_eviction_stalls"] {
        assert!(weak(reached) > 0 && strong(reached) > 0, "{reached}");
    }
    assert!(weak("timestamp_lease_stalls") == 0 && strong("timestamp_lease_stalls") > 0);
    assert!(weak("timestamp_fence_waits") > 0);
}

/// Other GPUs' accesses pass the bank, uncached, and memory shows what they have written.
#[test]
fn other_gpus_are_one_sm_more() {
    for design in DESIGNS {
        let set = fields(design, &[("machine.gpus", "2")]);
        let outcome = passes(&system("fermi-16sm-8p-small", &set), &by_default("pagerank_push"));
        assert!(count(&outcome, "l1.uncached_loads") > 0, "{design}");
        assert!(count(&outcome, "l2.atomics") > 0, "{design}");
    }
}

#[test]
fn blocks_as_rtl_and_in_lockstep_give_the_same_run() {
    let mixes: [&[(&str, BodyKind)]; 3] = [
        &[
            ("timestamp_l1", BodyKind::Rtl),
            ("timestamp_l2", BodyKind::Rtl),
            ("gtsc_rst", BodyKind::Rtl),
        ],
        &[("timestamp_l1", BodyKind::Lockstep), ("gtsc_rst", BodyKind::Rtl)],
        &[("*/cu0/timestamp_l1", BodyKind::Rtl), ("timestamp_l2", BodyKind::Lockstep)],
    ];
    let of_tc: [&[(&str, BodyKind)]; 2] = [
        &[("timestamp_l1", BodyKind::Rtl), ("timestamp_l2", BodyKind::Rtl)],
        // By the names that they had.
        &[("tc_l1", BodyKind::Lockstep), ("tc_l2", BodyKind::Lockstep)],
    ];
    for (design, mixes) in [("gtsc-rc", &mixes[..]), ("tc-weak", &of_tc), ("tc-strong", &of_tc)] {
        let machine = system("fermi-16sm-8p-small", &fields(design, TIGHT));
        let program = small("pagerank_push", 64);
        let models = passes(&machine, &program);
        let all = Options { visit_all: true, ..Options::default() };
        assert_eq!(run(&machine, &program, all).unwrap(), models, "{design} without skipping");
        for mix in mixes {
            let bodies = mix.iter().fold(Bodies::default(), |all, (of, kind)| all.with(of, *kind));
            match run_on(&machine, &bodies, &program, Options::default()) {
                Ok(outcome) => assert_eq!(outcome, models, "{design}: {mix:?}"),
                Err(RunError::Build(error)) => return eprintln!("skipped: {error}"),
                Err(error) => panic!("{design}: {mix:?}: {error}"),
            }
        }
    }
}

#[test]
fn machines_and_parameters_that_cannot_be_are_refused_by_field() {
    let refused = |preset: &str, more: Fields| {
        let set: Vec<_> = fields("gtsc-rc", more)
            .into_iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        systems::load(preset, &set).unwrap_err().to_string()
    };
    let cases: [(&str, Fields, [&str; 2]); 8] = [
        ("fermi-16sm-8p-small", &[("l2.design", "software")], ["l2.design", "own"]),
        ("cpelide-4-small", &[("l2.policy", "private")], ["l2.policy", "several L2s"]),
        ("fermi-16sm-small", &[], ["l2.bytes", "power of 2"]),
        ("stc-8cu-small", &[], ["l1.ways", "1 to 8"]),
        ("rec-4gpu-small", &[], ["l1.misses", "1 to 64"]),
        ("fermi-16sm-8p-small", &[("timestamp.ts_w", "26")], ["timestamp.ts_w", "25"]),
        ("fermi-16sm-8p-small", &[("timestamp.lease", "16385")], ["timestamp.lease", "2^(ts_w"]),
        ("fermi-16sm-8p-small", &[("timestamp.warps", "4")], ["timestamp.warps", "no such field"]),
    ];
    for (preset, more, parts) in cases {
        let error = refused(preset, more);
        assert!(parts.iter().all(|part| error.contains(part)), "{preset} {more:?}: {error}");
    }
}
