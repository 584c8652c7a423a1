//! Random programs whose accesses of every size overlap, in one or several streams, in random
//! orders: what is seen and left must be what the classes admit. The orders are executed here,
//! with nothing of the classifier.

use proptest::prelude::*;

use crate::trace::instr_code::lanes;
use crate::trace::pages::Memory;
use crate::trace::streams::{Clock, Streams, is_before};
use crate::trace::walk::{Order, Walk};
use crate::trace::{
    Access, AccessKind, AtomicOp, Bound, Event, Instr, InstrKind, KernelHead, KernelSpec, Key,
    LANES, Reader, Record, Recorder, verify,
};
use crate::workloads::SplitMix64;

/// Bytes of the programs' buffer: two locations of 8 bytes.
const BYTES: usize = 16;
/// Random orders in which each program is executed.
const ORDERS: u64 = 12;

/// One step of a program, in the order in which it is recorded.
#[derive(Clone, Copy, Debug)]
enum Step {
    Barrier,
    Load { item: u32, at: usize, size: usize },
    Store { item: u32, at: usize, size: usize, value: u8 },
    Atomic { item: u32, op: AtomicOp, at: usize, size: usize, operand: u64 },
}

type Group = Vec<Step>;
/// A kernel with its stream; before it the byte that the host stores, and the stream for which its
/// own waits, if any.
#[derive(Clone, Debug)]
struct Kernel {
    groups: Vec<Group>,
    host: Option<usize>,
    stream: u8,
    wait: Option<u8>,
}

/// Kernels and the number of their streams.
type Program = (Vec<Kernel>, u8);

fn programs() -> impl Strategy<Value = Program> {
    // The fewer bytes and work-items, the more of them meet.
    let span = prop::sample::select(vec![4, 8, BYTES]);
    let streams = prop_oneof![Just(1u8), 2..4u8];
    (span, 1u32..5, streams).prop_flat_map(|(span, items, streams)| {
        let group = || prop::collection::vec(steps(span, items), 0..7);
        let groups =
            prop_oneof![prop::collection::vec(group(), 1), prop::collection::vec(group(), 2..4),];
        let host = prop::option::weighted(0.2, 0..span);
        let wait = prop::option::weighted(0.4, 0..streams);
        let kernel = (groups, host, 0..streams, wait)
            .prop_map(|(groups, host, stream, wait)| Kernel { groups, host, stream, wait });
        let most = if streams == 1 { 4 } else { 6 };
        prop::collection::vec(kernel, 1..most).prop_map(move |kernels| (kernels, streams))
    })
}

fn steps(span: usize, items: u32) -> impl Strategy<Value = Step> {
    // In three warps.
    let item = (0..items).prop_map(|item| item * 45);
    let place = (0..span, 0u32..5).prop_map(move |(at, log)| {
        let size = (1 << log).min(span);
        (at.min(span - size), size)
    });
    let value = prop::sample::select(vec![0u8, 1, 0x80, 0xff]);
    let operand = prop::sample::select(vec![0u64, 1, 0xff, 0x80, 0x1_0000, u64::MAX]);
    let code = prop_oneof![Just(0), 0u8..9];
    let atomic = (item.clone(), code, 0..span, any::<bool>(), operand);
    prop_oneof![
        1 => Just(Step::Barrier),
        4 => (item.clone(), place.clone())
            .prop_map(|(item, (at, size))| Step::Load { item, at, size }),
        4 => (item, place, value)
            .prop_map(|(item, (at, size), value)| Step::Store { item, at, size, value }),
        4 => atomic.prop_map(move |(item, code, at, wide, operand)| {
            let size = if wide { 8.min(span) } else { 4 };
            let op = AtomicOp::from_code(code).unwrap();
            Step::Atomic { item, op, at: at / size * size, size, operand }
        }),
    ]
}

/// Records a program; gives the trace and the buffer's address.
fn record((kernels, streams): &Program) -> (Vec<u8>, u64) {
    let mut recorder = Recorder::in_memory("random").unwrap();
    if *streams > 1 {
        recorder.streams(&vec![Bound::ALL; usize::from(*streams)]).unwrap();
    }
    let base = recorder.alloc("buffer", BYTES as u64).unwrap();
    let mut memory = [0u8; BYTES];
    for Kernel { groups, host, stream, wait } in kernels {
        if let Some(of) = wait.filter(|of| of != stream) {
            recorder.wait(*stream, of).unwrap();
        }
        if let &Some(at) = host {
            memory[at] = 7;
            recorder.host_write(base + at as u64, &[7]).unwrap();
        }
        let stream = *stream;
        let spec = KernelSpec { local: [140, 1, 1], stream, ..KernelSpec::default() };
        recorder.begin_kernel(spec).unwrap();
        for group in groups {
            recorder.begin_group().unwrap();
            for (pc, step) in (0..).zip(group) {
                record_step(&mut recorder, base, &mut memory, pc, *step);
            }
            recorder.end_group().unwrap();
        }
        recorder.end_kernel().unwrap();
    }
    (recorder.into_bytes().unwrap(), base)
}

