//! Reads a trace file: events in order, work-groups in any order.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::ahead::Ahead;
use super::chunk::{
    FRAME_BYTES, HEAD_BYTES, Kind, MAGIC, TRAILER_BYTES, Trailer, Unpacker, check_head,
};
use super::event_code::event;
use super::group::Place;
use super::index::{Index, KernelPlace, Totals};
use super::limits::PLACES;
use super::places::{GroupPlace, Held};
use super::wire::{Malformed, Wire};
use super::{Error, Event, Group, KernelHead};

/// Where the bytes are.
trait Source: Read + Seek + Send {}

impl Source for File {}
impl Source for Cursor<Arc<[u8]>> {}

/// What all readers of a file share.
struct Shared {
    open: Box<dyn Fn() -> io::Result<Box<dyn Source>> + Send + Sync>,
    file: Arc<str>,
    index: Index,
    trailer: Trailer,
}

/// An open trace. The index and the places of some work-groups are held in memory.
pub struct Reader {
    shared: Arc<Shared>,
    source: Box<dyn Source>,
    unpacker: Unpacker,
    /// Contents of the current chunk of events, and the next event in it.
    events: Vec<u8>,
    at: usize,
    /// Chunks of events read.
    chunks: usize,
    /// Kernels given out.
    kernels: u32,
    /// Streams of the program.
    streams: usize,
    places: Held,
    ahead: Option<Ahead>,
    /// Bytes of the work-groups given out.
    given: u64,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// True for a file that begins as traces do, whether it is whole or not.
pub fn is_trace(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok() && head == MAGIC)
}

