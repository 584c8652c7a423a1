//! What is needed to see a failure again elsewhere, in one file: the command with its seed, the
//! resolved system, the part of the trace around the failure, what was seen, and where they are not
//! this program's own, the RTL and the firmware. It is a tar archive, compressed by zstd.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use ports::is_hidden;
use serde::{Deserialize, Serialize};

/// How the names of files end.
pub const ENDING: &str = "bundle";
/// Stands before the names of the bundle's files in [`Facts::words`].
pub const INSIDE: &str = "bundle:";
/// The format that this program writes, and the only one that it reads.
const FORMAT: u32 = 2;
/// The facts among the files.
const FACTS: &str = "facts.json";
/// Most bytes of all files, and how many more for each byte of the bundle: what is long, as traces,
/// is packed already.
const MOST_BYTES: u64 = 64 << 20;
const MOST_RATIO: u64 = 16;
/// Most files beside [`FACTS`], names in a path, and bytes of a name.
const MOST_FILES: usize = 4096;
const MOST_DEPTH: usize = 4;
const MOST_NAME: usize = 200;

/// The name of a file that lies in the bundle, however it is unpacked.
fn plain(path: &Path) -> Option<&str> {
    let mut parts = path.components();
    let is_plain = parts
        .all(|part| matches!(part, Component::Normal(_)) && part.as_os_str().len() <= MOST_NAME);
    let whole: PathBuf = path.components().collect();
    let name = path.to_str()?;
    let is_plain = is_plain && path.components().count() <= MOST_DEPTH && !name.is_empty();
    // A second slash, or one at the end, would be another name of the same file.
    (is_plain && whole.as_os_str() == path.as_os_str()).then_some(name)
}

/// What failed, and what runs it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Version of the format.
    pub format: u32,
    /// Version of the program.
    pub duet: String,
    /// What the Verilated libraries were built with; nothing where there was none.
    pub tools: String,
    /// `run` or `cosim`.
    pub verb: String,
    /// Its arguments. Those that begin with [`INSIDE`] are files of the bundle.
    pub words: Vec<String>,
    /// Exit status.
    pub status: u8,
    /// What was said last.
    pub message: String,
    /// Seed of the stimulus, or of the built-in program.
    pub seed: u64,
    /// The program and its checksum; the block and its configuration.
    pub subject: String,
    /// Kernels of the program that are in the bundle, first and end, of how many; none of a block.
    pub kernels: Option<[u32; 3]>,
    /// The folder of the user's RTL as the run named it; none where the RTL was this program's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtl: Option<String>,
    /// The failure in fewer kernels; none where those before it are needed.
    pub short: Option<Short>,
}

/// The same failure in a program that begins with a later kernel, and so in another cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Short {
    /// Its trace among the bundle's files, as an argument in place of the whole one.
    pub words: [String; 2],
    /// As [`Facts::kernels`].
    pub kernels: [u32; 3],
    /// As [`Facts::message`].
    pub message: String,
}

impl Facts {
    /// Of a verb with these arguments, in the format of this program.
    pub fn new(verb: &str, words: Vec<String>) -> Self {
        Self {
            format: FORMAT,
            duet: env!("CARGO_PKG_VERSION").to_string(),
            tools: String::new(),
            verb: verb.to_string(),
            words,
            status: 0,
            message: String::new(),
            seed: 0,
            subject: String::new(),
            kernels: None,
            rtl: None,
            short: None,
        }
    }
}

