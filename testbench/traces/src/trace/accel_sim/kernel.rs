//! A kernel's file: its header, then its thread blocks, one at a time.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::line::Line;
use crate::trace::Error;

/// Most bytes of a line.
const MAX_LINE: u64 = 1 << 16;
/// Bytes of the window of local memory.
const LOCAL_WINDOW: u64 = 1 << 24;

/// What stands before the thread blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Name.
    pub name: String,
    /// Thread blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Start of the window of shared memory; it ends where that of local memory begins.
    shared: u64,
    local: u64,
    /// Instructions begin with the line of the source.
    numbered: bool,
}

impl Header {
    /// True when a generic address is one of global memory.
    pub fn is_global(&self, addr: u64) -> bool {
        !(self.shared..self.local).contains(&addr)
            && !(self.local..self.local.saturating_add(LOCAL_WINDOW)).contains(&addr)
    }
}

/// A warp of a thread block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warp {
    /// Its number in the block.
    pub number: u32,
    /// Its instructions.
    pub lines: Vec<Line>,
}

/// A kernel that is being read.
pub struct Kernel {
    file: String,
    input: Box<dyn BufRead>,
    line: String,
    number: u64,
    /// Its header.
    pub header: Header,
}

impl Kernel {
    /// Opens `kernel-N.traceg`, or compressed, `kernel-N.tracez`, and reads the header.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let input = File::open(path).map_err(Error::io(&file))?;
        let input: Box<dyn BufRead> = if path.extension().is_some_and(|e| e == "tracez") {
            let mut decoder = zstd::stream::Decoder::new(input).map_err(Error::io(&file))?;
            decoder.window_log_max(27).map_err(Error::io(&file))?;
            Box::new(BufReader::new(decoder))
        } else {
            Box::new(BufReader::with_capacity(1 << 18, input))
        };
        let (line, number, header) = (String::new(), 0, Header::default());
        let mut kernel = Self { file, input, line, number, header };
        kernel.read_header()?;
        Ok(kernel)
    }

    fn expected<T>(&self, expected: &str) -> Result<T, Error> {
        let expected = expected.to_string();
        Err(Error::Text { file: self.file.clone(), line: self.number, expected })
    }

    /// Reads a line; false at the end of the file.
    fn next_line(&mut self) -> Result<bool, Error> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.input).take(MAX_LINE).read_line(&mut self.line);
        match read.map_err(Error::io(&self.file))? as u64 {
            MAX_LINE => self.expected("a line of less than 64 KiB"),
            n => Ok(n > 0),
        }
    }

    fn read_header(&mut self) -> Result<(), Error> {
        while self.next_line()? {
            let line = self.line.trim();
            if line.starts_with("#traces format") {
                return self.check_header();
            }
            let Some((key, value)) = line.strip_prefix('-').and_then(|l| l.split_once('=')) else {
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            let right = match key {
                "kernel name" => {
                    self.header.name = value.to_string();
                    true
                }
                "grid dim" => dimensions(value).is_some_and(|d| {
                    self.header.grid = d;
                    true
                }),
                "block dim" => dimensions(value).is_some_and(|d| {
                    self.header.block = d;
                    true
                }),
                "shmem base_addr" => hexadecimal(value).is_some_and(|addr| {
                    self.header.shared = addr;
                    true
                }),
                "local mem base_addr" => hexadecimal(value).is_some_and(|addr| {
                    self.header.local = addr;
                    true
                }),
                "enable lineinfo" => {
                    self.header.numbered = value == "1";
                    true
                }
                _ => true,
            };
            if !right {
                return self.expected("a header line with its value");
            }
        }
        self.expected("a header that ends with \"#traces format\"")
    }

    fn check_header(&self) -> Result<(), Error> {
        if self.header.grid.contains(&0) || self.header.block.contains(&0) {
            return self.expected("a grid dim and a block dim before the thread blocks");
        }
        Ok(())
    }

    /// The next thread block; false at the end. Warps are reused.
    pub fn next_block(&mut self, warps: &mut Vec<Warp>) -> Result<bool, Error> {
        warps.clear();
        while self.next_line()? {
            if self.line.trim() == "#BEGIN_TB" {
                self.read_block(warps)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read_block(&mut self, warps: &mut Vec<Warp>) -> Result<(), Error> {
        let mut left = 0u64;
        while self.next_line()? {
            let line = self.line.trim();
            if left > 0 && !line.is_empty() {
                left -= 1;
                let parsed = Line::parse(line, self.header.numbered);
                match (parsed, warps.last_mut()) {
                    (Ok(line), Some(warp)) => warp.lines.push(line),
                    (Err(expected), _) => return self.expected(expected),
                    (_, None) => return self.expected("a warp before its instructions"),
                }
            } else if line == "#END_TB" {
                return Ok(());
            } else if let Some(number) = value_of(line, "warp") {
                let Ok(number) = number.parse() else {
                    return self.expected("a warp's number");
                };
                warps.push(Warp { number, lines: Vec::new() });
            } else if let Some(count) = value_of(line, "insts") {
                match count.parse() {
                    Ok(count) => left = count,
                    Err(_) => return self.expected("a number of instructions"),
                }
            } else if !line.is_empty() && value_of(line, "thread block").is_none() {
                return self.expected("thread block, warp, insts or #END_TB");
            }
        }
        self.expected("#END_TB")
    }

    /// An error at the line that was read last.
    pub fn error(&self, expected: &str) -> Error {
        let expected = expected.to_string();
        Error::Text { file: self.file.clone(), line: self.number, expected }
    }
}

/// What follows `key =`.
fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (found, value) = line.split_once('=')?;
    (found.trim() == key).then(|| value.trim())
}

/// `(x,y,z)`
fn dimensions(text: &str) -> Option<[u32; 3]> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut numbers = inner.split(',').map(|n| n.trim().parse().ok());
    let sizes = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(sizes)
}

/// With or without `0x`.
pub fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}
