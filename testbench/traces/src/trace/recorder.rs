//! Records a program: checks what it does, regroups it into warps, writes it.

use std::io::{Cursor, Read, Seek, Write};
use std::path::Path;

use files::PartFile;
use ports::is_hidden;

use super::buffers::Buffers;
use super::classes::{Classifier, Counts, Overlaps};
use super::first_touches::FirstTouches;
use super::instr_code::put_instr;
use super::limits::{
    ADDRESS_END, BUFFER, MAX_ARGS, MAX_GROUP_ITEMS, MAX_KERNELS, MAX_NAME, MAX_RANGES, MAX_STREAMS,
    MAX_TABLE, PAGE, SHIFT_END,
};
use super::private::Private;
use super::regroup::Regrouper;
use super::streams::Streams;
use super::writer::{Begun, Writer};
use super::{
    Access, AccessKind, ArgKind, Bound, Error, Event, FirstUse, Instr, InstrKind, KernelHead,
    KernelSpec, Key, Record, Totals, Work,
};

/// First address that a buffer gets: no valid address looks like a small number.
const FIRST_ADDRESS: u64 = 1 << 20;

/// How far the program is.
#[derive(Debug, Default)]
enum State {
    #[default]
    Host,
    Kernel(Begun, KernelHead),
    Group(Begun, KernelHead),
    /// An error left the trace incomplete.
    Broken,
}

/// Records a program to `W`.
pub struct Recorder<W> {
    writer: Writer<W>,
    state: State,
    buffers: Buffers,
    private: Private,
    /// Where the next buffer's pages begin.
    next_page: u64,
    /// What each buffer begins behind its first page's beginning.
    shift: u64,
    regrouper: Regrouper,
    first_touches: FirstTouches,
    /// Encoded instructions of the group's warps.
    warps: Vec<Vec<u8>>,
    /// Of each warp what it has executed before the next barrier.
    works: Vec<Work>,
    instr: Instr,
    classifier: Classifier,
    streams: Streams,
    /// What the kernels of several streams touch that are not classed.
    overlaps: Overlaps,
    /// What happened since the first of them.
    unclassed: Vec<Unclassed>,
}

/// A kernel that may overlap with others to come, or what happens beside it.
enum Unclassed {
    Kernel(Begun, KernelHead),
    Event(Event),
}

impl Recorder<PartFile> {
    /// Records the program `name` to a file, which appears when the trace is complete. Its folder
    /// is made where it is missing.
    pub fn create(path: impl AsRef<Path>, name: &str) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let out = PartFile::create(path).map_err(Error::io(&file))?;
        Self::new(out, &file, name)
    }

    /// Completes the file.
    pub fn save(self) -> Result<(), Error> {
        let file = self.writer.file().to_string();
        self.finish()?.finish().map_err(Error::io(&file))
    }
}

impl Recorder<Cursor<Vec<u8>>> {
    /// Records the program `name` in memory.
    pub fn in_memory(name: &str) -> Result<Self, Error> {
        Self::new(Cursor::new(Vec::new()), name, name)
    }

    /// The trace.
    pub fn into_bytes(self) -> Result<Vec<u8>, Error> {
        Ok(self.finish()?.into_inner())
    }
}

impl<W: Read + Write + Seek> Recorder<W> {
    /// Records the program `name` to the start of `out`; `file` names it in errors.
    pub fn new(out: W, file: &str, name: &str) -> Result<Self, Error> {
        Ok(Self {
            writer: Writer::new(out, file, name)?,
            state: State::Host,
            buffers: Buffers::default(),
            private: Private::default(),
            next_page: FIRST_ADDRESS,
            shift: 0,
            regrouper: Regrouper::default(),
            first_touches: FirstTouches::default(),
            warps: Vec::new(),
            works: Vec::new(),
            instr: Instr::default(),
            classifier: Classifier::default(),
            streams: Streams::default(),
            overlaps: Overlaps::default(),
            unclassed: Vec::new(),
        })
    }

    /// Compresses for speed: for a trace that is read once and not kept.
    pub fn fast(mut self) -> Result<Self, Error> {
        self.writer.be_fast()?;
        Ok(self)
    }

