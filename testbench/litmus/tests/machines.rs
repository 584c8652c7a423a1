//! Litmus tests on machines of all designs.

use litmus::{Design, Error, Job, Promise, Row, Sizes, Test, shapes};
use machine::{Bodies, RunError};

fn job(designs: Vec<Design>, runs: u32) -> Job {
    let (bodies, sizes) = (Bodies::default(), Sizes::Drawn);
    Job { runs, seed: 1, designs, bodies, sizes, set: Vec::new(), threads: 2 }
}

fn designs(l1: &str) -> Vec<Design> {
    Design::all().into_iter().filter(|design| design.l1 == l1).collect()
}

fn named(names: &[&str]) -> Vec<Test> {
    shapes::all().into_iter().filter(|test| names.contains(&&test.name[..])).collect()
}

fn told(rows: &[Row]) -> String {
    let is_wrong = |row: &&Row| !row.forbidden.is_empty();
    let of = |row: &Row| format!("{} on {}: {:#?}\n", row.test, row.design, row.forbidden);
    rows.iter().filter(is_wrong).map(of).collect()
}

/// All shapes on all designs.
#[test]
fn no_forbidden_outcome_is_seen() {
    let tests = shapes::all();
    let rows = litmus::run(&job(Design::all(), 200), &tests).unwrap();
    assert_eq!(told(&rows), "");
    for design in Design::all() {
        for test in &tests {
            let own =
                rows.iter().filter(|row| (&row.test, &row.design) == (&test.name, &design.name()));
            assert_eq!(own.map(|row| row.runs).sum::<u64>(), 200, "{}", design.name());
        }
    }
}

/// What each promise allows and a stronger one forbids happens: else a machine would be held to
/// less than it does, or the tests would not try hard enough.
#[test]
fn what_a_promise_allows_is_reached() {
    let cases: &[(&str, Promise, &[&str])] = &[
        ("none", Promise::Rc, &["SB", "MP", "R", "S", "2+2W"]),
        ("none", Promise::Hrf, &["SB", "MP", "2+2W"]),
        ("src", Promise::Hrf, &["SB", "MP", "MP+fences", "SB+fences", "IRIW+fences"]),
        ("race-base", Promise::Hrf, &["MP+fences", "SB+fences"]),
        ("stc-mb", Promise::Rc, &["SB", "MP", "R"]),
        ("gtsc-rc", Promise::Rc, &["SB", "R"]),
        ("tc-weak", Promise::RcOwn, &["SB", "MP", "IRIW+fences", "WRC+fences"]),
    ];
    let mut missing = Vec::new();
    for &(l1, promise, names) in cases {
        let rows = litmus::run(&job(designs(l1), 4000), &named(names)).unwrap();
        for name in names {
            let own = rows.iter().filter(|row| row.promise == promise && row.test == *name);
            if own.map(|row| row.condition).sum::<u64>() == 0 {
                missing.push((l1, *name));
            }
        }
    }
    assert_eq!(missing, [], "never seen");
}

/// A rule that is taken away, the L1 design, and shapes that show that it is missing.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    ("timestamp.without", "lock", "gtsc-rc", &["IRIW+fences", "WRC+fences"]),
    ("timestamp.without", "load-raises", "gtsc-rc", &["MP+fences", "ISA2+fences"]),
    ("timestamp.without", "above-warp", "gtsc-sc", &["2+2W", "S", "R"]),
    ("timestamp.without", "one-access", "gtsc-sc", &["SB", "MP", "R"]),
    ("timestamp.without", "tc-fence", "tc-weak", &["MP+fences", "SB+fences"]),
    ("timestamp.without", "tc-waits", "tc-strong", &["WRC", "IRIW", "SB"]),
    ("race_detection.without", "token-order", "race-spec", &["MP", "SB", "ISA2"]),
    ("race_detection.without", "allocate", "race-spec", &["MP", "SB"]),
    ("race_detection.without", "stores-wait", "race-spec", &["LB", "S", "ISA2"]),
];

