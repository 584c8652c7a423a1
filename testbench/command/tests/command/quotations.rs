//! Figures on the pages of the designs are those of `docs/measurements.md`.

use std::fs;
use std::path::Path;

/// Rows of tables in a page's section of figures, without the heads.
fn quoted(page: &str) -> impl Iterator<Item = &str> {
    let figures = page.split("\n## ").find(|section| section.starts_with("Figures\n"));
    let rows = figures.unwrap_or_default().lines().filter(|line| line.starts_with("| "));
    rows.filter(|row| !["| figure", "| program", "| ---"].iter().any(|head| row.starts_with(head)))
}

#[test]
fn figures_of_designs_are_those_that_were_measured() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let measured = fs::read_to_string(docs.join("measurements.md")).expect("a document");
    let mut compared = 0;
    for entry in fs::read_dir(docs.join("designs")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let page = fs::read_to_string(&path).expect("a document");
            for row in quoted(&page) {
                let is_there = measured.lines().any(|line| line == row);
                assert!(is_there, "{}: not in docs/measurements.md: {row}", path.display());
                compared += 1;
            }
        }
    }
    assert!(compared >= 20, "only {compared} rows found");
}
