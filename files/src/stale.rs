//! What killed processes have left. A temporary folder is locked for as long as its process lives,
//! so a folder without a lock has no owner.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::process::geteuid;

/// How the names of temporary folders begin.
pub(crate) const PREFIX: &str = ".duet-locked-";

/// Makes a folder by `make`, and locks it; returns what holds the lock.
pub(crate) fn make_locked<P: AsRef<Path>>(
    make: impl Fn() -> io::Result<P>,
) -> io::Result<(File, P)> {
    loop {
        let path = make()?;
        // `remove_stale` of another process may come between: then it is gone.
        if let Some(lock) = lock(path.as_ref())? {
            return Ok((lock, path));
        }
    }
}

/// The lock of a folder that was just made; nothing where the folder is gone.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let folder = match open(path) {
        Ok(folder) => folder,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    folder.lock()?;
    Ok(Some(folder).filter(|folder| is_at(folder, path)))
}

/// A folder, and no link to one.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY;
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

/// True of an open folder that this path still names.
fn is_at(folder: &File, path: &Path) -> bool {
    let (opened, named) = (folder.metadata(), fs::symlink_metadata(path));
    matches!((opened, named), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Removes the temporary folders of the user's processes that were killed. Those of processes that
/// live stay, and those of other users. What cannot be removed stays, too.
pub fn remove_stale() {
    remove_stale_in(&std::env::temp_dir());
}

fn remove_stale_in(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_ours(&entry.file_name()) {
            // The next start tries again.
            let _ = remove_unlocked(&entry.path());
        }
    }
}

fn is_ours(name: &OsStr) -> bool {
    name.as_bytes().starts_with(PREFIX.as_bytes())
}

fn remove_unlocked(path: &Path) -> io::Result<()> {
    let folder = open(path)?;
    if folder.metadata()?.uid() == geteuid().as_raw()
        && folder.try_lock().is_ok()
        && is_at(&folder, path)
    {
        fs::remove_dir_all(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::Folder;

    #[test]
    fn folders_of_dead_processes_go_and_those_of_living_ones_stay() {
        let root = tempfile::tempdir().unwrap();
        let place = |name: &str| root.path().join(format!("{PREFIX}{name}"));
        let living = Folder::new_in(root.path()).unwrap();
        fs::create_dir_all(place("dead/in/it")).unwrap();
        fs::write(place("dead/in/it/file"), "x").unwrap();
        fs::write(place("file"), "x").unwrap();
        let elsewhere = root.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("file"), "x").unwrap();
        symlink(&elsewhere, place("link")).unwrap();
        fs::create_dir(place("theirs")).unwrap();
        let is_root = chown(place("theirs"), Some(65534), None).is_ok();
        fs::create_dir(root.path().join(".duet-other")).unwrap();
        remove_stale_in(root.path());
        assert!(!place("dead").exists());
        assert!(living.path().exists() && root.path().join(".duet-other").exists());
        assert!(place("file").exists() && place("link").exists());
        assert!(elsewhere.join("file").exists());
        assert_eq!(place("theirs").exists(), is_root);
        let path = living.path().to_path_buf();
        drop(living);
        assert!(!path.exists());
    }

    /// A folder is there before it is locked: who makes it notices that it was removed.
    #[test]
    fn a_folder_that_is_made_while_another_process_removes_is_there() {
        let root = tempfile::tempdir().unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    remove_stale_in(root.path());
                }
            });
            for _ in 0..200 {
                let folder = Folder::new_in(root.path()).unwrap();
                fs::write(folder.path().join("file"), "x").unwrap();
                assert!(folder.path().join("file").exists());
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    /// The same, with the removal at the worst moment.
    #[test]
    fn a_folder_that_is_gone_before_it_is_locked_is_made_again() {
        let root = tempfile::tempdir().unwrap();
        let first = AtomicBool::new(true);
        let (_lock, path) = make_locked(|| {
            let path = tempfile::Builder::new().prefix(PREFIX).tempdir_in(root.path())?.keep();
            if first.swap(false, Ordering::Relaxed) {
                remove_stale_in(root.path());
                assert!(!path.exists());
            }
            Ok(path)
        })
        .unwrap();
        assert!(path.exists());
        remove_stale_in(root.path());
        assert!(path.exists());
    }
}
