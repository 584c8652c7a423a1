//! Where the project's own tools lie: the folder `.tools` that `make setup` fills, whatever the
//! current folder is.

use std::env;
use std::path::{Path, PathBuf};

/// Environment variable with the folder.
pub const VARIABLE: &str = "DUET_TOOLS";
/// Its name in the project's folder.
const FOLDER: &str = ".tools";
/// Where `make install` puts it, beside the `bin` that holds the program.
const INSTALLED: &str = "lib/duet/tools";

/// The folder that the environment names, that of the project in which this program was built, or
/// the one that was installed with it.
pub fn folder() -> Option<PathBuf> {
    if let Some(folder) = env::var_os(VARIABLE).filter(|f| !f.is_empty()) {
        return Some(PathBuf::from(folder));
    }
    let program = env::current_exe().ok()?.canonicalize().ok()?;
    let around = program.ancestors().skip(1);
    around.flat_map(|up| [up.join(FOLDER), up.join(INSTALLED)]).find(|f| f.is_dir())
}

/// A file or folder in it.
pub(super) fn find(path: impl AsRef<Path>) -> Option<PathBuf> {
    Some(folder()?.join(path)).filter(|found| found.exists())
}
