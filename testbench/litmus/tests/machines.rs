//! Litmus tests on machines of all designs.

use litmus::{Design, Job, Row, Sizes, shapes};
use machine::Bodies;

fn job(designs: Vec<Design>, runs: u32) -> Job {
    let (bodies, sizes) = (Bodies::default(), Sizes::Drawn);
    Job { runs, seed: 1, designs, bodies, sizes, set: Vec::new(), threads: 2 }
}

fn told(rows: &[Row]) -> String {
    let of = |row: &Row| format!("{} on {}: {:#?}\n", row.test, row.design, row.forbidden);
    rows.iter().filter(|row| !row.forbidden.is_empty()).map(of).collect()
}

#[test]
fn no_forbidden_outcome_is_seen() {
    let rows = litmus::run(&job(Design::all(), 200), &shapes::all()).unwrap();
    let runs: u64 = rows.iter().map(|row| row.runs).sum();
    println!("{runs} runs, {} rows", rows.len());
    assert_eq!(told(&rows), "");
}
