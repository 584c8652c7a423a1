//! `duet trace` as other programs see it: exit status, last line, messages, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of its own to run commands in; removed with it.
struct Desk(PathBuf);

/// What a command left.
struct Left {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Desk {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("duet-trace-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn duet(&self, words: &[&str]) -> Left {
        let output = Command::new(env!("CARGO_BIN_EXE_duet"))
            .args(words)
            .current_dir(&self.0)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(!stderr.contains("panicked"), "{words:?}: {stderr}");
        Left { status: output.status.code().unwrap(), stdout, stderr }
    }

    /// Imports the sample.
    fn import(&self) -> Left {
        let list =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vector_sum/kernelslist.g");
        self.duet(&["trace", "import", "accel-sim", list.to_str().unwrap(), "-o", "sum.trace"])
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn a_trace_is_imported_shown_and_verified() {
    let desk = Desk::new("pass");
    let left = desk.import();
    assert_eq!(left.status, 0, "{}", left.stderr);
    assert!(last_line(&left.stdout).starts_with("PASS vector_sum: 1 kernels"), "{}", left.stdout);
    let left = desk.duet(&["trace", "verify", "sum.trace"]);
    assert_eq!(left.status, 0, "{}", left.stderr);
    assert!(last_line(&left.stdout).starts_with("PASS vector_sum"), "{}", left.stdout);
    let left = desk.duet(&["trace", "info", "sum.trace", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    assert_eq!((left.status, json["name"].as_str()), (0, Some("vector_sum")));
    assert_eq!(json["loads"], 264);
    assert_eq!(json["launches"][0]["local"], serde_json::json!([64, 1, 1]));
    // The checksum does not depend on the file's name.
    fs::copy(desk.file("sum.trace"), desk.file("other.trace")).unwrap();
    let other = desk.duet(&["trace", "info", "other.trace", "--json"]);
    assert_eq!(other.stdout, left.stdout);
}

#[test]
fn a_damaged_or_missing_file_is_wrong_use_and_named() {
    let desk = Desk::new("damaged");
    assert_eq!(desk.import().status, 0);
    let mut bytes = fs::read(desk.file("sum.trace")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(desk.file("bad.trace"), &bytes).unwrap();
    fs::write(desk.file("cut.trace"), &bytes[..middle]).unwrap();
    for name in ["bad.trace", "cut.trace", "missing.trace"] {
        let left = desk.duet(&["trace", "verify", name]);
        assert_eq!(left.status, 2, "{name}: {}", left.stderr);
        assert!(left.stderr.contains(name), "{}", left.stderr);
        assert!(last_line(&left.stdout).starts_with("FAIL"), "{name}: {}", left.stdout);
    }
}

#[test]
fn a_conversion_that_fails_leaves_no_file() {
    let desk = Desk::new("convert");
    fs::write(desk.file("c.bin"), [0; 10]).unwrap();
    fs::write(desk.file("c.meta"), "").unwrap();
    fs::write(desk.file("c.blob"), "").unwrap();
    for prefix in ["c", "missing"] {
        let left = desk.duet(&["trace", "convert", prefix, "-o", "c.trace"]);
        assert_eq!(left.status, 2, "{}", left.stderr);
        assert!(last_line(&left.stdout).starts_with("FAIL"), "{}", left.stdout);
    }
    assert_eq!(fs::read_dir(&desk.0).unwrap().count(), 3);
    let left = desk.duet(&["trace", "convert", "c"]);
    assert_eq!(left.status, 2);
}
