//! The page of `--report`: each figure with the paper's numbers beside ours, as bars. It is one
//! file that needs no other and no network.

use maud::{Markup, html};
use reproductions::bootstrap::Interval;
use reproductions::compared::{self, Compared};
use reproductions::figure::Figure;
use reproductions::summary::{self, Summary};

use super::Reproduced;

const STYLE: &str = include_str!("page.css");

/// The page of some papers; `of_all`: the summary of all that there are.
pub fn page(all: &[Reproduced], of_all: Option<&Summary>) -> Markup {
    let names: Vec<_> = all.iter().map(|reproduced| reproduced.paper).collect();
    let body = html! {
        h1 { "Figures of the papers, and ours" }
        p {
            "Intervals hold 95 % of a bootstrap over programs and perturbed repetitions. A star \
             marks a sign that the whole interval has. Bars begin at no effect."
        }
        div.legend {
            span.paper { i {} " the paper's" }
            span.ours { i {} " ours; the line is the 95 % interval" }
        }
        (summaries(all, of_all))
        p { (summary::LEGEND) }
        @for reproduced in all {
            section {
                h2 id=(reproduced.paper) { (reproduced.paper) }
                p { (reproduced.summary) "; " (reproduced.checked) }
                @if let Some(ranks) = reproduced.summary.ranks_text() {
                    p { "Kendall's tau by program: " (ranks) }
                }
                @for figure in &reproduced.figures { (of_figure(figure)) }
            }
        }
    };
    report::document(&format!("duet reproduce: {}", names.join(", ")), STYLE, &body)
}

/// The table of summaries, with all in the last row.
fn summaries(all: &[Reproduced], of_all: Option<&Summary>) -> Markup {
    let row = |name: Markup, summary: &Summary| {
        html! { tr { th { (name) } @for cell in summary.cells() { td { (cell) } } } }
    };
    html! {
        table {
            tr { th { "paper" } @for title in summary::TITLES { th { (title) } } }
            @for Reproduced { paper, summary, .. } in all {
                (row(html! { a href={ "#" (paper) } { (paper) } }, summary))
            }
            @if let Some(summary) = of_all { (row(html! { "all" }, summary)) }
        }
    }
}

fn of_figure(figure: &Figure) -> Markup {
    let Figure { id, quantity, ours, paper, place, note, values, .. } = figure;
    html! {
        article {
            h3 { (id) " " (quantity) }
            @if !figure.compared.is_empty() { (compared(figure)) }
            @for rank in &figure.ranks { p { (rank) } }
            dl {
                dt { "paper" } dd { (paper) " (" (place) ")" }
                dt { "ours" } dd { (ours.as_deref().unwrap_or("not shown")) }
                @if !note.is_empty() { dt { "note" } dd { (note) } }
            }
            @if !values.is_empty() {
                details {
                    summary { "all " (values.len()) " values of ours" }
                    (alone(figure))
                }
            }
        }
    }
}

/// The paper's numbers above ours, and how near they are.
fn compared(figure: &Figure) -> Markup {
    let all = &figure.compared;
    let scale = Scale::of(
        figure,
        all.iter().flat_map(|n| {
            let ends = n.interval.map(|Interval { low, high, .. }| [low, high]);
            [Some(n.paper), n.ours].into_iter().flatten().chain(ends.into_iter().flatten())
        }),
    );
    html! {
        div.bars {
            @for number in all {
                @let Compared { name, ours, paper, ratio, log_ratio, interval, .. } = number;
                span.name {
                    (name)
                    br;
                    small {
                        "ratio " (compared::number(*ratio))
                        ", ln " (compared::number(*log_ratio))
                        ", sign " (number.sign())
                        ", inside " (compared::word(number.paper_inside))
                    }
                }
                div {
                    (scale.bar("paper", *paper, None))
                    @if let Some(ours) = ours { (scale.bar("ours", *ours, *interval)) }
                }
            }
        }
    }
}

/// Ours, of what the paper has no number for, too.
fn alone(figure: &Figure) -> Markup {
    let ends = figure.intervals.values().flat_map(|Interval { low, high, .. }| [*low, *high]);
    let scale = Scale::of(figure, figure.values.values().copied().chain(ends));
    html! {
        div.bars {
            @for (name, value) in &figure.values {
                span.name { (name) }
                div { (scale.bar("ours", *value, figure.intervals.get(name).copied())) }
            }
        }
    }
}

