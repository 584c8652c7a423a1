//! Launches that are skipped, and what all of them cost, by hand.

use traces::trace::KernelHead;

use super::{Repeats, Sampler};

fn kernel(name: &str) -> KernelHead {
    KernelHead { name: name.to_string(), grid: [64, 1, 1], ..KernelHead::default() }
}

/// A run whose only statistic grows by a tenth of the cycles.
#[derive(Default)]
struct Run {
    sampler: Sampler,
    cycles: u64,
}

impl Run {
    fn simulate(&mut self, name: &str, work: u64, cycles: u64) {
        assert!(!self.sampler.skips(&kernel(name)), "{name} with {cycles} cycles");
        self.cycles += cycles;
        self.sampler.simulate(&kernel(name), work, cycles, &[self.cycles / 10]);
    }

    /// A cold launch, and three that show that the kernel is steady.
    fn steady(&mut self, work: u64) {
        for cycles in [150, 100, 100, 100] {
            self.simulate("k", work, cycles);
        }
    }

    fn skip(&mut self, name: &str, work: u64, launches: u32) {
        for launch in 0..launches {
            assert!(self.sampler.skips(&kernel(name)), "launch {launch} of {name}");
            self.sampler.skip(&kernel(name), work);
        }
    }

    /// Which of so many rounds of these kernels are simulated (`s`), if they always cost the same.
    fn rounds(&mut self, rounds: usize, kernels: &[&str]) -> String {
        let mut shown = String::new();
        for name in std::iter::repeat_n(kernels, rounds).flatten() {
            if self.sampler.skips(&kernel(name)) {
                self.sampler.skip(&kernel(name), 10);
                shown.push('.');
            } else {
                self.simulate(name, 10, 100);
                shown.push('s');
            }
        }
        shown
    }
}

#[test]
fn gap_costs_the_mean_of_its_sides() {
    let mut run = Run::default();
    for cycles in [150, 100, 120, 100, 110, 105, 105] {
        // Three in a row that differ by at most a twentieth: 110, 105, 105.
        run.simulate("k", 10, cycles);
    }
    run.skip("k", 10, 8);
    // The first warms the caches up.
    run.simulate("k", 10, 130);
    run.simulate("k", 10, 107);
    // Nine launches of 106 cycles, each with an error of half the difference, and a hundredth.
    let (first, gap, error) = (150 + 100 + 120 + 100 + 110 + 105 + 105, 9 * 106, 9.0 * 2.06);
    let cycles: u64 = first + gap + 107;
    let sum = run.sampler.sum();
    assert!(error > 18.0 && error < 19.0);
    assert_eq!(sum.cycles(), (cycles, [cycles - 19, cycles + 19]));
    assert_eq!(run.sampler.launches(), (17, 9));
    // A tenth of all, rounded in each launch.
    let grown = sum.kernels.all()[0];
    assert!(grown.abs_diff(cycles / 10) <= 3, "{grown} of {cycles}");
    // The sides are close, so the next gap is twice as long. It has one side at the end, and the
    // error of as much as the last sides differed.
    run.skip("k", 10, 16);
    let cycles = cycles + 16 * 107;
    let error = (error + 16.0 * (2.0 + 1.07_f64)).ceil() as u64;
    assert_eq!(run.sampler.sum().cycles(), (cycles, [cycles - error, cycles + error]));
}

#[test]
fn drift_ends_a_gap_and_is_in_the_interval() {
    let mut run = Run::default();
    run.steady(10);
    run.skip("k", 10, 8);
    run.simulate("k", 10, 200);
    run.simulate("k", 10, 200);
    let (cycles, [low, high]) = run.sampler.sum().cycles();
    assert_eq!(cycles, 450 + 9 * 150 + 200);
    // All nine may have been as those before, or as those behind.
    assert!(low <= 450 + 9 * 100 + 200 && high >= 450 + 9 * 200 + 200, "{low} to {high}");
    // It has to be steady again.
    run.simulate("k", 10, 200);
    run.simulate("k", 10, 200);
    run.skip("k", 10, 8);
}

#[test]
fn less_work_costs_less() {
    let mut run = Run::default();
    for (work, cycles) in [(100, 1500), (100, 1000), (96, 970), (96, 970)] {
        run.simulate("k", work, cycles);
    }
    // 4 units of work cost 30 cycles.
    run.skip("k", 92, 8);
    run.simulate("k", 92, 1200);
    run.simulate("k", 88, 910);
    let cycles = 1500 + 1000 + 970 + 970 + 9 * 940 + 910;
    // A hundredth, and half of what the 4 units are taken to cost that the sides have more or less.
    let error = (9.0 * (9.4 + 15.0_f64)).ceil() as u64;
    assert_eq!(run.sampler.sum().cycles(), (cycles, [cycles - error, cycles + error]));
}

#[test]
fn launch_with_other_work_is_the_last_of_its_gap() {
    let mut run = Run::default();
    run.steady(100);
    run.skip("k", 100, 3);
    run.skip("k", 134, 1);
    run.simulate("k", 100, 100);
}

#[test]
fn each_kernel_of_a_loop_warms_up_and_is_measured_behind_a_gap() {
    let shown = Run::default().rounds(40, &["a", "b"]);
    let gaps = [16, 32].map(|gap| ".".repeat(gap));
    assert_eq!(shown[..60], format!("ssssssss{}ssss{}", gaps[0], gaps[1]));
}

#[test]
fn loop_with_a_kernel_that_is_not_steady_is_simulated() {
    let mut run = Run::default();
    for round in 0..30 {
        run.simulate("a", 10, 100);
        run.simulate("b", 10, 100 + 100 * (round % 2));
    }
    assert_eq!(run.sampler.launches(), (60, 60));
}

#[test]
fn kernel_that_does_not_come_back_keeps_no_other_waiting() {
    let mut run = Run::default();
    run.rounds(4, &["a", "b"]);
    run.rounds(8, &["a", "b"]);
    // The gap is over: b waits for a launch that never comes, but not for ever.
    let shown = run.rounds(1, &["b"]) + &run.rounds(20, &["a"]);
    assert_eq!(shown, format!("sss{}ss", ".".repeat(16)));
}

#[test]
fn launch_ahead_is_withheld_where_the_next_gap_begins() {
    let mut run = Run::default();
    let head = kernel("k");
    let mut shown = String::new();
    let mut is_ahead = false;
    for _ in 0..40 {
        if !is_ahead && run.sampler.skips(&head) {
            run.sampler.skip(&head, 10);
            shown.push('.');
            continue;
        }
        is_ahead = !run.sampler.will_skip(&head, &head);
        run.cycles += 100;
        run.sampler.simulate(&head, 10, 100, &[]);
        shown.push('s');
    }
    // The fifth is on its way before the fourth shows that the kernel is steady.
    let gaps = [8, 16].map(|gap| ".".repeat(gap));
    assert_eq!(shown[..33], format!("sssss{}ss{}ss", gaps[0], gaps[1]));
}

#[test]
fn other_grids_and_buffers_are_other_groups() {
    let mut repeats = Repeats::default();
    let kernels = [kernel("a"), kernel("b"), KernelHead { grid: [32, 1, 1], ..kernel("a") }];
    for head in kernels.iter().cycle().take(3 * 7) {
        repeats.add(head);
    }
    assert_eq!(repeats.most, 7);
}
