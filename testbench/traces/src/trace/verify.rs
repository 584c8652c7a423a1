//! Replays a trace in a shadow memory.
//!
//! Twice: once with kernels, work-groups, warps and lanes in the order of the file, once in the
//! opposite order, of kernels as far as they may overlap. A load whose value depends on that order
//! is not determined, whatever the file says.

use std::collections::BTreeSet;

use super::buffers::Buffers;
use super::limits::PAGE;
use super::pages::{Memory, page_of};
use super::streams::{Clock, Streams, is_before};
use super::walk::{Order, Walk};
use super::{Error, Event, Instr, InstrKind, KernelHead, LANES, Reader};

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
    let mut check = Check::default();
    let mut replays = [Replay::new(Order::File), Replay::new(Order::Opposite)];
    reader.rewind();
    let mut streams = Streams::default();
    let mut kernels = Vec::new();
    while let Some(event) = reader.next_event()? {
        match &event {
            Event::Streams(bound) => streams = Streams::new(bound.len()),
            Event::Wait { stream, of } => streams.wait(*stream, *of),
            Event::Kernel(head) => {
                let (place, clock) = (streams.place(head.stream), streams.launch(head.stream));
                let number = reader.kernel().unwrap_or(0);
                kernels.push(Kernel { number, head: head.clone(), place, clock });
            }
            Event::Alloc { .. } => {}
            Event::Free { .. } | Event::HostWrite { .. } | Event::HostRead { .. } => streams.join(),
        }
        if streams.are_joined() {
            overlapping(reader, &std::mem::take(&mut kernels), &mut replays, &mut check)?;
        }
        check.event(&event);
        match &event {
            Event::Free { addr } => {
                if let Some(bytes) = check.buffers.remove(*addr) {
                    replays.iter_mut().for_each(|replay| replay.memory.forget(*addr, bytes));
                }
            }
            Event::HostWrite { addr, data } => {
                replays.iter_mut().for_each(|replay| replay.memory.write(*addr, data));
            }
            _ => {}
        }
    }
    overlapping(reader, &kernels, &mut replays, &mut check)?;
    Ok(check.outcome)
}

/// A kernel, and what is before it.
struct Kernel {
    number: u32,
    head: KernelHead,
    place: usize,
    clock: Clock,
}

/// Kernels that overlap with no others.
fn overlapping(
    reader: &mut Reader,
    kernels: &[Kernel],
    replays: &mut [Replay; 2],
    check: &mut Check,
) -> Result<(), Error> {
    let Some(last) = kernels.last() else { return Ok(()) };
    for replay in replays.iter_mut() {
        replay.written.clear();
        for Kernel { number, head, .. } in replay.order.of(kernels) {
            replay.kernel(reader, *number, head, check)?;
        }
    }
    // What they leave with several values stands in the table of each.
    check.after(last.number, &last.head, replays);
    Ok(())
}

impl Order {
    /// In the order of the file, or each time the last one of which all that is before it is done.
    fn of(self, kernels: &[Kernel]) -> Vec<&Kernel> {
        let mut left: Vec<_> = kernels.iter().collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let may = |at: &usize| {
                let clock = &left[*at].clock;
                !left.iter().any(|other| is_before((other.place, &other.clock), clock))
            };
            let at = if self == Self::File { 0 } else { (0..left.len()).rfind(may).unwrap_or(0) };
            order.push(left.remove(at));
        }
        order
    }
}

/// What both replays share.
#[derive(Default)]
struct Check {
    buffers: Buffers,
    outcome: Outcome,
}

impl Check {
    /// Buffers must not overlap; what the host does must lie in one.
    fn event(&mut self, event: &Event) {
        let buffers = &mut self.buffers;
        let (what, right, place) = match event {
            Event::Alloc { addr, bytes, name, .. } => {
                let place = format!("{name}, {bytes} bytes at {addr:#x}");
                ("buffer", buffers.insert(*addr, *bytes), place)
            }
            Event::Free { addr } => {
                ("buffer to free", buffers.hold(*addr, 1), format!("{addr:#x}"))
            }
            Event::HostWrite { addr, data } => {
                let bytes = data.len() as u64;
                let right = bytes == 0 || buffers.hold(*addr, bytes);
                ("host write", right, format!("{bytes} bytes at {addr:#x}"))
            }
            Event::HostRead { addr, bytes } => {
                let right = *bytes == 0 || buffers.hold(*addr, *bytes);
                ("host read", right, format!("{bytes} bytes at {addr:#x}"))
            }
            Event::Kernel(_) | Event::Streams(_) | Event::Wait { .. } => return,
        };
        if !right {
            self.outcome.wrong(|| format!("{what} at a wrong place: {place}"));
        }
    }

