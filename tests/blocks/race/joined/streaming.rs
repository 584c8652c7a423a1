//! A signature of all chunks on its way to an SM.

use super::rsp_kind::*;
use super::*;

/// Writes of SM 0 to lines of which each has other keys.
fn writes(s: &mut System, lines: u32) {
    for line in 0..lines {
        s.ask(0, req_kind::WRITE, line);
    }
}

#[test]
fn unit_sends_and_validation_unit_takes_a_chunk_in_each_cycle() {
    on_both(|bodies| {
        let config = named("paper");
        let chunks = config.m as usize / 256;
        let mut s = System::new(bodies, &config);
        writes(&mut s, 200);
        let t = s.now();
        s.request(1, req_kind::RDCHK, 7);
        assert_eq!(s.done(1), Done { kind: RACE, id: 1, epoch: 1, sync: true });
        // Header in t+4; done in the cycle behind the last chunk.
        assert_eq!(s.now(), t + 4 + chunks + 1);
        s.assert_signature(1, &Vec::from_iter(0..200));
        s.cycle();
        let loading = s.sms[1].out[t..].iter().filter(|(avu, _)| !avu.lk_ready).count();
        assert_eq!(loading, chunks);
        assert_eq!(s.unit.outputs().counters.chunk_beats as usize, chunks);
    });
}

#[test]
fn all_sms_take_a_forced_signature_at_once() {
    on_both(|bodies| {
        let config = named("small");
        let mut s = System::new(bodies, &config);
        writes(&mut s, config.n_sat);
        s.run(10);
        assert!(s.out[s.now() - 1].idle);
        let done = Done { kind: FORCED, id: 0, epoch: 1, sync: true };
        let cycles: Vec<_> = (1..4)
            .map(|sm| {
                s.assert_signature(sm, &Vec::from_iter(0..config.n_sat));
                let cycle = s.sms[sm].out.iter().position(|(avu, _)| avu.done == Some(done));
                assert_eq!(s.epoch(sm), 1);
                cycle.expect("it is forced")
            })
            .collect();
        assert!(cycles.iter().all(|cycle| *cycle == cycles[0]), "{cycles:?}");
        assert_eq!(s.epoch(0), 0, "32 epochs of 8");
        assert_eq!(s.unit.outputs().counters.forced, 3);
    });
}

#[test]
fn epochs_of_unit_and_validation_units_agree_when_nothing_is_under_way() {
    on_both(|bodies| {
        for name in ["small", "odd"] {
            let config = named(name);
            let mut s = System::new(bodies, &config);
            let mut epochs = vec![0; config.n_sm as usize];
            for n in 0..40 {
                let sm = n % config.n_sm as usize;
                let kind =
                    [req_kind::RDCHK, req_kind::WRITE, req_kind::HITCHK, req_kind::ATOM][n / 3 % 4];
                s.ask(sm, kind, (n % 7) as u32);
                s.run(40);
                assert!(s.out[s.now() - 1].idle);
                for (sm, epoch) in epochs.iter_mut().enumerate() {
                    let syncs = s.avu(sm).counters.syncs;
                    *epoch = (syncs % (1 << config.epoch_w)) as u8;
                    assert_eq!(s.epoch(sm), *epoch, "{name}, SM {sm}");
                }
            }
            // The epoch of the unit is that of its next answer.
            for (sm, epoch) in epochs.into_iter().enumerate() {
                let done = s.ask(sm, req_kind::HITCHK, 100);
                assert_eq!((done.kind, done.epoch), (NORACE, epoch), "{name}, SM {sm}");
            }
        }
    });
}
