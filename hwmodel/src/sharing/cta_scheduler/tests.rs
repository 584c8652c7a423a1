//! Worked examples (specification, section 10), and rules that are taken away.

use ports::sharing::cta_scheduler::{Config, Counters, In, err};
use ports::sharing::types::{Assignment, Launch, Sharing, mode};

use super::{CtaScheduler, Rule};
use crate::block::{Block, Model};

fn config(n_sm: u32, slots: u32) -> Config {
    (&Sharing { n_sm, slots, ..Sharing::LEGAL }).into()
}

/// A scheduler, and the cycle it is in.
struct Bench {
    block: CtaScheduler,
    cycle: u64,
}

impl Bench {
    fn launched(block: CtaScheduler, mode: u8, total: u32, group: u16, slots: u8) -> Self {
        let mut bench = Self { block, cycle: 0 };
        let k = Some(Launch { mode, total, group, slots });
        bench.tick(In { k, asg_ready: true, ..In::default() });
        bench
    }

    fn new(n_sm: u32, mode: u8, total: u32, group: u16, slots: u8) -> Self {
        let block = CtaScheduler::new(&config(n_sm, slots.into())).unwrap();
        Self::launched(block, mode, total, group, slots)
    }

    /// What is shown in the cycle that it ends.
    fn tick(&mut self, inputs: In) -> Option<Assignment> {
        self.cycle += 1;
        self.block.tick(&inputs).asg
    }

    /// The next assignments as (work-group, SM), of SMs whose work-groups end.
    fn next(&mut self, done: u16, count: usize) -> Vec<(u32, u8)> {
        let mut all = Vec::new();
        let mut done = done;
        for _ in 0..16 {
            let asg = self.tick(In { done, asg_ready: true, ..In::default() });
            done = 0;
            all.extend(asg.map(|asg| (asg.cta, asg.sm)));
            if all.len() == count {
                break;
            }
        }
        all
    }

    fn cnt(&self) -> Counters {
        self.block.outputs().cnt
    }
}

