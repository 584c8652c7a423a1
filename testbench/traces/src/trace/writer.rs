//! Writes a trace file from front to back.

use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use ports::is_hidden;

use super::chunk::{Contents, HEAD_BYTES, Kind, MAX_CHUNK, Packer, Trailer, Unpacker, head};
use super::event_code::put_event;
use super::group::{Place, RacyLanes, put_classes, put_group};
use super::index::{Index, KernelPlace, Totals};
use super::limits::{MAX_HOST_WRITE, MAX_NAME, PLACES};
use super::places::{GroupPlace, put_places};
use super::{Error, Event, Group, KernelHead};

/// Events are collected to chunks of about this size.
const EVENTS_BYTES: usize = 1 << 18;

/// A trace that is being written. The work-groups of a kernel come before its head, which says what
/// is known only when all of them were seen, and those of the kernels that it may overlap with.
/// They stand one behind the other, so that they can be read back; what tells their places comes
/// behind the last of them.
pub struct Writer<W> {
    out: W,
    file: Arc<str>,
    at: u64,
    packer: Packer,
    unpacker: Unpacker,
    contents: Contents,
    index: Index,
    /// The next work-group to be read back: kernel, number, and where it stands.
    back: (u32, u32, u64),
    /// Places of the work-groups that were read back and are classed, since the last chunk of them.
    places: Vec<GroupPlace>,
    events: Vec<u8>,
    payload: Vec<u8>,
}

/// A kernel whose work-groups are written.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// Its number.
    pub number: u32,
    /// Where its first work-group stands.
    at: u64,
}

impl<W: Read + Write + Seek> Writer<W> {
    /// Begins a trace of this program at the start of `out`. `file` names it in errors.
    pub fn new(mut out: W, file: &str, name: &str) -> Result<Self, Error> {
        if name.len() > MAX_NAME {
            return Err(Error::program(file, format!("a name of more than {MAX_NAME} bytes")));
        }
        if name.contains(is_hidden) {
            let problem = format!("a name with a control character: {name:?}");
            return Err(Error::program(file, problem));
        }
        out.write_all(&head()).map_err(Error::io(file))?;
        Ok(Self {
            out,
            file: file.into(),
            at: HEAD_BYTES,
            packer: Packer::new().map_err(Error::io(file))?,
            unpacker: Unpacker::new().map_err(Error::io(file))?,
            contents: Contents::default(),
            index: Index { name: name.to_string(), ..Index::default() },
            back: (0, 0, 0),
            places: Vec::new(),
            events: Vec::new(),
            payload: Vec::new(),
        })
    }

    /// Compresses for speed from now on.
    pub fn be_fast(&mut self) -> Result<(), Error> {
        self.packer.be_fast().map_err(Error::io(&self.file))
    }

    /// Name of the file, for errors.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Totals so far. Who makes the accesses counts them.
    pub fn totals(&mut self) -> &mut Totals {
        &mut self.index.totals
    }

    /// Adds what happens apart from kernels.
    pub fn event(&mut self, event: &Event) -> Result<(), Error> {
        put_event(&mut self.events, event);
        if self.events.len() >= EVENTS_BYTES { self.flush_events() } else { Ok(()) }
    }

    /// Adds a host write, in pieces that a reader may hold.
    pub fn host_write(&mut self, addr: u64, data: &[u8]) -> Result<(), Error> {
        for (i, piece) in data.chunks(MAX_HOST_WRITE).enumerate() {
            let addr = addr + (i * MAX_HOST_WRITE) as u64;
            self.event(&Event::HostWrite { addr, data: piece.to_vec() })?;
        }
        Ok(())
    }

    /// A kernel begins: what follows are its work-groups.
    pub fn begin_kernel(&mut self) -> Begun {
        self.index.kernels.push(KernelPlace { groups: 0, first: self.index.places.len() });
        self.index.totals.kernels += 1;
        Begun { number: self.last_kernel(), at: self.at }
    }

