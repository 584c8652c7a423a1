//! Cycles that an owner may leave out.

use super::*;
use crate::common::random::Random;

fn registers(bank: &TimestampL2) -> String {
    let mut line = String::new();
    bank.write_state(&mut line).unwrap();
    line
}

#[test]
fn idle_bank_changes_nothing() {
    let mut idle_cycles = 0;
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let config = Config { l2_div: 1 + r.below(4), ..config() };
        let mut bank = TimestampL2::new(&config).unwrap();
        // Takes no short cut.
        let mut full = bank.clone();
        let (mut halt, mut rst) = (false, false);
        let often = 2 + r.below(60);
        for _ in 0..1000 {
            idle_cycles += u32::from(bank.is_idle());
            let mut now = || r.below(often) == 0;
            (halt, rst) = (halt ^ now(), rst ^ now());
            let sync = now().then(|| u8::from(now()));
            let (req, rsp) = (now(), now());
            let (bus_rsp_ready, dram_req_ready) = (!now(), !now());
            let line = u64::from(r.below(4)) * 8;
            let bus_req = req.then(|| match r.below(3) {
                0 => read(line, r.below(9), r.below(50)),
                1 => write(line, r.below(9), r.below(50)),
                _ => BusReq { op: 3, ..BusReq::default() },
            });
            let dram_rsp = rsp.then(|| DramRsp { line, ..DramRsp::default() });
            let inputs = In {
                bus_req,
                bus_rsp_ready,
                dram_req_ready,
                dram_rsp,
                halt,
                rst,
                sync,
                ..In::default()
            };
            full.waits = false;
            assert_eq!(bank.tick(&inputs), full.tick(&inputs), "seed {seed}");
            assert_eq!(registers(&bank), registers(&full), "seed {seed}");
        }
    }
    assert!(idle_cycles > 1000, "{idle_cycles}");
}

#[test]
fn bank_is_idle_while_memory_has_not_answered() {
    let mut bank = TimestampL2::new(&config()).unwrap();
    let ready = In { bus_rsp_ready: true, dram_req_ready: true, ..In::default() };
    bank.tick(&In { bus_req: Some(read(X, 0, 1)), ..ready });
    for _ in 0..2 {
        assert!(!bank.is_idle());
        bank.tick(&ready);
    }
    assert!(bank.is_idle(), "memory has its request");
    bank.tick(&In { dram_rsp: Some(DramRsp::default()), ..ready });
    assert!(!bank.is_idle());
}
