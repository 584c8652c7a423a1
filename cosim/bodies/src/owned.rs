//! Who may write what is loaded into this process: the user alone.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bits of a mode: others than the owner may write; all others may; in this folder each may replace
/// their own files only.
const WRITABLE_BY_OTHERS: u32 = 0o022;
const WRITABLE_BY_ALL: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// Checks that a path is a folder, not a link to one, that only the user may write.
/// Errors: what it is instead.
pub fn check_folder(path: &Path) -> Result<(), String> {
    let found = fs::symlink_metadata(path).map_err(|e| e.to_string())?;
    if !found.is_dir() {
        return Err("must be a folder, and no link to one".into());
    }
    check(&found)
}

/// Checks that a path is a file, not a link to one, that only the user may write.
/// Errors: what it is instead.
pub fn check_file(path: &Path) -> Result<(), String> {
    let found = fs::symlink_metadata(path).map_err(|e| e.to_string())?;
    if !found.is_file() {
        return Err("must be a file, and no link to one".into());
    }
    check(&found)
}

/// Checks the folder of a cache and those above it: no other user can replace it.
/// `/tmp` is no danger, nor a cache that is as it is: each may replace their own files only.
pub fn check_root(path: &Path) -> Result<(), String> {
    let found = fs::metadata(path).map_err(|e| e.to_string())?;
    if found.mode() & STICKY == 0 {
        check(&found)?;
    }
    for above in path.ancestors().skip(1) {
        let found = fs::metadata(above).map_err(|e| format!("{}: {e}", above.display()))?;
        if found.mode() & (WRITABLE_BY_ALL | STICKY) == WRITABLE_BY_ALL {
            return Err(format!(
                "lies in {}, where all users may replace it (mode {:o})",
                above.display(),
                found.mode() & 0o7777
            ));
        }
    }
    Ok(())
}

fn check(found: &Metadata) -> Result<(), String> {
    let (owner, user) = (found.uid(), rustix::process::geteuid().as_raw());
    if owner != user {
        return Err(format!("belongs to user {owner}; must belong to you, user {user}"));
    }
    if found.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(format!(
            "can be written by others (mode {:o}); must be writable by you alone: chmod go-w",
            found.mode() & 0o7777
        ));
    }
    Ok(())
}
