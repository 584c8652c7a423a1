//! The machines of the experiment: the thesis's with each protocol, without L1s, and with L1s that
//! nothing keeps coherent within a kernel; other leases; and what may be the reason of a
//! difference.

use crate::experiment::{Change, Point};

/// The machine of table 3.3.
const PRESET: &str = "fermi-16sm-8p";

/// Without L1s: what the thesis's figures are normalised to.
pub const NONE: &str = "none";
/// With L1s that are coherent where kernels end, and only there.
pub const L1: &str = "src";
/// The protocols, as their machines are called, in the thesis's order: slowest first.
pub const PROTOCOLS: [&str; 4] = [TCS, TCW, SC, RC];
pub const TCS: &str = "tc-strong";
pub const TCW: &str = "tc-weak";
pub const SC: &str = "gtsc-sc";
pub const RC: &str = "gtsc-rc";

/// G-TSC with other leases than 10: what the thesis has tried.
pub const LEASES: [&str; 3] = ["gtsc-rc-8", "gtsc-rc-16", "gtsc-rc-20"];
/// TC with other leases than 400 cycles; the thesis does not say which it has.
pub const TC_LEASES: [&str; 6] = [
    "tc-weak-100",
    "tc-weak-200",
    "tc-weak-800",
    "tc-strong-100",
    "tc-strong-200",
    "tc-strong-800",
];

/// The longest lease of TC in the specification's list: an answer leaves a bank's array 192 cycles
/// before it leaves the bank, and 38 before it is at its L1. Of 100 or 200 cycles each would be
/// over by then.
const TC_LEASE: (&str, &str) = ("timestamp.tc_lease", "400");

/// Machine, its L1 design, and what is changed.
const OTHERS: [(&str, &str, Change); 9] = [
    (LEASES[0], RC, &[("timestamp.lease", "8")]),
    (LEASES[1], RC, &[("timestamp.lease", "16")]),
    (LEASES[2], RC, &[("timestamp.lease", "20")]),
    (TC_LEASES[0], TCW, &[("timestamp.tc_lease", "100")]),
    (TC_LEASES[1], TCW, &[("timestamp.tc_lease", "200")]),
    (TC_LEASES[2], TCW, &[("timestamp.tc_lease", "800")]),
    (TC_LEASES[3], TCS, &[("timestamp.tc_lease", "100")]),
    (TC_LEASES[4], TCS, &[("timestamp.tc_lease", "200")]),
    (TC_LEASES[5], TCS, &[("timestamp.tc_lease", "800")]),
];

/// What may be the reason of a difference, alone.
pub struct Cause {
    /// As the figure is called.
    pub name: &'static str,
    /// [`NONE`], and [`PROTOCOLS`].
    pub machines: [&'static str; 5],
    change: Change,
}

macro_rules! cause {
    ($name:literal, $none:expr, $change:expr) => {
        Cause {
            name: $name,
            machines: [
                $none,
                concat!("tc-strong-", $name),
                concat!("tc-weak-", $name),
                concat!("gtsc-sc-", $name),
                concat!("gtsc-rc-", $name),
            ],
            change: $change,
        }
    };
}

/// `clock`: banks of the protocols that act in each cycle, as those of the machine without L1s do.
/// `loads`: a warp waits for each load, as where each is used at once. `work`: an instruction takes
/// 48 cycles, as where a CU's 48 warps take turns with one scheduler. `waiters`: as many loads and
/// requests as can be may wait for a line under way.
pub const CAUSES: [Cause; 4] = [
    cause!("clock", NONE, &[("timestamp.l2_div", "1")]),
    cause!("loads", "none-loads", &[("cu.loads", "1")]),
    cause!("work", "none-work", &[("cu.gap_cycles", "48")]),
    cause!("waiters", NONE, &[("timestamp.waiters", "48"), ("timestamp.l2_wait", "16")]),
];

/// The machine with an L1 design. One L2 serves all SMs: it is kept between kernels.
fn point(name: &'static str, design: &str, change: &[(&str, &str)]) -> Point {
    let own = PROTOCOLS.contains(&design).then_some(("l2.design", "own"));
    let lease = [TCW, TCS].contains(&design).then_some(TC_LEASE);
    let change: Vec<_> = own.into_iter().chain(lease).chain(change.iter().copied()).collect();
    Point::with_l1(name, PRESET, design, &change)
}

/// All machines.
pub fn all() -> Vec<Point> {
    let plain = [NONE, L1].into_iter().chain(PROTOCOLS);
    let mut points: Vec<_> = plain.map(|design| point(design, design, &[])).collect();
    points.extend(OTHERS.map(|(name, design, change)| point(name, design, change)));
    for Cause { machines, change, .. } in CAUSES {
        let designs = [NONE].into_iter().chain(PROTOCOLS);
        let changed = machines.into_iter().zip(designs).filter(|(machine, _)| *machine != NONE);
        points.extend(changed.map(|(machine, design)| point(machine, design, change)));
    }
    points
}
