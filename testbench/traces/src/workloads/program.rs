//! Programs over few lines, as data: recorded as one thread would run them.

use std::collections::BTreeMap;

use crate::trace::{
    Access, AccessKind, Arg, ArgKind, AtomicOp, Bound, KernelSpec, Key, Mode, Reader, Record,
    Recorder, ScheduleRange, Work, verify,
};

/// Unit of placement.
const PAGE: u64 = 4096;

/// The bytes of the one buffer that a program uses: so many from the beginning of each of some
/// pages on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Pages.
    pub pages: u64,
    /// Bytes from the beginning of a page on; where they are more than a page has, they go on in
    /// those behind it. A multiple of 32.
    pub window: u64,
    /// Bytes from the beginning of a page to that of the next one: whole pages, no fewer than
    /// `window`.
    pub apart: u64,
}

impl Default for Area {
    fn default() -> Self {
        Self { pages: 3, window: 256, apart: PAGE }
    }
}

impl Area {
    /// Bytes of the pages that a window lies in.
    fn bytes(&self) -> u64 {
        self.window.next_multiple_of(PAGE)
    }

    /// Where a byte of these pages is kept.
    fn index(&self, at: u64) -> usize {
        (at / self.apart * self.bytes() + at % self.apart) as usize
    }
}

/// Who executes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Every work-item.
    All,
    /// An item of each work-group.
    Item(u32),
    /// The items of a work-group.
    Group(u32),
    /// Every other item of each work-group.
    EvenItems,
    /// Item `.1` of group `.0`.
    One(u32, u32),
}

impl Who {
    fn has(self, group: u32, item: u32) -> bool {
        match self {
            Self::All => true,
            Self::Item(i) => item == i,
            Self::Group(g) => group == g,
            Self::EvenItems => item.is_multiple_of(2),
            Self::One(g, i) => (group, item) == (g, i),
        }
    }
}

/// Where an access goes: within the window of a page, by item and group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Page of the area.
    pub page: u64,
    /// Bytes behind the window's beginning.
    pub offset: u64,
    /// Bytes from one item's place to the next one's.
    pub per_item: u64,
    /// Bytes from one work-group's to the next one's.
    pub per_group: u64,
    /// Each group goes to the next page.
    pub page_by_group: bool,
}

impl Place {
    /// Words that atomics change lie apart, those of 4 and of 8 bytes, and are only stored as a
    /// whole: classes are kept by byte, and a sum carries from a byte that others store to those
    /// that they do not.
    fn addr(
        &self,
        area: &Area,
        (group, item): (u32, u32),
        what: What,
        size: u64,
        aligned: bool,
    ) -> u64 {
        let window = area.window;
        let page = self.page + if self.page_by_group { u64::from(group) } else { 0 };
        let at = self.offset + u64::from(item) * self.per_item + u64::from(group) * self.per_group;
        let words = matches!(what, What::Atomic(_)) || self.offset >= window / 2;
        let (first, len) = match (what, size) {
            (What::Load, _) if !words || !aligned || !matches!(size, 4 | 8) => (0, window),
            (_, 4) if words => (window / 2, window / 4),
            (_, 8) if words => (window / 2 + window / 4, window / 4),
            _ => (0, window / 2),
        };
        let at = first + at % (len - size + 1);
        let at = if aligned || first > 0 { at / size * size } else { at };
        page % area.pages * area.apart + at
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It loads.
    Load,
    /// It stores a value that no other access has.
    Store,
    /// It changes a value.
    Atomic(AtomicOp),
}

/// One step of every work-item's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An access.
    Access {
        /// What it does.
        what: What,
        /// Who does it.
        who: Who,
        /// Where.
        place: Place,
        /// Bytes.
        size: u64,
        /// At a multiple of them.
        aligned: bool,
        /// Instructions before it.
        gap: u32,
    },
    /// A fence of each work-item.
    Fence,
    /// A barrier of each work-group.
    Barrier,
}

/// What the arguments of a kernel declare of its accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// No buffer.
    #[default]
    None,
    /// The whole area, read and written.
    Whole,
    /// Each page that it accesses, with the mode of these accesses.
    Pages,
    /// The same, with the range of each work-group.
    Ranges,
}

/// A kernel, and what the host does before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// What its arguments declare.
    pub labels: Labels,
    /// Bytes that the host writes first: offset in the buffer, how many.
    pub writes: Vec<(u64, u64)>,
    /// Work-groups.
    pub groups: u32,
    /// Work-items of each.
    pub items: u32,
    /// What each of them does.
    pub steps: Vec<Step>,
    /// The host reads everything afterwards.
    pub read: bool,
}

/// A program: its kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program(pub Vec<Kernel>);

