//! The report as tables.

use super::points::{BASE, BCS, BCS_MANAGED, DESIGN, MANAGED, SCHEDULER};
use super::{PRIVATE, Sharing};
use crate::experiment::{Input, Row, share};
use crate::paper::Text;
use crate::table::{Column, left, right};

impl Text for Sharing {
    const TITLE: &str = "Sharing-aware scheduling and caching (Tabbakh's thesis, 2018, chapter 2) \
                         on models: its GPU of 15 SMs (table 2.1)";
    const BASE: &str = BASE;
    const SHOWN: &[&str] = &[BASE, SCHEDULER, MANAGED, DESIGN, BCS, BCS_MANAGED];
    const LEGEND: &str = "\
Cycles of the GPU's clock. inside: without the cycles from a kernel's packet to its start, and from
its last work-group to its completion. misses: of loads at L1s, in per cent; bypassed: shared lines
that L1s did not install. lines: lines that memory transferred. shared: of the L2s' lines, those
that several SMs used, in per cent; sharers: SMs per line.";

    fn columns<'a>() -> Vec<Column<Row<'a>>> {
        vec![
            left("machine", 12, |r| r.own.machine.to_string()),
            right("cycles", 9, |r| r.own.cycles.to_string()),
            right("inside", 9, |r| r.own.inside().to_string()),
            right("over base", 11, |r| format!("{:.3}", r.own.inside() / r.base.inside())),
            right("misses", 8, |r| format!("{:.1}", misses(r))),
            right("bypassed", 10, |r| r.count("l1.sharing_bypass_shared").to_string()),
            right("lines", 9, |r| crate::energy::memory_lines(r.own).to_string()),
            right("shared", 8, |r| {
                format!("{:.1}", 100.0 * r.own.share("l2.sharing_sf_set", "l2.sharing_allocs"))
            }),
            right("sharers", 9, |r| {
                format!("{:.2}", r.own.share("l2.sharing_users", "l2.sharing_allocs"))
            }),
        ]
    }

    fn like(input: &Input) -> &'static str {
        match (input.program, input.like) {
            (PRIVATE, _) => "none; not part of any mean",
            (_, "") => "none",
            (_, like) => like,
        }
    }
}

/// Loads that L1s fetched, in per cent.
fn misses(r: &Row) -> f64 {
    let [loads, hits, merges] =
        ["loads", "hits", "merges"].map(|name| r.own.counter(&format!("l1.{name}")));
    100.0 * share(loads - hits - merges, loads)
}
