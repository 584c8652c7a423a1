//! Schedulers with a rule disabled. What the block does is tested on model and RTL
//! (`tests/blocks/sharing`).

use ports::sharing::cta_scheduler::{Config, In};
use ports::sharing::types::{Launch, Sharing, mode};

use super::{CtaScheduler, Rule};
use crate::block::Block;

/// The first assignments of a kernel as (work-group, SM). The work-groups of `done` end in cycle 8.
fn assigned(rule: Rule, n_sm: u32, launch: Launch, done: u16) -> Vec<(u32, u8)> {
    let slots = launch.slots.into();
    let config: Config = (&Sharing { n_sm, slots, ..Sharing::LEGAL }).into();
    let mut block = CtaScheduler::without(&config, rule).unwrap();
    let cycle = |cycle| {
        let (launch, done) = ((cycle == 0).then_some(launch), if cycle == 8 { done } else { 0 });
        let assignment = block.tick(&In { launch, done, assignment_ready: true }).assignment?;
        Some((assignment.cta, assignment.sm))
    };
    (0..16).filter_map(cycle).collect()
}

#[test]
fn without_free_slot_an_sm_has_more_work_groups_than_slots() {
    let launch = Launch { mode: mode::RR, total: 3, group: 1, slots: 1 };
    assert_eq!(assigned(Rule::FreeSlot, 1, launch, 0), [(0, 0), (1, 0), (2, 0)]);
}

#[test]
fn without_free_for_burst_an_sm_has_more_work_groups_than_slots() {
    let launch = Launch { mode: mode::BCS, total: 4, group: 1, slots: 2 };
    let pairs = [(0, 0), (1, 0), (2, 0), (3, 0)];
    assert_eq!(assigned(Rule::FreeForBurst, 1, launch, 1), pairs, "one has ended");
}

/// Example 3.
#[test]
fn without_first_group_an_sm_has_a_single_work_group_as_its_first() {
    let launch = Launch { mode: mode::ADPT, total: 17 * 8, group: 8, slots: 8 };
    let first = &assigned(Rule::FirstGroup, 16, launch, 0)[..4];
    assert_eq!(first, [(0, 0), (8, 1), (16, 2), (17, 3)]);
}
