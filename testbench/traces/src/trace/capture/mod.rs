//! Raw captures of OpenCL programs: `PREFIX.bin` (records), `PREFIX.meta` (text), `PREFIX.blob`
//! (data of the host) and, where they were recorded, `PREFIX.iter` (iterations of the enclosing
//! loops), `PREFIX.work` (what is executed between accesses; in captures of version 1 `PREFIX.gap`,
//! its instructions alone) and `PREFIX.sum` (checksums).

mod atomics;
mod extents;
mod meta;
mod raw;
mod sum;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use extents::Extent;
use meta::{Allocation, Launch, Meta, buffer_of};
use raw::{RECORD_BYTES, Raw, WHOLE_GROUP, What};

use super::limits::MAX_HOST_WRITE;
use super::occurrences::Occurrences;
use super::{
    Access, AccessKind, Arg, ArgKind, Chain, Error, FirstUse, KernelSpec, Key, LANES, Mode, Record,
    Work,
};

/// Work-groups of one work-item (the program gave no local size) are joined to groups of this many.
const JOINED: u32 = 64;

/// `CL_MAP_READ`.
const MAP_READ: u16 = 1;
/// `CL_MAP_WRITE` and `CL_MAP_WRITE_INVALIDATE_REGION`.
const MAP_WRITE: u16 = 2 | 4;
/// Bits of an address that are the offset in a buffer.
const OFFSET: u64 = (1 << 48) - 1;

/// What became of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// Accesses that were left out: loads beyond the end of a buffer (the capturing device gives
    /// them no memory) and stores beyond its last page.
    pub left_out: u64,
    /// The files were compared with their checksums; captures of older plugins have none.
    pub checked: bool,
}

/// Reads the capture of this prefix into `record`.
pub fn convert(prefix: &Path, record: &mut impl Record<Error = Error>) -> Result<Converted, Error> {
    convert_watched(prefix, record, |_, _| {})
}

/// The same; `watch` receives the number of records that are read, after each kernel or work-group,
/// and of all.
pub fn convert_watched(
    prefix: &Path,
    record: &mut impl Record<Error = Error>,
    watch: impl FnMut(u64, u64),
) -> Result<Converted, Error> {
    let checked = sum::check(prefix)?;
    Ok(Converted { checked, ..Converter::open(prefix, record)?.run(watch)? })
}

/// A file of the capture: the prefix with this ending.
fn with_ending(prefix: &Path, ending: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// An open file and its name.
struct Input {
    name: String,
    reader: BufReader<File>,
}

impl Input {
    fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(Error::io(&name))?;
        Ok(Self { name, reader: BufReader::with_capacity(1 << 16, file) })
    }

    /// Fills a buffer; gives the bytes read, fewer at the end of the file.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut done = 0;
        while done < buffer.len() {
            match self.reader.read(&mut buffer[done..]) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::io(&self.name)(e)),
            }
        }
        Ok(done)
    }

    /// The next numbers of 4 bytes.
    fn numbers<const N: usize>(&mut self) -> Result<[u32; N], Error> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            let mut bytes = [0; 4];
            if self.fill(&mut bytes)? < bytes.len() {
                return self.expected("numbers for each access of a work-item");
            }
            *number = u32::from_le_bytes(bytes);
        }
        Ok(numbers)
    }

    /// Nothing is left. Errors: something is.
    fn end(&mut self) -> Result<(), Error> {
        match self.fill(&mut [0])? {
            0 => Ok(()),
            _ => self.expected("the end: there is no more access of a work-item"),
        }
    }

    /// An error where the file is read.
    fn expected<T>(&mut self, expected: &str) -> Result<T, Error> {
        let at = self.reader.stream_position().map_err(Error::io(&self.name))?;
        Err(Error::damaged(&self.name, at, expected))
    }
}

/// A buffer of the capture.
#[derive(Clone, Copy)]
struct Buffer {
    addr: u64,
    /// Size in the trace.
    bytes: u64,
    /// Size in the program.
    declared: u64,
    unsigned: bool,
}

