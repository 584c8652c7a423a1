//! The report as tables.

use super::Rec;
use super::figures::transactions;
use crate::experiment::Row;
use crate::paper::Text;
use crate::table::{Column, left, right};

impl Text for Rec {
    const TITLE: &str =
        "REC (J. Systems Architecture 160, 2025) on models: its machine of 4 GPUs (table 2)";
    const BASE: &str = "baseline";
    const SHOWN: &[&str] = &["no-caching", "baseline", "baseline-2x", "hmg", "rec", "ideal"];
    const LEGEND: &str = "\
Cycles of the GPUs' clock; speedups over the baseline. misses: lines that an L2 fetched again; inv.
hit: copies that invalidations removed, for evictions + for writes; false: invalidations for a write
to another line of the entry; evicted: entries; transactions: messages on the links between GPUs.";

    fn columns<'a>() -> Vec<Column<Row<'a>>> {
        vec![
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
}
