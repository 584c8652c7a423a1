//! What was recorded over time, and the ways of loads.

use maud::{Markup, html};

use crate::Run;
use crate::chart::{Line, bar, full, lines};
use crate::words::explained;

/// Queues that are drawn, the fullest.
const MOST_QUEUES: usize = 6;

/// Where the cycles of a load go: of the loads that come to each point, the mean so far.
pub fn latency(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let mean = |run: &Run, at: usize| {
        let point = &run.loads[at];
        (point.loads > 0).then(|| point.cycles as f64 / point.loads as f64)
    };
    let points = runs.iter().map(|run| run.loads.len()).max()?;
    let most = runs.iter().flat_map(|run| (0..run.loads.len()).filter_map(|at| mean(run, at)));
    let most = most.fold(0.0, f64::max);
    (most > 0.0).then(|| html! {
        p { "Mean cycles from the issue of a load to each point, over the loads that reach the "
            "point. A load that hits reaches few points. Requests to an L3 or a home include "
            "fetches of L2s for stores." }
        @for at in 0..points {
            @let named: Vec<_> = runs.iter().filter_map(|run| run.loads.get(at)).collect();
            @if named.iter().any(|point| point.loads > 0) {
                h3 { (explained(&named[0].name)) }
                @let known = runs.iter().zip(labels).filter(|(run, _)| at < run.loads.len());
                @for (run, label) in known {
                    @if let Some(cycles) = mean(run, at) {
                        div.row {
                            span.label { (label) }
                            (bar(most, &named[0].name, cycles))
                            span.n {
                                (format!("{cycles:.1} cycles")) ", "
                                (full(run.loads[at].loads as f64)) " loads"
                            }
                        }
                    }
                }
            }
        }
        @for (run, label) in runs.iter().zip(labels) {
            @let most = run.latencies.iter().copied().max().unwrap_or(0) as f64;
            details {
                summary { "Loads of " (label) " by latency" }
                @for (bits, loads) in run.latencies.iter().enumerate().filter(|(_, n)| **n > 0) {
                    @let from = if bits == 0 { 0 } else { 1u64 << bits };
                    div.row {
                        span.label { (from) " to " ((1u64 << (bits + 1)) - 1) }
                        (bar(most, "loads", *loads as f64))
                        span.n { (full(*loads as f64)) }
                    }
                }
            }
        }
    })
}

/// Rates and queues over time, run by run.
pub fn over_time(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let some = runs.iter().any(|run| run.sampled.len() > 2);
    // The same scale for all, so that they can be compared.
    let end = runs.iter().map(|run| run.cycles).max()? as f64;
    some.then(|| {
        html! {
            p { "The time axis counts cycles of the GPU's clock." }
            @for (run, label) in runs.iter().zip(labels).filter(|(run, _)| run.sampled.len() > 2) {
                @if runs.len() > 1 { h3 { (label) } }
                @for (title, unit, drawn) in charts(run) {
                    @if !drawn.is_empty() { (lines(title, unit, end, &drawn)) }
                }
            }
        }
    })
}

fn charts(run: &Run) -> Vec<(&'static str, &'static str, Vec<Line>)> {
    vec![
        (
            "L1 and L2 hits and misses",
            "per 1000 cycles",
            rates(run, &["l1.hits", "l2.hits", "l2.misses"]),
        ),
        (
            "Links between chiplets",
            "bytes per 1000 cycles",
            rates(run, &grouped(run, "traffic.link.")),
        ),
        (
            "Links between GPUs",
            "bytes per 1000 cycles",
            rates(run, &["gpu_link.wire_bytes", "gpu_link.completion_bytes"]),
        ),
        (
            "Epochs and synchronisations",
            "per 1000 cycles",
            rates(run, &["l1.epoch_transitions", "l1.race_syncs", "l1.race_races"]),
        ),
        ("Queues: messages sent and not taken", "messages", queues(run)),
    ]
}

fn grouped<'a>(run: &'a Run, prefix: &str) -> Vec<&'a str> {
    run.series.keys().map(String::as_str).filter(|name| name.starts_with(prefix)).collect()
}

/// What came in each interval, of the statistics that change.
fn rates(run: &Run, names: &[&str]) -> Vec<Line> {
    let all = names.iter().filter_map(|name| Some((name, run.series.get(*name)?)));
    all.map(|(name, values)| {
        let intervals = run.sampled.windows(2).zip(values.windows(2));
        let points = intervals.map(|(cycles, values)| {
            let rate =
                values[1].saturating_sub(values[0]) as f64 / (cycles[1] - cycles[0]).max(1) as f64;
            (cycles[1] as f64, 1000.0 * rate)
        });
        Line { name: name.to_string(), points: points.collect() }
    })
    .collect()
}

fn queues(run: &Run) -> Vec<Line> {
    const QUEUE: &str = "queue.";
    let mut all: Vec<_> = run.series.iter().filter(|(name, _)| name.starts_with(QUEUE)).collect();
    all.sort_by_key(|(_, values)| std::cmp::Reverse(values.iter().sum::<u64>()));
    all.truncate(MOST_QUEUES);
    let line = |(name, values): (&String, &Vec<u64>)| Line {
        name: name[QUEUE.len()..].trim_matches('.').to_string(),
        points: run.sampled.iter().zip(values).map(|(c, v)| (*c as f64, *v as f64)).collect(),
    };
    all.into_iter().map(line).collect()
}
