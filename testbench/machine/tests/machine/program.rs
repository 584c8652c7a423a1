//! Programs over few lines, as data: recorded as one thread would run them.

use traces::trace::{
    Access, AccessKind, Arg, ArgKind, AtomicOp, Bound, KernelSpec, Key, Mode, Reader, Record,
    Recorder, verify,
};

/// Pages of the one buffer.
pub const PAGES: u64 = 3;
/// Bytes of each page that are used.
pub const WINDOW: u64 = 256;
const PAGE: u64 = 4096;

/// Who executes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    All,
    Item(u32),
    Group(u32),
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
    pub page: u64,
    pub offset: u64,
    pub per_item: u64,
    pub per_group: u64,
    /// Each group goes to the next page.
    pub page_by_group: bool,
}

impl Place {
    /// Words that atomics change lie apart, those of 4 and of 8 bytes, and are only stored as a
    /// whole: classes are kept by byte, and a sum carries from a byte that others store to those
    /// that they do not.
    fn addr(&self, group: u32, item: u32, what: What, size: u64, aligned: bool) -> u64 {
        let page = self.page + if self.page_by_group { u64::from(group) } else { 0 };
        let at = self.offset + u64::from(item) * self.per_item + u64::from(group) * self.per_group;
        let words = matches!(what, What::Atomic(_)) || self.offset >= WINDOW / 2;
        let (first, len) = match (what, size) {
            (What::Load, _) if !words || !aligned || !matches!(size, 4 | 8) => (0, WINDOW),
            (_, 4) if words => (WINDOW / 2, WINDOW / 4),
            (_, 8) if words => (WINDOW / 2 + WINDOW / 4, WINDOW / 4),
            _ => (0, WINDOW / 2),
        };
        let at = first + at % (len - size + 1);
        let at = if aligned || first > 0 { at / size * size } else { at };
        page % PAGES * PAGE + at
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Load,
    Store,
    Atomic(AtomicOp),
}

/// One step of every work-item's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `size` bytes; aligned or not; instructions before it.
    Access {
        what: What,
        who: Who,
        place: Place,
        size: u64,
        aligned: bool,
        gap: u32,
    },
    Fence,
    Barrier,
}

/// A kernel, and what the host does before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Bytes that the host writes first: offset in the buffer, how many.
    pub writes: Vec<(u64, u64)>,
    pub groups: u32,
    pub items: u32,
    pub steps: Vec<Step>,
    /// The host reads everything afterwards.
    pub read: bool,
}

/// A program.
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
    /// The buffer, and the part of it that the next kernel uses.
    base: u64,
    part: u64,
    memory: Vec<u8>,
    stream: u8,
    /// The kernel says that it may change all of the part.
    labelled: bool,
    /// The host writes and reads around the kernel.
    host: bool,
}

impl Run {
    fn access(&mut self, number: [u64; 4], pc: u32, step: &Step, item: u32, group: u32) {
        let &Step::Access { what, who, place, size, aligned, gap } = step else { return };
        if !who.has(group, item) {
            return;
        }
        let at = self.part + place.addr(group, item, what, size, aligned);
        let key = Key { pc, iteration: [0; 4] };
        let addr = self.base + at;
        let cell = &mut self.memory[at as usize..(at + size) as usize];
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
        self.recorder.access(&Access { item, key, kind, addr, bytes: &bytes, gap }).unwrap();
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

    fn args(&self) -> Vec<Arg> {
        let (addr, bytes) = (self.base + self.part, PAGES * PAGE);
        let (mode, ranges) = (Mode::ReadWrite, Vec::new());
        let kind = ArgKind::Buffer { addr, bytes, mode, ranges };
        self.labelled.then(|| Arg { name: "part".into(), kind }).into_iter().collect()
    }

    fn kernel(&mut self, kernel: &Kernel, number: u64) {
        let writes = if self.host { &kernel.writes[..] } else { &[] };
        for (i, &(at, bytes)) in writes.iter().enumerate() {
            let at = self.part + at;
            let data: Vec<u8> =
                (0..bytes).map(|k| value([number, i as u64, k, 1 << 40]) as u8).collect();
            self.memory[at as usize..][..data.len()].copy_from_slice(&data);
            self.recorder.host_write(self.base + at, &data).unwrap();
        }
        let grid = [kernel.groups * kernel.items, 1, 1];
        let local = [kernel.items, 1, 1];
        let name = format!("k{number}");
        self.recorder
            .begin_kernel(KernelSpec { name, grid, local, args: self.args(), stream: self.stream })
            .unwrap();
        for group in 0..kernel.groups {
            self.recorder.begin_group().unwrap();
            self.group(kernel, number, group);
            self.recorder.end_group().unwrap();
        }
        self.recorder.end_kernel().unwrap();
        if kernel.read && self.host {
            self.recorder.host_read(self.base + self.part, PAGES * PAGE).unwrap();
        }
    }
}

impl Program {
    /// Its trace, which makes sense in itself.
    pub fn record(&self) -> Reader {
        self.record_on(1, 0)
    }

    /// Its trace in so many streams, 2 or more, by a seed: most kernels use a part of memory that
    /// their stream has for itself, the others one that all share. Some wait for another stream,
    /// the host comes between few.
    pub fn record_in_streams(&self, streams: u64, seed: u64) -> Reader {
        self.record_on(streams, seed)
    }

    fn record_on(&self, streams: u64, seed: u64) -> Reader {
        let mut recorder = Recorder::in_memory("program").unwrap();
        let several = streams > 1;
        if several {
            let of = [1, 2, streams as u8][value([seed, 0, 1, 1 << 41]) as usize % 3];
            let bound: Vec<_> =
                (0..streams as u8).map(|part| Bound { part: part % of, of }).collect();
            recorder.streams(&bound).unwrap();
        }
        let bytes = PAGES * PAGE * if several { streams + 1 } else { 1 };
        let base = recorder.alloc("a", bytes).unwrap();
        let memory = vec![0; bytes as usize];
        let (part, stream, labelled, host) = (0, 0, false, true);
        let mut run = Run { recorder, base, part, memory, stream, labelled, host };
        for (number, kernel) in (0..).zip(&self.0) {
            let chosen = |what: u64, of: u64| value([seed, number, what, 1 << 41]) % of;
            if several {
                let stream = chosen(2, streams);
                run.part = PAGES * PAGE * if chosen(3, 3) == 0 { streams } else { stream };
                run.stream = stream as u8;
                (run.labelled, run.host) = (chosen(4, 4) > 0, chosen(5, 4) == 0);
                let other = (stream + 1 + chosen(6, streams - 1)) % streams;
                if chosen(7, 3) == 0 {
                    run.recorder.wait(stream as u8, other as u8).unwrap();
                }
            }
            run.kernel(kernel, number);
        }
        run.recorder.host_read(base, bytes).unwrap();
        let bytes = run.recorder.into_bytes().unwrap();
        let mut reader = Reader::from_bytes(bytes, "program").unwrap();
        let outcome = verify(&mut reader).unwrap();
        assert_eq!(outcome.wrong, 0, "the trace itself: {:#?}", outcome.described);
        reader.rewind();
        reader
    }
}