/// The kernel that is being read.
#[derive(Default)]
struct Kernel {
    /// Its number.
    launch: u32,
    /// Work-groups of the launch.
    launched: u64,
    /// Work-items of each.
    items: u32,
    /// Work-groups begun.
    groups: u32,
    /// What the records call the last of them. It need not be unique: a capture's numbers may be
    /// wrong, the order of the work-groups is not.
    number: u32,
    /// Work-groups of one work-item are joined.
    joined: bool,
    /// A group of the trace is open.
    open: bool,
}

struct Converter<'a, R> {
    record: &'a mut R,
    bin: Input,
    blob: Input,
    /// For each access of a work-item in `bin`: iterations of four loops.
    iterations: Option<Input>,
    /// The same, and for each warp before a barrier: what was executed since the last access.
    works: Option<Input>,
    /// In captures of version 1, for each access alone: its instructions.
    gaps: Option<Input>,
    meta: Meta,
    /// Offset of the record that is being read.
    at: u64,
    buffers: HashMap<u16, Buffer>,
    /// Sizes of the buffers in the trace, in the order of allocation.
    extents: Vec<Extent>,
    /// Buffers that are not in the trace.
    hidden: HashSet<u16>,
    allocations: usize,
    converted: Converted,
    kernel: Option<Kernel>,
    occurrences: Occurrences,
    data: Vec<u8>,
}

impl<'a, R: Record<Error = Error>> Converter<'a, R> {
    fn open(prefix: &Path, record: &'a mut R) -> Result<Self, Error> {
        let beside = |ending| {
            let path = with_ending(prefix, ending);
            path.exists().then(|| Input::open(&path)).transpose()
        };
        let records = with_ending(prefix, ".bin");
        Ok(Self {
            record,
            extents: extents::extents(&mut Input::open(&records)?)?,
            converted: Converted::default(),
            bin: Input::open(&records)?,
            blob: Input::open(&with_ending(prefix, ".blob"))?,
            iterations: beside(".iter")?,
            works: beside(".work")?,
            gaps: beside(".gap")?,
            meta: meta::read(&with_ending(prefix, ".meta"))?,
            at: 0,
            buffers: HashMap::new(),
            hidden: HashSet::new(),
            allocations: 0,
            kernel: None,
            occurrences: Occurrences::default(),
            data: Vec::new(),
        })
    }

    fn expected<T>(&self, expected: impl Into<String>) -> Result<T, Error> {
        Err(Error::damaged(&self.bin.name, self.at, expected))
    }

    fn run(mut self, mut watch: impl FnMut(u64, u64)) -> Result<Converted, Error> {
        let size = RECORD_BYTES as u64;
        let all = self.bin.reader.get_ref().metadata().map_err(Error::io(&self.bin.name))?.len();
        let mut bytes = [0; RECORD_BYTES];
        loop {
            match self.bin.fill(&mut bytes)? {
                0 => break,
                RECORD_BYTES => {
                    let raw = Raw::from_bytes(&bytes);
                    self.take(&raw).map_err(|error| self.placed(error))?;
                    if matches!(raw.what(), Some(What::EndGroup | What::EndKernel)) {
                        watch(self.at / size + 1, all / size);
                    }
                }
                _ => return self.expected("a whole record of 40 bytes"),
            }
            self.at += RECORD_BYTES as u64;
        }
        if self.kernel.is_some() {
            return self.expected("the end of the last kernel");
        }
        [&mut self.iterations, &mut self.works, &mut self.gaps]
            .into_iter()
            .flatten()
            .try_for_each(Input::end)?;
        Ok(self.converted)
    }

    /// What a trace cannot hold stands at the record that is being read.
    fn placed(&self, error: Error) -> Error {
        match error {
            Error::Program { what, .. } => {
                Error::program(&format!("{}, offset {}", self.bin.name, self.at), what)
            }
            error => error,
        }
    }

