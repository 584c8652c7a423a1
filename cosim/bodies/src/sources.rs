//! The SystemVerilog that bodies are made of: a folder's, or what the program has embedded.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::RwLock;

/// Environment variable with a folder whose RTL replaces the embedded one, as `--rtl` does.
pub const VARIABLE: &str = "DUET_RTL";
/// The folder of what blocks share.
pub const COMMON: &str = "common";
/// Endings of the files that Verilator reads.
const ENDINGS: [&str; 4] = ["sv", "svh", "f", "vlt"];

/// A file's path, `<block>/<name>`, and its content.
pub type Embedded = (&'static str, &'static [u8]);

/// Where the RTL comes from.
#[derive(Clone, Debug)]
pub struct Sources {
    /// A folder with one folder for each block and `common`.
    folder: Option<PathBuf>,
    /// The same as the user names it, where the user can open its files.
    named: Option<PathBuf>,
    /// In the program: with a folder only blocks of others, where it does not have them.
    embedded: Vec<Embedded>,
    origin: Origin,
}

/// Whose RTL a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user's own: it may do what Verilator lets RTL do, which is everything.
    Own,
    /// From elsewhere: a body of it runs no program and opens no file, or is not built.
    Foreign,
}

struct Choice {
    embedded: Vec<Embedded>,
    others: Vec<Embedded>,
    folder: Option<Folder>,
    /// That in the program is taken all the same.
    is_built_in: bool,
}

struct Folder {
    path: PathBuf,
    named: Option<PathBuf>,
    origin: Origin,
}

static CHOICE: RwLock<Choice> = RwLock::new(Choice {
    embedded: Vec::new(),
    others: Vec::new(),
    folder: None,
    is_built_in: false,
});

/// The RTL that this program has in it, for when no folder is named.
pub fn embed(files: &[Embedded]) {
    CHOICE.write().unwrap_or_else(|e| e.into_inner()).embedded.extend(files);
}

/// RTL of blocks outside the project's tree: also for when a folder is named that has none of them.
pub fn embed_beside(files: &[Embedded]) {
    CHOICE.write().unwrap_or_else(|e| e.into_inner()).others.extend(files);
}

/// Other RTL for all bodies that are asked for from now on. `named`: the folder in which the user
/// can open the same files, if there is one. Errors: no such folder.
pub fn replace_sources(folder: &Path, named: Option<&Path>, origin: Origin) -> Result<(), String> {
    let (path, named) = (checked(folder)?, named.map(PathBuf::from));
    CHOICE.write().unwrap_or_else(|e| e.into_inner()).folder = Some(Folder { path, named, origin });
    Ok(())
}

/// What `run` gives, with the RTL that this program has in it in place of a folder's. Bodies that
/// others ask for meanwhile are made of it as well.
pub fn with_built_in<T>(run: impl FnOnce() -> T) -> T {
    let choose = |is_built_in| {
        CHOICE.write().unwrap_or_else(|e| e.into_inner()).is_built_in = is_built_in;
    };
    choose(true);
    let result = run();
    choose(false);
    result
}

/// A file of the RTL that this program has in it.
pub(super) fn embedded(path: &str) -> Option<&'static [u8]> {
    let choice = CHOICE.read().unwrap_or_else(|e| e.into_inner());
    let all = choice.embedded.iter().chain(&choice.others);
    all.copied().find_map(|(name, content)| (name == path).then_some(content))
}

fn checked(folder: &Path) -> Result<PathBuf, String> {
    let absolute = fs::canonicalize(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    match absolute.join(COMMON).is_dir() {
        true => Ok(absolute),
        false => Err(format!("{}: has no folder {COMMON}", folder.display())),
    }
}

/// One file of a block's RTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// `<folder>/<name>`.
    pub path: String,
    /// Its text.
    pub content: Vec<u8>,
}