/// A value that no other access has.
fn value(seed: [u64; 4]) -> u64 {
    seed.iter().fold(0x9e37_79b9_7f4a_7c15, |mixed: u64, &x| {
        let mixed = (mixed ^ x.wrapping_mul(0xff51_afd7_ed55_8ccd)).rotate_left(29);
        mixed.wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ mixed >> 31
    })
}

struct Run {
    recorder: Recorder<std::io::Cursor<Vec<u8>>>,
    area: Area,
    /// The buffer, and the part of it that the next kernel uses.
    base: u64,
    part: u64,
    /// The bytes of these pages.
    memory: Vec<u8>,
    stream: u8,
    /// The host writes and reads around the kernel.
    host: bool,
}

impl Run {
    fn access(&mut self, number: [u64; 4], pc: u32, step: &Step, item: u32, group: u32) {
        let &Step::Access { what, who, place, size, aligned, gap } = step else { return };
        if !who.has(group, item) {
            return;
        }
        let at = self.part + place.addr(&self.area, (group, item), what, size, aligned);
        let key = Key { pc, iteration: [0; 4] };
        let addr = self.base + at;
        let cell = &mut self.memory[self.area.index(at)..][..size as usize];
        let old = cell.to_vec();
        let mut wide = value(number);
        let mut bytes = Vec::new();
        for _ in 0..2 {
            bytes.extend(wide.to_le_bytes());
            wide = wide.rotate_left(7) ^ 0x5a;
        }
        bytes.truncate(size as usize);
        let kind = match what {
            What::Load => {
                bytes.clone_from(&old);
                AccessKind::Load
            }
            What::Store => {
                cell.copy_from_slice(&bytes);
                AccessKind::Store
            }
            What::Atomic(op) => {
                if op == AtomicOp::Add {
                    // Sums that do not wrap, of both signs.
                    let small = (wide % 200) as i64 - 100;
                    bytes = small.to_le_bytes()[..size as usize].to_vec();
                }
                let word = |b: &[u8]| {
                    let mut wide = [0; 8];
                    wide[..b.len()].copy_from_slice(b);
                    u64::from_le_bytes(wide)
                };
                let new = op.apply(word(&old), word(&bytes), size as u8);
                cell.copy_from_slice(&new.to_le_bytes()[..size as usize]);
                AccessKind::Atomic { op, old: &old }
            }
        };
        let work = Work::of(gap);
        let access = Access { item, key, kind, addr, bytes: &bytes, work, ..Access::default() };
        self.recorder.access(&access).unwrap();
    }

    fn group(&mut self, kernel: &Kernel, number: u64, group: u32) {
        let mut first = 0;
        for segment in kernel.steps.split(|step| *step == Step::Barrier) {
            if first > 0 {
                self.recorder.barrier().unwrap();
            }
            for item in 0..kernel.items {
                for (i, step) in segment.iter().enumerate() {
                    let pc = (first + i) as u32;
                    if *step == Step::Fence {
                        let key = Key { pc, iteration: [0; 4] };
                        self.recorder.fence(item, key).unwrap();
                    }
                    let seed = [number, pc.into(), group.into(), item.into()];
                    self.access(seed, pc, step, item, group);
                }
            }
            first += segment.len() + 1;
        }
    }

    fn args(&self, kernel: &Kernel) -> Vec<Arg> {
        let start = self.base + self.part;
        let arg = |name: String, addr, bytes, mode, ranges| Arg {
            name,
            kind: ArgKind::Buffer { addr, bytes, mode, ranges },
        };
        match kernel.labels {
            Labels::None => Vec::new(),
            Labels::Whole => {
                let bytes = self.area.pages * self.area.apart;
                vec![arg("part".into(), start, bytes, Mode::ReadWrite, Vec::new())]
            }
            Labels::Pages | Labels::Ranges => {
                let ranges = |used: &Used| match kernel.labels {
                    Labels::Ranges => used.ranges(start),
                    _ => Vec::new(),
                };
                let pages = kernel.used(&self.area).into_iter();
                pages
                    .map(|(page, used)| {
                        let (addr, bytes) = (start + page * self.area.apart, self.area.bytes());
                        arg(format!("page{page}"), addr, bytes, used.mode(), ranges(&used))
                    })
                    .collect()
            }
        }
    }

    fn kernel(&mut self, kernel: &Kernel, number: u64) {
        let writes = if self.host { &kernel.writes[..] } else { &[] };
        for (i, &(at, bytes)) in writes.iter().enumerate() {
            let at = self.part + at;
            let data: Vec<u8> =
                (0..bytes).map(|k| value([number, i as u64, k, 1 << 40]) as u8).collect();
            self.memory[self.area.index(at)..][..data.len()].copy_from_slice(&data);
            self.recorder.host_write(self.base + at, &data).unwrap();
        }
        let grid = [kernel.groups * kernel.items, 1, 1];
        let local = [kernel.items, 1, 1];
        let name = format!("k{number}");
        self.recorder
            .begin_kernel(KernelSpec {
                name,
                grid,
                local,
                group_memory: 0,
                args: self.args(kernel),
                stream: self.stream,
            })
            .unwrap();
        for group in 0..kernel.groups {
            self.recorder.begin_group().unwrap();
            self.group(kernel, number, group);
            self.recorder.end_group().unwrap();
        }
        self.recorder.end_kernel().unwrap();
        if kernel.read && self.host {
            self.read(self.part);
        }
    }

