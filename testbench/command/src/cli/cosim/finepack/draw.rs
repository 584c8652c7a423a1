//! Random machines whose GPUs store into each other's memory, and random programs for them.

use cosim::settings::Statics;
use cosim::stimulus::Random;
use machine::systems::{self, Shape};
use machine::{System, names};
use ports::finepack::types::FinePack;
use traces::trace::AtomicOp;
use traces::workloads::program::{Area, Kernel, Labels, Place, Program, Step, What, Who};

use super::Failure;

/// Bytes of a page.
const PAGE: u64 = 4096;
/// Bytes from the first page to the last one above which no list of all pages between is made.
const MOST_PAGES_APART: u64 = 1 << 33;
/// Atomics; what they do makes no difference but for the TLP's type.
const OPS: [AtomicOp; 4] = [AtomicOp::Add, AtomicOp::Xor, AtomicOp::UMax, AtomicOp::Exchange];
/// Fields of `[finepack]` that follow from the rest of the system.
const DERIVED: [&str; 3] = ["num_gpus", "offset_width", "pcie_generation"];

/// A machine, and a program on some bytes.
pub struct Case {
    pub system: System,
    pub program: Program,
    pub area: Area,
}

/// Draws one. Errors: there is no machine with these parameters.
pub fn case(r: &mut Random, p: &FinePack, statics: &Statics) -> Result<Case, Failure> {
    let mut shape = shape(r, p);
    let area = area(r, p);
    if area.pages * area.apart > MOST_PAGES_APART {
        shape.placement = "first-touch".into();
    }
    let timeout = u32::from(r.pick(&[0u16, 0, 3, 40, 300]));
    let timeout = statics.get("timeout").unwrap_or(timeout);
    let accounting = statics.get("acct").unwrap_or(r.below(2));
    let mut set = shape.settings();
    set.push(("egress.timeout".into(), timeout.to_string()));
    // Launches would take most of the time.
    set.push(("command_processor.elide_cycles".into(), "10".into()));
    set.push(("egress.accounting".into(), ["exact", "paper"][accounting as usize].into()));
    let blocks = toml::Table::try_from(p).map_err(Failure::usage)?;
    let blocks = blocks.into_iter().filter(|(key, _)| !DERIVED.contains(&key.as_str()));
    set.extend(blocks.map(|(key, value)| (format!("finepack.{key}"), value.to_string())));
    let system = systems::load("cpelide-4", &set).map_err(Failure::usage)?;
    let program = Program((0..=r.below(2)).map(|_| kernel(r, p, &shape, &area)).collect());
    Ok(Case { system, program, area })
}

/// Small queues and caches, slow and fast links and memories.
fn shape(r: &mut Random, p: &FinePack) -> Shape {
    let (copies, single): (Vec<_>, Vec<_>) =
        names("placement.policy").into_iter().partition(|name| name.starts_with("replicated"));
    let placements = if r.chance(96) { copies } else { single };
    let chiplets = if p.num_gpus > 4 { 1 } else { r.pick(&[1, 1, 2, 3]) };
    let l1 = r.pick(&["src", "src", "none"]);
    let l2 = r.pick(&["private", "home-forward"]);
    Shape {
        gpus: p.num_gpus as u16,
        chiplets,
        cus: 1 + r.below(2) as u16,
        line: r.pick(&[32, 64, 128]),
        clock: r.pick(&[1000, 1801, 2500]),
        waves: 3,
        lanes: r.pick(&[32, 64]),
        loads: 1 + r.below(4),
        transactions: r.pick(&[3, 16, 64]),
        l1: (l1.into(), 1, 2, 1 + r.below(2), 1 + r.below(8)),
        l2_design: r.pick(&["software", "cpelide"]).into(),
        l2: (l2.into(), 1 + r.below(2), 2, r.pick(&[1, 2]), 1 + r.below(8), 1 + r.below(8)),
        l3: (r.below(3), 2, r.pick(&[1, 2]), 1 + r.below(8), 1 + r.below(8)),
        memory: (r.pick(&[4, 64]), 1 + r.below(3), r.pick(&[1, 20, 100])),
        network: (2 + r.below(8), 2, r.pick(&[16, 136]), r.pick(&[1, 8])),
        chiplet_link: (2 + r.below(8), r.pick(&[4, 64]), 1, 1 + r.below(2)),
        gpu_link: (p.pcie_generation, r.pick(&[1, 8, 32, 64]), r.pick(&[2, 8, 60])),
        egress: ("finepack".into(), "paper".into(), 0),
        placement: r.pick(&placements).into(),
        ..Shape::default()
    }
}

