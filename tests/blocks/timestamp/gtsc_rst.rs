//! The reset of timestamps: specification 5.5, 12, by itself, and with two banks.

use duet_tests::{Make, has_rtl_of, rtl_with};
use hwmodel::Model;
use hwmodel::timestamp::gtsc_rst::{GtscRst, Rule};
use hwmodel::timestamp::timestamp_l2::TimestampL2;
use ports::timestamp::gtsc_rst::{Config, In, Out, err};
use ports::timestamp::timestamp_l2::In as BankIn;
use ports::timestamp::types::MAX_SMS;

use super::named;
use super::timestamp_l2::read;
use crate::bench::{self, Around};

implementations!(GtscRst, Rule);

fn on_both(check: impl Fn(Make<GtscRst>)) {
    with_implementations(check);
}

#[test]
fn each_disabled_rule_is_detected() {
    super::are_detected(&DISABLED, Rule::ALL, &[(Rule::AllAcks, each_state_waits_for_all)]);
}

fn config() -> Config {
    (&named("small")).into()
}

fn acks(each: [u8; 2]) -> [u8; MAX_SMS] {
    let mut rep_ack = [0; MAX_SMS];
    rep_ack[..2].copy_from_slice(&each);
    rep_ack
}

/// Nothing: each test sets its inputs.
struct Alone;

impl Around<GtscRst> for Alone {
    fn after(&mut self, _: usize, _: &mut In, _: &Out, _: &Out) {}
}

type Bench = bench::Bench<GtscRst, Alone>;

/// `halt`, `rst` and the generation that are shown.
fn shown(bench: &Bench) -> (bool, bool, u8) {
    let Out { halt, rst, rep, .. } = bench.shown();
    (halt, rst, rep)
}

#[test]
fn each_state_waits_for_all() {
    on_both(|body| {
        let mut bench = Bench::around(body(&config()), In::default(), Alone);
        bench.next.ovf = 2;
        bench.cycle();
        assert_eq!(shown(&bench), (true, false, 0));
        bench.next = In { halted: 1, rst_done: 3, ..In::default() };
        bench.run(5);
        assert_eq!(shown(&bench), (true, false, 0), "one bank moves");
        bench.next.halted = 3;
        bench.next.rst_done = 2;
        bench.run(5);
        assert_eq!(shown(&bench), (true, true, 0), "one bank sweeps");
        bench.next.rst_done = 3;
        bench.cycle();
        assert_eq!(shown(&bench), (true, false, 1));
        bench.next.rep_ack = acks([1, 0]);
        bench.run(5);
        assert_eq!(shown(&bench), (true, false, 1), "one L1 has not flushed");
        bench.next.rep_ack = acks([1, 1]);
        bench.cycle();
        assert_eq!(shown(&bench), (false, false, 1));
        assert!(!bench.shown().kend_done, "no kernel has ended");
        let counters = bench.shown().counters;
        assert_eq!((counters.resets, counters.halt_cycles), (1, 5 + 5 + 1 + 5 + 1));
    });
}

#[test]
fn a_kernels_end_is_told_when_all_is_done() {
    on_both(|body| {
        for ovf in [0, 1] {
            let mut bench = Bench::around(body(&config()), In::default(), Alone);
            assert!(bench.shown().kend_ready);
            bench.next = In { ovf, kend_valid: true, halted: 3, rst_done: 3, ..In::default() };
            bench.cycle();
            assert!(!bench.shown().kend_ready);
            bench.next.ovf = 0;
            bench.next.kend_valid = false;
            bench.next.rep_ack = acks([1, 1]);
            // Halt, Sweep, Flush.
            bench.run(3);
            assert!(bench.shown().kend_done && bench.shown().kend_ready);
            bench.cycle();
            assert!(!bench.shown().kend_done, "a pulse");
            assert_eq!(bench.shown().counters.resets, 1, "one reset for both");
        }
    });
}

/// The generation has two bits: 0 follows 3, which then is the one before and no error.
#[test]
fn generations_are_counted_modulo_4() {
    on_both(|body| {
        let mut bench = Bench::around(body(&config()), In::default(), Alone);
        for (before, next) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 1)] {
            bench.next = In { ovf: 1, rep_ack: acks([before; 2]), ..In::default() };
            bench.cycle();
            bench.next = In { halted: 3, rst_done: 3, ..bench.next };
            bench.next.ovf = 0;
            // Halt, Sweep; in Flush it waits for the L1s.
            bench.run(5);
            assert_eq!(shown(&bench), (true, false, next));
            bench.next.rep_ack = acks([next, before]);
            bench.run(2);
            assert_eq!((shown(&bench), bench.shown().err), ((true, false, next), None));
            bench.next.rep_ack = acks([next; 2]);
            bench.cycle();
            assert_eq!((shown(&bench), bench.shown().err), ((false, false, next), None));
        }
        assert_eq!(bench.shown().counters.resets, 5);
    });
}

