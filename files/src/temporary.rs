//! What is temporary, by path: it goes with its owner, or, where the process ends before, all at
//! once.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::stale::{PREFIX, make_locked};

/// Files and folders that are not finished.
static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Changes the set. No panic leaves it half changed.
fn with_all<T>(change: impl FnOnce(&mut BTreeSet<PathBuf>) -> T) -> T {
    change(&mut ALL.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Removes everything temporary and then ends the process by `end`. Nothing temporary is made
/// meanwhile.
pub fn with_none_left(end: impl FnOnce() -> std::convert::Infallible) -> ! {
    match with_all(|all| {
        for path in std::mem::take(all) {
            // What cannot be removed stays: the process ends.
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
        end()
    }) {}
}

/// A path that is removed with this value.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// What `make` makes, and its path. It is known from the moment it exists.
    pub(crate) fn make<T>(
        make: impl FnOnce() -> io::Result<(T, PathBuf)>,
    ) -> io::Result<(T, Self)> {
        with_all(|all| {
            let (made, path) = make()?;
            // It may be removed from another working folder.
            let path = std::path::absolute(path)?;
            all.insert(path.clone());
            Ok((made, Self(path)))
        })
    }

    /// Renames the file; it is no longer temporary then.
    pub(crate) fn rename(self, to: &Path) -> io::Result<()> {
        // Under the lock: `with_none_left` finds one name or the other.
        with_all(|all| {
            fs::rename(&self.0, to)?;
            all.remove(&self.0);
            Ok(())
        })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        with_all(|all| {
            // Gone already where it was renamed.
            if all.remove(&self.0) {
                let _ = if self.0.is_dir() {
                    fs::remove_dir_all(&self.0)
                } else {
                    fs::remove_file(&self.0)
                };
            }
        });
    }
}

/// A folder that goes with this value.
#[derive(Debug)]
pub struct Folder {
    place: Temporary,
    /// While it is held another process leaves the folder alone.
    _lock: File,
}

impl Folder {
    /// A new one in the folder for temporary files.
    pub fn new() -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    /// A new one in this folder.
    pub fn new_in(folder: &Path) -> io::Result<Self> {
        let make = || {
            let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder)?;
            Ok(made.keep())
        };
        Temporary::make(|| make_locked(make)).map(|(lock, place)| Self { place, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.place.0
    }
}
