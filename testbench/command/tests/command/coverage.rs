//! What bodies write of the lines that they reach, and what `rtl/coverage.py` makes of it.

use std::path::Path;
use std::process::Command;

use crate::desk::Desk;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What the script says of a folder, and its exit status.
fn coverage(folder: &Path, words: &[&str]) -> (String, Option<i32>) {
    let script = format!("{ROOT}/rtl/coverage.py");
    let left = Command::new("python3").arg(script).arg(folder).args(words).output().unwrap();
    (String::from_utf8([left.stdout, left.stderr].concat()).unwrap(), left.status.code())
}

#[test]
fn lines_that_lockstep_reaches_are_counted_and_others_are_named() {
    let Some(desk) = Desk::new("coverage") else { return };
    let reached = |folder: &str, cycles: u32| {
        let folder = desk.file(folder);
        std::fs::create_dir(&folder).unwrap();
        let variables = [("DUET_COVERAGE", folder.to_str().unwrap())];
        desk.duet_in(&variables, &format!("cosim gtsc_rst --cycles {cycles}"));
        // All bodies of the block, of which lockstep makes one after another.
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert_eq!(files.len(), 1, "{files:?}");
        folder
    };
    let lcov = desk.file("coverage.info");
    let (said, status) = coverage(&reached("long", 20_000), &["--lcov", lcov.to_str().unwrap()]);
    assert_eq!(status, Some(0), "{said}");
    let lcov = std::fs::read_to_string(lcov).unwrap();
    assert!(lcov.contains("rtl/timestamp/gtsc_rst/gtsc_rst.sv\nDA:"), "{lcov}");
    // In a run of a few cycles nothing overflows.
    let (said, status) = coverage(&reached("short", 3), &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("line    timestamp/gtsc_rst/gtsc_rst.sv:"), "{said}");
    assert!(said.contains("NO REASON"), "{said}");
    // A folder that is not there is refused before anything runs.
    let wrong = [("DUET_COVERAGE", "nowhere")];
    let message = ["DUET_COVERAGE=nowhere: must be a folder that exists"];
    desk.refuses_in(&wrong, 2, "cosim gtsc_rst --cycles 1000", &message);
    let (said, status) = coverage(&desk.file("."), &[]);
    assert_eq!(status, Some(1));
    assert!(said.contains("holds no file of a body"), "{said}");
}

/// A bit that never moves needs a reason like a line.
#[test]
fn toggle_without_a_reason_is_reported() {
    let Some(desk) = Desk::new("coverage-toggle") else { return };
    let point = |kind: &str, what: &str, count: u32| {
        let fields =
            [("f", "timestamp/gtsc_rst/gtsc_rst.sv"), ("l", "40"), ("t", kind), ("o", what)];
        let fields = fields.map(|(name, value)| format!("\u{1}{name}\u{2}{value}")).concat();
        format!("C '{fields}' {count}\n")
    };
    for (count, verdict) in [(1, Some(0)), (0, Some(1))] {
        let text = point("line", "block", 1) + &point("toggle", "no_such_signal[3]:0->1", count);
        std::fs::write(desk.file("0.dat"), text).unwrap();
        let (said, status) = coverage(&desk.file("."), &[]);
        assert_eq!(status, verdict, "{said}");
        let missing = "toggle  timestamp/gtsc_rst/gtsc_rst.sv: no_such_signal: NO REASON: 1 of \
                       them: [3]:0->1";
        assert_eq!(said.contains(missing), count == 0, "{said}");
    }
}
