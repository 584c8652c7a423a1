//! `duet reproduce` as a command.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::desk::{Desk, wait_until};

#[test]
fn unknown_paper_is_wrong_use_and_names_the_legal_ones() {
    let desk = Desk::on_any_build("reproduce");
    let message = "paper frc: must be one of cpelide, finepack, gtsc, race-detection, rec, \
                   sharing-aware, stc, all";
    desk.refuses(2, "reproduce frc", &[message]);
}

#[test]
fn scale_that_a_paper_does_not_have_is_refused_with_those_that_it_has() {
    let desk = Desk::on_any_build("reproduce-scale");
    for (words, message) in [
        (
            "cpelide --scale 7",
            "--scale 7: cpelide's machine has 60 CUs in each chiplet, which is not a multiple of 7",
        ),
        ("cpelide --scale 7", "must be 1 or 60"),
        ("cpelide --scale 4", "--scale 4: cpelide has no inputs for this scale; must be 1 or 60"),
        ("rec --scale 16", "--scale 16: rec has no inputs for this scale; must be 1 or 64"),
        ("all --scale 60", "--scale 60: finepack's machine has 80 CUs"),
        ("cpelide --scale 0", "--scale"),
        ("cpelide --scale -1", "-1"),
        ("cpelide --scale 1.5", "--scale"),
        ("finepack --scale 4", "--scale 4: finepack has no inputs for this scale; must be 16"),
    ] {
        desk.refuses(2, &format!("reproduce {words}"), &[message]);
    }
}

#[test]
fn folder_of_something_else_is_refused_and_left_as_it_is() {
    let desk = Desk::on_any_build("reproduce-foreign");
    fs::create_dir(desk.file("thesis")).unwrap();
    fs::write(desk.file("thesis/thesis.tex"), "mine").unwrap();
    let words = "reproduce stc --keep thesis";
    desk.refuses(2, words, &["--keep thesis: it must be empty"]);
    assert_eq!(names(&desk.file("thesis")), ["thesis.tex"]);
    fs::write(desk.file("file"), "mine").unwrap();
    desk.refuses(5, "reproduce stc --keep file", &["--keep file: "]);
    assert_eq!(desk.read("file"), "mine");
}

/// Names of a folder's files, in order.
fn names(folder: &Path) -> Vec<String> {
    let all = fs::read_dir(folder).into_iter().flatten();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut all: Vec<_> = all.map(name).map(|name| name.into_string().unwrap()).collect();
    all.sort();
    all
}

/// Results of runs in a folder.
fn results(folder: &Path) -> Vec<String> {
    let all = names(folder).into_iter();
    all.filter(|name| name.ends_with(".0.json")).collect()
}

/// Starts `duet` with these words.
fn start(desk: &Desk, words: &str) -> Child {
    let mut duet = Command::new(env!("CARGO_BIN_EXE_duet"));
    let duet = duet.args(words.split_whitespace()).current_dir(desk.file("."));
    duet.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Ends it as `kill` does, and returns its status.
fn kill(mut duet: Child, signal: &str) -> Option<i32> {
    let status = Command::new("kill").args([signal, &duet.id().to_string()]).status().unwrap();
    assert!(status.success());
    duet.wait().unwrap().code()
}

#[test]
fn killed_reproduction_goes_on_where_it_was_and_with_other_options_is_refused() {
    let desk = Desk::on_any_build("reproduce-killed");
    let folder = desk.file("kept");
    let words = "reproduce stc --perturbed 0 --keep kept";
    let mut first = start(&desk, words);
    wait_until(&mut first, || results(&folder).len() >= 2);
    // A process that starts meanwhile changes nothing.
    desk.refuses(2, words, &["--keep kept: another duet reproduce uses it"]);
    assert_eq!(kill(first, "-TERM"), Some(128 + 15));
    let found = results(&folder);
    assert!(found.len() >= 2);
    let is_part = |name: &String| name.ends_with(".part");
    assert!(!names(&folder).iter().any(is_part), "{:?}", names(&folder));
    let before: Vec<_> = found.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    for (words, message) in [
        (
            "reproduce stc --perturbed 1 --keep kept",
            "this is reproduce stc --scale 1 --perturbed 1",
        ),
        ("reproduce rec --perturbed 0 --keep kept", "this is reproduce rec --scale 64"),
    ] {
        let holds = "--keep kept: it holds runs of reproduce stc --scale 1 --perturbed 0 by duet";
        desk.refuses(2, words, &[holds, message]);
    }
    // Killed outright it leaves no half result either.
    let mut second = start(&desk, words);
    let mut lines = BufReader::new(second.stderr.take().unwrap()).lines();
    let told = lines.next().unwrap().unwrap();
    let expected = format!("duet: stc: {} of 396 runs were kept in kept", found.len());
    assert_eq!(told, expected);
    assert_eq!(kill(second, "-KILL"), None);
    let after: Vec<_> = found.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    assert_eq!(before, after);
}

#[test]
fn damaged_result_is_refused_by_its_name() {
    let desk = Desk::on_any_build("reproduce-damaged");
    let folder = desk.file("kept");
    let words = "reproduce stc --perturbed 0 --keep kept";
    let mut first = start(&desk, words);
    wait_until(&mut first, || !results(&folder).is_empty());
    kill(first, "-TERM");
    let name = results(&folder).swap_remove(0);
    let text = fs::read_to_string(folder.join(&name)).unwrap();
    fs::write(folder.join(&name), text.replace("\"cycles\": ", "\"cycles\": 1")).unwrap();
    desk.refuses(2, words, &[&format!("kept/{name}"), "checksum", "remove the file"]);
}

/// A limit of the size of files stands for a disk that is full.
#[test]
fn full_disk_is_reported_with_what_is_kept_and_the_status_of_the_environment() {
    let desk = Desk::on_any_build("reproduce-full");
    let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" reproduce stc --perturbed 0 --keep kept";
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", limited, env!("CARGO_BIN_EXE_duet")]);
    let output = shell.current_dir(desk.file(".")).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    for part in ["0 of 396 runs are kept in kept", "the same command goes on", "duet: ", ".0.json"]
    {
        assert!(stderr.contains(part), "no {part} in {stderr}");
    }
    assert!(stdout.lines().last().unwrap().starts_with("FAIL "), "{stdout}");
    assert_eq!(names(&desk.file("kept")), ["lock", "reproduction.json"]);
}
