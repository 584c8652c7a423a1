//! Cycles that an owner may skip.

use ports::timestamp::types::{BusReq, DramRsp, bus_op};

use super::*;
use crate::common::random::Random;

/// Three lines of set 0.
const LINES: [u64; 3] = [0, 8, 16];

fn registers(bank: &TimestampL2) -> String {
    let mut line = String::new();
    bank.write_state(&mut line).unwrap();
    line
}

/// Runs a bank of a protocol in random traffic. Compares quiet cycles that are skipped with ticks,
/// and each tick with one of a bank that never waits. Returns how often the bank was quiet.
fn run(protocols: &[Protocol]) -> u32 {
    let mut quiet = 0;
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let protocol = protocols[r.below(protocols.len() as u32) as usize];
        let is_gtsc = protocol == Protocol::Gtsc;
        let config = Config { l2_div: 1 + r.below(4), ..(&small(protocol)).into() };
        let mut bank = TimestampL2::new(&config).unwrap();
        let mut full = bank.clone();
        let (mut halt, mut rst) = (false, false);
        let often = 2 + r.below(60);
        for _ in 0..1000 {
            let cycles = bank.quiet_cycles();
            assert_eq!(bank.is_idle(), cycles == u64::MAX);
            assert!(is_gtsc || cycles < u64::MAX, "the clock counts");
            quiet += u32::from(cycles > 0);
            if cycles > 0 && r.below(3) == 0 {
                bank.skip_quiet(5);
                for _ in 0..5 {
                    full.waits = false;
                    full.tick(&In { halt, rst, ..In::default() });
                }
                assert_eq!(bank.outputs(), full.outputs(), "seed {seed}");
            }
            let mut now = || r.below(often) == 0;
            (halt, rst) = (halt ^ now() && is_gtsc, rst ^ now() && is_gtsc);
            let sync = now().then(|| u8::from(now()));
            let (request, fill) = (now(), now());
            let (bus_rsp_ready, dram_req_ready) = (!now(), !now());
            let line = LINES[r.below(3) as usize];
            let op = [bus_op::RD, bus_op::WR, 3][r.below(3) as usize];
            let (wts, warp_ts) = (r.below(9), r.below(50));
            let req = BusReq { op, line, wts, warp_ts, mask: 0xf, ..BusReq::default() };
            let inputs = In {
                bus_req: request.then_some(req),
                bus_rsp_ready,
                dram_req_ready,
                dram_rsp: fill.then(|| DramRsp { line, ..DramRsp::default() }),
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
    quiet
}

#[test]
fn quiet_bank_changes_as_it_says() {
    for protocols in [&[Protocol::Gtsc][..], &[Protocol::Tcs, Protocol::Tcw]] {
        let quiet = run(protocols);
        assert!(quiet > 1000, "{quiet}");
    }
}

#[test]
fn bank_is_idle_while_memory_has_not_answered() {
    let mut bank = TimestampL2::new(&(&small(Protocol::Gtsc)).into()).unwrap();
    let ready = In { bus_rsp_ready: true, dram_req_ready: true, ..In::default() };
    bank.tick(&In { bus_req: Some(BusReq::default()), ..ready });
    for _ in 0..2 {
        assert!(!bank.is_idle());
        bank.tick(&ready);
    }
    assert!(bank.is_idle(), "memory has its request");
    bank.tick(&In { dram_rsp: Some(DramRsp::default()), ..ready });
    assert!(!bank.is_idle());
}
