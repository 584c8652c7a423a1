//! The SystemVerilog that bodies are made of: a folder's, or what the program has embedded.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::RwLock;

/// Environment variable with a folder whose RTL replaces the embedded one, as `--rtl` does.
pub const VARIABLE: &str = "DUET_RTL";
/// The folder of what blocks share.
pub const COMMON: &str = "common";
/// The rules of a block.
const README: &str = "README.md";
/// Endings of the files that Verilator reads.
const ENDINGS: [&str; 4] = ["sv", "svh", "f", "vlt"];

/// A file's path, `<folder>/<name>`, and its content. The folder is `<block>` or
/// `<family>/<block>`; files that the blocks of a family share lie in `<family>`.
pub type Embedded = (&'static str, &'static [u8]);

/// Where the RTL comes from.
#[derive(Clone, Debug)]
pub struct Sources {
    /// A folder with one folder for each block. Where it has no `common`, that of the program.
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
    /// The folders that the files of `others` were taken from when the program was built.
    origins: Vec<(&'static str, &'static [Embedded])>,
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
    origins: Vec::new(),
    folder: None,
    is_built_in: false,
});

/// The RTL that this program has in it, for when no folder is named.
pub fn embed(files: &[Embedded]) {
    CHOICE.write().unwrap_or_else(|e| e.into_inner()).embedded.extend(files);
}

/// RTL of blocks outside the project's tree: also for when a folder is named that has none of them.
/// `folder`: where the files lay when the program was built.
pub fn embed_beside(folder: &'static str, files: &'static [Embedded]) {
    let mut choice = CHOICE.write().unwrap_or_else(|e| e.into_inner());
    choice.others.extend(files);
    choice.origins.push((folder, files));
}

/// Files on disk that are not what the program has in it, each with what is different. None of a
/// block whose RTL comes from a folder that was named, and none where the folder is no more.
pub fn edited() -> Vec<String> {
    let named = Sources::current().ok().and_then(|sources| sources.folder);
    let choice = CHOICE.read().unwrap_or_else(|e| e.into_inner());
    let mut found = Vec::new();
    for (folder, files) in &choice.origins {
        let folder = Path::new(folder);
        let places: BTreeSet<_> = files.iter().map(|(path, _)| folder_of(path)).collect();
        for place in places {
            let is_named = named.as_ref().is_some_and(|named| named.join(place).is_dir());
            if !is_named && folder.join(place).is_dir() {
                compare(folder, place, files, &mut found);
            }
        }
    }
    found
}

/// Compares the files in `<folder>/<place>` with those that are embedded.
fn compare(folder: &Path, place: &str, files: &[Embedded], found: &mut Vec<String>) {
    let mut on_disk = Vec::new();
    if read_folder(folder, place, &mut on_disk).is_err() {
        return;
    }
    let shown = |path: &str| folder.join(path).display().to_string();
    let own = files.iter().filter(|(path, _)| folder_of(path) == place && is_read(Path::new(path)));
    for (path, content) in own {
        match on_disk.iter().find(|source| source.path == *path) {
            None => found.push(format!("{} is missing", shown(path))),
            Some(source) if source.content != *content => {
                found.push(format!("{} has been edited", shown(path)));
            }
            Some(_) => {}
        }
    }
    for Source { path, .. } in &on_disk {
        if files.iter().all(|(name, _)| name != path) {
            found.push(format!("{} is not in the program", shown(path)));
        }
    }
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
    match has_rtl(&absolute) {
        true => Ok(absolute),
        false => Err(format!("{}: has no folder with SystemVerilog in it", folder.display())),
    }
}

/// Whether one of the folders in it, or in one of these, has a file that Verilator reads.
fn has_rtl(folder: &Path) -> bool {
    let has_some = |folder: &PathBuf| entries(folder).iter().any(|file| is_read(file));
    entries(folder).iter().any(|place| has_some(place) || entries(place).iter().any(has_some))
}

/// What lies in a folder, by name; nothing where it is none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<_> = all.map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Where an embedded file lay when the program was built.
fn origin_of(&(path, content): &Embedded) -> String {
    let choice = CHOICE.read().unwrap_or_else(|e| e.into_inner());
    let is_own = |files: &[Embedded]| files.iter().any(|(_, own)| std::ptr::eq(*own, content));
    let origin = choice.origins.iter().find(|(_, files)| is_own(files));
    origin.map_or_else(|| format!("rtl/{path} of duet"), |(folder, _)| format!("{folder}/{path}"))
}

/// The folder of a file.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folders of files, in the order of their names.
pub(super) fn folders_of(sources: &[Source]) -> BTreeSet<&str> {
    sources.iter().map(|source| folder_of(&source.path)).collect()
}

/// The file with a block's top module.
pub(super) fn top_of<'a>(block: &str, sources: &'a [Source]) -> Option<&'a Source> {
    sources.iter().find(|source| is_top(&source.path, block))
}

