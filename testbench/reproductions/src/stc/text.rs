//! The report as tables.

use super::{Report, Stc};
use crate::experiment::{Input, Row};
use crate::paper::Text;
use crate::table::{Column, left, right};

impl Text for Stc {
    const TITLE: &str = "STC (TACO 20(3) art. 33, 2023) on models: its machine of 8 CUs (table 3)";
    const BASE: &str = "src";
    const SHOWN: &[&str] =
        &["src", "src-lines", "none", "none-lines", "nv", "es", "ab", "mb", "mb-bit-18"];
    const LEGEND: &str = "\
Cycles of the GPU's clock. inside: without the cycles from a kernel's packet to its start, and from
its last work-group to its completion; each with its speedup over src. hits, uncached: of loads at
L1s, in per cent; blocked: of stores and atomics, in per cent. transitions: transitions to another
epoch; cycles: their mean length, and the part of it in which a CU waited for its own stores. bit:
start epoch bit at the end.";

    fn columns<'a>() -> Vec<Column<Row<'a>>> {
        vec![
            left("machine", 10, |r| r.own.machine.to_string()),
            right("cycles", 9, |r| r.own.cycles.to_string()),
            right("speedup", 8, |r| format!("{:.3}", r.speedup())),
            right("inside", 9, |r| r.own.inside().to_string()),
            right("speedup", 8, |r| format!("{:.3}", r.base.inside() / r.own.inside())),
            right("hits", 6, |r| percent(r, "l1.hits", "l1.loads")),
            right("uncached", 9, |r| percent(r, "l1.uncached_loads", "l1.loads")),
            right("blocked", 8, |r| percent(r, "l1.stores_blocked", "l1.stores")),
            right("transitions", 12, |r| r.count("l1.epoch_transitions").to_string()),
            right("cycles", 12, |r| {
                let mean = |name| r.own.share(name, "l1.epoch_transitions");
                let waits = mean("l1.drain_cycles") / f64::from(super::points::CUS);
                format!("{:.0}, {waits:.0}", mean("l1.epoch_transition_cycles"))
            }),
            right("bit", 5, |r| r.count("l1.epoch_start_bit").to_string()),
        ]
    }

    fn about(report: &Report, input: &Input) -> String {
        let kernels = report.runs.record(input.program, "src").counter("launch.packets");
        format!(", {kernels} kernels")
    }
}

fn percent(r: &Row, name: &str, of: &str) -> String {
    format!("{:.1}", 100.0 * r.own.share(name, of))
}
