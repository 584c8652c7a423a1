//! Directed tests of the classes: small programs, recorded and read back.

use crate::trace::{
    Access, AccessKind, AtomicOp, ByteSet, Event, Instr, InstrKind, KernelHead, KernelSpec, Key,
    Reader, Record, Recorder, Totals,
};

/// One step of a kernel, in the order in which one thread runs it.
#[derive(Clone, Copy)]
enum Step {
    Group,
    Barrier,
    Load(u32, u64),
    Store(u32, u64, u32),
    Atomic(u32, AtomicOp, u64, u32),
    /// A load of one byte.
    LoadByte(u32, u64),
    /// A store of one byte.
    StoreByte(u32, u64, u8),
}
use Step::*;

/// What came out of a program.
struct Outcome {
    heads: Vec<KernelHead>,
    /// Of each kernel, in the order of the trace: is the load, or the atomic's old value, racy?
    racy: Vec<Vec<bool>>,
    totals: Totals,
    /// First byte of the buffer.
    base: u64,
}

impl Outcome {
    fn during(&self, kernel: usize, offset: u64) -> Option<ByteSet> {
        self.byte(kernel, offset).map(|byte| byte.during)
    }

    fn after(&self, kernel: usize, offset: u64) -> Option<ByteSet> {
        self.byte(kernel, offset).map(|byte| byte.after)
    }

    fn byte(&self, kernel: usize, offset: u64) -> Option<crate::trace::RacyByte> {
        let racy = &self.heads[kernel].racy;
        racy.iter().find(|byte| byte.addr == self.base + offset).copied()
    }
}

fn set(values: &[u8]) -> Option<ByteSet> {
    let mut set = ByteSet::default();
    values.iter().for_each(|&value| set.insert(value));
    Some(set)
}

/// Runs kernels of 128 work-items a group on one buffer that the host has filled with zeros;
/// between two kernels the host writes `host` at offset 0, if anything.
fn run(kernels: &[&[Step]], host: &[u8]) -> Outcome {
    let mut recorder = Recorder::in_memory("test").unwrap();
    let base = recorder.alloc("buffer", 8192).unwrap();
    let mut memory = vec![0u8; 8192];
    for (number, steps) in kernels.iter().enumerate() {
        if number > 0 && !host.is_empty() {
            recorder.host_write(base, host).unwrap();
            memory[..host.len()].copy_from_slice(host);
        }
        let local = [128, 1, 1];
        let spec = KernelSpec { name: "k".to_string(), local, ..KernelSpec::default() };
        recorder.begin_kernel(spec).unwrap();
        run_steps(&mut recorder, base, &mut memory, steps);
        recorder.end_kernel().unwrap();
    }
    read(recorder.into_bytes().unwrap(), base)
}

fn run_steps(
    recorder: &mut impl Record<Error: std::fmt::Debug>,
    base: u64,
    memory: &mut [u8],
    steps: &[Step],
) {
    let mut open = false;
    for (pc, &step) in (0..).zip(steps) {
        let word = |memory: &[u8], at: u64| {
            u32::from_le_bytes(memory[at as usize..at as usize + 4].try_into().unwrap())
        };
        let key = Key { pc, ..Key::default() };
        let mut access = |item, kind, offset, bytes: &[u8]| {
            let addr = base + offset;
            recorder.access(&Access { item, key, kind, addr, bytes, ..Access::default() }).unwrap();
        };
        match step {
            Group => {
                if open {
                    recorder.end_group().unwrap();
                }
                recorder.begin_group().unwrap();
                open = true;
            }
            Barrier => recorder.barrier().unwrap(),
            Load(item, at) => {
                access(item, AccessKind::Load, at, &word(memory, at).to_le_bytes());
            }
            LoadByte(item, at) => {
                access(item, AccessKind::Load, at, &memory[at as usize..at as usize + 1]);
            }
            Store(item, at, value) => {
                access(item, AccessKind::Store, at, &value.to_le_bytes());
                memory[at as usize..at as usize + 4].copy_from_slice(&value.to_le_bytes());
            }
            StoreByte(item, at, value) => {
                access(item, AccessKind::Store, at, &[value]);
                memory[at as usize] = value;
            }
            Atomic(item, op, at, operand) => {
                let old = word(memory, at);
                let kind = AccessKind::Atomic { op, old: &old.to_le_bytes() };
                access(item, kind, at, &operand.to_le_bytes());
                let new = op.apply(u64::from(old), u64::from(operand), 4) as u32;
                memory[at as usize..at as usize + 4].copy_from_slice(&new.to_le_bytes());
            }
        }
    }
    if open {
        recorder.end_group().unwrap();
    }
}