    /// Adds the next work-group of the kernel: the encoded instructions of each warp. Gives it as a
    /// reader would.
    pub fn group<B: AsRef<[u8]>>(&mut self, warps: &[B]) -> Result<Group, Error> {
        let (kernel, group) = (self.last_kernel(), self.groups());
        self.payload.clear();
        put_group(&mut self.payload, kernel, group, warps);
        let offset = self.chunk(Kind::Group)?;
        if let Some(place) = self.index.kernels.last_mut() {
            place.groups += 1;
        }
        let place = Place { file: self.file.clone(), offset, kernel, group };
        Group::new(place, std::mem::take(&mut self.payload))
    }

    fn last_kernel(&self) -> u32 {
        (self.index.kernels.len() as u32).saturating_sub(1)
    }

    /// Work-groups of the kernel so far.
    fn groups(&self) -> u32 {
        self.index.kernels.last().map_or(0, |place| place.groups)
    }

    /// The next work-group that is read back is the first of this kernel.
    pub fn rewind(&mut self, to: Begun) {
        self.back = (to.number, 0, to.at);
    }

    /// Reads back the next work-group of the kernel.
    pub fn read_back(&mut self) -> Result<Group, Error> {
        let (kernel, group, offset) = self.back;
        let span = (offset, self.at);
        let bytes = self.unpacker.read(&mut self.out, &self.file, span, Kind::Group)?;
        self.out.seek(SeekFrom::Start(self.at)).map_err(Error::io(&self.file))?;
        self.back = (kernel, group + 1, offset + self.unpacker.last_bytes());
        let place = Place { file: self.file.clone(), offset, kernel, group };
        Group::new(place, bytes)
    }

    /// Adds the racy lanes of the work-group that was read back last. All must have theirs, in
    /// their order, kernel after kernel.
    pub fn classes(&mut self, group: &Group, warps: &[Vec<RacyLanes>]) -> Result<(), Error> {
        let mut place = GroupPlace { group: group.place.offset, classes: 0 };
        if warps.iter().any(|warp| !warp.is_empty()) {
            self.payload.clear();
            put_classes(&mut self.payload, group.kernel(), group.group(), warps);
            place.classes = self.chunk(Kind::Classes)?;
        }
        self.places.push(place);
        let groups = self.index.kernels[group.kernel() as usize].groups;
        if self.places.len() == PLACES as usize || group.group() + 1 == groups {
            self.payload.clear();
            put_places(&mut self.payload, &self.places);
            self.places.clear();
            let offset = self.chunk(Kind::Places)?;
            self.index.places.push(offset);
        }
        Ok(())
    }

    /// The kernel ends.
    pub fn end_kernel(&mut self, head: KernelHead) -> Result<(), Error> {
        self.event(&Event::Kernel(head))
    }

    /// Writes the index. The file is complete then.
    pub fn finish(mut self) -> Result<W, Error> {
        self.flush_events()?;
        let contents = self.contents.0;
        self.payload = self.index.to_bytes();
        let index = self.chunk(Kind::Index)?;
        let trailer = Trailer { index, contents };
        self.out.write_all(&trailer.to_bytes()).map_err(Error::io(&self.file))?;
        self.out.flush().map_err(Error::io(&self.file))?;
        Ok(self.out)
    }

    fn flush_events(&mut self) -> Result<(), Error> {
        if self.events.is_empty() {
            return Ok(());
        }
        std::mem::swap(&mut self.payload, &mut self.events);
        self.events.clear();
        let offset = self.chunk(Kind::Events)?;
        self.index.events.push(offset);
        Ok(())
    }

    /// Writes the payload; gives its offset.
    fn chunk(&mut self, kind: Kind) -> Result<u64, Error> {
        if self.payload.len() > MAX_CHUNK as usize {
            let what =
                "a work-group or a table of more than 256 MiB; use more and smaller work-groups";
            return Err(Error::program(&self.file, what));
        }
        self.contents.add(kind, &self.payload);
        let bytes = self.packer.write(&mut self.out, kind, &self.payload);
        let offset = self.at;
        self.at += bytes.map_err(Error::io(&self.file))?;
        Ok(offset)
    }
}
