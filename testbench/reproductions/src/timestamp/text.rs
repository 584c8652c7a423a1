//! The report as tables.

use std::fmt::{self, Formatter};

use super::points::{L1, NONE, PROTOCOLS};
use super::{Report, SHARING};
use crate::experiment::{Record, Row, share};
use crate::table::{self, Column, left, right};

const LEGEND: &str = "\
Cycles of the GPU's clock. inside: without the cycles from a kernel's packet to its start, and from
its last work-group to its completion; over none: relative to the machine without L1s. hits: of
loads, in per cent. expired: loads of copies whose lease had expired; renewed: leases that were
extended without the line's bytes; stalls: cycles in which SMs waited for answers and issued
nothing; lease: cycles in which writes waited at banks for leases; resets: of all timestamps.";

pub fn write(report: &Report, f: &mut Formatter) -> fmt::Result {
    writeln!(
        f,
        "Timestamp coherence (Tabbakh's thesis, 2018, chapter 3) on models: its GPU of 16 SMs \
             and 8 partitions (table 3.3). Seed {}.",
        report.seed
    )?;
    let shown: Vec<_> = [NONE, L1].into_iter().chain(PROTOCOLS).collect();
    for input in &report.runs.inputs {
        let like = if input.like.is_empty() { "none" } else { input.like };
        let shares = if SHARING.contains(&input.program) { "" } else { "no " };
        writeln!(
            f,
            "\n{input}; shares {shares}data within a kernel; corresponding program of the \
                 thesis: {like}"
        )?;
        table::write(f, &columns(), report.runs.beside(input.program, NONE, &shown))?;
    }
    writeln!(f, "\n{LEGEND}")?;
    Ok(())
}

fn columns<'a>() -> [Column<Row<'a>>; 10] {
    [
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

/// Hits of all loads, in per cent.
fn hits(record: &Record) -> f64 {
    let [loads, hits] = ["l1.loads", "l1.hits"].map(|name| record.counter(name));
    100.0 * share(hits, loads)
}
