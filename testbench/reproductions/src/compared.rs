//! Each number that a paper gives of a figure, beside ours.

use std::fmt::{self, Formatter};

use schemars::JsonSchema;
use serde::Serialize;

use crate::bootstrap::Interval;
use crate::figure::Figure;
use crate::table::{self, Column, left, right};

/// A number of the paper's, and ours. Its sign is the side of [`Figure::neutral`] on which it lies.
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
    /// The natural logarithm of the ratio; none where that is not positive.
    pub log_ratio: Option<f64>,
    /// The 95 % interval of ours; none where it is not measured in runs.
    pub interval: Option<Interval>,
    /// Ours has the paper's sign; false where ours is missing; none where the sign says nothing, or
    /// the paper sees no effect.
    pub same_sign: Option<bool>,
    /// The whole interval has the sign of ours; none where the sign says nothing, or there is no
    /// interval.
    pub significant: Option<bool>,
    /// The paper's number lies in our interval; none where there is no interval.
    pub paper_inside: Option<bool>,
}

/// The paper's numbers beside ours, of a figure that is shown.
pub fn compared(figure: &Figure) -> Vec<Compared> {
    let numbers = figure.numbers.iter().filter(|_| figure.ours.is_some());
    let each = numbers.map(|(name, &paper)| {
        let ours = figure.values.get(name).copied();
        let ratio = ours.filter(|_| paper != 0.0).map(|ours| ours / paper);
        let interval = figure.intervals.get(name).copied();
        let neutral = figure.neutral();
        let same_sign = |neutral: f64| {
            (paper != neutral)
                .then(|| ours.is_some_and(|ours| (ours - neutral) * (paper - neutral) > 0.0))
        };
        let is_significant = |(neutral, ours): (f64, f64)| {
            let Interval { low, high, .. } = interval?;
            Some(if ours > neutral { low > neutral } else { high < neutral })
        };
        Compared {
            name: name.clone(),
            ours,
            paper,
            ratio,
            log_ratio: ratio.filter(|ratio| *ratio > 0.0).map(f64::ln),
            interval,
            same_sign: neutral.and_then(same_sign),
            significant: neutral.zip(ours).and_then(is_significant),
            paper_inside: interval.map(|interval| interval.contains(paper)),
        }
    });
    each.collect()
}

impl Compared {
    /// `same` or `other`, with a star where the sign is significant.
    pub fn sign(&self) -> String {
        let star = if self.significant == Some(true) { "*" } else { "" };
        match self.same_sign {
            None => "-".into(),
            Some(true) => format!("same{star}"),
            Some(false) => format!("other{star}"),
        }
    }
}

/// The numbers as a table; nothing where there are none.
pub fn write(f: &mut Formatter, numbers: &[Compared]) -> fmt::Result {
    if numbers.is_empty() {
        return Ok(());
    }
    let widest = numbers.iter().map(|number| number.name.len()).max().unwrap_or(0);
    table::write(f, &columns(7 + widest), numbers)
}

fn columns<'a>(names: usize) -> [Column<&'a Compared>; 8] {
    [
        left("     each", names, |n: &&Compared| format!("       {}", n.name)),
        right("ours", 9, |n| number(n.ours)),
        right("95 % interval", 19, |n| range(n.interval)),
        right("paper", 9, |n| number(Some(n.paper))),
        right("ratio", 8, |n| number(n.ratio)),
        right("ln", 8, |n| number(n.log_ratio)),
        right("sign", 8, |n| n.sign()),
        right("inside", 8, |n| word(n.paper_inside).into()),
    ]
}

