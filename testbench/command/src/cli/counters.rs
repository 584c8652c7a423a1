//! `duet list counters`: what a run counts, as text, as JSON, and as Markdown for
//! `docs/statistics.md`.

use machine::{STATISTICS, Statistic};
use serde_json::{Value, json};

const HEAD: &str = "# Statistics

Made by `duet list counters --markdown` from the declarations by which runs count; a test
compares. `counters` in the result of `duet run --json FILE` has those of the parts that its
machine has. Each is the sum over all such parts, from the first cycle to the last. A name that
ends in `.*` stands for several: its last word names a class of messages, or what the chosen
design counts.
";

/// The part of a name that says who counts.
fn owner(statistic: &Statistic) -> &str {
    statistic.name.split('.').next().unwrap_or(statistic.name)
}

pub fn json() -> Value {
    let all = STATISTICS.iter();
    all.map(|s| json!({"name": s.name, "unit": s.unit, "meaning": s.meaning})).collect()
}

pub fn print_text() {
    println!("counters");
    for Statistic { name, unit, meaning, .. } in STATISTICS.iter() {
        println!("  {name:<32} {unit:<13} {meaning}");
    }
}

pub fn print_markdown() {
    print!("{HEAD}");
    for of_one_owner in STATISTICS.chunk_by(|a, b| owner(a) == owner(b)) {
        println!("\n## `{}`\n\n| counter | unit | meaning |", owner(&of_one_owner[0]));
        println!("| --- | --- | --- |");
        for Statistic { name, unit, meaning, .. } in of_one_owner {
            println!("| `{name}` | {unit} | {meaning} |");
        }
    }
}
