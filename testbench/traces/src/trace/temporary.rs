//! A file that appears under its name only when it is complete.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file beside its final name. Dropped before [`TemporaryFile::keep`], it disappears.
#[derive(Debug)]
pub struct TemporaryFile {
    file: File,
    part: PathBuf,
    path: PathBuf,
    kept: bool,
}

impl TemporaryFile {
    /// Creates the file, and its folder where that is missing.
    pub fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(&part)?;
        Ok(Self { file, part, path: path.to_path_buf(), kept: false })
    }

    /// Gives the file its name.
    pub fn keep(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.part, &self.path)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.kept {
            // Nobody is left to tell, and the name says what it is.
            let _ = fs::remove_file(&self.part);
        }
    }
}

impl Read for TemporaryFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for TemporaryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