    fn take(&mut self, raw: &Raw) -> Result<(), Error> {
        let Some(what) = raw.what() else {
            return self.expected(format!("a kind of record, found {}", raw.kind));
        };
        let is_host = matches!(
            what,
            What::Alloc | What::Free | What::HostRead | What::HostWrite | What::Map | What::Unmap
        );
        if is_host && self.kernel.is_some() {
            return self.expected("the end of the kernel before the host does more");
        }
        match what {
            What::Load | What::Store | What::Atomic => self.access(what, raw),
            What::Barrier => self.barrier(),
            What::BeginKernel => self.begin_kernel(raw),
            What::EndKernel => self.end_kernel(),
            What::BeginGroup => self.begin_group(raw),
            What::EndGroup => self.end_group(),
            What::Alloc => self.alloc(raw),
            What::Free => self.free(raw),
            What::Map if raw.aux & MAP_READ == 0 => Ok(()),
            What::Unmap if raw.aux & MAP_WRITE == 0 => Ok(()),
            What::HostRead | What::Map => self.host_read(raw),
            What::HostWrite | What::Unmap => {
                self.host_write(raw.addr, raw.number(0), raw.number(1))
            }
        }
    }

    /// The trace's address of bytes that the host reads or writes.
    fn place(&self, addr: u64, bytes: u64) -> Result<u64, Error> {
        let offset = addr & OFFSET;
        let buffer = self.buffers.get(&buffer_of(addr));
        match buffer.filter(|b| b.bytes.checked_sub(offset).is_some_and(|left| left >= bytes)) {
            Some(buffer) => Ok(buffer.addr + offset),
            None => self.expected(format!("{bytes} bytes inside a live buffer, found {addr:#x}")),
        }
    }

    fn alloc(&mut self, raw: &Raw) -> Result<(), Error> {
        let (id, declared) = (buffer_of(raw.addr), raw.number(0));
        let (allocation, extent) =
            (self.meta.allocations.get(self.allocations), self.extents.get(self.allocations));
        let (Some(allocation), Some(&extent)) = (allocation, extent) else {
            return self.expected("no more buffers than .meta names");
        };
        self.allocations += 1;
        let Allocation { addr: at, bytes: size, unsigned, .. } = *allocation;
        let is_constant = allocation.is_plain && allocation.name.is_none();
        let name = allocation.name.clone().unwrap_or_else(|| format!("buffer{id}"));
        if (at, size) != (raw.addr, declared) {
            let meta = format!("{size} bytes at {at:#x} as .meta says");
            return self.expected(format!("{meta}, found {declared} at {:#x}", raw.addr));
        }
        // A constant that no kernel loads: a format of `printf`, which is not the program's data.
        if is_constant && !extent.is_used {
            self.hidden.insert(id);
            return Ok(());
        }
        let bytes = extent.bytes;
        let addr = self.record.alloc(&name, bytes)?;
        self.buffers.insert(id, Buffer { addr, bytes, declared, unsigned });
        if raw.aux != 0 { self.host_write(raw.addr, declared, raw.number(1)) } else { Ok(()) }
    }

    fn free(&mut self, raw: &Raw) -> Result<(), Error> {
        if self.hidden.remove(&buffer_of(raw.addr)) {
            return Ok(());
        }
        match self.buffers.remove(&buffer_of(raw.addr)) {
            Some(buffer) => self.record.free(buffer.addr),
            None => self.expected("a live buffer to free"),
        }
    }

    fn host_read(&mut self, raw: &Raw) -> Result<(), Error> {
        let addr = self.place(raw.addr, raw.number(0))?;
        self.record.host_read(addr, raw.number(0))
    }

    /// Copies from the blob, in pieces.
    fn host_write(&mut self, addr: u64, bytes: u64, from: u64) -> Result<(), Error> {
        if self.hidden.contains(&buffer_of(addr)) {
            return Ok(());
        }
        let addr = self.place(addr, bytes)?;
        self.blob.reader.seek(SeekFrom::Start(from)).map_err(Error::io(&self.blob.name))?;
        let mut done = 0;
        while done < bytes {
            let piece = (bytes - done).min(MAX_HOST_WRITE as u64) as usize;
            self.data.resize(piece, 0);
            if self.blob.fill(&mut self.data)? < piece {
                let expected = format!("{bytes} bytes of host data from {from}");
                return Err(Error::damaged(&self.blob.name, from + done, expected));
            }
            self.record.host_write(addr + done, &self.data)?;
            done += piece as u64;
        }
        Ok(())
    }

