//! A kernel's file: its header, then its thread blocks, in the order of their numbers.

use std::collections::BTreeMap;
use std::path::Path;

use super::header::{Header, triple};
use super::line::{Line, WARP, What};
use super::uses::Uses;
use crate::trace::Error;
use crate::trace::lines::{Compression, Lines};

/// Most bytes of instructions that are held at a time: those of one thread block, and of blocks
/// that stand before their turn.
const MAX_HELD: usize = if cfg!(test) { 1 << 20 } else { 1 << 30 };

/// A warp of a thread block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warp {
    /// Its number in the block.
    pub number: u32,
    /// Its instructions.
    pub lines: Vec<Line>,
}

/// A thread block that has been read.
#[derive(Default)]
struct Block {
    /// Instructions of each warp, by its number.
    warps: BTreeMap<u32, Vec<Line>>,
    /// What it takes.
    bytes: usize,
}

/// A kernel that is being read.
pub struct Kernel {
    /// Its text, for errors at the line that was read last.
    pub lines: Lines,
    /// Its header.
    pub header: Header,
    /// Thread blocks.
    blocks: u64,
    /// Number of the next thread block.
    next: u64,
    /// Thread blocks that stand before their turn.
    held: BTreeMap<u64, Block>,
    /// Bytes of instructions of the blocks that are held or being read.
    bytes: usize,
    /// Finds the facts of accesses. None: the pass does not compute them.
    uses: Option<Uses>,
}

/// How a file is compressed, by its name. None: it is no kernel's file.
pub fn compression(name: &str) -> Option<Compression> {
    let endings = [
        (".traceg", Compression::None),
        (".tracez", Compression::Zstd),
        (".traceg.xz", Compression::Xz),
    ];
    endings.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|found| found.1)
}

