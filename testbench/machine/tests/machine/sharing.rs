//! Sharing-aware scheduling and caching over the whole machine (specification 5, 8, 12).

use cosim::body::BodyKind;
use machine::{Bodies, Options, RunError, System};
use traces::kernels::{PROGRAMS, Params};
use traces::trace::{Access, AccessKind, KernelSpec, Key, Reader, Record, Recorder, Work};

use super::cover::{covering, product};
use super::{Outcome, built_in, by_default, production, run, run_on, system};

/// An L1 and L2 so small that lines go: 8 lines of an L1, 128 of the L2.
const TIGHT: &[(&str, &str)] = &[
    ("machine.cus", "3"),
    ("cu.groups", "4"),
    ("l1.bytes", "1024"),
    ("l2.bytes", "16384"),
    ("l2.misses", "8"),
];

fn tight(set: &[(&str, &str)]) -> System {
    system("fermi-16sm-8p-small", &[TIGHT, set].concat())
}

fn count(outcome: &Outcome, name: &str) -> u64 {
    let mut found = outcome.statistics.iter().filter(|(counter, _)| counter == name);
    found.next().unwrap_or_else(|| panic!("there is no {name}")).1
}

/// Schedulers and policies, any two of them and of the blocks' bodies together, with the programs
/// in turn; with `DUET_SOAK` in the environment all of them, with each program.
#[test]
fn every_scheduler_goes_with_every_policy_on_every_body() {
    let schedulers = production("cu.scheduler");
    let policies = production("sharing.l1");
    let levels = [schedulers.len(), policies.len(), policies.len(), BodyKind::ALL.len()];
    let soak = std::env::var_os("DUET_SOAK").is_some();
    let programs = if soak { PROGRAMS.len() } else { 1 };
    let all = product(&levels);
    let rows = if soak { all } else { covering(all) };
    for (number, row) in rows.iter().enumerate() {
        let machine = tight(&[
            ("cu.scheduler", &schedulers[row[0]]),
            ("sharing.l1", &policies[row[1]]),
            ("sharing.l2", &policies[row[2]]),
        ]);
        for program in (0..programs).map(|turn| &PROGRAMS[(number + turn) % PROGRAMS.len()]) {
            let trace = by_default(program.name);
            let run = |bodies: &Bodies| {
                run_on(&machine, bodies, &trace, Options::default())
                    .unwrap_or_else(|e| panic!("{} with {row:?}: {e}", program.name))
            };
            let model = run(&Bodies::default());
            let body = BodyKind::ALL[row[3]];
            if body != BodyKind::Model {
                assert_eq!(run(&Bodies::all(body)), model, "{} with {row:?}", program.name);
            }
        }
    }
}

/// A waiter behind a request that is to be placed does not stop it while a release walks: the run
/// does not depend on when a bank is visited.
#[test]
fn policy_places_a_line_while_a_release_walks() {
    for program in ["stream_jobs", "mixed_jobs"] {
        let machine = tight(&[("sharing.l2", "sharing-aware")]);
        let run = |visit_all| {
            let options = Options { visit_all, ..Options::default() };
            run(&machine, &by_default(program), options).unwrap()
        };
        assert_eq!(run(true), run(false), "{program}");
    }
}

