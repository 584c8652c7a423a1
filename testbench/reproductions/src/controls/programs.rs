//! The programs of the controls: loads one after another, and sweeps over arrays of which each
//! work-group has a piece. Built-in programs besides.

use std::fmt::{self, Display, Formatter};
use std::io::Cursor;

use traces::kernels::{self, Buffer, Device, Group, Launch, Params, at};
use traces::trace::{self, Access, Bound, KernelSpec, Key, Record, Recorder};
use traces::workloads::SplitMix64;

use crate::experiment::SEED;

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// A built-in one; size and iterations are its own where 0.
    BuiltIn(&'static str, u32, u32),
    /// A built-in one whose results the host does not read.
    Unread(&'static str),
    /// Loads of one work-item, each after the one before it.
    Chase(Chase),
    /// An array.
    Sweep(Sweep),
    /// Rows of DRAM.
    Rows(Rows),
}

/// Where the loads of a chase are served. `line`: bytes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chase {
    /// The L1: loads of one line.
    L1 { loads: u32 },
    /// The L2 at the lines' home: rounds over more lines than an L1 holds. A work-group of chiplet
    /// `home` touches them first, that of chiplet 0 loads.
    L2 { line: u32, lines: u32, rounds: u32, home: u32, chiplets: u32 },
    /// The L3: what the kernel before has loaded.
    L3 { line: u32, loads: u32 },
    /// Memory: what nobody has loaded.
    Memory { line: u32, loads: u32 },
    /// The L2 of chiplet `home`, which has loaded the lines in the kernel before; or, not `warm`,
    /// its memory. Each line is loaded once.
    Other { line: u32, loads: u32, lanes: u32, home: u32, chiplets: u32, warm: bool },
    /// Words at this distance in bytes, in rounds; no kernel has loaded them before.
    Stride { stride: u32, loads: u32, rounds: u32 },
    /// A word of each page, which a work-group of chiplet `home` has loaded in the kernel before:
    /// more pages than chiplet 0 loads.
    Pages { loads: u32, home: u32, chiplets: u32 },
}

/// Words that lie in rows of their own: in each of `rows` turns one in each slice. Work-groups of
/// the first chiplet load each once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rows {
    /// Chiplets.
    pub chiplets: u32,
    /// Bytes of a line.
    pub line: u32,
    /// L3 slices of a chiplet.
    pub slices: u32,
    /// Bytes of a row of DRAM.
    pub row_bytes: u32,
    /// Rows in each slice.
    pub rows: u32,
    /// In random order. Otherwise in that of the addresses.
    pub shuffled: bool,
}

/// What a work-item does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    Load,
    Store,
}

/// Whose piece a work-group sweeps over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// Its own.
    Own,
    /// That of the work-group so many chiplets on.
    Next(u32),
    /// In turn those of all other chiplets, a page of each.
    Others,
    /// The first one: all share it.
    First,
}

/// What a kernel before it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Before {
    /// There is none: a page lies where the sweep touches it first.
    Nothing,
    /// Each work-group loads a word of each page of its piece, which then lies on its chiplet.
    Place,
    /// Each work-group loads its piece.
    Load,
}

/// A sweep over an array. Each page lies on the chiplet of the work-group that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sweep {
    /// Chiplets of all GPUs.
    pub chiplets: u32,
    /// Work-groups of each, of 256 work-items.
    pub groups: u32,
    /// Pages of 4 KB of a work-group's piece.
    pub pages: u32,
    /// What is done.
    pub op: Op,
    /// To what.
    pub whose: Whose,
    /// Kernel before.
    pub before: Before,
    /// Chiplets that work, from the first one on.
    pub active: u32,
    /// Kernels, each over an array of its own.
    pub kernels: u32,
}

impl Sweep {
    /// All chiplets load their own pieces, in one kernel.
    pub fn own(chiplets: u32, groups: u32, pages: u32) -> Self {
        let (op, whose, before) = (Op::Load, Whose::Own, Before::Nothing);
        Self { chiplets, groups, pages, op, whose, before, active: chiplets, kernels: 1 }
    }

    /// Bytes that a kernel moves.
    pub fn bytes(&self) -> f64 {
        f64::from(self.active) * f64::from(self.groups) * f64::from(self.pages) * PAGE as f64
    }
}

const PAGE: usize = 4096;
/// Work-items of a work-group of a sweep; each loads or stores 16 bytes of a page.
const ITEMS: usize = 256;

