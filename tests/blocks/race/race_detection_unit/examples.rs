//! Worked examples 1 to 6 of specification 10.1.

use super::*;

#[test]
fn read_of_an_empty_unit_is_answered_four_cycles_later() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 0, [read(7, 1)]);
        bench.run_to(6);
        assert_eq!(bench.beats[0], [(4, header(rsp_kind::NORACE, 7, 0))]);
        assert_eq!(bench.tokens, [(4, Token { sm: 0, addr: 0x80 })]);
        assert!(bench.out[0].idle && !bench.out[1].idle && !bench.out[4].idle && bench.out[5].idle);
    });
}

#[test]
fn read_behind_a_write_of_another_sm_races() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 0, [write(1, 1), read(2, 1)]);
        bench.send(1, 1, [read(3, 1)]);
        bench.finish();
        let own = [(4, header(rsp_kind::WACK, 1, 1)), (7, header(rsp_kind::NORACE, 2, 1))];
        assert_eq!(bench.beats[0], own);
        let race = Rsp { last: false, ..header(rsp_kind::RACE, 3, 1) };
        assert_eq!(bench.headers(1), [(5, race)]);
        let (cycle, chunk) = bench.beats[1][1];
        assert_eq!((cycle, chunk.last, chunk.chunk, chunk.id), (6, true, 0, 3));
        assert_eq!(bench.signature(1, 0), [19, 59, 69, 121, 217, 235]);
        let tokens: Vec<_> = bench.tokens.iter().map(|(cycle, token)| (*cycle, token.sm)).collect();
        assert_eq!(tokens, [(4, 0), (5, 1), (7, 0)]);
    });
}

#[test]
fn request_waits_in_c_for_the_token_register() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 0, [read(1, 1)]);
        bench.send(0, 1, [read(2, 2)]);
        bench.next.tok_ready = false;
        bench.run_to(9);
        bench.next.tok_ready = true;
        bench.run_to(12);
        assert_eq!(bench.headers(0)[0].0, 4);
        assert!((4..10).all(|cycle| bench.out[cycle].tok == Some(Token { sm: 0, addr: 0x80 })));
        assert_eq!(bench.out[10].tok, Some(Token { sm: 1, addr: 0x100 }));
        assert_eq!(bench.headers(1)[0].0, 10);
        assert_eq!(bench.counters().token_stall, 5);
    });
}

#[test]
fn sms_together_are_served_one_per_cycle() {
    on_both(|body| {
        for (config, req) in one_step() {
            let n_sm = config.n_sm;
            let expected = if n_sm == 2 { [4, 5, 7, 8, 10, 11] } else { [4, 5, 6, 7, 8, 9] };
            let mut bench = Bench::new(body, &config);
            for sm in 0..n_sm {
                bench.send(0, sm as usize, (0..10).map(|id| Req { id, addr: sm << 7, ..req }));
            }
            bench.run_to(12);
            let tokens: Vec<_> = bench.tokens.iter().map(|(cycle, _)| *cycle).collect();
            assert_eq!(tokens[..6], expected, "{n_sm} SMs");
            let turns = bench.tokens.iter().enumerate();
            assert!(
                turns.into_iter().all(|(n, (_, token))| u32::from(token.sm) == n as u32 % n_sm)
            );
        }
    });
}

#[test]
fn writes_of_one_sm_force_the_others() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 0, (0..32).map(|key| write(key as u8, key)));
        bench.finish();
        let acks: Vec<_> = (0..32u8)
            .map(|k| (4 + 3 * k as usize, header(rsp_kind::WACK, k, (k + 1) % 8)))
            .collect();
        assert_eq!(bench.beats[0], acks);
        for sm in 1..4 {
            let forced = Rsp { last: false, ..header(rsp_kind::FORCED, 0, 1) };
            assert_eq!(bench.headers(sm), [(98, forced)]);
            let (cycle, chunk) = bench.beats[sm][1];
            assert_eq!((cycle, chunk.chunk, chunk.last), (99, 0, true));
            assert_eq!(bench.signature(sm, 0), bits(256, &Vec::from_iter(0..32)));
        }
        assert_eq!(bench.counters().forced, 3);
    });
}

#[test]
fn granules_of_a_byte_take_so_many_steps() {
    on_both(|body| {
        let wide = Config { gran: 1, lanes: 4, m: 8192, n_sat: 1024, ..config() };
        let mut bench = Bench::new(body, &wide);
        bench.send(0, 0, [write(1, 3)]);
        bench.send(1, 1, [read(2, 3)]);
        bench.run_to(35);
        assert_eq!(bench.counters().inserts, 384);
        bench.finish();
        assert_eq!(bench.headers(0)[0].0, 35);
        let cycles: Vec<_> = bench.beats[1].iter().map(|(cycle, _)| *cycle).collect();
        assert_eq!(cycles[..3], [67, 68, 69]);
        assert_eq!(cycles.len(), cycles[cycles.len() - 1] - 66, "without a gap");
        assert_eq!(bench.headers(1)[0].1.kind, rsp_kind::RACE);
        let keys = Vec::from_iter(3 * 128..4 * 128);
        assert_eq!(bench.signature(1, 0), bits(8192, &keys));
        let Counters { granules_checked, check_steps, .. } = bench.counters();
        assert_eq!((granules_checked, check_steps), (128, 32));
    });
}

/// Cycle of the WACK and inserts of a write of a line, of a system of 16 SMs with eight lanes.
fn of_fifteen_sms(body: Make, config: &Config) -> (usize, u32) {
    assert_eq!((config.n_sm, config.lanes), (16, 8));
    let mut bench = Bench::new(body, config);
    bench.send(0, 0, [write(1, 3)]);
    bench.finish();
    (bench.headers(0)[0].0, bench.counters().inserts)
}

#[test]
fn write_of_a_line_is_inserted_for_fifteen_sms() {
    on_both(|body| {
        assert_eq!(of_fifteen_sms(body, &(&named("wide")).into()), (7, 480), "words");
    });
    // As RTL, bytes take minutes to compile.
    let bytes = |body| {
        let most = Config { n_sm: 16, gran: 1, lanes: 8, m: 8192, n_sat: 1024, ..config() };
        assert_eq!(of_fifteen_sms(body, &most), (19, 1920), "bytes");
    };
    match is_soak() {
        true => on_both(bytes),
        false => bytes(MODELS.unit),
    }
}
