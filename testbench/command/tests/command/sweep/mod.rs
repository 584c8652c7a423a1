//! `duet sweep`: the same file whatever runs the points, and whatever ends it on the way.

mod document;
mod plot;
mod refused;
mod slurm;

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use crate::bodies::{copy_of_rtl, replace};
use crate::desk::Desk;

/// What the system ends a program with whose file outgrows the limit.
const SIGXFSZ: i32 = 25;

/// 12 points, and 4 that are refused: only REC reads a range.
const SMALL: &str = r#"
[sweep]
name = "small"

[[grid]]
systems = ["rec-4gpu-small"]
workloads = ["copy", "reuse"]
seeds = [1, 2]
set.workload.size = 256
set."l2.design" = ["hmg", "rec"]
set.directory.range = [256, 1024]
"#;

/// Speedups of the tables are those of the points' cycles, and CSV has a line for each point.
#[test]
fn a_sweep_ends_with_its_configurations_and_the_best_of_each_program() {
    let text = SMALL
        .replace("rec-4gpu-small", "cpelide-4-small")
        .replace(r#""rec"]"#, r#""cpelide"]"#)
        .replace("directory.range = [256, 1024]", "l2.bytes = [34816, 139264]")
        .replace("set.\"l2.design\"", "set.l2.design");
    let desk = desk("summary", &[("s.toml", &text)]);
    let left = desk.passes("sweep s.toml --csv s.csv");
    let rows = desk.read("s.csv");
    let rows: Vec<Vec<&str>> = rows.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 16);
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let at = ["workload", "seed", "l2.design", "l2.bytes", "cycles"].map(column);
    let cycles = |own: [&str; 4]| -> f64 {
        let is_own = |row: &&Vec<&str>| (0..4).all(|n| row[at[n]] == own[n]);
        rows.iter().find(is_own).unwrap()[at[4]].parse().unwrap()
    };
    let speedup = |program: &str, design: &str, entries: &str| {
        let of_seed = |seed| {
            cycles([program, seed, "hmg", "34816"]) / cycles([program, seed, design, entries])
        };
        (of_seed("1") * of_seed("2")).sqrt()
    };
    let all = [("hmg", "34816"), ("hmg", "139264"), ("cpelide", "34816"), ("cpelide", "139264")];
    let words = |start: &str| -> Vec<String> {
        let line = left.stdout.lines().find(|line| line.starts_with(start)).unwrap();
        line.split_whitespace().map(String::from).collect()
    };
    for (design, entries) in all {
        let mean = ["copy", "reuse"].map(|program| speedup(program, design, entries));
        let mean = (mean[0] * mean[1]).sqrt();
        let row = words(&format!("l2.bytes={entries} l2.design={design}"));
        assert_eq!(row[2..4], ["4".to_string(), format!("{mean:.2}")], "{design} {entries}");
    }
    for program in ["copy", "reuse"] {
        let best = all.map(|(design, entries)| speedup(program, design, entries));
        let best = best.into_iter().fold(0.0, f64::max);
        let row = words(&format!("{program} "));
        assert!(row.contains(&format!("{best:.2}")), "{row:?} {best}");
    }
}

/// Twice as many.
const WITH_NOISE: &str = "perturb = [0, 7]\n";

