//! Traces of Accel-Sim: `kernelslist.g` and a file for each kernel.
//!
//! They hold addresses and no values. Stores and copies of the host get values made of address and
//! order; loads get what these leave in memory. First uses and chains follow from the registers
//! that instructions name (`uses`). What `opcodes` leaves out is counted. The trace does not name
//! buffers: neighbouring pages that are used become one. All kernels run in one stream, in the
//! order of the list, because the values are made in that order.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod first_uses_tests;
mod header;
mod kernel;
mod line;
mod opcodes;
mod operands;
mod regions;
mod registers;
mod shared;
#[cfg(test)]
mod tests;
mod uses;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use header::{Header, hexadecimal};
use kernel::{Kernel, Warp, compression};
use line::{Line, WARP, What};
use regions::{Pages, Region, Regions};
use words::ADDRESS_END;

use super::limits::MAX_HOST_WRITE;
use super::lines::{Compression, Lines};
use super::occurrences::Occurrences;
use super::pages::Memory;
use super::{Access, AccessKind, Arg, ArgKind, Error, KernelSpec, Mode, Record};

/// Most bytes of a line of the list.
const MAX_LINE: u64 = 1 << 12;

/// What became of the kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// What was left out: names of opcodes, and how often lanes executed them.
    pub left_out: BTreeMap<String, u64>,
    /// Fields of headers that are not known.
    pub unknown: BTreeSet<String>,
    /// CUDA streams of the kernels.
    pub streams: BTreeSet<u64>,
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    Copy { addr: u64, bytes: u64 },
    Kernel(PathBuf),
}

/// Reads the list and its kernels into `record`.
pub fn import(list: &Path, record: &mut impl Record<Error = Error>) -> Result<Imported, Error> {
    let commands = read_list(list)?;
    let touched = touched_pages(&commands)?;
    let regions = find_regions(&commands, &touched, record).map_err(in_file(list))?;
    let (occurrences, memory) = (Occurrences::default(), Memory::default());
    let imported = Imported::default();
    let mut import = Import { record, touched, regions, occurrences, memory, order: 0, imported };
    for command in &commands {
        match command {
            Command::Copy { addr, bytes } => import.copy(*addr, *bytes).map_err(in_file(list))?,
            Command::Kernel(path) => import.kernel(path).map_err(in_file(path))?,
        }
    }
    Ok(import.imported)
}

/// What a trace cannot hold stands in this file.
fn in_file(path: &Path) -> impl Fn(Error) -> Error + '_ {
    move |error| match error {
        Error::Program { what, .. } => Error::program(&path.display().to_string(), what),
        error => error,
    }
}

fn read_list(path: &Path) -> Result<Vec<Command>, Error> {
    let mut lines = Lines::open(path, Compression::None)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut commands = Vec::new();
    while lines.piece(MAX_LINE)? {
        let text = lines.line().trim();
        if let Some(copy) = text.strip_prefix("MemcpyHtoD,") {
            let fields = copy.split_once(',');
            let fields = fields.and_then(|(addr, n)| Some((hexadecimal(addr)?, n.parse().ok()?)));
            let (addr, bytes) = fields.ok_or_else(|| lines.error("MemcpyHtoD,ADDRESS,BYTES"))?;
            if addr >= ADDRESS_END || bytes >= ADDRESS_END {
                return Err(lines.error("an address and a size below 2^62"));
            }
            commands.push(Command::Copy { addr, bytes });
        } else if compression(text).is_some() {
            commands.push(Command::Kernel(folder.join(text)));
        } else if !text.is_empty() && !text.starts_with('#') {
            return Err(lines.error("MemcpyHtoD,… or kernel-N.traceg, .traceg.xz or .tracez"));
        }
    }
    Ok(commands)
}