    /// Lets all buffers begin so many bytes behind the beginning of a page, with whole pages
    /// between them: other lines fall into other banks and sets. Errors: no multiple of [`BUFFER`]
    /// below [`SHIFT_END`].
    pub fn shifted(mut self, bytes: u64) -> Result<Self, Error> {
        if bytes >= SHIFT_END || !bytes.is_multiple_of(BUFFER) {
            let limit = format!("a multiple of {BUFFER} below {SHIFT_END}");
            return self.refuse(format!("buffers shifted by {bytes} bytes: must be {limit}"));
        }
        self.shift = bytes;
        Ok(self)
    }

    /// What was recorded so far.
    pub fn totals(&mut self) -> &Totals {
        self.writer.totals()
    }

    /// Completes the trace.
    pub fn finish(mut self) -> Result<W, Error> {
        self.expect_host("the trace ends")?;
        self.join()?;
        self.writer.totals().footprint_bytes = self.first_touches.pages() * PAGE;
        self.writer.finish()
    }

    fn refuse<T>(&self, what: impl Into<String>) -> Result<T, Error> {
        Err(Error::program(self.writer.file(), what))
    }

    fn expect_host(&mut self, what: &str) -> Result<(), Error> {
        match self.state {
            State::Host => Ok(()),
            State::Broken => self.refuse(format!("{what} after an error")),
            _ => self.refuse(format!("{what} while a kernel runs")),
        }
    }

    fn check_name(&self, name: &str) -> Result<(), Error> {
        if name.contains(is_hidden) {
            return self.refuse(format!("a name with a control character: {name:?}"));
        }
        if name.len() <= MAX_NAME {
            return Ok(());
        }
        self.refuse(format!("a name of {} bytes; at most {MAX_NAME}", name.len()))
    }

    /// Errors when the bytes lie outside every buffer.
    fn check_span(&mut self, addr: u64, bytes: u64) -> Result<(), Error> {
        if self.buffers.hold(addr, bytes) || (bytes == 0 && addr < ADDRESS_END) {
            return Ok(());
        }
        self.refuse(format!("{bytes} bytes at {addr:#x} lie in no buffer"))
    }

    fn check_access(&mut self, access: &Access) -> Result<(), Error> {
        let size = access.bytes.len();
        self.check_item(access.item)?;
        match access.kind {
            AccessKind::Load | AccessKind::Store => {
                if !size.is_power_of_two() || size > 16 {
                    return self.refuse(format!("an access of {size} bytes; 1, 2, 4, 8 or 16"));
                }
            }
            AccessKind::Atomic { old, .. } => {
                if !matches!(size, 4 | 8) || old.len() != size {
                    return self.refuse(format!("an atomic of {size} bytes; 4 or 8"));
                }
                if !access.addr.is_multiple_of(size as u64) {
                    let addr = access.addr;
                    return self
                        .refuse(format!("an atomic of {size} bytes at {addr:#x}: align it"));
                }
            }
        }
        self.check_span(access.addr, size as u64)?;
        if self.private.holds(access.addr) { self.check_private(access) } else { Ok(()) }
    }

    fn check_private(&mut self, access: &Access) -> Result<(), Error> {
        let Access { addr, item, kind, .. } = *access;
        if let AccessKind::Atomic { .. } = kind {
            return self.refuse(format!("an atomic of private memory at {addr:#x}"));
        }
        let (State::Group(_, head), bytes) = (&self.state, access.bytes.len() as u64) else {
            return Ok(());
        };
        let number = u64::from(head.groups) * u64::from(items(head)) + u64::from(item);
        if self.private.access(addr, bytes, number) {
            return Ok(());
        }
        self.refuse(format!("{bytes} private bytes at {addr:#x} belong to another work-item"))
    }

    #[inline]
    fn check_item(&self, item: u32) -> Result<(), Error> {
        match &self.state {
            State::Group(..) if item < self.regrouper.items() => Ok(()),
            State::Group(_, head) => {
                self.refuse(format!("work-item {item} of a work-group of {}", items(head)))
            }
            _ => self.refuse("an access outside a work-group"),
        }
    }

