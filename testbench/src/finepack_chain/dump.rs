//! The TLPs that the links carry, as text.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use hwmodel::tlp_link::Sent;

use super::ChainError;
use super::system::System;

/// One line for each TLP: cycle, source, destination, header, payload.
pub(super) struct TlpDump {
    path: PathBuf,
    file: BufWriter<File>,
}

impl TlpDump {
    pub fn create(path: &Path) -> Result<Self, ChainError> {
        let error = |source| ChainError::Dump { path: path.to_path_buf(), source };
        Ok(Self {
            path: path.to_path_buf(),
            file: BufWriter::new(File::create(path).map_err(error)?),
        })
    }

    pub fn cycle(&mut self, system: &mut System, first_cycle: u64) -> Result<(), ChainError> {
        let mut result = Ok(());
        for link in system.fabric_mut().links_mut() {
            link.drain_sent(|sent| {
                if result.is_ok() {
                    result = write_tlp(&mut self.file, sent, first_cycle);
                }
            });
        }
        result.map_err(|source| ChainError::Dump { path: self.path.clone(), source })
    }

    pub fn finish(mut self) -> Result<(), ChainError> {
        self.file.flush().map_err(|source| ChainError::Dump { path: self.path, source })
    }
}

fn write_tlp(to: &mut impl Write, sent: &Sent, first_cycle: u64) -> std::io::Result<()> {
    write!(to, "{} {} {} ", first_cycle + sent.cycle, sent.src, sent.dest)?;
    sent.header.iter().try_for_each(|b| write!(to, "{b:02x}"))?;
    to.write_all(b" ")?;
    if sent.payload.is_empty() {
        to.write_all(b"-")?;
    }
    sent.payload.iter().try_for_each(|b| write!(to, "{b:02x}"))?;
    to.write_all(b"\n")
}
