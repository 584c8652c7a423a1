//! The sessions that the documents show are real: each `$ duet …` in a text block of the README, of
//! `docs/` or of a verb's module documentation is run, and what the block shows must come
//! out. A line `...` stands for any lines, `...` at the end of a line for its rest. Sessions that
//! take long are run with `DUET_SOAK` in the environment (`make soak`).

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How sessions begin that take half a minute: a publication's runs, and a program of full size,
/// whose effect `headlines` checks.
const LONG: [&str; 2] = ["reproduce ", "compare --system cpelide-4 --workload lu "];

/// A command and the lines that it must print.
struct Session {
    place: String,
    command: String,
    lines: Vec<String>,
}

fn sessions_of(path: &Path) -> Vec<Session> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut sessions: Vec<Session> = Vec::new();
    // In a text block, and behind a command there: what else is in such blocks is no session.
    let (mut in_block, mut in_session) = (false, false);
    // A block of a list's entry is indented.
    let mut indent = 0;
    for line in text.lines() {
        let line = line.strip_prefix("//!").map_or(line, |l| l.strip_prefix(' ').unwrap_or(l));
        let fence = line.trim_start();
        if fence.starts_with("```") {
            (in_block, in_session) = (fence == "```text", false);
            indent = line.len() - fence.len();
            continue;
        }
        let line = line.get(indent..).unwrap_or_default();
        if let Some(command) = line.strip_prefix("$ duet ").filter(|_| in_block) {
            let place = path.display().to_string();
            sessions.push(Session { place, command: command.to_string(), lines: Vec::new() });
            in_session = true;
        } else if let Some(session) = sessions.last_mut().filter(|_| in_session) {
            session.lines.push(line.to_string());
        }
    }
    sessions
}

fn matches(shown: &str, real: &str) -> bool {
    shown.strip_suffix("...").map_or(shown == real, |start| real.starts_with(start))
}

/// Finds the shown lines in the real ones, in order. Errors: the first that is not there.
fn compare(shown: &[String], real: &[&str]) -> Result<(), String> {
    let mut at = 0;
    let mut skip = false;
    for line in shown {
        if line == "..." {
            skip = true;
            continue;
        }
        let found = real[at..].iter().position(|r| matches(line, r));
        match found {
            Some(n) if skip || n == 0 => at += n + 1,
            _ => return Err(format!("shown: {line}\nreal:  {}", real.get(at).unwrap_or(&"(end)"))),
        }
        skip = false;
    }
    if skip || at == real.len() { Ok(()) } else { Err(format!("not shown: {}", real[at])) }
}

/// The files that sessions read.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

/// Documents and modules; pictures stand beside them.
fn sources_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources_below(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "md" || ending == "rs") {
            into.push(path);
        }
    }
}

/// Does what the README's shell lines do to a copy of the RTL, which a session then runs.
fn change_rtl(readme: &Path, folder: &Path) {
    let text = fs::read_to_string(readme).expect("the README");
    let is_change = |line: &&str| line.starts_with("cp -r rtl ") || line.starts_with("sed -i ");
    let changes: Vec<_> = text.lines().filter(is_change).collect();
    assert_eq!(changes.len(), 2, "{changes:?}");
    let status =
        Command::new("sh").arg("-c").arg(changes.join(" && ")).current_dir(folder).status();
    assert!(status.expect("a shell").success(), "{changes:?}");
}

/// That a file is not there is what was wanted.
fn absent(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

#[test]
fn sessions_in_the_documents_are_real() {
    if let Err(problem) = bodies::ready("remote_write_queue") {
        eprintln!("skipped: {problem}");
        return;
    }
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = crate_folder.join("../../README.md");
    let mut files = vec![readme.clone()];
    sources_below(&crate_folder.join("../../docs"), &mut files);
    sources_below(&crate_folder.join("src/cli"), &mut files);
    files.sort();
    let is_soak = std::env::var_os("DUET_SOAK").is_some();
    let is_run =
        |session: &Session| is_soak || !LONG.iter().any(|long| session.command.starts_with(long));
    let sessions: Vec<_> = files.iter().flat_map(|f| sessions_of(f)).filter(is_run).collect();
    assert!(sessions.len() >= 3, "only {} sessions found", sessions.len());
    // An unused folder, as some sessions refuse what is there already.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sessions");
    fs::remove_dir_all(&folder).or_else(absent).expect("no folder");
    copy_folder(&crate_folder.join("tests/data"), &folder.join("data"));
    copy_folder(
        &crate_folder.join("../traces/workloads"),
        &folder.join("testbench/traces/workloads"),
    );
    copy_folder(&crate_folder.join("../../rtl"), &folder.join("rtl"));
    change_rtl(&readme, &folder);
    // Two documents may show parts of the same session, which takes its time once.
    let mut printed: HashMap<String, String> = HashMap::new();
    let mut differences = Vec::new();
    for Session { place, command, lines } in sessions {
        let text = printed.entry(command.clone()).or_insert_with(|| {
            let mut duet = Command::new(env!("CARGO_BIN_EXE_duet"));
            // Reports show the name by which it is called.
            duet.arg0("duet");
            // A reader has no folder with the RTL: paths are those of the program's.
            duet.env_remove("DUET_RTL");
            let output = duet.args(command.split_whitespace()).current_dir(&folder).output();
            String::from_utf8_lossy(&output.expect("duet runs").stdout).into_owned()
        });
        let real: Vec<_> = text.lines().collect();
        if let Err(difference) = compare(&lines, &real) {
            differences.push(format!("{place}: $ duet {command}\n{difference}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn a_session_that_differs_is_noticed() {
    let shown = |lines: &[&str]| lines.iter().map(|l| l.to_string()).collect::<Vec<_>>();
    assert!(compare(&shown(&["a", "b"]), &["a", "c"]).is_err());
    assert!(compare(&shown(&["a"]), &["a", "b"]).is_err());
    assert!(compare(&shown(&["...", "x"]), &["a", "b"]).is_err());
    assert!(compare(&shown(&["a", "...", "c d..."]), &["a", "b", "c d e"]).is_ok());
}