/// Where values lie between the ends of a plot.
struct Scale {
    low: f64,
    high: f64,
    /// Where bars begin: where there is no effect, else at 0.
    base: f64,
}

impl Scale {
    fn of(figure: &Figure, values: impl Iterator<Item = f64>) -> Self {
        let base = figure.neutral().unwrap_or(0.0);
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((base, base), |(low, high), v| (low.min(v), high.max(v)));
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, base }
    }

    /// Per cent of the plot's width.
    fn place(&self, value: f64) -> f64 {
        (100.0 * (value - self.low) / (self.high - self.low)).clamp(0.0, 100.0)
    }

    /// A bar from the base to a value, with a line for the interval.
    fn bar(&self, class: &str, value: f64, interval: Option<Interval>) -> Markup {
        let (base, end) = (self.place(self.base), self.place(value));
        let (left, width) = (base.min(end), (end - base).abs());
        html! {
            div class={ "bar " (class) } title=(class) {
                div.plot {
                    i style=(format!("left:{left:.2}%;width:{width:.2}%")) {}
                    @if let Some(Interval { low, high, .. }) = interval {
                        @let (low, high) = (self.place(low), self.place(high));
                        b style=(format!("left:{low:.2}%;width:{:.2}%", high - low)) {}
                    }
                }
                span {
                    (number(value))
                    @if interval.is_some() { " (" (compared::range(interval)) ")" }
                }
            }
        }
    }
}

/// Four digits, or all before the point.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use reproductions::experiment::{Attempt, Input};
    use reproductions::paper;

    use super::*;

    #[test]
    fn page_has_every_figure_with_bars_of_both_and_needs_nothing_else() {
        let finepack = paper::all().into_iter().find(|paper| paper.name == "finepack").unwrap();
        let scale = finepack.scales[0];
        let small = [Input { size: 1000, iterations: 2, ..scale.inputs[0] }];
        let mut report = (finepack.run)(scale.by, &small, 1, &Attempt::default()).unwrap();
        report.checked = "checked <all>".to_string();
        let (figures, summary) = (report.figures.clone(), report.summary.clone());
        let page = page(&[report], Some(&summary)).into_string();
        let mut intervals = 0;
        for Figure { id, place, compared, .. } in &figures {
            assert!(page.contains(&format!("<h3>{id} ")), "{id}");
            assert!(page.contains(&format!("({place})")), "{id}");
            for one in compared {
                let Compared { name, paper, ours, interval, .. } = one;
                let [ratio, log_ratio] = [one.ratio, one.log_ratio].map(compared::number);
                let (sign, inside) = (one.sign(), compared::word(one.paper_inside));
                if let (Some(ours), Some(_)) = (ours, interval) {
                    let range =
                        format!("{} ({})</span>", number(*ours), compared::range(*interval));
                    assert!(page.contains(&range), "{id} {name}: no {range}");
                    intervals += 1;
                }
                let told = format!(
                    "<span class=\"name\">{name}<br><small>ratio {ratio}, ln {log_ratio}, sign \
                     {sign}, inside {inside}</small></span><div><div class=\"bar paper\""
                );
                assert!(page.contains(&told), "{id} {name}");
                assert!(page.contains(&format!("<span>{}</span>", number(*paper))), "{id} {name}");
            }
        }
        assert!(intervals > 10, "{intervals}");
        let Summary { figures, shown, effects, same_sign, .. } = summary;
        let row = format!("<td>{shown} of {figures}</td><td>{same_sign} of {effects}</td>");
        assert_eq!(page.matches(&row).count(), 2, "{row}");
        assert!(page.contains("checked &lt;all&gt;"));
        for outside in ["http", "<script", "src=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn bars_begin_where_there_is_no_effect() {
        let scale = Scale { low: 0.5, high: 2.5, base: 1.0 };
        let bar = |value| scale.bar("ours", value, None).into_string();
        assert!(bar(2.0).contains("left:25.00%;width:50.00%"), "{}", bar(2.0));
        assert!(bar(0.5).contains("left:0.00%;width:25.00%"), "{}", bar(0.5));
        // A line from the lower end of the interval to the upper.
        let interval = Interval { low: 1.5, high: 2.25, resamples: 1000 };
        let spread = scale.bar("ours", 2.0, Some(interval)).into_string();
        assert!(spread.contains("<b style=\"left:50.00%;width:37.50%\">"), "{spread}");
        assert!(spread.contains("<span>2.000 (1.500 to 2.250)</span>"), "{spread}");
    }
}
