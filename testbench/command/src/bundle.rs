//! What is needed to see a failure again elsewhere, in one file: the command with its seed, the
//! resolved system, the part of the trace around the failure, what was seen, and where they are not
//! this program's own, the RTL and the firmware. It is a tar archive, compressed by zstd.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// How the names of files end.
pub const ENDING: &str = "bundle";
/// Stands before the names of the bundle's files in [`Facts::words`].
pub const INSIDE: &str = "bundle:";
/// The format that this program writes, and the only one that it reads.
const FORMAT: u32 = 2;
/// The facts among the files.
const FACTS: &str = "facts.json";
/// Most bytes of a file that is taken out.
const MOST_BYTES: u64 = 1 << 32;

/// What failed, and what runs it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Version of the format.
    pub format: u32,
    /// Version of the program.
    pub duet: String,
    /// What RTL bodies were made with; nothing where there was none.
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
    /// As the bytes of a file.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
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

    /// From the bytes of a file. Errors: it is no bundle, or one of another format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let no_bundle = |e: io::Error| format!("is no bundle of duet: {e}");
        let mut archive = tar::Archive::new(zstd::Decoder::new(bytes).map_err(no_bundle)?);
        let (mut files, mut facts) = (BTreeMap::new(), None);
        for entry in archive.entries().map_err(no_bundle)? {
            let mut entry = entry.map_err(no_bundle)?;
            let path = entry.path().map_err(no_bundle)?.into_owned();
            let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            let name = path.to_str().filter(|_| is_plain && entry.size() <= MOST_BYTES);
            let Some(name) = name else {
                let problem = "must lie in the bundle, with at most 2^32 bytes";
                return Err(format!("{}: {problem}", path.display()));
            };
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(no_bundle)?;
            match name {
                FACTS => facts = Some(bytes),
                name => drop(files.insert(name.to_string(), bytes)),
            }
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
        let facts = serde_json::from_slice(&facts).map_err(|e| format!("{FACTS}: {e}"))?;
        Ok(Self { facts, files })
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
        let place = |word: &String| match word.strip_prefix(INSIDE) {
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
        let error = Bundle::from_bytes(&other.to_bytes().unwrap()).unwrap_err();
        assert_eq!(error, format!("format {}: must be {FORMAT}", FORMAT + 1));
    }

    #[test]
    fn a_file_outside_is_refused() {
        let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 0).unwrap());
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        header.as_gnu_mut().unwrap().name[..4].copy_from_slice(b"../x");
        header.set_cksum();
        archive.append(&header, &b"x"[..]).unwrap();
        let bytes = archive.into_inner().unwrap().finish().unwrap();
        let error = Bundle::from_bytes(&bytes).unwrap_err();
        assert!(error.starts_with("../x: must lie in the bundle"), "{error}");
    }
}
