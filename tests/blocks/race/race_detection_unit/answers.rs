//! What each kind of request does, and the chunks of an answer (specification 5.2, 12).

use super::*;

#[test]
fn check_of_a_hit_has_no_token_but_waits_for_it() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 0, [read(1, 1)]);
        bench.send(0, 1, [check(2, 2)]);
        bench.next.tok_ready = false;
        bench.run_to(9);
        bench.next.tok_ready = true;
        bench.finish();
        assert_eq!(bench.headers(1), [(10, header(rsp_kind::NORACE, 2, 0))]);
        assert_eq!(bench.tokens.len(), 1);
        let Counters { reads, hit_checks, token_stall, header_beats, .. } = bench.counters();
        assert_eq!((reads, hit_checks, token_stall, header_beats), (1, 1, 5, 2));
    });
}

#[test]
fn check_of_a_hit_finds_a_race() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 0, [write(1, 1)]);
        bench.send(1, 1, [check(2, 1), check(3, 1)]);
        bench.finish();
        assert_eq!(bench.answers(1), [(rsp_kind::RACE, 2), (rsp_kind::NORACE, 3)]);
        assert_eq!((bench.counters().races, bench.counters().hit_checks), (1, 2));
    });
}

#[test]
fn every_write_and_atomic_is_a_synchronisation_of_its_sm_alone() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.send(0, 0, [write(1, 1)]);
        bench.send(1, 1, [atomic(2, 2), read(3, 1)]);
        bench.finish();
        assert_eq!(bench.answers(1), [(rsp_kind::WACK, 2), (rsp_kind::NORACE, 3)]);
        assert_eq!(bench.signature(1, 0), bits(256, &[1]));
        bench.send(0, 0, [read(4, 2)]);
        bench.send(0, 2, [read(5, 2), read(6, 1)]);
        bench.finish();
        assert_eq!(bench.answers(0)[1], (rsp_kind::RACE, 4));
        assert_eq!(bench.signature(0, 1), bits(256, &[2]), "never its own write");
        assert_eq!(bench.answers(2), [(rsp_kind::RACE, 5), (rsp_kind::NORACE, 6)]);
        assert_eq!(bench.signature(2, 0), bits(256, &[1, 2]));
        let Counters { reads, writes, atomics, races, inserts, .. } = bench.counters();
        assert_eq!((reads, writes, atomics, races, inserts), (4, 1, 1, 2, 6));
    });
}

#[test]
fn write_of_nothing_is_a_synchronisation_without_insert() {
    on_both(|body| {
        for config in ["small", "small-word", "small-byte", "small-half-page"] {
            let mut bench = Bench::new(body, &(&named(config)).into());
            bench.send(0, 0, [Req { mask: 0, ..write(1, 1) }]);
            bench.finish();
            assert_eq!(bench.beats[0], [(4, header(rsp_kind::WACK, 1, 1))]);
            assert_eq!(bench.tokens, [(4, Token { sm: 0, addr: 0x80 })]);
            assert_eq!(bench.counters().inserts, 0);
        }
    });
}

#[test]
fn granules_of_a_mask_are_those_with_a_byte() {
    on_both(|body| {
        // Words 0, 2 and 31 of line 1, one in a step; of its bytes four in a step.
        let words: (_, _, &[u32], _) = ("small-word", 6, &[32, 34, 63], (32, 32));
        let bytes: (_, _, &[u32], _) = ("small-byte", 5, &[131, 136, 137, 138, 252], (128, 32));
        for (config, wack, keys, checks) in [words, bytes] {
            let config: Config = (&named(config)).into();
            let mut bench = Bench::new(body, &config);
            let mask = 1 << 3 | 7 << 8 | 1 << 124;
            bench.send(0, 0, [Req { mask, ..write(1, 1) }]);
            bench.finish();
            assert_eq!(bench.headers(0)[0].0, wack);
            assert_eq!(bench.counters().inserts as usize, 3 * keys.len());
            bench.send(0, 1, [read(2, 1)]);
            bench.finish();
            assert_eq!(bench.signature(1, 0), bits(config.m, keys));
            assert_eq!((bench.counters().granules_checked, bench.counters().check_steps), checks);
        }
    });
}

#[test]
fn whole_line_is_checked_whatever_the_mask() {
    on_both(|body| {
        let mut bench = Bench::new(body, &(&named("small-word")).into());
        bench.send(0, 0, [Req { mask: 1 << 127, ..write(1, 1) }]);
        bench.send(10, 1, [Req { mask: 1, ..read(2, 1) }]);
        bench.finish();
        assert_eq!(bench.answers(1), [(rsp_kind::RACE, 2)]);
    });
}

#[test]
fn granule_of_half_a_page_has_four_lines() {
    on_both(|body| {
        let mut bench = Bench::new(body, &(&named("small-half-page")).into());
        bench.send(0, 0, [write(1, 4)]);
        bench.send(10, 1, [read(2, 8), read(3, 7)]);
        bench.finish();
        assert_eq!(bench.answers(1), [(rsp_kind::NORACE, 2), (rsp_kind::RACE, 3)]);
        assert_eq!(bench.signature(1, 1), bits(1024, &[1]));
    });
}

#[test]
fn chunks_that_are_0_are_left_out_and_a_beat_waits_until_it_is_taken() {
    on_both(|body| {
        let mut bench = Bench::new(body, &four_chunks());
        bench.send(0, 0, [write(1, half_page(1))]);
        bench.send(1, 1, [read(2, half_page(1))]);
        bench.run_to(7);
        bench.next.rsp_ready = 0;
        bench.run_to(10);
        bench.next.rsp_ready = u16::MAX;
        bench.finish();
        let beats: Vec<_> =
            bench.beats[1].iter().map(|(c, r)| (*c, r.hdr, r.chunk, r.last)).collect();
        let expected = [
            (5, true, 0, false),
            (6, false, 0, false),
            (10, false, 1, false),
            (11, false, 3, true),
        ];
        assert_eq!(beats, expected, "no bit of key 1 is in chunk 2");
        assert_eq!(bench.signature(1, 0), [83, 155, 357, 409, 793, 1003]);
        assert_eq!((bench.counters().header_beats, bench.counters().chunk_beats), (2, 3));
    });
}

#[test]
fn insert_during_a_copy_is_of_the_next_epoch() {
    on_both(|body| {
        let mut bench = Bench::new(body, &four_chunks());
        bench.send(0, 0, [write(1, half_page(1))]);
        bench.send(1, 1, [read(2, half_page(1))]);
        bench.send(2, 2, [write(3, half_page(2))]);
        // Its header shows in 5; the write of SM 2 is in C in 5, and has a bit in each of its
        // chunks.
        bench.send(10, 1, [read(4, half_page(2))]);
        bench.finish();
        assert_eq!(bench.headers(2)[0].0, 6);
        assert_eq!(bench.answers(1), [(rsp_kind::RACE, 2), (rsp_kind::RACE, 4)]);
        assert_eq!(bench.signature(1, 0), bits(1024, &[1]));
        assert_eq!(bench.signature(1, 1), bits(1024, &[2]));
    });
}

#[test]
fn epochs_wrap() {
    on_both(|body| {
        for config in ["odd", "small", "paper"] {
            let config: Config = (&named(config)).into();
            let mut bench = Bench::new(body, &config);
            bench.send(0, 0, (0..40).map(|id| write(id, 1)));
            bench.finish();
            let epochs = bench.beats[0].iter().map(|(_, rsp)| u32::from(rsp.epoch));
            assert!(epochs.zip(1..).all(|(epoch, k)| epoch == k % (1 << config.epoch_w)));
        }
    });
}