/// Calls `visit` with each access to global memory: address, bytes, is it written.
fn each_access(path: &Path, mut visit: impl FnMut(u64, u8, bool)) -> Result<(), Error> {
    let mut kernel = Kernel::open(path)?;
    let mut warps = Vec::new();
    while kernel.next_block(&mut warps)? {
        for line in warps.iter().flat_map(|warp| &warp.lines) {
            for (_, addr) in kernel.header.global_lanes(line) {
                visit(addr, line.size, line.what != What::Load);
            }
        }
    }
    Ok(())
}

/// Pages that kernels access.
fn touched_pages(commands: &[Command]) -> Result<Pages, Error> {
    let mut pages = Pages::default();
    for command in commands {
        if let Command::Kernel(path) = command {
            each_access(path, |addr, size, _| pages.add(addr, u64::from(size)))?;
        }
    }
    Ok(pages)
}

/// Buffers: pages that are copied to or accessed, where a kernel accesses one of them.
fn find_regions(
    commands: &[Command],
    touched: &Pages,
    record: &mut impl Record<Error = Error>,
) -> Result<Regions, Error> {
    let mut pages = touched.clone();
    for command in commands {
        if let Command::Copy { addr, bytes } = command {
            pages.add(*addr, *bytes);
        }
    }
    let mut regions = Regions::default();
    for (from, end) in
        pages.runs().filter(|&(from, end)| touched.within(from, end).next().is_some())
    {
        let addr = record.alloc(&format!("at {from:#x}"), end - from)?;
        regions.0.push(Region { from, end, addr });
    }
    Ok(regions)
}

/// Scrambles a number (splitmix64).
fn scramble(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

struct Import<'a, R> {
    record: &'a mut R,
    /// What copies are kept of.
    touched: Pages,
    regions: Regions,
    occurrences: Occurrences,
    memory: Memory,
    /// Stores and atomics so far.
    order: u64,
    imported: Imported,
}

