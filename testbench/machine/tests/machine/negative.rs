//! Without releases and acquires values must go wrong.

use machine::{Observer, Options, RunError};
use traces::kernels::PROGRAMS;

use super::{by_default, run, system};

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
