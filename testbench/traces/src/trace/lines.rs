//! Text files, line by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use lzma_rust2::XzReader;

use super::Error;

/// Most bytes of a line.
const MAX_LINE: u64 = 1 << 16;
/// Most bytes of a decoder's window, as a power of 2: what a compressed file may ask for.
const WINDOW_LOG: u32 = 27;
/// What an XZ decoder takes beside its window, in KiB.
const XZ_OVERHEAD: u32 = 1 << 10;

/// How a file's text is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// It is not.
    None,
    /// Zstandard.
    Zstd,
    /// XZ, one stream or several.
    Xz,
}

impl Compression {
    fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Zstd => "zstd-compressed",
            Self::Xz => "xz-compressed",
        }
    }
}

/// The lines of a file, one at a time.
pub struct Lines {
    file: String,
    input: Box<dyn BufRead>,
    compression: Compression,
    line: String,
    number: u64,
}

impl Lines {
    /// The lines of a file, or of what a compressed one holds.
    pub fn open(path: &Path, compression: Compression) -> Result<Self, Error> {
        let file = path.display().to_string();
        let input = BufReader::with_capacity(1 << 18, File::open(path).map_err(Error::io(&file))?);
        let input: Box<dyn BufRead> = match compression {
            Compression::None => Box::new(input),
            Compression::Zstd => {
                let decoder = zstd::stream::Decoder::with_buffer(input);
                let mut decoder = decoder.map_err(Error::io(&file))?;
                decoder.window_log_max(WINDOW_LOG).map_err(Error::io(&file))?;
                Box::new(BufReader::new(decoder))
            }
            Compression::Xz => {
                let most = (1 << (WINDOW_LOG - 10)) + XZ_OVERHEAD;
                Box::new(BufReader::new(XzReader::new_mem_limit(input, true, most)))
            }
        };
        Ok(Self { file, input, compression, line: String::new(), number: 0 })
    }

    /// Reads the next line; false at the end of the file.
    pub fn next(&mut self) -> Result<bool, Error> {
        let more = self.piece(MAX_LINE)?;
        if self.line.len() as u64 == MAX_LINE {
            return Err(self.error("a line of less than 64 KiB"));
        }
        Ok(more)
    }

    /// Reads the next line, or as much of it as `most` bytes.
    pub fn piece(&mut self, most: u64) -> Result<bool, Error> {
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        bytes.clear();
        self.number += 1;
        let read = (&mut self.input).take(most).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| self.unread(error))?;
        self.line = String::from_utf8(bytes).map_err(|_| self.error("text in UTF-8"))?;
        Ok(read > 0)
    }

    /// A decoder's refusal is no error of the operating system: the file is damaged.
    fn unread(&self, error: io::Error) -> Error {
        if self.compression == Compression::None || error.raw_os_error().is_some() {
            return Error::io(&self.file)(error);
        }
        let most = 1u32 << (WINDOW_LOG - 20);
        let name = self.compression.name();
        self.error(&format!("{name} text with a window of at most {most} MiB, found: {error}"))
    }

    /// The line that was read last.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// An error at this line.
    pub fn error(&self, expected: &str) -> Error {
        let expected = expected.to_string();
        Error::Text { file: self.file.clone(), line: self.number, expected }
    }
}
