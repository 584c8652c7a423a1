//! The report as tables.

use std::fmt::{self, Formatter};

use super::Report;
use super::figures::transactions;
use crate::experiment::Row;
use crate::table::{self, Column, left, right};

const LEGEND: &str = "\
Cycles of the GPUs' clock; speedups over the baseline. misses: lines that an L2 fetched again; inv.
hit: copies that invalidations removed, for evictions + for writes; false: invalidations for a write
to another line of the entry; evicted: entries; transactions: messages on the links between GPUs.";

/// Machines of the table; the JSON has all.
const SHOWN: [&str; 6] = ["no-caching", "baseline", "baseline-2x", "hmg", "rec", "ideal"];

pub fn write(report: &Report, f: &mut Formatter) -> fmt::Result {
    writeln!(
        f,
        "REC (J. Systems Architecture 160, 2025) on models: its machine of 4 GPUs (table 2) \
             {}. Seed {}.",
        if report.scale > 1 {
            format!("scaled by 1/{}", report.scale)
        } else {
            "at full \
                                                                                scale"
                .into()
        },
        report.seed
    )?;
    for input in &report.runs.inputs {
        let like = if input.like.is_empty() { "none" } else { input.like };
        writeln!(f, "\n{input}; corresponding program of the paper: {like}")?;
        table::write(f, &columns(), report.runs.beside(input.program, "baseline", &SHOWN))?;
    }
    writeln!(f, "\n{LEGEND}")?;
    Ok(())
}

fn columns<'a>() -> [Column<Row<'a>>; 8] {
    [
        left("machine", 14, |r| r.own.machine.to_string()),
        right("cycles", 11, |r| r.own.cycles.to_string()),
        right("speedup", 9, |r| format!("{:.3}", r.speedup())),
        right("misses", 9, |r| r.count("l2.fetches_again").to_string()),
        right("inv. hit", 15, |r| {
            format!("{} + {}", r.count("l2.inv_hit_evict"), r.count("l2.inv_hit_write"))
        }),
        right("false", 8, |r| r.count("l2.inv_false").to_string()),
        right("evicted", 9, |r| r.count("l2.directory.evicted").to_string()),
        right("transactions", 14, |r| transactions(r.own).to_string()),
    ]
}
