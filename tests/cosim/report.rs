//! The text that a person reads when model and RTL differ, as it stands, for one flipped bit.

use std::path::PathBuf;

use cosim::Lockstep;
use cosim::flip::Flip;
use cosim::report::RunName;
use duet_tests::{counting, has_rtl, model, ones, parameters, rtl};
use hwmodel::Block;
use hwmodel::finepack::packetizer::Packetizer;
use ports::finepack::packetizer::{Config, In};
use ports::finepack::types::FinePack;
use ports::finepack::types::{Drain, drain_kind};

/// One packet of two entries: (0, 4) and (4, 2) of two lines, 3 + 4 + 3 + 2 bytes of payload.
fn packet() -> [Drain; 2] {
    let entry = |line, mask| Drain {
        kind: drain_kind::PACK,
        dest: 1,
        id: 0x2a,
        base: 1 << 14,
        plen: 12,
        line,
        mask,
        data: counting(mask, 1),
        ..Drain::default()
    };
    let (first, second) = (entry(1 << 10, ones(0, 4)), entry((1 << 10) + 1, ones(4, 2)));
    [Drain { sop: true, ..first }, Drain { eop: true, ..second }]
}

const REPORT: &str = "\
MISMATCH packetizer.tlp_o.data at cycle 4 (config small, seed 7)
  model  0x0000_0000_0605_0050   rtl  0x0000_0000_0605_1070   differs in bits 5, 12
  also   tlp_o.eop  model 1  rtl 0
  in     tlp_ready_i=1 self_id_i=0x2
  state  model after the edge: registers
  past   drain_i
         0  PACK first for GPU 1, id 42, line 0x400, bytes 0-3, window 0x4000, 12 B of payload in
           all
         1  PACK last for GPU 1, id 42, line 0x401, bytes 4-5, window 0x4000, 12 B of payload in all
           data=0x0000_0000_0000_0000_0000_0605_0000_0000 mask=0x0030 line=0x000_0000_0000_0401
             plen=0x000c base=0x0000_0000_0000_4000 id=0x2a dest=0x1 eop=1
         tlp_o
         3  8 B first for GPU 1: FinePack, 3 DW, requester 0x0020, tag 42, BE 0000/1111, 0x4000;
           sub-packets 4 B at +0x0
           data=0x0204_0302_0100_0004 nbytes=0x08 hdr=0x0040_0000_0000_0000_f02a_2000_0380_006f
             dest=0x1 sop=1
  waves  out/packetizer-small-7.vcd
  rerun  duet cosim packetizer --config small --seed 7
";

#[test]
fn report_shows_place_values_bits_inputs_past_waves_and_rerun() {
    if !has_rtl() {
        return;
    }
    let config = Config::from(&parameters::<FinePack>("small"));
    let run = RunName { config: "small".into(), seed: 7 };
    let bodies = (model::<Packetizer>("small"), rtl::<Packetizer>("small"));
    let mut pair = Lockstep::new(run, &config, bodies.0, bodies.1, 0);
    let mut left = packet().to_vec();
    left.reverse();
    for cycle in 0..10 {
        let inputs = In { drain: left.last().copied(), tlp_ready: true, self_id: 2 };
        if pair.outputs().drain_ready {
            left.pop();
        }
        if cycle == 4 {
            // Two bits of `data`, the lowest field, and `eop`, the highest but one.
            for bit in [5, 12, 64 + 8 + 128 + 4] {
                let field = "tlp".to_string();
                assert!(Flip { field, bit, cycle }.apply(&mut pair));
            }
        }
        pair.tick(&inputs);
    }
    let mut found = pair.mismatch().expect("a flipped bit").clone();
    assert_ne!(found.model_state, "");
    // The state is the model's own words; they may change.
    found.model_state = "registers".into();
    found.waves = Some(PathBuf::from("out/packetizer-small-7.vcd"));
    found.rerun = Some("duet cosim packetizer --config small --seed 7".into());
    assert_eq!(found.to_string(), REPORT, "\n{found}");
}
