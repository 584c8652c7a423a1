//! Where the project's own tools lie: the folder `.tools` that `make setup` fills. What is found
//! never depends on the current folder.

use std::env;
use std::path::{Path, PathBuf};

/// Environment variable with the folder.
pub const VARIABLE: &str = "DUET_TOOLS";
/// Its name in the project's folder.
const FOLDER: &str = ".tools";
/// Where `make install` puts it, beside the `bin` that holds the program.
const INSTALLED: &str = "lib/duet/tools";
/// The folder in the project that this program was built of.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools");

/// The folder that the environment names, that of the project in which this program lies, the one
/// that was installed with it, or that of the project which it was built of; and which of these it
/// is. Errors: the environment names none.
pub fn folder() -> Result<Option<(PathBuf, &'static str)>, String> {
    if let Some(folder) = env::var_os(VARIABLE).filter(|f| !f.is_empty()) {
        let folder = PathBuf::from(folder);
        return match folder.is_absolute() && folder.is_dir() {
            true => Ok(Some((folder, VARIABLE))),
            false => Err(format!(
                "{VARIABLE} = {}: must be the absolute path of an existing folder",
                folder.display()
            )),
        };
    }
    let program = env::current_exe().and_then(|program| program.canonicalize());
    let around = program.unwrap_or_default();
    let around = around.ancestors().skip(1);
    let mut around = around.flat_map(|up| [up.join(FOLDER), up.join(INSTALLED)]);
    let built = || Path::new(BUILT).canonicalize().ok().map(|folder| (folder, "of the build"));
    let own = around.find(|folder| folder.is_dir()).map(|folder| (folder, "beside the program"));
    Ok(own.or_else(built))
}

/// A file or folder in it. Errors: as of [`folder`].
pub(crate) fn find(path: impl AsRef<Path>) -> Result<Option<PathBuf>, String> {
    let found = folder()?.map(|(folder, _)| folder.join(path));
    Ok(found.filter(|found| found.exists()))
}

/// The program of this name in a folder of the `PATH`; relative ones would depend on the current
/// folder.
pub(super) fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let mut folders = env::split_paths(&folders).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(name)).filter(|program| program.is_file()))
}
