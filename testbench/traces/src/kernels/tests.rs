//! What holds of every program.

use std::hash::Hasher;

use crate::trace::{Reader, Recorder, verify};

use super::shadow::{Broken, Shadow};
use super::{KernelError, PROGRAMS, Params, Program, run};

/// Programs whose work-groups read what others write in the same kernel.
const SHARING: [&str; 5] = ["work_queue", "colouring", "spanning_tree", "barnes_hut", "wave"];

fn recorded(program: &Program, params: &Params) -> Shadow {
    let mut shadow = Shadow::default();
    run(program.name, params, &mut shadow).unwrap_or_else(|e| panic!("{}: {e}", program.name));
    shadow
}

#[test]
fn default_size_makes_20_000_to_100_000_accesses() {
    for program in PROGRAMS {
        let shadow = recorded(program, &program.params());
        let Shadow { accesses, bytes, kernels, loads, racy, .. } = shadow;
        println!(
            "{:<14} {accesses:>6} accesses {bytes:>7} B {kernels:>4} kernels {racy:>5} of \
             {loads:>5} loads race",
            program.name
        );
        assert!((20_000..=100_000).contains(&accesses), "{}: {accesses}", program.name);
    }
}

#[test]
fn stream_of_events_depends_on_the_seed_alone() {
    for program in PROGRAMS {
        let params = Params { size: program.size.min + 9, ..program.params() };
        let digest = |seed| recorded(program, &Params { seed, ..params }).digest.finish();
        assert_eq!(digest(1), digest(1), "{}", program.name);
        assert_ne!(digest(1), digest(2), "{}", program.name);
    }
}

#[test]
fn loads_race_only_in_programs_made_for_it() {
    for program in PROGRAMS {
        let racy = recorded(program, &program.params()).racy;
        let meant =
            ["pagerank_push", "locks"].contains(&program.name) || SHARING.contains(&program.name);
        assert_eq!(racy > 0, meant, "{}: {racy} racy loads", program.name);
    }
}

#[test]
fn groups_share_in_programs_made_for_it_but_not_most_of_what_they_load() {
    for name in SHARING {
        let program = super::program::<Broken>(name).unwrap();
        let Shadow { racy, loads, .. } = recorded(program, &program.params());
        assert!(racy * 100 > loads && racy * 2 < loads, "{name}: {racy} of {loads} loads race");
    }
}

/// Whatever the order of the work-groups, the trace's classes and sets of values hold.
#[test]
fn traces_replay_in_both_orders() {
    for program in PROGRAMS {
        let mut recorder = Recorder::in_memory(program.name).unwrap();
        run(program.name, &program.params(), &mut recorder).unwrap();
        let bytes = recorder.into_bytes().unwrap();
        let mut reader = Reader::from_bytes(bytes, program.name).unwrap();
        let outcome = verify(&mut reader).unwrap();
        assert_eq!(outcome.wrong, 0, "{}: {:#?}", program.name, outcome.described);
        assert!(outcome.loads_determined > 0, "{}: all loads race", program.name);
    }
}

#[test]
fn only_groups_that_run_in_turns_see_what_later_groups_wrote() {
    for program in PROGRAMS {
        let lates = recorded(program, &program.params()).lates;
        let meant = ["work_queue", "wave"].contains(&program.name);
        assert_eq!(lates > 0, meant, "{}: {lates} such accesses", program.name);
    }
}

#[test]
fn least_values_and_odd_sizes_run() {
    for program in PROGRAMS {
        let least = Params { size: program.size.min, iterations: program.iterations.min, seed: 3 };
        for extra in [0, 1, 2, 6] {
            recorded(program, &Params { size: least.size + extra, ..least });
        }
    }
}

#[test]
fn values_beyond_a_limit_are_named_with_it() {
    for program in PROGRAMS {
        let good = program.params();
        let bad = [
            (Params { size: 0, ..good }, format!("size = 0 for {}: must be", program.name)),
            (Params { size: u32::MAX, ..good }, "size = 4294967295 for".to_string()),
            (Params { iterations: 0, ..good }, "iterations = 0 for".to_string()),
            (Params { iterations: u32::MAX, ..good }, "iterations = 4294967295 for".to_string()),
        ];
        for (params, start) in bad {
            let mut shadow = Shadow::default();
            let error = run(program.name, &params, &mut shadow).unwrap_err().to_string();
            assert!(error.starts_with(&start), "{error}");
            assert_eq!(shadow.bytes, 0, "something was recorded");
        }
    }
    let size = PROGRAMS[0].size;
    let error = run("stream", &Params { size: 0, iterations: 1, seed: 1 }, &mut Shadow::default());
    let text = format!("size = 0 for stream: must be 1 to {} (elements of an array)", size.max);
    assert_eq!(error.unwrap_err().to_string(), text);
}

#[test]
fn unknown_name_lists_the_nearest_ones() {
    let params = PROGRAMS[0].params();
    let error = run("strem", &params, &mut Shadow::default()).unwrap_err().to_string();
    assert!(error.starts_with("no program \"strem\": there are stream, "), "{error}");
    let all = format!(", ... (duet list workloads shows all {})", super::all().count());
    assert!(error.contains(&all) && error.ends_with("; did you mean stream?"), "{error}");
}

#[test]
fn error_of_the_record_ends_the_run() {
    for program in PROGRAMS {
        let mut shadow = Shadow::default();
        shadow.fail_at = Some(100);
        let error = run(program.name, &program.params(), &mut shadow).unwrap_err();
        assert!(matches!(error, KernelError::Record(Broken(_))), "{error}");
        assert_eq!(shadow.accesses, 100);
    }
}