fn read(bytes: Vec<u8>, base: u64) -> Outcome {
    crate::trace::verify(&mut Reader::from_bytes(bytes.clone(), "test").unwrap())
        .unwrap()
        .expect_right();
    let mut reader = Reader::from_bytes(bytes, "test").unwrap();
    let (mut heads, mut racy) = (Vec::new(), Vec::new());
    while let Some(event) = reader.next_event().unwrap() {
        let Event::Kernel(head) = event else { continue };
        let mut of_kernel = Vec::new();
        for number in 0..head.groups {
            let group = reader.group(heads.len() as u32, number).unwrap();
            let mut instr = Instr::default();
            for warp in 0..group.warps() {
                let mut cursor = group.cursor(warp);
                while cursor.next(&group, &mut instr).unwrap() {
                    if matches!(instr.kind, InstrKind::Load | InstrKind::Atomic(_)) {
                        of_kernel.extend((0..instr.lanes.count_ones()).map(|_| instr.racy != 0));
                    }
                }
            }
        }
        heads.push(head);
        racy.push(of_kernel);
    }
    Outcome { heads, racy, totals: *reader.totals(), base }
}

#[test]
fn loads_of_unwritten_bytes_are_race_free() {
    let outcome = run(&[&[Group, Load(0, 0), Load(1, 0), Group, Load(0, 0)]], &[]);
    assert_eq!(outcome.racy, [[false; 3]]);
    assert_eq!(outcome.totals.loads_determined, 3);
    assert!(outcome.heads[0].racy.is_empty());
}

#[test]
fn a_barrier_orders_a_store_and_a_load_of_its_group() {
    let kernel = [Group, Load(1, 0), Barrier, Store(0, 0, 5), Barrier, Load(1, 0), Load(100, 0)];
    assert_eq!(run(&[&kernel], &[]).racy, [[false; 3]]);
}

#[test]
fn a_store_of_another_work_item_between_the_same_barriers_makes_a_load_racy() {
    for load_first in [true, false] {
        let (load, store) = (Load(1, 0), Store(0, 0, 5));
        let kernel = if load_first { [Group, load, store] } else { [Group, store, load] };
        let outcome = run(&[&kernel], &[]);
        assert_eq!(outcome.racy, [[true]]);
        assert_eq!(outcome.during(0, 0), set(&[0, 5]));
        assert_eq!(outcome.after(0, 0), set(&[5]));
        assert_eq!(outcome.during(0, 1), set(&[0]));
        assert_eq!(outcome.during(0, 4), None);
    }
}

#[test]
fn a_work_items_own_stores_keep_its_loads_determined() {
    let kernel = [Group, Load(7, 0), Store(7, 0, 5), Load(7, 0), Store(7, 0, 6)];
    let outcome = run(&[&kernel], &[]);
    assert_eq!(outcome.racy, [[false; 2]]);
    assert!(outcome.heads[0].racy.is_empty());
}

#[test]
fn a_store_of_another_group_makes_loads_racy_wherever_it_stands() {
    let kernel =
        [Group, Load(0, 0), Barrier, Load(0, 0), Group, Store(0, 0, 5), Barrier, Load(0, 0)];
    let outcome = run(&[&kernel, &[Group, Load(0, 0)]], &[]);
    assert_eq!(outcome.racy, [vec![true, true, false], vec![false]]);
    assert_eq!(outcome.during(0, 0), set(&[0, 5]));
    assert!(outcome.heads[1].racy.is_empty());
}

