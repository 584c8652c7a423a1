//! The TLPs that the links carry, as text: one line for each, with cycle of the links, source,
//! destination, header and payload, for any tool that reads PCIe.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cosim::part_file::PartFile;
use hwmodel::tlp_link::Sent;

/// A file of TLPs being written.
#[derive(Debug)]
pub struct TlpDump {
    file: PartFile,
    error: Option<DumpError>,
    path: PathBuf,
}

/// The file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}", path = path.display())]
pub struct DumpError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl TlpDump {
    /// Creates the file.
    pub fn create(path: &Path) -> Result<Self, DumpError> {
        let path = path.to_path_buf();
        match PartFile::create(&path) {
            Ok(file) => Ok(Self { file, error: None, path }),
            Err(source) => Err(DumpError { path, source }),
        }
    }

    /// Adds a TLP of a system that came out of reset in `first_cycle`. An error is kept for
    /// [`TlpDump::finish`].
    pub fn add(&mut self, sent: &Sent, first_cycle: u64) {
        if self.error.is_none() {
            let path = &self.path;
            let error = |source| DumpError { path: path.clone(), source };
            self.error = write_tlp(&mut self.file, sent, first_cycle).map_err(error).err();
        }
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), DumpError> {
        match self.error {
            Some(error) => Err(error),
            None => self.file.finish().map_err(|source| DumpError { path: self.path, source }),
        }
    }
}

fn write_tlp(to: &mut impl Write, sent: &Sent, first_cycle: u64) -> io::Result<()> {
    write!(to, "{} {} {} ", first_cycle + sent.cycle, sent.src, sent.dest)?;
    sent.header.iter().try_for_each(|b| write!(to, "{b:02x}"))?;
    to.write_all(b" ")?;
    if sent.payload.is_empty() {
        to.write_all(b"-")?;
    }
    sent.payload.iter().try_for_each(|b| write!(to, "{b:02x}"))?;
    to.write_all(b"\n")
}
