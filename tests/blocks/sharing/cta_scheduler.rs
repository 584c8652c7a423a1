//! The work-group scheduler: specification 5.1, 10, 12.

use cosim::stimulus::Random;
use duet_tests::{Make, with_both_bodies};
use hwmodel::sharing::cta_scheduler::CtaScheduler;
use ports::sharing::cta_scheduler::{Config, In, Out, err};
use ports::sharing::types::{Assignment, Launch, mode};

use crate::bench::{self, Around};

fn on_both(check: impl Fn(Make<CtaScheduler>)) {
    with_both_bodies::<CtaScheduler>(check);
}

/// Accepted assignments with their cycles; `launch` and `done` are driven for one cycle.
#[derive(Default)]
struct Taken(Vec<(usize, Assignment)>);

impl Around<CtaScheduler> for Taken {
    fn after(&mut self, cycle: usize, next: &mut In, out: &Out, _: &Out) {
        self.0.extend(
            out.assignment.filter(|_| next.assignment_ready).map(|assignment| (cycle, assignment)),
        );
        (next.launch, next.done) = (None, 0);
    }
}

type Bench = bench::Bench<CtaScheduler, Taken>;

/// A scheduler whose kernel is launched in cycle 0.
fn bench(make: Make<CtaScheduler>, n_sm: u32, slots: u32, launch: Launch) -> Bench {
    let next = In { launch: Some(launch), assignment_ready: true, ..In::default() };
    Bench::around(make(&Config { n_sm, slots, cta_w: 32 }), next, Taken::default())
}

fn launch(mode: u8, total: u32, group: u16, slots: u8) -> Launch {
    Launch { mode, total, group, slots }
}

impl Taken {
    /// Work-groups and SMs since the last call.
    fn given(&mut self) -> Vec<(u32, u8)> {
        self.0.drain(..).map(|(_, assignment)| (assignment.cta, assignment.sm)).collect()
    }

    /// Cycles and SMs since the last call.
    fn cycles(&mut self) -> Vec<(usize, u8)> {
        self.0.drain(..).map(|(cycle, assignment)| (cycle, assignment.sm)).collect()
    }
}

/// One work-group ends on each of these SMs; runs 8 cycles.
fn done(bench: &mut Bench, sms: u16) {
    bench.next.done = sms;
    bench.run(8);
}

#[test]
fn example_1_in_turn_then_the_first_that_finishes() {
    on_both(|make| {
        let mut bench = bench(make, 3, 1, launch(mode::RR, 12, 1, 1));
        bench.run(8);
        assert_eq!(bench.given(), [(0, 0), (1, 1), (2, 2)]);
        done(&mut bench, 0b010);
        assert_eq!(bench.given(), [(3, 1)]);
    });
}

/// Three SMs, no power of 2: the pointer wraps from SM 2 to SM 0.
#[test]
fn turns_of_three_sms_wrap() {
    on_both(|make| {
        let mut bench = bench(make, 3, 3, launch(mode::RR, 20, 1, 3));
        bench.run(20);
        let expected: Vec<_> = (0..9).map(|cta| (cta, (cta % 3) as u8)).collect();
        assert_eq!(bench.given(), expected);
        // The pointer is at SM 0 again.
        done(&mut bench, 0b111);
        assert_eq!(bench.given(), [(9, 0), (10, 1), (11, 2)]);
    });
}

#[test]
fn example_2_the_first_four() {
    let of_groups = [(0, 0), (4, 1), (1, 0), (5, 1)];
    let modes = [
        (mode::RR, [(0, 0), (1, 1), (2, 0), (3, 1)], 0b0000),
        (mode::Q, of_groups, 0b0000),
        (mode::ADPT, of_groups, 0b0000),
        (mode::BCS, [(0, 0), (1, 0), (2, 1), (3, 1)], 0b0101),
    ];
    on_both(|make| {
        for (mode, first, more) in modes {
            let mut bench = bench(make, 2, 2, launch(mode, 16, 4, 2));
            bench.run(10);
            let bits =
                (0..).zip(&bench.0).map(|(n, (_, assignment))| u32::from(assignment.more) << n);
            assert_eq!(bits.sum::<u32>(), more, "mode {mode}");
            assert_eq!(bench.given(), first, "mode {mode}");
        }
    });
}

