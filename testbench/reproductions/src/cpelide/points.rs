//! The machines of the experiment: the paper's divided by its family's factor, what is compared
//! with CPElide, other numbers of chiplets, and what figures change besides.

use cosim::body::BodyKind;
use firmware_embed::ELVES;
use machine::systems;
use machine::{Cp, System};

use crate::experiment::Point;

/// Chiplets of the paper's machine.
pub const CHIPLETS: u16 = 4;

/// What each number of chiplets is run with: name, and `l2.design`.
const DESIGNS: [(&str, &str); 3] =
    [("baseline", "software"), ("cpelide", "cpelide"), ("hmg", "hmg")];

/// Names of machines with other numbers of chiplets, in the order of [`DESIGNS`].
const OTHERS: [(u16, [&str; 3]); 5] = [
    (2, ["baseline-2", "cpelide-2", "hmg-2"]),
    (6, ["baseline-6", "cpelide-6", "hmg-6"]),
    (7, ["baseline-7", "cpelide-7", "hmg-7"]),
    (8, ["baseline-8", "cpelide-8", "hmg-8"]),
    (16, ["baseline-16", "cpelide-16", "hmg-16"]),
];

/// The machine on which the firmware's own instructions take their time, where this build has an
/// image.
pub const MEASURED: &str = "cpelide-measured";

/// All machines. Panics where one cannot be built: they are constants.
pub fn all() -> Vec<Point> {
    let mut points = Vec::new();
    for (name, design) in DESIGNS {
        points.push(point(name, CHIPLETS, design, |_| {}));
    }
    points.push(point("baseline-home", CHIPLETS, "software", home));
    points.push(point("cpelide-home", CHIPLETS, "cpelide", home));
    // The decision always ran ahead.
    points.push(point("cpelide-hidden", CHIPLETS, "cpelide", |s| {
        s.command_processor.elide_cycles = 0;
    }));
    // Its L2 is one for all CUs: no boundary of kernels concerns it, and no decision is paid.
    points.push(point("monolithic", CHIPLETS, "cpelide", monolithic));
    for (chiplets, names) in OTHERS {
        for (name, (_, design)) in names.into_iter().zip(DESIGNS) {
            points.push(point(name, chiplets, design, |_| {}));
        }
    }
    if !ELVES.is_empty() {
        let cp = Cp::Core(BodyKind::Model);
        points.push(Point { cp, ..point(MEASURED, CHIPLETS, "cpelide", |_| {}) });
    }
    points
}

fn point(name: &'static str, chiplets: u16, design: &str, change: fn(&mut System)) -> Point {
    let mut system =
        systems::load(&format!("cpelide-{chiplets}-small"), &[]).expect("it is a preset");
    system.name = name.to_string();
    system.l2.design = design.to_string();
    change(&mut system);
    system.check().unwrap_or_else(|e| panic!("{name}: {e}"));
    Point { name, system, cp: Cp::Native }
}

fn home(system: &mut System) {
    system.l2.policy = "home-forward".to_string();
}

/// Section I: all CUs, L2 banks, L3 slices and memory channels on one die.
fn monolithic(system: &mut System) {
    let chiplets = std::mem::replace(&mut system.machine.chiplets, 1);
    system.machine.cus *= chiplets;
    system.l2.bytes *= u64::from(chiplets);
    system.l2.banks *= chiplets;
    system.l3.slices *= chiplets;
}
