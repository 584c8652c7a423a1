//! Every built-in program on machines of all kinds under all designs that a user may want, on
//! blocks of all bodies: any two of program, machine, designs, policies and bodies together. With
//! `DUET_SOAK` in the environment (`make soak`) every combination is run, on bodies in turn.
//! Designs for tests have tests of their own (`extension_points`, `random`).

use std::sync::LazyLock;

use cosim::body::BodyKind;
use machine::{Bodies, MemoryModel, Options, System, go_together, has_policy, plan, promises};
use traces::kernels::{PROGRAMS, Params, Program};
use traces::trace::Reader;

use super::cover::{covering, product};
use super::{Outcome, accepted, all, built_in, production, run_on};

/// Fields and their values.
type Fields = &'static [(&'static str, &'static str)];

/// Of one chiplet, of several, of an odd number; one GPU, two of two chiplets, two, four.
const MACHINES: [(&str, Fields); 8] = [
    ("cpelide-4-small", &[]),
    ("cpelide-2-small", &[("machine.gpus", "2")]),
    ("cpelide-2-small", &[("machine.chiplets", "3"), ("l3.bytes", "196608")]),
    ("finepack-4gpu-small", &[("machine.gpus", "2")]),
    ("finepack-4gpu-small", &[]),
    ("stc-8cu-small", &[]),
    ("stc-8cu-small", &[("cu.exclusive_lines", "true")]),
    ("fermi-16sm-8p-small", &[]),
];

/// Who computes a machine's blocks.
#[derive(Clone, Copy, Debug)]
pub enum Blocks {
    All(BodyKind),
    /// Neighbours have different bodies, of which this is the first's.
    Mixed(BodyKind),
    /// Models, and no component skips idle cycles.
    Visited,
}

/// Of rows that bring as many pairs the last is chosen, which should not take long.
const BLOCKS: [Blocks; 7] = [
    Blocks::Visited,
    Blocks::All(BodyKind::Rtl),
    Blocks::All(BodyKind::Lockstep),
    Blocks::Mixed(BodyKind::Model),
    Blocks::Mixed(BodyKind::Rtl),
    Blocks::Mixed(BodyKind::Lockstep),
    Blocks::All(BodyKind::Model),
];

/// Sizes of programs that take most of the time with their own: still of several work-groups.
const SMALLER: [(&str, u32); 5] = [
    ("sssp", 128),
    ("pagerank_push", 128),
    ("kmeans", 128),
    ("color_max", 512),
    ("floyd_warshall", 18),
];

impl Blocks {
    /// Bodies for the blocks of this machine.
    fn of(self, system: &System) -> Bodies {
        let first = match self {
            Self::All(kind) => return Bodies::all(kind),
            Self::Mixed(first) => first,
            Self::Visited => return Bodies::default(),
        };
        let sockets = plan(system, &Bodies::default()).unwrap();
        let kinds = BodyKind::ALL.iter().cycle().skip_while(|&&kind| kind != first);
        let with = |bodies: Bodies, (number, &kind)| bodies.with(sockets.block(number).name, kind);
        sockets.first_of_each().into_iter().zip(kinds).fold(Bodies::default(), with)
    }
}

/// The system of a machine with these designs, where they go together and promise values. Launches
/// are decided ahead, tables know that lines have one copy, and coherent L2s write through, in
/// every second `turn`.
fn combined(machine: usize, designs: [&str; 5], turn: usize) -> Option<System> {
    let (preset, fields) = MACHINES[machine];
    let [l1, l2, policy, placement, egress] = designs;
    let may_know = l2 == "cpelide" && policy == "home-forward";
    let flag = |is_set: bool| if is_set { "true" } else { "false" };
    let designs = [
        ("l1.design", l1),
        ("l2.design", l2),
        ("l2.policy", policy),
        ("placement.policy", placement),
        ("egress.design", egress),
        ("command_processor.home_aware", flag(may_know && turn / 2 % 2 == 1)),
        ("directory.writes", if turn / 2 % 2 == 1 { "through" } else { "back" }),
    ];
    // What means nothing stays at its first value.
    let idle = !has_policy(l2) && policy != all("l2.policy")[0];
    if idle || !go_together(l1, l2) {
        return None;
    }
    let system = accepted(preset, &[fields, &designs].concat())?;
    let ahead = ("command_processor.ahead", flag(system.machine.gpus == 1 && turn % 2 == 1));
    let system = accepted(preset, &[fields, &designs, &[ahead]].concat())?;
    let system = aware(preset, &[fields, &designs, &[ahead]].concat(), turn).unwrap_or(system);
    let idle = system.machine.gpus == 1 && egress != all("egress.design")[0];
    (!idle && promises(&system).unwrap() >= MemoryModel::Rc).then_some(system)
}