/// Lines that fill the queues several times over, in one window of addresses or in several.
fn area(r: &mut Random, p: &FinePack) -> Area {
    let lines = u64::from(4 * p.entries * p.line).clamp(PAGE, 1 << 15);
    let window = r.pick(&[256, lines, lines, 1 << 15]);
    let near = window.next_multiple_of(PAGE);
    let far = near.max(1 << p.offset_width) + PAGE;
    Area { pages: 2 + u64::from(r.below(4)), window, apart: r.pick(&[near, near, far]) }
}

/// What the accesses of a kernel are like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Stores of whole lines, one behind the other.
    Dense,
    /// Stores of a few bytes, apart from each other.
    Sparse,
    /// Stores, and loads and atomics behind them.
    Mixed,
}

fn kernel(r: &mut Random, p: &FinePack, shape: &Shape, area: &Area) -> Kernel {
    let cus = u32::from(shape.gpus * shape.chiplets * shape.cus);
    let style = r.pick(&[Style::Dense, Style::Sparse, Style::Mixed, Style::Mixed]);
    let groups = 1 + r.below(3 * cus);
    let items = r.pick(&[5, 32, 33, 64, 64]);
    let mut steps = Vec::new();
    let mut stored = Vec::new();
    for _ in 0..2 + r.below(7) {
        let kind = if style == Style::Mixed { r.weighted(&[8, 4, 3, 1, 1]) } else { 0 };
        let (mut place, size) = place(r, p, style, items, area);
        let (aligned, gap) = (style != Style::Sparse || r.chance(128), r.below(2));
        let access = |what, who, place, size| Step::Access { what, who, place, size, aligned, gap };
        let who = match r.below(8) {
            0 => Who::Group(r.below(groups)),
            1 => Who::EvenItems,
            _ => Who::All,
        };
        match kind {
            0 | 1 => {
                // What was stored may still be in a queue: a load must see it, and a store that it
                // must not outlive.
                let again = !stored.is_empty() && r.chance([96, 200][kind]);
                let (place, size) = if again { r.pick(&stored) } else { (place, size) };
                stored.push((place, size));
                steps.push(access([What::Store, What::Load][kind], who, place, size));
            }
            2 => {
                // One TLP for each item: few of them leave room for others.
                let who = if r.chance(224) { Who::Item(r.below(items)) } else { who };
                // Words that atomics change lie in the upper half.
                place.offset = area.window / 2 + place.offset / 2;
                let size = size.max(4);
                if r.chance(128) {
                    steps.push(access(What::Store, who, place, size));
                }
                steps.push(access(What::Atomic(r.pick(&OPS)), who, place, size));
            }
            3 => steps.push(Step::Barrier),
            _ => steps.push(Step::Fence),
        }
    }
    let writes = if r.chance(128) { vec![(0, 64)] } else { Vec::new() };
    Kernel { labels: Labels::None, writes, groups, items, steps, read: r.chance(64) }
}

/// A place, and the bytes of an access there. In most of them no two items meet.
fn place(r: &mut Random, p: &FinePack, style: Style, items: u32, area: &Area) -> (Place, u64) {
    let line = u64::from(p.line);
    let (size, per_item) = match style {
        Style::Dense => (16, 16),
        Style::Sparse => {
            let size = r.pick(&[1, 1, 2, 4]);
            (size, r.pick(&[2 * size, 2 * size, line, 0]))
        }
        Style::Mixed => {
            let size = r.pick(&[1, 4, 4, 8]);
            (size, r.pick(&[size, size, 2 * size, line]))
        }
    };
    let per_group = r.pick(&[per_item * u64::from(items), per_item * u64::from(items), 4]);
    let offset = u64::from(r.below(area.window as u32)) / 16 * 16;
    let page = u64::from(r.below(area.pages as u32));
    (Place { page, offset, per_item, per_group, page_by_group: r.chance(96) }, size)
}
