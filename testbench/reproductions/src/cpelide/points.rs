//! The machines of the experiment: the paper's, or divided by its family's factor, what is compared
//! with CPElide, other numbers of chiplets, and what figures change besides.

use cosim::body::BodyKind;
use firmware::image::ELVES;
use machine::systems;
use machine::{Cp, System};

use crate::experiment::Point;

/// Chiplets of the paper's machine.
pub const CHIPLETS: u16 = 4;

/// Changes the paper's machine.
type Change = fn(&mut System);

/// The paper's machine with its 2 us for a packet and 6 us for a decision: name, `l2.design`, what
/// is changed.
const FIXED: [(&str, &str, Change); 9] = [
    ("baseline", "software", |_| {}),
    ("hmg", "hmg", through),
    ("hmg-back", "hmg", |_| {}),
    ("baseline-home", "software", home),
    ("cpelide-ahead", "cpelide", ahead),
    ("cpelide-home-ahead", "cpelide", home_ahead),
    ("cpelide-aware", "cpelide", aware),
    (INSTANT_BASE, "software", instant_base),
    (INSTANT, "cpelide", instant),
];

/// Likewise, where a chiplet can have all CUs: on machines that are divided. Its L2 is one for all
/// CUs: no boundary of kernels concerns it, and no decision is paid.
const MONOLITHIC: (&str, &str, Change) = ("monolithic", "cpelide", monolithic);

/// CPElide as the figures have it: the policy that the paper evaluates, a table that knows that a
/// line has one copy then (specification 5.9), decisions ahead, and the firmware's own cycles.
pub const OURS: &str = "cpelide-aware-measured";
/// The baseline of the same policy, and HMG, in the same firmware.
pub const BASE: &str = "baseline-home-measured";
pub const HMG: &str = "hmg-measured";
/// HMG whose L2s hold no more lines than their directories have entries for, as if lines at home
/// needed some, too.
pub const COVERED: &str = "hmg-covered";
/// HMG of directories with a sixteenth of the entries.
pub const EVICTING: &str = "hmg-evicting";
/// CPElide and its baseline whose packets and decisions take no time.
pub const INSTANT: &str = "cpelide-instant";
pub const INSTANT_BASE: &str = "baseline-instant";
/// CPElide whose decisions overlap no kernel: all their cycles are counted.
pub const UNHIDDEN: &str = "cpelide-unhidden";

/// The same on which the firmware's own instructions take their time, where this build has an
/// image.
const MEASURED: [(&str, &str, Change); 9] = [
    (OURS, "cpelide", aware),
    (UNHIDDEN, "cpelide", unhidden),
    (BASE, "software", home),
    (HMG, "hmg", through),
    (COVERED, "hmg", covered),
    (EVICTING, "hmg", evicting),
    ("baseline-measured", "software", |_| {}),
    ("cpelide-ahead-measured", "cpelide", ahead),
    ("cpelide-home-ahead-measured", "cpelide", home_ahead),
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

/// What other numbers of chiplets run with, with the firmware's own cycles.
const DESIGNS: [(&str, Change); 3] = [("software", home), ("cpelide", aware), ("hmg", through)];

/// [`COVERED`] with seven chiplets.
pub const COVERED_7: &str = "hmg-covered-7";

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
        points.push(of(&MONOLITHIC));
    }
    if ELVES.is_empty() {
        return points;
    }
    let cp = Cp::Core(BodyKind::Model);
    points.extend(MEASURED.iter().map(|machine| Point { cp, ..of(machine) }));
    for (chiplets, names) in OTHERS.into_iter().filter(|_| scale > 1) {
        for (name, (design, change)) in names.into_iter().zip(DESIGNS) {
            points.push(Point { cp, ..point(scale, chiplets, name, design, change) });
        }
    }
    if scale > 1 {
        points.push(Point { cp, ..point(scale, 7, COVERED_7, "hmg", covered) });
    }
    points
}

fn point(scale: u32, chiplets: u16, name: &'static str, design: &str, change: Change) -> Point {
    let suffix = if scale > 1 { "-small" } else { "" };
    let preset = format!("cpelide-{chiplets}{suffix}");
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

/// The ways of each set that directory entries cover.
fn covered(system: &mut System) {
    through(system);
    let lines = |bytes: u64| bytes / u64::from(system.machine.line);
    let covered = u64::from(system.directory.entries) * lines(system.directory.range.into());
    let of_a_way = lines(system.l2.bytes) / u64::from(system.l2.ways);
    let ways = (covered / of_a_way).clamp(1, system.l2.ways.into());
    system.l2.bytes = ways * of_a_way * u64::from(system.machine.line);
    system.l2.ways = ways as u32;
}

/// A sixteenth of the entries, and nothing else changed.
fn evicting(system: &mut System) {
    through(system);
    let least = system.directory.ways * u32::from(system.l2.banks);
    system.directory.entries = (system.directory.entries / 16).max(least);
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

fn instant_base(system: &mut System) {
    home(system);
    system.command_processor.packet_cycles = 0;
}

fn instant(system: &mut System) {
    aware(system);
    system.command_processor.packet_cycles = 0;
    system.command_processor.elide_cycles = 0;
}

fn unhidden(system: &mut System) {
    aware(system);
    system.command_processor.ahead = false;
}

/// Section I: all CUs, L2 banks, L3 slices and memory channels on one die.
fn monolithic(system: &mut System) {
    let chiplets = std::mem::replace(&mut system.machine.chiplets, 1);
    system.machine.cus *= chiplets;
    system.l2.bytes *= u64::from(chiplets);
    system.l2.banks *= chiplets;
    system.l3.slices *= chiplets;
}