fn is_top(path: &str, block: &str) -> bool {
    let name = path.strip_suffix(".sv").and_then(|path| path.strip_suffix(block));
    let folder = name.and_then(|name| name.strip_suffix('/')?.strip_suffix(block));
    folder.is_some_and(|above| above.is_empty() || above.ends_with('/'))
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
        } else if folder.as_ref().is_some_and(|folder| !folder.join(COMMON).is_dir()) {
            let is_common = |(path, _): &&Embedded| Path::new(path).starts_with(COMMON);
            embedded.extend(choice.embedded.iter().filter(is_common));
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
        let own = self.in_folder(block).ok().flatten().and_then(|place| {
            fs::read_to_string(self.folder.as_ref()?.join(place).join(README)).ok()
        });
        own.or_else(|| {
            let path = format!("{}/{README}", self.in_program(block).ok()??);
            let (_, text) = self.embedded.iter().find(|(name, _)| *name == path)?;
            String::from_utf8(text.to_vec()).ok()
        })
    }

    /// The folder of a block, seen from the root of the RTL.
    pub fn place(&self, block: &str) -> String {
        self.find(block).unwrap_or_else(|_| block.to_string())
    }

    /// The same. Errors: the block lies in two places.
    fn find(&self, block: &str) -> Result<String, String> {
        match self.in_folder(block)? {
            Some(place) => Ok(place),
            None => Ok(self.in_program(block)?.unwrap_or(block).to_string()),
        }
    }

    /// Where a block lies in the folder that was named, `<block>` or `<family>/<block>`. Errors: it
    /// lies in two places.
    fn in_folder(&self, block: &str) -> Result<Option<String>, String> {
        let Some(root) = &self.folder else { return Ok(None) };
        let above = entries(root)
            .into_iter()
            .filter_map(|family| Some(format!("{}/{block}", family.file_name()?.to_str()?)));
        let mut places =
            [block.to_string()].into_iter().chain(above).filter(|place| root.join(place).is_dir());
        match (places.next(), places.next()) {
            (Some(one), Some(other)) => {
                Err(format!("{self}: {block} lies in {one} and in {other}"))
            }
            (place, _) => Ok(place),
        }
    }

    /// Where a block lies in what is embedded. Errors: it lies in two places.
    fn in_program(&self, block: &str) -> Result<Option<&'static str>, String> {
        let mut tops = self.embedded.iter().filter(|(path, _)| is_top(path, block));
        match (tops.next(), tops.next()) {
            (Some(one), Some(other)) => {
                let [one, other] = [one, other].map(origin_of);
                Err(format!("{block} lies in {one} and in {other}"))
            }
            (top, _) => Ok(top.map(|(path, _)| folder_of(path))),
        }
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

    /// The files of the folder that was named, of all blocks, with their READMEs. Errors: one
    /// cannot be read.
    pub fn of_all_blocks(&self) -> Result<Vec<Source>, String> {
        let Some(root) = &self.folder else { return Ok(Vec::new()) };
        let is_folder = |path: &PathBuf| path.is_dir();
        let mut files = Vec::new();
        for family in entries(root).into_iter().filter(is_folder) {
            let blocks = entries(&family).into_iter().filter(is_folder);
            for folder in blocks.chain([family.clone()]) {
                let place = folder.strip_prefix(root).expect("it lies there").display().to_string();
                read_folder(root, &place, &mut files)?;
                if let Ok(content) = fs::read(folder.join(README)) {
                    files.push(Source { path: format!("{place}/{README}"), content });
                }
            }
        }
        Ok(files)
    }

    /// The files of a block, of its family and of `common`, by path. Errors: the block has none, or
    /// lies in two places; so does a file, of which Verilator would take either; a file cannot be
    /// read.
    pub fn of_block(&self, block: &str) -> Result<Vec<Source>, String> {
        let place = self.find(block)?;
        let family = Some(folder_of(&place)).filter(|family| !family.is_empty());
        let mut files = Vec::new();
        for name in [COMMON].into_iter().chain(family).chain([&*place]) {
            match self.folder.as_ref().filter(|folder| folder.join(name).is_dir()) {
                Some(folder) => read_folder(folder, name, &mut files)?,
                None => {
                    let of_folder: Vec<_> = self
                        .embedded
                        .iter()
                        .filter(|(path, _)| folder_of(path) == name && is_read(Path::new(path)))
                        .collect();
                    for (at, file) in of_folder.iter().enumerate() {
                        if let Some(other) = of_folder[..at].iter().find(|f| f.0 == file.0) {
                            let [one, other] = [other, file].map(|file| origin_of(file));
                            return Err(format!("a file lies in {one} and in {other}"));
                        }
                    }
                    files.extend(of_folder.iter().map(|(path, content)| Source {
                        path: path.to_string(),
                        content: content.to_vec(),
                    }));
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let mut named: Vec<_> = files.iter().map(|file| file.path.rsplit_once('/')).collect();
        named.sort_by_key(|file| file.map(|(_, name)| name));
        for pair in named.windows(2) {
            if let [Some((one, name)), Some((other, same))] = pair
                && name == same
            {
                return Err(format!("{self}: {name} lies in {one} and in {other}"));
            }
        }
        match top_of(block, &files) {
            Some(_) => Ok(files),
            None => Err(format!("{self}: has no {place}/{block}.sv")),
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

#[cfg(test)]
mod tests;
