//! First uses in the traces of small kernels, compared with counts by hand.

use crate::trace::FirstUse::{self, After, Never, Unknown};
use crate::trace::{Event, Instr, InstrKind, Reader, Recorder};

use super::{Buffer, Device, Group, Item, Launch, PROGRAMS, Params, all, at, run};

/// First use of each instruction of a trace.
fn uses_of(recorder: Recorder<std::io::Cursor<Vec<u8>>>) -> Vec<(InstrKind, FirstUse)> {
    let mut reader = Reader::from_bytes(recorder.into_bytes().unwrap(), "uses").unwrap();
    let (mut instr, mut uses, mut kernel) = (Instr::default(), Vec::new(), 0);
    while let Some(event) = reader.next_event().unwrap() {
        let Event::Kernel(_) = event else { continue };
        for group in 0..reader.groups(kernel) {
            let group = reader.group(kernel, group).unwrap();
            for warp in 0..group.warps() {
                let mut cursor = group.cursor(warp);
                while cursor.next(&group, &mut instr).unwrap() {
                    uses.push((instr.kind, instr.first_use));
                }
            }
        }
        kernel += 1;
    }
    uses
}

/// First use of each instruction of a group of `items` work-items with a buffer of ones.
fn uses(items: usize, mut body: impl FnMut(&Group, &Buffer<u32>)) -> Vec<FirstUse> {
    let mut recorder = Recorder::in_memory("uses").unwrap();
    let device = &mut Device::new(&mut recorder);
    let buffer = device.upload("b", &[1u32; 64]).unwrap();
    let launch = Launch::line("k", items, items).write("b", &buffer);
    device.launch(launch, |group| body(group, &buffer)).unwrap();
    uses_of(recorder).into_iter().map(|(_, first_use)| first_use).collect()
}

/// The same of one work-item.
fn uses_of_one(mut body: impl FnMut(&Item, &Buffer<u32>)) -> Vec<FirstUse> {
    uses(1, |group, b| group.phase(|it| body(it, b)))
}

#[test]
fn operands_of_a_store_are_read_by_the_first_instruction_of_its_gap() {
    // The first load is instruction 5, the second one 7; 8 and 9 are the gap of the store.
    let triad = uses_of_one(|it, b| {
        let v = it.load(at(1, 4), b, 1);
        let w = it.load(at(2, 1), b, 2);
        it.store(at(3, 2), b, 0, *v + 3 * *w);
    });
    assert_eq!(triad, [After(8 - 5), After(8 - 7), Unknown]);
}

#[test]
fn access_without_a_gap_reads_its_operands_itself() {
    // The load is instruction 1, the store 2.
    let copy = uses_of_one(|it, b| {
        let v = it.load(at(1, 0), b, 1);
        it.store(at(2, 0), b, 0, *v);
    });
    assert_eq!(copy, [After(1), Unknown]);
}

#[test]
fn address_reads_the_index_behind_the_work_so_far() {
    // Instruction 1 is the first load, 2 to 6 are work, 7 to 9 the gap of the second load.
    let indexed = uses_of_one(|it, b| {
        let index = it.load(at(1, 0), b, 1);
        it.work(5);
        it.load(at(2, 3), b, *index as usize);
    });
    assert_eq!(indexed, [After(7 - 1), Never]);
}

#[test]
fn second_read_changes_nothing() {
    let twice = uses_of_one(|it, b| {
        let v = it.load(at(1, 0), b, 1);
        it.store(at(2, 6), b, 0, *v);
        it.store(at(3, 6), b, 2, *v);
    });
    assert_eq!(twice, [After(1), Unknown, Unknown]);
}

#[test]
fn bounds_of_a_loop_are_read_before_its_first_turn() {
    // The loads are instructions 5 and 7, the loop's load has 8 to 10 as its gap.
    let bounds = uses_of_one(|it, b| {
        let first = it.load(at(1, 4), b, 0);
        let end = it.load(at(2, 1), b, 1);
        for k in it.turns(*first..*end + 1) {
            it.load(at(3, 3), b, k as usize);
        }
    });
    assert_eq!(bounds, [After(8 - 5), After(8 - 7), Never]);
}

#[test]
fn barriers_count_on_the_way_to_a_register_of_a_later_phase() {
    // Instruction 3 is the load; 4 to 6 are work, 7 is a barrier, 8 is one, 9 to 12 are work.
    let mut after = |group: &Group, b: &Buffer<u32>| {
        let mut kept = [None; 2];
        group.phase(|it| {
            kept[it.id] = Some(it.load(at(1, 2), b, it.x));
            it.work(3);
        });
        group.phase(|_| {});
        group.phase(|it| {
            it.work(4);
            it.store(at(2, 1), b, it.x, *kept[it.id].unwrap());
        });
    };
    assert_eq!(uses(2, &mut after), [After(13 - 3), Unknown, Unknown, Unknown]);
}

#[test]
fn barrier_and_fence_wait_for_what_instructions_before_them_have_read() {
    // The trace has the ten instructions behind the barrier, or the fence: the load is instruction
    // 1, either of them 2.
    let barrier = uses(1, |group, b| {
        let mut local = 0;
        group.phase(|it| {
            let v = it.load(at(1, 0), b, 0);
            it.work(10);
            local = *v;
        });
        group.phase(|it| it.store(at(2, 0), b, 0, local));
    });
    assert_eq!(barrier, [After(1), Unknown, Unknown]);
    let fence = uses_of_one(|it, b| {
        let v = it.load(at(1, 0), b, 0);
        it.work(10);
        let sum = *v + 1;
        it.fence(at(2, 0));
        it.store(at(3, 0), b, 0, sum);
    });
    assert_eq!(fence, [After(1), Unknown, Unknown]);
    // A read by a later instruction of the trace stays: the store is instruction 12.
    let access = uses_of_one(|it, b| {
        let v = it.load(at(1, 0), b, 0);
        it.work(10);
        it.store(at(2, 0), b, 0, *v);
        it.fence(at(3, 0));
    });
    assert_eq!(access, [After(11), Unknown, Unknown]);
}

