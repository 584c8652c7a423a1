//! A plan as a trace, with the values of a run in which one work-group follows another. The test
//! is one without compare-and-swap (`code.rs`).

use traces::trace::{
    self, Access, AccessKind, KernelSpec, Key, LANES, Reader, Record, Recorder, Work,
};

use super::plan::{Beside, Instance, Kernel, Plan};
use crate::test::{Change, Step, Test};

/// Most steps of a wave: its keys are its own, so that each wave has a list.
const STEPS: u32 = 256;

/// Name of the program.
const NAME: &str = "litmus";

struct Run<'a> {
    recorder: Recorder<std::io::Cursor<Vec<u8>>>,
    test: &'a Test,
    base: u64,
    memory: Vec<u8>,
    stores: u32,
}

/// One thing that a wave does.
#[derive(Clone, Copy)]
enum Does {
    Beside(Beside),
    Step(Step, u64, u32),
    Barrier,
}

/// The trace, and the address of its buffer.
pub fn record(test: &Test, plan: &Plan) -> Result<(Reader, u64), trace::Error> {
    let mut recorder = Recorder::in_memory(NAME)?.fast()?;
    let base = recorder.alloc("words", plan.bytes)?;
    let memory = vec![0; plan.bytes as usize];
    let mut run = Run { recorder, test, base, memory, stores: 0 };
    run.first_values(plan)?;
    for (number, kernel) in plan.kernels.iter().enumerate() {
        run.kernel(plan, kernel, number)?;
    }
    run.recorder.host_read(base, plan.bytes)?;
    Ok((Reader::from_bytes(run.recorder.into_bytes()?, NAME)?, base))
}

