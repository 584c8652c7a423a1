//! Text files, line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use super::Error;

/// Most bytes of a line.
const MAX_LINE: u64 = 1 << 16;

/// The lines of a file, one at a time.
pub struct Lines {
    file: String,
    input: Box<dyn BufRead>,
    line: String,
    number: u64,
}

impl Lines {
    /// The lines of a file, or of what a compressed one holds.
    pub fn open(path: &Path, compressed: bool) -> Result<Self, Error> {
        let file = path.display().to_string();
        let input = File::open(path).map_err(Error::io(&file))?;
        let input: Box<dyn BufRead> = if compressed {
            let mut decoder = zstd::stream::Decoder::new(input).map_err(Error::io(&file))?;
            decoder.window_log_max(27).map_err(Error::io(&file))?;
            Box::new(BufReader::new(decoder))
        } else {
            Box::new(BufReader::with_capacity(1 << 18, input))
        };
        Ok(Self { file, input, line: String::new(), number: 0 })
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
        self.line.clear();
        self.number += 1;
        match (&mut self.input).take(most).read_line(&mut self.line) {
            Ok(read) => Ok(read > 0),
            Err(e) if e.kind() == ErrorKind::InvalidData => Err(self.error("text in UTF-8")),
            Err(e) => Err(Error::io(&self.file)(e)),
        }
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
