//! Random programs on random machines. `DUET_CASES` and `DUET_SEED` make it more and others.

use machine::systems::Shape;
use machine::{MemoryModel, Options, Order, about, go_together, has_policy};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use traces::trace::AtomicOp;
use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::{all, production, run};

/// Of the usual area: pages, and bytes of each that are used.
const PAGES: u64 = 3;
const WINDOW: u64 = 256;

const OPS: [AtomicOp; 9] = [
    AtomicOp::Add,
    AtomicOp::Min,
    AtomicOp::Max,
    AtomicOp::UMin,
    AtomicOp::UMax,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
];

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![
        4 => Just(Who::All),
        1 => (0..70u32).prop_map(Who::Item),
        2 => (0..6u32).prop_map(Who::Group),
        1 => Just(Who::EvenItems),
        1 => (0..6u32, 0..3u32).prop_map(|(g, i)| Who::One(g, i)),
    ]
}

fn place() -> impl Strategy<Value = Place> {
    let strides = || select(vec![0, 1, 4, 8, 16, 36, 64]);
    (0..PAGES, 0..WINDOW, strides(), strides(), any::<bool>()).prop_map(
        |(page, offset, per_item, per_group, page_by_group)| {
            // Half of the places are words that several steps share.
            let offset = if offset < WINDOW / 2 { offset % 32 / 4 * 4 } else { offset };
            Place { page, offset, per_item, per_group, page_by_group }
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let access = |what: BoxedStrategy<What>, sizes: Vec<u64>| {
        (what, who(), place(), select(sizes), prop::bool::weighted(0.8), 0..3u32).prop_map(
            |(what, who, place, size, aligned, gap)| Step::Access {
                what,
                who,
                place,
                size,
                aligned,
                gap,
            },
        )
    };
    let sizes = || vec![4, 4, 8, 1, 2, 16];
    prop_oneof![
        8 => access(Just(What::Load).boxed(), sizes()),
        8 => access(Just(What::Store).boxed(), sizes()),
        4 => access(select(OPS.to_vec()).prop_map(What::Atomic).boxed(), vec![4, 8]),
        2 => Just(Step::Barrier),
        1 => Just(Step::Fence),
    ]
}

/// Steps of single work-items of one group on one word: what they load has one right value where a
/// barrier or no other wave comes between.
fn own_step() -> impl Strategy<Value = Step> {
    let what = prop_oneof![
        3 => Just(What::Load),
        2 => Just(What::Store),
        2 => select(OPS.to_vec()).prop_map(What::Atomic),
    ];
    let spot = (0..2u64, 0..2u64, 0..2u32);
    (what, spot, select(vec![0u32, 0, 1, 40]), select(vec![4u64, 8]), 0..3u32).prop_map(
        |(what, (page, word, group), item, size, gap)| {
            let offset = WINDOW / 2 + word * 16;
            let (per_item, per_group) = (0, 0);
            let place = Place { page, offset, per_item, per_group, page_by_group: false };
            Step::Access { what, who: Who::One(group, item), place, size, aligned: true, gap }
        },
    )
}

fn kernel() -> impl Strategy<Value = Kernel> {
    let write = (0..PAGES, 0..24u64, 1..8u64).prop_map(|(p, at, n)| (p * 4096 + at * 8, n * 8));
    let own = prop_oneof![5 => own_step(), 1 => step(), 1 => Just(Step::Barrier)];
    (
        prop::collection::vec(write, 0..3),
        0..=7u32,
        select(vec![1u32, 2, 5, 33, 64, 70]),
        prop_oneof![prop::collection::vec(step(), 1..10), prop::collection::vec(own, 1..16),],
        any::<bool>(),
        select(vec![Labels::None, Labels::Whole, Labels::Pages, Labels::Ranges]),
    )
        .prop_map(|(writes, groups, items, steps, read, labels)| Kernel {
            labels,
            writes,
            groups,
            items,
            steps,
            read,
        })
}

fn program(kernels: usize) -> impl Strategy<Value = Program> {
    prop::collection::vec(kernel(), 1..=kernels).prop_map(Program)
}

/// Cycles of a level: each level is slow or fast on its own, from 1 to 3000 evenly in its
/// logarithm.
fn latency(least: u32) -> impl Strategy<Value = u32> {
    (0..12u32, 0..2048u32).prop_map(move |(bits, low)| {
        let power = 1 << bits;
        (power + low % power).clamp(least, 3000)
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let machine = (
        1..=2u16,
        1..=3u16,
        1..=2u16,
        select(vec![32u32, 64, 128]),
        select(vec![1000u32, 1801, 2500]),
    );
    let cu = (3..=6u32, select(vec![32u32, 64]), 1..=4u32, select(vec![1u32, 3, 16]));
    let caches = (
        (select(all("l1.design")), 1..=2u32, 1..=2u32, 1..=2u32, latency(1)),
        (select(all("l2.policy")), 1..=2u32, 1..=2u32, 1..=2u16, 1..=2u32, latency(1)),
        (0..=2u32, 1..=2u32, 1..=2u16, 1..=2u32, latency(1)),
    );
    let mut l2_designs = all("l2.design");
    l2_designs.retain(|name| about("l2.design", name).unwrap().1 >= MemoryModel::Rc);
    let directory = (
        select(vec![1u32, 2, 4]),
        1..=3u32,
        select(vec![2u32, 4, 16]),
        select(vec!["lru".to_string(), "fifo".to_string()]),
        2..=3u32,
    );
    let memory = (
        (select(vec![4u32, 64]), 1..=3u32, latency(1)),
        (prop::bool::weighted(0.3), select(vec![0u32, 0, 32])),
    );
    let network = (latency(2), latency(2), select(vec![4u32, 16, 136]), 1..=3u32);
    let links = (
        (latency(2), select(vec![4u32, 64]), 1..=2u32, 1..=2u32),
        (2..=6u32, select(vec![1u32, 8, 32]), latency(2)),
    );
    let egress = (
        // A copy takes 5000 cycles to start: less often.
        prop_oneof![4 => select(all("egress.design")), 3 => Just("finepack".to_string())],
        select(vec!["paper".to_string(), "small".to_string(), "single-bank".to_string()]),
        select(vec![0u16, 20]),
    );
    let rest = (
        (0..50u32, 1..=200u32, 0..=55u32),
        select(all("placement.policy")),
        select(l2_designs),
        directory,
        ([keeps("sharing.l1"), keeps("sharing.l2")], select(all("cu.scheduler"))),
        [any::<bool>(), any::<bool>(), any::<bool>()],
        any::<bool>(),
    );
    (machine, cu, caches, memory, network, links, egress, rest).prop_map(
        |(m, cu, (l1, l2, l3), memory, network, links, egress, rest)| {
            legal(Shape {
                gpus: m.0,
                chiplets: m.1,
                cus: m.2,
                line: m.3,
                clock: m.4,
                waves: cu.0,
                lanes: cu.1,
                loads: cu.2,
                transactions: cu.3,
                l1,
                l2,
                l3,
                memory: memory.0,
                dram: memory.1,
                network,
                chiplet_link: links.0,
                gpu_link: links.1,
                egress,
                command_processor: rest.0,
                placement: rest.1,
                l2_design: rest.2,
                directory: rest.3,
                sharing: rest.4.0.into(),
                scheduler: rest.4.1,
                through: rest.5[0],
                home_aware: rest.5[1],
                ahead: rest.5[2],
                rotate: rest.6,
            })
        },
    )
}

/// A policy of what a cache keeps.
fn keeps(field: &str) -> impl Strategy<Value = String> {
    prop_oneof![2 => Just("lru".to_string()), 1 => select(all(field))]
}

/// The nearest shape that can be built.
fn legal(shape: Shape) -> Shape {
    let mut shape = complete(shape);
    if shape.l1.0.starts_with("race-") {
        (shape.gpus, shape.line, shape.cus) = (1, 128, shape.cus.max(2));
        shape.l2.0 = "home-forward".into();
        if shape.chiplets > 1 && !has_policy(&shape.l2_design) {
            shape.l2_design = "software".into();
        }
    }
    if shape.load().is_err_and(|error| error.to_string().contains("sharing.l1")) {
        shape.sharing.0 = "lru".into();
    }
    if shape.load().is_err_and(|error| error.to_string().contains("sharing.l2")) {
        shape.sharing.1 = "lru".into();
    }
    if shape.load().is_err_and(|error| error.to_string().contains("placement.policy")) {
        shape.placement = "first-touch".into();
    }
    match shape.load() {
        Err(error) if error.to_string().contains("with l1.design = ") => complete(Shape {
            l1: ("src".into(), shape.l1.1, shape.l1.2, shape.l1.3, shape.l1.4),
            ..shape
        }),
        _ => shape,
    }
}

/// One whose designs go together, with what they need.
fn complete(mut shape: Shape) -> Shape {
    if !go_together(&shape.l1.0, &shape.l2_design) {
        let own = go_together(&shape.l1.0, "own");
        shape.l2_design = if own { "own" } else { "software" }.into();
    }
    if has_policy(&shape.l2_design) {
        return shape;
    }
    shape.line = shape.line.max(64);
    (shape.l2.2, shape.l2.4) = (shape.l2.2.max(2), shape.l2.4.max(2));
    // Its blocks have lines that are long enough.
    shape.egress.1 = "paper".into();
    shape
}

/// The program passes, and however the machine is simulated it is the same run.
fn check((program, streams): &(Program, u64), shape: &Shape, seed: u64) -> Result<(), String> {
    let trace = match *streams {
        1 => program.record(),
        streams => program.record_in_streams(streams, seed),
    };
    let system = shape.system();
    let text = |e: machine::RunError| e.to_string();
    let plain = run(&system, &trace, Options::default()).map_err(text)?;
    let mut ways = vec![Options { order: Order::Shuffled(seed), ..Options::default() }];
    // Threads that wait for a core wait for each other in each cycle.
    if plain.cycles < 10_000 {
        ways.push(Options { threads: 2 + ((seed ^ plain.cycles) % 3) as u8, ..Options::default() });
    }
    // Every component in every cycle is slow where cycles are many.
    if plain.cycles < 30_000 {
        ways.push(Options { visit_all: true, ..Options::default() });
    }
    for options in ways {
        let other =
            run(&system, &trace, options).map_err(|e| format!("{:?}: {e}", options.order))?;
        if other != plain {
            let differ = plain.statistics.iter().zip(&other.statistics).find(|(a, b)| a != b);
            let cycles = (plain.cycles, other.cycles);
            return Err(format!("{options:?} changes the run: {cycles:?} cycles, {differ:?}"));
        }
    }
    Ok(())
}

/// Several GPUs whose pages have copies, under designs that allow it.
fn with_copies() -> impl Strategy<Value = Shape> {
    let mut placements = all("placement.policy");
    placements.retain(|name| name.starts_with("replicated"));
    let l1 = select(vec!["src".to_string(), "none".to_string()]);
    let l2 = select(vec!["software".to_string(), "cpelide".to_string()]);
    (shape(), 2..=4u16, select(placements), l1, l2).prop_map(|(shape, gpus, placement, l1, l2)| {
        let mut shape = Shape { gpus, placement, l2_design: l2, ..shape };
        (shape.l1.0, shape.sharing.0) = (l1, "lru".into());
        shape
    })
}

#[test]
fn random_programs_pass_on_random_machines() {
    pass(1000, program(4).prop_map(|program| (program, 1)), shape());
}

#[test]
fn random_programs_pass_where_pages_have_copies() {
    pass(300, program(4).prop_map(|program| (program, 1)), with_copies());
}

/// One GPU under designs whose kernels may overlap.
fn overlapping() -> impl Strategy<Value = Shape> {
    let l1 = select(vec!["src".to_string(), "none".to_string()]);
    let mut designs = production("l2.design");
    designs.retain(|name| name != "own" && name != "none");
    (shape(), l1, select(designs)).prop_map(|(shape, l1, l2)| {
        let mut shape = Shape { gpus: 1, l2_design: l2, ..shape };
        (shape.l1.0, shape.sharing.0) = (l1, "lru".into());
        legal(shape)
    })
}

#[test]
fn random_programs_of_several_streams_pass_on_random_machines() {
    pass(600, (program(8), 2..=4u64), overlapping());
}

fn pass(
    cases: u32,
    programs: impl Strategy<Value = (Program, u64)>,
    shapes: impl Strategy<Value = Shape>,
) {
    let number = |name: &str, or: u64| {
        std::env::var(name).map_or(or, |v| v.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    let (cases, seed) = (number("DUET_CASES", cases.into()) as u32, number("DUET_SEED", 1));
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        max_shrink_iters: 4000,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&(programs, shapes), |(program, shape)| {
        check(&program, &shape, seed).map_err(TestCaseError::fail)
    });
    if let Err(TestError::Fail(why, (program, shape))) = &result {
        panic!("seed {seed}: {why}\n{program:#?}\n{shape:#?}");
    }
    result.unwrap();
}
