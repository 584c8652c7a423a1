//! Policies with a rule disabled. What the block does is tested on model and RTL
//! (`tests/blocks/sharing`).

use ports::sharing::sharing_l1_policy::{Config, In};
use ports::sharing::types::{L1Fill, Place, Sharing, Victim};

use super::{Rule, SharingL1Policy};
use crate::block::Block;

/// A set of four ways, filled in the order of the ways.
fn filled(rule: Rule, kinds: [bool; 4]) -> SharingL1Policy {
    let config: Config = (&Sharing { l1_sets: 1, l1_ways: 4, ..Sharing::LEGAL }).into();
    let mut block = SharingL1Policy::without(&config, rule).unwrap();
    kinds.into_iter().for_each(|sf| _ = fill(&mut block, sf));
    block
}

fn fill(block: &mut SharingL1Policy, sf: bool) -> Victim {
    block.tick(&In { fill: Some(L1Fill { sf, set: 0 }), ..In::default() });
    block.outputs().vic.unwrap()
}

#[test]
fn without_keep_private_a_shared_line_evicts_a_private_one() {
    let victim = fill(&mut filled(Rule::KeepPrivate, [false; 4]), true);
    assert!(victim.install && victim.evict_private && !victim.dead);
}

/// Example 5, in which D is hit before E comes.
#[test]
fn without_touch_clears_a_used_line_is_dead() {
    let mut block = filled(Rule::TouchClears, [false, true, false, true]);
    fill(&mut block, false);
    block.tick(&In { touch: Some(Place { set: 0, way: 0 }), ..In::default() });
    let victims = [(); 4].map(|()| fill(&mut block, false));
    assert_eq!(victims.map(|victim| victim.way), [3, 2, 1, 0]);
    assert_eq!(victims.map(|victim| victim.dead), [false, true, false, true]);
}
