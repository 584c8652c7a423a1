//! Worked examples (specification, section 10), and rules that are taken away.

use ports::sharing::sharing_l2_policy::{Config, In, err};
use ports::sharing::types::{Action, L2Fill, Lookup, Place, Sharing, act};

use super::{Rule, SharingL2Policy};
use crate::block::{Block, Model};

fn config() -> Config {
    (&Sharing { n_sm: 6, l2_sets: 1, l2_ways: 4, l2_mshr: 5, ..Sharing::LEGAL }).into()
}

fn new() -> SharingL2Policy {
    SharingL2Policy::new(&config()).unwrap()
}

fn without(rule: Rule) -> SharingL2Policy {
    SharingL2Policy::without(&config(), rule).unwrap()
}

fn ask(block: &mut SharingL2Policy, lookup: Lookup) -> Action {
    block.tick(&In { lk: Some(lookup), ..In::default() });
    block.outputs().act.unwrap()
}

fn miss(sm: u8, mshr: u8) -> Lookup {
    Lookup { sm, mshr, ..Lookup::default() }
}

fn hit(sm: u8, way: u8) -> Lookup {
    Lookup { sm, hit: true, way, ..Lookup::default() }
}

fn merge(sm: u8, mshr: u8) -> Lookup {
    Lookup { sm, mshr_hit: true, mshr, ..Lookup::default() }
}

/// A line comes; whether it is shared.
fn come(block: &mut SharingL2Policy, mshr: u8, way: u8) -> Option<bool> {
    block.tick(&In { fill: Some(L2Fill { mshr, set: 0, way }), ..In::default() });
    block.outputs().fsf
}

/// A line of an SM in a way, which another SM has asked for, too, or not.
fn line(block: &mut SharingL2Policy, way: u8, shared: bool) {
    assert_eq!(ask(block, miss(2, 0)), Action { act: act::ALLOC, way, ..Action::default() });
    assert_eq!(come(block, 0, way), Some(false));
    if shared {
        assert!(ask(block, hit(5, way)).sf);
    }
}

/// Example 7.
#[test]
fn line_is_shared_once_another_sm_has_asked() {
    let mut block = new();
    line(&mut block, 0, false);
    assert!(!ask(&mut block, hit(2, 0)).sf);
    assert!(ask(&mut block, hit(5, 0)).sf);
    assert!(ask(&mut block, hit(2, 0)).sf);
    assert_eq!(block.outputs().cnt.sf_set, 1);
}

#[test]
fn sharing_is_tracked_while_a_line_is_under_way() {
    let shared = |mut block: SharingL2Policy| {
        ask(&mut block, miss(2, 3));
        let merged = ask(&mut block, merge(5, 3));
        assert_eq!(merged.act, act::MERGE);
        come(&mut block, 3, 0)
    };
    assert_eq!(shared(new()), Some(true));
    assert_eq!(shared(without(Rule::MshrOwner)), Some(false));
}

#[test]
fn access_of_the_cycle_in_which_a_line_comes_is_a_hit() {
    let after = |mut block: SharingL2Policy| {
        ask(&mut block, miss(2, 3));
        let fill = Some(L2Fill { mshr: 3, set: 0, way: 0 });
        block.tick(&In { fill, lk: Some(merge(5, 3)), ..In::default() });
        let out = block.outputs();
        (out.fsf, out.act.unwrap())
    };
    let (fsf, action) = after(new());
    assert_eq!((fsf, action.act, action.sf), (Some(false), act::HIT, true));
    let (fsf, action) = after(without(Rule::FillFirst));
    assert_eq!((fsf, action.act), (Some(true), act::MERGE));
}

/// Example 8: W and Y shared, X and Z private.
#[test]
fn private_lines_go_first() {
    let mut block = new();
    (0..4).for_each(|way| line(&mut block, way, way % 2 == 0));
    // In the order of their use again.
    for way in 0..4 {
        ask(&mut block, hit(2, way));
    }
    let evicted =
        |action: Action| (action.act, action.way, action.evict_valid, action.evict_shared);
    assert_eq!(evicted(ask(&mut block, miss(1, 1))), (act::ALLOC, 1, true, false));
    assert_eq!(evicted(ask(&mut block, miss(1, 2))), (act::ALLOC, 3, true, false));
    // Both reserved: of the others, shared ones, the oldest.
    assert_eq!(evicted(ask(&mut block, miss(1, 3))), (act::ALLOC, 0, true, true));
    assert_eq!(evicted(ask(&mut block, miss(1, 4))), (act::ALLOC, 2, true, true));
    assert_eq!(ask(&mut block, miss(1, 0)).act, act::STALL);
    assert_eq!(block.outputs().err, None);
    let cnt = block.outputs().cnt;
    assert_eq!((cnt.evict_private, cnt.evict_shared, cnt.stalls), (2, 2, 1));
}

#[test]
fn local_line_is_not_kept_and_shares_nothing() {
    let local = |lookup: Lookup| Lookup { is_local: true, ..lookup };
    let mut block = new();
    (0..4).for_each(|way| line(&mut block, way, true));
    assert_eq!(
        ask(&mut block, local(miss(1, 0))),
        Action { act: act::BYPASS, ..Action::default() }
    );
    // A line that is there: no change, no SF.
    assert!(!ask(&mut block, local(hit(1, 0))).sf);
    let mut block = without(Rule::LocalBypass);
    (0..4).for_each(|way| line(&mut block, way, true));
    assert!(ask(&mut block, local(miss(1, 0))).evict_shared);
    let mut block = new();
    ask(&mut block, miss(2, 3));
    assert!(!ask(&mut block, local(merge(5, 3))).sf);
    assert_eq!(come(&mut block, 3, 0), Some(false));
}

#[test]
fn bad_input_changes_nothing_and_is_told() {
    let mut block = new();
    line(&mut block, 0, false);
    for (lookup, code) in [
        (hit(2, 1), err::HIT),
        (merge(2, 3), err::MSHR),
        (miss(6, 0), err::SM),
        (hit(9, 1), err::HIT),
        (miss(2, 5), err::MSHR),
    ] {
        let action = ask(&mut block, lookup);
        let out = block.outputs();
        assert_eq!((action.act, out.err), (act::STALL, Some(code)), "{lookup:?}");
    }
    assert_eq!(come(&mut block, 1, 1), None);
    assert_eq!(block.outputs().err, Some(err::FILL));
    block.tick(&In { inv: Some(Place { set: 0, way: 3 }), ..In::default() });
    assert_eq!(block.outputs().err, Some(err::INV));
    // The line that is there has gone before it is asked for.
    let inv = Some(Place { set: 0, way: 0 });
    block.tick(&In { inv, lk: Some(hit(2, 0)), ..In::default() });
    assert_eq!(block.outputs().err, Some(err::HIT));
}
