//! Replays a trace in a shadow memory.
//!
//! Twice: once with work-groups, warps and lanes in the order of the file, once in the opposite
//! order. A load whose value depends on that order is not determined, whatever the file says.

use std::collections::BTreeSet;

use super::buffers::Buffers;
use super::limits::PAGE;
use super::pages::{Memory, page_of};
use super::walk::{Order, Walk};
use super::{ByteSet, Error, Event, Group, Instr, InstrKind, KernelHead, LANES, Reader};

/// Most violations that are described.
const DESCRIBED: usize = 10;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Determined loads.
    pub loads_determined: u64,
    /// Racy loads.
    pub loads_racy: u64,
    /// Stores.
    pub stores: u64,
    /// Atomics with a determined old value.
    pub atomics_determined: u64,
    /// Atomics with a racy old value.
    pub atomics_racy: u64,
    /// Bytes that were compared after the kernels that write them.
    pub bytes_after: u64,
    /// Of these, bytes with more than one possible value.
    pub bytes_after_racy: u64,
    /// What was wrong.
    pub wrong: u64,
    /// The first of it.
    pub described: Vec<String>,
}

impl Outcome {
    fn wrong(&mut self, describe: impl FnOnce() -> String) {
        self.wrong += 1;
        if self.described.len() < DESCRIBED {
            self.described.push(describe());
        }
    }

    /// For tests.
    #[cfg(test)]
    pub fn expect_right(&self) {
        assert_eq!(self.wrong, 0, "{:#?}", self.described);
    }
}

/// Replays the trace from its start. Errors: the file is damaged.
pub fn verify(reader: &mut Reader) -> Result<Outcome, Error> {
    let mut outcome = Outcome::default();
    let mut buffers = Buffers::default();
    let mut replays = [Replay::new(Order::File), Replay::new(Order::Opposite)];
    reader.rewind();
    while let Some(event) = reader.next_event()? {
        check_event(&event, &mut buffers, &mut outcome);
        match &event {
            Event::Alloc { .. } | Event::HostRead { .. } => {}
            Event::Free { addr } => {
                if let Some(bytes) = buffers.remove(*addr) {
                    replays.iter_mut().for_each(|replay| replay.memory.forget(*addr, bytes));
                }
            }
            Event::HostWrite { addr, data } => {
                replays.iter_mut().for_each(|replay| replay.memory.write(*addr, data));
            }
            Event::Kernel(head) => {
                let kernel = reader.kernel().unwrap_or(0);
                for replay in &mut replays {
                    replay.kernel(reader, kernel, head, &mut buffers, &mut outcome)?;
                }
                let [file, opposite] = &mut replays;
                compare(kernel, head, file, opposite, &mut outcome);
            }
        }
    }
    Ok(outcome)
}

/// Buffers must not overlap; what the host does must lie in one.
fn check_event(event: &Event, buffers: &mut Buffers, outcome: &mut Outcome) {
    let (what, right) = match event {
        Event::Alloc { addr, bytes, .. } => ("buffer", buffers.insert(*addr, *bytes)),
        Event::Free { addr } => ("buffer to free", buffers.hold(*addr, 1)),
        Event::HostWrite { addr, data } => {
            ("host write", data.is_empty() || buffers.hold(*addr, data.len() as u64))
        }
        Event::HostRead { addr, bytes } => {
            ("host read", *bytes == 0 || buffers.hold(*addr, *bytes))
        }
        Event::Kernel(_) => return,
    };
    if !right {
        outcome.wrong(|| format!("{what} at no right place: {}", place_of(event)));
    }
}

fn place_of(event: &Event) -> String {
    match event {
        Event::Alloc { addr, bytes, name } => format!("{name}, {bytes} bytes at {addr:#x}"),
        Event::HostWrite { addr, data } => format!("{} bytes at {addr:#x}", data.len()),
        Event::HostRead { addr, bytes } => format!("{bytes} bytes at {addr:#x}"),
        Event::Free { addr } => format!("{addr:#x}"),
        Event::Kernel(head) => head.name.clone(),
    }
}

/// A memory that follows the trace in one order.
struct Replay {
    order: Order,
    memory: Memory,
    /// Pages that the kernel writes.
    written: BTreeSet<u64>,
    instr: Instr,
}

/// Where an access stands, for reports.
struct Place<'a> {
    kernel: u32,
    head: &'a KernelHead,
    group: u32,
    warp: usize,
    index: u32,
}

impl Place<'_> {
    fn describe(&self, what: &str, lane: usize, addr: u64) -> String {
        let Self { kernel, head, group, warp, index } = self;
        let name = &head.name;
        format!(
            "kernel {kernel} ({name}), work-group {group}, warp {warp}, instruction {index}, \
             lane {lane}: {what} at {addr:#x}"
        )
    }
}

impl Replay {
    fn new(order: Order) -> Self {
        let (memory, instr) = (Memory::default(), Instr::default());
        Self { order, memory, written: BTreeSet::new(), instr }
    }

    fn kernel(
        &mut self,
        reader: &mut Reader,
        kernel: u32,
        head: &KernelHead,
        buffers: &mut Buffers,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        self.written.clear();
        for i in 0..head.groups {
            let number = if self.order == Order::File { i } else { head.groups - 1 - i };
            let group = reader.group(kernel, number)?;
            self.group(head, &group, buffers, outcome)?;
        }
        Ok(())
    }