#[test]
fn round_robin_gives_the_next_one_to_whoever_ends_first() {
    let mut bench = Bench::new(3, mode::RR, 4, 1, 1);
    assert_eq!(bench.next(0, 3), [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(bench.next(0b010, 1), [(3, 1)]);
}

/// Example 2: 2 SMs of 2 slots, groups of 4, 16 work-groups.
#[test]
fn first_four_are_as_the_modes_say() {
    for (mode, wanted) in [
        (mode::RR, [(0, 0), (1, 1), (2, 0), (3, 1)]),
        (mode::Q, [(0, 0), (4, 1), (1, 0), (5, 1)]),
        (mode::ADPT, [(0, 0), (4, 1), (1, 0), (5, 1)]),
        (mode::BCS, [(0, 0), (1, 0), (2, 1), (3, 1)]),
    ] {
        assert_eq!(Bench::new(2, mode, 16, 4, 2).next(0, 4), wanted, "{mode}");
    }
}

#[test]
fn groups_go_to_whoever_asks_and_one_by_one_when_few_are_left() {
    for (mode, wanted) in [
        (mode::Q, [(2, 0), (3, 0), (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0)]),
        (mode::ADPT, [(2, 0), (3, 0), (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0)]),
    ] {
        let mut bench = Bench::new(2, mode, 16, 4, 2);
        bench.next(0, 4);
        let given: Vec<_> = (0..8).flat_map(|_| bench.next(1, 1)).collect();
        assert_eq!(given, wanted);
        // SM 1 ends one of its own group's, then goes on with its group: 6 and 7.
        assert_eq!(bench.next(2, 1), [(6, 1)]);
        assert_eq!(bench.next(2, 1), [(7, 1)]);
        let next = bench.next(2, 1);
        match mode {
            // The last group is SM 0's.
            mode::Q => assert!(next.is_empty(), "{next:?}"),
            _ => assert_eq!(next, [(14, 1)]),
        }
        let by_test = if mode == mode::Q { 0 } else { 3 };
        assert_eq!(bench.cnt().rr_phase_ctas, by_test);
        assert_eq!(bench.cnt().groups, if mode == mode::Q { 4 } else { 3 });
    }
}

#[test]
fn pairs_wait_until_both_fit() {
    let mut bench = Bench::new(2, mode::BCS, 16, 1, 2);
    assert_eq!(bench.next(0, 4).len(), 4);
    assert_eq!(bench.next(1, 1), []);
    assert_eq!(bench.next(1, 2), [(4, 0), (5, 0)]);
}

/// Example 3: 16 SMs, 17 groups of 8, 8 slots.
#[test]
fn the_last_group_is_spread_and_each_first_one_is_whole() {
    let mut bench = Bench::new(16, mode::ADPT, 17 * 8, 8, 8);
    let mut all = Vec::new();
    for _ in 0..130 {
        let asg = bench.tick(In { asg_ready: true, ..In::default() });
        all.extend(asg.map(|asg| (asg.cta, asg.sm)));
    }
    assert_eq!(all.len(), 128);
    assert!(all.iter().all(|(cta, sm)| cta / 8 == u32::from(*sm)));
    let last = bench.next(u16::MAX, 8);
    assert_eq!(last, (0..8).map(|k| (128 + k, k as u8)).collect::<Vec<_>>());
    // Without the first groups' exemption SM 2 has a single work-group as its first.
    let block = CtaScheduler::without(&config(16, 8), Rule::FirstGroup).unwrap();
    let mut bench = Bench::launched(block, mode::ADPT, 17 * 8, 8, 8);
    assert_eq!(bench.next(0, 4), [(0, 0), (8, 1), (16, 2), (17, 3)]);
}

#[test]
fn cycles_are_those_of_example_9() {
    let mut bench = Bench::new(2, mode::RR, 3, 1, 1);
    // The launch was in 0.
    let shown: Vec<_> =
        (1..5).map(|_| bench.tick(In { asg_ready: true, ..In::default() })).collect();
    assert_eq!(shown.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, true, false]);
    // One ends in 5: its slot is taken in 7.
    bench.tick(In { done: 2, asg_ready: true, ..In::default() });
    assert_eq!(bench.tick(In { asg_ready: true, ..In::default() }), None);
    let asg = bench.tick(In { asg_ready: true, ..In::default() });
    assert_eq!(asg, Some(Assignment { more: false, sm: 1, cta: 2 }));
    // The last two end in 8: done in 10, and ready for the next.
    bench.tick(In { done: 3, asg_ready: true, ..In::default() });
    assert!(!bench.block.outputs().k_done);
    bench.tick(In { asg_ready: true, ..In::default() });
    let out = bench.block.outputs();
    assert!(out.k_done && out.k_ready);
    // No work-groups: launched in 10, done in 12.
    let k = Some(Launch { mode: mode::Q, total: 0, group: 4, slots: 1 });
    bench.tick(In { k, asg_ready: true, ..In::default() });
    assert!(!bench.block.outputs().k_done);
    bench.tick(In { asg_ready: true, ..In::default() });
    assert!(bench.block.outputs().k_done);
}

#[test]
fn bad_launches_are_mended_and_told() {
    for (group, slots, code) in
        [(0, 1, err::GROUP), (0, 0, err::GROUP), (1, 0, err::SLOTS), (1, 3, err::SLOTS)]
    {
        let block = CtaScheduler::new(&config(1, 2)).unwrap();
        let mut bench = Bench::launched(block, mode::Q, 4, group, slots);
        assert_eq!(bench.block.outputs().err, Some(code));
        let fits = if code == err::GROUP && slots == 1 { 1 } else { 2 };
        assert_eq!(bench.next(0, 4).len(), fits);
    }
    let mut block = CtaScheduler::new(&config(2, 2)).unwrap();
    block.tick(&In { done: 1, ..In::default() });
    assert_eq!(block.outputs().err, Some(err::DONE));
}

/// Random launches: each work-group once, no more on an SM than it has slots; without a rule more.
#[test]
fn slots_are_kept_and_each_rule_is_needed() {
    let broken = |without: Option<Rule>| {
        let mut random = 1u32;
        let mut next = move |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        for _ in 0..300 {
            let config = config(1 + next(4), 3);
            let block = match without {
                Some(rule) => CtaScheduler::without(&config, rule),
                None => CtaScheduler::new(&config),
            };
            let (total, slots) = (next(40), 1 + next(3));
            let (mode, group) = (next(4) as u8, 1 + next(5) as u16);
            let mut bench = Bench::launched(block.unwrap(), mode, total, group, slots as u8);
            let (mut on, mut given) = ([0u32; 4], vec![false; total as usize]);
            for _ in 0..600 {
                let done: u16 = (0..4).filter(|&s| on[s] > 0 && next(4) == 0).map(|s| 1 << s).sum();
                let asg = bench.tick(In { done, asg_ready: next(3) > 0, ..In::default() });
                let _ = asg;
                (0..4).filter(|s| done >> s & 1 == 1).for_each(|s| on[s] -= 1);
                let out = bench.block.outputs();
                let free: Vec<u32> = bench.block.sms.iter().map(|sm| sm.free.into()).collect();
                if free.iter().any(|&free| free > slots) {
                    return true;
                }
                if let Some(Assignment { cta, sm, .. }) = out.asg
                    && !given[cta as usize]
                {
                    given[cta as usize] = true;
                    on[usize::from(sm)] += 1;
                }
                if out.k_done {
                    break;
                }
            }
            assert!(without.is_some() || given.iter().all(|&given| given), "{mode} {total}");
        }
        false
    };
    assert!(!broken(None));
    assert!(broken(Some(Rule::FreeSlot)));
    assert!(broken(Some(Rule::FreeForBurst)));
}