#[test]
fn example_2_groups_stay_on_their_sm() {
    on_both(|make| {
        let mut bench = bench(make, 2, 2, launch(mode::Q, 16, 4, 2));
        bench.run(8);
        bench.given();
        (0..10).for_each(|_| done(&mut bench, 1));
        let of_sm0 = [2, 3, 8, 9, 10, 11, 12, 13, 14, 15].map(|cta| (cta, 0));
        assert_eq!(bench.given(), of_sm0);
        (0..2).for_each(|_| done(&mut bench, 2));
        assert_eq!(bench.given(), [(6, 1), (7, 1)]);
        let counters = bench.shown().counters;
        assert_eq!((counters.assigned, counters.groups, counters.rr_phase_ctas), (16, 4, 0));
    });
}

#[test]
fn example_2_one_by_one_once_few_groups_are_left() {
    on_both(|make| {
        let mut bench = bench(make, 2, 2, launch(mode::ADPT, 16, 4, 2));
        bench.run(8);
        bench.given();
        (0..6).for_each(|_| done(&mut bench, 1));
        assert_eq!(bench.given(), [2, 3, 8, 9, 10, 11].map(|cta| (cta, 0)));
        [1, 2, 2, 2, 1, 2].into_iter().for_each(|sms| done(&mut bench, sms));
        let last = [(12, 0), (6, 1), (7, 1), (13, 1), (14, 0), (15, 1)];
        assert_eq!(bench.given(), last, "SM 1 finishes its group first");
        let counters = bench.shown().counters;
        assert_eq!((counters.assigned, counters.groups, counters.rr_phase_ctas), (16, 3, 4));
    });
}

#[test]
fn example_2_pairs_wait_for_two_slots() {
    on_both(|make| {
        let mut bench = bench(make, 2, 2, launch(mode::BCS, 16, 4, 2));
        bench.run(8);
        bench.given();
        done(&mut bench, 1);
        assert!(bench.given().is_empty());
        done(&mut bench, 1);
        assert_eq!(bench.given(), [(4, 0), (5, 0)]);
    });
}

#[test]
fn example_3_the_last_group_is_spread() {
    on_both(|make| {
        let spread = (0..8).map(|n| (128 + u32::from(n), n)).collect::<Vec<(u32, u8)>>();
        for (mode, last) in [(mode::ADPT, spread), (mode::Q, vec![(128, 0)])] {
            let mut bench = bench(make, 16, 8, launch(mode, 17 * 8, 8, 8));
            bench.run(16 * 8 + 4);
            let given = bench.given();
            assert_eq!(given.len(), 16 * 8);
            assert!(given.iter().all(|&(cta, sm)| cta / 8 == u32::from(sm)));
            bench.next.done = u16::MAX;
            bench.run(30);
            assert_eq!(bench.given(), last);
        }
    });
}

/// The block's README, rule 6.
#[test]
fn a_kernel_of_fewer_groups_than_sms_is_spread_from_the_start() {
    on_both(|make| {
        // As many groups as SMs, the last of one work-group; then one group fewer.
        for (total, first) in [(9, [(0, 0), (4, 1), (8, 2)]), (8, [(0, 0), (1, 1), (2, 2)])] {
            let mut bench = bench(make, 3, 1, launch(mode::ADPT, total, 4, 1));
            bench.run(8);
            assert_eq!(bench.given(), first);
            let by_test = bench.shown().counters.rr_phase_ctas;
            assert_eq!(by_test, if total == 8 { 3 } else { 0 });
        }
        // `q` assigns the whole group to one SM.
        let mut bench = bench(make, 3, 1, launch(mode::Q, 4, 4, 1));
        bench.run(8);
        assert_eq!(bench.given(), [(0, 0)]);
    });
}

#[test]
fn example_9_cycles() {
    on_both(|make| {
        let mut bench = bench(make, 2, 1, launch(mode::RR, 3, 1, 1));
        bench.run_to(10);
        assert_eq!(bench.cycles(), [(2, 0), (3, 1)]);
        bench.next.done = 0b10;
        bench.run_to(15);
        assert_eq!(bench.cycles(), [(12, 1)]);
        bench.next.done = 0b11;
        bench.run(6);
        let ends = bench.seen(0, |out| out.launch_done.then_some(out.launch_ready));
        assert_eq!(ends, [(17, true)]);
    });
}

#[test]
fn a_kernel_of_nothing() {
    on_both(|make| {
        let mut bench = bench(make, 2, 2, launch(mode::Q, 0, 4, 2));
        bench.run(6);
        assert_eq!(bench.seen(0, |out| out.launch_done.then_some(())), [(2, ())]);
        assert!(bench.given().is_empty());
    });
}

