//! Captures of real programs through the protocols. They are looked for where
//! `tests/command/captures.rs` does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cosim::body::BodyKind;
use traces::trace::{Reader, Recorder, capture};

use super::matrix::{Blocks, all_pass};

fn captures() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("DUET_SHARED").map(PathBuf::from);
    shared.unwrap_or(root.join("../shared")).join("traces")
}

/// A capture's trace; its files go when it is read.
fn capture(archive: &Path, name: &str) -> Reader {
    let work = tempfile::tempdir().unwrap();
    let tar = Command::new("tar").arg("-C").arg(work.path()).arg("-xJf").arg(archive).status();
    assert!(tar.unwrap().success(), "{}", archive.display());
    let mut recorder = Recorder::in_memory(name).unwrap();
    capture::convert(&work.path().join(name), &mut recorder).unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), name).unwrap()
}

#[test]
fn captures_pass_with_any_two_designs_on_any_machine() {
    let folder = captures();
    if !folder.is_dir() {
        eprintln!("skipped: no captures in {}", folder.display());
        return;
    }
    let mut archives: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    archives.sort();
    let named = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".tar.xz")?;
        Some((path.clone(), name.to_string()))
    };
    let named: Vec<_> = archives.iter().filter_map(named).collect();
    assert!(!named.is_empty(), "no captures in {}", folder.display());
    let programs: Vec<_> = named.iter().map(|(archive, name)| capture(archive, name)).collect();
    all_pass(&programs, &[Blocks::All(BodyKind::Model)]);
}