/// Both ends.
pub fn range(interval: Option<Interval>) -> String {
    let Some(Interval { low, high, .. }) = interval else { return "-".into() };
    format!("{} to {}", number(Some(low)), number(Some(high)))
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
        numbers = { gain = 1.25, loss = 0.9, none = 1.0, missing = 1.5, unsure = 1.1 }
        [[figure]]
        id = "X2"
        quantity = "bytes, and errors"
        paper = "-"
        place = "-"
        numbers = { bytes = 8000.0, errors = 0.0, fewer = 2.0 }
    "#;

    fn shown() -> Vec<Figure> {
        let mut figures = figure::figures(FILE, |id| match id {
            "X1" => {
                let values = [("gain", 1.1), ("loss", 1.05), ("none", 1.2), ("unsure", 1.1)];
                figure::ours("shown".into(), values)
            }
            _ => figure::ours(
                "shown".into(),
                [("bytes", 10_000.0), ("errors", 3.0), ("fewer", -1.0)],
            ),
        });
        let interval = |low, high| Interval { low, high, resamples: 1000 };
        for (name, low, high) in [
            ("gain", 1.05, 1.25),
            ("loss", 1.0001, 1.1),
            ("none", 1.0, 1.4),
            ("unsure", 0.9999, 1.0999),
        ] {
            figures[0].intervals.insert(name.into(), interval(low, high));
        }
        figures[1].intervals.insert("bytes".into(), interval(8000.1, 12_000.0));
        figures
    }

    fn one(id: usize, name: &str) -> Compared {
        compared(&shown()[id]).into_iter().find(|number| number.name == name).unwrap()
    }

    #[test]
    fn ratio_and_its_logarithm_are_of_ours_over_the_papers() {
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} {b}");
        close(one(0, "gain").ratio, 0.88);
        // ln 0.88 = -0.127833...
        close(one(0, "gain").log_ratio, -0.127_833_371_509_884_6);
        close(one(1, "bytes").ratio, 1.25);
        close(one(1, "bytes").log_ratio, 0.223_143_551_314_209_7);
        // The other sign has a ratio but no logarithm, a paper's 0 neither.
        let fewer = one(1, "fewer");
        assert_eq!((fewer.ratio, fewer.log_ratio), (Some(-0.5), None));
        let errors = one(1, "errors");
        assert_eq!((errors.ratio, errors.log_ratio), (None, None));
        let missing = one(0, "missing");
        assert_eq!((missing.ours, missing.ratio, missing.log_ratio), (None, None, None));
    }

    #[test]
    fn sign_is_significant_where_the_whole_interval_has_it() {
        let of = |name| (one(0, name).same_sign, one(0, name).significant, one(0, name).sign());
        assert_eq!(of("gain"), (Some(true), Some(true), "same*".into()));
        assert_eq!(of("loss"), (Some(false), Some(true), "other*".into()));
        assert_eq!(of("unsure"), (Some(true), Some(false), "same".into()));
        // The paper sees no effect; our interval ends where there is none.
        assert_eq!(of("none"), (None, Some(false), "-".into()));
        assert_eq!(of("missing"), (Some(false), None, "other".into()));
        // Bytes have no sign.
        let bytes = one(1, "bytes");
        assert_eq!((bytes.same_sign, bytes.significant), (None, None));
    }

    #[test]
    fn papers_number_is_inside_the_interval_or_at_its_end() {
        let inside = |id, name| one(id, name).paper_inside;
        assert_eq!(inside(0, "gain"), Some(true));
        assert_eq!(inside(0, "none"), Some(true));
        assert_eq!(inside(0, "unsure"), Some(false));
        assert_eq!(inside(0, "loss"), Some(false));
        assert_eq!(inside(1, "bytes"), Some(false));
        assert_eq!(inside(1, "errors"), None);
        assert_eq!(inside(0, "missing"), None);
    }

    #[test]
    fn table_has_a_line_for_each_number() {
        struct Table(Vec<Compared>);
        impl Display for Table {
            fn fmt(&self, f: &mut Formatter) -> fmt::Result {
                write(f, &self.0)
            }
        }
        let rows = [(0, "gain"), (0, "missing"), (1, "bytes"), (1, "fewer")];
        let lines = Table(rows.map(|(id, name)| one(id, name)).into()).to_string();
        let expected = [
            "     each          ours      95 % interval    paper   ratio      ln    sign  inside",
            "       gain       1.100     1.050 to 1.250    1.250   0.880  -0.128   same*     yes",
            "       missing        -                  -    1.500       -       -   other       -",
            "       bytes      10000    8000.1 to 12000   8000.0   1.250   0.223       -      no",
            "       fewer     -1.000                  -    2.000  -0.500       -       -       -",
        ];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
        assert_eq!(Table(Vec::new()).to_string(), "");
    }
}
