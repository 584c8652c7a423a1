//! A run does not depend on the order of visits, on skipping, or on anything but its input.

use machine::{Options, Order, System};
use traces::trace::Reader;

use super::{Outcome, built_in, run, system};

fn small(name: &str, size: u32) -> Reader {
    let params = traces::kernels::program::<()>(name).unwrap().params();
    built_in(name, &traces::kernels::Params { size, iterations: 2, ..params })
}

fn with(system: &System, program: &Reader, options: Options) -> Outcome {
    run(system, program, options).unwrap_or_else(|e| panic!("{}: {e}", program.name()))
}

/// Programs and machines: one GPU of chiplets, two GPUs with each policy, links slower than the
/// clock.
fn runs() -> Vec<(System, Reader)> {
    let chiplets = system("cpelide-4-small", &[("l3.misses", "2"), ("network.queue", "1")]);
    let two = [("machine.gpus", "2"), ("egress.design", "finepack"), ("network.queue", "1")];
    let forward = system("finepack-4gpu-small", &two);
    let private = system("cpelide-2-small", &[&two[..], &[("l2.policy", "private")]].concat());
    let mut runs = Vec::new();
    for (name, size) in [("stream", 4096), ("pagerank_push", 256), ("sssp", 256), ("locks", 64)] {
        for system in [&chiplets, &forward, &private] {
            runs.push((system.clone(), small(name, size)));
        }
    }
    runs
}

#[test]
fn order_of_visits_and_skipping_change_nothing() {
    for (system, program) in runs() {
        let plain = with(&system, &program, Options::default());
        assert_eq!(plain, with(&system, &program, Options::default()), "run again");
        for seed in 1..=3 {
            let order = Order::Shuffled(seed);
            let other = with(&system, &program, Options { order, ..Options::default() });
            assert_eq!(plain, other, "{} on {}, {order:?}", program.name(), system.name);
        }
        let order = Order::Shuffled(4);
        let other =
            with(&system, &program, Options { order, visit_all: true, ..Options::default() });
        assert_eq!(plain, other, "{} on {}, every visit", program.name(), system.name);
    }
}

/// Watching a byte is for the second run, which must be the same.
#[test]
fn watched_byte_changes_nothing() {
    for (system, program) in runs() {
        let plain = with(&system, &program, Options::default());
        let watch = Some(0x10_0010);
        let other = with(&system, &program, Options { watch, ..Options::default() });
        assert_eq!(plain, other, "{} on {}", program.name(), system.name);
    }
}

/// A perturbed run takes other cycles, the same again from the same seed, and values are right.
#[test]
fn perturbed_runs_differ_in_cycles_alone() {
    for (system, program) in runs() {
        let cycles = |perturb: Option<u64>, order: Order| {
            with(&system, &program, Options { perturb, order, ..Options::default() }).cycles
        };
        let plain = cycles(None, Order::default());
        let [one, two] = [1, 2].map(|seed| cycles(Some(seed), Order::default()));
        let what = format!("{} on {}: {plain}, {one}, {two}", program.name(), system.name);
        assert!(plain != one && one != two, "{what}");
        assert!(plain.abs_diff(one) < plain / 10, "{what}: a few cycles of each way");
        assert_eq!(one, cycles(Some(1), Order::Shuffled(1)), "{what}");
    }
}