/// Each design without a rule shows an outcome that is forbidden.
#[test]
fn a_design_without_a_rule_is_found_out() {
    let mut missing = Vec::new();
    for &(field, rule, l1, names) in CASES {
        let mut job = job(designs(l1), 4000);
        job.designs.truncate(1);
        job.set = vec![(field.into(), rule.into())];
        let tests = named(names);
        assert_eq!(tests.len(), names.len());
        match litmus::run(&job, &tests) {
            Ok(rows) => {
                let forbidden: u64 = rows.iter().map(Row::forbidden_runs).sum();
                let runs: u64 = rows.iter().map(|row| row.runs).sum();
                println!("{l1} without {rule}: {forbidden} of {runs}");
                if forbidden == 0 {
                    missing.push((l1, rule));
                }
            }
            // Without it the block itself says that something is wrong, or a load finds a
            // value that was not stored.
            Err(Error::Run { error, .. })
                if matches!(*error, RunError::Block(_) | RunError::Wrong(..)) =>
            {
                println!("{l1} without {rule}: {error}");
            }
            Err(error) => panic!("{l1} without {rule}: {error}"),
        }
    }
    assert_eq!(missing, [], "these are not missed");
}

/// A run is a function of its seed.
#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let tests = named(&["MP", "CoRR2", "Add+st"]);
    let job = job(designs("none"), 150);
    let rows = litmus::run(&job, &tests).unwrap();
    assert_eq!(litmus::run(&Job { threads: 1, ..job.clone() }, &tests).unwrap(), rows);
    assert_ne!(litmus::run(&Job { seed: 2, ..job }, &tests).unwrap(), rows);
}

/// First values other than 0, and the largest operations.
#[test]
fn first_values_and_atomics_are_those_of_the_file() {
    let text = "PTX values
{ x=7; y=0xffffffff; }
 P0@cta 0,gpu 0                 | P1@cta 0,gpu 0               ;
 atom.relaxed.gpu.add r0, x, 3  | ld.acquire.gpu r0, x         ;
 atom.acq_rel.sys.max r1, y, 4  | red.relaxed.gpu.xor y, 0xf   ;
 bar.cta.sync 1                 | bar.cta.sync 1               ;
 ld.weak r2, y                  | st.release.cta x, 4          ;
forall (P0:r0 == 7 /\\ P0:r1 > 0)
";
    let text = text.replace("P0:r1 > 0", "P0:r2 == 0xfffffff0");
    let test = litmus::parse("values", &text).unwrap();
    for promise in Promise::ALL {
        let allowed = litmus::allowed(&test, promise);
        assert!(allowed.iter().all(|outcome| test.holds(outcome)), "{}", promise.name());
    }
    let rows = litmus::run(&job(Design::all(), 100), &[test]).unwrap();
    assert_eq!(told(&rows), "");
    assert!(rows.iter().all(|row| row.condition == row.runs));
}

#[test]
fn what_machines_do_not_have_is_refused() {
    let text = shapes::SHAPES.iter().find(|(name, _)| *name == "MP").unwrap().1;
    let two_gpus = || vec![litmus::parse("MP", &text.replacen("1,gpu 0", "1,gpu 1", 1)).unwrap()];
    let error = litmus::run(&job(designs("stc-mb"), 1), &two_gpus()).unwrap_err();
    assert!(error.to_string().contains("MP: threads on several GPUs: none of the"), "{error}");
    let many = ["gpu 0", "gpu 1", "gpu 2", "gpu 3", "gpu 4"].map(|gpu| format!("cta 0,{gpu}"));
    let place = |(number, place): (usize, &String)| format!("P{number}@{place}");
    let places: Vec<_> = many.iter().enumerate().map(place).collect();
    let text = format!("PTX F\n{{x=0;}}\n{};\nst x, 1 ||||;\nexists (x == 1)", places.join("|"));
    let many = litmus::parse("F", &text).unwrap();
    let error = litmus::run(&job(designs("none"), 1), &[many]).unwrap_err();
    assert!(error.to_string().contains("F: threads on 5 GPUs: must be at most 4"), "{error}");
    let error = Job { set: vec![("l1.ways".into(), "x".into())], ..job(designs("none"), 1) };
    let error = litmus::run(&error, &named(&["MP"])).unwrap_err();
    assert!(error.to_string().contains("l1.ways"), "{error}");
}