impl Reader {
    /// Opens a file and reads its index.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref().to_path_buf();
        let name = path.display().to_string();
        Self::new(move || Ok(Box::new(File::open(&path)?)), &name)
    }

    /// Reads a trace that is held in memory. `name` stands for the file's name in errors.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>, name: &str) -> Result<Self, Error> {
        let bytes = bytes.into();
        Self::new(move || Ok(Box::new(Cursor::new(bytes.clone()))), name)
    }

    fn new(
        open: impl Fn() -> io::Result<Box<dyn Source>> + Send + Sync + 'static,
        file: &str,
    ) -> Result<Self, Error> {
        let io = Error::io(file);
        let mut source = open().map_err(&io)?;
        let len = source.seek(SeekFrom::End(0)).map_err(&io)?;
        if len < HEAD_BYTES {
            return Err(Error::damaged(file, len, "a trace, of at least 16 bytes"));
        }
        source.seek(SeekFrom::Start(0)).map_err(&io)?;
        let mut head = [0; HEAD_BYTES as usize];
        source.read_exact(&mut head).map_err(&io)?;
        check_head(&head, file)?;
        let end = len.saturating_sub(TRAILER_BYTES);
        if end < HEAD_BYTES {
            return Err(Error::damaged(file, len, "a trailer; the file is cut off"));
        }
        source.seek(SeekFrom::Start(end)).map_err(&io)?;
        let mut bytes = [0; TRAILER_BYTES as usize];
        source.read_exact(&mut bytes).map_err(&io)?;
        let trailer = Trailer::from_bytes(&bytes, file, end)?;
        let mut unpacker = Unpacker::new().map_err(&io)?;
        let contents = unpacker.read(&mut source, file, (trailer.index, end), Kind::Index)?;
        let index = Index::from_bytes(&contents, trailer.index / FRAME_BYTES)
            .map_err(|m| Error::damaged(file, trailer.index, in_contents(m)))?;
        let shared = Arc::new(Shared { open: Box::new(open), file: file.into(), index, trailer });
        Ok(Self::from_parts(shared, source, unpacker))
    }

    fn from_parts(shared: Arc<Shared>, source: Box<dyn Source>, unpacker: Unpacker) -> Self {
        let (events, places) = (Vec::new(), Held::default());
        let (at, chunks, kernels, streams, ahead, given) = (0, 0, 0, 1, None, 0);
        Self {
            shared,
            source,
            unpacker,
            events,
            at,
            chunks,
            kernels,
            streams,
            places,
            ahead,
            given,
        }
    }

    /// Another reader of the same file, at the first event, for another thread.
    pub fn reopen(&self) -> Result<Self, Error> {
        let io = Error::io(&self.shared.file);
        let source = (self.shared.open)().map_err(&io)?;
        Ok(Self::from_parts(self.shared.clone(), source, Unpacker::new().map_err(&io)?))
    }

    /// From now on a second thread reads work-groups before they are asked for, of programs of one
    /// stream.
    pub fn read_ahead(&mut self) -> Result<(), Error> {
        let ahead = Ahead::start(self.reopen()?).map_err(Error::io(&self.shared.file))?;
        self.ahead = Some(ahead);
        Ok(())
    }

    /// Name of the program.
    pub fn name(&self) -> &str {
        &self.shared.index.name
    }

    /// Name of the file, for errors.
    pub fn file(&self) -> &str {
        &self.shared.file
    }

    /// Checksum of all that the trace says, whatever its name and compression.
    pub fn checksum(&self) -> u64 {
        self.shared.trailer.contents
    }

    /// Streams of the program: what it says before the first kernel.
    pub fn streams(&self) -> Result<usize, Error> {
        let mut reader = self.reopen()?;
        while let Some(event) = reader.next_event()? {
            if matches!(event, Event::Kernel(_) | Event::Streams(_)) {
                break;
            }
        }
        Ok(reader.streams)
    }

    /// Totals, from the index.
    pub fn totals(&self) -> &Totals {
        &self.shared.index.totals
    }

    /// Kernels of the trace.
    pub fn kernels(&self) -> u32 {
        self.shared.index.kernels.len() as u32
    }

    /// Work-groups of a kernel; 0 for a kernel that does not exist.
    pub fn groups(&self, kernel: u32) -> u32 {
        self.shared.index.kernels.get(kernel as usize).map_or(0, |place| place.groups)
    }

    /// The next event. The n-th kernel among them, from 0, is kernel n of [`Reader::group`].
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        while self.at == self.events.len() {
            let Some(&offset) = self.shared.index.events.get(self.chunks) else {
                return self.check_kernels(self.kernels);
            };
            self.events = self.chunk(offset, Kind::Events)?;
            self.at = 0;
            self.chunks += 1;
        }
        let mut wire = Wire::new(&self.events, self.at);
        let event = event(&mut wire);
        self.at = wire.at();
        let offset = self.shared.index.events[self.chunks - 1];
        let damaged = |expected| Error::damaged(&self.shared.file, offset, expected);
        let event = event.map_err(|m| damaged(in_contents(m)))?;
        if let Event::Kernel(head) = &event
            && (self.kernels >= self.kernels() || head.groups != self.groups(self.kernels))
        {
            return Err(damaged("a kernel with as many work-groups as in the index".into()));
        }
        self.check_streams(&event).map_err(|expected| damaged(expected.into()))?;
        match &event {
            Event::Kernel(_) => self.kernels += 1,
            Event::Streams(bound) => self.streams = bound.len(),
            _ => {}
        }
        Ok(Some(event))
    }

    /// Streams are there before they are used.
    fn check_streams(&self, event: &Event) -> Result<(), &'static str> {
        let is_there = |stream: u8| usize::from(stream) < self.streams;
        match *event {
            Event::Streams(_) if self.streams > 1 || self.kernels > 0 => {
                Err("streams once, and before all kernels")
            }
            Event::Kernel(KernelHead { stream, .. }) if self.streams > 1 && !is_there(stream) => {
                Err("a kernel of a stream that there is")
            }
            Event::Wait { stream, of } if !is_there(stream) || !is_there(of) => {
                Err("a wait of a stream that there is for another")
            }
            _ => Ok(()),
        }
    }

    /// At the end: all kernels of the index were there.
    fn check_kernels(&self, given: u32) -> Result<Option<Event>, Error> {
        if given == self.kernels() {
            return Ok(None);
        }
        let expected = format!("{} kernels among the events, found {given}", self.kernels());
        Err(Error::damaged(&self.shared.file, self.shared.trailer.index, expected))
    }

    /// Number of the kernel that [`Reader::next_event`] gave last; none before the first.
    pub fn kernel(&self) -> Option<u32> {
        self.kernels.checked_sub(1)
    }

    /// Begins again with the first event.
    pub fn rewind(&mut self) {
        self.events.clear();
        (self.at, self.chunks, self.kernels, self.streams) = (0, 0, 0, 1);
    }

    /// Bytes that the instructions of all work-groups take that were given out so far: a measure of
    /// the work in them.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// The instructions of a work-group.
    pub fn group(&mut self, kernel: u32, group: u32) -> Result<Group, Error> {
        let instructions = self.instructions(kernel, group)?;
        self.given += instructions.bytes() as u64;
        Ok(instructions)
    }

    fn instructions(&mut self, kernel: u32, group: u32) -> Result<Group, Error> {
        let groups = self.groups(kernel);
        if group >= groups {
            let what = format!("kernel {kernel} has no work-group {group}");
            return Err(Error::program(&self.shared.file, what));
        }
        // Work-groups of several kernels are asked for in no order.
        let ahead = self.ahead.as_mut().filter(|_| self.streams == 1);
        if let Some(read) = ahead.and_then(|a| a.take(kernel, group, groups)) {
            return read;
        }
        let place = self.place(kernel, group)?;
        let bytes = self.chunk(place.group, Kind::Group)?;
        let file = self.shared.file.clone();
        let mut instructions =
            Group::new(Place { file, offset: place.group, kernel, group }, bytes)?;
        if place.classes != 0 {
            let bytes = self.chunk(place.classes, Kind::Classes)?;
            instructions.add_classes(place.classes, &bytes)?;
        }
        Ok(instructions)
    }

    /// Where the chunks of a work-group that exists stand.
    fn place(&mut self, kernel: u32, group: u32) -> Result<GroupPlace, Error> {
        let KernelPlace { groups, first } = self.shared.index.kernels[kernel as usize];
        let chunk = first + (group / PLACES) as usize;
        if !self.places.find(chunk) {
            let offset = self.shared.index.places[chunk];
            let bytes = self.chunk(offset, Kind::Places)?;
            let held =
                self.places.add(chunk, &bytes, (groups - group / PLACES * PLACES).min(PLACES));
            held.map_err(|m| Error::damaged(&self.shared.file, offset, in_contents(m)))?;
        }
        Ok(self.places.latest(group % PLACES))
    }

    fn chunk(&mut self, offset: u64, kind: Kind) -> Result<Vec<u8>, Error> {
        let span = (offset, self.shared.trailer.index);
        self.unpacker.read(&mut self.source, &self.shared.file, span, kind)
    }
}

fn in_contents(Malformed { at, expected }: Malformed) -> String {
    format!("{expected} (byte {at} of the chunk's contents)")
}
