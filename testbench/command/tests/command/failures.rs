//! What a machine or a system file has wrong, as the command says it: exit status, last line, and
//! the report about a wrong value.

use std::process::Command;

use machine::systems;

use crate::desk::Desk;

/// A good system file.
const GOOD: &str = include_str!("../../../machine/systems/stc-8cu.toml");

/// Exit status, stdout, stderr.
fn duet(args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duet"));
    // Failures leave bundles.
    let output = command.args(args).current_dir(env!("CARGO_TARGET_TMPDIR")).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What `pattern` has between its ends in the line.
fn between<'a>(line: &'a str, before: &str, after: &str) -> &'a str {
    let from = line.find(before).unwrap_or_else(|| panic!("{before:?} in {line}")) + before.len();
    let rest = &line[from..];
    &rest[..rest.find(after).unwrap_or_else(|| panic!("{after:?} in {line}"))]
}

/// A person reads both streams as one; a script reads each.
#[test]
fn terminal_shows_each_error_once_and_in_colour() {
    let desk = Desk::on_any_build("terminal");
    let words = "run --system cpelide-4-small --workload reuse --max-cycles 1000";
    let error = "not finished after 1000 cycles, the limit";
    let Some(shown) = desk.on_terminal(&[], words) else { return };
    assert_eq!(shown.matches(error).count(), 1, "{shown}");
    let verdict = format!("\n\u{1b}[1;31mFAIL\u{1b}[0m {error}\n");
    assert!(shown.ends_with(&verdict), "{shown}");
    let plain = desk.on_terminal(&[("NO_COLOR", "1")], words).unwrap();
    assert!(plain.ends_with(&format!("\nFAIL {error}\n")) && !plain.contains("\u{1b}[1;"));
    let piped = desk.duet(words);
    assert_eq!(piped.stderr, format!("duet: {error}\n"));
    assert_eq!(piped.last_line(), format!("FAIL {error}"));
    // What ends without a verdict has the error alone, and what passes its verdict.
    let shown = desk.on_terminal(&[], "explain nothing.bundle").unwrap();
    assert!(shown.starts_with("\u{1b}[1;31mduet:\u{1b}[0m nothing.bundle: "), "{shown}");
    let passes = "run --system cpelide-4-small --workload reuse --set workload.size=64";
    let shown = desk.on_terminal(&[], passes).unwrap();
    assert!(shown.contains("\n\u{1b}[1;32mPASS\u{1b}[0m reuse: "), "{shown}");
}

/// A log of both streams is read as one text, too.
#[test]
fn log_of_both_streams_has_each_error_once() {
    let desk = Desk::on_any_build("log");
    let words = "run --system cpelide-4-small --workload reuse --max-cycles 1000";
    let script = format!("{} {words} 2>&1", env!("CARGO_BIN_EXE_duet"));
    let shell = Command::new("sh").args(["-c", &script]).current_dir(desk.file(".")).output();
    let log = String::from_utf8(shell.unwrap().stdout).unwrap();
    let error = "not finished after 1000 cycles, the limit";
    assert!(log.ends_with(&format!("\nFAIL {error}\n")), "{log}");
    assert_eq!(log.matches(error).count(), 1, "{log}");
}

#[test]
fn bundle_of_another_failure_is_replaced_with_a_word() {
    let desk = Desk::on_any_build("replaced");
    let run = |size: u32| {
        let words = "run --system cpelide-4-small --workload reuse --set l2.design=none";
        desk.duet(&format!("{words} --set workload.size={size}"))
    };
    let line = "  replaces the bundle of another failure: ";
    let first = run(512);
    assert!(!first.stdout.contains(line), "{}", first.stdout);
    let same = run(512);
    assert!(same.stdout.contains("bundle  out/run-reuse-1.bundle") && !same.stdout.contains(line));
    let other = run(1024);
    let failure = first.last_line().strip_prefix("FAIL ").unwrap();
    assert!(other.stdout.contains(&format!("{line}{failure}\n")), "{}", other.stdout);
}

#[test]
fn text_has_the_width_of_the_terminal() {
    let desk = Desk::on_any_build("width");
    let longest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    let words = "compare --system cpelide-4-small --workload reuse --set workload.size=64 \
                 --perturbed 0 --vary l2.design=software,cpelide";
    let piped = desk.duet(words).stdout;
    let Some(shown) = desk.on_terminal_of(Some("140"), &[], words) else { return };
    assert!((80..=100).contains(&longest(&piped)), "{piped}");
    assert!((101..=140).contains(&longest(&shown)), "{shown}");
}

/// Private L2s without a release keep what was stored, and other chiplets read what was
/// there.
#[test]
fn without_releases_private_l2s_give_stale_bytes_and_the_life_says_where_the_right_one_stayed() {
    for workload in ["reuse", "jacobi2d", "hotspot3d", "fft"] {
        let args = ["run", "--system", "cpelide-4-small", "--workload", workload];
        let (status, out, err) = duet(&[&args[..], &["--set", "l2.design=none"]].concat());
        assert_eq!(status, Some(4), "{workload}");
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

/// Its values are right: each is one that the program may see.
#[test]
fn run_that_no_order_explains_ends_with_status_4() {
    let args = ["run", "--system", "fermi-16sm-small", "--workload", "work_queue"];
    let args = [&args[..], &["--set", "l1.design=race-spec"]].concat();
    let (status, out, _) = duet(&args);
    assert_eq!(status, Some(0), "{out}");
    let without = ["--set", "race_detection.without=token-order"];
    let (status, out, _) = duet(&[&args[..], &without].concat());
    assert_eq!(status, Some(4));
    let last = out.lines().last().unwrap();
    assert!(last.starts_with("FAIL not sequentially consistent: kernel 0: "), "{last}");
}

#[test]
fn run_that_takes_too_long_ends_with_status_3() {
    let args = ["--system", "cpelide-4-small", "--workload", "reuse", "--max-cycles", "1000"];
    let (status, out, _) = duet(&[&["run"], &args[..]].concat());
    assert_eq!(status, Some(3));
    let last = out.lines().last().unwrap();
    assert_eq!(last, "FAIL not finished after 1000 cycles, the limit");
}

#[test]
fn command_lists_the_presets_and_refuses_a_bad_file_with_status_2() {
    let (status, json, _) = duet(&["list", "systems", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let listed: Vec<_> = json["systems"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(status, Some(0));
    assert!(systems::names().iter().all(|name| listed.contains(&&name.as_str().into())));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.toml");
    std::fs::write(&file, GOOD.replacen("cus = 8 ", "cus = 999 ", 1)).unwrap();
    let file = file.to_str().unwrap();
    let (status, stdout, stderr) = duet(&["run", "--system", file, "--workload", "copy"]);
    assert_eq!(status, Some(2), "{stderr}");
    let line = 1 + GOOD.lines().position(|l| l.starts_with("cus = ")).unwrap();
    let message = format!("{file}:{line}: machine.cus: 999 is not 1 to 512");
    assert!(stderr.contains(&message), "{stderr}");
    assert!(stdout.lines().last().unwrap().starts_with("FAIL "), "{stdout}");
}
