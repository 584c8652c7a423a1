//! The parts of a page. Each shows what the runs have of it, and is left out where none has any.

mod counts;
mod cycles;
mod launches;
mod levels;
mod matrix;
mod time;

use machine::PHASES;
use maud::{Markup, html};

use crate::chart::{Palette, full};
use crate::words::explained;
use crate::{Kernel, Run};

pub use counts::{designs, hits, invalidations, packets, statistics, traffic};
pub use cycles::cycles;
pub use launches::launches;
pub use levels::levels;
pub use matrix::matrices;
pub use time::{latency, over_time};

/// Kernels of a run that have rows of their own.
const MOST_KERNELS: usize = 12;

/// What ran, and how long.
pub fn summary(runs: &[Run], labels: &[String]) -> Markup {
    let first = runs.first().map_or(0, |run| run.cycles);
    html! {
        table.summary {
            thead { tr {
                th { "run" } th { "system" } th { "program" } th.n { "cycles" } th.n { "time" }
                @if runs.len() > 1 {
                    th.n title="cycles of the first run over cycles of this run" { "speedup" }
                }
                th.n { "values checked" } th { "verdict" }
            } }
            tbody { @for (run, label) in runs.iter().zip(labels) { tr {
                td { b { (label) } (designs_of(run)) }
                td { (run.system) br; small {
                    (run.shape[0]) " GPU × " (run.shape[1]) " chiplets × " (run.shape[2]) " "
                    (explained("CUs,")) " " (run.clock_mhz) " MHz"
                } }
                td { (run.workload) br; small { "seed " (run.seed) } }
                td.n {
                    (full(run.cycles as f64))
                    @if !run.skipped.is_empty() { br; small { (run.skipped) } }
                }
                td.n { (time(run)) }
                @if runs.len() > 1 { td.n { (speedup(first, run.cycles)) } }
                td.n { (full(run.checked.iter().sum::<u64>() as f64)) }
                td class=(if run.verdict == "PASS" { "pass" } else { "fail" }) { (run.verdict) }
            } } }
        }
    }
}

fn designs_of(run: &Run) -> Markup {
    html! {
        br; small {
            @for (i, (field, name)) in run.designs.iter().enumerate() {
                @if i > 0 { ", " }
                span title=(field) { (name) }
            }
            @for (block, body) in &run.bodies { ", " (block) " as " (body) }
        }
    }
}

/// Over the first run.
fn speedup(first: u64, own: u64) -> String {
    format!("{:.2}", first as f64 / own.max(1) as f64)
}

fn time(run: &Run) -> String {
    let us = run.cycles as f64 / f64::from(run.clock_mhz.max(1));
    if us >= 1000.0 { format!("{:.3} ms", us / 1000.0) } else { format!("{us:.1} µs") }
}

/// Cycles by kernel, launch time apart.
pub fn kernels(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let most = runs.iter().map(|run| run.cycles).max()? as f64;
    let names = PHASES.map(|(_, name)| name.to_string());
    let some = runs.iter().any(|run| !run.kernels.is_empty());
    some.then(|| {
        let palette = Palette::of(&names);
        html! {
            (palette.legend(&names))
            @for (run, label) in runs.iter().zip(labels) {
                @let sum = |at: usize| run.kernels.iter().map(|k| k.phases[at]).sum::<u64>() as f64;
                @let parts: Vec<_> = (0..PHASES.len()).map(sum).collect();
                div.row {
                    span.label { (label) }
                    (palette.bar(most, &named(&names, &parts)))
                    span.n { (full(run.cycles as f64)) }
                }
            }
            @for (run, label) in runs.iter().zip(labels) {
                details open[runs.len() == 1] {
                    summary { "Kernels of " (label) }
                    (kernel_table(run, &names))
                }
            }
        }
    })
}

fn kernel_table(run: &Run, names: &[String]) -> Markup {
    let mut kernels: Vec<_> = run.kernels.iter().collect();
    // Stable: kernels that cost the same stay in the order of the program.
    let cycles = |kernel: &Kernel| kernel.phases.iter().sum::<u64>();
    kernels.sort_by_key(|kernel| std::cmp::Reverse(cycles(kernel)));
    let most = kernels.first().map_or(0, |kernel| cycles(kernel)) as f64;
    let rest = kernels.split_off(kernels.len().min(MOST_KERNELS));
    let palette = Palette::of(names);
    html! {
        table {
            thead { tr {
                th { "kernel" } th.n { "launches" }
                @for name in names { th.n { (name) } }
                th.n { "share" } th.wide {}
            } }
            tbody {
                @for k in &kernels { tr {
                    @let parts = k.phases.map(|cycles| cycles as f64);
                    td { (k.name) }
                    td.n { (full(k.launches.into())) }
                    @for part in parts { td.n { (full(part)) } }
                    td.n { (percent(cycles(k) as f64, run.cycles as f64)) }
                    td { (palette.bar(most, &named(names, &parts))) }
                } }
                @if !rest.is_empty() {
                    tr { td colspan=(names.len() + 4) { "and " (rest.len()) " more kernels" } }
                }
            }
        }
    }
}

/// Values with their names.
fn named(names: &[String], values: &[f64]) -> Vec<(String, f64)> {
    names.iter().cloned().zip(values.iter().copied()).collect()
}

fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "-".to_string() }
}
