//! A `Record` for tests: memory replayed in recorded order, in which every value must make sense.
//! Only what groups that ran in turns exchanged may stand in another order.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash};

use crate::trace::{Access, AccessKind, ArgKind, AtomicOp, Bound, KernelSpec, Key, Mode, Record};

use super::races::Races;
use super::{Device, Element, Params};

/// The first rule that the record broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

macro_rules! check {
    ($holds:expr, $($why:tt)*) => {
        if !$holds {
            return Err(Broken(format!($($why)*)));
        }
    };
}

/// Where in the trace the next thing may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Host,
    Kernel,
    Group,
}

/// What a program did.
#[derive(Default)]
pub struct Shadow {
    memory: Vec<(u64, Vec<u8>)>,
    /// End of the last buffer.
    end: u64,
    at: At,
    spec: KernelSpec,
    group: u32,
    /// Keys since the last barrier.
    keys: HashSet<(u32, Key)>,
    /// What each access site of the kernel does: kind and bytes.
    sites: HashMap<u32, (std::mem::Discriminant<AccessKind<'static>>, usize)>,
    /// Bytes that the host has read since the last kernel.
    read: Vec<u8>,
    /// Grows with everything that is recorded, in order.
    pub digest: DefaultHasher,
    /// Accesses of work-items.
    pub accesses: u64,
    races: Races,
    /// Loads that another order of the work-items could change.
    pub racy: usize,
    /// Loads.
    pub loads: usize,
    /// Values that each byte had during the kernel, where something has written it.
    values: HashMap<u64, Vec<u8>>,
    /// Of this kernel: address and bytes that an access saw although recorded order has others.
    late: Vec<(u64, Vec<u8>, u32)>,
    /// How many of them there were in all kernels.
    pub lates: usize,
    /// Other instructions of work-items.
    pub instructions: u64,
    /// Bytes allocated.
    pub bytes: u64,
    /// Kernels.
    pub kernels: u64,
    /// Fails at this access.
    pub fail_at: Option<u64>,
}

impl Shadow {
    fn at(&mut self, addr: u64, bytes: usize) -> Result<&mut [u8], Broken> {
        let found = self.memory.iter_mut().find(|(base, buffer)| {
            addr >= *base && addr + bytes as u64 <= *base + buffer.len() as u64
        });
        let Some((base, buffer)) = found else {
            return Err(Broken(format!("{bytes} bytes at {addr:#x}: no such buffer")));
        };
        let first = (addr - *base) as usize;
        Ok(&mut buffer[first..first + bytes])
    }

    /// The bytes at `addr` had these values during the kernel.
    fn had(&mut self, addr: u64, bytes: &[u8]) {
        for (at, byte) in (addr..).zip(bytes) {
            let values = self.values.entry(at).or_default();
            if !values.contains(byte) {
                values.push(*byte);
            }
        }
    }

    /// An access must keep to what the launch said of one of its arguments.
    fn check_label(&self, access: &Access) -> Result<(), Broken> {
        let (first, end) = (access.addr, access.addr + access.bytes.len() as u64);
        let within = |addr: u64, bytes: u64| first >= addr && end <= addr + bytes;
        let allowed = self.spec.args.iter().any(|arg| match &arg.kind {
            ArgKind::Plain => false,
            ArgKind::Buffer { addr, bytes, mode, ranges } => {
                within(*addr, *bytes)
                    && (*mode == Mode::ReadWrite || access.kind == AccessKind::Load)
                    && (ranges.is_empty()
                        || ranges.iter().any(|r| {
                            (r.first_group..=r.last_group).contains(&self.group)
                                && within(r.addr, r.bytes)
                        }))
            }
        });
        check!(allowed, "{}: group {}: {access:x?} is not labelled", self.spec.name, self.group);
        Ok(())
    }

