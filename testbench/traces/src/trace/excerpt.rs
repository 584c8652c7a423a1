//! Some kernels of a trace as a trace of their own, with memory as the kernels before them leave
//! it.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::ops::Range;

use super::limits::PAGE;
use super::pages::Memory;
use super::walk::{Order, Walk};
use super::writer::Writer;
use super::{Bound, Error, Event, FirstTouch, Group, Instr, InstrKind, KernelHead, LANES, Reader};

/// What the kernels before the first one leave.
#[derive(Default)]
struct Before {
    memory: Memory,
    /// Live buffers: bytes, name, and whether they are private.
    buffers: BTreeMap<u64, (u64, String, bool)>,
    /// Pages by who touched them first, as a share of the kernel's work-groups: 2^32 is all.
    touches: Vec<(u64, u64)>,
    streams: Option<Vec<Bound>>,
}

/// Kernels `kernels` of a trace, counted from 0, and what the host does up to the next one. What
/// the host and the kernels did before, in the order of the file, is one host write for each page.
/// The pages that those kernels touched first are touched first by the same share of the
/// work-groups of the first one that is kept. A trace that is cut off at its end alone is otherwise
/// as it was. Errors: the trace is damaged.
pub fn excerpt(reader: &mut Reader, kernels: Range<u32>) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new(Cursor::new(Vec::new()), "excerpt", reader.name())?;
    let mut before = Before::default();
    let mut next = 0;
    reader.rewind();
    while let Some(event) = reader.next_event()? {
        let is_kept = next >= kernels.start;
        match event {
            Event::Kernel(_) if next == kernels.end => break,
            Event::Kernel(head) if is_kept => {
                let touches = std::mem::take(&mut before.touches);
                copy(reader, next, begin_with(touches, head), &mut writer)?;
                next += 1;
            }
            Event::Kernel(head) => {
                before.run(reader, next, &head)?;
                next += 1;
                if next == kernels.start {
                    before.leave(&mut writer)?;
                }
            }
            event if is_kept => {
                count(&event, &mut writer);
                writer.event(&event)?;
            }
            event => before.host(event),
        }
    }
    Ok(writer.finish()?.into_inner())
}

type Bytes = Writer<Cursor<Vec<u8>>>;

fn count(event: &Event, writer: &mut Bytes) {
    let totals = writer.totals();
    match event {
        Event::Alloc { bytes, .. } => totals.allocated_bytes += bytes,
        Event::HostWrite { data, .. } => totals.host_written_bytes += data.len() as u64,
        Event::HostRead { bytes, .. } => totals.host_read_bytes += bytes,
        Event::Free { .. } | Event::Kernel(_) | Event::Streams(_) | Event::Wait { .. } => {}
    }
}

/// With what was touched before.
fn begin_with(touches: Vec<(u64, u64)>, mut head: KernelHead) -> KernelHead {
    let last = u64::from(head.groups.saturating_sub(1));
    let groups = u64::from(head.groups);
    let earlier = touches
        .into_iter()
        .map(|(page, share)| FirstTouch { page, group: ((share * groups) >> 32).min(last) as u32 });
    let mut all: Vec<_> = earlier.chain(std::mem::take(&mut head.first_touches)).collect();
    all.sort_by_key(|touch| touch.group);
    head.first_touches = all;
    head
}

fn copy(
    reader: &mut Reader,
    kernel: u32,
    head: KernelHead,
    writer: &mut Bytes,
) -> Result<(), Error> {
    let begun = writer.begin_kernel();
    let mut instr = Instr::default();
    let mut racy = Vec::new();
    for number in 0..head.groups {
        let group = reader.group(kernel, number)?;
        let warps: Vec<_> = (0..group.warps()).map(|warp| group.encoded(warp)).collect();
        writer.group(&warps)?;
        let lanes = (0..group.warps()).map(|warp| group.racy_lanes(warp).to_vec());
        racy.push(lanes.collect::<Vec<_>>());
        let totals = writer.totals();
        totals.groups += 1;
        totals.warps += group.warps() as u64;
        each(&group, &mut instr, |warp, instr| {
            let lanes = u64::from(instr.lanes.count_ones());
            let determined = u64::from((instr.lanes & !instr.racy).count_ones());
            totals.instructions += 1;
            match instr.kind {
                InstrKind::Load => {
                    totals.loads += lanes;
                    totals.loads_determined += determined;
                }
                InstrKind::Store => totals.stores += lanes,
                InstrKind::Atomic(_) => {
                    totals.atomics += lanes;
                    totals.atomics_determined += determined;
                }
                InstrKind::Barrier => totals.barriers += u64::from(warp == 0),
                InstrKind::Fence => {}
            }
        })?;
    }
    writer.rewind(begun);
    for racy in racy {
        let group = writer.read_back()?;
        writer.classes(&group, &racy)?;
    }
    writer.totals().footprint_bytes += head.first_touches.len() as u64 * PAGE;
    writer.end_kernel(head)
}