    /// The host waits for all kernels.
    fn join(&mut self) -> Result<(), Error> {
        self.streams.join();
        self.class_unclassed()
    }

    /// Adds what happens beside kernels, in the order of the program.
    fn event(&mut self, event: Event) -> Result<(), Error> {
        if self.unclassed.is_empty() {
            return self.writer.event(&event);
        }
        self.unclassed.push(Unclassed::Event(event));
        Ok(())
    }

    /// A buffer comes to be.
    fn add_buffer(&mut self, name: &str, bytes: u64, private: bool) -> Result<u64, Error> {
        self.expect_host("a buffer is allocated")?;
        self.check_name(name)?;
        let addr = self.next_page + self.shift;
        let end = addr.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(PAGE));
        let Some(end) = end.filter(|&end| end <= ADDRESS_END && bytes > 0) else {
            return self.refuse(format!("a buffer of {bytes} bytes; 1 to 2^44 for all together"));
        };
        self.next_page = end;
        self.buffers.insert(addr, bytes);
        self.writer.totals().allocated_bytes += bytes;
        self.event(Event::Alloc { addr, bytes, name: name.to_string(), private })?;
        Ok(addr)
    }

    /// Classes the kernels that are not, which no other overlaps with.
    fn class_unclassed(&mut self) -> Result<(), Error> {
        let unclassed = std::mem::take(&mut self.unclassed);
        let mut overlaps = std::mem::take(&mut self.overlaps);
        let mut grows = overlaps.have_common();
        while grows {
            grows = false;
            for event in &unclassed {
                let Unclassed::Kernel(begun, head) = event else { continue };
                self.writer.rewind(*begun);
                for _ in 0..head.groups {
                    grows |= overlaps.collect(&self.writer.read_back()?)?;
                }
            }
        }
        self.classifier.overlap(overlaps);
        for event in unclassed {
            match event {
                Unclassed::Event(event) => self.writer.event(&event)?,
                Unclassed::Kernel(begun, head) => {
                    self.classifier.begin_kernel();
                    self.writer.rewind(begun);
                    for _ in 0..head.groups {
                        self.classifier.gather(&self.writer.read_back()?)?;
                    }
                    self.class_kernel(begun, head)?;
                }
            }
        }
        Ok(())
    }

    /// Goes through a kernel's work-groups again: racy lanes, tables of the head.
    fn class_kernel(&mut self, begun: Begun, mut head: KernelHead) -> Result<(), Error> {
        let mut counts = Counts::default();
        self.classifier.begin_classify();
        self.writer.rewind(begun);
        for _ in 0..head.groups {
            let group = self.writer.read_back()?;
            let racy = self.classifier.classify(&group, &mut counts)?;
            self.writer.classes(&group, &racy)?;
        }
        if self.classifier.begin_collect() {
            self.writer.rewind(begun);
            for _ in 0..head.groups {
                self.classifier.collect(&self.writer.read_back()?)?;
            }
        }
        (head.racy, head.atomics) = self.classifier.end_kernel();
        let totals = self.writer.totals();
        totals.loads_determined += counts.loads;
        totals.loads_racy_carried += counts.loads_carried;
        totals.atomics_determined += counts.atomics;
        let entries = [head.racy.len(), head.atomics.len(), head.first_touches.len()];
        if entries.into_iter().max() > Some(MAX_TABLE) {
            let what = "racy bytes, locations of atomics, or new pages in a kernel";
            return self.refuse(format!("more than {MAX_TABLE} {what}"));
        }
        self.writer.end_kernel(head)
    }

    /// Encodes what the work-items did since the last barrier.
    fn end_segment(&mut self) {
        let (warps, totals) = (&mut self.warps, self.writer.totals());
        self.regrouper.end_segment(&mut self.instr, |warp, instr| {
            put_instr(&mut warps[warp], instr);
            totals.instructions += 1;
        });
    }
}

/// Work-items of a work-group; `begin_kernel` has checked that they are few.
fn items(head: &KernelHead) -> u32 {
    head.local.iter().product()
}

impl<W: Read + Write + Seek> Record for Recorder<W> {
    type Error = Error;

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64, Error> {
        self.add_buffer(name, bytes, false)
    }

