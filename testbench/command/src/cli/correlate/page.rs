//! The page of `--report`: each case's cycles as a point, and the table. It is one file that needs
//! no other and no network.

use maud::{Markup, html};

use super::counters::COUNTERS;
use super::result::{Case, Report, Within};
use super::text::{percent, ratio};

/// Beside the style of all pages.
const STYLE: &str = include_str!("page.css");

/// Width and height of the plot, and of them the part of the axes, at the left and at the bottom.
const SIZE: f64 = 600.0;
const AXIS: f64 = 56.0;
/// Lines beside the diagonal: ours is more or less by this fraction.
const NEAR: f64 = 0.15;

/// The page.
pub fn page(report: &Report) -> Markup {
    let Report { system, summary, cases, .. } = report;
    let facts = [
        ("cases", summary.cases.to_string()),
        ("mean absolute error", percent(summary.error)),
        ("above cold launch cost", percent(summary.error_above_cold)),
        ("geometric mean of ratios", ratio(summary.ratio)),
        ("Pearson, log cycles", decimals(summary.pearson)),
        ("Spearman", decimals(summary.spearman)),
    ];
    let body = html! {
        header { p.brand { "duet" } h1 { (system) " beside a GPU" } }
        main {
            section {
                table {
                    tr { @for (name, _) in &facts { th { (name) } } }
                    tr { @for (_, value) in &facts { td { (value) } } }
                }
            }
            section {
                h2 { "Cycles" }
                p { "A point for each case: all its launches. The dashed lines are 15 % off." }
                (scatter(cases))
            }
            section { h2 { "Launches within each counter's limit" } (limits(report)) }
            section { h2 { "Cases" } (table(cases)) }
        }
    };
    let style = format!("{}{STYLE}", report::STYLE);
    report::document(&format!("duet correlate: {system}"), &style, &body)
}

fn decimals(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.3}"))
}

/// What ours, measurement, and both lines' positions are made of: powers of ten that hold all
/// cycles.
struct Scale {
    low: i32,
    high: i32,
}

impl Scale {
    fn of(pairs: &[(f64, f64)]) -> Self {
        let logarithms = pairs.iter().flat_map(|(ours, measured)| [ours.log10(), measured.log10()]);
        let (low, high) = logarithms
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return Self { low: 0, high: 1 };
        }
        let low = low.floor() as i32;
        Self { low, high: (high.ceil() as i32).max(low + 1) }
    }

    /// Position on an axis, from 0 to 1.
    fn position(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn x(&self, measured: f64) -> f64 {
        AXIS + (SIZE - AXIS) * self.position(measured)
    }

    fn y(&self, ours: f64) -> f64 {
        (SIZE - AXIS) * (1.0 - self.position(ours))
    }

    /// The end points, inside the frame, of the line on which ours is `factor` times the
    /// measurement.
    fn line(&self, factor: f64) -> [f64; 4] {
        let [low, high] = [self.low, self.high].map(|power| 10f64.powi(power));
        let (first, last) = (low.max(low / factor), high.min(high / factor));
        [self.x(first), self.y(first * factor), self.x(last), self.y(last * factor)]
    }
}

/// Ours over the measurement, on logarithmic axes.
fn scatter(cases: &[Case]) -> Markup {
    let point = |case: &'_ Case| case.cycles.ours.filter(|ours| *ours > 0.0);
    let pairs: Vec<_> =
        cases.iter().filter_map(|case| Some((point(case)?, case.cycles.measured))).collect();
    let scale = Scale::of(&pairs);
    let line = |class: &str, factor: f64| {
        let [x1, y1, x2, y2] = scale.line(factor).map(decimal);
        html! { line class=(class) x1=(x1) y1=(y1) x2=(x2) y2=(y2) {} }
    };
    let plot = SIZE - AXIS;
    html! {
        svg.scatter viewBox=(format!("0 -12 {} {}", SIZE + 24.0, SIZE + 12.0)) role="img" {
            title { "Cycles, ours over measured" }
            @for power in scale.low..=scale.high {
                @let (x, y) = (scale.x(10f64.powi(power)), scale.y(10f64.powi(power)));
                line.grid x1=(decimal(x)) x2=(decimal(x)) y1="0" y2=(plot) {}
                line.grid x1=(AXIS) x2=(SIZE) y1=(decimal(y)) y2=(decimal(y)) {}
                text.axis x=(decimal(x)) y=(plot + 16.0) text-anchor="middle" { (cycles(power)) }
                text.axis x=(AXIS - 6.0) y=(decimal(y + 4.0)) text-anchor="end" { (cycles(power)) }
            }
            rect.frame x=(AXIS) y="0" width=(plot) height=(plot) {}
            (line("equal", 1.0)) (line("near", 1.0 + NEAR)) (line("near", 1.0 - NEAR))
            text.axis x=(AXIS + plot / 2.0) y=(plot + 36.0) text-anchor="middle" {
                "measured cycles"
            }
            text.axis x="12" y=(plot / 2.0) text-anchor="middle"
                transform=(format!("rotate(-90 12 {})", plot / 2.0)) { "our cycles" }
            @for case in cases {
                @if let Some(ours) = point(case) {
                    @let (x, y) = (scale.x(case.cycles.measured), scale.y(ours));
                    @let (anchor, by) = if x > SIZE / 2.0 { ("end", -9.0) } else { ("start", 9.0) };
                    g {
                        circle.fitted[case.fitted] cx=(decimal(x)) cy=(decimal(y)) r="5" {
                            title { (case.title()) ": " (ratio(case.cycles.ratio())) }
                        }
                        text.name x=(decimal(x + by)) y=(decimal(y + 4.0)) text-anchor=(anchor) {
                            (case.title()) ": " (ratio(case.cycles.ratio()))
                        }
                    }
                }
            }
        }
    }
}