#[test]
fn a_slot_that_frees_in_the_cycle_of_a_pick_counts() {
    on_both(|make| {
        let mut bench = bench(make, 1, 2, launch(mode::RR, 8, 1, 2));
        bench.run_to(2);
        bench.next.done = 1;
        bench.run(8);
        assert_eq!(bench.cycles(), [(2, 0), (3, 0), (4, 0)]);
    });
}

#[test]
fn an_assignment_outlives_its_kernel() {
    on_both(|make| {
        let mut bench = bench(make, 2, 2, launch(mode::RR, 1, 1, 1));
        bench.next.assignment_ready = false;
        bench.run_to(3);
        bench.next.done = 1;
        bench.run_to(6);
        assert!(bench.shown().launch_ready && bench.shown().assignment.is_some());
        bench.next.launch = Some(launch(mode::RR, 2, 1, 1));
        bench.run_to(10);
        assert_eq!(bench.shown().counters.assigned, 1);
        bench.next.assignment_ready = true;
        bench.run(4);
        assert_eq!(bench.given(), [(0, 0), (0, 0), (1, 1)]);
    });
}

#[test]
fn launches_that_are_wrong() {
    on_both(|make| {
        let cases = [
            (launch(mode::Q, 3, 0, 2), err::GROUP),
            (launch(mode::RR, 3, 1, 0), err::SLOTS),
            (launch(mode::RR, 3, 1, 3), err::SLOTS),
            (launch(mode::BCS, 3, 0, 0), err::GROUP),
        ];
        for (launch, code) in cases {
            let mut bench = bench(make, 2, 2, launch);
            bench.run(8);
            assert_eq!(bench.seen(0, |out| out.err), [(1, code)]);
            assert_eq!(bench.given().len(), 3);
        }
    });
}

/// Rule 1 of the block's README.
#[test]
fn work_groups_that_do_not_run_cannot_end() {
    on_both(|make| {
        let mut bench = bench(make, 2, 2, launch(mode::RR, 1, 1, 2));
        bench.next.done = 1;
        bench.run_to(4);
        bench.next.done = 0b11;
        bench.run(4);
        let codes = bench.seen(0, |out| out.err);
        assert_eq!(codes, [(1, err::DONE), (5, err::DONE)]);
        let ends = bench.seen(0, |out| out.launch_done.then_some(()));
        assert_eq!(ends, [(6, ())], "the work-group of SM 0 has ended");
    });
}

/// Kernels one after the other, with random ends.
#[test]
fn each_work_group_is_assigned_once_and_to_a_free_slot() {
    on_both(|make| {
        let mut bench = bench(make, 3, 3, launch(mode::RR, 0, 1, 3));
        bench.run(4);
        let r = &mut Random::new(1);
        for kernel in 0..200 {
            let launch = Launch {
                mode: kernel % 4,
                total: r.below(40),
                group: 1 + r.below(5) as u16,
                slots: 1 + r.below(3) as u8,
            };
            bench.next.launch = Some(launch);
            bench.cycle();
            let (mut assigned, mut running) = (vec![false; launch.total as usize], [0; 3]);
            while !bench.shown().launch_done {
                for (sm, running) in running.iter_mut().enumerate() {
                    let ends = *running > 0 && r.below(4) == 0;
                    *running -= u8::from(ends);
                    bench.next.done |= u16::from(ends) << sm;
                }
                bench.next.assignment_ready = r.below(3) > 0;
                bench.cycle();
                for (cta, sm) in bench.given() {
                    let was_assigned = std::mem::replace(&mut assigned[cta as usize], true);
                    assert!(!was_assigned, "{launch:?}: work-group {cta}");
                    running[usize::from(sm)] += 1;
                    assert!(running[usize::from(sm)] <= launch.slots, "{launch:?}: SM {sm}");
                }
            }
            assert!(assigned.into_iter().all(|assigned| assigned), "{launch:?}");
        }
    });
}

/// Rule 10 of the block's README.
#[test]
fn of_the_number_of_work_groups_the_low_bits_count() {
    with_both_bodies::<CtaScheduler>(|make| {
        let launch = Some(launch(mode::RR, 0x1003, 1, 2));
        let next = In { launch, assignment_ready: true, ..In::default() };
        let config = Config { n_sm: 2, slots: 2, cta_w: 4 };
        let mut bench = Bench::around(make(&config), next, Taken::default());
        bench.run(8);
        assert_eq!(bench.given(), [(0, 0), (1, 1), (2, 0)]);
    });
}
