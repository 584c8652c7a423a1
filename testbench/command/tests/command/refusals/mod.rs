//! Commands that are asked for what cannot be: exit status and message, before anything runs, and
//! nothing is written. The cases stand in tables, one file for each kind of input.

mod captures;
mod firmware;
mod system_files;
mod traces;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::desk::Desk;
use crate::two_gpus::{REUSE, TWO_GPUS, on};

/// A command that must be refused.
pub struct Case {
    status: i32,
    /// The command line; `%` stands for the beginning of the names of the case's own files.
    words: String,
    /// What the message must say.
    message: Vec<String>,
    /// Files that are there: endings and contents.
    files: Vec<(String, Vec<u8>)>,
}

fn case(status: i32, words: &str, message: &[&str]) -> Case {
    let message = message.iter().map(ToString::to_string).collect();
    Case { status, words: words.to_string(), message, files: Vec::new() }
}

impl Case {
    fn file(mut self, ending: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((ending.to_string(), content.into()));
        self
    }

    /// What is wrong with the answer.
    fn check(&self, desk: &Desk, name: &str) -> Result<(), String> {
        let words = self.words.replace('%', name);
        let left = desk.duet(&words);
        let tell =
            |what: String| Err(format!("{words}\n  {what}\n  {}{}", left.stdout, left.stderr));
        if left.status != self.status {
            return tell(format!("ends with {}, not {}", left.status, self.status));
        }
        match self.message.iter().find(|part| !left.stderr.contains(&part.replace('%', name))) {
            Some(missing) => tell(format!("does not say {missing:?}")),
            None if left.stdout.contains("PASS") => tell("passes".to_string()),
            None => Ok(()),
        }
    }
}

/// With a name in place of each `%`.
fn replaced(text: &[u8], name: &str) -> Vec<u8> {
    let parts: Vec<_> = text.split(|&byte| byte == b'%').collect();
    parts.join(name.as_bytes())
}

/// CRC-32 (ISO 3309), as traces and captures have it.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc)))
}

/// What is in the desk's folder.
fn snapshot(desk: &Desk) -> Vec<(String, Option<Vec<u8>>)> {
    let entries = fs::read_dir(desk.file(".")).unwrap().map(|entry| entry.unwrap());
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).ok()))
        .collect();
    all.sort();
    all
}

/// Refuses all of them, some at a time.
fn refuses(test: &str, cases: Vec<Case>) {
    let desk = Desk::on_any_build(test);
    fs::create_dir_all(desk.file("folder/common")).unwrap();
    fs::write(desk.file("file"), "text").unwrap();
    for (number, case) in cases.iter().enumerate() {
        let name = format!("case{number}");
        for (ending, content) in &case.files {
            // Lists name other files.
            let content = match &ending[..] {
                ".g" => replaced(content, &name),
                _ => content.clone(),
            };
            fs::write(desk.file(&(name.clone() + ending)), content).unwrap();
        }
    }
    let before = snapshot(&desk);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(number) else { return wrong };
            wrong.extend(case.check(&desk, &format!("case{number}")).err());
        }
    };
    let wrong: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let names = |list: &[(String, _)]| list.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    let after = snapshot(&desk);
    assert_eq!(names(&after), names(&before), "files were written or removed");
    assert!(after == before, "a file was changed");
}

#[test]
fn system_files() {
    refuses("refused-systems", system_files::cases());
}

/// The cases of `arguments.txt`.
fn arguments() -> Vec<Case> {
    let (mut prefix, mut status, mut cases) = ("", 2, Vec::new());
    for line in include_str!("arguments.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some((words, message)) = line.split_once("=> ") {
            let message: Vec<_> = message.split(" | ").collect();
            cases.push(case(status, format!("{prefix} {words}").trim(), &message));
        } else if let Some(words) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            (prefix, status) = if words == "5" { ("", 5) } else { (words, 2) };
        }
    }
    cases
}

#[test]
fn arguments_that_cannot_be() {
    refuses("refused-arguments", arguments());
}