/// A place in a plot.
fn decimal(place: f64) -> String {
    format!("{place:.1}")
}

/// A power of ten.
fn cycles(power: i32) -> String {
    match power {
        0..=2 => format!("{}", 10u64.pow(power as u32)),
        3..=5 => format!("{} k", 10u64.pow(power as u32 - 3)),
        6..=8 => format!("{} M", 10u64.pow(power as u32 - 6)),
        power => format!("1e{power}"),
    }
}

fn limits(report: &Report) -> Markup {
    html! {
        table {
            tr { th { "counter" } th.n { "within" } th.n { "launches" } th { "limit" } }
            @for counter in &COUNTERS {
                @let Within { within, of } = report.summary.counters[counter.field];
                tr {
                    td { (counter.title) } td.n { (within) } td.n { (of) } td { (counter.limit()) }
                }
            }
        }
    }
}

/// The cases, and the launches of those with several.
fn table(cases: &[Case]) -> Markup {
    let is_fitted = cases.iter().any(|case| case.fitted);
    let is_racy = cases.iter().any(|case| case.racy);
    html! {
        p {
            "Counters: ours over measured. Error: mean of |ours / measured - 1| over the launches."
            @if is_fitted { " † The cold launch cost is fitted to it; no mean includes it." }
            @if is_racy { " * Loads race: stores and later launches depend on the order." }
        }
        table {
            tr {
                th { "case" }
                @for head in ["ours", "measured", "ratio", "error"] { th.n { (head) } }
                @for counter in &COUNTERS { th.n { (counter.title) } }
            }
            @for case in cases {
                tr {
                    td {
                        (case.title()) @if case.racy { " *" } @if case.fitted { " †" }
                    }
                    td.n { (whole(case.cycles.ours)) }
                    td.n { (whole(Some(case.cycles.measured))) }
                    td.n { (ratio(case.cycles.ratio())) }
                    td.n { (percent(case.error)) }
                    @for counter in &COUNTERS {
                        td.n { (ratio(case.counters[counter.field].ratio())) }
                    }
                }
                @for (number, launch) in case.launches.iter().enumerate() {
                    @if case.launches.len() > 1 {
                        tr {
                            td { small { "launch " (number) } }
                            td.n { (whole(launch.cycles.ours)) }
                            td.n { (whole(Some(launch.cycles.measured))) }
                            td.n { (ratio(launch.cycles.ratio())) }
                            td {}
                            @for counter in &COUNTERS {
                                td.n { (ratio(launch.counters[counter.field].ratio())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn whole(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.0}"))
}

#[cfg(test)]
mod tests {
    use super::super::result::Summary;
    use super::super::result::tests::cases;
    use super::*;

    #[test]
    fn page_has_a_point_and_a_row_for_each_case_and_needs_nothing_else() {
        let (cases, summary) = (cases(), Summary::of(&cases()));
        let system = "machine <1>".to_string();
        let report = Report { verdict: "PASS", system, scale: 1, summary, cases };
        let page = page(&report).into_string();
        assert_eq!(page.matches("<circle").count(), 3);
        assert_eq!(page.matches("<circle class=\"fitted\"").count(), 1);
        for row in ["<td>a 1 0</td><td class=\"n\">500</td><td class=\"n\">600</td>", "launch 1"] {
            assert!(page.contains(row), "{row}");
        }
        assert!(page.contains("machine &lt;1&gt;"));
        for outside in ["http", "<script", "src=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn equal_cycles_lie_on_the_diagonal() {
        let scale = Scale::of(&[(150.0, 99_000.0)]);
        assert_eq!((scale.low, scale.high), (2, 5));
        let plot = SIZE - AXIS;
        assert_eq!(scale.line(1.0), [AXIS, plot, SIZE, 0.0]);
        let (x, y) = (AXIS + plot / 3.0, plot / 3.0);
        assert!((scale.x(1000.0) - x).abs() < 1e-9 && (scale.y(10_000.0) - y).abs() < 1e-9);
        // A line of more ends at the top, one of less at the right.
        let ([.., above, top], [.., right, below]) = (scale.line(1.15), scale.line(0.85));
        assert!(above < SIZE && top.abs() < 1e-9, "{above} {top}");
        assert!((right - SIZE).abs() < 1e-9 && below > 0.0, "{right} {below}");
    }
}
