//! A desk at which `duet` is run as other programs see it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use ports::is_hidden;
use serde_json::Value;
use tempfile::TempDir;

/// The bytes of a bundle with these facts and files.
pub fn pack(facts: &Value, files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 0).unwrap());
    let facts = serde_json::to_vec(facts).unwrap();
    let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes));
    for (name, bytes) in [("facts.json", &facts)].into_iter().chain(files) {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// A folder of its own to run commands in; removed with it.
pub struct Desk(TempDir);

/// Waits until a command that runs has come so far, however long a busy machine takes. Panics where
/// the command ends before: it must not be able to end by itself.
pub fn wait_until(command: &mut Child, has_come_so_far: impl Fn() -> bool) {
    while !has_come_so_far() {
        assert_eq!(command.try_wait().unwrap(), None, "it has ended by itself");
        thread::sleep(Duration::from_millis(5));
    }
}

/// What a command left.
pub struct Left {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Desk {
    /// `None`, with a notice, where no RTL bodies can be made.
    pub fn new(test: &str) -> Option<Self> {
        if let Err(problem) = bodies::ready("remote_write_queue") {
            println!("skipped: {problem}");
            return None;
        }
        Some(Self::on_any_build(test))
    }

    /// For what needs no RTL bodies.
    pub fn on_any_build(test: &str) -> Self {
        let prefix = format!("duet-cli-{test}-");
        Self(tempfile::Builder::new().prefix(&prefix).tempdir().unwrap())
    }

    /// Runs `duet` with these words. Whatever it is asked, it must not panic.
    pub fn duet(&self, words: &str) -> Left {
        self.duet_in(&[], words)
    }

    /// Likewise, with these environment variables.
    pub fn duet_in(&self, variables: &[(&str, &str)], words: &str) -> Left {
        let output = Command::new(env!("CARGO_BIN_EXE_duet"))
            .args(words.split_whitespace())
            .envs(variables.iter().copied())
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        let status = output.status.code().unwrap_or_else(|| panic!("{words}: killed\n{stderr}"));
        for word in ["panicked", "RUST_BACKTRACE"] {
            assert!(!stdout.contains(word) && !stderr.contains(word), "{words}:\n{stdout}{stderr}");
        }
        for c in stdout.chars().chain(stderr.chars()) {
            assert!(matches!(c, '\n' | '\t') || !is_hidden(c), "{words:?}: {c:?} in its output");
        }
        Left { status, stdout, stderr }
    }

    /// What a terminal shows of a command, if there is a Python that gives it one. `None`, with a
    /// notice, where there is none.
    pub fn on_terminal(&self, variables: &[(&str, &str)], words: &str) -> Option<String> {
        self.on_terminal_of(None, variables, words)
    }

    /// Likewise, with so many columns.
    pub fn on_terminal_of(
        &self,
        columns: Option<&str>,
        variables: &[(&str, &str)],
        words: &str,
    ) -> Option<String> {
        let spawn = "import pty, sys; pty.spawn(sys.argv[1:])";
        let size = columns.map_or(String::new(), |columns| format!("stty cols {columns};"));
        let shell = format!("{size} exec \"$0\" \"$@\"");
        let output = Command::new("python3")
            .args(["-c", spawn, "sh", "-c", &shell, env!("CARGO_BIN_EXE_duet")])
            .args(words.split_whitespace())
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .envs(variables.iter().copied())
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output();
        match output {
            Ok(output) => Some(String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")),
            Err(problem) => {
                println!("skipped: python3: {problem}");
                None
            }
        }
    }

    /// A command that must be refused with this status and a message that holds all these words.
    pub fn refuses(&self, status: i32, words: &str, message: &[&str]) {
        self.refuses_in(&[], status, words, message);
    }

    /// Likewise, with these environment variables.
    pub fn refuses_in(
        &self,
        variables: &[(&str, &str)],
        status: i32,
        words: &str,
        message: &[&str],
    ) {
        let left = self.duet_in(variables, words);
        assert_eq!(left.status, status, "{words}: {}", left.stderr);
        for part in message {
            assert!(left.stderr.contains(part), "{words}: no {part:?} in: {}", left.stderr);
        }
        assert!(!left.stdout.contains("PASS"), "{words}: {}", left.stdout);
    }

    /// A command that must pass, without a word on standard error but the tenths of much work.
    pub fn passes(&self, words: &str) -> Left {
        let left = self.duet(words);
        let is_tenth = |line: &&str| line.starts_with("duet: ") && line.ends_with(" points");
        let told: Vec<_> = left.stderr.lines().filter(|line| !is_tenth(line)).collect();
        assert_eq!((left.status, &told[..]), (0, &[][..]), "{words}: {}", left.stdout);
        assert!(left.last_line().starts_with("PASS "), "{words}: {}", left.stdout);
        left
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.file(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }
}

impl Left {
    pub fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or("")
    }

    /// The command that the report gives, without this program's name: it may stand in several
    /// lines.
    pub fn rerun(&self) -> String {
        let rerun = format!("\n  rerun  {} ", env!("CARGO_BIN_EXE_duet"));
        let (_, rest) = self.stdout.split_once(&rerun).expect("a report");
        let end = rest.match_indices('\n').find(|(at, _)| !rest[..*at].ends_with('\\'));
        let command = &rest[..end.expect("a line ends").0];
        command.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ")
    }

    /// The rest of the line that starts with this label.
    pub fn line(&self, label: &str) -> &str {
        let line = self.stdout.lines().find_map(|line| line.trim_start().strip_prefix(label));
        line.unwrap_or_else(|| panic!("no line {label:?} in:\n{}", self.stdout)).trim()
    }
}
