//! Cycles that an owner may leave out.

use super::*;
use crate::common::random::Random;

fn registers(bank: &TimestampL2) -> String {
    let mut line = String::new();
    bank.write_state(&mut line).unwrap();
    line
}

#[test]
fn quiet_bank_changes_as_it_says() {
    let mut quiet_cycles = 0;
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let protocol = if r.below(2) == 0 { Protocol::Tcs } else { Protocol::Tcw };
        let config = Config { l2_div: 1 + r.below(4), ..config(protocol) };
        let mut bank = TimestampL2::new(&config).unwrap();
        // Takes no short cut.
        let mut full = bank.clone();
        let often = 2 + r.below(60);
        for _ in 0..1000 {
            assert_ne!(bank.quiet_cycles(), u64::MAX, "its clock goes on");
            let ready = In { bus_rsp_ready: true, dram_req_ready: true, ..In::default() };
            if bank.quiet_cycles() > 0 && r.below(3) == 0 {
                quiet_cycles += 5;
                bank.skip_quiet(5);
                for _ in 0..5 {
                    full.waits = false;
                    full.tick(&ready);
                }
                assert_eq!(bank.outputs(), full.outputs(), "seed {seed}");
            }
            let mut now = || r.below(often) == 0;
            let sync = now().then(|| u8::from(now()));
            let (req, rsp, writes) = (now(), now(), now());
            let line = LINES[r.below(3) as usize];
            let bus_req = req.then(|| if writes { write(line) } else { read(line) });
            let dram_rsp = rsp.then(|| DramRsp { line, ..DramRsp::default() });
            let inputs = In { bus_req, dram_rsp, sync, ..ready };
            full.waits = false;
            assert_eq!(bank.tick(&inputs), full.tick(&inputs), "seed {seed}");
            assert_eq!(registers(&bank), registers(&full), "seed {seed}");
        }
    }
    assert!(quiet_cycles > 1000, "{quiet_cycles}");
}
