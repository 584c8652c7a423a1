//! Beats from the race detection unit and when they are taken (specification 5.3, 5.5).

use ports::race::types::result::*;

use super::*;

#[test]
fn answer_without_a_sync_is_done_in_the_next_cycle() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.beat(norace(9, 0));
        bench.beat(norace(10, 0));
        bench.run(2);
        let done = |id| Some(Done { kind: rsp_kind::NORACE, id, epoch: 0, sync: false });
        let shown: Vec<_> = bench.out.iter().map(|out| out.done).collect();
        assert_eq!(shown, [None, done(9), done(10), None], "one per cycle");
        assert!(bench.out.iter().all(|out| out.rsp_ready && out.lk_ready && out.epoch == 0));
    });
}

#[test]
fn answer_with_chunks_is_done_behind_its_last() {
    on_both(|body| {
        let mut bench = Bench::new(body, &four_chunks());
        // Chunks 0, 1 and 3, and a cycle without a beat.
        let beats = sync(rsp_kind::RACE, 7, 1, 1024, &[1]);
        assert_eq!(beats.len(), 4);
        bench.beat(beats[0]);
        bench.beat(beats[1]);
        bench.cycle();
        bench.beat(beats[2]);
        bench.beat(beats[3]);
        bench.run(3);
        let done = Done { kind: rsp_kind::RACE, id: 7, epoch: 1, sync: true };
        let shown = |of: fn(&Out) -> bool| bench.out.iter().map(of).collect::<Vec<_>>();
        assert_eq!(bench.out[5].done, Some(done));
        assert_eq!(bench.out.iter().filter(|out| out.done.is_some()).count(), 1);
        let (no, yes) = (false, true);
        assert_eq!(shown(|out| out.lk_ready), [yes, no, no, no, no, yes, yes, yes]);
        assert_eq!(shown(|out| out.rsp_ready), [yes, yes, yes, yes, yes, no, no, yes]);
        assert_eq!(shown(|out| out.epoch == 1), [no, no, no, no, no, yes, yes, yes]);
        assert_eq!(bench.counters().load_cycles, 4);
    });
}

#[test]
fn beats_wait_as_long_as_the_load_queue_validates() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        let last = bench.sync(&[1]) - 1;
        // 5.5: done in u + 1, busy in u + 2 to u + 5, ready again in u + 7.
        bench.cycle();
        bench.next.slq_busy = true;
        bench.run(4);
        bench.next.slq_busy = false;
        bench.run(4);
        let ready: Vec<_> = (last + 1..bench.now()).filter(|&n| bench.out[n].rsp_ready).collect();
        assert_eq!(ready, [last + 7, last + 8, last + 9]);
        assert!(bench.out[last + 1..].iter().all(|out| out.lk_ready));
    });
}

#[test]
fn beat_that_is_not_taken_does_nothing() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.sync(&[]);
        bench.next.rsp = Some(norace(1, 1));
        assert!(!bench.cycle().rsp_ready);
        bench.next.rsp = Some(Rsp { epoch: 9, ..norace(1, 1) });
        assert!(!bench.cycle().rsp_ready);
        assert_eq!((bench.cycle().done, bench.shown().err), (None, None));
    });
}

#[test]
fn lookup_while_a_signature_loads_waits() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.fill(1);
        let beats = sync(rsp_kind::FORCED, 0, 1, 256, &[0x10]);
        bench.next.lk = Some(lookup(1, 0x10 << 7));
        bench.beat(beats[0]);
        assert_eq!(bench.shown().rs, Some(HIT), "judged by the old signature");
        bench.next.lk = Some(lookup(1, 0x10 << 7));
        assert!(!bench.cycle().lk_ready);
        bench.next.lk = Some(lookup(1, 0x10 << 7));
        bench.beat(beats[1]);
        assert_eq!(bench.shown().rs, None);
        assert_eq!(bench.look(lookup(1, 0x10 << 7)), MISS_AVU, "in the first cycle of done");
    });
}

#[test]
fn signature_is_replaced_not_joined() {
    on_both(|body| {
        let mut bench = Bench::new(body, &four_chunks());
        bench.sync(&[1, 2]);
        bench.fill(1);
        bench.sync(&[2]);
        assert_eq!(bench.look(lookup(1, 1 << 9)), HIT);
        assert_eq!(bench.look(lookup(1, 2 << 9)), MISS_AVU);
    });
}