    fn alloc_private(&mut self, name: &str, bytes: u64) -> Result<u64, Error> {
        let addr = self.add_buffer(name, bytes, true)?;
        self.private.insert(addr, bytes);
        Ok(addr)
    }

    fn free(&mut self, addr: u64) -> Result<(), Error> {
        self.expect_host("a buffer is freed")?;
        self.join()?;
        let Some(bytes) = self.buffers.remove(addr) else {
            return self.refuse(format!("no buffer to free at {addr:#x}"));
        };
        self.private.remove(addr);
        self.classifier.free(addr, bytes);
        self.first_touches.free(addr, bytes);
        self.writer.event(&Event::Free { addr })
    }

    fn host_write(&mut self, addr: u64, data: &[u8]) -> Result<(), Error> {
        self.expect_host("the host writes")?;
        self.check_span(addr, data.len() as u64)?;
        self.join()?;
        self.writer.totals().host_written_bytes += data.len() as u64;
        self.classifier.host_write(addr, data);
        self.writer.host_write(addr, data)
    }

    fn host_read(&mut self, addr: u64, bytes: u64) -> Result<(), Error> {
        self.expect_host("the host reads")?;
        self.check_span(addr, bytes)?;
        self.join()?;
        self.writer.totals().host_read_bytes += bytes;
        self.writer.event(&Event::HostRead { addr, bytes })
    }

    fn streams(&mut self, bound: &[Bound]) -> Result<(), Error> {
        self.expect_host("streams begin")?;
        if !(2..=MAX_STREAMS).contains(&bound.len()) {
            return self.refuse(format!("{} streams; 2 to {MAX_STREAMS}", bound.len()));
        }
        if let Some(Bound { part, of }) = bound.iter().find(|bound| bound.part >= bound.of) {
            return self.refuse(format!("part {part} of {of} of the chiplets"));
        }
        if self.streams.number() > 1 || self.writer.totals().kernels > 0 {
            return self.refuse("streams twice, or behind a kernel");
        }
        self.streams = Streams::new(bound.len());
        self.event(Event::Streams(bound.to_vec()))
    }

    fn wait(&mut self, stream: u8, of: u8) -> Result<(), Error> {
        self.expect_host("a stream waits")?;
        let number = self.streams.number();
        if stream == of || usize::from(stream.max(of)) >= number {
            return self.refuse(format!("stream {stream} waits for stream {of}, of {number}"));
        }
        self.event(Event::Wait { stream, of })?;
        self.streams.wait(stream, of);
        if self.streams.are_joined() { self.class_unclassed() } else { Ok(()) }
    }

    fn begin_kernel(&mut self, spec: KernelSpec) -> Result<(), Error> {
        self.expect_host("a kernel begins")?;
        let KernelSpec { name, grid, local, group_memory, stream, args } = spec;
        self.check_name(&name)?;
        let place = self.streams.place(stream);
        if place >= self.streams.number() {
            let number = self.streams.number();
            return self.refuse(format!("a kernel of stream {stream}, of {number}"));
        }
        let items: u128 = local.iter().map(|&n| u128::from(n)).product();
        if items == 0 || items > u128::from(MAX_GROUP_ITEMS) {
            let what = format!("a work-group of {items} work-items; 1 to {MAX_GROUP_ITEMS}");
            return self.refuse(what);
        }
        if args.len() > MAX_ARGS {
            return self.refuse(format!("{} arguments; at most {MAX_ARGS}", args.len()));
        }
        let mut all_ranges = 0;
        for arg in &args {
            self.check_name(&arg.name)?;
            let ArgKind::Buffer { addr, bytes, ranges, .. } = &arg.kind else { continue };
            self.check_span(*addr, *bytes)?;
            all_ranges += ranges.len();
            if all_ranges > MAX_RANGES {
                return self
                    .refuse(format!("more than {MAX_RANGES} ranges of a kernel's arguments"));
            }
            if let Some(r) = ranges.iter().find(|r| r.bytes > ADDRESS_END.saturating_sub(r.addr)) {
                let (name, addr) = (&arg.name, r.addr);
                return self.refuse(format!("a range of {name} at {addr:#x}: it ends beyond 2^44"));
            }
        }
        let begun = self.writer.begin_kernel();
        if begun.number as usize >= MAX_KERNELS {
            return self.refuse(format!("more than {MAX_KERNELS} kernels"));
        }
        let clock = self.streams.launch(stream);
        match self.streams.number() {
            1 => self.classifier.begin_kernel(),
            _ => self.overlaps.begin_kernel(place, clock),
        }
        self.private.begin_kernel();
        let rest = KernelHead::default();
        let head = KernelHead { name, grid, local, group_memory, stream, args, ..rest };
        self.state = State::Kernel(begun, head);
        Ok(())
    }