/// Caches of G-TSC and TC ask the policies for a way: of one GPU, of three chiplets, of two GPUs,
/// with all bodies in turn. A line is not kept where the policy picks one that may not go.
#[test]
fn caches_with_timestamps_ask_the_policies() {
    let designs = ["gtsc-rc", "gtsc-sc", "tc-weak", "tc-strong"];
    let shapes: [&[(&str, &str)]; 3] =
        [&[], &[("machine.chiplets", "3")], &[("machine.chiplets", "2"), ("machine.gpus", "2")]];
    let policies = ["lru", "sharing-aware"];
    let levels = [designs.len(), shapes.len(), 2, 2, BodyKind::ALL.len()];
    for (number, row) in covering(product(&levels)).iter().enumerate() {
        let [l1, l2] = [2, 3].map(|at| policies[row[at]]);
        let own = [
            ("l1.design", designs[row[0]]),
            ("l2.design", "own"),
            ("l1.misses", "8"),
            ("sharing.l1", l1),
            ("sharing.l2", l2),
        ];
        let machine = tight(&[&own[..], shapes[row[1]]].concat());
        let name = PROGRAMS[number % PROGRAMS.len()].name;
        let trace = by_default(name);
        let run = |bodies: &Bodies| {
            let outcome = run_on(&machine, bodies, &trace, Options::default());
            outcome.unwrap_or_else(|e| panic!("{name} with {row:?}: {e}"))
        };
        let model = run(&Bodies::default());
        let reads = count(&model, "l2.reads") + count(&model, "l2.writes");
        if l2 == "sharing-aware" {
            let [hits, allocs] = ["hits", "allocs"].map(|n| format!("l2.sharing_{n}"));
            let [hits, allocs] = [hits, allocs].map(|name| count(&model, &name));
            // The policy sees each request when it is performed.
            assert!(hits >= reads && allocs == count(&model, "l2.fetches"), "{name} {row:?}");
        }
        let body = BodyKind::ALL[row[4]];
        if body != BodyKind::Model {
            assert_eq!(run(&Bodies::all(body)), model, "{name} with {row:?}");
        }
    }
}

/// A kernel of so many work-groups of 32 work-items, in rows, each of which loads its own line and
/// that of the next one twice.
fn neighbours(groups: u32, row: u32) -> Reader {
    let mut recorder = Recorder::in_memory("neighbours").unwrap();
    let data = recorder.alloc("data", u64::from(groups + 1) * 128).unwrap();
    let spec = KernelSpec {
        name: "neighbours".into(),
        grid: [row * 32, groups / row, 1],
        local: [32, 1, 1],
        ..KernelSpec::default()
    };
    recorder.begin_kernel(spec).unwrap();
    for group in 0..u64::from(groups) {
        recorder.begin_group().unwrap();
        for pc in 0..4 {
            for item in 0..32 {
                let addr = data + (group + u64::from(pc) / 2) * 128 + u64::from(item) * 4;
                let key = Key { pc, ..Key::default() };
                let bytes = [0; 4];
                let kind = AccessKind::Load;
                let access = Access {
                    item,
                    key,
                    kind,
                    addr,
                    bytes: &bytes,
                    work: Work::of(3),
                    ..Access::default()
                };
                recorder.access(&access).unwrap();
            }
        }
        recorder.end_group().unwrap();
    }
    recorder.end_kernel().unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), "neighbours").unwrap()
}

/// Groups of work-groups begun, and work-groups given singly: of 100 in rows of 10, on 3 CUs.
#[test]
fn schedulers_give_groups_of_their_size() {
    let program = neighbours(100, 10);
    let given = |scheduler: &str| {
        let outcome = run(&tight(&[("cu.scheduler", scheduler)]), &program, Options::default());
        let outcome = outcome.unwrap();
        assert_eq!(count(&outcome, "cu.groups"), 100);
        ["assigned", "groups", "rr_phase_ctas"]
            .map(|name| count(&outcome, &format!("scheduler.{name}")))
    };
    assert_eq!(given("rr_block"), [100, 0, 0]);
    assert_eq!(given("bcs"), [100, 0, 0]);
    // The last one is short.
    assert_eq!(given("q8"), [100, 13, 0]);
    assert_eq!(given("q16"), [100, 7, 0]);
    assert_eq!(given("qx"), [100, 10, 0]);
    // While more than two groups are left: 100 - 8 k > 16, 100 - 16 k > 32, 100 - 10 k > 20.
    assert_eq!(given("q8_adpt"), [100, 11, 12]);
    assert_eq!(given("q16_adpt"), [100, 5, 20]);
    assert_eq!(given("qx_adpt"), [100, 8, 20]);
}

