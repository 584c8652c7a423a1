//! Each number that a paper gives of a figure, beside ours.

use std::fmt::{self, Formatter};

use schemars::JsonSchema;
use serde::Serialize;

use crate::figure::Figure;
use crate::table::{self, Column, left, right};

/// What counts as near: so much of the paper's effect.
const NEAR: f64 = 0.25;

/// A number of the paper's, and ours. An effect is the distance from where there is no effect, 1 of
/// a ratio, or, where there is no such place, from 0.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Compared {
    /// What it is a number of.
    pub name: String,
    /// Ours; none where the runs give none.
    pub ours: Option<f64>,
    /// The paper's.
    pub paper: f64,
    /// Ours over the paper's; none where that is 0.
    pub ratio: Option<f64>,
    /// Our effect over the paper's; none where the paper sees no effect.
    pub effect: Option<f64>,
    /// Ours lies on the paper's side of no effect, and noise does not turn it; none where there is
    /// no such place, or the paper sees no effect.
    pub direction_agrees: Option<bool>,
    /// Our effect is within 25 % of the paper's; none where the paper sees no effect.
    pub within: Option<bool>,
}

/// The paper's numbers beside ours, of a figure that is shown. Where ours is missing, it does not
/// agree.
pub fn compared(figure: &Figure) -> Vec<Compared> {
    let numbers = figure.numbers.iter().filter(|_| figure.ours.is_some());
    let each = numbers.map(|(name, &paper)| {
        let base = figure.neutral().unwrap_or(0.0);
        let ours = figure.values.get(name).copied();
        let of = |ours: f64, paper: f64| (paper != 0.0).then(|| ours / paper);
        let effect = ours.and_then(|ours| of(ours - base, paper - base));
        let has_effect = paper != base;
        let is_sure = !figure.unsure.contains(name);
        let direction = effect.is_some_and(|effect| effect > 0.0 && is_sure);
        let within = effect.is_some_and(|effect| (effect - 1.0).abs() <= NEAR);
        Compared {
            name: name.clone(),
            ours,
            paper,
            ratio: ours.and_then(|ours| of(ours, paper)),
            effect,
            direction_agrees: (has_effect && figure.neutral().is_some()).then_some(direction),
            within: has_effect.then_some(within),
        }
    });
    each.collect()
}

/// The numbers as a table; nothing where there are none.
pub fn write(f: &mut Formatter, numbers: &[Compared]) -> fmt::Result {
    if numbers.is_empty() {
        return Ok(());
    }
    let widest = numbers.iter().map(|number| number.name.len()).max().unwrap_or(0);
    table::write(f, &columns(7 + widest), numbers)
}

fn columns<'a>(names: usize) -> [Column<&'a Compared>; 7] {
    [
        left("     each", names, |n: &&Compared| format!("       {}", n.name)),
        right("ours", 10, |n| number(n.ours)),
        right("paper", 10, |n| number(Some(n.paper))),
        right("ratio", 8, |n| number(n.ratio)),
        right("effect", 8, |n| number(n.effect)),
        right("direction", 11, |n| word(n.direction_agrees).into()),
        right("within 25 %", 13, |n| word(n.within).into()),
    ]
}

/// Three digits behind the point, fewer of large numbers.
pub fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return "-".into() };
    let digits = match value.abs() {
        10_000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

/// An answer as a word.
pub fn word(answer: Option<bool>) -> &'static str {
    match answer {
        None => "-",
        Some(true) => "yes",
        Some(false) => "no",
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Display;

    use super::*;
    use crate::figure;

    const FILE: &str = r#"
        [[figure]]
        id = "X1"
        quantity = "speedups"
        neutral = 1.0
        paper = "-"
        place = "-"
        numbers = { gain = 1.2, loss = 0.9, none = 1.0, missing = 1.5, turned = 1.1 }
        [[figure]]
        id = "X2"
        quantity = "bytes, and errors"
        paper = "-"
        place = "-"
        numbers = { bytes = 8000.0, errors = 0.0 }
    "#;

    fn shown() -> Vec<Figure> {
        let of = |turned: f64| {
            figure::figures(FILE, |id| match id {
                "X1" => {
                    let values = [("gain", 1.1), ("loss", 1.05), ("none", 1.2), ("turned", turned)];
                    figure::ours("shown".into(), values)
                }
                _ => figure::ours("shown".into(), [("bytes", 10_000.0), ("errors", 3.0)]),
            })
        };
        figure::with_noise(of(1.1), &[of(0.9)])
    }

    fn one(id: usize, name: &str) -> Compared {
        compared(&shown()[id]).into_iter().find(|number| number.name == name).unwrap()
    }

    #[test]
    fn ratio_is_of_numbers_and_direction_and_nearness_of_effects() {
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} {b}");
        let gain = one(0, "gain");
        close(gain.ratio, 1.1 / 1.2);
        close(gain.effect, 0.5);
        assert_eq!((gain.direction_agrees, gain.within), (Some(true), Some(false)));
        let loss = one(0, "loss");
        close(loss.effect, -0.5);
        assert_eq!((loss.direction_agrees, loss.within), (Some(false), Some(false)));
        let bytes = one(1, "bytes");
        close(bytes.ratio, 1.25);
        close(bytes.effect, 1.25);
        assert_eq!((bytes.direction_agrees, bytes.within), (None, Some(true)));
    }

    #[test]
    fn of_no_effect_nothing_is_said_and_what_is_missing_or_noise_does_not_agree() {
        let none = one(0, "none");
        assert_eq!((none.effect, none.direction_agrees, none.within), (None, None, None));
        let errors = one(1, "errors");
        assert_eq!((errors.ratio, errors.effect, errors.within), (None, None, None));
        let missing = one(0, "missing");
        assert_eq!((missing.ours, missing.ratio, missing.effect), (None, None, None));
        assert_eq!((missing.direction_agrees, missing.within), (Some(false), Some(false)));
        let turned = one(0, "turned");
        assert_eq!((turned.direction_agrees, turned.within), (Some(false), Some(true)));
    }

    #[test]
    fn table_has_a_line_for_each_number() {
        struct Table(Vec<Compared>);
        impl Display for Table {
            fn fmt(&self, f: &mut Formatter) -> fmt::Result {
                write(f, &self.0)
            }
        }
        let lines = Table(vec![one(0, "gain"), one(0, "missing"), one(1, "bytes")]).to_string();
        let expected = [
            "     each           ours     paper   ratio  effect  direction  within 25 %",
            "       gain        1.100     1.200   0.917   0.500        yes           no",
            "       missing         -     1.500       -       -         no           no",
            "       bytes       10000    8000.0   1.250   1.250          -          yes",
        ];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
        assert_eq!(Table(Vec::new()).to_string(), "");
    }
}
