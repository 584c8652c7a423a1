//! Bytes per cycle at each level, and what the level could move.

use maud::{Markup, html};

use super::percent;
use crate::chart::{REACHED, full};
use crate::words::explained;
use crate::{Level, Run};

/// Width and height of a row's bar, and bytes per cycle at its left end.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 20.0;
const LEAST: f64 = 0.01;

/// Rows of a roofline: each level with the mean bandwidth that the run reached and its limit.
pub fn levels(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let all = || runs.iter().flat_map(|run| &run.levels);
    let most = all().map(|level| level.possible).fold(0.0, f64::max);
    let some = all().any(|level| level.bytes > 0);
    // The order of the levels, of whichever run has them.
    let mut names: Vec<&Level> = Vec::new();
    for level in all() {
        if names.iter().all(|known| known.name != level.name) {
            names.push(level);
        }
    }
    some.then(|| html! {
        p { "Mean bytes per cycle over the whole run. The bar ends at the bandwidth that the run "
            "reached, the line at the bandwidth of all ports of the level together. The axis is "
            "logarithmic." }
        @for of in names {
            h3 title=(of.ports) { (explained(&of.name)) ": " span.unit { (explained(&of.ports)) } }
            @for (run, label) in runs.iter().zip(labels) {
                @if let Some(level) = run.levels.iter().find(|level| level.name == of.name) {
                    @let reached = level.bytes as f64 / run.cycles.max(1) as f64;
                    div.row {
                        span.label { (label) }
                        (bar(reached, level.possible, most))
                        span.n {
                            (bandwidth(reached)) " of " (bandwidth(level.possible)) " ("
                            (percent(reached, level.possible)) ")"
                        }
                    }
                }
            }
        }
    })
}

/// Both ends on one logarithmic axis.
fn bar(reached: f64, possible: f64, most: f64) -> Markup {
    let x = |value: f64| {
        let decades = |value: f64| (value.max(LEAST) / LEAST).log10();
        (WIDTH - 2.0) * decades(value) / decades(most).max(f64::MIN_POSITIVE)
    };
    let title = format!("{} of {} bytes per cycle", bandwidth(reached), bandwidth(possible));
    html! {
        svg.roof viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" role="img" {
            title { (title) }
            rect.ground x="0" y="3" width=(x(possible)) height="14" {}
            rect class=(format!("f{REACHED}")) x="0" y="3" width=(x(reached)) height="14" {}
            line.limit x1=(x(possible)) x2=(x(possible)) y1="0" y2=(HEIGHT) {}
        }
    }
}

/// Three digits, or all before the point.
fn bandwidth(value: f64) -> String {
    match value {
        v if v >= 100.0 || v.fract() == 0.0 => full(v.round()),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}