    fn begin_kernel(&mut self, raw: &Raw) -> Result<(), Error> {
        if self.kernel.is_some() {
            return self.expected("the end of the kernel before another begins");
        }
        let Some(launch) = self.meta.launches.get(raw.kernel as usize) else {
            return self.expected("a kernel that .meta describes");
        };
        let count = |sizes: [u32; 3]| sizes.map(u64::from).iter().product::<u64>();
        let joined = count(launch.local) == 1 && count(launch.groups) > 1;
        let (mut grid, mut local) = (launch.global, launch.local);
        if joined {
            let Ok(items) = u32::try_from(count(launch.groups)) else {
                return self.expected("less than 2^32 work-groups");
            };
            (grid, local) = ([items, 1, 1], [JOINED, 1, 1]);
        }
        let launched = count(launch.groups);
        let items = u32::try_from(count(launch.local)).unwrap_or(u32::MAX);
        // Each of those that are joined has its own.
        let group_memory = launch.group_memory.saturating_mul(if joined { JOINED } else { 1 });
        let (name, args) = (launch.name.clone(), self.args(launch));
        let spec = KernelSpec { name, grid, local, group_memory, stream: 0, args };
        self.record.begin_kernel(spec)?;
        self.kernel =
            Some(Kernel { launch: raw.kernel, launched, joined, items, ..Kernel::default() });
        Ok(())
    }

    fn args(&self, launch: &Launch) -> Vec<Arg> {
        let kind = |arg: &meta::LaunchArg| -> Option<ArgKind> {
            let pointer = arg.pointer?;
            let buffer = self.buffers.get(&buffer_of(pointer))?;
            let offset = pointer & OFFSET;
            let mode = if arg.read_only { Mode::Read } else { Mode::ReadWrite };
            let (addr, bytes) = (buffer.addr + offset, buffer.bytes.checked_sub(offset)?);
            Some(ArgKind::Buffer { addr, bytes, mode, ranges: Vec::new() })
        };
        let args = launch.args.iter();
        args.map(|arg| Arg { name: arg.name.clone(), kind: kind(arg).unwrap_or(ArgKind::Plain) })
            .collect()
    }

    fn end_kernel(&mut self) -> Result<(), Error> {
        let Some(kernel) = self.kernel.take() else {
            return self.expected("the begin of a kernel before its end");
        };
        if u64::from(kernel.groups) != kernel.launched {
            let (launched, groups) = (kernel.launched, kernel.groups);
            return self.expected(format!("{launched} work-groups in the kernel, found {groups}"));
        }
        if kernel.open {
            if !kernel.joined {
                return self.expected("the end of the work-group before its kernel's");
            }
            self.record.end_group()?;
        }
        self.record.end_kernel()
    }

    fn begin_group(&mut self, raw: &Raw) -> Result<(), Error> {
        let Some(kernel) = &mut self.kernel else {
            return self.expected("work-groups inside a kernel");
        };
        if kernel.open && !kernel.joined {
            return self.expected("the end of a work-group before another begins");
        }
        let first = kernel.groups % JOINED == 0;
        kernel.number = raw.group;
        kernel.groups += 1;
        if kernel.joined && !first {
            return Ok(());
        }
        self.occurrences.clear();
        if std::mem::replace(&mut kernel.open, true) {
            self.record.end_group()?;
        }
        self.record.begin_group()
    }

    fn end_group(&mut self) -> Result<(), Error> {
        match &mut self.kernel {
            // It ends when the next one begins.
            Some(kernel) if kernel.joined => Ok(()),
            Some(kernel) if kernel.open => {
                kernel.open = false;
                self.record.end_group()
            }
            _ => self.expected("the begin of a work-group before its end"),
        }
    }

    fn barrier(&mut self) -> Result<(), Error> {
        let (is_alone, items) = match &self.kernel {
            Some(kernel) => (kernel.joined, if kernel.joined { 1 } else { kernel.items }),
            None => (false, 0),
        };
        for warp in 0..items.div_ceil(LANES as u32) {
            let Some((work, _)) = self.next_work()? else { break };
            if !is_alone {
                self.record.work(warp, work)?;
            }
        }
        if is_alone {
            return Ok(());
        }
        self.occurrences.clear();
        self.record.barrier()
    }

