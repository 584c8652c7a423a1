//! Charts, as SVG and as bars of HTML. All of them can be read without colours: what a mark means
//! is said where the pointer rests on it, and in the table or legend beside it.

use maud::{Markup, html};

use crate::words::explained;

/// Width and height of a chart over time, and room at its left and bottom for the axes.
const SIZE: (f64, f64) = (860.0, 180.0);
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 22.0;
/// Colours of a page's style sheet for names without a meaning of their own.
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
    let names: Vec<_> = lines.iter().map(|line| line.name.clone()).collect();
    let palette = Palette::of(&names);
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
                @for line in lines {
                    polyline class=(format!("line s{}", palette.colour(&line.name)))
                        points=(path(line)) {
                        title { (line.name) }
                    }
                }
            }
            @if lines.len() > 1 { (palette.legend(&names)) }
        }
    }
}

/// Colour of the bandwidth that a run reached.
pub const REACHED: usize = 4;

/// Colours of what several charts of a page show.
const MEANINGS: [(&str, usize); 19] = [
    ("kernels", 0),
    ("L2 operations", 1),
    ("firmware", 14),
    ("launch latency", 15),
    ("waiting for other GPUs", 7),
    ("hits", 2),
    ("misses", 3),
    ("joined a pending fill", 6),
    ("not cached", 7),
    ("l1.hits", 2),
    ("l2.hits", 5),
    ("l2.misses", 3),
    ("issues an access", 8),
    ("executes other instructions", 9),
    ("waits for L1", 10),
    ("waits for L2, L3 or DRAM", 5),
    ("waits for another chiplet or GPU", 11),
    ("waits at a barrier", 12),
    ("waits at a fence", 13),
];

/// Names, each with its colour: that of its meaning, else one that no other of them has, as long as
/// there are any.
pub struct Palette(Vec<(String, usize)>);

impl Palette {
    /// Of these names.
    pub fn of(names: &[String]) -> Self {
        let known = |name: &String| {
            MEANINGS.iter().find(|(meaning, _)| meaning == name).map(|(_, colour)| *colour)
        };
        let taken: Vec<_> = names.iter().filter_map(known).collect();
        let mut free = (0..COLOURS).filter(|colour| !taken.contains(colour)).cycle();
        let colour =
            |name: &String| (name.clone(), known(name).or_else(|| free.next()).unwrap_or_default());
        Self(names.iter().map(colour).collect())
    }

    /// The colour of a name.
    fn colour(&self, name: &str) -> usize {
        self.0.iter().find(|(own, _)| own == name).map_or(0, |(_, colour)| *colour)
    }

    /// A bar of parts, as long as their sum is beside `whole`.
    pub fn bar(&self, whole: f64, parts: &[(String, f64)]) -> Markup {
        html! {
            div.bar {
                @for (name, value) in parts {
                    @let share = 100.0 * value / whole.max(f64::MIN_POSITIVE);
                    i class=(format!("c{}", self.colour(name))) style=(format!("width:{share:.3}%"))
                        title=(format!("{name}: {}", full(*value))) {}
                }
            }
        }
    }

    /// Those of the names that are shown, with their colours.
    pub fn legend(&self, shown: &[String]) -> Markup {
        html! {
            p.legend {
                @for (name, colour) in self.0.iter().filter(|(name, _)| shown.contains(name)) {
                    span { i class=(format!("key c{colour}")) {} (explained(name)) }
                }
            }
        }
    }
}

/// A bar of one part, as long as it is beside `whole`.
pub fn bar(whole: f64, name: &str, value: f64) -> Markup {
    Palette(vec![(name.to_string(), 0)]).bar(whole, &[(name.to_string(), value)])
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
