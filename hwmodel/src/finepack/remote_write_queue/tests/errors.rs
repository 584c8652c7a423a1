//! Faults: codes 1, 2, 3 and 9, and what is lost when several arise.

use ports::finepack::types::error_code;

use super::*;

/// Sends one request to GPU 0's queue; returns `err` and `err_lost` three cycles later.
fn fault_of(req: Req) -> (Option<u8>, bool) {
    let mut b = Bench::new(&small());
    let t = b.send(req);
    let (before, after) = (b.at(t + 2).err, b.at(t + 4).err);
    assert_eq!((before, after), (None, None), "one pulse of one cycle");
    b.cycles(8);
    assert_eq!(b.beats(), [], "a request with a fault is dropped");
    assert_eq!(b.out.last().unwrap().occ, [0; 15]);
    (b.out[t + 3].err, b.out[t + 3].evt.err_lost)
}

#[test]
fn empty_mask_is_code_1() {
    for kind in [op::STORE, op::LOAD, op::ATOMIC] {
        let req = Req { mask: 0, ..access(kind, 16, 0, 4) };
        assert_eq!(fault_of(req), (Some(error_code::ZERO_MASK), false));
    }
}

#[test]
fn atomic_of_illegal_size_or_alignment_is_code_1() {
    for mask in [0x1, 0x3, 0x1E, 0xFF0, 0xFFFF, 0xF0F] {
        let req = Req { mask, ..access(op::ATOMIC, 16, 0, 4) };
        assert_eq!(fault_of(req), (Some(error_code::ZERO_MASK), false), "{mask:#x}");
    }
}

#[test]
fn own_or_missing_destination_is_code_2() {
    for kind in [op::STORE, op::LOAD, op::ATOMIC] {
        for dest in [0, 3, 15] {
            let req = Req { dest, ..access(kind, 16, 0, 4) };
            assert_eq!(fault_of(req), (Some(error_code::BAD_DEST), false));
        }
    }
}

#[test]
fn destination_of_a_release_is_ignored() {
    for dest in [0, 9] {
        let mut b = Bench::new(&small());
        let t = b.send(Req { dest, ..of_kind(op::RELEASE_SYS, 4) });
        assert_eq!((b.at(t + 3).rel, b.at(t + 3).err), (Some(4), None));
    }
}

#[test]
fn illegal_operation_is_code_3_and_nothing_else() {
    for kind in 5..8 {
        let req = Req { op: kind, dest: 0, mask: 0, ..Req::default() };
        assert_eq!(fault_of(req), (Some(error_code::BAD_OP), false));
    }
    let req = Req { aop: 8, ..access(op::ATOMIC, 16, 0, 4) };
    assert_eq!(fault_of(req), (Some(error_code::BAD_OP), false));
}

#[test]
fn lowest_code_is_shown_and_the_others_are_lost() {
    let both = Req { dest: 0, mask: 0, ..access(op::STORE, 16, 0, 4) };
    assert_eq!(fault_of(both), (Some(error_code::ZERO_MASK), true));
    let two = Req { dest: 0, aop: 9, ..access(op::ATOMIC, 16, 0, 4) };
    assert_eq!(fault_of(two), (Some(error_code::BAD_DEST), true));
}

#[test]
fn completion_that_no_mark_waits_for_is_code_9() {
    for gpu in [0, 1, 2, 3, 15] {
        let mut b = Bench::new(&small());
        let t = b.complete(gpu);
        b.cycles(3);
        assert_eq!(b.out[t].err, None);
        assert_eq!(b.out[t + 1].err, Some(error_code::SPURIOUS_COMPLETION));
        assert!(!b.out[t + 1].evt.err_lost);
        assert_eq!(b.out[t + 2].err, None);
    }
}

#[test]
fn completion_in_the_cycle_of_the_push_is_code_9() {
    let mut b = Bench::new(&small());
    b.store(0x4000, 4);
    let t = b.send(of_kind(op::RELEASE_SYS, 1));
    b.at(t + 1);
    assert_eq!(b.complete(1), t + 2);
    assert_eq!(b.at(t + 3).err, Some(error_code::SPURIOUS_COMPLETION));
    b.cycles(10);
    let last = b.complete(1);
    assert_eq!((b.at(last + 1).rel, b.at(last + 1).err), (Some(1), None));
}

#[test]
fn request_fault_hides_a_spurious_completion_of_its_cycle() {
    let mut b = Bench::new(&small());
    let t = b.send(Req { dest: 0, ..access(op::STORE, 16, 0, 4) });
    b.at(t + 1);
    assert_eq!(b.complete(2), t + 2);
    assert_eq!(b.at(t + 3).err, Some(error_code::BAD_DEST));
    assert!(b.at(t + 3).evt.err_lost);
}

#[test]
fn partitions_follow_the_own_id() {
    let mut b = Bench::new(&small());
    b.next.self_id = 1;
    let t = b.send(Req { dest: 2, ..access(op::STORE, 16, 0, 4) });
    assert_eq!(b.at(t + 3).occ[..2], [0, 1]);
    let t = b.send(Req { dest: 0, ..access(op::LOAD, 16, 0, 4) });
    assert_eq!(b.at(t + 4).drain.unwrap().dest, 0);
    let t = b.send(Req { dest: 1, ..access(op::LOAD, 16, 0, 4) });
    assert_eq!(b.at(t + 3).err, Some(error_code::BAD_DEST));
}
