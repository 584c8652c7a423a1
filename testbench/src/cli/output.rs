//! Result files: written whole or not at all.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::{ENVIRONMENT, Failure};

/// Writes `text` under a temporary name and renames it, so that a killed run leaves no half file.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let failure = |e: std::io::Error| Failure::new(ENVIRONMENT, format!("{}: {e}", path.display()));
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(failure)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    let part = Path::new(&name);
    fs::write(part, text).map_err(failure)?;
    fs::rename(part, path).map_err(failure)
}

/// Writes a value as JSON with a final newline.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Failure::new(ENVIRONMENT, e))?;
    write_file(path, &(text + "\n"))
}
