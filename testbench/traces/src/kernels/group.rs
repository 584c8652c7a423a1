//! The kernel's side: work-groups, work-items, and their accesses.

use std::cell::Cell;

use crate::trace::{AtomicOp, Key, Record};

use super::buffer::{Buffer, Element, Integer};
use super::held::{Held, Kind, Loaded};
use super::launch::Launch;
use super::loops::{Loops, Turns};

/// Place of an access in the source of its kernel.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub(super) pc: u32,
    pub(super) gap: u32,
    pub(super) chain: u32,
}

/// The access called `pc`, a number of its own within the kernel, after `gap` other instructions
/// (addresses, comparisons, arithmetic, local memory) since the access before it.
#[inline]
pub const fn at(pc: u32, gap: u32) -> Site {
    Site { pc, gap, chain: 0 }
}

impl Site {
    /// So many of the instructions before it, at least 1, each read the result of the one before.
    pub const fn chain(self, instructions: u32) -> Self {
        Self { chain: instructions, ..self }
    }
}

/// Takes down the accesses of one launch.
pub(super) struct Tape {
    pub(super) loops: Loops,
    /// The groups that are not recorded yet.
    held: Vec<Held>,
}

impl Tape {
    /// `groups`: those recorded at a time, one, or all where they run in turns.
    pub fn new(launch: &Launch, groups: u32) -> Self {
        let items = launch.local.iter().product();
        Self { loops: Loops::default(), held: (0..groups).map(|_| Held::new(items)).collect() }
    }

    /// Records what groups have done, one after another.
    pub fn release<R: Record>(&self, record: &mut R) -> Result<(), R::Error> {
        self.held.iter().try_for_each(|held| held.release(record))
    }
}

/// A work-group. Local memory is what `body` of the launch declares: arrays that are not recorded.
pub struct Group<'a> {
    tape: &'a Tape,
    held: &'a Held,
    local: [u32; 3],
    /// Number of the group in x, y, z.
    pub id: [usize; 3],
    /// Number of the group.
    pub index: usize,
    begun: Cell<bool>,
}

impl<'a> Group<'a> {
    pub(super) fn new(tape: &'a Tape, launch: &Launch, index: u32) -> Self {
        let [nx, ny, _] = launch.count;
        let id = [index % nx, index / nx % ny, index / nx / ny].map(|i| i as usize);
        let (index, local, begun) = (index as usize, launch.local, Cell::new(false));
        Self { tape, held: &tape.held[index % tape.held.len()], local, id, index, begun }
    }

    /// All work-items, one after another, from one barrier to the next: a barrier stands between
    /// two phases.
    pub fn phase(&self, mut body: impl FnMut(&Item<'a>)) {
        if self.begun.replace(true) {
            self.held.barrier();
        }
        let [nx, ny, nz] = self.local.map(|n| n as usize);
        let [x0, y0, z0] = [self.id[0] * nx, self.id[1] * ny, self.id[2] * nz];
        let mut id = 0;
        for lz in 0..nz {
            for ly in 0..ny {
                for lx in 0..nx {
                    let (x, y, z) = (x0 + lx, y0 + ly, z0 + lz);
                    let (loops, held) = (&self.tape.loops, self.held);
                    held.run(id);
                    body(&Item { loops, held, id, x, y, z, lx, ly });
                    id += 1;
                }
            }
        }
    }

    /// A loop that all work-items go round together, phases and all.
    pub fn turns<I: IntoIterator>(&self, range: I) -> Turns<'_, I::IntoIter> {
        self.tape.loops.enter(range.into_iter())
    }
}

/// A work-item.
pub struct Item<'a> {
    loops: &'a Loops,
    held: &'a Held,
    /// Number in its group.
    pub id: usize,
    /// Place in the grid.
    pub x: usize,
    /// Place in the grid.
    pub y: usize,
    /// Place in the grid.
    pub z: usize,
    /// Place in its group.
    pub lx: usize,
    /// Place in its group.
    pub ly: usize,
}

