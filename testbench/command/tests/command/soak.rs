//! `cosim/soak.py`: lockstep that goes on where it was ended.

use std::fs;
use std::process::Command;

use crate::desk::Desk;

/// What the script says, and its exit status.
fn soak(desk: &Desk, words: &[&str]) -> (String, Option<i32>) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cosim/soak.py");
    let left = Command::new("python3")
        .args([script, "--out"])
        .arg(desk.file("soak"))
        .args(words)
        .env("DUET", env!("CARGO_BIN_EXE_duet"))
        .output()
        .unwrap();
    (String::from_utf8([left.stdout, left.stderr].concat()).unwrap(), left.status.code())
}

#[test]
fn what_has_run_is_not_run_again_and_what_is_short_is() {
    let Some(desk) = Desk::new("soak") else { return };
    let result = || fs::metadata(desk.file("soak/test_queue.small.1.json")).unwrap().modified();
    let run = |cycles: &str| {
        let (said, status) = soak(&desk, &["--cycles", cycles, "--block", "test_queue"]);
        assert_eq!(status, Some(0), "{said}");
        (said, result().unwrap())
    };
    let (said, first) = run("1000");
    assert!(said.contains("in 2 runs, 0 runs failed"), "{said}");
    assert_eq!(run("1000"), (said, first));
    let (_, longer) = run("2000");
    assert!(longer > first);
    let random = ["--cycles", "1000", "--block", "test_queue", "--random", "2"];
    let (said, status) = soak(&desk, &random);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("2 configurations  1 seeds   2 drawn"), "{said}");
    assert!(said.contains("in 4 runs, 0 runs failed"), "{said}");
    assert!(desk.file("soak/test_queue.random.2.config.toml").exists());
    let (said, status) = soak(&desk, &["--cycles", "1000", "--random", "-1"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("--random: invalid count value: '-1'"), "{said}");
    let (said, status) = soak(&desk, &["--cycles", "1000", "--block", "test_queu"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("--block test_queu: must be one of"), "{said}");
}
