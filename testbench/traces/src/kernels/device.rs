//! The host's side: buffers, copies and launches, in the order in which the program does them.

use crate::trace::{Bound, Record};
use crate::workloads::SplitMix64;

use super::buffer::{Buffer, Element};
use super::group::{Group, Item, Tape};
use super::launch::Launch;

/// A device on which a program runs, while `R` takes down what it does.
pub struct Device<'r, R> {
    record: &'r mut R,
    /// Stream of the launches.
    stream: u8,
}

impl<'r, R: Record> Device<'r, R> {
    /// A device without buffers.
    pub fn new(record: &'r mut R) -> Self {
        Self { record, stream: 0 }
    }

    /// A buffer of `len` zeros, at least 1.
    pub fn alloc<T: Element>(&mut self, name: &str, len: usize) -> Result<Buffer<T>, R::Error> {
        Ok(Buffer::new(self.record.alloc(name, (len * T::BYTES) as u64)?, len))
    }

    /// Private memory of all work-items together: of each `len` elements, all 0. Element k of
    /// work-item i is element k `items` + i of the buffer, as GPUs lay local memory out.
    pub fn alloc_private<T: Element>(
        &mut self,
        name: &str,
        len: usize,
        items: usize,
    ) -> Result<Buffer<T>, R::Error> {
        let len = len * items;
        Ok(Buffer::new(self.record.alloc_private(name, (len * T::BYTES) as u64)?, len))
    }

    /// A buffer that the host has filled.
    pub fn upload<T: Element>(&mut self, name: &str, from: &[T]) -> Result<Buffer<T>, R::Error> {
        let buffer = self.alloc(name, from.len())?;
        self.write(&buffer, from)?;
        Ok(buffer)
    }

    /// The host writes `from`, from the first element on.
    pub fn write<T: Element>(&mut self, buffer: &Buffer<T>, from: &[T]) -> Result<(), R::Error> {
        let mut bytes = Vec::with_capacity(from.len() * T::BYTES);
        for (value, cell) in from.iter().zip(buffer.cells()) {
            bytes.extend_from_slice(&value.encode()[..T::BYTES]);
            cell.set(*value);
        }
        self.record.host_write(buffer.addr(0), &bytes)
    }

    /// The host reads all of it.
    pub fn read<T: Element>(&mut self, buffer: &Buffer<T>) -> Result<Vec<T>, R::Error> {
        self.record.host_read(buffer.addr(0), (buffer.len() * T::BYTES) as u64)?;
        Ok(buffer.cells().iter().map(|c| c.get()).collect())
    }

    /// So many streams, each on its own equal part of the chiplets, before all kernels.
    pub fn streams(&mut self, number: u8) -> Result<(), R::Error> {
        let bound: Vec<_> = (0..number).map(|part| Bound { part, of: number }).collect();
        self.record.streams(&bound)
    }

    /// Kernels are launched in this stream from now on, the first at the start.
    pub fn use_stream(&mut self, stream: u8) {
        self.stream = stream;
    }

    /// What is launched in a stream from now on waits for what another has done so far.
    pub fn wait(&mut self, stream: u8, of: u8) -> Result<(), R::Error> {
        self.record.wait(stream, of)
    }

    /// Runs a kernel without barriers: `body` once for each work-item that the launch asks for.
    pub fn each(&mut self, launch: Launch, mut body: impl FnMut(&Item)) -> Result<(), R::Error> {
        let size = launch.size;
        self.launch(launch, |group| {
            group.phase(|it| {
                if [it.x, it.y, it.z].iter().zip(&size).all(|(at, size)| at < size) {
                    body(it);
                }
            });
        })
    }

    /// Runs a kernel: `body` once for each work-group, in order.
    pub fn launch(&mut self, launch: Launch, mut body: impl FnMut(&Group)) -> Result<(), R::Error> {
        self.record.begin_kernel(launch.spec(self.stream))?;
        let tape = Tape::new(&launch, 1);
        for index in 0..launch.groups() {
            body(&Group::new(&tape, &launch, index));
            tape.release(self.record)?;
        }
        self.record.end_kernel()
    }

    /// Runs a kernel whose groups are all there at once and share data while they run: `body` is
    /// one turn of one group, drawn with `seed` from those that have not ended, and gives false
    /// when the group has ended. A barrier stands between two turns of a group. What a group waits
    /// for it polls once in a turn: so each wait is recorded as the loads that this order needs.
    pub fn in_turns(
        &mut self,
        launch: Launch,
        seed: u64,
        mut body: impl FnMut(&Group) -> bool,
    ) -> Result<(), R::Error> {
        self.record.begin_kernel(launch.spec(self.stream))?;
        let tape = Tape::new(&launch, launch.groups());
        let mut running: Vec<_> =
            (0..launch.groups()).map(|index| (Group::new(&tape, &launch, index), 0)).collect();
        let mut rng = SplitMix64::new(seed);
        while !running.is_empty() {
            let next = rng.below(running.len() as u64) as usize;
            let (group, turn) = &mut running[next];
            let goes_on = tape.loops.resume(*turn).all(|()| body(group));
            *turn += 1;
            if !goes_on {
                running.swap_remove(next);
            }
        }
        tape.release(self.record)?;
        self.record.end_kernel()
    }
}

#[cfg(test)]
mod tests {
    use super::super::at;
    use super::super::shadow::Shadow;
    use super::*;

    /// Each group passes a number on that it has from the other, three times.
    fn exchange(seed: u64) -> (Vec<u32>, Shadow) {
        let mut shadow = Shadow::default();
        let device = &mut Device::new(&mut shadow);
        let passed = device.alloc::<u32>("passed", 2).unwrap();
        let launch = Launch::line("exchange", 4, 2).write("passed", &passed);
        // What each group waits for: group 0 begins.
        let mut awaited = [0, 1];
        let ran = device.in_turns(launch, seed, |group| {
            let (mine, other) = (group.index, 1 - group.index);
            group.phase(|it| {
                it.work(10);
                if it.id == 0 {
                    let seen = it.load(at(1, 1), &passed, other);
                    if *seen == awaited[mine] {
                        awaited[mine] += 2;
                        it.store(at(2, 1), &passed, mine, *seen + 1);
                    }
                }
            });
            awaited[mine] < 6
        });
        ran.unwrap();
        let result = device.read(&passed).unwrap();
        (result, shadow)
    }

    #[test]
    fn groups_in_turns_see_each_other() {
        for seed in 1..20 {
            let (result, shadow) = exchange(seed);
            assert_eq!(result, [5, 6], "seed {seed}");
            // A load for each turn, with the work before it; six stores.
            let turns = shadow.accesses - 6;
            assert_eq!(shadow.loads as u64, turns);
            assert_eq!(shadow.instructions, 11 * turns + 6);
            assert!(turns >= 6 && shadow.lates > 0, "seed {seed}");
        }
    }

    #[test]
    fn order_of_the_turns_depends_on_the_seed_alone() {
        let turns = |seed| exchange(seed).1.accesses;
        assert!((1..20).all(|seed| turns(seed) == turns(seed)));
        assert!((2..20).any(|seed| turns(seed) != turns(1)));
    }
}