type Tape = Recorder<Cursor<Vec<u8>>>;
type Recording<'a> = Device<'a, Tape>;
type Result<T> = std::result::Result<T, trace::Error>;

impl Program {
    /// Its trace.
    pub fn record(&self) -> Vec<u8> {
        self.try_record().unwrap_or_else(|e| panic!("{self}: {e}"))
    }

    fn try_record(&self) -> std::result::Result<Vec<u8>, kernels::KernelError<trace::Error>> {
        let mut recorder = Recorder::in_memory("control")?;
        match *self {
            Self::BuiltIn(name, size, iterations) => {
                let own = kernels::program::<trace::Error>(name)?.params();
                let size = if size == 0 { own.size } else { size };
                let iterations = if iterations == 0 { own.iterations } else { iterations };
                kernels::run(name, &Params { size, iterations, seed: SEED }, &mut recorder)?;
            }
            Self::Unread(name) => {
                let own = kernels::program::<trace::Error>(name)?.params();
                kernels::run(name, &own, &mut Unread(&mut recorder))?;
            }
            Self::Chase(chase) => chase.record(&mut Device::new(&mut recorder))?,
            Self::Sweep(sweep) => sweep.record(&mut Device::new(&mut recorder))?,
            Self::Rows(rows) => rows.record(&mut Device::new(&mut recorder))?,
        }
        Ok(recorder.into_bytes()?)
    }
}

/// Leaves out what the host reads.
struct Unread<'a>(&'a mut Tape);

impl Record for Unread<'_> {
    type Error = trace::Error;

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64> {
        self.0.alloc(name, bytes)
    }
    fn alloc_private(&mut self, name: &str, bytes: u64) -> Result<u64> {
        self.0.alloc_private(name, bytes)
    }
    fn free(&mut self, addr: u64) -> Result<()> {
        self.0.free(addr)
    }
    fn host_write(&mut self, addr: u64, data: &[u8]) -> Result<()> {
        self.0.host_write(addr, data)
    }
    fn host_read(&mut self, _addr: u64, _bytes: u64) -> Result<()> {
        Ok(())
    }
    fn streams(&mut self, bound: &[Bound]) -> Result<()> {
        self.0.streams(bound)
    }
    fn wait(&mut self, stream: u8, of: u8) -> Result<()> {
        self.0.wait(stream, of)
    }
    fn begin_kernel(&mut self, spec: KernelSpec) -> Result<()> {
        self.0.begin_kernel(spec)
    }
    fn begin_group(&mut self) -> Result<()> {
        self.0.begin_group()
    }
    fn access(&mut self, access: &Access) -> Result<()> {
        self.0.access(access)
    }
    fn fence(&mut self, item: u32, key: Key) -> Result<()> {
        self.0.fence(item, key)
    }
    fn barrier(&mut self) -> Result<()> {
        self.0.barrier()
    }
    fn end_group(&mut self) -> Result<()> {
        self.0.end_group()
    }
    fn end_kernel(&mut self) -> Result<()> {
        self.0.end_kernel()
    }
}

