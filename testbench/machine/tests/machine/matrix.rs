//! Every built-in program on machines of all kinds under all designs that a user may want: any two
//! of program, machine, designs and policies together. With `DUET_SOAK` in the environment
//! (`make soak`) every combination is run. Designs for tests have tests of their own (`seams`,
//! `random`).

use machine::{MemoryModel, System, go_together, has_policy, promises};
use traces::kernels::PROGRAMS;
use traces::trace::Reader;

use super::cover::{covering, product};
use super::shape::{all, production};
use super::{accepted, by_default, passes};

/// Fields and their values.
type Fields = &'static [(&'static str, &'static str)];

/// Of one chiplet, of several, of an odd number; one GPU, two of two chiplets, two, four.
const MACHINES: [(&str, Fields); 7] = [
    ("cpelide-4-small", &[]),
    ("cpelide-2-small", &[("machine.gpus", "2")]),
    ("cpelide-2-small", &[("machine.chiplets", "3"), ("l3.bytes", "196608")]),
    ("finepack-4gpu-small", &[("machine.gpus", "2")]),
    ("finepack-4gpu-small", &[]),
    ("stc-8cu-small", &[]),
    ("stc-8cu-small", &[("cu.exclusive_lines", "true")]),
];

/// The system of a machine with these designs, where they go together and promise values.
fn combined(machine: usize, [l1, l2, policy, placement, egress]: [&str; 5]) -> Option<System> {
    let (preset, fields) = MACHINES[machine];
    let designs = [
        ("l1.design", l1),
        ("l2.design", l2),
        ("l2.policy", policy),
        ("placement.policy", placement),
        ("egress.design", egress),
    ];
    // What means nothing stays at its first value.
    let idle = !has_policy(l2) && policy != all("l2.policy")[0];
    if idle || !go_together(l1, l2) {
        return None;
    }
    let system = accepted(preset, &[fields, &designs].concat())?;
    let idle = system.machine.gpus == 1 && egress != all("egress.design")[0];
    (!idle && promises(&system).unwrap() >= MemoryModel::Rc).then_some(system)
}

/// Runs these programs with every two designs on every machine.
pub fn all_pass(programs: &[Reader]) {
    let fields = [
        production("l1.design"),
        production("l2.design"),
        all("l2.policy"),
        all("placement.policy"),
        all("egress.design"),
    ];
    let levels: Vec<_> = fields.iter().map(Vec::len).collect();
    let system = |row: &[usize]| {
        let value = |field: usize| fields[field][row[field + 1]].as_str();
        combined(row[0], std::array::from_fn(value))
    };
    let machines = product(&[&[MACHINES.len()], &levels[..]].concat());
    let machines = machines.into_iter().filter(|row| system(row).is_some());
    let with =
        |row: Vec<usize>| (0..programs.len()).map(move |program| [&row[..], &[program]].concat());
    let all = machines.flat_map(with).collect();
    for row in if std::env::var_os("DUET_SOAK").is_some() { all } else { covering(all) } {
        let (&program, machine) = row.split_last().unwrap();
        report(&system(machine).unwrap(), &programs[program]);
    }
}

fn report(system: &System, program: &Reader) {
    let outcome = passes(system, program);
    println!(
        "{:<14} {} x {}  {:<9} {:<10} {:<13} {:<12} {:<15} {:>8} cycles, {:.3} determined",
        program.name(),
        system.machine.gpus,
        system.machine.chiplets,
        system.l1.design,
        system.l2.design,
        system.l2.policy,
        system.placement.policy,
        if system.machine.gpus > 1 { &system.egress.design } else { "" },
        outcome.cycles,
        outcome.determined(),
    );
    assert_eq!(outcome.checked.loads, program.totals().loads);
    assert_eq!(outcome.checked.determined, program.totals().loads_determined);
    assert_eq!(outcome.checked.atomics, program.totals().atomics);
}

#[test]
fn every_program_passes_with_any_two_designs_on_any_machine() {
    let programs: Vec<_> = PROGRAMS.iter().map(|program| by_default(program.name)).collect();
    all_pass(&programs);
}
