//! Without releases and acquires values must go wrong.

use machine::{Observer, Options, RunError};
use traces::kernels::{self, PROGRAMS};

use super::{built_in, by_default, count, run, system};

/// One L2 serves each line, so CUs see each other's stores; memory below does not. (The L1s are
/// dropped by the launch itself.)
#[test]
fn without_releases_only_the_host_sees_wrong_bytes_behind_l2s_at_home() {
    let system = system("cpelide-4-small", &[("l2.design", "none"), ("l2.policy", "home-forward")]);
    let mut wrong = 0;
    for program in PROGRAMS {
        match run(&system, &by_default(program.name), Options::default()) {
            Ok(_) => {}
            Err(RunError::Wrong(text, what)) => {
                assert_eq!(what.seen_by, Observer::Host, "{}: {text}", program.name);
                wrong += 1;
            }
            Err(e) => panic!("{}: {e}", program.name),
        }
    }
    assert!(wrong >= 10, "only {wrong} programs leave something in an L2");
}

/// Each bucket of `locks` is a critical section: a store that another GPU's atomic follows is
/// written through. With eight buckets or more all dirty lines are written through that way before
/// the host reads, and memory is right without a release. With fewer the last stores stay dirty.
#[test]
fn locks_of_two_gpus_end_right_without_releases_only_where_no_line_is_left_dirty() {
    let system = system("rec-4gpu-small", &[("machine.gpus", "2"), ("l2.design", "none")]);
    let (mut right, mut wrong) = (0, 0);
    for seed in 1..=5 {
        for size in [1, 2, 4, 8, 16] {
            let params = kernels::program::<()>("locks").unwrap().params();
            let program = built_in("locks", &kernels::Params { size, seed, ..params });
            match run(&system, &program, Options::default()) {
                Ok(outcome) => {
                    let (dirtied, cleaned) =
                        (count(&outcome, "l2.dirtied"), count(&outcome, "l2.overwritten"));
                    assert!(dirtied > 0, "size {size}, seed {seed}: no line was ever dirty");
                    assert_eq!(dirtied, cleaned, "size {size}, seed {seed}");
                    right += 1;
                }
                Err(RunError::Wrong(text, what)) => {
                    assert_eq!(what.seen_by, Observer::Host, "size {size}, seed {seed}: {text}");
                    wrong += 1;
                }
                Err(e) => panic!("size {size}, seed {seed}: {e}"),
            }
        }
    }
    assert!(right >= 5 && wrong >= 10, "{right} runs are right, {wrong} are wrong");
}