impl Kernel {
    /// Opens `kernel-N.traceg`, or compressed, `kernel-N.traceg.xz` or `kernel-N.tracez`, and reads
    /// the header.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let compression = compression(&path.to_string_lossy()).unwrap_or(Compression::None);
        let lines = Lines::open(path, compression)?;
        let (header, held) = (Header::default(), BTreeMap::new());
        let mut kernel = Self { lines, header, blocks: 0, next: 0, held, bytes: 0, uses: None };
        kernel.read_header()?;
        Ok(kernel)
    }

    /// The same, with the facts of each access.
    pub fn open_with_facts(path: &Path) -> Result<Self, Error> {
        Ok(Self { uses: Some(Uses::default()), ..Self::open(path)? })
    }

    fn expected<T>(&self, expected: &str) -> Result<T, Error> {
        Err(self.lines.error(expected))
    }

    /// Reads up to the first line that begins with `#` and has all that is needed before it. Such
    /// lines before are comments.
    fn read_header(&mut self) -> Result<(), Error> {
        while self.lines.next()? {
            let line = self.lines.line().trim();
            if line == "#BEGIN_TB" {
                return match self.header.missing() {
                    Some(field) => self.expected(&format!("-{field} before #BEGIN_TB")),
                    None => self.expected("a line that begins with # before #BEGIN_TB"),
                };
            }
            if line.starts_with('#') && self.header.missing().is_none() {
                return self.check_header();
            }
            if !line.is_empty() && !line.starts_with('#') {
                let read = self.header.field(line);
                read.map_err(|expected| self.lines.error(&expected))?;
            }
        }
        self.expected("a header that ends with \"#traces format\"")
    }

    fn check_header(&mut self) -> Result<(), Error> {
        if self.header.threads().is_none() {
            return self.expected("a grid of less than 2^32 threads");
        }
        match self.header.blocks() {
            Some(blocks) => self.blocks = blocks,
            None => return self.expected("a grid of less than 2^64 thread blocks"),
        }
        Ok(())
    }

    /// The next thread block; false at the end.
    pub fn next_block(&mut self, warps: &mut Vec<Warp>) -> Result<bool, Error> {
        while !self.held.contains_key(&self.next) {
            if !self.find_block()? {
                let (blocks, found) = (self.blocks, self.next + self.held.len() as u64);
                if found == blocks {
                    return Ok(false);
                }
                let all = format!("{blocks} thread blocks, the product of grid dim, found {found}");
                return self.expected(&all);
            }
            let (number, block) = self.read_block()?;
            self.held.insert(number, block);
        }
        let block = self.held.remove(&self.next).unwrap_or_default();
        self.bytes -= block.bytes;
        self.next += 1;
        warps.clear();
        warps.extend(block.warps.into_iter().map(|(number, lines)| Warp { number, lines }));
        Ok(true)
    }

    /// Reads up to the begin of a thread block; false at the end of the file.
    fn find_block(&mut self) -> Result<bool, Error> {
        while self.lines.next()? {
            let line = self.lines.line().trim();
            if line == "#BEGIN_TB" {
                return Ok(true);
            }
            let comment = line.starts_with('#') && line != "#END_TB";
            if !line.is_empty() && !comment {
                return self.expected("#BEGIN_TB before more of the kernel");
            }
        }
        Ok(false)
    }

    /// A thread block and its number.
    fn read_block(&mut self) -> Result<(u64, Block), Error> {
        let number = self.block_number()?;
        let mut block = Block::default();
        self.hold(&mut block, size_of::<Block>())?;
        while self.lines.next()? {
            let line = self.lines.line().trim();
            if line == "#END_TB" {
                return Ok((number, block));
            }
            if let Some(warp) = value_of(line, "warp") {
                let number = self.warp_number(warp, &block)?;
                self.hold(&mut block, size_of::<Warp>())?;
                let lines = self.instructions(&mut block)?;
                block.warps.insert(number, lines);
            } else if !line.is_empty() && (!block.warps.is_empty() || !is_of_cluster(line)) {
                return self.expected("thread block, warp, insts or #END_TB");
            }
        }
        self.expected("#END_TB")
    }

    /// The next line that holds something. Errors: there is none.
    fn filled_line(&mut self, expected: &str) -> Result<&str, Error> {
        while self.lines.next()? {
            if !self.lines.line().trim().is_empty() {
                return Ok(self.lines.line().trim());
            }
        }
        self.expected(expected)
    }

    fn block_number(&mut self) -> Result<u64, Error> {
        const EXPECTED: &str = "thread block = X,Y,Z";
        let line = self.filled_line(EXPECTED)?;
        let Some(at) = value_of(line, "thread block").and_then(triple) else {
            return self.expected(EXPECTED);
        };
        let [x, y, z] = at;
        let Some(number) = self.header.number(at) else {
            let [width, height, depth] = self.header.grid;
            let grid = format!("a thread block of grid dim ({width},{height},{depth})");
            return self.expected(&format!("{grid}, found {x},{y},{z}"));
        };
        if number < self.next || self.held.contains_key(&number) {
            return self.expected(&format!("thread block {x},{y},{z} once"));
        }
        Ok(number)
    }

    fn warp_number(&self, text: &str, block: &Block) -> Result<u32, Error> {
        let Ok(number) = text.parse::<u32>() else {
            return self.expected(&format!("a warp's number, found {text}"));
        };
        let (warps, threads) = (self.header.warps(), self.header.block_threads());
        if u64::from(number) >= warps {
            let item = u64::from(number) * WARP as u64;
            let first = format!("work-item {item} of a work-group of {threads}");
            return self
                .expected(&format!("a warp's number below {warps}, found {number}: {first}"));
        }
        if block.warps.contains_key(&number) {
            return self.expected(&format!("warp {number} once in a thread block"));
        }
        Ok(number)
    }

    /// A block takes more memory. Errors: all that are held take too much.
    fn hold(&mut self, block: &mut Block, bytes: usize) -> Result<(), Error> {
        block.bytes += bytes;
        self.bytes += bytes;
        if self.bytes <= MAX_HELD {
            return Ok(());
        }
        let (most, held) = (MAX_HELD >> 20, self.held.len());
        self.expected(&format!("a thread block of at most {most} MiB with {held} that wait for it"))
    }

    /// `insts = N` and N instructions.
    fn instructions(&mut self, block: &mut Block) -> Result<Vec<Line>, Error> {
        const EXPECTED: &str = "insts = N";
        let line = self.filled_line(EXPECTED)?;
        let count = value_of(line, "insts").and_then(|count| count.parse::<u64>().ok());
        let Some(count) = count else { return self.expected(EXPECTED) };
        let numbered = self.header.numbered;
        let mut lines: Vec<Line> = Vec::new();
        if let Some(uses) = &mut self.uses {
            uses.begin_warp();
        }
        for _ in 0..count {
            let text = self.filled_line("an instruction")?;
            let (mut line, step) = match Line::parse(text, numbered) {
                Ok(parsed) => parsed,
                Err(expected) => return self.expected(&expected),
            };
            if let Some(uses) = &mut self.uses {
                let recorded = self.header.global_lanes(&line).fold(0, |all, at| all | 1 << at.0);
                uses.execute(&mut line, &step, recorded, &mut lines);
            }
            // Of what accesses nothing the facts of later accesses are all that is needed.
            if line.what != What::Other {
                self.hold(block, line.bytes())?;
                lines.push(line);
            }
        }
        Ok(lines)
    }
}

/// A line about the cluster of a thread block.
fn is_of_cluster(line: &str) -> bool {
    ["cluster id", "cluster cta", "cluster rank"].iter().any(|key| value_of(line, key).is_some())
}

/// What follows `key =`.
fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (found, value) = line.split_once('=')?;
    (found.trim() == key).then(|| value.trim())
}