impl Sources {
    /// The folder that was named, else that of the environment, else the embedded files.
    /// Errors: the environment names no folder with RTL; there is neither.
    pub fn current() -> Result<Self, String> {
        let choice = CHOICE.read().unwrap_or_else(|e| e.into_inner());
        if choice.is_built_in {
            drop(choice);
            return Ok(Self::built_in());
        }
        let variable = || env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
        let (folder, named, origin) = match (&choice.folder, variable()) {
            (Some(Folder { path, named, origin }), _) => {
                (Some(path.clone()), named.clone(), *origin)
            }
            (None, Some(folder)) => {
                let named = PathBuf::from(folder);
                let checked = checked(&named).map_err(|e| format!("{VARIABLE} = {e}"))?;
                (Some(checked), Some(named), Origin::Own)
            }
            (None, None) => (None, None, Origin::Own),
        };
        let mut embedded = choice.others.clone();
        if folder.is_none() {
            if choice.embedded.is_empty() {
                return Err(format!(
                    "this program embeds no RTL; set {VARIABLE} to the folder `rtl`"
                ));
            }
            embedded.extend(&choice.embedded);
        }
        Ok(Self { folder, named, embedded, origin })
    }

    /// Those that this program has in it, whatever folder is named.
    pub fn built_in() -> Self {
        let choice = CHOICE.read().unwrap_or_else(|e| e.into_inner());
        let embedded = choice.embedded.iter().chain(&choice.others).copied().collect();
        Self { folder: None, named: None, embedded, origin: Origin::Own }
    }

    /// Those of a folder.
    pub fn of_folder(folder: PathBuf, origin: Origin) -> Self {
        Self { folder: Some(folder), named: None, embedded: Vec::new(), origin }
    }

    /// Whose RTL it is.
    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// What is said of a block beside its RTL: the folder's README, else the embedded one.
    pub fn readme(&self, block: &str) -> Option<String> {
        let path = format!("{block}/README.md");
        let own =
            self.folder.as_ref().and_then(|folder| fs::read_to_string(folder.join(&path)).ok());
        own.or_else(|| {
            let (_, text) = self.embedded.iter().find(|(name, _)| *name == path)?;
            String::from_utf8(text.to_vec()).ok()
        })
    }

    /// The path of one of the files as the user can open it; `<folder>/<name>` of one that lies in
    /// no folder of the user's.
    pub fn shown(&self, path: &str) -> String {
        let is_there = |folder: &&PathBuf| folder.join(path).is_file();
        let named = self.named.as_ref().filter(is_there);
        named.map_or(path.to_string(), |folder| folder.join(path).display().to_string())
    }

    /// The folder as the user named it.
    pub fn named(&self) -> Option<&Path> {
        self.named.as_deref()
    }

    /// The folder that was named, if one was.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The files of a block and of `common`, by path. Errors: the block has none; a file cannot be
    /// read.
    pub fn of_block(&self, block: &str) -> Result<Vec<Source>, String> {
        let mut files = Vec::new();
        for name in [COMMON, block] {
            match self.folder.as_ref().filter(|folder| folder.join(name).is_dir()) {
                Some(folder) => read_folder(folder, name, &mut files)?,
                None => {
                    let of_folder = self.embedded.iter().filter(|(path, _)| {
                        let is_in = path.strip_prefix(name).is_some_and(|p| p.starts_with('/'));
                        is_in && is_read(Path::new(path))
                    });
                    files.extend(of_folder.map(|(path, content)| Source {
                        path: path.to_string(),
                        content: content.to_vec(),
                    }));
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let top = format!("{block}/{block}.sv");
        match files.iter().any(|file| file.path == top) {
            true => Ok(files),
            false => Err(format!("{self}: has no {top}")),
        }
    }
}

impl std::fmt::Display for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.folder {
            Some(folder) => write!(f, "{}", folder.display()),
            None => f.write_str("the RTL in this program"),
        }
    }
}

fn is_read(file: &Path) -> bool {
    file.extension().is_some_and(|e| ENDINGS.iter().any(|of| e == *of))
}

fn read_folder(root: &Path, folder: &str, into: &mut Vec<Source>) -> Result<(), String> {
    let path = root.join(folder);
    let error = |e: std::io::Error| format!("{}: {e}", path.display());
    for entry in fs::read_dir(&path).map_err(error)? {
        let file = entry.map_err(error)?.path();
        let name = file.file_name().and_then(|n| n.to_str());
        let Some(name) = name.filter(|_| is_read(&file)) else { continue };
        let content = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        into.push(Source { path: format!("{folder}/{name}"), content });
    }
    Ok(())
}
