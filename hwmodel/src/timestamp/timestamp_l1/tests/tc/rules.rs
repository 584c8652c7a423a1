//! Without a rule, what it is for happens (specification 8.2).

use ports::timestamp::types::rsp_op::{FILL, WR_ACK};

use super::*;

/// What comes, and when.
#[derive(Clone, Copy)]
enum Comes {
    Ask(CoreReq),
    Answer(BusRsp),
}

use Comes::{Answer, Ask};

/// Runs a program for so many cycles; returns first bytes of loads, requests to banks, and the
/// cycles in which warp 0's fence may pass.
fn run(mut l1: TimestampL1, program: &[(u32, Comes)], cycles: u32) -> (Vec<u8>, usize, Vec<u32>) {
    let (mut loads, mut sent, mut fence) = (Vec::new(), 0, Vec::new());
    for now in 0..cycles {
        let mut inputs = In { core_rsp_ready: true, bus_req_ready: true, ..In::default() };
        for (_, event) in program.iter().filter(|(at, _)| *at == now) {
            match *event {
                Ask(req) => inputs.core_req = Some(req),
                Answer(rsp) => inputs.bus_rsp = Some(rsp),
            }
        }
        let out = l1.tick(&inputs);
        loads.extend(out.core_rsp.filter(|rsp| rsp.op == op::LD).map(|rsp| rsp.data.0[0]));
        sent += usize::from(out.bus_req.is_some());
        if out.fence_ok & 1 == 1 {
            fence.push(now);
        }
    }
    (loads, sent, fence)
}

fn with_and_without(
    rule: Rule,
    program: &[(u32, Comes)],
    cycles: u32,
) -> [(Vec<u8>, usize, Vec<u32>); 2] {
    let with = TimestampL1::new(&config()).unwrap();
    let without = TimestampL1::without(&config(), rule).unwrap();
    [with, without].map(|l1| run(l1, program, cycles))
}

#[test]
fn without_the_waiters_lease_a_load_reads_what_has_ended() {
    // It joins at now 11; the fill's lease ends at 10.
    let program = [(0, Ask(ld(0, 1))), (10, Ask(ld(1, 1))), (15, Answer(answer(FILL, 0, 10, 7)))];
    let [with, without] = with_and_without(Rule::WaiterLease, &program, 30);
    assert_eq!((with.0, with.1), (vec![7], 2), "the younger is asked for again");
    assert_eq!((without.0, without.1), (vec![7, 7], 1));
}

#[test]
fn without_fence_it_passes_while_others_read_what_was_overwritten() {
    let program = [(0, Ask(st(0, 1))), (5, Answer(answer(WR_ACK, 0x80, 20, 0)))];
    let [with, without] = with_and_without(Rule::Fence, &program, 30);
    assert_eq!(with.2, [0].into_iter().chain(20..30).collect::<Vec<_>>());
    // The answer is taken in cycle 7.
    assert_eq!(without.2, [0].into_iter().chain(8..30).collect::<Vec<_>>());
}

#[test]
fn without_own_copy_a_warp_misses_its_own_store() {
    let program = [
        (0, Ask(ld(0, 1))),
        (5, Answer(answer(FILL, 0, 100, 7))),
        (10, Ask(st(0, 1))),
        (11, Ask(ld(0, 1))),
    ];
    let [with, without] = with_and_without(Rule::OwnCopy, &program, 30);
    assert_eq!((with.0, with.1), (vec![7], 3));
    assert_eq!((without.0, without.1), (vec![7, 7], 2));
}

#[test]
fn without_st_after_an_old_fill_is_kept() {
    let program = [
        (0, Ask(ld(0, 1))),
        (2, Ask(st(1, 1))),
        (5, Answer(answer(FILL, 0, 100, 7))),
        (10, Ask(ld(1, 1))),
    ];
    let [with, without] = with_and_without(Rule::StAfter, &program, 30);
    assert_eq!((with.0, with.1), (vec![7], 3));
    assert_eq!((without.0, without.1), (vec![7, 7], 2));
}

#[test]
fn without_older_loads_a_store_passes_its_warps_load() {
    let program = [(0, Ask(ld(0, 1))), (1, Ask(st(0, 1)))];
    let [with, without] = with_and_without(Rule::OlderLoads, &program, 30);
    assert_eq!((with.1, without.1), (1, 2));
}