#[test]
fn local_memory_reads_what_is_stored_there() {
    let mut local = [0; 2];
    let stored = uses(2, |group, b| {
        group.phase(|it| local[it.id] = *it.load(at(1, 2), b, it.x));
        group.phase(|it| it.store(at(2, 1), b, it.x, local[1 - it.id]));
    });
    assert_eq!(stored, [After(1), Unknown, Unknown]);
}

#[test]
#[should_panic(expected = "a register of another work-item")]
fn registers_of_other_work_items_cannot_be_read() {
    uses(2, |group, b| {
        let mut kept = [None; 2];
        group.phase(|it| kept[it.id] = Some(it.load(at(1, 0), b, it.x)));
        group.phase(|it| it.store(at(2, 0), b, it.x, *kept[1 - it.id].unwrap()));
    });
}

#[test]
fn fences_count() {
    let fenced = uses_of_one(|it, b| {
        let v = it.load(at(1, 0), b, 1);
        it.fence(at(2, 0));
        it.store(at(3, 0), b, 0, *v);
    });
    assert_eq!(fenced, [After(2), Unknown, Unknown]);
}

#[test]
fn old_values_of_atomics_are_read_or_not() {
    // Instructions 1 to 5, then 6 and 7 as a gap, and the store.
    let atomics = uses_of_one(|it, b| {
        it.atomic_add(at(1, 0), b, 0, 1);
        let least = it.atomic_min(at(2, 0), b, 1, 0);
        let old = it.exchange(at(3, 0), b, 2, 5);
        let seen = it.cas(at(4, 0), b, 2, 5, 6);
        // One that fails.
        let other = it.cas(at(5, 0), b, 2, *seen, 7);
        it.store(at(6, 2), b, 3, *old + *other);
        it.store(at(7, 0), b, 4, *least);
    });
    let expected = [Never, After(9 - 2), After(6 - 3), After(5 - 4), After(6 - 5)];
    assert_eq!(atomics[..5], expected);
}

/// Loads of four lanes: the first `at_once` compare the value before the next load, the next
/// `later` store it behind that.
fn four_lanes(at_once: usize, later: usize) -> FirstUse {
    let lanes = uses(4, |group, b| {
        group.phase(|it| {
            let v = it.load(at(1, 1), b, it.x);
            assert!(it.x >= at_once || *v == 1);
            it.load(at(2, 3), b, it.x);
            if (at_once..at_once + later).contains(&it.x) {
                it.store(at(3, 1), b, it.x, *v);
            }
        });
    });
    lanes[0]
}

#[test]
fn lane_that_reads_first_stands_for_its_warp() {
    // Behind the load: 1 to 3 are the gap of the second one, 4 is that, 5 is the gap of the store.
    assert_eq!(four_lanes(1, 2), After(1));
    assert_eq!(four_lanes(0, 3), After(5));
    assert_eq!(four_lanes(3, 0), After(1));
    assert_eq!(four_lanes(0, 0), Never);
}

#[test]
fn groups_in_turns_have_their_own_counts() {
    let mut recorder = Recorder::in_memory("uses").unwrap();
    let device = &mut Device::new(&mut recorder);
    let buffer = device.upload("b", &[1u32; 2]).unwrap();
    let launch = Launch::line("k", 2, 1).write("b", &buffer);
    let mut turns = [0; 2];
    let ran = device.in_turns(launch, 3, |group| {
        group.phase(|it| {
            // Group 0 works less between load and store than group 1.
            let v = it.load(at(1, 1), &buffer, group.index);
            it.work(10 * (1 + group.index));
            it.store(at(2, 1), &buffer, group.index, *v);
        });
        turns[group.index] += 1;
        turns[group.index] < 2
    });
    ran.unwrap();
    let loads = uses_of(recorder).into_iter().filter(|(kind, _)| *kind == InstrKind::Load);
    let loads: Vec<_> = loads.map(|(_, first_use)| first_use).collect();
    assert_eq!(loads, [After(11), After(11), After(21), After(21)]);
}

#[test]
fn all_programs_know_their_first_uses() {
    for program in all() {
        let least = Params { size: program.size.min, iterations: program.iterations.min, seed: 1 };
        let is_micro = !PROGRAMS.contains(program);
        let params = if is_micro { least } else { program.params() };
        let mut recorder = Recorder::in_memory(program.name).unwrap();
        run(program.name, &params, &mut recorder).unwrap();
        let uses = uses_of(recorder);
        for (kind, first_use) in &uses {
            let gives = matches!(kind, InstrKind::Load | InstrKind::Atomic(_));
            assert_eq!(*first_use != Unknown, gives, "{}: {kind:?}", program.name);
        }
        // A program reads what it loads, unless a branch makes it useless; warm-ups do not.
        let loads = uses.iter().filter(|(kind, _)| *kind == InstrKind::Load);
        let unread = loads.clone().filter(|(_, first_use)| *first_use == Never).count();
        assert!(is_micro || 20 * unread < loads.count(), "{}: {unread}", program.name);
    }
}
