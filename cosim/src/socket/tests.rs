use hwmodel::cpelide::command_processor::CommandProcessor;
use hwmodel::finepack::packetizer::Packetizer;
use ports::cpelide::command_processor;
use ports::finepack::packetizer;
use ports::finepack::types::FinePack;

use super::*;
use crate::settings::named;

fn small() -> FinePack {
    named("small").unwrap()
}

/// A model that only waits may be left alone, and its clock goes on.
#[test]
fn skipped_cycles_of_a_quiet_model_are_those_of_its_clock() {
    let config = command_processor::Config { private_latency: 3, clock_on: 5, clock_of: 6 };
    let mut socket = Socket::<CommandProcessor>::model(&config).unwrap();
    // Nothing is loaded: the core traps for ever, but no sixth cycle shows it.
    let idle = command_processor::In::default();
    for _ in 0..11 {
        socket.tick(&idle);
    }
    assert!(!socket.outputs().rx_ready && socket.quiet_cycles() > 0);
    socket.catch_up(12, &idle);
    assert!(socket.outputs().rx_ready);
}

/// Cycles in which a body is not ticked count, so that the numbers of its transfers are those of
/// the system's clock.
#[test]
fn skipped_cycles_count_and_move_nothing() {
    let mut socket = Socket::<Packetizer>::model(&(&small()).into()).unwrap();
    let idle = packetizer::In::default();
    socket.catch_up(10, &idle);
    socket.tick(&idle);
    socket.tick(&packetizer::In { drain: Some(Default::default()), ..idle });
    assert_eq!((socket.cycle(), socket.last_transfer()), (12, Some(11)));
    assert_eq!(socket.transfers(), [("drain", 1), ("tlp", 0)]);
}
