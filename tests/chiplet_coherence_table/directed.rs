//! Launches by hand, on every body of the table.

use hwmodel::cpelide::chiplet_coherence_table::{Dispatch, Outcome, Parameters, ReferenceTable};

use crate::image::{Entry, decode};
use crate::packets;
use crate::program::{Item, Kernel, Kind, Label, Labels};
use crate::synchroniser::{Synchroniser, bodies};

/// A structure of 2 MiB, the n-th, with a page between it and the next.
pub fn place(n: u64) -> u64 {
    0x10_0000_0000 + n * (LENGTH + 4096)
}

/// Bytes of a structure.
pub const LENGTH: u64 = 2 << 20;
/// Bytes of a fourth of it.
pub const CHUNK: u64 = LENGTH / 4;

/// R, all of it on all chiplets.
pub fn read(base: u64) -> Label {
    Label { base, length: LENGTH, writes: false, ranges: Vec::new() }
}

/// R/W, all of it on all chiplets.
pub fn write(base: u64) -> Label {
    Label { writes: true, ..read(base) }
}

impl Label {
    /// Logical chiplet i has chunk i + shift, modulo 4.
    pub fn chunks(self, shift: u64) -> Self {
        let chunk = |i: u64| {
            let start = self.base + (i + shift) % 4 * CHUNK;
            (i as u8, start, start + CHUNK - 1)
        };
        Self { ranges: (0..4).map(chunk).collect(), ..self }
    }

    /// Logical chiplet 0 has these bytes.
    pub fn bytes(self, first: u64, last: u64) -> Self {
        let ranges = vec![(0, self.base + first, self.base + last)];
        Self { ranges, ..self }
    }
}

/// A kernel of stream 0 on all four chiplets, agent scopes.
pub fn kernel(structures: Vec<Label>) -> Item {
    let (labels, groups, scheduled) = (Labels::Known, 8, 4);
    let accesses = Vec::new();
    Item {
        number: 0,
        stream: 0,
        chiplets: 0b1111,
        acquires: false,
        releases: false,
        host_writes: Vec::new(),
        kind: Kind::Kernel(Kernel { scheduled, groups, labels, structures, life: 0, accesses }),
    }
}

/// A barrier with these scopes of system.
pub fn barrier(acquires: bool, releases: bool) -> Item {
    Item { acquires, releases, kind: Kind::Barrier, ..kernel(Vec::new()) }
}

impl Item {
    /// The kernel on these chiplets instead.
    pub fn on(mut self, chiplets: u16) -> Self {
        self.chiplets = chiplets;
        if let Kind::Kernel(kernel) = &mut self.kind {
            kernel.scheduled = chiplets.count_ones() as u8;
        }
        self
    }

    /// With other labels than its block says.
    pub fn labelled(mut self, to: Labels) -> Self {
        if let Kind::Kernel(kernel) = &mut self.kind {
            kernel.labels = to;
        }
        self
    }

    /// Acquire scope system.
    pub fn acquiring(self) -> Self {
        Self { acquires: true, ..self }
    }

    /// Release scope system.
    pub fn releasing(self) -> Self {
        Self { releases: true, ..self }
    }
}

/// A table, and how it is spoken to.
pub struct Bench {
    pub parameters: Parameters,
    pub table: Box<dyn Synchroniser>,
    /// The stream of the next packet: each has its own, so that none waits for a kernel that has
    /// not ended.
    stream: u8,
}

/// Runs a check on each body.
pub fn on_each(parameters: Parameters, check: impl Fn(Bench)) {
    for (name, table) in bodies(&parameters) {
        println!("on {name}");
        check(Bench { parameters, table, stream: 0 });
    }
}

/// Runs a check on the reference alone.
pub fn on_reference(parameters: Parameters, check: impl Fn(Bench)) {
    let table = Box::new(ReferenceTable::new(parameters).expect("the parameters are legal"));
    check(Bench { parameters, table, stream: 0 });
}

impl Bench {
    /// Hands a packet over.
    pub fn launch(&mut self, item: &Item) -> Outcome {
        self.dispatch(packets::dispatch(item, &packets::extension(item)))
    }

    /// Any bytes.
    pub fn raw(&mut self, packet: [u8; 64], extension: &[u8], chiplets: u16) -> Outcome {
        let (truncated, stream) = (false, 0);
        self.dispatch(Dispatch { packet, extension, truncated, stream, chiplets })
    }

    fn dispatch(&mut self, dispatch: Dispatch) -> Outcome {
        self.stream += 1;
        self.table.launch(&Dispatch { stream: self.stream, ..dispatch })
    }

    /// Launches a kernel that starts, with these releases and acquires; returns its tag.
    pub fn starts(&mut self, item: &Item, release: u16, acquire: u16) -> u8 {
        let outcome = self.launch(item);
        let found = (outcome.release, outcome.acquire);
        assert_eq!(found, (release, acquire), "released and acquired, {:x?}", self.entries());
        outcome.tag.expect("the kernel starts")
    }

    /// Ends a kernel, with these releases.
    pub fn ends(&mut self, tag: u8, release: u16) {
        let outcome = self.table.finish(tag);
        assert_eq!((outcome.release, outcome.acquire), (release, 0), "at the end of {tag}");
    }

    /// A kernel from launch to end, with these releases and acquires before it and none after it.
    pub fn runs(&mut self, item: &Item, release: u16, acquire: u16) {
        let tag = self.starts(item, release, acquire);
        self.ends(tag, 0);
    }

    /// The end of the program: these chiplets are released and acquired, and the table is empty.
    pub fn program_ends(&mut self, chiplets: u16) {
        let outcome = self.launch(&barrier(false, true));
        assert_eq!((outcome.release, outcome.acquire), (chiplets, chiplets), "at the end");
        assert_eq!(self.entries(), []);
    }

    /// The flag EVERY, where it can be seen.
    pub fn every_is(&self, every: bool) {
        assert!(self.table.every().is_none_or(|found| found == every), "EVERY is not {every}");
    }

    /// The entries, by slot.
    pub fn entries(&self) -> Vec<Entry> {
        decode(&self.table.image(), &self.parameters).expect("the image has its form")
    }

    /// The entry of the structure at this place.
    pub fn entry(&self, base: u64) -> Entry {
        let here = |entry: &Entry| u64::from(entry.base) == base / 4096;
        self.entries().into_iter().find(here).expect("it is in the table")
    }

    /// Its chiplet vector.
    pub fn vector(&self, base: u64) -> u32 {
        self.entry(base).vector()
    }

    /// The lines of a chiplet, counted from the structure's first.
    pub fn lines(&self, base: u64, chiplet: usize) -> Option<(u64, u64)> {
        let first = base / self.parameters.line;
        self.entry(base).ranges[chiplet].map(|(from, to)| (from - first, to - first))
    }
}
