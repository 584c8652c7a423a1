//! A kernel's file: its header, then its thread blocks, one at a time.

use std::path::Path;

use super::line::Line;
use crate::trace::Error;
use crate::trace::lines::Lines;

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
    /// Bytes of shared memory of a block.
    pub group_memory: u32,
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
    /// Its text, for errors at the line that was read last.
    pub lines: Lines,
    /// Its header.
    pub header: Header,
}

impl Kernel {
    /// Opens `kernel-N.traceg`, or compressed, `kernel-N.tracez`, and reads the header.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let lines = Lines::open(path, path.extension().is_some_and(|e| e == "tracez"))?;
        let mut kernel = Self { lines, header: Header::default() };
        kernel.read_header()?;
        Ok(kernel)
    }

    fn expected<T>(&self, expected: &str) -> Result<T, Error> {
        Err(self.lines.error(expected))
    }

    fn read_header(&mut self) -> Result<(), Error> {
        while self.lines.next()? {
            let line = self.lines.line().trim();
            if line.starts_with("#traces format") {
                return self.check_header();
            }
            let Some((key, value)) = line.strip_prefix('-').and_then(|l| l.split_once('=')) else {
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            let header = &mut self.header;
            let right = match key {
                "kernel name" => set(&mut header.name, Some(value.to_string())),
                "grid dim" => set(&mut header.grid, dimensions(value)),
                "block dim" => set(&mut header.block, dimensions(value)),
                "shmem" => set(&mut header.group_memory, value.parse().ok()),
                "shmem base_addr" => set(&mut header.shared, hexadecimal(value)),
                "local mem base_addr" => set(&mut header.local, hexadecimal(value)),
                "enable lineinfo" => set(&mut header.numbered, Some(value == "1")),
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
        while self.lines.next()? {
            if self.lines.line().trim() == "#BEGIN_TB" {
                self.read_block(warps)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read_block(&mut self, warps: &mut Vec<Warp>) -> Result<(), Error> {
        let mut left = 0u64;
        while self.lines.next()? {
            let line = self.lines.line().trim();
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
}

/// False when there is no value.
fn set<T>(field: &mut T, value: Option<T>) -> bool {
    value.map(|value| *field = value).is_some()
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