/// Each instruction of a work-group, warp by warp.
fn each(
    group: &Group,
    instr: &mut Instr,
    mut visit: impl FnMut(usize, &Instr),
) -> Result<(), Error> {
    for warp in 0..group.warps() {
        let mut cursor = group.cursor(warp);
        while cursor.next(group, instr)? {
            visit(warp, instr);
        }
    }
    Ok(())
}

impl Before {
    fn host(&mut self, event: Event) {
        match event {
            Event::Alloc { addr, bytes, name, private } => {
                drop(self.buffers.insert(addr, (bytes, name, private)));
            }
            Event::Free { addr } => {
                if let Some((bytes, ..)) = self.buffers.remove(&addr) {
                    self.memory.forget(addr, bytes);
                    self.touches.retain(|(page, _)| !(addr..addr + bytes).contains(page));
                }
            }
            Event::HostWrite { addr, data } => self.memory.write(addr, &data),
            Event::Streams(bound) => self.streams = Some(bound),
            Event::HostRead { .. } | Event::Kernel(_) | Event::Wait { .. } => {}
        }
    }

    fn run(&mut self, reader: &mut Reader, kernel: u32, head: &KernelHead) -> Result<(), Error> {
        let share = |group: u32| (u64::from(group) << 32) / u64::from(head.groups.max(1));
        self.touches
            .extend(head.first_touches.iter().map(|touch| (touch.page, share(touch.group))));
        let mut instr = Instr::default();
        for number in 0..head.groups {
            let group = reader.group(kernel, number)?;
            let mut walk = Walk::new(&group, Order::File);
            while !walk.at_end() {
                walk.segment(&group, &mut instr, |_, _, instr| {
                    for lane in (0..LANES).filter(|lane| instr.lanes >> lane & 1 == 1) {
                        let (addr, value) = (instr.addrs[lane], instr.value(lane));
                        match instr.kind {
                            InstrKind::Store => self.memory.write(addr, value),
                            InstrKind::Atomic(op) => self.memory.update(op, addr, value),
                            _ => {}
                        }
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Makes the streams, the buffers, and what they hold.
    fn leave(&self, writer: &mut Bytes) -> Result<(), Error> {
        if let Some(bound) = &self.streams {
            writer.event(&Event::Streams(bound.clone()))?;
        }
        for (&addr, (bytes, name, private)) in &self.buffers {
            let (name, private) = (name.clone(), *private);
            let alloc = Event::Alloc { addr, bytes: *bytes, name, private };
            count(&alloc, writer);
            writer.event(&alloc)?;
            let end = addr + bytes;
            let mut at = addr;
            while at < end {
                let next = ((at / PAGE + 1) * PAGE).min(end);
                let mut data = vec![0; (next - at) as usize];
                self.memory.read(at, &mut data);
                if data.iter().any(|&byte| byte != 0) {
                    writer.totals().host_written_bytes += data.len() as u64;
                    writer.host_write(at, &data)?;
                }
                at = next;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{self, PROGRAMS};
    use crate::trace::{Recorder, Totals, verify};

    fn trace(name: &str) -> Reader {
        let mut recorder = Recorder::in_memory(name).unwrap();
        let params = kernels::program::<Error>(name).unwrap().params();
        kernels::run(name, &params, &mut recorder).unwrap();
        Reader::from_bytes(recorder.into_bytes().unwrap(), name).unwrap()
    }

    #[test]
    fn all_kernels_of_a_trace_are_the_trace() {
        for program in PROGRAMS {
            let mut whole = trace(program.name);
            let all = 0..whole.kernels();
            let copy = Reader::from_bytes(excerpt(&mut whole, all).unwrap(), "copy").unwrap();
            let totals = Totals { loads_racy_carried: 0, ..*whole.totals() };
            assert_eq!(*copy.totals(), totals, "{}", program.name);
            assert_eq!(copy.checksum(), whole.checksum(), "{}", program.name);
        }
    }

    #[test]
    fn any_kernels_of_a_trace_agree_with_themselves() {
        for program in PROGRAMS {
            let mut whole = trace(program.name);
            let n = whole.kernels();
            for (first, end) in [(0, n.div_ceil(2)), (n / 2, n), (n - 1, n)] {
                let bytes = excerpt(&mut whole, first..end).unwrap();
                let mut part = Reader::from_bytes(bytes, "part").unwrap();
                assert_eq!(part.kernels(), end - first);
                let outcome = verify(&mut part).unwrap();
                outcome.expect_right();
            }
        }
    }
}