/// A bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// What failed.
    pub facts: Facts,
    /// The other files by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Bundle {
    /// As the bytes of a file. Errors: it could not be read again.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let bytes = self.pack()?;
        Self::from_bytes(&bytes).map_err(io::Error::other)?;
        Ok(bytes)
    }

    fn pack(&self) -> io::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 0)?);
        let facts = serde_json::to_vec_pretty(&self.facts)?;
        let files = self.files.iter().map(|(name, bytes)| (name.as_str(), bytes));
        for (name, bytes) in [(FACTS, &facts)].into_iter().chain(files) {
            // No times, no owners: the same failure is the same bundle.
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, &bytes[..])?;
        }
        archive.into_inner()?.finish()
    }

    /// From the bytes of a file. Errors: it is no bundle, or one of another format, or holds more
    /// than a bundle may.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let no_bundle = |e: io::Error| format!("is no bundle of duet: {e}");
        let most = MOST_BYTES + MOST_RATIO * bytes.len() as u64;
        let mut unpacked = Vec::new();
        let packed = zstd::Decoder::new(bytes).map_err(no_bundle)?;
        packed.take(most + 1).read_to_end(&mut unpacked).map_err(no_bundle)?;
        if unpacked.len() as u64 > most {
            return Err(format!("unpacks to more than {most} bytes, the limit of such a bundle"));
        }
        let mut archive = tar::Archive::new(&unpacked[..]);
        let (mut files, mut facts) = (BTreeMap::new(), None);
        for entry in archive.entries().map_err(no_bundle)? {
            let mut entry = entry.map_err(no_bundle)?;
            let path = entry.path().map_err(no_bundle)?.into_owned();
            let refused = |problem: &str| Err(format!("{}: {problem}", path.display()));
            if entry.header().entry_type() != tar::EntryType::Regular {
                return refused("must be a plain file, neither a link nor a folder nor a device");
            }
            let Some(name) = plain(&path) else {
                return refused(&format!(
                    "must lie in the bundle, at most {MOST_DEPTH} names deep, each of at most \
                     {MOST_NAME} bytes"
                ));
            };
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(no_bundle)?;
            let before = match name {
                FACTS => facts.replace(bytes),
                name => files.insert(name.to_string(), bytes),
            };
            if before.is_some() {
                return refused("stands in the bundle twice");
            }
            if files.len() > MOST_FILES {
                return Err(format!("has more than {MOST_FILES} files, the limit"));
            }
        }
        let folders = |name: &str| -> Vec<String> {
            name.match_indices('/').map(|(at, _)| name[..at].to_string()).collect()
        };
        if let Some(both) = files.keys().flat_map(|n| folders(n)).find(|n| files.contains_key(n)) {
            return Err(format!("{both}: is both a file and a folder"));
        }
        let facts = facts.ok_or_else(|| format!("has no {FACTS}"))?;
        let format: serde_json::Value =
            serde_json::from_slice(&facts).map_err(|e| format!("{FACTS}: {e}"))?;
        match format["format"].as_u64() {
            Some(format) if format == u64::from(FORMAT) => {}
            found => {
                let found = found.map_or("none".to_string(), |f| f.to_string());
                return Err(format!("format {found}: must be {FORMAT}"));
            }
        }
        let facts: Facts = serde_json::from_slice(&facts).map_err(|e| format!("{FACTS}: {e}"))?;
        // Each is a part of a line.
        let rtl = facts.rtl.iter().map(|rtl| ("rtl", rtl));
        for (name, text) in
            [("duet", &facts.duet), ("tools", &facts.tools), ("subject", &facts.subject)]
                .into_iter()
                .chain(rtl)
        {
            if text.contains(is_hidden) {
                return Err(format!("{FACTS}: {name} {text:?}: must have no control character"));
            }
        }
        Ok(Self { facts, files })
    }

    /// True for a word that names a file of it, or a folder.
    pub fn holds(&self, word: &str) -> bool {
        word.strip_prefix(INSIDE).is_some_and(|name| {
            let in_folder =
                |file: &String| file.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
            !name.is_empty() && (self.files.contains_key(name) || self.files.keys().any(in_folder))
        })
    }

    /// Reads a file. Errors: as of `from_bytes`, and it cannot be read.
    pub fn read(path: &Path) -> Result<Self, String> {
        let error = |problem: String| format!("{}: {problem}", path.display());
        let bytes = fs::read(path).map_err(|e| error(e.to_string()))?;
        Self::from_bytes(&bytes).map_err(error)
    }

    /// With the failure in fewer kernels as the only one. Errors: it has none.
    pub fn shorter(mut self) -> Result<Self, String> {
        let Some(Short { words: [whole, short], kernels, message }) = self.facts.short.take()
        else {
            return Err("has no shorter program: the kernels before the failure are needed".into());
        };
        for word in self.facts.words.iter_mut().filter(|word| **word == whole) {
            word.clone_from(&short);
        }
        self.facts = Facts { kernels: Some(kernels), message, ..self.facts };
        Ok(self)
    }

    /// Writes its files into a folder, and gives the arguments with their places there.
    pub fn unpack(&self, folder: &Path) -> io::Result<Vec<String>> {
        for (name, bytes) in &self.files {
            let path = folder.join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::File::create(path)?.write_all(bytes)?;
        }
        let place = |word: &String| match word.strip_prefix(INSIDE).filter(|_| self.holds(word)) {
            Some(name) => folder.join(name).display().to_string(),
            None => word.clone(),
        };
        Ok(self.facts.words.iter().map(place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Bundle {
        let words = ["--system", "bundle:system.toml"].map(String::from).to_vec();
        let facts = Facts { status: 4, seed: 7, ..Facts::new("run", words) };
        let files = [("system.toml", "name = 1"), ("rtl/a/a.sv", "module a; endmodule")];
        let files = files.map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
        Bundle { facts, files: files.into() }
    }

    #[test]
    fn a_bundle_comes_back_and_is_unpacked() {
        let bytes = bundle().to_bytes().unwrap();
        assert_eq!(bytes, bundle().to_bytes().unwrap());
        let back = Bundle::from_bytes(&bytes).unwrap();
        assert_eq!(back, bundle());
        let folder = tempfile::tempdir().unwrap();
        let words = back.unpack(folder.path()).unwrap();
        assert_eq!(words[1], folder.path().join("system.toml").display().to_string());
        assert_eq!(fs::read(folder.path().join("rtl/a/a.sv")).unwrap(), back.files["rtl/a/a.sv"]);
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        let whole = bundle().to_bytes().unwrap();
        for len in 0..whole.len() {
            assert!(Bundle::from_bytes(&whole[..len]).is_err(), "{len} bytes");
        }
        let mut other = bundle();
        other.facts.format = FORMAT + 1;
        let error = Bundle::from_bytes(&other.pack().unwrap()).unwrap_err();
        assert_eq!(error, format!("format {}: must be {FORMAT}", FORMAT + 1));
    }

    /// An archive of these entries, whose names are not checked.
    fn archive(entries: &[(&[u8], tar::EntryType, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 0).unwrap());
        for (name, kind, bytes) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_entry_type(*kind);
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
            header.as_gnu_mut().unwrap().linkname[..4].copy_from_slice(b"/etc");
            header.set_cksum();
            archive.append(&header, *bytes).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    fn refused(bytes: &[u8], message: &str) {
        let error = Bundle::from_bytes(bytes).unwrap_err();
        assert!(error.starts_with(message), "{error}, expected {message}");
    }

    #[test]
    fn a_file_outside_is_refused() {
        let outside = ["../x", "/x", "a/../../x", "./x", "a//x", "a/", "a/b/c/d/e", "a/./x"];
        for name in outside {
            let bytes = archive(&[(name.as_bytes(), tar::EntryType::Regular, b"x")]);
            refused(&bytes, &format!("{name}: must lie in the bundle, at most 4 names deep"));
        }
    }

    #[test]
    fn links_folders_and_devices_are_refused() {
        use tar::EntryType;
        for kind in [
            EntryType::Symlink,
            EntryType::Link,
            EntryType::Directory,
            EntryType::Fifo,
            EntryType::Char,
            EntryType::Block,
        ] {
            refused(&archive(&[(b"x", kind, b"")]), "x: must be a plain file");
        }
    }

    #[test]
    fn files_that_are_in_each_others_way_are_refused() {
        let file = |name: &'static [u8]| (name, tar::EntryType::Regular, &b"{}"[..]);
        let facts = FACTS.as_bytes();
        refused(&archive(&[file(b"x"), file(b"x")]), "x: stands in the bundle twice");
        refused(&archive(&[file(facts), file(facts)]), "facts.json: stands in the bundle twice");
        refused(&archive(&[file(b"x"), file(b"x/y")]), "x: is both a file and a folder");
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let mut bomb = bundle();
        bomb.files.insert("big".into(), vec![0; MOST_BYTES as usize + (1 << 20)]);
        let error = bomb.to_bytes().unwrap_err().to_string();
        let most: u64 = error.split(' ').find_map(|word| word.parse().ok()).unwrap();
        assert!(error.contains("unpacks to more than"), "{error}");
        assert!((MOST_BYTES..MOST_BYTES + (1 << 20)).contains(&most), "{error}");
        // Packed less well it is a bundle.
        let noise = (0..1 << 20).map(|n: u64| ((n * n * n) >> 7) as u8 ^ (n >> 3) as u8);
        let mut long = bundle();
        long.files.insert("noise".into(), noise.collect());
        long.to_bytes().unwrap();
        let mut many = bundle();
        many.files.extend((0..=MOST_FILES).map(|n| (n.to_string(), Vec::new())));
        let error = many.to_bytes().unwrap_err().to_string();
        assert_eq!(error, "has more than 4096 files, the limit");
    }

    #[test]
    fn facts_that_could_forge_a_line_are_refused() {
        let mut forged = bundle();
        forged.facts.subject = "x\nPASS x".into();
        let error = forged.to_bytes().unwrap_err().to_string();
        assert_eq!(error, r#"facts.json: subject "x\nPASS x": must have no control character"#);
    }

    /// Nothing of the environment is in a bundle.
    #[test]
    fn facts_that_are_not_known_are_refused() {
        let mut facts = serde_json::to_value(bundle().facts).unwrap();
        facts["environment"] = serde_json::json!({ "CXX": "sh" });
        let facts = serde_json::to_vec(&facts).unwrap();
        let bytes = archive(&[(FACTS.as_bytes(), tar::EntryType::Regular, &facts)]);
        refused(&bytes, "facts.json: unknown field `environment`");
    }
}
