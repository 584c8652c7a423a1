//! Example 8 of the specification: three stores that always wait, and conflicts that pull the start
//! epoch bit up and down. Where it may move at each selection, one waits for ever (5.1).

use hwmodel::stc::epoch_manager::Rule;

use super::*;

/// The last one's band is 3, wherever the bit lies.
const STORES: [u32; 3] = [0x000, 0x020, 0x070];

/// Start epoch bit and bands of the first selections.
fn selections(body: Make, seb_on_wrap: u32) -> Vec<(u8, u32)> {
    let (seb_max, n_cu) = (5, 4);
    let mut b = Bench::new(body, &Config { seb_max, n_cu, seb_on_wrap, ..small(Variant::Ab) });
    let mut seen = Vec::new();
    for _ in 0..60 {
        let (start, epoch) = (b.now(), b.shown().chg_info);
        b.run_to(start + 1);
        let waits = |cu: &usize| !epoch.granted(STORES[*cu], 2);
        (0..3).filter(waits).for_each(|cu| b.demand(cu, STORES[cu]));
        b.run_to(start + 4);
        let other = if epoch.seb == 4 { 0x100 } else { 0x010 };
        (0..2).filter(waits).for_each(|cu| b.conflict(cu, STORES[cu] | other));
        let Epoch { seb, gvec } = b.next_epoch();
        seen.push((seb, gvec));
        b.idle();
    }
    seen
}

/// Times that the last store's band was granted, behind the first ones.
fn turns(seen: &[(u8, u32)]) -> usize {
    seen[10..].iter().filter(|(_, gvec)| gvec >> 3 & 1 != 0).count()
}

#[test]
fn every_band_has_its_turn_while_the_start_epoch_bit_moves() {
    on_both(|body| {
        let seen = selections(body, 1);
        let first = [(4, 0b0100), (4, 0b1000), (5, 0b0001), (5, 0b0010), (5, 0b1000), (4, 0b0001)];
        assert_eq!(seen, first.repeat(10));
        assert_eq!(turns(&seen), 17);
    });
}

#[test]
fn without_hold_a_band_waits_for_ever() {
    let seen = selections(
        |config| Box::new(EpochManager::without(config, Rule::Hold).expect("legal parameters")),
        1,
    );
    println!("{:?}", &seen[..12]);
    assert_eq!(turns(&seen), 0);
}

#[test]
fn nor_has_it_its_turn_where_the_bit_may_move_at_every_selection() {
    on_both(|body| {
        let seen = selections(body, 0);
        println!("{:?}", &seen[..12]);
        assert_eq!(turns(&seen), 0);
    });
}