/// What could happen to a file, and what is said of it. Each is as if the points were done.
#[test]
fn a_file_whose_tables_are_damaged_or_missing_is_refused() {
    let desk = desk("damaged", &[("s.toml", SMALL)]);
    desk.passes("sweep s.toml");
    let whole = std::fs::read(desk.file("s.sqlite")).unwrap();
    let refuses = |message: &str| {
        let before = std::fs::read(desk.file("s.sqlite")).unwrap();
        desk.refuses(2, "sweep s.toml", &["s.sqlite: ", message]);
        assert_eq!(std::fs::read(desk.file("s.sqlite")).unwrap(), before, "{message}");
    };
    for (change, message) in [
        ("DROP TABLE counter", "is damaged: table counter is missing"),
        ("DROP TABLE kernel", "table kernel is missing"),
        ("DROP TABLE setting", "table setting is missing"),
        ("DROP TABLE configuration", "table configuration is missing"),
        ("DROP TABLE sweep", "table sweep is missing"),
        ("DROP VIEW result; DROP VIEW counted; DROP TABLE point", "table point is missing"),
        ("DROP TABLE kernel; CREATE VIEW kernel AS SELECT * FROM point", "table kernel is missing"),
        ("ALTER TABLE counter ADD COLUMN more", "table counter has other columns"),
        ("ALTER TABLE counter RENAME COLUMN value TO values_", "table counter has other columns"),
        ("DELETE FROM counter", "the counters are missing of point "),
        ("DELETE FROM kernel", "the kernels are missing of point "),
        ("DELETE FROM configuration", "the result or configuration is missing of point "),
        ("UPDATE point SET cycles = NULL WHERE seed = 2", "the result or configuration is missing"),
        ("UPDATE point SET status = 'x' WHERE seed = 2", "status 0 to 5 is missing of point "),
        ("UPDATE point SET status = 7 WHERE seed = 2", "status 0 to 5 is missing of point "),
        ("DELETE FROM point", "a row of no point stands in table "),
        ("PRAGMA user_version = 0", "schema 0: must be 1"),
    ] {
        std::fs::write(desk.file("s.sqlite"), &whole).unwrap();
        let file = open(&desk, "s.sqlite");
        file.pragma_update(None, "foreign_keys", false).unwrap();
        file.execute_batch(change).unwrap();
        drop(file);
        refuses(message);
    }
    // A page in the middle, and all that is behind it.
    let mut damaged = whole.clone();
    let (from, to) = (whole.len() / 4096 / 2 * 4096, whole.len() / 4096 / 2 * 4096 + 4096);
    damaged[from..to].fill(0xa5);
    std::fs::write(desk.file("s.sqlite"), &damaged).unwrap();
    refuses("");
    std::fs::write(desk.file("s.sqlite"), &whole[..from]).unwrap();
    refuses("");
    std::fs::write(desk.file("s.sqlite"), &whole).unwrap();
    desk.passes("sweep s.toml");
}

/// A desk with sweep files.
fn desk(test: &str, files: &[(&str, &str)]) -> Desk {
    let desk = Desk::on_any_build(&format!("sweep-{test}"));
    for (name, text) in files {
        std::fs::write(desk.file(name), text).unwrap();
    }
    desk
}

fn open(desk: &Desk, name: &str) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    Connection::open_with_flags(desk.file(name), flags).unwrap()
}

/// All rows of all tables and views, but how long points took.
fn dump(desk: &Desk, name: &str) -> String {
    let connection = open(desk, name);
    let names = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name";
    let mut names = connection.prepare(names).unwrap();
    let names: Vec<String> =
        names.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert!(names.len() >= 8, "{names:?}");
    let mut text = String::new();
    for name in names {
        let mut rows = connection.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns: Vec<String> = rows.column_names().map(String::from).collect();
        let line = |row: &rusqlite::Row| {
            let values = columns.iter().filter(|column| *column != "seconds");
            let values = values.map(|column| (column, row.get::<_, Value>(&column[..]).unwrap()));
            Ok(format!("{name} {:?}\n", values.collect::<Vec<_>>()))
        };
        rows.query_map([], line).unwrap().for_each(|line| text += &line.unwrap());
    }
    text
}

/// Two files with the same rows.
fn same(desk: &Desk, one: &str, other: &str) {
    let [ours, theirs] = [one, other].map(|name| dump(desk, name));
    for (a, b) in ours.lines().zip(theirs.lines()) {
        assert!(a == b, "{one}: {a}\n{other}: {b}");
    }
    assert_eq!(ours.lines().count(), theirs.lines().count(), "{one}, {other}");
}

fn count(desk: &Desk, name: &str, of: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {of}");
    open(desk, name).query_row(&query, [], |row| row.get(0)).unwrap()
}

