//! The machines of the experiment: the paper's, or divided by its family's factor, what is compared
//! with CPElide, other numbers of chiplets, and what figures change besides.

use cosim::body::BodyKind;
use firmware_embed::ELVES;
use machine::systems;
use machine::{Cp, System};

use crate::experiment::Point;

/// Chiplets of the paper's machine.
pub const CHIPLETS: u16 = 4;

/// Changes the paper's machine.
type Change = fn(&mut System);

/// The paper's machine with its 2 us for a packet and 6 us for a decision: name, `l2.design`, what
/// is changed.
const FIXED: [(&str, &str, Change); 8] = [
    ("baseline", "software", |_| {}),
    ("cpelide", "cpelide", |_| {}),
    ("hmg", "hmg", through),
    ("hmg-back", "hmg", |_| {}),
    ("baseline-home", "software", home),
    ("cpelide-ahead", "cpelide", ahead),
    ("cpelide-home-ahead", "cpelide", home_ahead),
    ("cpelide-aware", "cpelide", aware),
];

/// Likewise, on machines that are divided: a chiplet of the full machine cannot have all its CUs.
const DIVIDED: [(&str, &str, Change); 3] = [
    // Its L2 is one for all CUs: no boundary of kernels concerns it, and no decision is paid.
    ("monolithic", "cpelide", monolithic),
    ("cpelide-home", "cpelide", home),
    // The decision takes no time.
    ("cpelide-hidden", "cpelide", |s| s.command_processor.elide_cycles = 0),
];

/// The machine whose figures are about the firmware.
pub const MEASURED: &str = "cpelide-measured";

/// The same on which the firmware's own instructions take their time, where this build has an
/// image.
const MEASURED_ALL: [(&str, &str, Change); 6] = [
    (MEASURED, "cpelide", |_| {}),
    ("baseline-measured", "software", |_| {}),
    ("baseline-home-measured", "software", home),
    ("cpelide-ahead-measured", "cpelide", ahead),
    ("cpelide-home-ahead-measured", "cpelide", home_ahead),
    ("cpelide-aware-measured", "cpelide", aware),
];

/// CPElide that decides ahead, and the baseline of the same policy.
pub struct Variant {
    /// The L2 policy with its table, and what a decision takes.
    pub name: &'static str,
    /// Its machine.
    pub machine: &'static str,
    /// That of the baseline.
    pub base: &'static str,
}

/// All of them: what a decision takes is the paper's constant, or the firmware's own cycles.
pub const VARIANTS: [Variant; 6] = [
    variant("private, 6 us", "cpelide-ahead", "baseline"),
    variant("home-forward, 6 us", "cpelide-home-ahead", "baseline-home"),
    variant("home-aware, 6 us", "cpelide-aware", "baseline-home"),
    variant("private, firmware", "cpelide-ahead-measured", "baseline-measured"),
    variant("home-forward, firmware", "cpelide-home-ahead-measured", "baseline-home-measured"),
    variant("home-aware, firmware", "cpelide-aware-measured", "baseline-home-measured"),
];

const fn variant(name: &'static str, machine: &'static str, base: &'static str) -> Variant {
    Variant { name, machine, base }
}

/// What each other number of chiplets is run with.
const DESIGNS: [&str; 3] = ["software", "cpelide", "hmg"];

/// Names of machines with other numbers of chiplets, in the order of [`DESIGNS`].
const OTHERS: [(u16, [&str; 3]); 5] = [
    (2, ["baseline-2", "cpelide-2", "hmg-2"]),
    (6, ["baseline-6", "cpelide-6", "hmg-6"]),
    (7, ["baseline-7", "cpelide-7", "hmg-7"]),
    (8, ["baseline-8", "cpelide-8", "hmg-8"]),
    (16, ["baseline-16", "cpelide-16", "hmg-16"]),
];

/// All machines at a scale; at full size those of four chiplets. Panics where one cannot be built:
/// they are constants.
pub fn all(scale: u32) -> Vec<Point> {
    let of = |&(name, design, change): &(&'static str, &str, Change)| {
        point(scale, CHIPLETS, name, design, change)
    };
    let mut points: Vec<_> = FIXED.iter().map(of).collect();
    if scale > 1 {
        points.extend(DIVIDED.iter().map(of));
        for (chiplets, names) in OTHERS {
            for (name, design) in names.into_iter().zip(DESIGNS) {
                let change = if design == "hmg" { through } else { |_: &mut System| {} };
                points.push(point(scale, chiplets, name, design, change));
            }
        }
    }
    if !ELVES.is_empty() {
        let cp = Cp::Core(BodyKind::Model);
        points.extend(MEASURED_ALL.iter().map(|machine| Point { cp, ..of(machine) }));
    }
    points
}

fn point(scale: u32, chiplets: u16, name: &'static str, design: &str, change: Change) -> Point {
    let twin = if scale > 1 { "-small" } else { "" };
    let preset = format!("cpelide-{chiplets}{twin}");
    let mut system = systems::load(&preset, &[]).expect("it is a preset");
    assert_eq!(system.scale, scale, "{preset}");
    system.name = name.to_string();
    system.l2.design = design.to_string();
    change(&mut system);
    system.check().unwrap_or_else(|e| panic!("{name}: {e}"));
    Point { name, system, cp: Cp::Native }
}

/// Section IV-C: HMG as it is evaluated.
fn through(system: &mut System) {
    system.directory.writes = "through".to_string();
}

fn home(system: &mut System) {
    system.l2.policy = "home-forward".to_string();
}

/// Section IV-B: the 6 us are hidden but for the first kernel.
fn ahead(system: &mut System) {
    system.command_processor.ahead = true;
}

fn home_ahead(system: &mut System) {
    home(system);
    ahead(system);
}

/// Specification 5.9: the table knows that a line has one copy under `home-forward`.
fn aware(system: &mut System) {
    home_ahead(system);
    system.command_processor.home_aware = true;
}

/// Section I: all CUs, L2 banks, L3 slices and memory channels on one die.
fn monolithic(system: &mut System) {
    let chiplets = std::mem::replace(&mut system.machine.chiplets, 1);
    system.machine.cus *= chiplets;
    system.l2.bytes *= u64::from(chiplets);
    system.l2.banks *= chiplets;
    system.l3.slices *= chiplets;
}
