//! The README's table of publications: one program of each has the effect that the table shows.

use std::fs;
use std::path::Path;

use crate::desk::Desk;

/// The cells of a row.
struct Row {
    publication: String,
    arguments: String,
    effect: String,
}

fn rows() -> Vec<Row> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = fs::read_to_string(readme).expect("the README");
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.contains("| `--system "));
    rows.map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [publication, _, arguments, effect, _, _] = cells[..] else { panic!("{line}") };
        Row {
            publication: publication.to_string(),
            arguments: arguments.trim_matches('`').to_string(),
            effect: effect.to_string(),
        }
    })
    .collect()
}

#[test]
fn one_program_of_each_publication_has_the_effect_that_the_readme_shows() {
    let desk = Desk::on_any_build("headlines");
    let rows = rows();
    assert_eq!(rows.len(), 8, "a row for each publication");
    let mut has_told = false;
    for Row { publication, arguments, effect } in rows {
        let left = desk.passes(&format!("compare {arguments} --perturbed 0"));
        // Each program is short work or has a line for each of both runs.
        let told = "duet: 1 of 2 points\nduet: 2 of 2 points\n";
        assert!(["", told].contains(&&left.stderr[..]), "{publication}: {}", left.stderr);
        has_told |= left.stderr == told;
        let (_, design) = arguments.rsplit_once(',').expect("two designs");
        let own = left.stdout.lines().find(|line| line.starts_with(&format!("{design} ")));
        let own = own.unwrap_or_else(|| panic!("{publication}: {}", left.stdout));
        // Design, cycles, speedup.
        let cells: Vec<_> =
            own.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells[2], effect, "{publication}: {own}");
    }
    assert!(has_told, "one of them is much work");
}
