//! The cache of finished bodies: a folder for each, which appears whole or not at all.
//!
//! ```text
//! <cache>/1/<name>-<hash>/made.toml    what it is, and the checksum of the file beside it
//! <cache>/1/<name>-<hash>/made.so|.o|.gch
//! <cache>/1/locks/<name>-<hash>        held while it is being built
//! <cache>/1/build/<name>-<hash>        being built
//! ```
//!
//! What lies there is loaded into this process: folders and files must be the user's, and writable
//! by the user alone.

use std::env;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::error::VerilatedError;
use super::key::{checksum, is_hash};
use super::owned;

/// Environment variable with the folder.
pub const VARIABLE: &str = "DUET_CACHE";
/// The version of this layout: those of another one are left alone.
const VERSION: &str = "1";
const MANIFEST: &str = "made.toml";
/// How the names of an entry's files begin.
const MADE: &str = "made.";
const LOCKS: &str = "locks";
const BUILD: &str = "build";
/// How the names of folders begin in which RTL is only read.
const SCRATCH: &str = "read";

/// The folder of finished bodies.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What a finished file is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The block; empty in a file that all bodies have in common.
    pub block: String,
    /// Its RTL parameters.
    pub parameters: String,
    /// The variant.
    pub variant: String,
    /// Verilator and compiler.
    pub tools: String,
    /// File name.
    pub file: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
}

impl Cache {
    /// The folder that `DUET_CACHE` names, else `duet` in the user's cache folder. Errors: there is
    /// none.
    pub fn find() -> Result<Self, VerilatedError> {
        let named = |variable| env::var_os(variable).filter(|f| !f.is_empty()).map(PathBuf::from);
        let folder = named(VARIABLE)
            .or_else(|| named("XDG_CACHE_HOME").map(|f| f.join("duet")))
            .or_else(|| named("HOME").map(|f| f.join(".cache/duet")));
        let folder = folder
            .ok_or_else(|| VerilatedError::cache(Path::new("~/.cache/duet"), "HOME is not set"))?;
        let absolute = std::path::absolute(&folder);
        let absolute = absolute.map_err(|e| VerilatedError::cache(&folder, e))?;
        let cache = Self { folder: absolute.join(VERSION) };
        cache.check()?;
        Ok(cache)
    }

    /// Errors: another user could put something into the folder.
    fn check(&self) -> Result<(), VerilatedError> {
        let root = self.folder.parent().expect("it has the version's name");
        let Ok(root) = root.canonicalize() else { return Ok(()) };
        let error = |path: &Path, problem| VerilatedError::cache(path, problem);
        owned::check_root(&root).map_err(|e| error(&root, e))?;
        match self.folder.symlink_metadata() {
            Ok(_) => owned::check_folder(&self.folder).map_err(|e| error(&self.folder, e)),
            Err(_) => Ok(()),
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A finished file of this name that is what its manifest says. Whatever else is there is not
    /// used. Errors: another user could have written it, or its manifest names a file elsewhere.
    pub fn get(&self, name: &str) -> Result<Option<PathBuf>, VerilatedError> {
        let folder = self.folder.join(name);
        let Some(kept) = read(&folder)? else { return Ok(None) };
        let path = folder.join(&kept.file);
        let content = match fs::read(&path) {
            Ok(content) => content,
            Err(_) => return Ok(None),
        };
        owned::check_file(&path).map_err(|e| VerilatedError::cache(&path, e))?;
        let whole = content.len() as u64 == kept.bytes && checksum(&content) == kept.sha256;
        Ok(whole.then_some(path))
    }

    /// All finished files, by name. Errors: as of `get`.
    pub fn list(&self) -> Result<Vec<(String, Kept)>, VerilatedError> {
        let mut all = Vec::new();
        for (name, path) in entries(&self.folder)? {
            if let Some(kept) = read(&path)?.filter(|_| is_name(&name)) {
                all.push((name, kept));
            }
        }
        Ok(all)
    }

    /// Removes what programs of this version have put into the cache, and returns what is something
    /// else, which stays.
    pub fn clean(&self) -> Result<Vec<PathBuf>, VerilatedError> {
        let mut left = Vec::new();
        for (name, path) in entries(&self.folder)? {
            let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            match &name[..] {
                LOCKS | BUILD if is_folder => {
                    for (name, path) in entries(&path)? {
                        match is_name(&name) || is_scratch(&name) {
                            true => remove(&path)?,
                            false => left.push(path),
                        }
                    }
                    remove_empty(&path);
                }
                name if is_folder && is_name(name) && is_entry(&path)? => remove(&path)?,
                _ => left.push(path),
            }
        }
        remove_empty(&self.folder);
        Ok(left)
    }

    /// Waits until no other process builds `name`; `waiting` is called before a wait. The lock goes
    /// with the file.
    pub fn lock(&self, name: &str, waiting: impl FnOnce()) -> Result<File, VerilatedError> {
        let folder = self.folder.join(LOCKS);
        self.make_folder(&folder)?;
        let path = folder.join(name);
        let error = |e: io::Error| VerilatedError::cache(&path, e);
        let file = File::options().create(true).append(true).open(&path).map_err(error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                waiting();
                file.lock().map_err(error)?;
            }
            Err(fs::TryLockError::Error(e)) => return Err(error(e)),
        }
        Ok(file)
    }

    /// An empty folder of this process, to have RTL read in.
    pub fn scratch(&self) -> Result<Place, VerilatedError> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        self.start(&format!("{SCRATCH}-{process}-{number}"))
    }

