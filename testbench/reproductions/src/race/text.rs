//! The report as tables.

use std::fmt::{self, Formatter};

use super::inputs::INPUTS;
use super::points::{SIZE_NAMES, base};
use super::{Race, Report, fetches, l1};
use crate::experiment::{Input, Row, share};
use crate::paper::Text;
use crate::table::{Column, left, right};

impl Text for Race {
    const TITLE: &str = "Race detection (Tabbakh's thesis, 2018, chapter 4) on models: its GPU of \
                         16 SMs (table 4.1), L2 kept";
    const BASE: &str = "base";
    const SHOWN: &[&str] = &[
        "base",
        "ideal-8k",
        "nospec-8k",
        "byte-8k",
        "word-8k",
        "block-1k",
        "block-8k",
        "block-16k",
        "half-8k",
    ];
    const LEGEND: &str = "\
Cycles of the GPU's clock. inside: without the cycles from a kernel's packet to its start, and from
its last work-group to its completion; over base: relative to the machine without checks. hits: of
loads, in per cent. fetches: lines that L1s requested from L2s; expired, avu: per cent of the
fetches whose line had expired, or was in the signature of the access validation unit. races,
forced: synchronisations by a race, and by a full signature. replays: replayed loads.";

    fn columns<'a>() -> Vec<Column<Row<'a>>> {
        vec![
            left("machine", 11, |r| r.own.machine.to_string()),
            right("cycles", 9, |r| r.own.cycles.to_string()),
            right("inside", 9, |r| r.own.inside().to_string()),
            right("over base", 11, |r| format!("{:.3}", r.own.inside() / r.base.inside())),
            right("hits", 7, |r| percent(l1(r.own, "hits"), l1(r.own, "loads"))),
            right("fetches", 9, |r| fetches(r.own).to_string()),
            right("expired", 9, |r| percent(l1(r.own, "race_fetches_expired"), fetches(r.own))),
            right("avu", 7, |r| percent(l1(r.own, "race_fetches_avu"), fetches(r.own))),
            right("races", 7, |r| r.count("l1.race_races").to_string()),
            right("forced", 8, |r| r.count("l1.race_forced").to_string()),
            right("replays", 9, |r| r.count("l1.race_replays").to_string()),
        ]
    }

    fn about(report: &Report, input: &Input) -> String {
        let kernels = report.runs.record(input.program, "base").counter("launch.packets");
        let accesses = 100.0 * report.details.memory_share[input.program];
        format!(", {kernels} kernels, {accesses:.0} % memory instructions")
    }

    fn more(_report: &Report, f: &mut Formatter) -> fmt::Result {
        inputs(f)
    }
}

fn percent(of: f64, all: f64) -> String {
    format!("{:.1}", 100.0 * share(of, all))
}

/// What is taken over from the thesis.
fn inputs(f: &mut Formatter) -> fmt::Result {
    let (e, b) = (&INPUTS.energy, &INPUTS.baseline);
    writeln!(f, "\nInputs from the thesis: energy of an access, and leakage ({})", e.place)?;
    writeln!(
        f,
        "{:<6}{:>14}{:>13}{:>14}{:>16}{:>16}",
        "size", "AVU access pJ", "RDU read pJ", "RDU write pJ", "AVU leakage mW", "RDU leakage mW"
    )?;
    for (i, size) in SIZE_NAMES.into_iter().enumerate() {
        let [access, read, write] = [e.avu_access, e.rdu_read, e.rdu_write].map(|list| list[i]);
        let [avu, rdu] = [e.avu_leakage, e.rdu_leakage].map(|list| list[i]);
        writeln!(f, "{size:<6}{access:>14.2}{read:>13.2}{write:>14.2}{avu:>16.2}{rdu:>16.2}")?;
    }
    let (read, write, leak) = (e.renaming_read, e.renaming_write, e.renaming_leakage);
    writeln!(f, "renaming table: read {read} pJ, write {write} pJ, leakage {leak} mW")?;
    let [least, mean, most] = b.power(base().machine.clock_mhz.into());
    writeln!(
        f,
        "power of the baseline ({}): {least:.0} to {most:.0} W, mean {mean:.0} W, if energies are \
         in mJ",
        b.place
    )
}