/// The system with a scheduler of work-groups, and with caches that keep what is shared, in turns;
/// where the machine can have them.
fn aware(preset: &str, set: &[(&str, &str)], turn: usize) -> Option<System> {
    let schedulers = production("cu.scheduler");
    let keeps = [("sharing.l1", turn / 4 % 2), ("sharing.l2", turn / 8 % 2)];
    let keeps = keeps.into_iter().filter(|(_, of_two)| *of_two == 1);
    let keeps = keeps.map(|(field, _)| (field, "sharing-aware"));
    let scheduler = ("cu.scheduler", schedulers[turn % schedulers.len()].as_str());
    let may = |own: &(&str, &str)| accepted(preset, &[set, &[*own]].concat()).is_some();
    let all: Vec<_> = keeps.chain([scheduler]).filter(may).collect();
    accepted(preset, &[set, &all].concat())
}

/// Names of the designs and policies that are combined.
static DESIGNS: LazyLock<[Vec<String>; 5]> = LazyLock::new(|| {
    [
        production("l1.design"),
        production("l2.design"),
        all("l2.policy"),
        all("placement.policy"),
        all("egress.design"),
    ]
});

/// The system of a row: numbers of a machine and of its designs.
fn of_row(row: &[usize]) -> Option<System> {
    let value = |field: usize| DESIGNS[field][row[field + 1]].as_str();
    let turn = row[..=DESIGNS.len()].iter().sum();
    combined(row[0], std::array::from_fn(value), turn)
}

/// Numbers of every machine with all designs that go together. Each needs its system: several tests
/// take them from here.
static ROWS: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let levels: Vec<_> = DESIGNS.iter().map(Vec::len).collect();
    let all = product(&[&[MACHINES.len()], &levels[..]].concat());
    all.into_iter().filter(|row| of_row(row).is_some()).collect()
});

/// Systems that together have any two designs that go together, on any machine.
pub fn any_two_designs() -> Vec<System> {
    covering(ROWS.clone()).iter().filter_map(|row| of_row(row)).collect()
}

/// Runs these programs with every two designs on every machine, on blocks of these bodies.
pub fn all_pass(programs: &[Reader], blocks: &[Blocks]) {
    let rest = product(&[programs.len(), blocks.len()]);
    let with = |row: &'static Vec<usize>| rest.iter().map(move |rest| [row, &rest[..]].concat());
    let all: Vec<_> = ROWS.iter().flat_map(with).collect();
    let chosen = if std::env::var_os("DUET_SOAK").is_some() {
        // Each on bodies of one kind, in turn.
        let bodies = blocks.len();
        let of_turn = |(number, row)| (number % bodies == number / bodies % bodies).then_some(row);
        all.into_iter().enumerate().filter_map(of_turn).collect()
    } else {
        covering(all)
    };
    for row in chosen {
        let [machine @ .., program, body] = &row[..] else { unreachable!("two more than fields") };
        same(&of_row(machine).unwrap(), &programs[*program], blocks[*body]);
    }
}

/// Runs a program on models and on these bodies: all values are right, and all else is the same.
fn same(system: &System, program: &Reader, blocks: Blocks) {
    let run = |bodies: &Bodies, visit_all: bool| -> Outcome {
        let options = Options { compare_lines: 16, visit_all, ..Options::default() };
        run_on(system, bodies, program, options)
            .unwrap_or_else(|e| panic!("{} on {}, {blocks:?}: {e}", program.name(), system.name))
    };
    let outcome = run(&Bodies::default(), false);
    println!(
        "{:<14} {} x {}  {:<9} {:<10} {:<13} {:<12} {:<15} {:<15} {:>8} cycles, {:.3} determined",
        program.name(),
        system.machine.gpus,
        system.machine.chiplets,
        system.l1.design,
        system.l2.design,
        system.l2.policy,
        system.placement.policy,
        if system.machine.gpus > 1 { &system.egress.design } else { "" },
        format!("{blocks:?}"),
        outcome.cycles,
        outcome.determined(),
    );
    assert_eq!(outcome.checked.loads, program.totals().loads);
    assert_eq!(outcome.checked.determined, program.totals().loads_determined);
    assert_eq!(outcome.checked.atomics, program.totals().atomics);
    if !matches!(blocks, Blocks::All(BodyKind::Model)) {
        let other = run(&blocks.of(system), matches!(blocks, Blocks::Visited));
        assert_eq!(other, outcome, "{} on {}, {blocks:?}", program.name(), system.name);
    }
}

#[test]
fn every_program_passes_with_any_two_designs_on_any_machine() {
    let of = |program: &Program| {
        let smaller = SMALLER.iter().find(|(name, _)| *name == program.name);
        let size = smaller.map_or(program.size.default, |(_, size)| *size);
        built_in(program.name, &Params { size, ..program.params() })
    };
    let programs: Vec<_> = PROGRAMS.iter().map(of).collect();
    all_pass(&programs, &BLOCKS);
}