#[test]
fn unordered_stores_of_one_value_leave_a_determined_byte() {
    let kernel =
        [Group, Store(0, 0, 5), Store(1, 0, 5), Barrier, Load(2, 0), Group, Store(0, 0, 5)];
    let outcome = run(&[&kernel, &[Group, Load(0, 0)]], &[]);
    // Another group stores: racy, though the value is the same.
    assert_eq!(outcome.racy, [[true], [false]]);
    assert_eq!(outcome.during(0, 0), set(&[0, 5]));
    assert_eq!(outcome.after(0, 0), set(&[5]));
    let kernel = [Group, Store(0, 0, 5), Store(1, 0, 5), Barrier, Load(2, 0)];
    assert_eq!(run(&[&kernel], &[]).racy, [[false]]);
}

#[test]
fn unordered_stores_of_two_values_are_racy_after_the_barrier_too() {
    let kernel = [Group, Store(0, 0, 5), Store(1, 0, 6), Barrier, Load(2, 0)];
    let outcome = run(&[&kernel], &[]);
    assert_eq!(outcome.racy, [[true]]);
    assert_eq!(outcome.during(0, 0), set(&[0, 5, 6]));
    assert_eq!(outcome.after(0, 0), set(&[5, 6]));
    assert_eq!(outcome.after(0, 1), set(&[0]));
}

#[test]
fn of_unordered_work_items_only_the_last_store_of_each_remains_possible() {
    let kernel = [Group, Store(0, 0, 1), Store(0, 0, 2), Store(1, 0, 3)];
    let outcome = run(&[&kernel], &[]);
    assert_eq!(outcome.during(0, 0), set(&[0, 1, 2, 3]));
    assert_eq!(outcome.after(0, 0), set(&[2, 3]));
}

#[test]
fn racy_bytes_are_carried_until_one_ordered_store() {
    let race = [Group, Store(0, 0, 5), Store(1, 0, 6)];
    let load = [Group, Load(3, 0)];
    let store = [Group, Load(3, 0), Store(3, 0, 9), Load(3, 0), Barrier, Load(4, 0)];
    let outcome = run(&[&race, &load, &store, &load], &[]);
    assert_eq!(outcome.racy, [vec![], vec![true], vec![true, false, false], vec![false]]);
    assert_eq!(outcome.during(1, 0), set(&[5, 6]));
    assert_eq!(outcome.during(2, 0), set(&[5, 6, 9]));
    assert_eq!(outcome.after(2, 0), set(&[9]));
    assert!(outcome.heads[3].racy.is_empty());
    assert_eq!(outcome.totals.loads_racy_carried, 2);
}

#[test]
fn the_host_makes_a_byte_determined_again() {
    let race = [Group, Store(0, 0, 5), Store(1, 0, 6)];
    let outcome = run(&[&race, &[Group, Load(0, 0)]], &[1]);
    assert_eq!(outcome.racy, [vec![], vec![false]]);
    assert!(outcome.heads[1].racy.is_empty());
}

#[test]
fn unordered_stores_of_groups_leave_what_each_may_leave() {
    let kernel = [
        Group,
        Store(0, 0, 1),
        Barrier,
        Store(1, 0, 2),
        Store(2, 0, 3),
        Group,
        Store(0, 0, 4),
        Barrier,
        Store(0, 0, 5),
    ];
    let outcome = run(&[&kernel], &[]);
    assert_eq!(outcome.during(0, 0), set(&[0, 1, 2, 3, 4, 5]));
    assert_eq!(outcome.after(0, 0), set(&[2, 3, 5]));
}

