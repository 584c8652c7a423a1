//! Result files: written whole or not at all.

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use files::PartFile;
use serde::Serialize;

use super::Failure;
use super::outputs::RESOLVED_MARK;

fn failure(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |e| Failure::environment(format!("{}: {e}", path.display()))
}

/// A file that a machine writes.
pub type Shared<T> = Option<Rc<RefCell<T>>>;

/// The file, once the machine was dropped.
pub fn alone<T>(file: Shared<T>) -> Option<T> {
    file.and_then(Rc::into_inner).map(RefCell::into_inner)
}

/// Writes the resolved configuration beside a result, where that is a file.
pub fn write_resolved(result: &Path, ending: &str, text: &str) -> Result<(), Failure> {
    match files::is_stream(result) {
        true => Ok(()),
        false => write_file(&result.with_extension(ending), &format!("{RESOLVED_MARK}\n{text}")),
    }
}

/// Writes `text` under a temporary name and renames it, so that a killed run leaves no half file.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes())
}

/// Likewise, any bytes.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = PartFile::create(path).map_err(failure(path))?;
    file.write_all(bytes).and_then(|()| file.finish()).map_err(failure(path))
}

/// Writes a value as JSON with a final newline.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    JsonFile::create(path)?.write(value)
}

/// A JSON file that is known to be writable before the run whose result it will hold.
pub struct JsonFile {
    path: PathBuf,
    file: PartFile,
}

impl JsonFile {
    /// Creates the file under its temporary name.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let file = PartFile::create(path).map_err(failure(path))?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Writes it.
    pub fn write(mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(Failure::environment)?;
        let written = writeln!(self.file, "{text}").and_then(|()| self.file.finish());
        written.map_err(failure(&self.path))
    }
}
