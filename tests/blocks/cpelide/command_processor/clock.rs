//! The clock enable: cycles of `clk_i` in which the processor does nothing (rules 1 to 3).

use duet_tests::{Bench, parameters};
use hwmodel::Block;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::cpelide::command_processor::Config;
use ports::cpelide::types::{Aql, Command, Message, kind};

use super::assembler::*;
use super::machine::Machine;
use super::on_bodies;

/// In configuration `paper` the processor runs in 5 of 6 cycles.
const CONFIG: &str = "paper";

fn config() -> Config {
    (&parameters::<Command>(CONFIG)).into()
}

#[test]
fn readies_are_low_in_every_sixth_cycle() {
    on_bodies::<CommandProcessor>(CONFIG, |body| {
        let mut machine = Machine::held(body, &config());
        machine.run(36);
        for (cycle, out) in machine.bench.out.iter().enumerate() {
            let enabled = cycle % 6 != 5;
            assert_eq!((out.aql_ready, out.rx_ready, out.ext_ready), (enabled, enabled, false));
        }
    });
}

#[test]
fn message_is_sent_in_the_next_cycle_of_the_fabric_and_taken_in_any() {
    // The distance of sends in the processor's cycles is no multiple of 5: they meet every phase.
    let code = (0..12).fold(Code::with_bases(), |code, k| code.write(0x38, k).wait(k as usize % 3));
    on_bodies::<CommandProcessor>(CONFIG, |body| {
        let mut machine = Machine::new(body, &config(), &code.clone().exit(0), &Code::default());
        machine.run_to_exit();
        let trace = machine.trace();
        let acted: Vec<_> =
            trace.iter().filter(|(_, r)| r.mem_wmask != 0).map(|(c, _)| c - 2).collect();
        let out = machine.bench.out.iter().enumerate();
        let sent: Vec<_> =
            out.filter(|(_, out)| out.tx.is_some()).map(|(cycle, _)| cycle).collect();
        assert_eq!(sent.len(), 12);
        for (k, (acted, sent)) in acted.iter().zip(&sent).enumerate() {
            // The cycle before it is the one in which the store acted, and it is enabled.
            assert_eq!(
                (machine.time_of(sent - 1), (sent - 1) % 6 != 5),
                (*acted, true),
                "send {k}"
            );
        }
        assert!(sent.iter().any(|cycle| cycle % 6 == 5), "none in a cycle that is not enabled");
    });
}

#[test]
fn pulses_show_in_enabled_cycles_only_and_once() {
    let code =
        (0..12).fold(Code::with_bases(), |code, k| code.write(0x5C, 0x10 + k).write(0x54, k));
    on_bodies::<CommandProcessor>(CONFIG, |body| {
        let mut machine = Machine::new(body, &config(), &code.clone().exit(0), &Code::default());
        machine.run_to_exit();
        machine.run(20);
        for (cycle, out) in machine.bench.out.iter().enumerate().filter(|(cycle, _)| cycle % 6 == 5)
        {
            assert_eq!((out.err, out.sig, out.trace), (None, None, None), "cycle {cycle}");
        }
        let errors: Vec<_> =
            machine.shown(|out| out.err).into_iter().map(|(_, code)| code).collect();
        assert_eq!(errors, (0x10..0x1C).collect::<Vec<_>>());
        assert_eq!(machine.shown(|out| out.sig).len(), 12);
    });
}

#[test]
fn messages_and_packets_are_taken_in_enabled_cycles_only() {
    let code = Code::with_bases().wait(100).reads(&[0x44, 0x10]);
    on_bodies::<CommandProcessor>(CONFIG, |body| {
        let mut machine = Machine::new(body, &config(), &code.clone().exit(0), &Code::default());
        machine.inputs.rx = Some(Message { kind: kind::DONE, ..Message::default() });
        machine.inputs.aql = Some(Aql::default());
        let mut taken = (0, 0);
        for _ in 0..12 {
            let out = machine.cycle().1;
            taken = (taken.0 + u32::from(out.rx_ready), taken.1 + u32::from(out.aql_ready));
        }
        machine.inputs.rx = None;
        machine.inputs.aql = None;
        machine.run_to_exit();
        assert_eq!(taken, (10, 4));
        assert_eq!(machine.values(), [10, 0b1111]);
    });
}

#[test]
fn core_starts_at_every_phase_of_the_clock() {
    for phase in 0..6 {
        on_bodies::<CommandProcessor>(CONFIG, |body| {
            let mut machine = Machine::held(body, &config());
            machine.load(super::machine::START, &Code::default().wait(40));
            machine.run(phase);
            machine.go();
            machine.run(30);
            let shown: Vec<_> = machine.trace().into_iter().map(|(time, _)| time).collect();
            let expected: Vec<_> = (5..5 + shown.len()).collect();
            assert_eq!(shown, expected, "phase {phase}");
            assert!(shown.len() > 15);
        });
    }
}

/// A body starts over as it was built: memories are zero once, and all else in every reset.
#[test]
fn outputs_move_at_edges_only() {
    if !duet_tests::has_rtl_of::<CommandProcessor>() {
        return;
    }
    let mut rtl = duet_tests::rtl::<CommandProcessor>(CONFIG);
    let mut bench = Bench::new(duet_tests::rtl::<CommandProcessor>(CONFIG));
    let mut random = cosim::stimulus::Random::new(7);
    for _ in 0..200 {
        let message = Message { kind: random.below(16) as u8, ..Message::default() };
        let inputs = ports::cpelide::command_processor::In {
            rx: random.chance(128).then_some(message),
            aql: random.chance(64).then_some(Aql::default()),
            tx_ready: random.chance(128),
            core_hold: false,
            ..Default::default()
        };
        let before = rtl.outputs();
        assert_eq!(rtl.settle(&inputs), before);
        rtl.tick(&inputs);
        bench.cycle(&inputs);
    }
}
