//! `duet systems`: system files of one's own; the references of all fields and of all counters.

use std::fs;
use std::path::Path;

use crate::desk::Desk;

#[test]
fn references_in_the_documents_are_those_of_the_program() {
    let desk = Desk::on_any_build("systems-reference");
    for (file, command) in [
        ("docs/system-file.md", "systems reference"),
        ("docs/statistics.md", "list counters --markdown"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        let kept = fs::read_to_string(path).unwrap();
        let made = desk.duet(command).stdout;
        assert!(made == kept, "{file} is stale: duet {command} > it");
    }
}

/// Limits in the reference are those that refuse.
#[test]
fn limits_in_the_reference_are_those_that_refuse() {
    let desk = Desk::on_any_build("systems-limits");
    let mut section = String::new();
    let mut tried = 0;
    for line in desk.duet("systems reference").stdout.lines() {
        if let Some(name) = line.strip_prefix("## `[") {
            section = name.trim_end_matches("]`").to_string();
        }
        let cells: Vec<_> = line.split(" | ").map(str::trim).collect();
        let Some(key) = cells[0].strip_prefix("| `").and_then(|key| key.strip_suffix('`')) else {
            continue;
        };
        let limit = cells[2].split(';').next().unwrap();
        let Some((least, most)) = limit.rsplit_once(" to ") else { continue };
        let Ok(most) = most.parse::<u64>() else { continue };
        let least: u64 = least.rsplit(' ').next().unwrap().parse().unwrap();
        // Designs of blocks have the same check; these are of every system.
        if section.is_empty() || cells.len() < 6 {
            continue;
        }
        // The least of them is the smallest number of a field anyway.
        for value in [most + 1].into_iter().chain(least.checked_sub(1).filter(|_| least > 1)) {
            // What its type cannot hold is refused by that.
            if key == "timeout" {
                continue;
            }
            let words = format!("systems show stc-8cu-small --set {section}.{key}={value}");
            desk.refuses(2, &words, &[&format!("{section}.{key}: {value} is not {limit}")]);
            tried += 1;
        }
    }
    assert!(tried > 50, "only {tried} limits tried");
}

#[test]
fn a_new_file_runs_as_its_preset_and_is_not_overwritten() {
    let desk = Desk::on_any_build("systems-new");
    let words = "systems new my.toml --from stc-8cu-small --set l1.design=stc-mb";
    assert_eq!(desk.duet(words).status, 0);
    let text = desk.read("my.toml");
    assert!(text.contains("design = \"stc-mb\"           # set\n"), "{text}");
    assert!(text.contains("\n#[stc]\n") && text.contains("\n#wakeup = 100"), "{text}");
    let run = |system: &str, json: &str| {
        let workload = "--workload copy --set workload.size=64";
        desk.passes(&format!("run --system {system} {workload} --json {json}"));
        desk.read(json)
    };
    assert_eq!(run("my.toml", "a.json"), run("stc-8cu-small --set l1.design=stc-mb", "b.json"));
    desk.refuses(2, words, &["my.toml: is there already"]);
    desk.refuses(2, "systems new my", &["my: must end in .toml"]);
    desk.refuses(2, "systems show stc-8cu-smal", &["did you mean stc-8cu-small?"]);
    assert!(!desk.file("my").exists());
}