    /// The host reads all pages of a part.
    fn read(&mut self, part: u64) {
        for page in 0..self.area.pages {
            let at = self.base + part + page * self.area.apart;
            self.recorder.host_read(at, self.area.bytes()).unwrap();
        }
    }
}

/// What a kernel accesses of a page.
#[derive(Default)]
struct Used {
    changes: bool,
    /// First byte and the byte behind the last one, of each work-group.
    spans: BTreeMap<u32, (u64, u64)>,
}

impl Used {
    fn mode(&self) -> Mode {
        if self.changes { Mode::ReadWrite } else { Mode::Read }
    }

    /// In an area that starts at this address.
    fn ranges(&self, start: u64) -> Vec<ScheduleRange> {
        let range = |(&group, &(first, end)): (&u32, &(u64, u64))| ScheduleRange {
            first_group: group,
            last_group: group,
            addr: start + first,
            bytes: end - first,
        };
        self.spans.iter().map(range).collect()
    }
}

impl Kernel {
    /// What it accesses, by page.
    fn used(&self, area: &Area) -> BTreeMap<u64, Used> {
        let mut pages = BTreeMap::<u64, Used>::new();
        for step in &self.steps {
            let &Step::Access { what, who, place, size, aligned, .. } = step else { continue };
            let all = (0..self.groups).flat_map(|g| (0..self.items).map(move |i| (g, i)));
            for (group, item) in all.filter(|&(group, item)| who.has(group, item)) {
                let at = place.addr(area, (group, item), what, size, aligned);
                let used = pages.entry(at / area.apart).or_default();
                used.changes |= what != What::Load;
                let span = used.spans.entry(group).or_insert((at, at + size));
                *span = (span.0.min(at), span.1.max(at + size));
            }
        }
        pages
    }
}

impl Program {
    /// Its trace over the usual area.
    pub fn record(&self) -> Reader {
        self.record_over(Area::default())
    }

    /// Its trace over an area. Panics where the program is none: a kernel without work-items, or a
    /// place outside the area.
    pub fn record_over(&self, area: Area) -> Reader {
        self.record_on(area, 1, 0)
    }

    /// Its trace in so many streams, 2 or more, by a seed: most kernels use an area that their
    /// stream has for itself, the others one that all share. Some wait for another stream, the host
    /// comes between few.
    pub fn record_in_streams(&self, streams: u64, seed: u64) -> Reader {
        self.record_on(Area::default(), streams, seed)
    }

    /// Its trace, which makes sense in itself.
    fn record_on(&self, area: Area, streams: u64, seed: u64) -> Reader {
        let mut recorder = Recorder::in_memory("program").unwrap();
        let several = streams > 1;
        if several {
            let of = [1, 2, streams as u8][value([seed, 0, 1, 1 << 41]) as usize % 3];
            let bound: Vec<_> =
                (0..streams as u8).map(|part| Bound { part: part % of, of }).collect();
            recorder.streams(&bound).unwrap();
        }
        let parts = if several { streams + 1 } else { 1 };
        let of_part = area.pages * area.apart;
        let base = recorder.alloc("a", parts * of_part).unwrap();
        let memory = vec![0; (parts * area.pages * area.bytes()) as usize];
        let (part, stream, host) = (0, 0, true);
        let mut run = Run { recorder, area, base, part, memory, stream, host };
        for (number, kernel) in (0..).zip(&self.0) {
            let chosen = |what: u64, of: u64| value([seed, number, what, 1 << 41]) % of;
            if several {
                let stream = chosen(2, streams);
                run.part = of_part * if chosen(3, 3) == 0 { streams } else { stream };
                run.stream = stream as u8;
                run.host = chosen(5, 4) == 0;
                let other = (stream + 1 + chosen(6, streams - 1)) % streams;
                if chosen(7, 3) == 0 {
                    run.recorder.wait(stream as u8, other as u8).unwrap();
                }
            }
            run.kernel(kernel, number);
        }
        (0..parts).for_each(|part| run.read(part * of_part));
        let bytes = run.recorder.into_bytes().unwrap();
        let mut reader = Reader::from_bytes(bytes, "program").unwrap();
        let outcome = verify(&mut reader).unwrap();
        assert_eq!(outcome.wrong, 0, "the trace itself: {:#?}", outcome.described);
        reader.rewind();
        reader
    }
}
