//! Runs of a reproduction, kept in a folder as they finish: one file for each, written whole. A
//! reproduction that was ended takes from there what it has run already, and runs the rest.
//!
//! A folder holds the runs of one paper at one scale, perturbed so many times, by one build of the
//! project. Whatever else finds it is refused, and changes nothing in it.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use files::PartFile;
use serde::{Deserialize, Serialize};

/// Says whose runs a folder holds.
const ORIGIN: &str = "reproduction.json";
/// Locked for as long as a process uses the folder.
const LOCK: &str = "lock";

/// What all runs of a folder have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The paper.
    pub paper: String,
    /// Its machine is divided by this.
    pub scale: u32,
    /// So many times perturbed.
    pub perturbed: u64,
    /// Version of the project.
    pub duet: String,
    /// Checksum of the program that ran them.
    pub build: String,
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Self { paper, scale, perturbed, duet, build } = self;
        write!(
            f,
            "reproduce {paper} --scale {scale} --perturbed {perturbed} by duet {duet} of build \
             {build}"
        )
    }
}

/// Everything that the result of a run depends on besides the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Program.
    pub program: String,
    /// Its size.
    pub size: u32,
    /// Its iterations.
    pub iterations: u32,
    /// Seed of its input.
    pub seed: u64,
    /// Bytes that its buffers are shifted by.
    pub shift: u64,
    /// Name of the machine.
    pub machine: String,
    /// Its system file, with all fields.
    pub system: String,
    /// What runs its firmware.
    pub cp: String,
    /// Seed by which ways take longer, if any.
    pub perturb: Option<u64>,
    /// Checks of the order of accesses, if any.
    pub sequential: String,
}

impl Identity {
    /// Name of the file; no two runs of an experiment have the same.
    fn file(&self) -> String {
        format!("{}.{}.{}.json", self.program, self.machine, self.perturb.unwrap_or(0))
    }
}

/// What a run has measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Cycles of the GPUs' clock.
    pub cycles: u64,
    /// Loads that were compared.
    pub loads_checked: u64,
    /// Of these, those with one right value.
    pub loads_determined: u64,
    /// Statistics that the experiment keeps.
    pub counters: BTreeMap<String, u64>,
}

/// A file of a run.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    run: Identity,
    measured: Measured,
    /// CRC-32 of both as text.
    checksum: String,
}