#[test]
fn file_is_the_same_whatever_the_number_of_threads() {
    let desk = desk("jobs", &[("s.toml", SMALL)]);
    let left = desk.passes("sweep s.toml --jobs 1 --into one.sqlite");
    assert_eq!(left.last_line(), "PASS sweep: 12 points, 4 refused");
    desk.passes("sweep s.toml --jobs 2");
    same(&desk, "one.sqlite", "s.sqlite");
    assert_eq!(count(&desk, "s.sqlite", "result"), 12);
    assert_eq!(count(&desk, "s.sqlite", "point WHERE status = 2"), 4);
    // What a point says is what `duet run` says of the same.
    desk.passes(
        "run --system rec-4gpu-small --workload copy --seed 2 --set workload.size=256 \
         --set l2.design=rec --set directory.range=256 --json r.json",
    );
    let run = desk.json("r.json");
    let query = "SELECT cycles, loads_checked, program, \
                 (SELECT value FROM counter WHERE point = key AND name = 'l2.fetches') FROM point \
                 WHERE key = (SELECT key FROM result WHERE workload = 'copy' AND seed = 2 \
                 AND \"l2.design\" = 'rec' AND \"directory.range\" = 256)";
    let found: (i64, i64, String, i64) = open(&desk, "s.sqlite")
        .query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap();
    let of = |value: &serde_json::Value| value.as_i64().unwrap();
    assert_eq!(found.0, of(&run["cycles"]));
    assert_eq!(found.1, of(&run["values"]["loads_checked"]));
    assert_eq!(found.2, run["workload"].as_str().unwrap());
    assert_eq!(found.3, of(&run["counters"]["l2.fetches"]));
}

/// Runs `duet` with these words until a file of its own outgrows so many blocks of 512 bytes: the
/// system then kills it, in the middle of a transaction.
fn killed(desk: &Desk, words: &str, blocks: u64) {
    let limited = format!("ulimit -c 0; ulimit -f {blocks}; exec \"$0\" {words}");
    let duet = ["-c", &limited, env!("CARGO_BIN_EXE_duet")];
    let output = Command::new("sh").args(duet).current_dir(desk.file(".")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(SIGXFSZ), "{said}");
}

#[test]
fn killed_sweep_goes_on_and_loses_nothing_and_does_nothing_twice() {
    let text = format!("{SMALL}{WITH_NOISE}");
    let desk = desk("kill", &[("s.toml", &text), ("whole.toml", &text)]);
    desk.passes("sweep whole.toml");
    let blocks = std::fs::metadata(desk.file("whole.sqlite")).unwrap().len() / 512;
    let [few, ran] = [1, 2].map(|part| {
        killed(&desk, "sweep s.toml --jobs 1", blocks * part / 3);
        assert!(desk.file("s.sqlite-journal").exists(), "it was killed between two points");
        count(&desk, "s.sqlite", "point WHERE status = 0")
    });
    assert!(0 < few && few < ran && ran < 24, "{few}, {ran}");
    // What is there now bears a mark, which a second run would take away.
    let marked = "point WHERE cycles > 1000000000";
    let mark = |sign| {
        let update = format!("UPDATE point SET cycles = cycles {sign} 1000000000");
        let passed = format!("{update} WHERE status = 0 AND seconds > 0 AND key IN marked");
        open(&desk, "s.sqlite").execute(&passed, []).unwrap()
    };
    let table = "CREATE TABLE marked AS SELECT key FROM point WHERE status = 0";
    open(&desk, "s.sqlite").execute(table, []).unwrap();
    assert_eq!(mark('+') as i64, ran);
    let left = desk.passes("sweep s.toml");
    let first = format!("small: 24 points, {ran} of them in s.sqlite; 8 refused");
    assert_eq!(left.stdout.lines().next(), Some(&first[..]));
    assert_eq!(count(&desk, "s.sqlite", marked), ran);
    mark('-');
    open(&desk, "s.sqlite").execute("DROP TABLE marked", []).unwrap();
    same(&desk, "s.sqlite", "whole.sqlite");
}

