//! The machines of the experiment: the thesis's with each scheduler and with the policies, the one
//! like a Kepler, and what may be the reason of a difference.

use crate::experiment::{Change, Point};

/// The machine of table 2.1, and that of section 2.6.4.
const FERMI: &str = "fermi-15sm";
const KEPLER: &str = "kepler-15sm";

/// Work-groups in turn, the oldest line goes.
pub const BASE: &str = "base";
/// The thesis's scheduler alone, its policies alone, and both.
pub const SCHEDULER: &str = "qx_adpt";
pub const MANAGED: &str = "mgt";
pub const DESIGN: &str = "qx_adpt+mgt";
/// Work-groups in pairs, without and with the policies.
pub const BCS: &str = "bcs";
pub const BCS_MANAGED: &str = "bcs+mgt";
/// The schedulers, as figure 2.12 has them.
pub const SCHEDULERS: [&str; 7] = ["q8", "q16", "qx", "q8_adpt", "q16_adpt", SCHEDULER, BCS];
/// The machine like a Kepler: base and design.
pub const LARGE: [&str; 2] = ["kepler-base", "kepler-qx_adpt+mgt"];
/// Both schedulers with the policy of one level only.
pub const L1_ONLY: &str = "qx_adpt+l1";
pub const L2_ONLY: &str = "qx_adpt+l2";

/// What may be the reason of a difference, alone.
pub struct Cause {
    /// As the figure is called.
    pub name: &'static str,
    /// [`BASE`], [`SCHEDULER`] and [`DESIGN`].
    pub machines: [&'static str; 3],
    change: Change,
}

macro_rules! cause {
    ($name:literal, $change:expr) => {
        Cause {
            name: $name,
            machines: [
                concat!("base-", $name),
                concat!("qx_adpt-", $name),
                concat!("qx_adpt+mgt-", $name),
            ],
            change: $change,
        }
    };
}

/// `memory`: eight times the bandwidth of memory, so that programs wait for answers instead of
/// channels. `quarter`: a quarter of the L2, as where the data are four times as many. `work`: an
/// instruction takes 48 cycles, as where an SM's 48 warps take turns with one scheduler.
pub const CAUSES: [Cause; 3] = [
    cause!("memory", &[("memory.bytes", "64")]),
    cause!("quarter", &[("l2.bytes", "196608")]),
    cause!("work", &[("cu.gap_cycles", "48")]),
];

/// A machine: preset, scheduler, and which level's policy is on, L1 and L2. Where it is off the
/// block is there all the same and gives the oldest line's way.
fn point(
    name: &'static str,
    preset: &str,
    scheduler: &str,
    managed: [bool; 2],
    change: &[(&str, &str)],
) -> Point {
    let [l1, l2] = managed.map(|is_on| if is_on { "1" } else { "0" });
    let blocks = [
        ("cu.scheduler", scheduler),
        ("sharing.l1", "sharing-aware"),
        ("sharing.l2", "sharing-aware"),
        ("sharing_aware.l1_mgt", l1),
        ("sharing_aware.l2_mgt", l2),
    ];
    let change: Vec<_> = blocks.into_iter().chain(change.iter().copied()).collect();
    Point::with_l1(name, preset, "src", &change)
}

/// All machines.
pub fn all() -> Vec<Point> {
    const OFF: [bool; 2] = [false; 2];
    const ON: [bool; 2] = [true; 2];
    let mut points = vec![
        point(BASE, FERMI, "rr_block", OFF, &[]),
        point(MANAGED, FERMI, "rr_block", ON, &[]),
        point(DESIGN, FERMI, SCHEDULER, ON, &[]),
        point(BCS_MANAGED, FERMI, BCS, ON, &[]),
        point(L1_ONLY, FERMI, SCHEDULER, [true, false], &[]),
        point(L2_ONLY, FERMI, SCHEDULER, [false, true], &[]),
        point(LARGE[0], KEPLER, "rr_block", OFF, &[]),
        point(LARGE[1], KEPLER, SCHEDULER, ON, &[]),
    ];
    points.extend(SCHEDULERS.map(|scheduler| point(scheduler, FERMI, scheduler, OFF, &[])));
    for Cause { machines: [base, scheduler, design], change, .. } in CAUSES {
        points.push(point(base, FERMI, "rr_block", OFF, change));
        points.push(point(scheduler, FERMI, SCHEDULER, OFF, change));
        points.push(point(design, FERMI, SCHEDULER, ON, change));
    }
    points
}
