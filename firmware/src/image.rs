//! Images of the firmware: built from source by the build script, and read from ELF files. Part of
//! the host's library only.

mod symbols;

use std::ops::Range;
use std::prelude::rust_2024::*;
use std::sync::Arc;
use std::{format, vec};

use object::Endianness;
use object::elf::{EM_RISCV, ET_EXEC, FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};

pub use symbols::Symbols;

/// Bytes of the instruction memory, from address 0.
pub const IMEM_BYTES: usize = 64 * 1024;
/// The address at which the core begins.
pub const ENTRY: u32 = 0x80;
/// First address of fast memory, which holds globals and stack.
const DTCM: u64 = 0x0800_0000;
/// Its bytes.
const DTCM_BYTES: u64 = 16 * 1024;
/// Code and constants that the firmware may have: five eighths of the memory.
pub const CODE_LIMIT: usize = IMEM_BYTES / 8 * 5;

/// An ELF file that was built with this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elf {
    /// What it holds in fast memory: `cached`, `indexed` or `paper`.
    pub name: &'static str,
    /// Where the file lies.
    pub path: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

macro_rules! elf {
    ($name:literal) => {
        Elf {
            name: $name,
            path: concat!(env!("OUT_DIR"), "/", $name, ".elf"),
            bytes: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".elf")),
        }
    };
}

/// The images; none where the RISC-V target was missing. The first is the default.
#[cfg(images)]
pub const ELVES: &[Elf] = &[elf!("cached"), elf!("indexed"), elf!("paper")];
/// The images; none where the RISC-V target was missing. The first is the default.
#[cfg(not(images))]
pub const ELVES: &[Elf] = &[];

/// Why a file is no image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Not an ELF file of 32 bits.
    #[error("not an ELF file of 32 bits: {0}")]
    Elf(String),
    /// Of another machine.
    #[error("machine {0}: must be {riscv}, RISC-V", riscv = EM_RISCV.0)]
    Machine(u16),
    /// An object file or a library.
    #[error("ELF type {0}: must be {executable}, an executable", executable = ET_EXEC.0)]
    Type(u16),
    /// The core begins elsewhere.
    #[error("entry {0:#x}: must be {ENTRY:#x}, where the core begins, and in the code")]
    Entry(u32),
    /// It does not fit.
    #[error("bytes {from:#x} to {to:#x}: must lie in {memory}")]
    Range {
        /// First address.
        from: u64,
        /// One past the last.
        to: u64,
        /// Which memory has such bytes, and where it is.
        memory: String,
    },
    /// Two segments have bytes in common.
    #[error("bytes {from:#x} to {to:#x}: must not overlap those of another segment")]
    Overlap {
        /// First address.
        from: u64,
        /// One past the last.
        to: u64,
    },
    /// Built without the RISC-V target.
    #[error(
        "this build has no firmware image: the target riscv32imc-unknown-none-elf was not installed"
    )]
    Missing,
}

/// What is loaded into the instruction memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Words from address 0.
    pub words: Vec<u32>,
    /// Bytes of code and constants.
    pub code_bytes: usize,
    /// Bytes of globals in fast memory.
    pub data_bytes: usize,
    /// The ELF file, for what it says of its code.
    file: Arc<[u8]>,
}

impl Image {
    /// The default image of this build.
    pub fn built() -> Result<Self, ImageError> {
        Self::read(ELVES.first().ok_or(ImageError::Missing)?.bytes)
    }

    /// Reads an ELF file.
    pub fn read(file: &[u8]) -> Result<Self, ImageError> {
        let elf = |e: object::read::Error| ImageError::Elf(e.to_string());
        let header = FileHeader32::<Endianness>::parse(file).map_err(elf)?;
        let endian = header.endian().map_err(elf)?;
        if endian != Endianness::Little {
            return Err(ImageError::Elf("big-endian".into()));
        }
        let machine = header.e_machine(endian);
        if machine != EM_RISCV {
            return Err(ImageError::Machine(machine.0));
        }
        if header.e_type(endian) != ET_EXEC {
            return Err(ImageError::Type(header.e_type(endian).0));
        }
        let mut bytes = vec![0; IMEM_BYTES];
        let (mut end, mut code_bytes, mut data_bytes) = (0, 0, 0);
        let mut loaded: Vec<Range<u64>> = Vec::new();
        for segment in header.program_headers(endian, file).map_err(elf)? {
            let size = segment.p_filesz(endian).max(segment.p_memsz(endian));
            if segment.p_type(endian) != PT_LOAD || size == 0 {
                continue;
            }
            let data = segment.data(endian, file);
            let data = data.map_err(|()| ImageError::Elf("a segment is cut off".into()))?;
            let from = u64::from(segment.p_paddr(endian));
            let to = from + u64::from(size);
            let (memory, what) = match data.is_empty() {
                true => (DTCM..DTCM + DTCM_BYTES, "fast memory"),
                false => (0..IMEM_BYTES as u64, "the instruction memory"),
            };
            if from < memory.start || to > memory.end {
                let memory = format!("{what}, {:#x} to {:#x}", memory.start, memory.end);
                return Err(ImageError::Range { from, to, memory });
            }
            if loaded.iter().any(|other| from < other.end && other.start < to) {
                return Err(ImageError::Overlap { from, to });
            }
            loaded.push(from..to);
            if data.is_empty() {
                data_bytes += size as usize;
                continue;
            }
            bytes[from as usize..][..data.len()].copy_from_slice(data);
            end = end.max(to as usize);
            code_bytes += data.len();
        }
        let entry = header.e_entry(endian);
        let is_code = |part: &Range<u64>| part.start < DTCM && part.contains(&entry.into());
        if entry != ENTRY || !loaded.iter().any(is_code) {
            return Err(ImageError::Entry(entry));
        }
        let words = bytes[..end.next_multiple_of(4)].chunks_exact(4);
        let words = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        Ok(Self { words: words.collect(), code_bytes, data_bytes, file: file.into() })
    }

    /// Functions and source lines.
    pub fn symbols(&self) -> Symbols<'_> {
        Symbols::of(&self.file)
    }
}
