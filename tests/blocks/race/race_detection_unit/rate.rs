//! How fast the unit is (specification 5.2).

use duet_tests::configs;
use ports::race::types::RaceDetection;

use super::*;

/// Steps of a check of a line.
fn steps(config: &Config) -> usize {
    128u32.div_ceil(config.gran).div_ceil(config.lanes) as usize
}

#[test]
fn idle_unit_answers_after_the_steps_and_three_cycles() {
    on_both(|body| {
        for name in configs::<RaceDetection>() {
            let config: Config = (&named(&name)).into();
            for sm in 0..config.n_sm as usize {
                // Of the line, or of one byte.
                for (req, steps) in [
                    (read(1, 5), steps(&config)),
                    (check(2, 5), steps(&config)),
                    (Req { mask: 1 << 77, ..write(3, 5) }, 1),
                    (Req { mask: 1 << 77, ..atomic(4, 5) }, 1),
                ] {
                    let mut bench = Bench::new(body, &config);
                    bench.send(0, sm, [req]);
                    bench.finish();
                    assert_eq!(bench.headers(sm)[0].0, 3 + steps, "{name}, SM {sm}, {req:?}");
                    let tokens = bench.tokens.iter().map(|(cycle, _)| *cycle);
                    let expected = (req.kind != req_kind::HITCHK).then_some(3 + steps);
                    assert!(tokens.eq(expected), "{name}, SM {sm}, {req:?}");
                }
            }
        }
    });
}

#[test]
fn all_sms_together_are_served_in_each_cycle_and_two_in_two_of_three() {
    on_both(|body| {
        for (config, req) in one_step() {
            let mut bench = Bench::new(body, &config);
            for sm in 0..config.n_sm as usize {
                bench.send(0, sm, (0..1200).map(|n| Req { id: n as u8, addr: n << 7, ..req }));
            }
            bench.run_to(1000);
            let tokens: Vec<_> = bench.tokens.iter().map(|(cycle, _)| *cycle).collect();
            let every = 4..1000;
            let expected: Vec<_> = match config.n_sm {
                2 => every.filter(|cycle| cycle % 3 != 0).collect(),
                _ => every.collect(),
            };
            assert_eq!(tokens, expected, "{} SMs", config.n_sm);
        }
    });
}

#[test]
fn one_sm_is_served_every_third_cycle() {
    on_both(|body| {
        for kind in [req_kind::RDCHK, req_kind::HITCHK, req_kind::WRITE, req_kind::ATOM] {
            let mut bench = Bench::new(body, &config());
            // The line is always the same: the fewest new bits.
            bench.send(0, 2, (0..100).map(|id| request(kind, id, 9)));
            bench.finish();
            let cycles: Vec<_> = bench.headers(2).iter().map(|(cycle, _)| *cycle).collect();
            assert_eq!(cycles, (0..100).map(|k| 4 + 3 * k).collect::<Vec<_>>());
        }
    });
}

/// A signature of which each chunk has a bit comes in as many cycles, and the next request of the
/// SM is picked so much later.
#[test]
fn chunks_come_without_a_gap() {
    on_both(|body| {
        for (name, m) in [("paper", 8192), ("wide", 16384)] {
            let config: Config = (&named(name)).into();
            let chunks = m / 256;
            let mut bench = Bench::new(body, &config);
            bench.send(0, 0, (0..200).map(|key| Req { mask: 1, ..write(key as u8, key) }));
            bench.finish();
            let t = bench.out.len();
            bench.send(t, 1, [read(1, 0), read(2, 201)]);
            bench.finish();
            let steps = steps(&config);
            let first = t + 3 + steps;
            let beats: Vec<_> =
                bench.beats[1].iter().map(|(cycle, rsp)| (*cycle, rsp.hdr, rsp.chunk)).collect();
            let mut expected = vec![(first, true, 0)];
            expected.extend((0..chunks).map(|k| (first + 1 + k, false, k as u8)));
            // Picked 2 + n + chunks after the last.
            expected.push((first + 2 + steps + chunks, true, 0));
            assert_eq!(beats, expected, "{name}");
        }
    });
}
