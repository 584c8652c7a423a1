//! Worked examples (specification, section 10), and rules that are taken away.

use ports::sharing::sharing_l1_policy::{Config, In, err};
use ports::sharing::types::{L1Fill, Place, Sharing, Victim};

use super::{Row, Rule, SharingL1Policy};
use crate::block::{Block, Model};

fn config() -> Config {
    (&Sharing { l1_sets: 1, l1_ways: 4, ..Sharing::LEGAL }).into()
}

fn new() -> SharingL1Policy {
    SharingL1Policy::new(&config()).unwrap()
}

fn at(way: u8) -> Option<Place> {
    Some(Place { set: 0, way })
}

fn fill(block: &mut SharingL1Policy, sf: bool) -> Victim {
    block.tick(&In { fill: Some(L1Fill { sf, set: 0 }), ..In::default() });
    block.outputs().vic.unwrap()
}

/// Example 5's set: in ways 0 to 3 D, C, B, A, least recently used first; B and D private.
fn of_figure_2_10(mut block: SharingL1Policy) -> SharingL1Policy {
    for (way, sf) in [false, true, false, true].into_iter().enumerate() {
        let victim = fill(&mut block, sf);
        assert_eq!((victim.way, victim.evict_valid), (way as u8, false));
    }
    block
}

#[test]
fn private_line_is_spared_once_and_dead_then() {
    let mut block = of_figure_2_10(new());
    // N: D is spared, C goes.
    let n = fill(&mut block, false);
    assert_eq!(block.row(), Some(Row::R4));
    assert_eq!((n.way, n.evict_valid, n.evict_private, n.dead), (1, true, false, false));
    // E: D is dead.
    let e = fill(&mut block, false);
    assert_eq!(block.row(), Some(Row::R3));
    assert_eq!((e.way, e.evict_private, e.dead), (0, true, true));
    assert_eq!(block.outputs().cnt.evict_dead, 1);
}

#[test]
fn line_that_is_used_is_not_dead() {
    let after = |block: SharingL1Policy| {
        let mut block = of_figure_2_10(block);
        fill(&mut block, false);
        // D is hit before E comes: B is spared, A goes.
        block.tick(&In { touch: at(0), ..In::default() });
        fill(&mut block, false)
    };
    let e = after(new());
    assert_eq!((e.way, e.evict_private, e.dead), (3, false, false));
    // Taken away, D would be found dead once it is the oldest again.
    let mut block = of_figure_2_10(SharingL1Policy::without(&config(), Rule::TouchClears).unwrap());
    fill(&mut block, false);
    block.tick(&In { touch: at(0), ..In::default() });
    assert_eq!(block.sets[0].dead, 1);
}

#[test]
fn shared_line_is_not_kept_where_all_are_private() {
    let all_private = |mut block: SharingL1Policy| {
        for _ in 0..4 {
            fill(&mut block, false);
        }
        block
    };
    let mut block = all_private(new());
    assert_eq!(fill(&mut block, true), Victim::default());
    assert_eq!(block.outputs().cnt.bypass_shared, 1);
    let private = fill(&mut block, false);
    assert_eq!((block.row(), private.way, private.evict_private), (Some(Row::R5), 0, true));
    let mut block = all_private(SharingL1Policy::without(&config(), Rule::KeepPrivate).unwrap());
    let victim = fill(&mut block, true);
    assert!(victim.install && victim.evict_private && !victim.dead);
}

/// Example 9, and the order of events of a cycle.
#[test]
fn events_of_a_cycle_take_effect_in_their_order() {
    let all_shared = || {
        let mut block = new();
        for _ in 0..4 {
            fill(&mut block, true);
        }
        block
    };
    let fill = Some(L1Fill { sf: true, set: 0 });
    // The touch counts first: way 1 is the oldest.
    let mut block = all_shared();
    block.tick(&In { touch: at(0), fill, ..In::default() });
    assert_eq!(block.outputs().vic.unwrap().way, 1);
    // Two fills one after the other: the second sees the first.
    let mut block = all_shared();
    for way in 0..2 {
        block.tick(&In { fill, ..In::default() });
        assert_eq!(block.outputs().vic.unwrap().way, way);
    }
    // What is gone cannot be touched, and its way is free.
    let mut block = all_shared();
    block.tick(&In { inv: at(2), touch: at(2), fill, ..In::default() });
    let out = block.outputs();
    assert_eq!((out.err, out.vic.unwrap().way), (Some(err::WAY), 2));
    assert!(!out.vic.unwrap().evict_valid);
    let mut block = all_shared();
    block.tick(&In { flush: true, touch: at(3), fill, ..In::default() });
    let out = block.outputs();
    assert_eq!((out.err, out.vic.unwrap().way, out.cnt.touches), (Some(err::WAY), 0, 0));
}

#[test]
fn without_the_policy_the_oldest_goes() {
    let off = Sharing { l1_sets: 1, l1_ways: 4, l1_mgt: 0, ..Sharing::LEGAL };
    let mut block = of_figure_2_10(SharingL1Policy::new(&(&off).into()).unwrap());
    let victim = fill(&mut block, true);
    assert_eq!((victim.way, victim.evict_private, victim.dead), (0, true, false));
    let alive = Sharing { l1_sets: 1, l1_ways: 4, dead: 0, ..Sharing::LEGAL };
    let mut block = of_figure_2_10(SharingL1Policy::new(&(&alive).into()).unwrap());
    // D is spared as long as another one is shared.
    assert_eq!([1, 3].map(|_| fill(&mut block, false).way), [1, 3]);
    assert_eq!(fill(&mut block, false).way, 0);
}