#[test]
fn traces() {
    refuses("refused-traces", traces::cases());
}

#[test]
fn captures() {
    refuses("refused-captures", captures::cases());
}

#[test]
fn firmware_images() {
    refuses("refused-firmware", firmware::cases());
}

/// These fail while the machine runs, so they may leave a bundle.
#[test]
fn firmware_images_that_fail_behind_a_packet() {
    let desk = Desk::on_any_build("refused-firmware-behind");
    for (number, case) in firmware::behind_a_packet().iter().enumerate() {
        let name = format!("case{number}");
        for (ending, content) in &case.files {
            fs::write(desk.file(&(name.clone() + ending)), content).unwrap();
        }
        case.check(&desk, &name).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

/// Each case has another command line or another file.
#[test]
fn no_case_stands_twice() {
    let all =
        [system_files::cases(), arguments(), traces::cases(), captures::cases(), firmware::cases()];
    let all: Vec<_> = all.into_iter().flatten().collect();
    let distinct: BTreeSet<_> = all.iter().map(|case| (&case.words, &case.files)).collect();
    assert_eq!(distinct.len(), all.len());
    assert!(all.len() >= 300, "{}", all.len());
}

#[test]
fn files_that_cannot_be_written_end_with_status_5_before_the_run() {
    let desk = Desk::on_any_build("run-unwritable");
    fs::write(desk.file("file"), "").unwrap();
    fs::create_dir(desk.file("folder")).unwrap();
    for option in ["json", "dump-tlp", "audit", "wave"] {
        for path in ["file/x", "folder"] {
            let words = format!("run {TWO_GPUS} {REUSE} --{option} {path}");
            desk.refuses(5, &words, &[path]);
        }
    }
    assert!(fs::read_dir(desk.file("folder")).unwrap().next().is_none());
    let left: BTreeSet<_> = fs::read_dir(desk.file("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left, BTreeSet::from(["file".to_string(), "folder".to_string()]));
}

#[test]
fn tools_are_the_same_in_any_folder() {
    let desk = Desk::on_any_build("run-tools");
    // What another folder has must not be found.
    fs::create_dir_all(desk.file(".tools/verilator/bin")).unwrap();
    let doctor = |folder: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_duet"));
        command.arg("doctor").current_dir(desk.file(folder)).envs(variables.iter().copied());
        let left = command.output().unwrap();
        (left.status.code(), String::from_utf8(left.stdout).unwrap())
    };
    fs::create_dir(desk.file("other")).unwrap();
    assert_eq!(doctor(".", &[]), doctor("other", &[]));
    for (variable, value, message) in [
        (
            "DUET_TOOLS",
            ".tools",
            "DUET_TOOLS = .tools: must be the absolute path of an existing folder",
        ),
        ("DUET_TOOLS", "/no/such/folder", "DUET_TOOLS = /no/such/folder: must be the absolute"),
        ("VERILATOR", "./verilator", "VERILATOR = ./verilator: must be an absolute path"),
        ("VERILATOR", "nosuch", "VERILATOR = nosuch: does not run"),
        ("PATH", ".", "c++"),
    ] {
        let (status, said) = doctor(".", &[(variable, value)]);
        assert!(status == Some(5) && said.contains(message), "{variable}={value}: {said}");
    }
    let own = desk.file(".tools").display().to_string();
    let (_, said) = doctor("other", &[("DUET_TOOLS", &own)]);
    assert!(said.contains(&format!("{own}, DUET_TOOLS")), "{said}");
}

#[test]
fn rtl_without_verilator_ends_with_status_5_and_says_how_to_get_it() {
    let desk = Desk::on_any_build("run-no-rtl");
    let none = [("VERILATOR", "nosuch")];
    for words in ["compare".to_string(), format!("run{}", on("rtl"))] {
        let words = format!("{words} {TWO_GPUS} {REUSE}");
        desk.refuses_in(
            &none,
            5,
            &words,
            &["no Verilated library", "VERILATOR = nosuch: does not run"],
        );
    }
}
