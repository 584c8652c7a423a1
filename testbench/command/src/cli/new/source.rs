//! The duet that a new crate is built with.

use std::fmt;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

/// Version of this command: what a crate uses of duet must be of the same version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The clone that this command was built in.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Where duet is.
#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    /// A clone, by its absolute path.
    Clone(String),
    /// A repository, by its URL.
    Repository(String),
}

impl Source {
    /// What was named; else the clone around the current folder, or the one of the build.
    /// Errors: neither is there; it is of another version.
    pub fn find(named: Option<&str>) -> Result<Self, String> {
        if let Some(named) = named {
            return match named.contains("://") || named.starts_with("git@") {
                true => Ok(Self::Repository(named.to_string())),
                false => Self::clone(Path::new(named)).map_err(|e| format!("--duet {e}")),
            };
        }
        let current = env::current_dir().unwrap_or_default();
        let around = current.ancestors().chain([Path::new(BUILT)]);
        match around.map(PathBuf::from).find(|folder| version(folder).is_some()) {
            Some(folder) => Self::clone(&folder),
            None => Err(format!(
                "no clone of duet is found: name one by --duet DIR, or its repository by \
                 --duet URL, which must have the tag {}",
                tag()
            )),
        }
    }

    fn clone(folder: &Path) -> Result<Self, String> {
        let shown = folder.display();
        let absolute = fs::canonicalize(folder).map_err(|e| format!("{shown}: {e}"))?;
        match version(&absolute) {
            None => Err(format!("{shown}: must be a clone of duet")),
            Some(of_clone) if of_clone != VERSION => Err(format!(
                "{shown}: version {of_clone}; must be {VERSION}, the version of this command"
            )),
            Some(_) => match absolute.to_str() {
                Some(path) => Ok(Self::Clone(path.to_string())),
                None => Err(format!("{shown}: the path must be UTF-8")),
            },
        }
    }

    /// How `Cargo.toml` names a crate of duet, which lies at this path of the clone.
    pub fn dependency(&self, path: &str) -> String {
        let text = |text: &str| Value::from(text).to_string();
        match self {
            Self::Clone(folder) => format!("path = {}", text(&format!("{folder}/{path}"))),
            Self::Repository(url) => format!("git = {}, tag = {}", text(url), text(&tag())),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clone(folder) => f.write_str(folder),
            Self::Repository(url) => write!(f, "{url}, tag {}", tag()),
        }
    }
}

fn tag() -> String {
    format!("v{VERSION}")
}

/// The version of a clone; none of another folder.
fn version(folder: &Path) -> Option<String> {
    let manifest = |path: &str| fs::read_to_string(folder.join(path)).ok()?.parse::<Table>().ok();
    let is_duet =
        manifest("testbench/command/Cargo.toml")?["package"]["name"].as_str() == Some("duet");
    let root = manifest("Cargo.toml").filter(|_| is_duet)?;
    Some(root.get("workspace")?.get("package")?.get("version")?.as_str()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_legal_toml_whatever_the_path() {
        for folder in ["/a b", "/quote\"back\\slash", "/umlaut \u{e4}"] {
            let line = Source::Clone(folder.to_string()).dependency("cosim/bodies");
            let table: Table = line.parse().unwrap();
            assert_eq!(table["path"].as_str(), Some(&format!("{folder}/cosim/bodies")[..]));
        }
        let line = Source::Repository("https://host/duet.git".to_string()).dependency("ports");
        assert_eq!(line, format!("git = \"https://host/duet.git\", tag = \"v{VERSION}\""));
    }
}