#[test]
fn a_reset_for_an_overflow_alone_reports_no_kernel_end() {
    on_both(|body| {
        let mut bench = Bench::around(body(&config()), In::default(), Alone);
        let mut reset = |kend_valid, rep| {
            bench.next = In { ovf: 1, kend_valid, halted: 3, rst_done: 3, ..In::default() };
            bench.cycle();
            (bench.next.ovf, bench.next.kend_valid) = (0, false);
            bench.next.rep_ack = acks([rep, rep]);
            // Halt, Sweep, Flush.
            bench.run(3);
            assert!(bench.shown().kend_ready);
            bench.shown().kend_done
        };
        let reported = [reset(true, 1), reset(false, 2), reset(true, 3), reset(false, 0)];
        assert_eq!(reported, [true, false, true, false]);
    });
}

#[test]
fn a_generation_that_cannot_be() {
    on_both(|body| {
        let mut bench = Bench::around(body(&config()), In::default(), Alone);
        for (ack, code) in [(3, None), (2, Some(err::GENERATION)), (1, Some(err::GENERATION))] {
            bench.next.rep_ack = acks([0, ack]);
            bench.cycle();
            bench.next.rep_ack = acks([0, 0]);
            assert_eq!(bench.shown().err, code, "{ack}");
            bench.cycle();
            assert_eq!(bench.shown().err, None);
        }
        // There are two SMs.
        bench.next.rep_ack[2] = 2;
        bench.cycle();
        assert_eq!(bench.shown().err, None);
    });
}

/// Example 10 (specification 10): two banks of four sets, an overflow that shows in cycle 10, and
/// L1s that flush in the cycle in which they see the generation.
#[test]
fn example_10_a_reset_cycle_by_cycle() {
    let all = named("small");
    let check = |reset: &dyn Fn() -> duet_tests::Body<GtscRst>,
                 bank: &dyn Fn() -> duet_tests::Body<TimestampL2>| {
        let (mut reset, mut banks) = (reset(), [bank(), bank()]);
        let mut rep_ack = 0;
        let mut cycles = Vec::new();
        let mut answered = None;
        for cycle in 0..40 {
            let (of_reset, of_banks) = (reset.outputs(), banks.each_ref().map(|b| b.outputs()));
            let bits = |of: fn(&ports::timestamp::timestamp_l2::Out) -> bool| {
                u16::from(of(&of_banks[0])) | u16::from(of(&of_banks[1])) << 1
            };
            let input = In {
                ovf: bits(|out| out.ovf),
                halted: bits(|out| out.halted),
                rst_done: bits(|out| out.rst_done),
                rep_ack: acks([rep_ack; 2]),
                kend_valid: false,
            };
            cycles.push((input, of_reset, rep_ack));
            if of_banks[0].bus_rsp.is_some() {
                answered = answered.or(Some(cycle));
            }
            reset.tick(&input);
            for (n, bank) in banks.iter_mut().enumerate() {
                // Bank 0 asks memory, which answers; what it lends does not fit: its action is in
                // cycle 9.
                let bus_req = (n == 0 && cycle == 2).then(|| read(0, 0, 60));
                let line = ports::timestamp::types::DramRsp::default();
                let dram_rsp = (n == 0 && cycle == 7).then_some(line);
                bank.tick(&BankIn {
                    bus_req,
                    dram_rsp,
                    bus_rsp_ready: true,
                    dram_req_ready: true,
                    halt: of_reset.halt,
                    rst: of_reset.rst,
                    ..BankIn::default()
                });
            }
            rep_ack = of_reset.rep;
        }
        type Cycle = (In, Out, u8);
        let when = |of: &dyn Fn(&Cycle) -> bool| -> Vec<usize> {
            (0..40).filter(|&cycle| of(&cycles[cycle])).collect()
        };
        let range = |from: usize, to: usize| (from..=to).collect::<Vec<_>>();
        assert_eq!(when(&|c| c.0.ovf != 0), range(10, 13));
        assert_eq!(when(&|c| c.1.halt), range(11, 19));
        assert_eq!(when(&|c| c.0.halted == 3), range(12, 20));
        assert_eq!(when(&|c| c.1.rst), range(13, 17));
        assert_eq!(when(&|c| c.0.rst_done == 3), range(17, 18));
        assert_eq!(when(&|c| c.1.rep == 1), range(18, 39));
        assert_eq!(when(&|c| c.2 == 1), range(19, 39));
        // Banks act from 20 on, which shows three cycles later.
        assert_eq!(answered, Some(20 + 3));
    };
    println!("on models");
    check(&|| Box::new(GtscRst::new(&(&all).into()).expect("legal parameters")), &|| {
        Box::new(TimestampL2::new(&(&all).into()).expect("legal parameters"))
    });
    if has_rtl_of::<GtscRst>() && has_rtl_of::<TimestampL2>() {
        println!("on the RTL");
        check(&|| Box::new(rtl_with::<GtscRst>(&(&all).into())), &|| {
            Box::new(rtl_with::<TimestampL2>(&(&all).into()))
        });
    }
}
