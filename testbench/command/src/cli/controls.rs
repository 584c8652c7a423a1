//! `duet controls [NAME...]`: situations in which an effect cannot exist, each with what is
//! measured and what it must keep to. Every control runs unless some are named. A row that fails
//! ends the command with status 4.

use std::path::{Path, PathBuf};

use reproductions::controls::{self, Kind, Report};

use super::outputs::Files;
use super::{Failure, WRONG_VALUE, output};

/// Check that designs differ only where they may, and the machine from its system file nowhere
#[derive(clap::Args)]
pub struct Args {
    /// Controls to run, by name or by how their names begin; all unless some are named
    names: Vec<String>,
    /// The small set: scaled-down systems, few full presets, few programs
    #[arg(long)]
    quick: bool,
    /// Show what there is, and run nothing
    #[arg(long)]
    list: bool,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the tables into a document, between its lines `<!-- controls: begin -->` and
    /// `<!-- controls: end -->`
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    // The document is read, too: what is around the tables stays.
    Files::default()
        .reads("--document", args.document.as_deref())
        .writes("--json", args.json.as_deref())
        .claim()?;
    if args.list {
        controls::all().for_each(|c| println!("{:<28}{}", c.name, c.about));
        return Ok(0);
    }
    for name in &args.names {
        if !controls::all().any(|control| control.name.starts_with(name)) {
            let known: Vec<_> = controls::all().map(|control| control.name).collect();
            return Err(Failure::unknown("control", name, &known, "duet controls --list"));
        }
    }
    let wanted =
        |name: &str| args.names.is_empty() || args.names.iter().any(|n| name.starts_with(n));
    let report = controls::run(args.quick, |control| wanted(control.name));
    print!("{report}");
    if let Some(path) = &args.json {
        output::write_json(path, &report)?;
    }
    if let Some(path) = &args.document {
        write_into(path, &report)?;
    }
    let (rows, failed) = (report.rows().count(), report.failed());
    let kinds = [
        (Kind::Equality, "equality"),
        (Kind::SystemFile, "system file"),
        (Kind::Conservation, "conservation"),
        (Kind::Monotonicity, "monotonicity"),
        (Kind::Bound, "bounds"),
    ];
    for (kind, name) in kinds {
        let parts = || report.controls.iter().filter(move |part| part.kind == kind);
        let all = parts().flat_map(|part| &part.rows).count();
        let passed = parts().flat_map(|part| &part.rows).filter(|row| row.passed).count();
        if all > 0 {
            println!("{name:<14}{passed} of {all} rows passed");
        }
    }
    let did = format!("{} runs, {} loads checked", report.runs, report.loads_checked);
    match failed {
        0 => println!("PASS controls: {rows} rows, {did}"),
        _ => println!("FAIL controls: {failed} of {rows} rows, {did}"),
    }
    Ok(if failed == 0 { 0 } else { WRONG_VALUE })
}

/// Replaces what stands between the document's marks.
fn write_into(path: &Path, report: &Report) -> Result<(), Failure> {
    const MARKS: [&str; 2] = ["<!-- controls: begin -->\n", "<!-- controls: end -->"];
    let failed = |problem: &dyn std::fmt::Display| {
        Failure::environment(format!("{}: {problem}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    let parts = text.split_once(MARKS[0]);
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once(MARKS[1])?.1)));
    let Some((before, after)) = parts else {
        return Err(failed(&format!("has no {}", MARKS.map(str::trim).join(" and "))));
    };
    let [begin, end] = MARKS;
    output::write_file(path, &format!("{before}{begin}{}{end}{after}", report.worst()))
}