impl<'a> Item<'a> {
    /// A loop. Every loop around an access goes through here: the turns are part of the access's
    /// key.
    pub fn turns<I: IntoIterator>(&self, range: I) -> Turns<'_, I::IntoIter> {
        self.loops.enter(range.into_iter())
    }

    /// Instructions beside those that the sites state, such as those of a loop without accesses.
    /// They count before the work-item's next access. Dereference the values that they read before
    /// this call.
    pub fn work(&self, instructions: usize) {
        self.held.work(instructions as u32);
    }

    /// Loads an element.
    pub fn load<T: Element>(&self, at: Site, buffer: &Buffer<T>, index: usize) -> Loaded<'a, T> {
        let value = buffer.cell(index).get();
        let event = self.access(at, Kind::Load, buffer.addr(index), value);
        Loaded { value, held: self.held, event }
    }

    /// Writes an element.
    pub fn store<T: Element>(&self, at: Site, buffer: &Buffer<T>, index: usize, value: T) {
        buffer.cell(index).set(value);
        self.access(at, Kind::Store, buffer.addr(index), value);
    }

    /// Adds and gives the old value.
    pub fn atomic_add<T: Integer>(
        &self,
        at: Site,
        buffer: &Buffer<T>,
        index: usize,
        value: T,
    ) -> Loaded<'a, T> {
        self.atomic(at, AtomicOp::Add, buffer, index, value, |old| old.plus(value))
    }

    /// Leaves the lesser value and gives the old one.
    pub fn atomic_min<T: Integer>(
        &self,
        at: Site,
        buffer: &Buffer<T>,
        index: usize,
        value: T,
    ) -> Loaded<'a, T> {
        let op = if T::SIGNED { AtomicOp::Min } else { AtomicOp::UMin };
        self.atomic(at, op, buffer, index, value, |old| old.min(value))
    }

    /// Writes and gives the old value.
    pub fn exchange<T: Element>(
        &self,
        at: Site,
        buffer: &Buffer<T>,
        index: usize,
        value: T,
    ) -> Loaded<'a, T> {
        self.atomic(at, AtomicOp::Exchange, buffer, index, value, |_| value)
    }

    /// Compare and swap: writes `new` where `expected` stands, and gives the old value. One that
    /// fails leaves memory alone, which is recorded as adding 0.
    pub fn cas<T: Element + PartialEq>(
        &self,
        at: Site,
        buffer: &Buffer<T>,
        index: usize,
        expected: T,
        new: T,
    ) -> Loaded<'a, T> {
        if buffer.cell(index).get() == expected {
            self.exchange(at, buffer, index, new)
        } else {
            self.atomic(at, AtomicOp::Add, buffer, index, T::default(), |old| old)
        }
    }

    /// Orders the work-item's accesses before this before those after it, for all groups.
    pub fn fence(&self, at: Site) {
        self.held.fence(self.key(at));
    }

    fn key(&self, at: Site) -> Key {
        Key { pc: at.pc, iteration: self.loops.counts() }
    }

    fn atomic<T: Element>(
        &self,
        at: Site,
        op: AtomicOp,
        buffer: &Buffer<T>,
        index: usize,
        operand: T,
        change: impl FnOnce(T) -> T,
    ) -> Loaded<'a, T> {
        const { assert!(T::BYTES == 4 || T::BYTES == 8) };
        let cell = buffer.cell(index);
        let value = cell.get();
        cell.set(change(value));
        let kind = Kind::Atomic(op, value.encode());
        let event = self.access(at, kind, buffer.addr(index), operand);
        Loaded { value, held: self.held, event }
    }

    #[inline]
    fn access<T: Element>(&self, at: Site, kind: Kind, addr: u64, value: T) -> usize {
        self.held.access(at, self.key(at), kind, addr, value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shadow::{Broken, Shadow};
    use super::super::{Device, Launch, chunk};
    use super::*;
    use crate::trace::{Access, AccessKind};

    /// Runs one kernel over a buffer of 8 words, in groups of 4 that own 4 words each.
    fn kernel(body: impl FnMut(&Group, &Buffer<u32>)) -> (Result<Vec<u32>, Broken>, Shadow) {
        let (mut shadow, mut body) = (Shadow::default(), body);
        let device = &mut Device::new(&mut shadow);
        let buffer = device.upload("b", &[7u32; 8]).unwrap();
        let launch = Launch::line("k", 8, 4).write_part("b", &buffer, chunk(4));
        let ran = device.launch(launch, |group| body(group, &buffer));
        let result = ran.and_then(|()| device.read(&buffer));
        (result, shadow)
    }

    fn broken(body: impl FnMut(&Group, &Buffer<u32>)) -> String {
        kernel(body).0.unwrap_err().to_string()
    }

    #[test]
    fn failed_cas_gives_what_stands_there_and_changes_nothing() {
        let (result, shadow) = kernel(|group, b| {
            group.phase(|it| {
                let seen = [
                    it.cas(at(1, 0), b, it.x, 6, 9),
                    it.cas(at(2, 0), b, it.x, 7, 8),
                    it.cas(at(3, 0), b, it.x, 7, 9),
                ];
                assert_eq!(seen.map(|seen| *seen), [7, 7, 8]);
            });
        });
        assert_eq!(result.unwrap(), [8; 8]);
        assert_eq!(shadow.accesses, 24);
    }

    #[test]
    fn atomics_give_old_values_and_wrap() {
        let mut shadow = Shadow::default();
        let device = &mut Device::new(&mut shadow);
        let (a, b) = (device.upload("a", &[-5i32]).unwrap(), device.upload("b", &[3i64]).unwrap());
        let launch = Launch::line("k", 1, 1).write("a", &a).write("b", &b);
        let ran = device.launch(launch, |group| {
            group.phase(|it| {
                assert_eq!(*it.atomic_min(at(1, 0), &a, 0, 3), -5);
                assert_eq!(*it.atomic_min(at(2, 0), &a, 0, i32::MIN), -5);
                assert_eq!(*it.atomic_add(at(3, 0), &a, 0, -1), i32::MIN);
                assert_eq!(*it.atomic_add(at(4, 0), &b, 0, -4), 3);
                assert_eq!(*it.exchange(at(5, 0), &b, 0, 12), -1);
            });
        });
        ran.unwrap();
        assert_eq!(
            (device.read(&a).unwrap(), device.read(&b).unwrap()),
            (vec![i32::MAX], vec![12])
        );
    }

    #[test]
    fn work_counts_before_the_next_access_of_the_same_item() {
        let (_, shadow) = kernel(|group, b| {
            // That of the first group's last work-item is lost.
            group.phase(|it| it.work(100));
            group.phase(|it| {
                if it.x != 3 {
                    it.load(at(1, 5), b, it.x);
                    it.load(at(2, 1), b, it.x);
                }
            });
        });
        assert_eq!(shadow.instructions, 7 * 106);
    }

    #[test]
    fn work_items_of_three_dimensions_know_their_places() {
        let (mut shadow, [nx, ny, nz]) = (Shadow::default(), [4, 6, 4]);
        let device = &mut Device::new(&mut shadow);
        let buffer = device.alloc::<u32>("b", nx * ny * nz).unwrap();
        let launch = Launch::new("k", [nx, ny, nz], [2, 3, 2]).write("b", &buffer);
        let ran = device.launch(launch, |group| {
            group.phase(|it| {
                let value = (group.index * 12 + it.id) as u32;
                it.store(at(1, 0), &buffer, (it.z * ny + it.y) * nx + it.x, value);
            });
        });
        ran.unwrap();
        let seen = device.read(&buffer).unwrap();
        let value = |x, y, z| seen[(z * ny + y) * nx + x];
        assert_eq!([value(0, 0, 0), value(1, 0, 0), value(0, 1, 0), value(0, 0, 1)], [0, 1, 2, 6]);
        assert_eq!([value(2, 0, 0), value(0, 3, 0), value(0, 0, 2)], [12, 24, 48]);
        assert_eq!(value(3, 5, 3), 95);
    }

    #[test]
    fn host_writes_of_many_pieces_arrive_whole() {
        let mut shadow = Shadow::default();
        let device = &mut Device::new(&mut shadow);
        let host: Vec<u32> = (0..600_000).collect();
        let buffer = device.upload("b", &host).unwrap();
        let launch = Launch::line("k", host.len(), 256).read("b", &buffer);
        let ran = device.launch(launch, |group| {
            group.phase(|it| {
                if it.x < host.len() && it.x % 1000 == 999 {
                    it.load(at(1, 0), &buffer, it.x);
                }
            });
        });
        ran.unwrap();
        assert_eq!(shadow.accesses, 600);
    }

    // What follows shows that the tests of the programs would notice a broken one.

    #[test]
    fn key_may_come_again_behind_a_barrier_only() {
        let load = |it: &Item, b: &Buffer<u32>| {
            it.load(at(1, 0), b, it.x);
        };
        let (result, _) = kernel(|group, b| {
            group.phase(|it| load(it, b));
            group.phase(|it| load(it, b));
        });
        result.unwrap();
        let error = broken(|group, b| group.phase(|it| (0..2).for_each(|_| load(it, b))));
        assert!(error.ends_with("came twice"), "{error}");
    }

    #[test]
    fn access_beyond_its_label_is_noticed() {
        let error = broken(|group, b| {
            group.phase(|it| {
                it.load(at(1, 0), b, (it.x + 4) % 8);
            });
        });
        assert!(error.ends_with("is not labelled"), "{error}");
    }

    #[test]
    fn value_that_no_other_group_has_written_is_noticed() {
        let kernel = |value: u8, writer: u32| {
            let mut shadow = Shadow::default();
            let addr = shadow.alloc("b", 4).unwrap();
            let args = Launch::line("k", 2, 1).write("b", &Buffer::<u32>::new(addr, 1)).spec(0);
            shadow.begin_kernel(args).unwrap();
            for group in 0..2 {
                shadow.begin_group().unwrap();
                let (kind, bytes) = match group == writer {
                    true => (AccessKind::Store, [7, 0, 0, 0]),
                    false => (AccessKind::Load, [value, 0, 0, 0]),
                };
                let key = Key { pc: group, ..Key::default() };
                let access =
                    Access { item: 0, key, kind, addr, bytes: &bytes, ..Access::default() };
                shadow.access(&access).unwrap();
                shadow.end_group().unwrap();
            }
            shadow.end_kernel().map_err(|error| error.to_string())
        };
        assert_eq!(kernel(0, 1), Ok(()));
        assert_eq!(kernel(7, 1), Ok(()));
        assert!(kernel(8, 1).unwrap_err().contains("seen at"));
        assert!(kernel(7, 2).unwrap_err().contains("seen at"));
    }

    #[test]
    fn number_given_to_two_sites_is_noticed() {
        let error = broken(|group, b| {
            group.phase(|it| match it.lx {
                0 => _ = it.load(at(1, 0), b, it.x),
                _ => it.store(at(1, 0), b, it.x, 0),
            });
        });
        assert!(error.ends_with("pc 1 is two sites"), "{error}");
    }
}
