//! Without releases and acquires values must go wrong, and the report must say how.

use std::process::{Command, Output};

use testbench::kernels::PROGRAMS;
use testbench::machine::{Observer, Options, RunError};

use super::{by_default, run, system};

fn duet(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_duet")).arg("run").args(args).output().unwrap()
}

/// What `pattern` has between its ends in the line.
fn between<'a>(line: &'a str, before: &str, after: &str) -> &'a str {
    let from = line.find(before).unwrap_or_else(|| panic!("{before:?} in {line}")) + before.len();
    let rest = &line[from..];
    &rest[..rest.find(after).unwrap_or_else(|| panic!("{after:?} in {line}"))]
}

/// Private L2s that nobody tells to release keep what was stored, and other chiplets read what was
/// there.
#[test]
fn without_releases_private_l2s_give_stale_bytes_and_the_life_says_where_the_right_one_stayed() {
    for workload in ["reuse", "jacobi2d", "hotspot3d", "fft"] {
        let args = ["--system", "cpelide-4-small", "--workload", workload];
        let output = duet(&[&args[..], &["--set", "l2.design=none"]].concat());
        assert_eq!(output.status.code(), Some(4), "{workload}");
        let (out, err) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
        let (out, err) = (out.unwrap(), err.unwrap());
        let verdict = out.lines().last().unwrap();
        assert!(verdict.starts_with("FAIL wrong value: byte 0x"), "{verdict}");
        let got = between(verdict, " is ", ",");
        let right = between(verdict, "must be ", " (");
        let who = between(verdict, "seen by a load of ", ")");
        let life: Vec<_> = err.lines().filter(|line| line.starts_with("  cycle")).collect();
        let last = |what: &str| life.iter().rposition(|line| line.contains(what));
        assert!(last(&format!("stored by a work-item {right}: gpu0")).is_some(), "{err}");
        // It went into an L2 and never left it.
        let written = last(&format!("written {right}: ")).expect("the store's way");
        let bank = life[written].split("-> ").nth(1).unwrap();
        assert!(bank.contains(".l2.bank"), "{err}");
        assert_eq!(last(&format!("written {right}: {bank} ->")), None, "{err}");
        let stale = |line: &&str| {
            line.contains(&format!("answered {got}: ")) && line.ends_with(&format!("-> {who}"))
        };
        assert!(life.iter().any(stale), "{err}");
    }
}

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

#[test]
fn run_that_takes_too_long_ends_with_status_3() {
    let args = ["--system", "cpelide-4-small", "--workload", "reuse", "--max-cycles", "1000"];
    let output = duet(&args);
    assert_eq!(output.status.code(), Some(3));
    let out = String::from_utf8(output.stdout).unwrap();
    let last = out.lines().last().unwrap();
    assert_eq!(last, "FAIL not finished after 1000 cycles, the limit");
}
