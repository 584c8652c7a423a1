//! Policies with a rule disabled. What the block does is tested on model and RTL
//! (`tests/blocks/sharing`).

use ports::sharing::sharing_l2_policy::{Config, In, Out};
use ports::sharing::types::{Action, L2Fill, Lookup, Sharing, act};

use super::{Rule, SharingL2Policy};
use crate::block::Block;

fn without(rule: Rule) -> SharingL2Policy {
    let config: Config = (&Sharing { n_sm: 6, l2_sets: 1, l2_ways: 1, ..Sharing::LEGAL }).into();
    SharingL2Policy::without(&config, rule).unwrap()
}

fn tick(block: &mut SharingL2Policy, fill: bool, lk: Option<Lookup>) -> Out {
    let fill = fill.then_some(L2Fill { mshr: 0, set: 0, way: 0 });
    block.tick(&In { fill, lk, ..In::default() });
    block.outputs()
}

/// SM 2 misses.
const MISS: Option<Lookup> =
    Some(Lookup { is_local: false, sm: 2, hit: false, mshr_hit: false, mshr: 0, set: 0, way: 0 });

/// SM 5 accesses the line.
fn other(hit: bool) -> Option<Lookup> {
    Some(Lookup { sm: 5, hit, mshr_hit: !hit, ..Lookup::default() })
}

#[test]
fn without_mshr_owner_a_merge_shares_nothing() {
    let mut block = without(Rule::MshrOwner);
    tick(&mut block, false, MISS);
    tick(&mut block, false, other(false));
    assert_eq!(tick(&mut block, true, None).fsf, Some(false));
}

#[test]
fn without_fill_first_a_lookup_of_the_cycle_of_the_fill_merges() {
    let mut block = without(Rule::FillFirst);
    tick(&mut block, false, MISS);
    let Out { fsf, act, .. } = tick(&mut block, true, other(false));
    assert_eq!((fsf, act.map(|act| act.act)), (Some(true), Some(act::MERGE)));
}

#[test]
fn without_local_bypass_a_local_miss_evicts_a_shared_line() {
    let mut block = without(Rule::LocalBypass);
    tick(&mut block, false, MISS);
    tick(&mut block, true, None);
    tick(&mut block, false, other(true));
    let local = MISS.map(|miss| Lookup { is_local: true, ..miss });
    let evicts =
        Action { act: act::ALLOC, sf: false, evict_valid: true, evict_shared: true, way: 0 };
    assert_eq!(tick(&mut block, false, local).act, Some(evicts));
}
