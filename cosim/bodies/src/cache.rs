//! The cache of finished bodies: a folder for each, which appears whole or not at all.
//!
//! ```text
//! <cache>/1/<name>-<hash>/made.toml    what it is, and the checksum of the file beside it
//! <cache>/1/<name>-<hash>/made.so|.o|.gch
//! <cache>/1/locks/<name>-<hash>        held while it is being built
//! <cache>/1/build/<name>-<hash>        being built
//! ```

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::error::VerilatedError;
use super::key::checksum;

/// Environment variable with the folder.
pub const VARIABLE: &str = "DUET_CACHE";
/// The version of this layout: those of another one are left alone.
const VERSION: &str = "1";
const MANIFEST: &str = "made.toml";

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
        Ok(Self { folder: absolute.join(VERSION) })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A finished file of this name that is what its manifest says. Whatever else is there is not
    /// used.
    pub fn get(&self, name: &str) -> Option<PathBuf> {
        let folder = self.folder.join(name);
        let kept = read(&folder)?;
        let path = folder.join(&kept.file);
        let content = fs::read(&path).ok()?;
        let whole = content.len() as u64 == kept.bytes && checksum(&content) == kept.sha256;
        whole.then_some(path)
    }

    /// All finished files, by name.
    pub fn list(&self) -> Result<Vec<(String, Kept)>, VerilatedError> {
        let mut all = Vec::new();
        if !self.folder.exists() {
            return Ok(all);
        }
        let error = |e: std::io::Error| VerilatedError::cache(&self.folder, e);
        for entry in fs::read_dir(&self.folder).map_err(error)? {
            let path = entry.map_err(error)?.path();
            if let (Some(name), Some(kept)) = (path.file_name(), read(&path)) {
                all.push((name.to_string_lossy().into_owned(), kept));
            }
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }

    /// Removes everything in this cache that is of this program's version.
    pub fn clean(&self) -> Result<(), VerilatedError> {
        match fs::remove_dir_all(&self.folder) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(VerilatedError::cache(&self.folder, e))
            }
            _ => Ok(()),
        }
    }

    /// Waits until no other process builds `name`; `waiting` is called before a wait. The lock goes
    /// with the file.
    pub fn lock(&self, name: &str, waiting: impl FnOnce()) -> Result<File, VerilatedError> {
        let folder = self.folder.join("locks");
        make_folder(&folder)?;
        let path = folder.join(name);
        let error = |e: std::io::Error| VerilatedError::cache(&path, e);
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
        self.start(&format!("read-{process}-{number}"))
    }

    /// An empty folder to build `name` in, for whoever holds its lock: what a killed build has left
    /// goes.
    pub fn start(&self, name: &str) -> Result<Place, VerilatedError> {
        let folder = self.folder.join("build").join(name);
        let _ = fs::remove_dir_all(&folder);
        make_folder(&folder)?;
        Ok(Place { folder, finished: self.folder.join(name) })
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
        let error = |e: std::io::Error| VerilatedError::cache(&whole, e);
        fs::create_dir(&whole).map_err(error)?;
        fs::rename(built, whole.join(&kept.file)).map_err(error)?;
        let text = toml::to_string(&kept).expect("it is flat");
        fs::write(whole.join(MANIFEST), text).map_err(error)?;
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

fn read(folder: &Path) -> Option<Kept> {
    toml::from_str(&fs::read_to_string(folder.join(MANIFEST)).ok()?).ok()
}

fn make_folder(folder: &Path) -> Result<(), VerilatedError> {
    fs::create_dir_all(folder).map_err(|e| VerilatedError::cache(folder, e))
}
