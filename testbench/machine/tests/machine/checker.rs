//! The checker notices traces whose values are not what the machine computes.

use machine::systems::Shape;
use machine::{Observer, Options, RunError, Wrong};
use traces::trace::{Access, AccessKind, AtomicOp, KernelSpec, Key, Reader, Record, Recorder};

use super::run;

/// What the one work-item of each of two groups does to a word that is 5 at first: kind, bytes.
type Does<'a> = (AccessKind<'a>, [u8; 4]);

fn wrong(items: &[Does]) -> (String, Box<Wrong>, u64) {
    let mut recorder = Recorder::in_memory("lies").unwrap();
    let addr = recorder.alloc("a", 4096).unwrap();
    recorder.host_write(addr, &[5, 0, 0, 0]).unwrap();
    let name = "k".to_string();
    let (grid, local) = ([items.len() as u32, 1, 1], [1, 1, 1]);
    recorder.begin_kernel(KernelSpec { name, grid, local, ..KernelSpec::default() }).unwrap();
    for (i, (kind, bytes)) in items.iter().enumerate() {
        recorder.begin_group().unwrap();
        let key = Key { pc: i as u32, ..Key::default() };
        let access = Access { item: 0, key, kind: *kind, addr, bytes, ..Access::default() };
        recorder.access(&access).unwrap();
        recorder.end_group().unwrap();
    }
    recorder.end_kernel().unwrap();
    let trace = Reader::from_bytes(recorder.into_bytes().unwrap(), "lies").unwrap();
    match run(&Shape::default().system(), &trace, Options::default()) {
        Err(RunError::Wrong(text, wrong)) => (text, wrong, addr),
        other => panic!("{other:?}"),
    }
}

#[test]
fn determined_load_of_another_value_is_reported_with_address_and_values() {
    let (text, wrong, addr) = wrong(&[(AccessKind::Load, [5, 0, 7, 0])]);
    assert_eq!((wrong.addr, wrong.got, &wrong.possible[..]), (addr + 2, 0, &[7][..]));
    assert!(matches!(wrong.seen_by, Observer::Load(_)));
    assert_eq!(wrong.kernel, (0, "k".to_string()));
    assert!(text.starts_with("wrong value: byte 0x100002 is 0x00, must be 0x07 (cycle "), "{text}");
    assert!(text.ends_with("kernel 0 k, seen by a load of gpu0.chiplet0.cu0)"), "{text}");
}

#[test]
fn determined_old_value_of_an_atomic_is_compared() {
    let atomic = AccessKind::Atomic { op: AtomicOp::Add, old: &[6, 0, 0, 0] };
    let (text, wrong, addr) = wrong(&[(atomic, [1, 0, 0, 0])]);
    assert_eq!((wrong.addr, wrong.got, &wrong.possible[..]), (addr, 5, &[6][..]));
    assert!(matches!(wrong.seen_by, Observer::Atomic(_)), "{text}");
}