/// A grid of one row is one group of `qx`: one CU has all of it, unless the test spreads it.
#[test]
fn kernel_of_one_row_goes_to_all_cus_where_the_test_is() {
    let program = neighbours(60, 60);
    let of = |scheduler: &str| {
        let machine = tight(&[("cu.scheduler", scheduler)]);
        let outcome = run(&machine, &program, Options::default()).unwrap();
        let given = ["groups", "rr_phase_ctas"].map(|n| count(&outcome, &format!("scheduler.{n}")));
        (given, outcome.cycles)
    };
    let (one_cu, alone) = of("qx");
    let (spread, together) = of("qx_adpt");
    assert_eq!((one_cu, spread), ([1, 0], [0, 60]));
    assert_eq!(together, of("rr_block").1);
    assert!(together < alone, "{together} {alone}");
}

/// Work-groups that share lines on one CU have fewer lines in two of them, and load them once.
#[test]
fn neighbours_on_a_cu_share_its_lines() {
    let program = neighbours(96, 8);
    let shared = |scheduler: &str| {
        let set = [
            ("cu.scheduler", scheduler),
            ("sharing.l1", "sharing-aware"),
            ("sharing.l2", "sharing-aware"),
        ];
        let outcome = run(&tight(&set), &program, Options::default()).unwrap();
        assert_eq!(count(&outcome, "l2.sharing_allocs"), 97);
        count(&outcome, "l2.sharing_sf_set")
    };
    // Each line but the first and the last has two work-groups.
    assert!(shared("rr_block") > 90);
    assert_eq!(shared("q8"), 11);
    assert_eq!(shared("qx"), 11);
}

