//! Load-to-use latencies beside those of docs/systems.md.

use super::idle::Parts;
use super::programs::{Chase, Program};
use super::row::Row;
use super::runner::{Runner, Spec};
use super::situations::{directories, egress_designs};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[
    Control {
        name: "latency",
        about: "a load on an idle machine has the latency that docs/systems.md lists",
        kind: Kind::SystemFile,
        rows: documented,
    },
    Control {
        name: "latency-under-directories",
        about: "the first load of a line from another home's L2 or memory takes the same time \
                under a directory as under `home-forward`",
        kind: Kind::SystemFile,
        rows: under_directories,
    },
    Control {
        name: "latency-under-egress",
        about: "a load of another GPU's line takes the same time under each egress design: these \
                differ in stores only",
        kind: Kind::SystemFile,
        rows: under_egress,
    },
    Control {
        name: "latency-scaled-down",
        about: "a load of another GPU's line takes the same time on a scaled-down system as on its \
                preset",
        kind: Kind::SystemFile,
        rows: of_twins,
    },
];

const SYSTEMS: &str = include_str!("../../../../docs/systems.md");

/// The documented latencies of a preset: L1, L2, another chiplet's L2, L3, memory.
pub fn latencies(preset: &str) -> [Option<f64>; 5] {
    let start = format!("| `{preset}` |");
    let row = SYSTEMS.lines().find(|line| line.starts_with(&start));
    let row = row.unwrap_or_else(|| panic!("docs/systems.md has no {preset}"));
    let cells: Vec<_> = row.trim_matches('|').split('|').collect();
    // Between them that under a directory, which must be the same.
    let [own, _, rest] = cells[cells.len() - 3..] else { unreachable!("more columns") };
    let numbers = [own, rest].into_iter().flat_map(|cell| cell.split('/'));
    let mut numbers = numbers.map(|number| number.trim().parse().ok());
    [(); 5].map(|()| numbers.next().expect("five latencies"))
}

/// Both sizes of a chase; what one load more takes.
pub(super) fn each(
    r: &mut Runner,
    spec: &Spec,
    loads: u32,
    chase: impl Fn(u32) -> Chase,
) -> (f64, Program) {
    let [one, two] = [1, 2].map(|n| Program::Chase(chase(n)));
    let cycles = r.run(spec, &two).last_cycles() - r.run(spec, &one).last_cycles();
    (cycles / f64::from(loads), one)
}

fn documented(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let all = machine::systems::names();
    let some = ["cpelide-4", "rec-4gpu", "cpelide-4-small", "rec-4gpu-small", "stc-8cu-small"];
    let some = some.map(str::to_string);
    for name in r.either(&some, &all) {
        let serial = Spec::new(&name).with("cu.loads", 1);
        let system = serial.system();
        let line = system.machine.line;
        let sets = system.l1.bytes / line / system.l1.ways;
        let lines = sets * (system.l1.ways + 1);
        let chiplets = serial.chiplets();
        let home = serial.clone().with("l2.policy", "home-forward");
        let again = |home| move |n: u32| Chase::L2 { line, lines, rounds: n + 1, home, chiplets };
        let [l1, l2, other, l3, memory] = latencies(&name);
        // Rows and refreshes of DRAM make a load longer or shorter; the table has whole cycles.
        let tolerance = if system.memory.model == "dram" { 0.02 } else { 0.0 };
        let mut row = |case: &str, right: Option<f64>, (value, program): (f64, Program)| {
            let row = Row::of(case, &Spec::new(&name), &program);
            rows.extend(right.map(|right| row.equal(value, right, tolerance)));
        };
        row("L1", l1, each(r, &serial, 20, |n| Chase::L1 { loads: 20 * n }));
        row("L2", l2, each(r, &serial, lines, again(0)));
        if other.is_some() {
            row("another chiplet's L2", other, each(r, &home, lines, again(1)));
        }
        if l3.is_some() {
            row("L3", l3, each(r, &serial, 32, |n| Chase::L3 { line, loads: 32 * n }));
        }
        row("memory", memory, each(r, &serial, 32, |n| Chase::Memory { line, loads: 32 * n }));
    }
    rows
}

