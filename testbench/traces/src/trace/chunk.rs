//! The frame around each part of a trace file: lengths, checksum, compression.

use std::io::{self, Read, Seek, SeekFrom, Write};

use super::Error;
use super::wire::little_endian;

/// First bytes of every trace.
pub const MAGIC: [u8; 8] = *b"DUETTRC\n";
/// Version of the format, and the oldest that is read: it has one stream.
pub const VERSION: u32 = 5;
const OLDEST: u32 = 2;
/// Bytes before the first chunk: magic, version, checksum of the two.
pub const HEAD_BYTES: u64 = 16;
/// Bytes of a frame before its payload.
pub const FRAME_BYTES: u64 = 16;
/// Bytes after the index.
pub const TRAILER_BYTES: u64 = 32;
/// Last bytes of every complete trace.
pub const END_MAGIC: [u8; 8] = *b"\nTRCEND\n";
/// Most bytes of a chunk, compressed or not.
pub const MAX_CHUNK: u32 = 1 << 28;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Events.
    Events = 1,
    /// The instructions of a work-group.
    Group = 2,
    /// Racy lanes of a work-group.
    Classes = 3,
    /// Places of all other chunks, totals.
    Index = 4,
    /// Places of some work-groups' chunks.
    Places = 5,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Events => "a chunk of events",
            Self::Group => "the chunk of a work-group",
            Self::Classes => "the chunk of a work-group's racy lanes",
            Self::Index => "the index",
            Self::Places => "the chunk of work-groups' places",
        }
    }
}

/// Compresses and frames. Reused.
pub struct Packer {
    compressor: zstd::bulk::Compressor<'static>,
    frame: Vec<u8>,
}

impl Packer {
    /// Level 3: a higher one costs capture time and saves little.
    pub fn new() -> io::Result<Self> {
        let compressor = zstd::bulk::Compressor::new(3)?;
        Ok(Self { compressor, frame: Vec::new() })
    }

    /// From now on for speed: what hardly shrinks is stored as it is, and read back five times as
    /// fast.
    pub fn be_fast(&mut self) -> io::Result<()> {
        self.compressor.set_compression_level(-5)
    }

    /// Writes a chunk; gives its length. `payload` has at most [`MAX_CHUNK`] bytes.
    pub fn write(&mut self, out: &mut impl Write, kind: Kind, payload: &[u8]) -> io::Result<u64> {
        let head = FRAME_BYTES as usize;
        // What lies there of a longer one is written over as far as it is needed.
        let most = head + zstd::zstd_safe::compress_bound(payload.len());
        self.frame.resize(most.max(self.frame.len()), 0);
        let packed = self.compressor.compress_to_buffer(payload, &mut self.frame[head..])?;
        let frame = &mut self.frame[..head + packed];
        let lengths = [u32::from(kind as u8), packed as u32, payload.len() as u32];
        for (place, word) in frame.chunks_exact_mut(4).zip(lengths) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let sum = checksum(&frame[..12], &frame[head..]);
        frame[12..head].copy_from_slice(&sum.to_le_bytes());
        out.write_all(frame)?;
        Ok(frame.len() as u64)
    }
}

fn checksum(lengths: &[u8], packed: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(lengths);
    sum.update(packed);
    sum.finalize()
}

/// Reads chunks. Reused.
pub struct Unpacker {
    decompressor: zstd::bulk::Decompressor<'static>,
    packed: Vec<u8>,
}

impl Unpacker {
    /// Without a chunk yet.
    pub fn new() -> io::Result<Self> {
        let decompressor = zstd::bulk::Decompressor::new()?;
        Ok(Self { decompressor, packed: Vec::new() })
    }

    /// Bytes of the chunk that was read last, with its frame.
    pub fn last_bytes(&self) -> u64 {
        FRAME_BYTES + self.packed.len() as u64
    }