#[test]
fn bytes_of_a_word_are_distinct() {
    // Byte 0 is racy, byte 1 is not.
    let race = [Group, Store(0, 0, 0x105), Store(1, 0, 0x106)];
    let load =
        [Group, LoadByte(0, 1), LoadByte(0, 0), StoreByte(0, 0, 3), LoadByte(0, 0), Load(0, 0)];
    let outcome = run(&[&race, &load], &[]);
    assert_eq!(outcome.racy[1], [false, true, false, false]);
}

#[test]
fn integer_atomics_are_determined_at_the_end() {
    use AtomicOp::Add;
    let minus_two = -2i32 as u32;
    let kernel =
        [Group, Atomic(0, Add, 0, 3), Atomic(1, Add, 0, minus_two), Group, Atomic(0, Add, 0, 7)];
    let outcome = run(&[&kernel, &[Group, Load(0, 0)]], &[]);
    assert_eq!(outcome.racy, [vec![true; 3], vec![false]]);
    let cell = outcome.heads[0].atomics[0];
    assert_eq!((cell.op, cell.size, cell.low, cell.high), (Add, 4, -2, 10));
    assert!(outcome.heads[0].racy.is_empty() && outcome.heads[1].racy.is_empty());
    assert_eq!(outcome.totals.atomics_determined, 0);
}

#[test]
fn the_range_of_each_operation_holds_all_subsets() {
    use AtomicOp::*;
    let (big, small) = (0xffff_fff0, 3);
    // Operation, then low and high, from a start of 0 by way of both operands.
    let ranges = [
        (Min, -16, 0),
        (Max, 0, 3),
        (UMin, 0, 0),
        (UMax, 0, 0xffff_fff0),
        (And, 0, 0),
        (Or, 0, 0xffff_fff3),
        (Xor, 0, 0xffff_fff3),
    ];
    for (op, low, high) in ranges {
        let kernel = [Group, Atomic(0, op, 0, big), Atomic(1, op, 0, small)];
        let outcome = run(&[&kernel], &[]);
        let cell = outcome.heads[0].atomics[0];
        assert_eq!((cell.op, cell.low, cell.high), (op, low, high));
        for subset in 0..4 {
            let mut value = 0;
            for (i, operand) in [big, small].into_iter().enumerate() {
                if subset >> i & 1 == 1 {
                    value = op.apply(value, u64::from(operand), 4);
                }
            }
            assert!(cell.admits(value), "{op:?} {value:#x}");
        }
    }
}

#[test]
fn a_sum_that_could_wrap_may_be_anything() {
    let half = 0x7fff_ffff;
    let add = |item| Atomic(item, AtomicOp::Add, 0, half);
    let outcome = run(&[&[Group, add(0), add(1), add(2)]], &[]);
    let cell = outcome.heads[0].atomics[0];
    assert_eq!((cell.low, cell.high), (i64::from(i32::MIN), i64::from(i32::MAX)));
}

#[test]
fn atomics_of_one_work_item_are_determined() {
    let kernel = [Group, Atomic(0, AtomicOp::Add, 0, 1), Atomic(0, AtomicOp::Add, 0, 1)];
    let outcome = run(&[&kernel], &[]);
    assert_eq!(outcome.racy, [[false; 2]]);
    assert_eq!(outcome.totals.atomics_determined, 2);
    assert!(outcome.heads[0].atomics.is_empty());
}

#[test]
fn a_counter_that_is_cleared_before_a_barrier_ends_determined() {
    let add = |item| Atomic(item, AtomicOp::Add, 0, 1);
    let kernel = [Group, Store(0, 0, 10), Barrier, add(1), add(2), Barrier, Load(3, 0)];
    let outcome = run(&[&kernel, &[Group, Load(0, 0)]], &[]);
    assert_eq!(outcome.racy, [vec![true, true, false], vec![false]]);
    assert!(outcome.heads[0].atomics.is_empty());
    assert_eq!(outcome.after(0, 0), set(&[12]));
}

