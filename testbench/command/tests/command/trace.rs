//! `duet trace` as other programs see it: exit status, last line, messages, files.

use std::fs;
use std::path::Path;

use crate::desk::{Desk, Left};

/// Imports the sample.
fn import(desk: &Desk) -> Left {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vector_sum/kernelslist.g");
    desk.duet(&format!("trace import accel-sim {} -o sum.trace", list.display()))
}

#[test]
fn a_trace_is_imported_shown_and_verified() {
    let desk = Desk::on_any_build("trace-pass");
    let left = import(&desk);
    assert_eq!(left.status, 0, "{}", left.stderr);
    assert!(left.last_line().starts_with("PASS vector_sum: 1 kernels"), "{}", left.stdout);
    assert!(left.last_line().ends_with(", left out: 4 STS"), "{}", left.stdout);
    let left = desk.duet("trace verify sum.trace");
    assert_eq!(left.status, 0, "{}", left.stderr);
    assert!(left.last_line().starts_with("PASS vector_sum"), "{}", left.stdout);
    let left = desk.duet("trace info sum.trace --json");
    let json: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    assert_eq!((left.status, json["name"].as_str()), (0, Some("vector_sum")));
    assert_eq!(json["loads"], 264);
    assert_eq!(json["launches"][0]["local"], serde_json::json!([64, 1, 1]));
    // The checksum does not depend on the file's name.
    fs::copy(desk.file("sum.trace"), desk.file("other.trace")).unwrap();
    let other = desk.duet("trace info other.trace --json");
    assert_eq!(other.stdout, left.stdout);
}

#[test]
fn a_damaged_or_missing_file_is_wrong_use_and_named() {
    let desk = Desk::on_any_build("trace-damaged");
    assert_eq!(import(&desk).status, 0);
    let mut bytes = fs::read(desk.file("sum.trace")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(desk.file("bad.trace"), &bytes).unwrap();
    fs::write(desk.file("cut.trace"), &bytes[..middle]).unwrap();
    for name in ["bad.trace", "cut.trace", "missing.trace"] {
        let left = desk.duet(&format!("trace verify {name}"));
        assert_eq!(left.status, 2, "{name}: {}", left.stderr);
        assert!(left.stderr.contains(name), "{}", left.stderr);
        assert!(left.last_line().starts_with("FAIL"), "{name}: {}", left.stdout);
    }
}

#[test]
fn a_conversion_that_fails_leaves_no_file() {
    let desk = Desk::on_any_build("trace-convert");
    fs::write(desk.file("c.bin"), [0; 10]).unwrap();
    fs::write(desk.file("c.meta"), "").unwrap();
    fs::write(desk.file("c.blob"), "").unwrap();
    for prefix in ["c", "missing"] {
        let left = desk.duet(&format!("trace convert {prefix} -o c.trace"));
        assert_eq!(left.status, 2, "{}", left.stderr);
        assert!(left.last_line().starts_with("FAIL"), "{}", left.stdout);
    }
    assert_eq!(fs::read_dir(desk.file(".")).unwrap().count(), 3);
    let left = desk.duet("trace convert c");
    assert_eq!(left.status, 2);
}