    /// After a kernel: both orders leave the same bytes, but for bytes with several possible
    /// values.
    fn after(&mut self, kernel: u32, head: &KernelHead, [file, opposite]: &[Replay; 2]) {
        let outcome = &mut self.outcome;
        let mut wrong = |addr: u64, what: String| {
            let name = &head.name;
            outcome.wrong(|| format!("after kernel {kernel} ({name}) the byte at {addr:#x} {what}"))
        };
        let has_several = |addr: u64| {
            let found = head.racy.binary_search_by_key(&addr, |byte| byte.addr);
            found.is_ok_and(|at| head.racy[at].after.len() > 1)
        };
        for &page in &file.written {
            let (ours, theirs) = (file.memory.page(page), opposite.memory.page(page));
            if ours == theirs {
                continue;
            }
            for (addr, (ours, theirs)) in (page * PAGE..).zip(ours.iter().zip(&theirs)) {
                if ours != theirs && !has_several(addr) {
                    let values = format!("is {ours:#04x} or {theirs:#04x}");
                    wrong(addr, format!("{values}, but the tables say that it has one value"));
                }
            }
        }
        for byte in &head.racy {
            for held in [file, opposite].map(|replay| replay.memory.byte(byte.addr)) {
                if !byte.after.contains(held) {
                    let what = format!("is {held:#04x}, which the tables call impossible");
                    wrong(byte.addr, what);
                }
            }
        }
        outcome.bytes_after += PAGE * file.written.len() as u64;
        let several = head.racy.iter().filter(|byte| byte.after.len() > 1);
        outcome.bytes_after_racy += several.count() as u64;
    }
}

/// A memory that follows the trace in one order.
struct Replay {
    order: Order,
    memory: Memory,
    /// Pages that the kernels write.
    written: BTreeSet<u64>,
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
        Self { order, memory: Memory::default(), written: BTreeSet::new() }
    }

    fn kernel(
        &mut self,
        reader: &mut Reader,
        kernel: u32,
        head: &KernelHead,
        check: &mut Check,
    ) -> Result<(), Error> {
        let mut instr = Instr::default();
        for i in 0..head.groups {
            let number = if self.order == Order::File { i } else { head.groups - 1 - i };
            let group = reader.group(kernel, number)?;
            let mut walk = Walk::new(&group, self.order);
            while !walk.at_end() {
                walk.segment(&group, &mut instr, |warp, index, instr| {
                    let place = Place { kernel, head, group: number, warp, index };
                    self.instr(&place, instr, check);
                })?;
            }
        }
        Ok(())
    }

    fn instr(&mut self, place: &Place, instr: &Instr, check: &mut Check) {
        if matches!(instr.kind, InstrKind::Barrier | InstrKind::Fence) {
            return;
        }
        let outcome = &mut check.outcome;
        let size = usize::from(instr.size);
        let mut last_page = u64::MAX;
        for i in 0..LANES {
            let lane = if self.order == Order::File { i } else { LANES - 1 - i };
            if instr.lanes >> lane & 1 == 0 {
                continue;
            }
            let (addr, racy) = (instr.addrs[lane], instr.racy >> lane & 1 == 1);
            if !check.buffers.hold(addr, size as u64) {
                outcome.wrong(|| place.describe("an access to no buffer", lane, addr));
                continue;
            }
            let value = instr.value(lane);
            let seen = match instr.kind {
                InstrKind::Load => Some(value),
                InstrKind::Atomic(_) => Some(instr.old(lane)),
                _ => None,
            };
            if let Some(what) = seen.and_then(|seen| self.violation(place.head, addr, seen, racy)) {
                outcome.wrong(|| place.describe(&what, lane, addr));
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

    /// What is wrong with what the program saw, by what memory holds or by what is possible.
    fn violation(&self, head: &KernelHead, addr: u64, seen: &[u8], racy: bool) -> Option<String> {
        let mut bytes = [0; 16];
        let held = &mut bytes[..seen.len()];
        self.memory.read(addr, held);
        if !racy {
            let what = || {
                format!(
                    "a race-free load returned {seen:02x?}, memory holds \
                                   {held:02x?}"
                )
            };
            (seen != held).then(what)
        } else if !head.may_hold(addr, seen) {
            Some(format!("a racy load returned {seen:02x?}, which is not possible"))
        } else if !head.may_hold(addr, held) {
            Some(format!("memory holds {held:02x?}, which the tables call impossible"))
        } else {
            None
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