/// What a machine sees of a rule that its blocks do not keep. Of three it sees nothing wrong, as
/// lines and work-groups are right wherever they go, and who merges with a line that comes is
/// answered as who hits: the blocks' own tests find those (`first-group`, `touch-clears`,
/// `fill-first`).
#[test]
fn rules_taken_away_are_seen() {
    let both = [("sharing.l1", "sharing-aware"), ("sharing.l2", "sharing-aware")];
    for (rule, scheduler, program, seen) in [
        ("free-slot", "q8", "gemm", "whose CUs are full"),
        ("free-for-burst", "bcs", "gemm", "whose CUs are full"),
        ("keep-private", "rr", "hotspot3d", "(P1)"),
        ("mshr-owner", "rr", "gemm", "sf, of an access"),
        ("local-bypass", "rr", "spills", "(P2)"),
    ] {
        let own = [("cu.scheduler", scheduler), ("sharing_aware.without", rule)];
        let machine = tight(&[&both[..], &own].concat());
        let error = match run(&machine, &by_default(program), Options::default()) {
            Ok(_) => panic!("{rule}: nothing is seen"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(seen), "{rule}: {error}");
        run(&tight(&both), &by_default(program), Options::default()).unwrap();
    }
}

/// Plain LRU, in the blocks: as the caches' own, but that a line takes its way when it has come,
/// and not when it is asked for.
#[test]
fn policies_that_are_off_hit_as_often_as_none() {
    let off = [
        ("sharing.l1", "sharing-aware"),
        ("sharing.l2", "sharing-aware"),
        ("sharing_aware.l1_mgt", "0"),
        ("sharing_aware.l2_mgt", "0"),
    ];
    let roomy = |set: &[(&str, &str)]| system("fermi-16sm-8p-small", set);
    for name in ["gemm", "hotspot", "pathfinder", "kmeans"] {
        let program = by_default(name);
        let [plain, off] =
            [&[][..], &off].map(|set| run(&roomy(set), &program, Options::default()).unwrap());
        for level in ["l1", "l2"] {
            let reads = if level == "l1" { "l1.loads" } else { "l2.reads" };
            let rate = |of: &Outcome| {
                let hits =
                    count(of, &format!("{level}.hits")) + count(of, &format!("{level}.merges"));
                hits as f64 / count(of, reads).max(1) as f64
            };
            let (plain, off) = (rate(&plain), rate(&off));
            assert!((plain - off).abs() < 0.05, "{name} {level}: {plain} and {off}");
        }
    }
}

/// Private lines are written back by L1s, and not kept by the L2.
#[test]
fn private_accesses_pass_the_l2() {
    let set = [("sharing.l1", "sharing-aware"), ("sharing.l2", "sharing-aware")];
    let spills = run(&tight(&set), &by_default("spills"), Options::default()).unwrap();
    assert!(count(&spills, "l2.sharing_bypasses") > 1000);
    assert!((100..count(&spills, "l1.stores")).contains(&count(&spills, "l1.write_backs")));
    let gemm = run(&tight(&set), &by_default("gemm"), Options::default()).unwrap();
    assert_eq!(["l2.sharing_bypasses", "l1.write_backs"].map(|name| count(&gemm, name)), [0; 2]);
}

/// Work-group memory and work-groups limit how many a CU has.
#[test]
fn work_group_memory_limits_a_cu() {
    let program = built_in("gemm", &Params { size: 64, iterations: 1, seed: 1 });
    let cycles = |set: &[(&str, &str)]| {
        run(&system("fermi-16sm-8p-small", set), &program, Options::default()).unwrap().cycles
    };
    // 2 KB of each work-group.
    let [free, one, one_of] =
        [&[][..], &[("cu.group_memory", "2048")], &[("cu.groups", "1")]].map(cycles);
    assert!(free < one);
    assert_eq!(one, one_of);
    let small = system("fermi-16sm-8p-small", &[("cu.group_memory", "2047")]);
    let error = run(&small, &program, Options::default()).unwrap_err();
    assert!(matches!(error, RunError::Program { .. }));
    let text = error.to_string();
    assert!(text.contains("2048 bytes") && text.contains("2047 (cu.group_memory)"), "{text}");
}

#[test]
fn machines_that_the_blocks_cannot_serve_are_refused() {
    let refused = |preset: &str, set: &[(&str, &str)], parts: &[&str]| {
        let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let error = machine::systems::load(preset, &set).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    let fermi = "fermi-16sm-8p-small";
    refused(
        fermi,
        &[("machine.cus", "17"), ("cu.scheduler", "q8")],
        &["cu.scheduler: \"q8\"", "CUs of a chiplet (machine.cus), 17", "1 to 16"],
    );
    refused(fermi, &[("cu.scheduler", "q9")], &["cu.scheduler: \"q9\" is none of"]);
    refused(
        fermi,
        &[("machine.cus", "17"), ("sharing.l2", "sharing-aware")],
        &["sharing.l2: \"sharing-aware\"", "(machine.cus, machine.chiplets, machine.gpus), 17"],
    );
    refused(
        fermi,
        &[("l1.ways", "16"), ("sharing.l1", "sharing-aware")],
        &["sharing.l1: \"sharing-aware\"", "(l1.ways), 16", "1 to 8"],
    );
    refused(
        "cpelide-2-small",
        &[("l2.ways", "1"), ("sharing.l2", "sharing-aware")],
        &["sharing.l2: \"sharing-aware\"", "sets of an L2 bank", "4096", "1 to 1024"],
    );
    refused(
        fermi,
        &[("l2.misses", "65"), ("sharing.l2", "sharing-aware")],
        &["(l2.misses), 65", "1 to 64"],
    );
    refused(fermi, &[("sharing_aware.dead", "1")], &["sharing_aware"]);
    let both = [("cu.scheduler", "q8"), ("sharing_aware.without", "nothing")];
    refused(fermi, &both, &["sharing_aware.without: \"nothing\" is none of free-slot"]);
    refused(
        fermi,
        &[("cu.scheduler", "q8"), ("sharing_aware.l1_mgt", "2")],
        &["sharing_aware.l1_mgt: 2 is not 0 or 1"],
    );
}