    /// The contents of the chunk of this kind at `offset`, which ends before `limit`.
    pub fn read(
        &mut self,
        source: &mut (impl Read + Seek),
        file: &str,
        (offset, limit): (u64, u64),
        kind: Kind,
    ) -> Result<Vec<u8>, Error> {
        let damaged = |expected: &str| Error::damaged(file, offset, expected);
        let left = limit.checked_sub(offset).and_then(|left| left.checked_sub(FRAME_BYTES));
        let left = left.ok_or_else(|| damaged(kind.name()))?;
        source.seek(SeekFrom::Start(offset)).map_err(Error::io(file))?;
        let mut head = [0; FRAME_BYTES as usize];
        source.read_exact(&mut head).map_err(Error::io(file))?;
        let word = |at: usize| little_endian(&head[at..at + 4]) as u32;
        let (packed_len, len, sum) = (word(4), word(8), word(12));
        if word(0) != u32::from(kind as u8) {
            return Err(damaged(kind.name()));
        }
        if packed_len > MAX_CHUNK || u64::from(packed_len) > left {
            return Err(damaged("a chunk that ends before the next part of the file"));
        }
        // zstd makes at most one block of 128 KiB of 4 bytes.
        let most = (u64::from(packed_len) / 4 + 1) << 17;
        if len > MAX_CHUNK || u64::from(len) > most {
            return Err(damaged("a chunk of a possible size"));
        }
        self.packed.clear();
        let read = source.take(u64::from(packed_len)).read_to_end(&mut self.packed);
        if read.map_err(Error::io(file))? != packed_len as usize {
            return Err(damaged("the whole chunk"));
        }
        if checksum(&head[..12], &self.packed) != sum {
            return Err(damaged("a chunk whose checksum is right"));
        }
        let contents = self.decompressor.decompress(&self.packed, len as usize);
        let contents = contents.ok().filter(|contents| contents.len() == len as usize);
        contents.ok_or_else(|| damaged("a chunk that decompresses to its stated size"))
    }
}

/// The first bytes of a trace.
pub fn head() -> [u8; HEAD_BYTES as usize] {
    let mut head = [0; HEAD_BYTES as usize];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let sum = crc32fast::hash(&head[..12]);
    head[12..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// Errors when these are not the first bytes of a trace of this version.
pub fn check_head(head: &[u8; HEAD_BYTES as usize], file: &str) -> Result<(), Error> {
    if head[..8] != MAGIC {
        return Err(Error::damaged(file, 0, "a trace, which begins with \"DUETTRC\""));
    }
    if crc32fast::hash(&head[..12]).to_le_bytes() != head[12..] {
        return Err(Error::damaged(file, 12, "the checksum of magic and version"));
    }
    let version = little_endian(&head[8..12]) as u32;
    if !(OLDEST..=VERSION).contains(&version) {
        let expected =
            format!("format version {OLDEST} to {VERSION}, the file has version {version}");
        return Err(Error::damaged(file, 8, expected));
    }
    Ok(())
}

/// The last bytes of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// Offset of the index.
    pub index: u64,
    /// Checksum of the contents of all chunks but the index.
    pub contents: u64,
}

impl Trailer {
    /// As bytes.
    pub fn to_bytes(self) -> [u8; TRAILER_BYTES as usize] {
        let mut bytes = [0; TRAILER_BYTES as usize];
        bytes[..8].copy_from_slice(&self.index.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.contents.to_le_bytes());
        // Bytes 16 to 19 are 0.
        let sum = crc32fast::hash(&bytes[..20]);
        bytes[20..24].copy_from_slice(&sum.to_le_bytes());
        bytes[24..].copy_from_slice(&END_MAGIC);
        bytes
    }

    /// From the bytes at `offset`.
    pub fn from_bytes(
        bytes: &[u8; TRAILER_BYTES as usize],
        file: &str,
        offset: u64,
    ) -> Result<Self, Error> {
        let [index, contents] = [&bytes[..8], &bytes[8..16]].map(little_endian);
        let trailer = Self { index, contents };
        if bytes[24..] != END_MAGIC {
            let expected = "the end of a trace; the file is cut off, or still being written";
            return Err(Error::damaged(file, offset + 24, expected));
        }
        if trailer.to_bytes() != *bytes {
            return Err(Error::damaged(file, offset, "a trailer whose checksum is right"));
        }
        Ok(trailer)
    }
}

/// Checksum of contents: kind, length and CRC of each chunk, mixed by FNV-1a. It depends on what a
/// trace says, and neither on the file's name nor on the compressor.
#[derive(Clone, Copy, Debug)]
pub struct Contents(pub u64);

impl Default for Contents {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Contents {
    /// Adds a chunk, unless it says where others stand.
    pub fn add(&mut self, kind: Kind, payload: &[u8]) {
        if matches!(kind, Kind::Index | Kind::Places) {
            return;
        }
        let words = [u32::from(kind as u8), payload.len() as u32, crc32fast::hash(payload)];
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