fn record_step(
    recorder: &mut impl Record<Error: std::fmt::Debug>,
    base: u64,
    memory: &mut [u8; BYTES],
    pc: u32,
    step: Step,
) {
    let mut access = |item, kind, at: usize, bytes: &[u8]| {
        // Some work-items do the same, in lock step.
        let key = Key { pc: pc % 5, iteration: [pc / 5, 0, 0, 0] };
        let addr = base + at as u64;
        recorder.access(&Access { item, key, kind, addr, bytes, ..Access::default() }).unwrap();
    };
    match step {
        Step::Barrier => recorder.barrier().unwrap(),
        Step::Load { item, at, size } => {
            access(item, AccessKind::Load, at, &memory[at..at + size]);
        }
        Step::Store { item, at, size, value } => {
            memory[at..at + size].fill(value);
            access(item, AccessKind::Store, at, &memory[at..at + size]);
        }
        Step::Atomic { item, op, at, size, operand } => {
            let mut old = [0; 8];
            old[..size].copy_from_slice(&memory[at..at + size]);
            let kind = AccessKind::Atomic { op, old: &old[..size] };
            access(item, kind, at, &operand.to_le_bytes()[..size]);
            let new = op.apply(u64::from_le_bytes(old), operand, size as u8);
            memory[at..at + size].copy_from_slice(&new.to_le_bytes()[..size]);
        }
    }
}

/// An access of one work-item, as the trace holds it.
#[derive(Clone, Copy, Debug)]
struct Op {
    kind: InstrKind,
    addr: u64,
    size: usize,
    /// What was loaded, is stored, or the operand.
    value: [u8; 16],
    old: [u8; 8],
    racy: bool,
    /// Bytes that are still to be stored.
    left: u16,
}

impl Op {
    fn new(instr: &Instr, lane: usize) -> Self {
        let mut op = Self {
            kind: instr.kind,
            addr: instr.addrs[lane],
            size: instr.size.into(),
            value: [0; 16],
            old: [0; 8],
            racy: instr.racy >> lane & 1 == 1,
            left: (1u32 << instr.size).wrapping_sub(1) as u16,
        };
        op.value[..op.size].copy_from_slice(instr.value(lane));
        if let InstrKind::Atomic(_) = instr.kind {
            op.old[..op.size].copy_from_slice(instr.old(lane));
        }
        op
    }

    /// A work-item keeps the order of two accesses when they could touch one location of an atomic.
    fn stays_behind(&self, other: &Op) -> bool {
        let words = |op: &Op| (op.addr / 8, (op.addr + op.size as u64 - 1) / 8);
        let ((first, last), (other_first, other_last)) = (words(self), words(other));
        first <= other_last && other_first <= last
    }

    /// Does it, or a part of a store; true when it is done.
    fn execute(
        &mut self,
        head: &KernelHead,
        memory: &mut Memory,
        random: &mut SplitMix64,
    ) -> Result<bool, String> {
        let mut held = [0; 16];
        let held = &mut held[..self.size];
        memory.read(self.addr, held);
        let seen = match self.kind {
            InstrKind::Load => &self.value[..self.size],
            _ => &self.old[..self.size.min(8)],
        };
        if self.kind != InstrKind::Store {
            let admitted = if self.racy { head.may_hold(self.addr, held) } else { seen == held };
            if !admitted {
                return Err(format!("{self:x?} finds {held:02x?}"));
            }
        }
        match self.kind {
            InstrKind::Atomic(op) => memory.update(op, self.addr, &self.value[..self.size]),
            InstrKind::Store => {
                // Whole, or a byte at a time and in any order.
                let one = random.below(16);
                for k in (0..self.size).filter(|&k| one >= 8 || k == one as usize % self.size) {
                    if self.left >> k & 1 == 1 {
                        memory.write(self.addr + k as u64, &self.value[k..k + 1]);
                        self.left &= !(1 << k);
                    }
                }
                return Ok(self.left == 0);
            }
            _ => {}
        }
        Ok(true)
    }
}

/// What a work-group does between two barriers: the accesses of each work-item.
type Segment = Vec<Vec<Op>>;

/// What a work-group of the trace does.
fn segments(group: &crate::trace::Group) -> Vec<Segment> {
    let mut walk = Walk::new(group, Order::File);
    let (mut instr, mut segments) = (Instr::default(), Vec::new());
    while !walk.at_end() {
        let mut items = vec![Vec::new(); group.warps() * LANES];
        walk.segment(group, &mut instr, |warp, _, instr| {
            for lane in lanes(instr.lanes) {
                items[warp * LANES + lane].push(Op::new(instr, lane));
            }
        })
        .unwrap();
        items.retain(|item| !item.is_empty());
        segments.push(items);
    }
    segments
}

/// A kernel that is executed.
struct Running {
    head: KernelHead,
    place: usize,
    clock: Clock,
    groups: Vec<Vec<Segment>>,
}