impl Entry {
    fn new(run: &Identity, measured: &Measured) -> Self {
        let text = serde_json::to_string(&(run, measured)).unwrap_or_else(|e| panic!("{e}"));
        let checksum = format!("{:08x}", crc32fast::hash(text.as_bytes()));
        Self { run: run.clone(), measured: measured.clone(), checksum }
    }
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What is there is not what this reproduction has left.
    #[error("{}: {problem}", path.display())]
    Foreign {
        /// File or folder.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// A folder of runs, which this process alone uses.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    _lock: File,
}

impl Kept {
    /// Opens a folder, or makes it. Errors: it holds something else, or the runs of another
    /// reproduction, or another process uses it.
    pub fn open(folder: &Path, origin: &Origin) -> Result<Self, Error> {
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error| Error::Io { path, error }
        };
        let foreign = |problem: String| Error::Foreign { path: folder.into(), problem };
        fs::create_dir_all(folder).map_err(io(folder))?;
        let about = folder.join(ORIGIN);
        let found = match fs::read_to_string(&about) {
            Ok(text) => Some(text),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(io(&about)(e)),
        };
        match found {
            Some(text) => match serde_json::from_str::<Origin>(&text) {
                Ok(found) if found == *origin => {}
                Ok(found) => {
                    return Err(foreign(format!(
                        "it holds runs of {found}; this is {origin}: repeat that command, choose \
                         another folder with --keep, or remove this one"
                    )));
                }
                Err(e) => {
                    let problem = format!("{e}; it was written by another version of duet");
                    return Err(Error::Foreign { path: about, problem });
                }
            },
            None if is_used(folder).map_err(io(folder))? => {
                let problem = "it must be empty or hold runs of duet reproduce";
                return Err(foreign(problem.into()));
            }
            None => {}
        }
        let path = folder.join(LOCK);
        let lock = File::options().create(true).append(true).open(&path).map_err(io(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(foreign("another duet reproduce uses it".into()));
            }
            Err(TryLockError::Error(e)) => return Err(io(&path)(e)),
        }
        let kept = Self { folder: folder.into(), _lock: lock };
        if !about.exists() {
            let text = serde_json::to_string_pretty(origin).unwrap_or_else(|e| panic!("{e}"));
            kept.write(&about, &text)?;
        }
        Ok(kept)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What a run has measured before, if it has run. Errors: its file is not what was written.
    pub fn find(&self, run: &Identity) -> Result<Option<Measured>, Error> {
        let path = self.folder.join(run.file());
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::Io { path, error }),
        };
        let foreign = |problem: String| Error::Foreign {
            path: path.clone(),
            problem: format!("{problem}; remove the file to repeat the run"),
        };
        let entry: Entry = serde_json::from_str(&text)
            .map_err(|e| foreign(format!("must be the result of a run: {e}")))?;
        if entry.checksum != Entry::new(&entry.run, &entry.measured).checksum {
            return Err(foreign("its checksum does not match its contents".into()));
        }
        if entry.run != *run {
            return Err(foreign("it belongs to a run with other settings".into()));
        }
        Ok(Some(entry.measured))
    }

    /// Keeps what a run has measured.
    pub fn keep(&self, run: &Identity, measured: &Measured) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(&Entry::new(run, measured));
        self.write(&self.folder.join(run.file()), &text.unwrap_or_else(|e| panic!("{e}")))
    }

    /// Removes the folder, once all that it was kept for is done.
    pub fn remove(self) -> Result<(), Error> {
        let Self { folder, .. } = self;
        fs::remove_dir_all(&folder).map_err(|error| Error::Io { path: folder, error })
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), Error> {
        let written = PartFile::create(path).and_then(|mut file| {
            writeln!(file, "{text}")?;
            file.finish()
        });
        written.map_err(|error| Error::Io { path: path.into(), error })
    }
}

