//! The report as tables.

use std::fmt::{self, Display, Formatter};

use super::Report;
use crate::experiment::Row;
use crate::figure::Listed;
use crate::table::{self, Column, left, right};

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
            table::write(f, &columns(), self.runs.beside(input.program, "baseline", &SHOWN))?;
        }
        writeln!(f, "\n{LEGEND}\n\nFigures of the paper")?;
        let on = self.runs.on(self.scale, self.seed);
        write!(f, "{}", Listed { figures: &self.figures, on })
    }
}

fn columns<'a>() -> [Column<Row<'a>>; 10] {
    [
        left("machine", 15, |r| r.own.machine.to_string()),
        right("cycles", 10, |r| r.own.cycles.to_string()),
        right("speedup", 8, |r| format!("{:.3}", r.speedup())),
        right("fetches", 9, |r| r.count("l2.fetches").to_string()),
        right("L2-L3", 9, |r| (r.count("l3.reads") + r.count("l3.writes")).to_string()),
        right("link", 11, |r| r.own.group("traffic.link").to_string()),
        right("releases", 11, |r| r.beside("launch.releases")),
        right("acquires", 11, |r| r.beside("launch.acquires")),
        right("idle", 11, |r| {
            format!("{}+{}", r.count("launch.idle_releases"), r.count("launch.idle_acquires"))
        }),
        right("sync", 9, |r| r.count("launch.sync_cycles").to_string()),
    ]
}