fn under_directories(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = ["cpelide-4", "rec-4gpu", "cpelide-4-small", "rec-4gpu-small"];
    let all = ["cpelide-2", "cpelide-16", "finepack-4gpu", "cpelide-2-small", "h100", "h100-small"];
    for name in r.either(&some, &[&some[..], &all].concat()) {
        let spec = Spec::placed(name).steady().with("cu.loads", 1);
        let (line, chiplets) = (spec.system().machine.line, spec.chiplets());
        for warm in [true, false] {
            let loads = 8;
            let chase =
                |n| Chase::Other { line, loads: loads * n, lanes: 1, home: 1, chiplets, warm };
            let home = spec.clone().l2("none").with("l2.policy", "home-forward");
            let (right, program) = each(r, &home, loads, chase);
            let longer = whole_line(&spec);
            for design in directories() {
                let (value, _) = each(r, &spec.clone().l2(design), loads, chase);
                let why = "the chiplet's own L2 queries the home at once; an L2 of another GPU \
                           receives a whole line";
                let case = if warm { "another home's L2" } else { "another home's memory" };
                rows.push(
                    Row::of(case, &Spec::new(name), &program)
                        .designs(format!("{design} / home-forward"))
                        .why(why)
                        .equal(
                            value - longer,
                            right,
                            if spec.system().machine.gpus > 1 { PART } else { 0.0 },
                        ),
                );
            }
        }
    }
    rows
}

/// Cycles that what an L2 receives takes longer than what a load asks for: the rest of a line on
/// the link of a GPU; between chiplets a sector of the L2, for which as much time is taken off as
/// for a line.
fn whole_line(spec: &Spec) -> f64 {
    let system = spec.system();
    if system.machine.gpus == 1 {
        let parts = Parts::of(spec, LOADED);
        return parts.coherent() as f64 - parts.far() as f64;
    }
    let ns = f64::from(system.machine.line - LOADED) / system.gpu_link.bytes_per_ns.to_f64();
    ns * f64::from(system.machine.clock_mhz) / 1000.0
}

/// Bytes of a load of a chase.
const LOADED: u32 = 4;
/// What a part of a cycle of a link shifts.
const PART: f64 = 0.0005;
/// What a header of other length and whole cycles shift.
const SHIFT: f64 = 0.005;

/// Loads of a word, or of a whole line, that another GPU's L2 holds.
fn another_gpu(r: &mut Runner, spec: &Spec, whole: bool) -> (f64, Program) {
    let spec = spec.clone().with("cu.loads", 1).l2("none").with("l2.policy", "home-forward");
    let (line, chiplets) = (spec.system().machine.line, spec.chiplets());
    let home = chiplets - 1;
    let lanes = if whole { line / LOADED } else { 1 };
    let chase = |n: u32| Chase::Other { line, loads: 8 * n, lanes, home, chiplets, warm: true };
    each(r, &spec, 8, chase)
}

/// Egress designs whose blocks' registers loads pass, too, and cycles of the links' clock.
const BLOCKS: [(&str, f64); 1] = [("finepack", 4.0)];

fn under_egress(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = ["rec-4gpu-small"];
    for name in r.either(&some, &["rec-4gpu-small", "rec-4gpu", "finepack-4gpu"]) {
        let spec = Spec::new(name);
        let (right, program) = another_gpu(r, &spec.clone().with("egress.design", "p2p"), false);
        for design in egress_designs().into_iter().filter(|design| *design != "p2p") {
            let (value, _) = another_gpu(r, &spec.clone().with("egress.design", design), false);
            let blocks = BLOCKS.iter().find(|(name, _)| *name == design);
            let (cycles, why) = match blocks {
                None if design == "infinite" => {
                    (0.0, "the link has unlimited bandwidth".to_string())
                }
                None => (0.0, "no store is in flight".to_string()),
                Some((_, n)) => (
                    *n,
                    format!(
                        "{n} link cycles are registers of the design's \
                                              blocks"
                    ),
                ),
            };
            let system = spec.system();
            let clocks = [system.machine.clock_mhz, system.gpu_link.clock_mhz].map(f64::from);
            rows.push(
                Row::of("another GPU's L2", &spec, &program)
                    .designs(format!("{design} / p2p"))
                    .why(why)
                    .equal(value - cycles * clocks[0] / clocks[1], right, 2.0 * SHIFT),
            );
        }
    }
    rows
}

fn of_twins(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["rec-4gpu"], &["rec-4gpu", "finepack-4gpu"]) {
        let twin = Spec::new(&format!("{name}-small"));
        let (right, program) = another_gpu(r, &Spec::new(name), true);
        let (value, _) = another_gpu(r, &twin, true);
        rows.push(
            Row::of("another GPU's L2", &twin, &program)
                .designs(format!("{name}-small / {name}"))
                .why("a whole line: the link's latency makes up for its lower bandwidth")
                .equal(value, right, SHIFT),
        );
    }
    rows
}