impl Running {
    fn has_ended(&self) -> bool {
        self.groups.iter().flatten().flatten().all(Vec::is_empty)
    }
}

/// Runs kernels' work-groups in a random order, in which a work-item goes on in `sticky` of 8
/// cases.
fn execute(
    kernels: &mut [Running],
    memory: &mut Memory,
    random: &mut SplitMix64,
    sticky: u64,
) -> Result<(), String> {
    let mut last = None;
    loop {
        let mut ready = Vec::new();
        for at in 0..kernels.len() {
            let waits_for = |other: &Running| {
                is_before((other.place, &other.clock), &kernels[at].clock) && !other.has_ended()
            };
            if kernels.iter().any(waits_for) {
                continue;
            }
            for (number, group) in kernels[at].groups.iter_mut().enumerate() {
                while group.first().is_some_and(|items| items.iter().all(Vec::is_empty)) {
                    group.remove(0);
                }
                let items = group.first().into_iter().flatten().enumerate();
                let items = items.filter(|(_, ops)| !ops.is_empty());
                ready.extend(items.map(|(item, _)| (at, number, item)));
            }
        }
        if ready.is_empty() {
            return Ok(());
        }
        let stay = last.filter(|last| ready.contains(last) && random.below(8) < sticky);
        let next = stay.unwrap_or_else(|| ready[random.below(ready.len() as u64) as usize]);
        let (kernel, group, item) = next;
        last = Some(next);
        let Running { head, groups, .. } = &mut kernels[kernel];
        let ops = &mut groups[group][0][item];
        let free: Vec<usize> = (0..ops.len())
            .filter(|&at| ops[..at].iter().all(|before| !ops[at].stays_behind(before)))
            .collect();
        let at = free[random.below(free.len() as u64) as usize];
        if ops[at].execute(head, memory, random)? {
            ops.remove(at);
        }
    }
}

/// Executes a trace in one order; gives what memory holds after each kernel that nothing overlaps
/// with, or the last one of those that may overlap.
fn run(bytes: &[u8], base: u64, seed: u64) -> Result<Vec<(KernelHead, Vec<u8>)>, String> {
    let mut reader = Reader::from_bytes(bytes.to_vec(), "random").unwrap();
    let mut memory = Memory::default();
    let mut random = SplitMix64::new(seed);
    let mut after = Vec::new();
    let (mut streams, mut kernels) = (Streams::default(), Vec::new());
    loop {
        let event = reader.next_event().unwrap();
        match &event {
            Some(Event::Streams(bound)) => streams = Streams::new(bound.len()),
            Some(Event::Wait { stream, of }) => streams.wait(*stream, *of),
            Some(Event::Kernel(head)) => {
                let kernel = reader.kernel().unwrap();
                let groups = (0..head.groups)
                    .map(|number| segments(&reader.group(kernel, number).unwrap()))
                    .collect();
                let (place, clock) = (streams.place(head.stream), streams.launch(head.stream));
                kernels.push(Running { head: head.clone(), place, clock, groups });
            }
            _ => streams.join(),
        }
        if streams.are_joined()
            && let Some(Running { head, .. }) = kernels.last()
        {
            let head = head.clone();
            let sticky = [0, 5, 7][after.len() % 3];
            execute(&mut kernels, &mut memory, &mut random, sticky)
                .map_err(|what| format!("before {event:?}: {what}"))?;
            kernels.clear();
            let mut held = vec![0; BYTES];
            memory.read(base, &mut held);
            after.push((head, held));
        }
        match event {
            Some(Event::HostWrite { addr, data }) => memory.write(addr, &data),
            None => return Ok(after),
            _ => {}
        }
    }
}

/// What is wrong with the classes of a program, if anything.
fn wrong(program: &Program, seed: u64) -> Option<String> {
    let (bytes, base) = record(program);
    let outcome = verify(&mut Reader::from_bytes(bytes.clone(), "random").unwrap()).unwrap();
    if outcome.wrong > 0 {
        return Some(format!("verify: {:#?}", outcome.described));
    }
    let mut first: Option<Vec<Vec<u8>>> = None;
    for order in 0..ORDERS {
        let after = match run(&bytes, base, seed.wrapping_add(order)) {
            Ok(after) => after,
            Err(what) => return Some(what),
        };
        for (kernel, (head, held)) in after.iter().enumerate() {
            for (k, &value) in held.iter().enumerate() {
                let racy = head.racy.iter().find(|byte| byte.addr == base + k as u64);
                let right = match racy {
                    Some(byte) => byte.after.contains(value),
                    None => first.as_ref().is_none_or(|first| first[kernel][k] == value),
                };
                if !right {
                    return Some(format!("after kernel {kernel}, byte {k}: {value:#04x}"));
                }
            }
        }
        first.get_or_insert_with(|| after.into_iter().map(|(_, held)| held).collect());
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn classes_admit_what_any_order_does(program in programs(), seed: u64) {
        let wrong = wrong(&program, seed);
        prop_assert!(wrong.is_none(), "{}", wrong.unwrap());
    }
}
