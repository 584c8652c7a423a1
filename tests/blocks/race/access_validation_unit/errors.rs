//! Error codes (specification 12).

use ports::race::types::result;

use super::*;

/// The code of the cycle after the next.
fn code(bench: &mut Bench) -> Option<u8> {
    bench.cycle();
    bench.shown().err
}

fn code_of(bench: &mut Bench, rsp: Rsp) -> Option<u8> {
    bench.beat(rsp);
    let err = bench.shown().err;
    assert_eq!(bench.cycle().err, err);
    assert_eq!(bench.shown().err, None, "a pulse");
    err
}

fn loading(body: Make) -> (Bench, Vec<Rsp>) {
    let mut bench = Bench::new(body, &config());
    let beats = sync(rsp_kind::RACE, 7, 1, 256, &[1]);
    bench.beat(beats[0]);
    (bench, beats)
}

#[test]
fn chunk_without_a_header() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        let chunk = sync(rsp_kind::RACE, 7, 1, 256, &[1])[1];
        assert_eq!(code_of(&mut bench, chunk), Some(err::CHUNK));
        assert_eq!((bench.epoch(), bench.counters().syncs), (0, 0));
        bench.fill(1);
        bench.sync(&[]);
        assert_eq!(bench.look(lookup(1, 1 << 7)), result::HIT, "nothing was written");
    });
}

#[test]
fn header_while_a_signature_loads() {
    on_both(|body| {
        let (mut bench, beats) = loading(body);
        assert_eq!(code_of(&mut bench, Rsp { kind: 7, ..norace(1, 5) }), Some(err::HEADER));
        bench.beat(beats[1]);
        let done = Done { kind: rsp_kind::RACE, id: 7, epoch: 1, sync: true };
        assert_eq!(bench.shown().done, Some(done), "loading goes on");
    });
}

#[test]
fn header_that_contradicts_itself() {
    on_both(|body| {
        let race = Rsp { kind: rsp_kind::RACE, sync: true, ..norace(1, 1) };
        let cases = [
            Rsp { sync: true, ..norace(1, 1) },
            Rsp { last: false, ..norace(1, 0) },
            Rsp { sync: false, epoch: 0, ..race },
            Rsp { sync: false, last: false, epoch: 0, ..race },
            Rsp { kind: rsp_kind::WACK, sync: false, epoch: 0, ..race },
            Rsp { kind: rsp_kind::FORCED, sync: false, epoch: 0, ..race },
            Rsp { kind: 4, ..race },
            Rsp { kind: 7, sync: false, epoch: 9, ..race },
        ];
        for rsp in cases {
            let mut bench = Bench::new(body, &config());
            assert_eq!(code_of(&mut bench, rsp), Some(err::KIND), "{rsp:?}");
            assert!(bench.out.iter().all(|out| out.done.is_none() && out.lk_ready));
            assert_eq!(bench.epoch(), 0);
        }
    });
}

#[test]
fn header_of_another_epoch() {
    on_both(|body| {
        let race = Rsp { kind: rsp_kind::RACE, sync: true, ..norace(1, 1) };
        for rsp in [norace(1, 1), norace(1, 8), Rsp { epoch: 0, ..race }, Rsp { epoch: 9, ..race }]
        {
            let mut bench = Bench::new(body, &config());
            assert_eq!(code_of(&mut bench, rsp), Some(err::EPOCH), "{rsp:?}");
            assert!(bench.out.iter().all(|out| out.done.is_none()));
        }
        let mut bench = Bench::new(body, &config());
        (0..7).for_each(|_| _ = bench.sync(&[]));
        bench.beat(Rsp { epoch: 0, ..race });
        assert_eq!((bench.shown().err, bench.epoch()), (None, 0), "7 is followed by 0");
    });
}

#[test]
fn chunk_beyond_the_signature() {
    on_both(|body| {
        let (mut bench, beats) = loading(body);
        let beyond = Rsp { chunk: 1, last: false, ..beats[1] };
        assert_eq!(code_of(&mut bench, beyond), Some(err::INDEX));
        assert!(!bench.shown().lk_ready);
        bench.beat(Rsp { last: true, ..beyond });
        let Out { err, done, epoch, .. } = bench.shown();
        assert_eq!((err, done.is_some(), epoch), (Some(err::INDEX), true, 1));
        (bench.next.q_valid, bench.next.q[0]) = (1, Query { size: 0, addr: 1 << 7 });
        bench.cycle();
        assert_eq!(bench.shown().q_member, 0, "its data were dropped");
    });
}

#[test]
fn line_that_the_l1_does_not_have() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.next.lk = Some(lookup(8, 0));
        assert_eq!(code(&mut bench), Some(err::LINE));
        assert_eq!((bench.shown().rs, bench.counters().miss_cold), (Some(result::MISS_COLD), 1));
        bench.next.fill = Some(Fill { line: 8, epoch: 0 });
        assert_eq!(code(&mut bench), Some(err::LINE));
        bench.next.hc_clr = Some(255);
        assert_eq!(code(&mut bench), Some(err::LINE));
        bench.next.lk = Some(Lookup { tag_hit: false, ..lookup(8, 0) });
        assert_eq!(code(&mut bench), None);
        bench.next.lk = Some(lookup(7, 0));
        assert_eq!(code(&mut bench), None);
    });
}

#[test]
fn lowest_code_of_a_cycle_is_shown() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.next.fill = Some(Fill { line: 8, epoch: 0 });
        bench.next.rsp = Some(norace(1, 1));
        assert_eq!(code(&mut bench), Some(err::EPOCH));
    });
}
