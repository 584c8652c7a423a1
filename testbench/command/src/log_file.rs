//! A text file that a run writes piece by piece.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use files::PartFile;

/// A file being written: whole, or not at all.
#[derive(Debug)]
pub struct LogFile {
    file: PartFile,
    path: PathBuf,
    error: Option<io::Error>,
}

/// The file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}", path = path.display())]
pub struct LogError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl LogFile {
    /// Creates the file.
    pub fn create(path: &Path) -> Result<Self, LogError> {
        let path = path.to_path_buf();
        match PartFile::create(&path) {
            Ok(file) => Ok(Self { file, path, error: None }),
            Err(source) => Err(LogError { path, source }),
        }
    }

    /// Adds a piece. An error is kept for [`LogFile::finish`].
    pub fn add(&mut self, piece: impl Display) {
        if self.error.is_none() {
            self.error = writeln!(self.file, "{piece}").err();
        }
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), LogError> {
        let result = self.error.map_or_else(|| self.file.finish(), Err);
        result.map_err(|source| LogError { path: self.path, source })
    }
}