impl Chase {
    fn record(self, device: &mut Recording) -> Result<()> {
        let words = |line: u32| line as usize / 4;
        match self {
            Self::L1 { loads } => {
                let a = device.upload("a", &[7u32; 32])?;
                device.launch(Launch::line("chase", 1, 1).read("a", &a), |group| {
                    one_after_another(group, &a, 0, (0..loads).map(|_| 0));
                })
            }
            Self::L2 { line, lines, rounds, home, chiplets } => {
                let a = device.upload("a", &vec![7u32; lines as usize * words(line)])?;
                let launch = |name| Launch::line(name, chiplets as usize, 1).read("a", &a);
                let round = move || (0..lines as usize).map(move |i| i * words(line));
                device.launch(launch("touch"), |group| {
                    one_after_another(group, &a, home, round());
                })?;
                device.launch(launch("chase"), |group| {
                    one_after_another(group, &a, 0, (0..rounds).flat_map(|_| round()));
                })
            }
            Self::L3 { line, loads } => {
                let a = device.upload("a", &vec![7u32; 64 * words(line)])?;
                for (name, loads) in [("touch", 64), ("chase", loads as usize)] {
                    device.launch(Launch::line(name, 1, 1).read("a", &a), |group| {
                        one_after_another(group, &a, 0, (0..loads).map(|i| i * words(line)));
                    })?;
                }
                Ok(())
            }
            Self::Memory { line, loads } => {
                let a = device.upload("a", &vec![7u32; 64 * words(line)])?;
                device.launch(Launch::line("chase", 1, 1).read("a", &a), |group| {
                    one_after_another(group, &a, 0, (0..loads as usize).map(|i| i * words(line)));
                })
            }
            Self::Other { line, loads, lanes, home, chiplets, warm } => {
                // The last line of a page is touched, no other of it where the rest stays cold.
                let last = PAGE / line as usize - 1;
                let a = device.upload("a", &[7u32; PAGE / 4])?;
                let launch = |name, lanes| {
                    Launch::line(name, (chiplets * lanes) as usize, lanes as usize).read("a", &a)
                };
                let first = if warm { 0 } else { last };
                device.launch(launch("touch", if warm { lanes } else { 1 }), |group| {
                    one_after_another(group, &a, home, (first..=last).map(|i| i * words(line)));
                })?;
                device.launch(launch("chase", lanes), |group| {
                    one_after_another(group, &a, 0, (0..loads as usize).map(|i| i * words(line)));
                })
            }
            Self::Stride { stride, loads, rounds } => {
                let a = device.alloc::<u32>("a", loads as usize * words(stride))?;
                let round = move || (0..loads as usize).map(move |i| i * words(stride));
                device.launch(Launch::line("chase", 1, 1).read("a", &a), |group| {
                    one_after_another(group, &a, 0, (0..rounds).flat_map(|_| round()));
                })
            }
            Self::Pages { loads, home, chiplets } => {
                let a = device.alloc::<u32>("a", TOUCHED * PAGE / 4)?;
                for (name, chiplet, pages) in
                    [("touch", home, TOUCHED), ("chase", 0, loads as usize)]
                {
                    let launch = Launch::line(name, chiplets as usize, 1).read("a", &a);
                    device.launch(launch, |group| {
                        // In each page another line, for other sets.
                        let places = (0..pages).map(|i| i * PAGE / 4 + i % 8 * 32);
                        one_after_another(group, &a, chiplet, places);
                    })?;
                }
                Ok(())
            }
        }
    }
}

/// Pages that the kernel before a chase of pages touches.
const TOUCHED: usize = 64;

impl Rows {
    fn record(self, device: &mut Recording) -> Result<()> {
        let Self { chiplets, line, slices, row_bytes, rows, shuffled } = self;
        let words = |bytes: u32| bytes as usize / 4;
        let (rows, slices) = (rows as usize, slices as usize);
        let a = device.alloc::<u32>("a", rows * slices * words(row_bytes))?;
        let mut order: Vec<usize> = (0..rows).collect();
        if shuffled {
            let mut random = SplitMix64::new(SEED);
            for i in (1..rows).rev() {
                order.swap(i, random.below(i as u64 + 1) as usize);
            }
        }
        let items = rows * slices;
        let launch = Launch::line("rows", chiplets as usize * items, ITEMS).read("a", &a);
        device.launch(launch, |group| {
            let first = group.index * ITEMS;
            group.phase(|it| {
                let item = first + it.id;
                if item < items {
                    let (row, slice) = (order[item / slices], item % slices);
                    let place = row * slices * words(row_bytes) + slice * words(line);
                    it.load(at(1, 0), &a, place);
                }
            });
        })
    }
}

/// Loads of one work-group: each of its work-items loads a word, behind that of the one before.
fn one_after_another(
    group: &Group,
    a: &Buffer<u32>,
    chiplet: u32,
    places: impl Iterator<Item = usize> + Clone,
) {
    group.phase(|it| {
        for i in it.turns(places.clone()).filter(|_| group.index == chiplet as usize) {
            it.load(at(1, 0), a, i + it.id);
        }
    });
}

impl Sweep {
    fn record(self, device: &mut Recording) -> Result<()> {
        for _ in 0..self.kernels {
            self.record_one(device)?;
        }
        Ok(())
    }