    /// An empty folder to build `name` in, for the holder of its lock: what a killed build has left
    /// goes.
    pub fn start(&self, name: &str) -> Result<Place, VerilatedError> {
        let folder = self.folder.join(BUILD).join(name);
        let _ = fs::remove_dir_all(&folder);
        self.make_folder(&folder)?;
        Ok(Place { folder, finished: self.folder.join(name) })
    }

    /// Makes a folder of the cache, which may be the first. Errors: as of `check`, too: another
    /// user may have been faster.
    fn make_folder(&self, folder: &Path) -> Result<(), VerilatedError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|e| VerilatedError::cache(folder, e))?;
        self.check()
    }
}

/// Where something is being built. All of it goes with this value, but for what is finished.
pub struct Place {
    folder: PathBuf,
    finished: PathBuf,
}

impl Place {
    /// The folder to build in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives the file that was built here its place in the cache; returns it.
    pub fn finish(self, built: &Path, mut kept: Kept) -> Result<PathBuf, VerilatedError> {
        let content = fs::read(built).map_err(|e| VerilatedError::cache(built, e))?;
        (kept.bytes, kept.sha256) = (content.len() as u64, checksum(&content));
        let whole = self.folder.join("finished");
        let error = |e: io::Error| VerilatedError::cache(&whole, e);
        fs::create_dir(&whole).map_err(error)?;
        fs::rename(built, whole.join(&kept.file)).map_err(error)?;
        let text = toml::to_string(&kept).expect("it is flat");
        fs::write(whole.join(MANIFEST), text).map_err(error)?;
        // Whatever the user's mask: others may not write.
        for (path, mode) in [("", 0o700), (MANIFEST, 0o600), (&kept.file, 0o600)] {
            let mode = Permissions::from_mode(mode);
            fs::set_permissions(whole.join(path), mode).map_err(error)?;
        }
        // One that was damaged makes room. Who has it open keeps what it has.
        let _ = fs::remove_dir_all(&self.finished);
        fs::rename(&whole, &self.finished).map_err(error)?;
        Ok(self.finished.join(&kept.file))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The manifest of an entry, where there is a whole one. Errors: another user could have written
/// it, or it names a file elsewhere.
fn read(folder: &Path) -> Result<Option<Kept>, VerilatedError> {
    let path = folder.join(MANIFEST);
    let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
    let error = |path: &Path, problem: String| VerilatedError::cache(path, problem);
    owned::check_folder(folder).map_err(|e| error(folder, e))?;
    owned::check_file(&path).map_err(|e| error(&path, e))?;
    let Ok(kept) = toml::from_str::<Kept>(&text) else { return Ok(None) };
    let mut parts = Path::new(&kept.file).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if *name == *kept.file => Ok(Some(kept)),
        _ => Err(error(&path, format!("file = {:?}: must be the name of a file", kept.file))),
    }
}

/// What a folder holds, by name; nothing where there is none.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, VerilatedError> {
    let error = |e: io::Error| VerilatedError::cache(folder, e);
    let all = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        all => all.map_err(error)?,
    };
    let mut named = Vec::new();
    for entry in all {
        let entry = entry.map_err(error)?;
        named.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    named.sort();
    Ok(named)
}

/// A name that [`Cache::get`] is asked for: letters, and the hash.
fn is_name(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(of, hash)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !of.is_empty() && of.chars().all(is_plain) && is_hash(hash)
    })
}

/// The name of a folder in which RTL is only read.
fn is_scratch(name: &str) -> bool {
    let numbers: Vec<&str> = name.split('-').collect();
    matches!(numbers[..], [SCRATCH, process, number]
        if [process, number].iter().all(|n| n.parse::<u32>().is_ok()))
}

/// True of a folder that holds what an entry does, whole or not.
fn is_entry(folder: &Path) -> Result<bool, VerilatedError> {
    Ok(entries(folder)?.iter().all(|(name, path)| name.starts_with(MADE) && !path.is_dir()))
}

fn remove(path: &Path) -> Result<(), VerilatedError> {
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        // Another process may have been faster.
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(VerilatedError::cache(path, e)),
        _ => Ok(()),
    }
}

/// Removes a folder with nothing in it.
fn remove_empty(folder: &Path) {
    let _ = fs::remove_dir(folder);
}