    fn begin_group(&mut self) -> Result<(), Error> {
        let State::Kernel(begun, head) = std::mem::replace(&mut self.state, State::Broken) else {
            return self.refuse("a work-group begins outside a kernel or inside another");
        };
        self.regrouper.begin_group(items(&head));
        self.warps.resize_with(self.regrouper.warps(), Vec::new);
        self.works.clear();
        self.works.resize_with(self.regrouper.warps(), Work::default);
        for warp in &mut self.warps {
            warp.clear();
        }
        self.state = State::Group(begun, head);
        Ok(())
    }

    fn access(&mut self, access: &Access) -> Result<(), Error> {
        self.check_access(access)?;
        let totals = self.writer.totals();
        match access.kind {
            AccessKind::Load => totals.loads += 1,
            AccessKind::Store => totals.stores += 1,
            AccessKind::Atomic { .. } => totals.atomics += 1,
        }
        if let State::Group(_, head) = &self.state {
            self.first_touches.access(access.addr, access.bytes.len() as u64, head.groups);
        }
        self.regrouper.access(access);
        Ok(())
    }

    fn fence(&mut self, item: u32, key: Key) -> Result<(), Error> {
        self.check_item(item)?;
        self.regrouper.fence(item, key);
        Ok(())
    }

    fn work(&mut self, warp: u32, work: Work) -> Result<(), Error> {
        let warps = self.works.len();
        let Some(place) = self.works.get_mut(warp as usize) else {
            return self.refuse(format!("work of warp {warp}, of {warps}"));
        };
        *place = work;
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Error> {
        let State::Group(..) = self.state else {
            return self.refuse("a barrier outside a work-group");
        };
        self.end_segment();
        (self.instr.kind, self.instr.size) = (InstrKind::Barrier, 0);
        self.instr.first_use = FirstUse::Unknown;
        for (number, warp) in self.warps.iter_mut().enumerate() {
            self.instr.lanes = self.regrouper.lanes(number);
            self.instr.work = std::mem::take(&mut self.works[number]);
            put_instr(warp, &self.instr);
        }
        self.writer.totals().instructions += self.warps.len() as u64;
        self.writer.totals().barriers += 1;
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Error> {
        let State::Group(begun, mut head) = std::mem::replace(&mut self.state, State::Broken)
        else {
            return self.refuse("a work-group ends that did not begin");
        };
        self.end_segment();
        let Some(groups) = head.groups.checked_add(1) else {
            return self.refuse("more than 2^32 work-groups");
        };
        head.groups = groups;
        let group = self.writer.group(&self.warps)?;
        match self.streams.number() {
            1 => self.classifier.gather(&group)?,
            _ => self.overlaps.gather(&group)?,
        }
        self.writer.totals().groups += 1;
        self.writer.totals().warps += self.warps.len() as u64;
        self.state = State::Kernel(begun, head);
        Ok(())
    }

    fn end_kernel(&mut self) -> Result<(), Error> {
        let State::Kernel(begun, mut head) = std::mem::replace(&mut self.state, State::Broken)
        else {
            return self.refuse("a kernel ends that did not begin, or inside a work-group");
        };
        head.first_touches = self.first_touches.take();
        match self.streams.number() {
            1 => self.class_kernel(begun, head)?,
            _ => self.unclassed.push(Unclassed::Kernel(begun, head)),
        }
        self.state = State::Host;
        Ok(())
    }
}
