//! Counters, and the size of the ring (specification 9).

use super::*;

#[test]
fn most_occupied_slots_are_those_of_a_cycle_before() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(1);
        bench.loads(&[(0, 1), (0, 2), (0, 3)]);
        bench.answer(rsp_kind::NORACE);
        bench.run_to(12);
        let most: Vec<_> = bench.out.iter().map(|out| out.counters.occ_max).collect();
        assert_eq!(most[..8], [0, 0, 0, 1, 2, 3, 3, 3]);
        assert_eq!(most[11], 3, "it holds");
    });
}

#[test]
fn ring_of_any_size_wraps() {
    on_both(|body| {
        for config in ["least", "odd", "small", "small-half-page", "paper", "wide"] {
            let config: Config = (&named(config)).into();
            let slq_n = config.slq_n;
            let mut bench = Bench::new(body, &config);
            let mut tag = 0;
            for _ in 0..(600 / slq_n).max(3) {
                bench.requests(1);
                for _ in 0..slq_n {
                    bench.loads(&[(tag as u8 % 64, tag)]);
                    tag += 1;
                }
                let s = bench.answer(rsp_kind::NORACE);
                bench.run_to(s + 2 + slq_n as usize);
                assert!(bench.shown().empty && bench.shown().spec == 0);
            }
            let tags: Vec<_> = bench.commits().iter().map(|(_, tag)| *tag).collect();
            assert_eq!(tags, Vec::from_iter(0..tag));
        }
    });
}
