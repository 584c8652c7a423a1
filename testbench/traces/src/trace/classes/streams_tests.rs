//! Directed tests of the classes of kernels that may overlap.

use crate::trace::{
    Access, AccessKind, AtomicOp, Bound, ByteSet, Event, Instr, KernelHead, KernelSpec, Key,
    Reader, Record, Recorder, verify,
};

/// What a program of two or three streams does, in one of the orders that it allows.
#[derive(Clone, Copy)]
enum Step {
    /// A kernel of this stream with one access of one work-item to the word at this place.
    Load(u8, u64),
    Store(u8, u64, u32),
    Add(u8, u64, u32),
    StoreByte(u8, u64, u8),
    Wait(u8, u8),
    /// The host reads, and so waits for all.
    Host,
}
use Step::*;

/// Of each kernel, whether its load is racy, and its table.
fn run(steps: &[Step]) -> (Vec<bool>, Vec<KernelHead>, u64) {
    let mut recorder = Recorder::in_memory("streams").unwrap();
    recorder.streams(&[Bound::ALL; 3]).unwrap();
    let base = recorder.alloc("buffer", 64).unwrap();
    let mut memory = [0u8; 64];
    for &step in steps {
        let mut kernel = |stream, kind, at: u64, bytes: &[u8]| {
            let spec = KernelSpec { local: [1; 3], grid: [1; 3], stream, ..KernelSpec::default() };
            let key = Key::default();
            recorder.begin_kernel(spec).unwrap();
            recorder.begin_group().unwrap();
            let addr = base + at;
            recorder
                .access(&Access { item: 0, key, kind, addr, bytes, ..Access::default() })
                .unwrap();
            recorder.end_group().unwrap();
            recorder.end_kernel().unwrap();
        };
        let word =
            |memory: &[u8; 64], at| -> [u8; 4] { memory[at as usize..][..4].try_into().unwrap() };
        match step {
            Load(stream, at) => kernel(stream, AccessKind::Load, at, &word(&memory, at)),
            Store(stream, at, value) => {
                memory[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
                kernel(stream, AccessKind::Store, at, &value.to_le_bytes());
            }
            StoreByte(stream, at, value) => {
                memory[at as usize] = value;
                kernel(stream, AccessKind::Store, at, &[value]);
            }
            Add(stream, at, operand) => {
                let old = word(&memory, at);
                let kind = AccessKind::Atomic { op: AtomicOp::Add, old: &old };
                kernel(stream, kind, at, &operand.to_le_bytes());
                let new = u32::from_le_bytes(old).wrapping_add(operand);
                memory[at as usize..][..4].copy_from_slice(&new.to_le_bytes());
            }
            Wait(stream, of) => recorder.wait(stream, of).unwrap(),
            Host => recorder.host_read(base, 64).unwrap(),
        }
    }
    let bytes = recorder.into_bytes().unwrap();
    let mut reader = Reader::from_bytes(bytes, "streams").unwrap();
    verify(&mut reader).unwrap().expect_right();
    reader.rewind();
    let (mut racy, mut heads) = (Vec::new(), Vec::new());
    while let Some(event) = reader.next_event().unwrap() {
        let Event::Kernel(head) = event else { continue };
        let group = reader.group(heads.len() as u32, 0).unwrap();
        let mut instr = Instr::default();
        assert!(group.cursor(0).next(&group, &mut instr).unwrap());
        racy.push(instr.racy != 0);
        heads.push(head);
    }
    (racy, heads, base)
}

fn racy(steps: &[Step]) -> Vec<bool> {
    run(steps).0
}

fn set(values: &[u8]) -> ByteSet {
    let mut set = ByteSet::default();
    values.iter().for_each(|&value| set.insert(value));
    set
}

#[test]
fn load_of_what_an_overlapping_kernel_writes_is_racy_whichever_comes_first() {
    assert_eq!(racy(&[Store(0, 0, 5), Load(1, 0)]), [false, true]);
    assert_eq!(racy(&[Load(1, 0), Store(0, 0, 5)]), [true, false]);
    // Others' bytes are no matter, nor is what the same stream writes.
    assert_eq!(racy(&[Store(0, 0, 5), Load(1, 4), Load(0, 0)]), [false; 3]);
    assert_eq!(racy(&[Load(0, 0), Load(1, 0), Load(2, 0)]), [false; 3]);
}

#[test]
fn wait_orders_what_came_before_it_and_nothing_else() {
    assert_eq!(racy(&[Store(0, 0, 5), Wait(1, 0), Load(1, 0)]), [false; 2]);
    let later = [Store(0, 0, 5), Wait(1, 0), Store(0, 0, 6), Load(1, 0)];
    assert_eq!(racy(&later), [false, false, true]);
    let otherwise = [Store(0, 0, 5), Wait(0, 1), Load(1, 0)];
    assert_eq!(racy(&otherwise), [false, true]);
    let by_way = [Store(0, 0, 5), Wait(2, 0), Wait(1, 2), Load(1, 0)];
    assert_eq!(racy(&by_way), [false; 2]);
    assert_eq!(racy(&[Store(0, 0, 5), Host, Load(1, 0)]), [false; 2]);
}

#[test]
fn race_leaves_each_of_the_values_until_one_is_stored_behind_it() {
    let steps = [Store(0, 0, 5), Store(1, 0, 6), Host, Load(2, 0), Store(2, 0, 7), Load(2, 0)];
    let (racy, heads, base) = run(&steps);
    assert_eq!(racy, [false, false, true, false, false]);
    let byte = |kernel: usize| *heads[kernel].racy.iter().find(|r| r.addr == base).unwrap();
    // Whether a kernel has begun when another stores is unknown.
    assert_eq!([byte(0).during, byte(1).after, byte(2).during], [set(&[0, 5, 6]); 3]);
    // The kernel that stores may find them, and leaves one.
    assert_eq!((byte(3).during, byte(3).after), (set(&[0, 5, 6, 7]), set(&[7])));
    assert!(heads[4].racy.is_empty());
}

#[test]
fn own_store_does_not_make_a_load_determined_while_another_kernel_may_store() {
    let steps = [Store(0, 0, 5), Load(0, 0), Store(1, 0, 6)];
    assert_eq!(racy(&steps), [false, true, false]);
    // Storing what is there is no race.
    assert_eq!(racy(&[Store(0, 0, 0), Load(1, 0)]), [false; 2]);
}

#[test]
fn atomics_of_two_streams_may_find_and_leave_anything() {
    let (racy, heads, base) = run(&[Add(0, 0, 1), Add(1, 0, 2), Host, Load(0, 0)]);
    assert_eq!(racy, [true; 3]);
    assert!(heads.iter().all(|head| head.atomics.is_empty()));
    let byte = |k: u64| *heads[2].racy.iter().find(|r| r.addr == base + k).unwrap();
    assert!((0..4).all(|k| byte(k).during == ByteSet::any()));
    // Also where only one byte of the sum is raced for.
    let (_, heads, base) = run(&[Add(0, 0, 1), StoreByte(1, 0, 3), Host, Load(0, 0)]);
    assert!(heads[2].racy.iter().map(|r| r.addr).eq(base..base + 4));
    assert_eq!(self::racy(&[Add(0, 0, 1), Wait(1, 0), Add(1, 0, 2)]), [false; 2]);
}