    fn group(
        &mut self,
        head: &KernelHead,
        group: &Group,
        buffers: &mut Buffers,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        let mut instr = std::mem::take(&mut self.instr);
        let mut walk = Walk::new(group, self.order);
        let (kernel, number) = (group.kernel(), group.group());
        while !walk.at_end() {
            walk.segment(group, &mut instr, |warp, index, instr| {
                let place = Place { kernel, head, group: number, warp, index };
                self.instr(&place, instr, buffers, outcome);
            })?;
        }
        self.instr = instr;
        Ok(())
    }

    fn instr(
        &mut self,
        place: &Place,
        instr: &Instr,
        buffers: &mut Buffers,
        outcome: &mut Outcome,
    ) {
        if matches!(instr.kind, InstrKind::Barrier | InstrKind::Fence) {
            return;
        }
        let size = usize::from(instr.size);
        let mut last_page = u64::MAX;
        for i in 0..LANES {
            let lane = if self.order == Order::File { i } else { LANES - 1 - i };
            if instr.lanes >> lane & 1 == 0 {
                continue;
            }
            let (addr, racy) = (instr.addrs[lane], instr.racy >> lane & 1 == 1);
            if !buffers.hold(addr, size as u64) {
                outcome.wrong(|| place.describe("an access to no buffer", lane, addr));
                continue;
            }
            let value = instr.value(lane);
            match instr.kind {
                InstrKind::Load => self.check(place, (lane, addr), value, racy, outcome),
                InstrKind::Atomic(_) => {
                    let old = instr.old(lane);
                    self.check(place, (lane, addr), old, racy, outcome);
                }
                _ => {}
            }
            self.count(instr.kind, racy, outcome);
            match instr.kind {
                InstrKind::Store => self.memory.write(addr, value),
                InstrKind::Atomic(op) => self.memory.update(op, addr, value),
                _ => continue,
            }
            for page in [page_of(addr), page_of(addr + size as u64 - 1)] {
                if page != last_page {
                    self.written.insert(page);
                    last_page = page;
                }
            }
        }
    }

    /// Compares what the program saw with memory, or with what is possible.
    fn check(
        &self,
        place: &Place,
        (lane, addr): (usize, u64),
        seen: &[u8],
        racy: bool,
        outcome: &mut Outcome,
    ) {
        let mut bytes = [0; 16];
        let held = &mut bytes[..seen.len()];
        self.memory.read(addr, held);
        if !racy {
            if seen != held {
                let what = format!("a determined load saw {seen:02x?}, memory holds {held:02x?}");
                outcome.wrong(|| place.describe(&what, lane, addr));
            }
        } else if !place.head.may_hold(addr, seen) {
            let what = format!("a racy load saw {seen:02x?}, which is not possible");
            outcome.wrong(|| place.describe(&what, lane, addr));
        } else if !place.head.may_hold(addr, held) {
            let what = format!("memory holds {held:02x?}, which the tables call impossible");
            outcome.wrong(|| place.describe(&what, lane, addr));
        }
    }

    /// Counts an access once, not in both orders.
    fn count(&self, kind: InstrKind, racy: bool, outcome: &mut Outcome) {
        if self.order == Order::Opposite {
            return;
        }
        let count = match (kind, racy) {
            (InstrKind::Load, false) => &mut outcome.loads_determined,
            (InstrKind::Load, true) => &mut outcome.loads_racy,
            (InstrKind::Atomic(_), false) => &mut outcome.atomics_determined,
            (InstrKind::Atomic(_), true) => &mut outcome.atomics_racy,
            _ => &mut outcome.stores,
        };
        *count += 1;
    }
}

/// After a kernel: both orders leave the same bytes, but for bytes with several possible values.
fn compare(
    kernel: u32,
    head: &KernelHead,
    file: &mut Replay,
    opposite: &mut Replay,
    outcome: &mut Outcome,
) {
    let possible = |addr: u64| -> Option<ByteSet> {
        let found = head.racy.binary_search_by_key(&addr, |byte| byte.addr).ok()?;
        Some(head.racy[found].after)
    };
    for &page in &file.written {
        outcome.bytes_after += PAGE;
        let (ours, theirs) = (file.memory.page(page), opposite.memory.page(page));
        if ours == theirs {
            continue;
        }
        for (at, (&ours, &theirs)) in ours.iter().zip(&theirs).enumerate() {
            let addr = page * PAGE + at as u64;
            if ours != theirs && possible(addr).is_none_or(|after| after.len() < 2) {
                outcome.wrong(|| {
                    let name = &head.name;
                    format!(
                        "after kernel {kernel} ({name}) the byte at {addr:#x} is {ours:#04x} or \
                         {theirs:#04x}, but the tables say that it has one value"
                    )
                });
            }
        }
    }
    for byte in &head.racy {
        outcome.bytes_after_racy += u64::from(byte.after.len() > 1);
        for replay in [&*file, &*opposite] {
            let held = replay.memory.byte(byte.addr);
            if !byte.after.contains(held) {
                let addr = byte.addr;
                outcome.wrong(|| {
                    let name = &head.name;
                    format!(
                        "after kernel {kernel} ({name}) the byte at {addr:#x} is {held:#04x}, \
                         which the tables call impossible"
                    )
                });
            }
        }
    }
}
