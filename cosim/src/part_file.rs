//! Files that are written whole or not at all: they have their name from the moment they are
//! finished.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// A file being written, under its name and `.part`.
#[derive(Debug)]
pub struct PartFile {
    path: PathBuf,
    /// Removed where it is dropped; nothing once it has its name.
    part: Option<TempPath>,
    file: BufWriter<File>,
}

impl PartFile {
    /// Creates the file, and the folder that it lies in.
    pub fn create(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let file = BufWriter::new(File::create(&part)?);
        let part = Some(TempPath::try_from_path(part)?);
        Ok(Self { path: path.to_path_buf(), part, file })
    }

    /// Gives it its name.
    pub fn finish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        match self.part.take() {
            Some(part) => Ok(part.persist(&self.path)?),
            None => Ok(()),
        }
    }
}

impl Seek for PartFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