    /// The next of the works, where there are some.
    fn next_work(&mut self) -> Result<Option<(Work, FirstUse)>, Error> {
        let Some(file) = &mut self.works else { return Ok(None) };
        let [instructions, first_use, special, local, passes, chain @ ..] = file.numbers::<8>()?;
        let first_use = match first_use {
            0 => FirstUse::Unknown,
            1 => FirstUse::Never,
            after => FirstUse::After(after - 1),
        };
        let [arithmetic, of_special, of_local] = chain;
        let chain = Chain { arithmetic, special: of_special, local: of_local };
        Ok(Some((Work { instructions, special, local, passes, chain }, first_use)))
    }

    fn access(&mut self, what: What, raw: &Raw) -> Result<(), Error> {
        let size = usize::from(raw.size);
        let most = if what == What::Atomic { 8 } else { 16 };
        if size == 0 || size > most {
            return self.expected(format!("an access of 1 to {most} bytes, found {size}"));
        }
        let Some(kernel) = self.kernel.as_ref().filter(|k| k.open && k.number == raw.group) else {
            return self.expected(format!("an access of the open work-group, found {}", raw.group));
        };
        if kernel.launch != raw.kernel {
            let expected = format!("an access of launch {}, found {}", kernel.launch, raw.kernel);
            return self.expected(expected);
        }
        let item = match raw.item {
            _ if kernel.joined => (kernel.groups - 1) % JOINED,
            WHOLE_GROUP => 0,
            item => u32::from(item),
        };
        let alone = raw.item != WHOLE_GROUP;
        let iteration = match &mut self.iterations {
            Some(file) if alone => Some(file.numbers()?),
            _ => None,
        };
        let (mut work, first_use) = match (&mut self.gaps, alone) {
            (Some(file), true) => (Work::of(file.numbers::<1>()?[0]), FirstUse::Unknown),
            (None, true) => self.next_work()?.unwrap_or_default(),
            (_, false) => (Work::default(), FirstUse::Unknown),
        };
        let Some((buffer, addr)) = self.access_place(what, raw)? else {
            self.converted.left_out += 1;
            return Ok(());
        };
        if what == What::Atomic {
            let (old, new) = (raw.number(0), raw.number(1));
            let replayed = atomics::replayed(raw.aux, old, new, raw.size, buffer.unsigned);
            let Some((op, operand)) = replayed else {
                return self.expected(format!("an atomic operation, found {}", raw.aux));
            };
            let key = self.key(item, raw.pc, iteration);
            let kind = AccessKind::Atomic { op, old: &old.to_le_bytes()[..size] };
            let bytes = &operand.to_le_bytes()[..size];
            return self.record.access(&Access { item, key, kind, addr, bytes, work, first_use });
        }
        let kind = if what == What::Load { AccessKind::Load } else { AccessKind::Store };
        let mut done = 0;
        while done < size {
            // The greatest power of 2 that is left: 12 bytes are 8 and 4.
            let piece = 1 << (size - done).ilog2();
            let key = self.key(item, raw.pc, iteration);
            let (addr, bytes) = (addr + done as u64, &raw.value[done..done + piece]);
            self.record.access(&Access { item, key, kind, addr, bytes, work, first_use })?;
            work = Work::default();
            done += piece;
        }
        Ok(())
    }

    /// The buffer and the trace's address of an access; none when it must be left out.
    fn access_place(&self, what: What, raw: &Raw) -> Result<Option<(Buffer, u64)>, Error> {
        let Some(buffer) = self.buffers.get(&buffer_of(raw.addr)) else {
            return self.expected(format!("an address in a live buffer, found {:#x}", raw.addr));
        };
        let offset = raw.addr & OFFSET;
        let end = if what == What::Load { buffer.declared } else { buffer.bytes };
        let inside = offset + u64::from(raw.size) <= end;
        Ok(inside.then_some((*buffer, buffer.addr + offset)))
    }

    fn key(&mut self, item: u32, pc: u16, iteration: Option<[u32; 4]>) -> Key {
        let pc = u32::from(pc);
        match iteration {
            Some(iteration) => Key { pc, iteration },
            None => self.occurrences.next(item, pc),
        }
    }
}
