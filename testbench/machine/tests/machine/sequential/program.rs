//! Programs in which each wave has a list of its own.

use traces::trace::{
    Access, AccessKind, AtomicOp, KernelSpec, Key, LANES, Reader, Record, Recorder, Work, verify,
};

/// Bytes of a line.
pub const LINE: u64 = 128;
/// Lines of the one buffer.
pub const LINES: u64 = 32;

/// A step of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `size` bytes: up to 16 by one lane, a line by 8.
    Load {
        at: u64,
        size: u64,
        gap: u32,
    },
    Store {
        at: u64,
        size: u64,
        gap: u32,
    },
    /// Of 4 bytes; exchange or addition.
    Atomic {
        at: u64,
        op: AtomicOp,
        gap: u32,
    },
    Fence,
    /// Of all waves of the group: each has as many.
    Barrier,
}

/// A kernel: of each work-group its waves.
pub type Kernel = Vec<Vec<Vec<Step>>>;

/// What stores write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Each another value, as far as its bytes last.
    Unique,
    /// All the same.
    Equal,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    pub kernels: Vec<Kernel>,
    pub written: Written,
}

/// Steps of all waves have keys of their own, so that each has its list.
const KEYS: usize = 256;

struct Run<'a> {
    recorder: Recorder<std::io::Cursor<Vec<u8>>>,
    base: u64,
    memory: Vec<u8>,
    written: Written,
    /// Stores so far.
    stores: u32,
    kernel: &'a Kernel,
}

impl Run<'_> {
    fn value(&mut self, part: u64) -> [u8; 16] {
        let number = match self.written {
            Written::Equal => return [0x11; 16],
            Written::Unique => self.stores,
        };
        let mixed = (number.wrapping_mul(0x9E37_79B9) ^ (part as u32) << 28).to_le_bytes();
        std::array::from_fn(|k| mixed[k % 4] ^ (k / 4) as u8)
    }

    fn access(
        &mut self,
        item: u32,
        pc: u32,
        at: u64,
        bytes: Option<&[u8]>,
        (size, gap): (u64, u32),
    ) {
        let cell = &mut self.memory[at as usize..(at + size) as usize];
        let (kind, bytes) = match bytes {
            None => (AccessKind::Load, cell.to_vec()),
            Some(bytes) => {
                cell.copy_from_slice(&bytes[..size as usize]);
                (AccessKind::Store, cell.to_vec())
            }
        };
        let key = Key { pc, iteration: [0; 4] };
        let access = Access {
            item,
            key,
            kind,
            addr: self.base + at,
            bytes: &bytes,
            work: Work::of(gap),
            ..Access::default()
        };
        self.recorder.access(&access).unwrap();
    }

    /// A load or store of up to a line.
    fn wide(&mut self, item: u32, pc: u32, at: u64, stores: bool, (size, gap): (u64, u32)) {
        self.stores += u32::from(stores);
        let part = size.min(16);
        for lane in 0..size / part {
            let value = stores.then(|| self.value(lane));
            let bytes = value.as_ref().map(|value| &value[..]);
            self.access(item + lane as u32, pc, at + lane * part, bytes, (part, gap));
        }
    }

    fn step(&mut self, item: u32, pc: u32, step: &Step) {
        match *step {
            Step::Load { at, size, gap } => self.wide(item, pc, at, false, (size, gap)),
            Step::Store { at, size, gap } => self.wide(item, pc, at, true, (size, gap)),
            Step::Atomic { at, op, gap } => {
                self.stores += 1;
                let unique: [u8; 4] = self.value(0)[..4].try_into().unwrap();
                // Sums stay small.
                let operand = if op == AtomicOp::Add { [1, 0, 0, 0] } else { unique };
                let cell = &mut self.memory[at as usize..at as usize + 4];
                let old: [u8; 4] = cell.try_into().unwrap();
                let word = |bytes| u64::from(u32::from_le_bytes(bytes));
                let new = op.apply(word(old), word(operand), 4) as u32;
                cell.copy_from_slice(&new.to_le_bytes());
                let kind = AccessKind::Atomic { op, old: &old };
                let key = Key { pc, iteration: [0; 4] };
                let addr = self.base + at;
                let access = Access {
                    item,
                    key,
                    kind,
                    addr,
                    bytes: &operand,
                    work: Work::of(gap),
                    ..Access::default()
                };
                self.recorder.access(&access).unwrap();
            }
            Step::Fence => {
                let key = Key { pc, iteration: [0; 4] };
                self.recorder.fence(item, key).unwrap();
            }
            Step::Barrier => unreachable!("lists are cut there"),
        }
    }

    fn group(&mut self, group: &[Vec<Step>]) {
        let parts: Vec<Vec<_>> =
            group.iter().map(|wave| wave.split(|step| *step == Step::Barrier).collect()).collect();
        let segments = parts.iter().map(Vec::len).max().unwrap_or(0);
        for segment in 0..segments {
            if segment > 0 {
                self.recorder.barrier().unwrap();
            }
            for (wave, parts) in parts.iter().enumerate() {
                for (k, step) in parts[segment].iter().enumerate() {
                    let pc = ((wave * KEYS + segment) * KEYS + k) as u32;
                    self.step((wave * LANES) as u32, pc, step);
                }
            }
        }
    }

    fn kernel(&mut self, number: usize) {
        let waves = self.kernel.iter().map(Vec::len).max().unwrap_or(1) * LANES;
        let grid = [(self.kernel.len() * waves) as u32, 1, 1];
        let (local, name) = ([waves as u32, 1, 1], format!("k{number}"));
        let spec = KernelSpec { name, grid, local, ..KernelSpec::default() };
        self.recorder.begin_kernel(spec).unwrap();
        for group in self.kernel {
            self.recorder.begin_group().unwrap();
            self.group(group);
            self.recorder.end_group().unwrap();
        }
        self.recorder.end_kernel().unwrap();
    }
}

impl Program {
    /// Its trace.
    pub fn record(&self) -> Reader {
        let mut recorder = Recorder::in_memory("sequential").unwrap().fast().unwrap();
        let bytes = LINES * LINE;
        let base = recorder.alloc("a", bytes).unwrap();
        let (memory, written) = (vec![0; bytes as usize], self.written);
        let none = Vec::new();
        let mut run = Run { recorder, base, memory, written, stores: 0, kernel: &none };
        for (number, kernel) in self.kernels.iter().enumerate() {
            run.kernel = kernel;
            run.kernel(number);
        }
        run.recorder.host_read(base, bytes).unwrap();
        Reader::from_bytes(run.recorder.into_bytes().unwrap(), "sequential").unwrap()
    }

    /// The trace makes sense in itself.
    pub fn verify(&self) {
        let outcome = verify(&mut self.record()).unwrap();
        assert_eq!(outcome.wrong, 0, "{:#?}", outcome.described);
    }
}