/// Whether there is anything in a folder but a lock, which a process that was killed may have left
/// alone, and what was being written then.
fn is_used(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let is_part = name.to_string_lossy().starts_with(".duet-");
        if name != LOCK && !is_part {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> Origin {
        Origin {
            paper: "cpelide".into(),
            scale: 60,
            perturbed: 2,
            duet: "0.1.0".into(),
            build: "0123".into(),
        }
    }

    fn run() -> Identity {
        Identity {
            program: "stream".into(),
            size: 1024,
            iterations: 2,
            seed: 1,
            shift: 0,
            machine: "baseline".into(),
            system: "name = \"baseline\"".into(),
            cp: "Native".into(),
            perturb: None,
            sequential: "None".into(),
        }
    }

    fn measured() -> Measured {
        let counters = [("l2.fetches".to_string(), u64::MAX)].into();
        Measured { cycles: 17, loads_checked: 4, loads_determined: 3, counters }
    }

    fn refused(folder: &Path, origin: &Origin) -> String {
        match Kept::open(folder, origin) {
            Err(e @ Error::Foreign { .. }) => e.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_kept_is_found_by_the_same_run_alone() {
        let folder = files::Folder::new().unwrap();
        let kept = Kept::open(folder.path(), &origin()).unwrap();
        assert_eq!(kept.find(&run()).unwrap(), None);
        kept.keep(&run(), &measured()).unwrap();
        drop(kept);
        let kept = Kept::open(folder.path(), &origin()).unwrap();
        assert_eq!(kept.find(&run()).unwrap(), Some(measured()));
        assert_eq!(kept.find(&Identity { perturb: Some(1), ..run() }).unwrap(), None);
        for other in [
            Identity { size: 2048, ..run() },
            Identity { iterations: 3, ..run() },
            Identity { seed: 2, ..run() },
            Identity { shift: 1152, ..run() },
            Identity { system: "name = \"other\"".into(), ..run() },
            Identity { cp: "Core".into(), ..run() },
            Identity { sequential: "Some".into(), ..run() },
        ] {
            let message = kept.find(&other).unwrap_err().to_string();
            assert!(message.contains("other settings"), "{message}");
        }
    }

    #[test]
    fn other_reproductions_are_refused_and_change_nothing() {
        let folder = files::Folder::new().unwrap();
        let kept = Kept::open(folder.path(), &origin()).unwrap();
        kept.keep(&run(), &measured()).unwrap();
        assert!(refused(folder.path(), &origin()).contains("another duet reproduce uses it"));
        drop(kept);
        for (other, told) in [
            (Origin { paper: "rec".into(), ..origin() }, "this is reproduce rec --scale 60"),
            (Origin { scale: 1, ..origin() }, "this is reproduce cpelide --scale 1"),
            (Origin { perturbed: 0, ..origin() }, "--perturbed 0"),
            (Origin { duet: "0.2.0".into(), ..origin() }, "duet 0.2.0"),
            (Origin { build: "4567".into(), ..origin() }, "build 4567"),
        ] {
            let message = refused(folder.path(), &other);
            let path = folder.path().display().to_string();
            let held = "it holds runs of reproduce cpelide --scale 60 --perturbed 2";
            for part in [&path, held, told, "--keep"] {
                assert!(message.contains(part), "no {part} in {message}");
            }
        }
        let kept = Kept::open(folder.path(), &origin()).unwrap();
        assert_eq!(kept.find(&run()).unwrap(), Some(measured()));
    }

    #[test]
    fn folder_of_something_else_is_refused_and_one_that_a_kill_has_left_is_not() {
        let folder = files::Folder::new().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::write(file("thesis.tex"), "mine").unwrap();
        assert!(refused(folder.path(), &origin()).contains("it must be empty"));
        assert!(!file(LOCK).exists());
        fs::remove_file(file("thesis.tex")).unwrap();
        fs::write(file(LOCK), "").unwrap();
        fs::write(file(".duet-x.part"), "half").unwrap();
        Kept::open(folder.path(), &origin()).unwrap();
        fs::write(file(ORIGIN), "{").unwrap();
        assert!(refused(folder.path(), &origin()).contains(ORIGIN));
    }

    #[test]
    fn damaged_result_is_refused() {
        let folder = files::Folder::new().unwrap();
        let kept = Kept::open(folder.path(), &origin()).unwrap();
        kept.keep(&run(), &measured()).unwrap();
        let path = folder.path().join(run().file());
        let text = fs::read_to_string(&path).unwrap();
        for damaged in [text.replace("17", "18"), text[..text.len() / 2].into(), String::new()] {
            fs::write(&path, damaged).unwrap();
            let message = kept.find(&run()).unwrap_err().to_string();
            assert!(
                message.contains(&run().file()) && message.contains("remove the file"),
                "{message}"
            );
        }
    }

    #[test]
    fn what_cannot_be_written_is_told_and_loses_nothing() {
        let folder = files::Folder::new().unwrap();
        let kept = Kept::open(folder.path(), &origin()).unwrap();
        kept.keep(&run(), &measured()).unwrap();
        let other = Identity { machine: "other".into(), ..run() };
        // A folder of its name stands in its way.
        fs::create_dir(folder.path().join(other.file())).unwrap();
        let error = kept.keep(&other, &measured()).unwrap_err();
        assert!(matches!(&error, Error::Io { path, .. } if path.ends_with(other.file())));
        assert_eq!(kept.find(&run()).unwrap(), Some(measured()));
    }
}