impl<R: Record<Error = Error>> Import<'_, R> {
    /// A value for the next store to this address.
    fn value(&mut self, addr: u64) -> [u8; 16] {
        self.order += 1;
        let low = scramble(addr ^ self.order.rotate_left(32));
        let mut value = [0; 16];
        value[..8].copy_from_slice(&low.to_le_bytes());
        value[8..].copy_from_slice(&scramble(low).to_le_bytes());
        value
    }

    /// Copies to the pages that kernels access.
    fn copy(&mut self, from: u64, bytes: u64) -> Result<(), Error> {
        let runs: Vec<(u64, u64)> = self.touched.within(from, from + bytes).collect();
        for (from, end) in runs {
            // `find_regions` has seen it.
            let Some(addr) = self.regions.place(from) else { continue };
            self.host_write(addr, end - from)?;
        }
        Ok(())
    }

    fn host_write(&mut self, addr: u64, bytes: u64) -> Result<(), Error> {
        let mut data = Vec::new();
        let mut done = 0;
        while done < bytes {
            let piece = (bytes - done).min(MAX_HOST_WRITE as u64) as usize;
            data.clear();
            while data.len() < piece {
                let value = self.value(addr + done + data.len() as u64);
                data.extend_from_slice(&value[..16.min(piece - data.len())]);
            }
            self.record.host_write(addr + done, &data)?;
            self.memory.write(addr + done, &data);
            done += piece as u64;
        }
        Ok(())
    }

    fn kernel(&mut self, path: &Path) -> Result<(), Error> {
        let args = self.args(path)?;
        let mut kernel = Kernel::open_with_facts(path)?;
        let Header { name, block, group_memory, .. } = kernel.header.clone();
        self.imported.unknown.extend(kernel.header.unknown.iter().cloned());
        self.imported.streams.insert(kernel.header.stream);
        // `Kernel::open` has checked it.
        let items = kernel.header.threads().unwrap_or_default();
        let spec = KernelSpec { name, grid: items, local: block, group_memory, stream: 0, args };
        self.record.begin_kernel(spec)?;
        let mut warps = Vec::new();
        while kernel.next_block(&mut warps)? {
            self.record.begin_group()?;
            self.block(&kernel, &warps)?;
            self.record.end_group()?;
        }
        self.record.end_kernel()
    }

    /// Stands for the unknown arguments: the regions that the kernel uses, and how.
    fn args(&self, path: &Path) -> Result<Vec<Arg>, Error> {
        let mut modes: BTreeMap<usize, Mode> = BTreeMap::new();
        each_access(path, |addr, _, written| {
            if let Some(region) = self.regions.find(addr) {
                let mode = modes.entry(region).or_insert(Mode::Read);
                if written {
                    *mode = Mode::ReadWrite;
                }
            }
        })?;
        let arg = |(region, mode): (usize, Mode)| {
            let Region { from, end, addr } = self.regions.0[region];
            let kind = ArgKind::Buffer { addr, bytes: end - from, mode, ranges: Vec::new() };
            Arg { name: format!("at {from:#x}"), kind }
        };
        Ok(modes.into_iter().map(arg).collect())
    }

    /// The warps of a block, from barrier to barrier.
    fn block(&mut self, kernel: &Kernel, warps: &[Warp]) -> Result<(), Error> {
        let mut at = vec![0; warps.len()];
        loop {
            self.occurrences.clear();
            let mut barrier = false;
            for (warp, at) in warps.iter().zip(&mut at) {
                while let Some(line) = warp.lines.get(*at) {
                    *at += 1;
                    if line.what == What::Barrier {
                        barrier = true;
                        break;
                    }
                    self.line(kernel, warp.number, line)?;
                }
            }
            if !barrier {
                return Ok(());
            }
            self.record.barrier()?;
        }
    }

    fn line(&mut self, kernel: &Kernel, warp: u32, line: &Line) -> Result<(), Error> {
        let first = warp.checked_mul(WARP as u32);
        let first = first.ok_or_else(|| kernel.lines.error("a warp's number that exists"))?;
        if line.accesses() {
            let mut accessed = 0;
            for (lane, addr) in kernel.header.global_lanes(line) {
                self.access(first, lane, line, addr)?;
                accessed += 1;
            }
            let left_out = line.lanes().count() as u64 - accessed;
            self.leave_out(left_out, || format!("{} (shared or local)", line.name));
            return Ok(());
        }
        if line.what == What::LeftOut {
            self.leave_out(line.lanes().count() as u64, || line.name.to_string());
        }
        if line.what == What::Fence {
            for item in line.lanes().map(|lane| first + lane as u32) {
                let key = self.occurrences.next(item, line.pc);
                self.record.fence(item, key)?;
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, count: u64, name: impl FnOnce() -> String) {
        if count > 0 {
            *self.imported.left_out.entry(name()).or_default() += count;
        }
    }

    /// An access of a lane of the warp whose first work-item is `first`.
    fn access(&mut self, first: u32, lane: usize, line: &Line, addr: u64) -> Result<(), Error> {
        // `find_regions` has seen the access.
        let Some(addr) = self.regions.place(addr) else { return Ok(()) };
        let item = first + lane as u32;
        let key = self.occurrences.next(item, line.pc);
        let size = usize::from(line.size);
        let mut old = [0; 16];
        self.memory.read(addr, &mut old[..size]);
        let value = if line.what == What::Load { old } else { self.value(addr) };
        let (old, bytes) = (&old[..size], &value[..size]);
        let kind = match line.what {
            What::Store => {
                self.memory.write(addr, bytes);
                AccessKind::Store
            }
            What::Atomic(op) => {
                self.memory.update(op, addr, bytes);
                AccessKind::Atomic { op, old }
            }
            _ => AccessKind::Load,
        };
        let rank = line.rank(lane);
        let (work, first_use) = (line.facts.work(rank), line.facts.first_use(rank));
        self.record.access(&Access { item, key, kind, addr, bytes, work, first_use })
    }
}
