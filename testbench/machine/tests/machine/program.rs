//! Programs over few lines, as data: recorded as one thread would run them.

use traces::trace::{
    Access, AccessKind, AtomicOp, KernelSpec, Key, Reader, Record, Recorder, verify,
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
    base: u64,
    memory: Vec<u8>,
}

impl Run {
    fn access(&mut self, number: [u64; 4], pc: u32, step: &Step, item: u32, group: u32) {
        let &Step::Access { what, who, place, size, aligned, gap } = step else { return };
        if !who.has(group, item) {
            return;
        }
        let at = place.addr(group, item, what, size, aligned);
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

    fn kernel(&mut self, kernel: &Kernel, number: u64) {
        for (i, &(at, bytes)) in kernel.writes.iter().enumerate() {
            let data: Vec<u8> =
                (0..bytes).map(|k| value([number, i as u64, k, 1 << 40]) as u8).collect();
            self.memory[at as usize..][..data.len()].copy_from_slice(&data);
            self.recorder.host_write(self.base + at, &data).unwrap();
        }
        let grid = [kernel.groups * kernel.items, 1, 1];
        let local = [kernel.items, 1, 1];
        let name = format!("k{number}");
        self.recorder
            .begin_kernel(KernelSpec { name, grid, local, ..KernelSpec::default() })
            .unwrap();
        for group in 0..kernel.groups {
            self.recorder.begin_group().unwrap();
            self.group(kernel, number, group);
            self.recorder.end_group().unwrap();
        }
        self.recorder.end_kernel().unwrap();
        if kernel.read {
            self.recorder.host_read(self.base, PAGES * PAGE).unwrap();
        }
    }
}

impl Program {
    /// Its trace, which makes sense in itself.
    pub fn record(&self) -> Reader {
        let mut recorder = Recorder::in_memory("program").unwrap();
        let base = recorder.alloc("a", PAGES * PAGE).unwrap();
        let mut run = Run { recorder, base, memory: vec![0; (PAGES * PAGE) as usize] };
        for (number, kernel) in self.0.iter().enumerate() {
            run.kernel(kernel, number as u64);
        }
        run.recorder.host_read(base, PAGES * PAGE).unwrap();
        let bytes = run.recorder.into_bytes().unwrap();
        let mut reader = Reader::from_bytes(bytes, "program").unwrap();
        let outcome = verify(&mut reader).unwrap();
        assert_eq!(outcome.wrong, 0, "the trace itself: {:#?}", outcome.described);
        reader.rewind();
        reader
    }
}
