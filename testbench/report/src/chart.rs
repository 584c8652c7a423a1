//! Charts, as SVG and as bars of HTML. All of them can be read without colours: what a mark means
//! is said where the pointer rests on it, and in the table or legend beside it.

use maud::{Markup, html};

/// Width and height of a chart over time, and room at its left and bottom for the axes.
const SIZE: (f64, f64) = (860.0, 180.0);
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 22.0;
/// Colours of a page's style sheet.
pub const COLOURS: usize = 8;

/// A line over time.
pub struct Line {
    /// Name.
    pub name: String,
    /// Time and value, ascending in time.
    pub points: Vec<(f64, f64)>,
}

/// Lines over time, with a legend. `unit`: of the values; `end`: the end of the time axis.
pub fn lines(title: &str, unit: &str, end: f64, lines: &[Line]) -> Markup {
    let most = lines.iter().flat_map(|line| &line.points).map(|(_, v)| *v).fold(0.0, f64::max);
    let top = nice(most);
    let (width, height) = (SIZE.0 - LEFT, SIZE.1 - BOTTOM);
    let x = |time: f64| LEFT + width * time / end.max(1.0);
    let y = |value: f64| height * (1.0 - value / top) + 4.0;
    let path = |line: &Line| {
        let points = line.points.iter().map(|(t, v)| format!("{:.1},{:.1}", x(*t), y(*v)));
        points.collect::<Vec<_>>().join(" ")
    };
    html! {
        figure {
            figcaption { (title) " " span.unit { (unit) } }
            svg viewBox=(format!("0 0 {} {}", SIZE.0, SIZE.1 + 4.0)) role="img" {
                title { (title) }
                @for step in 0..=4 {
                    @let value = top * f64::from(step) / 4.0;
                    line.grid x1=(LEFT) x2=(SIZE.0) y1=(y(value)) y2=(y(value)) {}
                    text.axis x=(LEFT - 6.0) y=(y(value) + 4.0) text-anchor="end" { (short(value)) }
                }
                @for step in 0..=5usize {
                    @let time = end * step as f64 / 5.0;
                    @let anchor = ["start", "middle", "middle", "middle", "middle", "end"][step];
                    text.axis x=(x(time)) y=(SIZE.1) text-anchor=(anchor) { (short(time)) }
                }
                @for (i, line) in lines.iter().enumerate() {
                    polyline class=(format!("line s{}", i % COLOURS)) points=(path(line)) {
                        title { (line.name) }
                    }
                }
            }
            @if lines.len() > 1 {
                p.legend {
                    @for (i, line) in lines.iter().enumerate() {
                        span { i class=(format!("key c{}", i % COLOURS)) {} (line.name) }
                    }
                }
            }
        }
    }
}

/// A bar of parts, as long as their sum is beside `whole`.
pub fn bar(whole: f64, parts: &[(String, f64)]) -> Markup {
    html! {
        div.bar {
            @for (i, (name, value)) in parts.iter().enumerate() {
                @let share = 100.0 * value / whole.max(f64::MIN_POSITIVE);
                i class=(format!("c{}", i % COLOURS)) style=(format!("width:{share:.3}%"))
                    title=(format!("{name}: {}", full(*value))) {}
            }
        }
    }
}

/// The names of a bar's parts.
pub fn legend(names: &[String]) -> Markup {
    html! {
        p.legend {
            @for (i, name) in names.iter().enumerate() {
                span { i class=(format!("key c{}", i % COLOURS)) {} (name) }
            }
        }
    }
}

/// A round number that is no less.
fn nice(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    let step = 10f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 5.0, 8.0, 10.0]
        .map(|by| by * step)
        .into_iter()
        .find(|top| *top >= most)
        .unwrap_or(10.0 * step)
}

/// A number in few characters: 12 k, 3.4 M.
pub fn short(value: f64) -> String {
    let (value, unit) = match value.abs() {
        v if v >= 1e9 => (value / 1e9, " G"),
        v if v >= 1e6 => (value / 1e6, " M"),
        v if v >= 1e4 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let text = if value.abs() >= 100.0 || value.fract().abs() < 1e-9 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    };
    text + unit
}

/// A number with its thousands apart.
pub fn full(value: f64) -> String {
    if value.fract().abs() > 1e-9 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let first = digits.len() % 3;
    let mut text = digits[..first].to_string();
    for group in digits.as_bytes()[first..].chunks(3) {
        if !text.is_empty() {
            text.push('\u{202f}');
        }
        text += std::str::from_utf8(group).expect("digits");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_or_whole() {
        assert_eq!(
            [0.0, 999.0, 12_345.0, 3.44e6, 2.5].map(short),
            ["0", "999", "12.3 k", "3.4 M", "2.5"]
        );
        assert_eq!(full(1_234_567.0), "1\u{202f}234\u{202f}567");
        assert_eq!(full(12.0), "12");
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!([0.0, 0.7, 3.0, 41.0, 100.0].map(nice), [1.0, 0.8, 4.0, 50.0, 100.0]);
    }
}