impl Run<'_> {
    fn first_values(&mut self, plan: &Plan) -> Result<(), trace::Error> {
        for instance in plan.kernels.iter().flat_map(|kernel| &kernel.instances) {
            for (&at, (_, value)) in instance.words.iter().zip(&self.test.locations) {
                if *value != 0 {
                    self.recorder.host_write(self.base + at, &value.to_le_bytes())?;
                    self.memory[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        Ok(())
    }

    fn kernel(&mut self, plan: &Plan, kernel: &Kernel, number: usize) -> Result<(), trace::Error> {
        let items = u32::from(plan.waves) * LANES as u32;
        let (grid, local) = ([kernel.groups * items, 1, 1], [items, 1, 1]);
        let name = format!("k{number}");
        self.recorder.begin_kernel(KernelSpec { name, grid, local, ..KernelSpec::default() })?;
        for group in 0..kernel.groups {
            self.recorder.begin_group()?;
            self.group(plan, kernel, group)?;
            self.recorder.end_group()?;
        }
        self.recorder.end_kernel()
    }

    fn group(&mut self, plan: &Plan, kernel: &Kernel, group: u32) -> Result<(), trace::Error> {
        let lists: Vec<_> = (0..plan.waves).map(|wave| self.list(kernel, (group, wave))).collect();
        let is_barrier = |does: &Does| matches!(does, Does::Barrier);
        let parts: Vec<Vec<_>> =
            lists.iter().map(|list| list.split(is_barrier).collect()).collect();
        let segments = parts.iter().map(Vec::len).max().unwrap_or(1);
        for segment in 0..segments {
            if segment > 0 {
                self.recorder.barrier()?;
            }
            for (wave, parts) in (0..).zip(&parts) {
                for (step, does) in (0..).zip(*parts.get(segment).unwrap_or(&&[][..])) {
                    let pc = (wave * STEPS + segment as u32) * STEPS + step;
                    self.step(wave * LANES as u32, Key { pc, iteration: [0; 4] }, *does)?;
                }
            }
        }
        Ok(())
    }

    /// What a wave does.
    fn list(&self, kernel: &Kernel, wave: (u32, u16)) -> Vec<Does> {
        let others = kernel.others.iter().filter(|(group, other, _)| (*group, *other) == wave);
        let beside = others.flat_map(|(.., list)| list.iter().copied().map(Does::Beside));
        let seats = |instance: &Instance| {
            let find = |seat: &super::plan::Seat| (seat.group, seat.wave) == wave;
            let thread = instance.seats.iter().position(find)?;
            let seat = &instance.seats[thread];
            let steps = &self.test.threads[thread].steps;
            let does = |slot: &Option<usize>| match slot.map(|step| (step, steps[step])) {
                None | Some((_, Step::Barrier(_))) => Does::Barrier,
                Some((number, step)) => {
                    let at = location(&step).map_or(0, |location| instance.words[location]);
                    Does::Step(step, at, seat.gaps[number])
                }
            };
            let before = seat.before.iter().copied().map(Does::Beside);
            Some(before.chain(seat.slots.iter().map(does)).collect::<Vec<_>>())
        };
        let own = kernel.instances.iter().filter_map(seats).flatten();
        beside.chain(own).collect()
    }

    fn step(&mut self, item: u32, key: Key, does: Does) -> Result<(), trace::Error> {
        match does {
            Does::Beside(Beside { at, stores, size, gap }) => {
                let part = size.min(16);
                for lane in 0..size / part {
                    let bytes = stores.then(|| {
                        self.stores += 1;
                        self.stores.to_le_bytes()
                    });
                    let bytes = bytes.as_ref().map(|bytes| &bytes[..]);
                    let place = (at + lane * part, part);
                    self.access(item + lane as u32, key, place, bytes, gap)?;
                }
                Ok(())
            }
            Does::Step(Step::Load { .. }, at, gap) => self.access(item, key, (at, 4), None, gap),
            Does::Step(Step::Store { value, .. }, at, gap) => {
                self.access(item, key, (at, 4), Some(&value.to_le_bytes()), gap)
            }
            Does::Step(Step::Atomic { change: Change::Op(op, value), .. }, at, gap) => {
                let old: [u8; 4] = self.memory[at as usize..][..4].try_into().expect("four");
                let word = u64::from(u32::from_le_bytes(old));
                let new = op.apply(word, value.into(), 4) as u32;
                self.memory[at as usize..][..4].copy_from_slice(&new.to_le_bytes());
                let (kind, addr) = (AccessKind::Atomic { op, old: &old }, self.base + at);
                let bytes = &value.to_le_bytes();
                let work = Work::of(gap);
                self.recorder.access(&Access {
                    item,
                    key,
                    kind,
                    addr,
                    bytes,
                    work,
                    ..Access::default()
                })
            }
            Does::Step(Step::Fence(_), ..) => self.recorder.fence(item, key),
            Does::Step(Step::Barrier(_), ..) | Does::Barrier => {
                unreachable!("lists are cut there")
            }
            Does::Step(Step::Atomic { change: Change::CompareSwap { .. }, .. }, ..) => {
                unreachable!("a coded test has none")
            }
        }
    }

    fn access(
        &mut self,
        item: u32,
        key: Key,
        (at, size): (u64, u64),
        bytes: Option<&[u8]>,
        gap: u32,
    ) -> Result<(), trace::Error> {
        let cell = &mut self.memory[at as usize..][..size as usize];
        let kind = match bytes {
            None => AccessKind::Load,
            Some(bytes) => {
                cell.copy_from_slice(bytes);
                AccessKind::Store
            }
        };
        let (addr, bytes) = (self.base + at, cell.to_vec());
        let work = Work::of(gap);
        let access = Access { item, key, kind, addr, bytes: &bytes, work, ..Access::default() };
        self.recorder.access(&access)
    }
}

/// The location of a step.
fn location(step: &Step) -> Option<usize> {
    match *step {
        Step::Load { location, .. }
        | Step::Store { location, .. }
        | Step::Atomic { location, .. } => Some(location),
        Step::Fence(_) | Step::Barrier(_) => None,
    }
}
