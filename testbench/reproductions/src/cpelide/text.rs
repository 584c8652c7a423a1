//! The report as tables.

use std::fmt::{self, Display, Formatter};

use super::Report;
use crate::experiment::Record;

const LEGEND: &str = "\
Cycles of the GPUs' clock; speedups over the baseline. fetches: lines that L2s asked the L3s for;
L2-L3: reads and writes between them; link: bytes between chiplets; releases and acquires: sent, of
how many the baseline sends; idle: of these, releases that wrote nothing back and acquires that
dropped no line; sync: cycles of launches between the first request to an L2 and the start,
together.";

/// Machines of the table; the JSON has all.
const SHOWN: [&str; 7] =
    ["baseline", "cpelide", "cpelide-hidden", "hmg", "baseline-home", "cpelide-home", "monolithic"];

impl Display for Report {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(
            f,
            "CPElide (MICRO'24) on models: its machine (table I) divided by {}. Seed {}.",
            self.scale, self.seed
        )?;
        for input in &self.runs.inputs {
            let like = if input.like.is_empty() { "none" } else { input.like };
            let kernels = self.structures[input.program].kernels;
            writeln!(f, "\n{input}, {kernels} kernels; stands for the paper's: {like}")?;
            writeln!(
                f,
                "{:<15}{:>10}{:>8}{:>9}{:>9}{:>11}{:>11}{:>11}{:>11}{:>9}",
                "machine",
                "cycles",
                "speedup",
                "fetches",
                "L2-L3",
                "link",
                "releases",
                "acquires",
                "idle",
                "sync"
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
    let sent = |name: &str| format!("{}/{}", count(name), base.counter(name) as u64);
    let idle = format!("{}+{}", count("launch.idle_releases"), count("launch.idle_acquires"));
    writeln!(
        f,
        "{:<15}{:>10}{:>8.3}{:>9}{:>9}{:>11}{:>11}{:>11}{:>11}{:>9}",
        r.machine,
        r.cycles,
        base.cycles as f64 / r.cycles as f64,
        count("l2.fetches"),
        count("l3.reads") + count("l3.writes"),
        r.group("traffic.link"),
        sent("launch.releases"),
        sent("launch.acquires"),
        idle,
        count("launch.sync_cycles"),
    )
}