/// New constructs on all designs: what each instance finds follows the model, and each outcome that
/// sequential consistency allows is seen.
#[test]
fn compare_and_swap_and_barriers_of_some_threads_are_run() {
    let swap = "PTX swap
{ x=0; y=5; z=4; }
 P0@cta 0,gpu 0                    | P1@cta 1,gpu 0                    | P2@cta 0,gpu 0    ;
 atom.relaxed.gpu.cas r0, x, 0, 1  | atom.relaxed.gpu.cas r0, x, 1, 2  |                   ;
 st y, 6                           | atom.relaxed.gpu.sub r1, z, 1     | bar.cta.sync 3, 2 ;
 bar.cta.sync 3, 2                 |                                   | ld r0, y          ;
forall (P2:r0 == 6 && P0:r0 == 0 && P1:r1 == 4 && z == 3)
";
    let meet = "OPENCL meet
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global int* y) { *y = 1; B: barrier(CLK_GLOBAL_MEM_FENCE); }
P1 (global atomic_int* x, global int* y) {
  int e = 0;
  int won = atomic_compare_exchange_strong(x, &e, 1);
  B: barrier(CLK_GLOBAL_MEM_FENCE);
  int r = *y;
}
P2 (global atomic_int* x) {
  int e = 0;
  int won = atomic_compare_exchange_strong_explicit(
    x, &e, 2, memory_order_relaxed, memory_order_relaxed);
}
(device (work_group P0 P1) (work_group P2))
forall (1:r=1 /\\ (1:won=1 \\/ 2:won=1) /\\ (1:won=0 \\/ 2:won=0))
"
    .replace("\\\\", "\\");
    let tests = [swap, &meet].map(|text| litmus::parse("f", text).unwrap());
    let rows = litmus::run(&job(Design::all(), 100), &tests).unwrap();
    assert_eq!(told(&rows), "");
    assert!(rows.iter().all(|row| row.condition == row.runs));
    for name in ["swap", "meet"] {
        let own = rows.iter().filter(|row| row.test == name);
        let kinds: std::collections::BTreeSet<_> = own.flat_map(|row| row.seen.keys()).collect();
        assert!(kinds.len() > 1, "{name}: {kinds:?}");
    }
}

/// Machines of two and three GPUs: atomics are not lost, work-groups keep their order, and what
/// fences do not order over GPUs is seen.
#[test]
fn threads_on_several_gpus_run() {
    let text = "PTX gpus
{ x=0; y=0; z=0; }
 P0@cta 0,gpu 0        | P1@cta 0,gpu 1        | P2@cta 0,gpu 1 | P3@cta 1,gpu 7           ;
 atom.sys.add r0, x, 1 | atom.sys.add r0, x, 1 | ld r0, z       | red.relaxed.sys.add x, 1 ;
 st.release.sys y, 1   | st z, 1               | bar.cta.sync 1 | ld.acquire.sys r0, y     ;
                       | bar.cta.sync 1        | ld r1, z       |                          ;
forall (x == 3 && P2:r1 == 1)
";
    let rows = litmus::run(&job(Design::all(), 60), &[litmus::parse("f", text).unwrap()]).unwrap();
    assert_eq!(told(&rows), "");
    assert!(rows.iter().all(|row| row.condition == row.runs));
    assert!(rows.len() > 1 && rows.iter().any(|row| row.design == "none/software"));
}
