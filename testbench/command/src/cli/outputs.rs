//! The files that a command line names, before anything is done: no output is an input or another
//! output, and none of an earlier run is left that could be taken for this run's.

use std::fs;
use std::path::{Path, PathBuf};

use super::Failure;

/// The first line of a file that is written beside a result. What does not begin so is not
/// replaced.
pub const RESOLVED_MARK: &str = "# written by duet: all fields of the run whose result lies beside";

/// A file by the option that names it.
struct Named {
    option: &'static str,
    path: PathBuf,
}

/// What a command reads and writes.
#[derive(Default)]
pub struct Files {
    inputs: Vec<Named>,
    outputs: Vec<Named>,
    /// Written beside outputs, and how such a file begins.
    beside: Vec<(Named, &'static str)>,
}

impl Files {
    /// A file or folder that is read; what is no path does no harm.
    pub fn reads(mut self, option: &'static str, path: Option<impl AsRef<Path>>) -> Self {
        self.inputs.extend(path.map(|path| Named { option, path: path.as_ref().into() }));
        self
    }

    /// A file that is written.
    pub fn writes(mut self, option: &'static str, path: Option<&Path>) -> Self {
        self.outputs.extend(path.map(|path| Named { option, path: path.into() }));
        self
    }

    /// With another one beside it, of this ending, which begins with `mark` where it is ours.
    pub fn beside(
        mut self,
        option: &'static str,
        path: Option<&Path>,
        ending: &str,
        mark: &'static str,
    ) -> Self {
        let is_file = |path: &&Path| path.file_name().is_some() && !files::is_stream(path);
        let path = path.filter(is_file);
        let named = path.map(|path| (Named { option, path: path.with_extension(ending) }, mark));
        self.beside.extend(named);
        self
    }

    /// Refuses outputs that would destroy what is needed, and removes those of earlier runs.
    pub fn claim(self) -> Result<(), Failure> {
        let beside = self.beside.iter().map(|(named, _)| named);
        let all: Vec<_> = self.outputs.iter().chain(beside).collect();
        let all: Vec<_> = all.into_iter().filter(|named| !files::is_stream(&named.path)).collect();
        let stdout = whole(Path::new("/dev/stdout"));
        for (at, named) in all.iter().enumerate() {
            let Named { option, path } = named;
            let path = path.display();
            let place = whole(&named.path);
            if place == stdout {
                return Err(Failure::usage(format!(
                    "{option} {path}: standard output goes there; /dev/stdout writes into it"
                )));
            }
            if let Some(input) = self.inputs.iter().find(|input| holds(&input.path, &place)) {
                let read = input.option;
                return Err(Failure::usage(format!(
                    "{option} {path}: it would replace what {read} names; it must be another file"
                )));
            }
            if let Some(other) = all[..at].iter().find(|other| whole(&other.path) == place) {
                let other = other.option;
                return Err(Failure::usage(format!(
                    "{option} {path}: {other} writes that file; each output must be one of its own"
                )));
            }
        }
        // The user's own stays: a waveform does without, a result does not.
        let (ours, foreign): (Vec<_>, Vec<_>) =
            self.beside.iter().partition(|(named, mark)| begins(&named.path, mark));
        if let Some((Named { option, path }, _)) =
            foreign.iter().find(|(_, mark)| *mark == RESOLVED_MARK)
        {
            return Err(Failure::usage(format!(
                "{}: {option} writes the resolved configuration there, and the file is not one \
                 that duet wrote; move it, or choose another name for {option}",
                path.display()
            )));
        }
        for Named { option, path } in
            self.outputs.iter().chain(ours.into_iter().map(|(named, _)| named))
        {
            files::clear(path)
                .map_err(|e| Failure::environment(format!("{option} {}: {e}", path.display())))?;
        }
        Ok(())
    }
}

/// True where there is no file, or one that begins like this.
fn begins(path: &Path, mark: &str) -> bool {
    fs::read(path).map_or(!path.exists(), |text| text.starts_with(mark.as_bytes()))
}

/// The same path for the same file, whether it is there or not.
fn whole(path: &Path) -> PathBuf {
    let there = || fs::canonicalize(path).ok();
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.into());
    there().or_else(in_folder).unwrap_or_else(absolute)
}

/// A file that is this one, or a folder that it lies in.
fn holds(input: &Path, file: &Path) -> bool {
    file.starts_with(whole(input))
}