#[test]
fn sweep_goes_on_after_failures_and_ends_with_the_greatest_status() {
    let failing = r#"
        [sweep]
        name = "failing"
        [[grid]]
        systems = ["cpelide-4-small"]
        workloads = ["reuse", "jacobi2d"]
        set."l2.design" = ["none", "software"]
        [[grid]]
        systems = ["cpelide-4-small"]
        workloads = ["reuse"]
        max_cycles = 1000
    "#;
    let desk = desk("failures", &[("f.toml", failing)]);
    let words = "sweep f.toml";
    let first = desk.duet(words);
    assert_eq!(first.status, 4, "{}", first.stderr);
    let last = first.last_line();
    let expected = "FAIL sweep: 3 of 5 points failed, 0 refused: ";
    assert!(last.starts_with(expected) && last.contains("wrong value"), "{last}");
    let statuses = ["0", "3", "4"]
        .map(|status| count(&desk, "f.sqlite", &format!("point WHERE status = {status}")));
    assert_eq!(statuses, [2, 1, 2]);
    // As `duet run`: a bundle of what was found, none of a limit.
    let names = std::fs::read_dir(desk.file("out")).unwrap();
    let mut names: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names[0].starts_with("run-jacobi2d-") && names[1].starts_with("run-reuse-"));
    desk.refuses(4, &format!("replay out/{}", names[1]), &["wrong value"]);
    // Once found is found: nothing runs, and the end is the same.
    let again = desk.duet(words);
    assert_eq!((again.status, again.last_line()), (4, last));
    assert!(again.stdout.starts_with("failing: 5 points, 5 of them in f.sqlite"));
}

#[test]
fn points_on_other_rtl_are_other_points() {
    let text = r#"
        [sweep]
        name = "own"
        [[grid]]
        systems = ["cpelide-2-small"]
        workloads = ["copy"]
        set.workload.size = 256
        set.machine.gpus = 2
        impl = ["", "packetizer=rtl"]
    "#;
    let Some(desk) = Desk::new("sweep_rtl") else { return };
    std::fs::write(desk.file("own.toml"), text).unwrap();
    let file = copy_of_rtl(&desk).join("finepack/packetizer/packetizer.sv");
    let words = "sweep own.toml --rtl rtl";
    let known = |known: u32| {
        let run = desk.passes(words);
        let first = format!("own: 2 points, {known} of them in own.sqlite");
        assert!(run.stdout.starts_with(&first), "{}", run.stdout);
    };
    known(0);
    known(2);
    replace(&file, "endmodule", "// Changed.\nendmodule");
    // That of the models.
    known(1);
    assert_eq!(count(&desk, "own.sqlite", "point WHERE status = 0"), 3);
}

#[test]
fn file_of_another_build_or_program_or_writer_is_left_alone() {
    let desk = desk("foreign", &[("s.toml", SMALL), ("text.sqlite", "mine")]);
    let foreign = Connection::open(desk.file("foreign.sqlite")).unwrap();
    foreign.execute("CREATE TABLE mine (x)", []).unwrap();
    let refuses = |into: &str, message: &str| {
        let before = std::fs::read(desk.file(into)).unwrap_or_default();
        desk.refuses(2, &format!("sweep s.toml --into {into}"), &[into, message]);
        assert_eq!(std::fs::read(desk.file(into)).unwrap_or_default(), before);
    };
    refuses("foreign.sqlite", "is no result of duet sweep");
    refuses("text.sqlite", "is no result of duet sweep");
    refuses("s.toml", "is no result of duet sweep");
    refuses(".", "must be a file");

    desk.passes("sweep s.toml");
    let file = std::fs::File::open(desk.file("s.sqlite")).unwrap();
    file.lock().unwrap();
    refuses("s.sqlite", "another duet sweep writes it");
    drop(file);
    open(&desk, "s.sqlite").execute("UPDATE sweep SET build = 'other'", []).unwrap();
    refuses("s.sqlite", "its points come from another build of duet");
    open(&desk, "s.sqlite").pragma_update(None, "user_version", 9).unwrap();
    refuses("s.sqlite", "schema 9: must be 1");
}