    /// A key names one access of a work-item between two barriers, and a site always does the same
    /// thing.
    fn check_key(&mut self, access: &Access) -> Result<(), Broken> {
        let name = &self.spec.name;
        check!(self.keys.insert((access.item, access.key)), "{name}: {:?} came twice", access.key);
        let kind = match access.kind {
            AccessKind::Load => AccessKind::Load,
            AccessKind::Store => AccessKind::Store,
            AccessKind::Atomic { op, .. } => AccessKind::Atomic { op, old: &[] },
        };
        let does = (std::mem::discriminant(&kind), access.bytes.len());
        let known = *self.sites.entry(access.key.pc).or_insert(does);
        check!(known == does, "{name}: pc {} is two sites", access.key.pc);
        Ok(())
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn applied(op: AtomicOp, old: &[u8], operand: &[u8]) -> u64 {
    let shift = 64 - 8 * old.len() as u32;
    let signed = |v: u64| (v << shift) as i64 >> shift;
    let (a, b) = (little_endian(old), little_endian(operand));
    match op {
        AtomicOp::Add => a.wrapping_add(b),
        AtomicOp::Min => signed(a).min(signed(b)) as u64,
        AtomicOp::Max => signed(a).max(signed(b)) as u64,
        AtomicOp::UMin => a.min(b),
        AtomicOp::UMax => a.max(b),
        AtomicOp::And => a & b,
        AtomicOp::Or => a | b,
        AtomicOp::Xor => a ^ b,
        AtomicOp::Exchange => b,
    }
}

impl Record for Shadow {
    type Error = Broken;

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64, Broken> {
        check!(self.at == At::Host && bytes > 0, "alloc of {bytes} bytes at {:?}", self.at);
        (name, bytes).hash(&mut self.digest);
        let addr = self.end.next_multiple_of(4096) + 4096;
        self.memory.push((addr, vec![0; bytes as usize]));
        self.end = addr + bytes;
        self.bytes += bytes;
        Ok(addr)
    }

    fn alloc_private(&mut self, name: &str, bytes: u64) -> Result<u64, Broken> {
        self.alloc(name, bytes)
    }

    fn free(&mut self, addr: u64) -> Result<(), Broken> {
        self.memory.retain(|(base, _)| *base != addr);
        Ok(())
    }

    fn host_write(&mut self, addr: u64, data: &[u8]) -> Result<(), Broken> {
        check!(self.at == At::Host, "host write within a kernel");
        (addr, data).hash(&mut self.digest);
        self.at(addr, data.len())?.copy_from_slice(data);
        Ok(())
    }

    fn host_read(&mut self, addr: u64, bytes: u64) -> Result<(), Broken> {
        check!(self.at == At::Host, "host read within a kernel");
        (addr, bytes).hash(&mut self.digest);
        let seen = self.at(addr, bytes as usize)?.to_vec();
        self.read.extend(seen);
        Ok(())
    }

    fn streams(&mut self, bound: &[Bound]) -> Result<(), Broken> {
        check!(self.kernels == 0, "streams behind a kernel");
        format!("{bound:?}").hash(&mut self.digest);
        Ok(())
    }

    fn wait(&mut self, stream: u8, of: u8) -> Result<(), Broken> {
        check!(self.at == At::Host, "a wait within a kernel");
        (stream, of).hash(&mut self.digest);
        Ok(())
    }

    fn begin_kernel(&mut self, spec: KernelSpec) -> Result<(), Broken> {
        check!(self.at == At::Host, "kernel within a kernel");
        format!("{spec:?}").hash(&mut self.digest);
        let whole = (0..3).all(|d| spec.local[d] > 0 && spec.grid[d].is_multiple_of(spec.local[d]));
        check!(whole && spec.grid.iter().all(|n| *n > 0), "{}: grid {:?}", spec.name, spec.grid);
        (self.spec, self.at, self.group) = (spec, At::Kernel, 0);
        self.kernels += 1;
        self.sites.clear();
        self.read.clear();
        self.values.clear();
        Ok(())
    }

    fn begin_group(&mut self) -> Result<(), Broken> {
        check!(self.at == At::Kernel, "group at {:?}", self.at);
        self.at = At::Group;
        Ok(())
    }

    fn access(&mut self, access: &Access) -> Result<(), Broken> {
        check!(self.at == At::Group, "access at {:?}", self.at);
        check!(self.fail_at.is_none_or(|at| self.accesses < at), "the access fails");
        let items: u32 = self.spec.local.iter().product();
        check!(access.item < items, "work-item {} of {items}", access.item);
        let len = access.bytes.len();
        check!(len.is_power_of_two() && len <= 16, "{len} bytes");
        check!(access.addr.is_multiple_of(len as u64), "{access:?} is not aligned");
        let gap = access.work.instructions;
        check!(gap < 100_000, "{}: gap {gap}", self.spec.name);
        self.check_label(access)?;
        self.check_key(access)?;
        format!("{access:?}").hash(&mut self.digest);
        self.accesses += 1;
        self.instructions += u64::from(access.work.instructions);
        match access.kind {
            AccessKind::Load => self.races.load(access.addr, self.group, access.item),
            _ => self.races.write(access.addr, self.group, access.item),
        }
        let name = self.spec.name.clone();
        let before = self.at(access.addr, len)?.to_vec();
        let (saw, new) = match access.kind {
            AccessKind::Load => (access.bytes, None),
            AccessKind::Store => (&before[..], Some(access.bytes.to_vec())),
            AccessKind::Atomic { op, old } => {
                check!(len == 4 || len == 8, "{name}: atomic of {len} bytes");
                let left = |old| applied(op, old, access.bytes).to_le_bytes()[..len].to_vec();
                self.had(access.addr, old);
                self.had(access.addr, &left(old));
                (old, Some(left(&before)))
            }
        };
        if saw != before {
            self.late.push((access.addr, saw.to_vec(), self.group));
        }
        self.loads += usize::from(access.kind == AccessKind::Load);
        if let Some(new) = new {
            self.had(access.addr, &before);
            self.had(access.addr, &new);
            self.at(access.addr, len)?.copy_from_slice(&new);
        }
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Broken> {
        check!(self.at == At::Group, "barrier at {:?}", self.at);
        "barrier".hash(&mut self.digest);
        self.keys.clear();
        self.races.barrier();
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Broken> {
        check!(self.at == At::Group, "end of a group at {:?}", self.at);
        (self.at, self.group) = (At::Kernel, self.group + 1);
        self.keys.clear();
        self.races.barrier();
        Ok(())
    }

    fn end_kernel(&mut self) -> Result<(), Broken> {
        let groups: u32 = (0..3).map(|d| self.spec.grid[d] / self.spec.local[d]).product();
        check!(self.at == At::Kernel && self.group == groups, "{} of {groups} groups", self.group);
        self.at = At::Host;
        for (addr, bytes, group) in std::mem::take(&mut self.late) {
            let name = &self.spec.name;
            let theirs = self.races.others_write(addr, group);
            let had = (addr..)
                .zip(&bytes)
                .all(|(at, byte)| self.values.get(&at).is_some_and(|values| values.contains(byte)));
            check!(theirs && had, "{name}: {bytes:x?} seen at {addr:#x} by group {group}");
            self.lates += 1;
        }
        self.racy += std::mem::take(&mut self.races).end_kernel();
        Ok(())
    }
}

/// Runs a program and gives its result; the record must make sense throughout, and the bytes that
/// the host reads after the last kernel must be those of the result.
pub fn replay<T: Element>(
    run: fn(&mut Device<Shadow>, &Params) -> Result<Vec<T>, Broken>,
    params: &Params,
) -> Vec<T> {
    let mut shadow = Shadow::default();
    let result =
        run(&mut Device::new(&mut shadow), params).unwrap_or_else(|e| panic!("{params:?}: {e}"));
    let mut bytes = Vec::new();
    for value in &result {
        bytes.extend_from_slice(&value.encode()[..T::BYTES]);
    }
    assert!(shadow.read.ends_with(&bytes), "{params:?}: memory does not hold the result");
    result
}