    fn record_one(self, device: &mut Recording) -> Result<()> {
        let groups = (self.chiplets * self.groups) as usize;
        let elements = groups * self.pages as usize * ITEMS;
        let a = device.upload("a", &vec![[1.0f32, 2.0, 3.0, 4.0]; elements])?;
        let pages = self.pages as usize;
        let own = |group: usize| group * pages * ITEMS..(group + 1) * pages * ITEMS;
        let line = |name| Launch::line(name, groups * ITEMS, ITEMS);
        if self.before != Before::Nothing {
            device.launch(line("before").read_part("a", &a, own), |group| {
                group.phase(|it| {
                    // One work-item of each page, or all.
                    for page in it.turns(0..pages) {
                        if self.before == Before::Load || it.id == 0 {
                            it.load(at(1, 0), &a, (group.index * pages + page) * ITEMS + it.id);
                        }
                    }
                });
            })?;
        }
        let launch = match (self.op, self.whose) {
            (Op::Load, Whose::Own) => line("sweep").read_part("a", &a, own),
            (Op::Store, Whose::Own) => line("sweep").write_part("a", &a, own),
            (Op::Load, _) => line("sweep").read("a", &a),
            (Op::Store, _) => line("sweep").write("a", &a),
        };
        device.launch(launch, |group| {
            if group.index as u32 / self.groups >= self.active {
                return;
            }
            group.phase(|it| {
                for page in it.turns(0..pages) {
                    let i = self.page(group.index, page) * ITEMS + it.id;
                    match self.op {
                        Op::Load => _ = it.load(at(2, 0), &a, i),
                        Op::Store => it.store(at(2, 0), &a, i, [it.id as f32; 4]),
                    }
                }
            });
        })?;
        Ok(())
    }

    /// The page of the array that a work-group sweeps over in a turn.
    fn page(&self, group: usize, turn: usize) -> usize {
        let (groups, pages) = (self.groups as usize, self.pages as usize);
        let all = self.chiplets as usize * groups;
        let from = match self.whose {
            Whose::Own => group,
            Whose::Next(chiplets) => (group + chiplets as usize * groups) % all,
            // Work-groups of a chiplet are at different ones at a time.
            Whose::Others => {
                let next = (turn + group % groups) % (self.chiplets as usize - 1);
                (group + (1 + next) * groups) % all
            }
            Whose::First => 0,
        };
        from * pages + turn
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::BuiltIn(name, 0, 0) | Self::Unread(name) => f.write_str(name),
            Self::BuiltIn(name, size, iterations) => write!(f, "{name} {size} x {iterations}"),
            Self::Chase(Chase::L1 { .. }) => f.write_str("chase, one line"),
            Self::Chase(Chase::L2 { home: 0, .. }) => f.write_str("chase, own chiplet's L2"),
            Self::Chase(Chase::L2 { .. }) => f.write_str("chase, another chiplet's L2"),
            Self::Chase(Chase::L3 { .. }) => f.write_str("chase, L3"),
            Self::Chase(Chase::Memory { .. }) => f.write_str("chase, memory"),
            Self::Chase(Chase::Other { warm: true, .. }) => f.write_str("chase, another home's L2"),
            Self::Chase(Chase::Other { .. }) => f.write_str("chase, another home's memory"),
            Self::Chase(Chase::Stride { stride, loads, rounds: 1 }) => {
                write!(f, "{loads} loads, stride {stride} bytes")
            }
            Self::Chase(Chase::Stride { stride, loads, rounds }) => {
                write!(f, "{rounds} x {loads} loads, stride {stride} bytes")
            }
            Self::Chase(Chase::Pages { .. }) => f.write_str("chase, pages"),
            Self::Rows(Rows { rows, shuffled, .. }) => {
                let order = if *shuffled { "in random order" } else { "in turn" };
                write!(f, "{rows} rows of each slice, {order}")
            }
            Self::Sweep(sweep) => {
                let op = match sweep.op {
                    Op::Load => "loads",
                    Op::Store => "stores",
                };
                let whose = match sweep.whose {
                    Whose::Own => "own lines".to_string(),
                    Whose::Next(n) => format!("lines of chiplet i + {n}"),
                    Whose::Others => "lines of all other chiplets".to_string(),
                    Whose::First => "shared lines".to_string(),
                };
                let warm = match sweep.before {
                    Before::Load => ", loaded before",
                    _ => "",
                };
                let kib = sweep.active * sweep.groups * sweep.pages * 4;
                write!(f, "{op} of {whose}{warm}, {kib} KiB")?;
                match sweep.kernels {
                    1 => Ok(()),
                    n => write!(f, ", {n} kernels"),
                }
            }
        }
    }
}
