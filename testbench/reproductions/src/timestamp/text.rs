//! The report as tables.

use super::points::{L1, NONE, RC, SC, TCS, TCW};
use super::{Report, SHARING, Timestamp};
use crate::experiment::{Input, Record, Row, share};
use crate::paper::Text;
use crate::table::{Column, left, right};

impl Text for Timestamp {
    const TITLE: &str = "Timestamp coherence (Tabbakh's thesis, 2018, chapter 3) on models: its \
                         GPU of 16 SMs and 8 partitions (table 3.3)";
    const BASE: &str = NONE;
    const SHOWN: &[&str] = &[NONE, L1, TCS, TCW, SC, RC];
    const LEGEND: &str = "\
Cycles of the GPU's clock. inside: without the cycles from a kernel's packet to its start, and from
its last work-group to its completion; over none: relative to the machine without L1s. hits: of
loads, in per cent. expired: loads of copies whose lease had expired; renewed: leases that were
extended without the line's bytes; stalls: cycles in which SMs waited for answers and issued
nothing; lease: cycles in which writes waited at banks for leases; resets: of all timestamps.";

    fn columns<'a>() -> Vec<Column<Row<'a>>> {
        vec![
            left("machine", 11, |r| r.own.machine.to_string()),
            right("cycles", 9, |r| r.own.cycles.to_string()),
            right("inside", 9, |r| r.own.inside().to_string()),
            right("over none", 11, |r| format!("{:.3}", r.own.inside() / r.base.inside())),
            right("hits", 7, |r| format!("{:.1}", hits(r.own))),
            right("expired", 9, |r| r.count("l1.timestamp_expired_misses").to_string()),
            right("renewed", 9, |r| r.count("l1.timestamp_renewals").to_string()),
            right("stalls", 10, |r| r.count("cu.wait_cycles").to_string()),
            right("lease", 10, |r| r.count("l1.timestamp_lease_stalls").to_string()),
            right("resets", 8, |r| r.count("l1.timestamp_resets").to_string()),
        ]
    }

    fn about(_report: &Report, input: &Input) -> String {
        let shares = if SHARING.contains(&input.program) { "" } else { "no " };
        format!("; shares {shares}data within a kernel")
    }
}

/// Hits of all loads, in per cent.
fn hits(record: &Record) -> f64 {
    let [loads, hits] = ["l1.loads", "l1.hits"].map(|name| record.counter(name));
    100.0 * share(hits, loads)
}
