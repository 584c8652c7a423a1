//! `duet check` as a command.

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
    let story = &desk.json("c.json")["rows"][0]["story"];
    let lines = story.as_array().unwrap();
    assert!(lines[0].as_str().unwrap().starts_with("1. "), "{story}");
    let last = lines.last().unwrap().as_str().unwrap();
    assert!(last.starts_with("violated: memory has what was released: "), "{story}");
    assert!(left.stdout.contains(last), "{}", left.stdout);
    let verdict = "FAIL check cpelide without no-system-release: memory has what was released";
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
