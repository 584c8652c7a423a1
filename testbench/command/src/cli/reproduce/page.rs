//! The page of `--report`: each figure with the paper's numbers beside ours, as bars. It is one
//! file that needs no other and no network.

use maud::{Markup, html};
use reproductions::compared::{self, Compared};
use reproductions::figure::Figure;
use reproductions::score::Score;

use super::Reproduced;

const STYLE: &str = include_str!("page.css");

/// The page of some papers.
pub fn page(all: &[Reproduced], score: Score) -> Markup {
    let names: Vec<_> = all.iter().map(|reproduced| reproduced.paper).collect();
    let body = html! {
        h1 { "Figures of the papers, and ours" }
        p {
            "A figure agrees if each of its numbers has the same sign of effect as the paper's, \
             and run-to-run variation does not change the sign; it is within 25 % if each effect \
             is. Bars begin at no effect."
        }
        div.legend {
            span.paper { i {} " the paper's" }
            span.ours { i {} " ours; the line is the run-to-run variation" }
        }
        (scores(all, score))
        @for reproduced in all {
            section {
                h2 id=(reproduced.paper) { (reproduced.paper) }
                p { (reproduced.score) "; " (reproduced.score.bases()) "; " (reproduced.checked) }
                @for figure in &reproduced.figures { (of_figure(figure)) }
            }
        }
    };
    report::document(&format!("duet reproduce: {}", names.join(", ")), STYLE, &body)
}

/// The table of scores, with all in the last row.
fn scores(all: &[Reproduced], score: Score) -> Markup {
    let row = |name: Markup, score: Score| {
        html! {
            tr {
                th { (name) }
                td { (score.figures) }
                td { (score.shown) }
                td { (score.direction_agrees) " of " (score.directed) }
                td { (score.within) " of " (score.compared) }
            }
        }
    };
    html! {
        table {
            tr {
                @for head in ["paper", "figures", "shown", "direction agrees", "within 25 %"] {
                    th { (head) }
                }
            }
            @for Reproduced { paper, score, .. } in all {
                (row(html! { a href={ "#" (paper) } { (paper) } }, *score))
            }
            (row(html! { "all" }, score))
        }
    }
}

fn of_figure(figure: &Figure) -> Markup {
    let Figure { id, quantity, ours, paper, place, note, values, .. } = figure;
    html! {
        article {
            h3 { (id) " " (quantity) }
            @if !figure.compared.is_empty() { (compared(figure)) }
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
    let scale = Scale::of(figure, all.iter().flat_map(|n| [Some(n.paper), n.ours]).flatten());
    html! {
        div.bars {
            @for Compared { name, ours, paper, ratio, direction_agrees, within, .. } in all {
                span.name {
                    (name)
                    br;
                    small {
                        "ratio " (compared::number(*ratio))
                        ", direction " (compared::word(*direction_agrees))
                        ", within 25 % " (compared::word(*within))
                    }
                }
                div {
                    (scale.bar("paper", *paper, 0.0))
                    @if let Some(ours) = ours { (scale.bar("ours", *ours, noise(figure, name))) }
                }
            }
        }
    }
}

/// Ours, of what the paper has no number for, too.
fn alone(figure: &Figure) -> Markup {
    let scale = Scale::of(figure, figure.values.values().copied());
    html! {
        div.bars {
            @for (name, value) in &figure.values {
                span.name { (name) }
                div { (scale.bar("ours", *value, noise(figure, name))) }
            }
        }
    }
}

/// Of one of our values.
fn noise(figure: &Figure, name: &str) -> f64 {
    figure.noise.get(name).copied().unwrap_or(0.0)
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

    /// A bar from the base to a value, with a line for the run-to-run variation.
    fn bar(&self, class: &str, value: f64, noise: f64) -> Markup {
        let (base, end) = (self.place(self.base), self.place(value));
        let (left, width) = (base.min(end), (end - base).abs());
        let (low, high) = (self.place(value - noise), self.place(value + noise));
        html! {
            div class={ "bar " (class) } title=(class) {
                div.plot {
                    i style=(format!("left:{left:.2}%;width:{width:.2}%")) {}
                    @if noise > 0.0 {
                        b style=(format!("left:{low:.2}%;width:{:.2}%", high - low)) {}
                    }
                }
                span { (number(value)) @if noise > 0.0 { " ± " (number(noise)) } }
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
        let mut report = (finepack.run)(scale.by, &small, 0, &Attempt::default()).unwrap();
        report.checked = "checked <all>".to_string();
        let (figures, score) = (report.figures.clone(), report.score);
        let page = page(&[report], score).into_string();
        for Figure { id, place, compared, .. } in &figures {
            assert!(page.contains(&format!("<h3>{id} ")), "{id}");
            assert!(page.contains(&format!("({place})")), "{id}");
            for Compared { name, paper, ratio, direction_agrees, within, .. } in compared {
                let ratio = compared::number(*ratio);
                let [direction, within] = [*direction_agrees, *within].map(compared::word);
                let told = format!(
                    "<span class=\"name\">{name}<br><small>ratio {ratio}, direction {direction}, \
                     within 25 % {within}</small></span><div><div class=\"bar paper\""
                );
                assert!(page.contains(&told), "{id} {name}");
                assert!(page.contains(&format!("<span>{}</span>", number(*paper))), "{id} {name}");
            }
        }
        let Score { figures, shown, .. } = score;
        assert!(page.contains(&format!("<td>{figures}</td><td>{shown}</td>")));
        assert!(page.contains("checked &lt;all&gt;"));
        for outside in ["http", "<script", "src=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn bars_begin_where_there_is_no_effect() {
        let scale = Scale { low: 0.5, high: 2.5, base: 1.0 };
        let bar = |value| scale.bar("ours", value, 0.0).into_string();
        assert!(bar(2.0).contains("left:25.00%;width:50.00%"), "{}", bar(2.0));
        assert!(bar(0.5).contains("left:0.00%;width:25.00%"), "{}", bar(0.5));
        let noisy = scale.bar("ours", 2.0, 0.25).into_string();
        assert!(noisy.contains("left:62.50%;width:25.00%") && noisy.contains("± 0.250"), "{noisy}");
    }
}
