//! What no port shows. The rules are tested in `tests/blocks/finepack/packetizer`, on the RTL too.

use ports::finepack::types::Drain;

use super::*;

const SMALL: Config = Config { line: 16, sub_header_bytes: 3, offset_width: 14, beat: 8, ecrc: 1 };

#[test]
fn idle_means_that_a_tick_without_inputs_changes_nothing() {
    let mut block = Packetizer::new(&SMALL).unwrap();
    assert!(block.is_idle());
    let drain = Drain { sop: true, eop: true, plen: 5, mask: 0b11, ..Drain::default() };
    block.tick(&In { drain: Some(drain), tlp_ready: true, self_id: 0 });
    assert!(!block.is_idle());
    let state = |block: &Packetizer| {
        let mut line = String::new();
        block.write_state(&mut line).unwrap();
        line
    };
    for _ in 0..4 {
        let (idle, before) = (block.is_idle(), state(&block));
        block.tick(&In { tlp_ready: true, ..In::default() });
        assert!(!idle || state(&block) == before);
    }
    assert!(block.is_idle());
}

/// The others are tested with the remote write queue.
#[test]
fn illegal_parameters_are_refused_by_name() {
    let name = |config: Config| Packetizer::new(&config).unwrap_err().name;
    assert_eq!(name(Config { beat: 4, ..SMALL }), "beat");
    assert_eq!(name(Config { ecrc: 2, ..SMALL }), "ecrc");
}
