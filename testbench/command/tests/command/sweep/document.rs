//! `docs/sweeps.md`: its sweep file runs, and what it does with the result in Python works.

use std::path::Path;
use std::process::Command;

use super::open;
use crate::desk::Desk;

/// The blocks of a language.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sweeps.md");
    let text = std::fs::read_to_string(path).unwrap();
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(String::from).collect()
}

/// What a script prints; `None`, with a notice, where Python or a package is missing.
fn python(desk: &Desk, needs: &str, script: &str) -> Option<String> {
    let python = |script: &str| {
        let mut python = Command::new("python3");
        python.args(["-c", script]).current_dir(desk.file("."));
        python.env("MPLCONFIGDIR", desk.file("matplotlib")).output()
    };
    if !python(needs).is_ok_and(|tried| tried.status.success()) {
        println!("skipped: python3 cannot {needs}");
        return None;
    }
    let output = python(script).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn scripts_of_the_document_read_a_sweep() {
    let Some(desk) = Desk::new("sweep-document") else { return };
    // As it is, but for its programs' size.
    let small = "\nset.workload.size = 512";
    let file = blocks("toml")[0].replace("# one value needs no brackets", small);
    std::fs::write(desk.file("directory-size.toml"), file.replace(r#""lu""#, r#""copy""#)).unwrap();
    let left = desk.passes("sweep directory-size.toml");
    assert_eq!(left.last_line(), "PASS sweep: 36 points, 0 refused");
    let [plain, pandas] = &blocks("python")[..] else { panic!("two scripts") };
    if let Some(printed) = python(&desk, "import sqlite3", plain) {
        let query = "SELECT avg(cycles) FROM result WHERE workload = 'pagerank' \
                     AND \"l2.design\" = 'rec' AND \"directory.entries\" = 128";
        let cycles: f64 =
            open(&desk, "directory-size.sqlite").query_row(query, [], |row| row.get(0)).unwrap();
        let line = format!("{:12}{:8}{cycles:14.0}", "rec", 128);
        assert!(printed.lines().any(|printed| printed == line), "no {line:?} in {printed}");
        assert_eq!(printed.lines().count(), 7, "{printed}");
    }
    if let Some(printed) = python(&desk, "import pandas, matplotlib", pandas) {
        assert!(printed.contains("speedup") && printed.contains("l2.fetches_again"), "{printed}");
        let plot = std::fs::read(desk.file("directory-size.png")).unwrap();
        assert!(plot.starts_with(b"\x89PNG"));
    }
}
