//! `duet check` as a command.

use crate::bodies::{copy_of, replace};
use crate::desk::Desk;
use crate::schema::keeps;

#[test]
fn all_states_of_a_protocol_are_counted() {
    let desk = Desk::on_any_build("check");
    let left = desk.passes("check cpelide --quick --json c.json");
    keeps(&desk, "check", "c.json");
    assert!(left.last_line().starts_with("PASS check cpelide: "), "{}", left.stdout);
    assert!(left.last_line().ends_with(" states, all properties hold"), "{}", left.stdout);
    let report = desk.json("c.json");
    assert_eq!(report["verdict"], "PASS");
    for row in report["rows"].as_array().unwrap() {
        assert!(left.stdout.contains(row["configuration"].as_str().unwrap()), "{row}");
        assert!(left.stdout.contains(&row["states"].to_string()), "{row}");
    }
}

#[test]
fn a_rule_that_is_gone_is_a_failure_with_its_story() {
    let desk = Desk::on_any_build("check-without");
    let left = desk.duet("check cpelide --without no-system-release --json c.json");
    assert_eq!((left.status, &left.stderr[..]), (4, ""), "{}", left.stdout);
    keeps(&desk, "check", "c.json");
    let steps = &desk.json("c.json")["rows"][0]["counterexample"];
    let lines = steps.as_array().unwrap();
    assert!(lines[0].as_str().unwrap().starts_with("1. "), "{steps}");
    let last = lines.last().unwrap().as_str().unwrap();
    assert!(last.starts_with("violated: memory has the released data: "), "{steps}");
    assert!(left.stdout.contains(last), "{}", left.stdout);
    let verdict = "FAIL check cpelide without no-system-release: memory has the released data";
    assert_eq!(left.last_line(), verdict);
}

#[test]
fn what_there_is_is_listed() {
    let desk = Desk::on_any_build("check-list");
    let left = desk.duet("check --list");
    assert_eq!((left.status, &left.stderr[..]), (0, ""), "{}", left.stdout);
    for word in ["cpelide", "never-mixed", "two streams, ranges", "no stale read"] {
        assert!(left.stdout.contains(word), "{}", left.stdout);
    }
}

#[test]
fn unknown_names_are_refused_with_those_that_are_known() {
    let desk = Desk::on_any_build("check-unknown");
    for (words, told) in [
        ("check cpelid", "protocol cpelid: must be one of cpelide"),
        ("check cpelide --without never-mixd", "--without never-mixd: must be one of "),
    ] {
        let left = desk.duet(words);
        assert_eq!(left.status, 2, "{words}");
        assert!(left.stderr.contains(told), "{words}: {}", left.stderr);
        assert!(left.stderr.contains("did you mean"), "{words}: {}", left.stderr);
    }
}

/// The lock is the L1's: model and RTL of it end the counterexample before its last step, and those
/// of the bank go with it.
#[test]
fn story_is_replayed_on_model_and_rtl_which_keep_the_rule() {
    let Some(desk) = Desk::new("check-replay") else { return };
    let left = desk.duet("check gtsc --without lock --replay --json c.json");
    assert_eq!((left.status, &left.stderr[..]), (4, ""), "{}", left.stdout);
    keeps(&desk, "check", "c.json");
    let report = desk.json("c.json");
    let replayed = report["rows"][0]["replayed"].as_array().unwrap();
    let departs: Vec<_> = replayed.iter().filter(|again| again["departs"].is_u64()).collect();
    assert_eq!(departs.len(), 1, "{report}");
    assert_eq!((&departs[0]["block"], &departs[0]["of"]), (&"timestamp_l1".into(), &"SM 0".into()));
    let blocks: Vec<_> = replayed.iter().map(|again| again["block"].as_str().unwrap()).collect();
    assert_eq!(blocks, ["timestamp_l1", "timestamp_l1", "timestamp_l2", "gtsc_rst"]);
    for again in replayed {
        assert!(again["cycles"].as_u64().unwrap() > 0 && again["mismatch"].is_null(), "{again}");
        let cycles = format!("{} cycles, model and RTL equal", again["cycles"]);
        assert!(left.stdout.contains(&cycles), "{}", left.stdout);
    }
}

/// An L1 in RTL that knows of no locks is found by the counterexample that shows what they are for.
#[test]
fn rtl_that_does_not_keep_the_rule_either_is_reported() {
    let Some(desk) = Desk::new("check-replay-rtl") else { return };
    let rtl = copy_of(
        &desk,
        &[
            "common",
            "timestamp",
            "timestamp/timestamp_l1",
            "timestamp/timestamp_l2",
            "timestamp/gtsc_rst",
        ],
    );
    let top = rtl.join("timestamp/timestamp_l1/timestamp_l1.sv");
    replace(&top, ".lock_i (locks),", ".lock_i (1'b0 & locks),");
    let left = desk.duet("check gtsc --without lock --replay --rtl rtl");
    assert_eq!(left.status, 1, "{}{}", left.stdout, left.stderr);
    assert!(
        left.stderr.contains("timestamp_l1 of SM 0: model and RTL do not agree"),
        "{}",
        left.stderr
    );
    // A line has other locks than its stores.
    assert!(left.stdout.contains("ASSERTION of timestamp_l1 at cycle "), "{}", left.stdout);
}
