//! The report as tables.

use std::fmt::{self, Display, Formatter};

use super::Report;
use crate::experiment::Record;

const LEGEND: &str = "\
Cycles of the GPUs' clock; speedups over the baseline. misses: lines fetched again by an L2; inv.
hit: copies that invalidations found, for evictions + for writes; false: sent for a write to another
line of the entry; evicted: entries; transactions: messages on the links between GPUs.";

/// Machines of the table; the JSON has all.
const SHOWN: [&str; 6] = ["no-caching", "baseline", "baseline-2x", "hmg", "rec", "ideal"];

impl Display for Report {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(
            f,
            "REC (J. Systems Architecture 160, 2025) on models: its machine of 4 GPUs (table 2) \
             divided by {}. Seed {}.",
            self.scale, self.seed
        )?;
        for input in &self.runs.inputs {
            let like = if input.like.is_empty() { "none" } else { input.like };
            writeln!(f, "\n{input}; the paper's kin: {like}")?;
            writeln!(
                f,
                "{:<14}{:>11}{:>9}{:>9}{:>15}{:>8}{:>9}{:>14}",
                "machine",
                "cycles",
                "speedup",
                "misses",
                "inv. hit",
                "false",
                "evicted",
                "transactions"
            )?;
            let base = self.runs.record(input.program, "baseline");
            for machine in SHOWN {
                row(f, self.runs.record(input.program, machine), base)?;
            }
        }
        writeln!(f, "\n{LEGEND}\n\nFigures of the paper")?;
        self.figures.iter().try_for_each(|figure| write!(f, "{figure}"))
    }
}

fn row(f: &mut Formatter, r: &Record, base: &Record) -> fmt::Result {
    let count = |name: &str| r.counter(name) as u64;
    let hit = format!("{} + {}", count("l2.inv_hit_evict"), count("l2.inv_hit_write"));
    writeln!(
        f,
        "{:<14}{:>11}{:>9.3}{:>9}{:>15}{:>8}{:>9}{:>14}",
        r.machine,
        r.cycles,
        base.cycles as f64 / r.cycles as f64,
        count("l2.fetches_again"),
        hit,
        count("l2.inv_false"),
        count("l2.directory.evicted"),
        super::figures::transactions(r) as u64
    )
}
