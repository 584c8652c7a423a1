//! The report as tables.

use std::fmt::{self, Formatter};

use super::{Cpelide, Report, figures, of_one_stream};
use crate::experiment::{Input, Row};
use crate::paper::Text;
use crate::table::{Column, left, right};

const OF_VARIANTS: &str = "\
Deciding ahead: gain of CPElide over the baseline of the same L2 policy, in per cent (C1, Q2).
6 us: the paper's constant for a decision; firmware: the cycles of our firmware; home-aware:
home-forward, where the table assumes one L2 copy per line.";

impl Text for Cpelide {
    const TITLE: &str = "CPElide (MICRO'24) on models: its machine (table I)";
    const BASE: &str = "baseline";
    const SHOWN: &[&str] = &[
        "baseline",
        "cpelide-ahead",
        "hmg",
        "baseline-home",
        "cpelide-home-ahead",
        "cpelide-aware",
        "monolithic",
        "baseline-measured",
        "cpelide-ahead-measured",
        "hmg-measured",
        "baseline-home-measured",
        "cpelide-home-ahead-measured",
        "cpelide-aware-measured",
    ];
    const LEGEND: &str = "\
Cycles of the GPUs' clock; speedups over the baseline. fetches: lines that L2s requested from L3s;
L2-L3: reads and writes between L2s and L3s; link: bytes between chiplets; releases, acquires: sent,
of those that the baseline sends; idle: releases that wrote nothing back and acquires that
invalidated no line; sync: sum, over all launches, of the cycles from the first request to an L2 to
the start.";

    fn columns<'a>() -> Vec<Column<Row<'a>>> {
        vec![
            left("machine", 27, |r| r.own.machine.to_string()),
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

    fn about(report: &Report, input: &Input) -> String {
        format!(", {} kernels", report.details.structures[input.program].kernels)
    }

    fn more(report: &Report, f: &mut Formatter) -> fmt::Result {
        by_variant(report, f)
    }
}

/// Gains of a program, or their mean.
struct Gains {
    program: String,
    /// In the order of the variants.
    each: Vec<f64>,
    /// The paper's, of its kin.
    paper: Option<f64>,
}

/// The table of decisions ahead.
fn by_variant(report: &Report, f: &mut Formatter) -> fmt::Result {
    let runs = of_one_stream(report).runs;
    let all: Vec<_> = figures::variants(&runs).collect();
    let paper = |id: &str, name: &str| {
        let figure = report.figures.iter().find(|figure| figure.id == id)?;
        figure.numbers.get(name).copied()
    };
    let rows = runs.inputs.iter().enumerate().map(|(at, input)| Gains {
        program: input.program.into(),
        each: all.iter().map(|(_, each)| each.values()[at]).collect(),
        paper: paper("C4", &format!("cpelide.{}", input.program)),
    });
    let mean = Gains {
        program: "geometric mean".into(),
        each: all.iter().map(|(_, each)| each.geometric()).collect(),
        paper: paper("C1", "over baseline"),
    };
    writeln!(f, "\n{OF_VARIANTS}")?;
    write!(f, "{:<15}", "program")?;
    all.iter().try_for_each(|(name, _)| write!(f, "{name:>24}"))?;
    writeln!(f, "{:>8}", "paper")?;
    let gain = |ratio: f64| format!("{:+.1}", 100.0 * (ratio - 1.0));
    for Gains { program, each, paper } in rows.chain([mean]) {
        write!(f, "{program:<15}")?;
        each.into_iter().try_for_each(|ratio| write!(f, "{:>24}", gain(ratio)))?;
        writeln!(f, "{:>8}", paper.map_or("-".into(), gain))?;
    }
    Ok(())
}