#[test]
fn atomics_of_two_kinds_leave_anything() {
    let kernel = [Group, Atomic(0, AtomicOp::Add, 0, 1), Group, Atomic(0, AtomicOp::Max, 0, 9)];
    let outcome = run(&[&kernel], &[]);
    assert_eq!(outcome.after(0, 0), Some(ByteSet::any()));
    assert!(outcome.heads[0].atomics.is_empty());
}

#[test]
fn loops_of_compare_and_swap_are_racy() {
    // Each work-item loads, then exchanges what it saw plus one: as the converter writes them.
    let turn = |item, value| [Load(item, 0), Atomic(item, AtomicOp::Exchange, 0, value)];
    let mut kernel = vec![Group];
    for item in 0..4 {
        kernel.extend(turn(item, item + 1));
    }
    let outcome = run(&[&kernel, &[Group, Load(0, 0)]], &[]);
    assert_eq!(outcome.racy, [vec![true; 8], vec![true]]);
    assert_eq!(outcome.during(0, 0), set(&[0, 1, 2, 3, 4]));
    assert_eq!(outcome.after(0, 0), set(&[1, 2, 3, 4]));
    assert_eq!(outcome.after(1, 0), set(&[1, 2, 3, 4]));
    assert_eq!(outcome.totals.loads_racy_carried, 1);
}

#[test]
fn loads_beside_atomics_are_checked_by_their_range() {
    let kernel = [Group, Atomic(0, AtomicOp::Add, 0, 5), Group, Load(0, 0), LoadByte(0, 1)];
    let outcome = run(&[&kernel], &[]);
    let head = &outcome.heads[0];
    assert_eq!(outcome.racy, [[false, true, true]]);
    assert!(head.may_hold(outcome.base, &[4, 0, 0, 0]));
    assert!(!head.may_hold(outcome.base, &[6, 0, 0, 0]));
    assert!(head.may_hold(outcome.base + 1, &[0]));
}

#[test]
fn a_byte_stored_beside_atomics_on_its_word_makes_all_of_the_word_racy() {
    let mut kernel = vec![];
    for group in 0..6 {
        kernel.extend([Group, Atomic(group, AtomicOp::Add, 0, 0x55)]);
    }
    kernel.extend([Group, StoreByte(0, 1, 0xff), Load(0, 0), Load(0, 4)]);
    let outcome = run(&[&kernel, &[Group, LoadByte(0, 3)]], &[]);
    assert_eq!(outcome.racy, [vec![true, true, true, true, true, true, true, false], vec![true]]);
    assert!(outcome.heads[0].atomics.is_empty());
    for byte in 0..4 {
        assert_eq!(outcome.during(0, byte), Some(ByteSet::any()));
        assert_eq!(outcome.after(0, byte), Some(ByteSet::any()));
    }
    assert_eq!(outcome.after(0, 4), None);
}

/// A sum of one byte with several values was thought to leave the others as they were.
#[test]
fn an_atomic_spreads_what_is_not_known_of_one_byte_to_its_word() {
    let race = [Group, StoreByte(0, 0, 0xff), StoreByte(1, 0, 1)];
    let add = |item| Atomic(item, AtomicOp::Add, 0, 1);
    let alone = [Group, LoadByte(0, 1), add(0), LoadByte(0, 1), LoadByte(0, 4)];
    let outcome = run(&[&race, &alone, &[Group, LoadByte(0, 1)]], &[]);
    assert_eq!(outcome.racy[1..], [vec![false, true, true, false], vec![true]]);
    let unordered = [Group, add(0), add(1), Barrier, LoadByte(0, 1)];
    assert_eq!(run(&[&race, &unordered], &[]).racy[1], [true; 3]);
    // A store of the whole word ends it.
    let cleared = [Group, Store(0, 0, 7), add(0), Barrier, Load(1, 0)];
    assert_eq!(
        run(&[&race, &cleared, &[Group, Load(0, 0)]], &[]).racy[1..],
        [vec![false; 2], vec![false]]
    );
}
