//! Example 8 of the specification: a manager, three stores that always wait, and conflicts that
//! pull the start epoch bit up and down. Where it may move at each selection, one waits for ever
//! (5.1).

use hwmodel::Block;
use hwmodel::epoch_manager::Rule;
use ports::common::stc_types::{Req, Stc, Variant, kind};
use ports::epoch_manager::In;

use super::setup::{MODELS, small};
use super::weakness::Weakness;

/// Always waits; its band is 3, wherever the bit lies.
const LAST: u32 = 0x070;
const STORES: [u32; 3] = [0x000, 0x020, LAST];

/// Start epoch bit and bands of the first selections.
fn selections(seb_on_wrap: u32, weakness: Option<Weakness>) -> Vec<(u8, u32)> {
    let stc = Stc { n_cu: 4, seb_max: 5, seb_on_wrap, ..small(Variant::Ab) };
    let mut manager = (MODELS.manager)(&stc, weakness);
    let (mut idle, mut seen, mut levels) = (0, Vec::new(), (false, false));
    while seen.len() < 60 {
        let out = manager.outputs();
        let mut inputs = In::default();
        let all = |level| if level { 0b1111 } else { 0 };
        (inputs.ready, inputs.done) = (all(levels.0), all(levels.1));
        idle = if out.prep || levels.0 { 0 } else { idle + 1 };
        let waits = |addr: &u32| !out.chg_info.granted(*addr, stc.band_bits);
        let mut send = |c: usize, kind, addr| {
            inputs.req_valid |= 1 << c;
            inputs.req[c] = Req { kind, addr };
        };
        for (c, addr) in STORES.into_iter().enumerate().filter(|(_, addr)| waits(addr)) {
            let read = addr | if out.chg_info.seb == 4 { 0x100 } else { 0x010 };
            match idle {
                2 => send(c, kind::DEMAND, addr),
                5 if c < 2 => send(c, kind::CONFLICT, read),
                _ => {}
            }
        }
        if out.chg && !levels.1 {
            seen.push((out.chg_info.seb, out.chg_info.gvec));
        }
        levels = (out.prep, out.chg);
        manager.tick(&inputs);
    }
    seen
}

/// Times that the last store's band was granted, behind the first ones.
fn turns(seen: &[(u8, u32)]) -> usize {
    seen[10..].iter().filter(|(_, gvec)| gvec >> 3 & 1 != 0).count()
}

#[test]
fn every_band_has_its_turn_while_the_start_epoch_bit_moves() {
    let seen = selections(1, None);
    let rotation = [(4, 0b0100), (4, 0b1000), (5, 0b0001), (5, 0b0010), (5, 0b1000), (4, 0b0001)];
    for (n, selection) in seen.iter().enumerate() {
        assert_eq!(*selection, rotation[n % 6], "selection {n}");
    }
    assert_eq!(turns(&seen), 17);
}

#[test]
fn without_hold_a_band_waits_for_ever() {
    let seen = selections(1, Some(Weakness::Manager(Rule::Hold)));
    println!("{:?}", &seen[..12]);
    assert_eq!(turns(&seen), 0);
}

#[test]
fn nor_has_it_its_turn_where_the_bit_may_move_at_every_selection() {
    let seen = selections(0, None);
    println!("{:?}", &seen[..12]);
    assert_eq!(turns(&seen), 0);
}
