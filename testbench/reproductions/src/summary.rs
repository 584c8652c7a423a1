//! How near figures come to a paper's, number by number.

use std::fmt::{self, Display, Formatter};

use schemars::JsonSchema;
use serde::Serialize;

use crate::figure::Figure;
use crate::ranks::Rank;
use crate::table::{self, left, right};

/// Counts over the numbers that a paper gives, of its figures that are shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Figures of the paper.
    pub figures: usize,
    /// Of these, those that are shown.
    pub shown: usize,
    /// Numbers of the paper's whose sign says something: above or below a ratio of 1, say.
    pub effects: usize,
    /// Of these, those of which ours has the same sign.
    pub same_sign: usize,
    /// Of these, those whose whole 95 % interval has it.
    pub significant: usize,
    /// Numbers of which ours has a 95 % interval.
    pub intervals: usize,
    /// Of these, those with the paper's number inside.
    pub inside: usize,
    /// Numbers of which ours has a ratio to the paper's.
    pub ratios: usize,
    /// The median of |ln ratio| of these as a factor: half of our numbers are nearer to the
    /// paper's. A ratio that is not positive is beyond any factor; none where the median is.
    pub median_factor: Option<f64>,
    /// The order of programs, by figure.
    pub ranks: Vec<FigureRank>,
}

/// The order of programs in a figure.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FigureRank {
    /// The figure.
    pub figure: String,
    /// The rank correlation of its values.
    #[serde(flatten)]
    pub rank: Rank,
}

impl Summary {
    /// Of figures that have been compared.
    pub fn of<'a>(figures: impl Iterator<Item = &'a Figure>) -> Self {
        let (mut all, mut distances) = (Self::default(), Vec::new());
        for figure in figures {
            all.figures += 1;
            all.shown += usize::from(figure.ours.is_some());
            for number in &figure.compared {
                let same_sign = number.same_sign == Some(true);
                all.effects += usize::from(number.same_sign.is_some());
                all.same_sign += usize::from(same_sign);
                all.significant += usize::from(same_sign && number.significant == Some(true));
                all.intervals += usize::from(number.interval.is_some());
                all.inside += usize::from(number.paper_inside == Some(true));
                if number.ratio.is_some() {
                    distances.push(number.log_ratio.map_or(f64::INFINITY, f64::abs));
                }
            }
            let of_figure = figure.ranks.iter().cloned();
            let of_figure = of_figure.map(|rank| FigureRank { figure: figure.id.clone(), rank });
            all.ranks.extend(of_figure);
        }
        all.ratios = distances.len();
        all.median_factor = median(distances).map(f64::exp).filter(|factor| factor.is_finite());
        all
    }

    /// The rank correlations as text; none where there are none.
    pub fn ranks_text(&self) -> Option<String> {
        let one = |FigureRank { figure, rank: Rank { programs, tau, .. } }: &FigureRank| {
            format!("{figure} {tau:.2} ({programs} programs)")
        };
        let all: Vec<_> = self.ranks.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}

/// The middle of the values, or between both middles.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len().is_multiple_of(2) { (values[middle - 1] + upper) / 2.0 } else { upper })
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Self { figures, shown, effects, same_sign, .. } = self;
        write!(
            f,
            "{shown} of {figures} figures shown, {same_sign} of {effects} effects with the \
             paper's sign"
        )
    }
}

/// Titles of the columns of a table of summaries, behind the paper's.
pub const TITLES: [&str; 5] = ["figures", "same sign", "significant", "inside", "factor"];

/// What the columns say.
pub const LEGEND: &str = "\
figures: shown, of all. same sign: of the numbers with a sign, those with the paper's; significant:
of these, those whose whole 95 % interval has it. inside: of our intervals, those that hold the
paper's number. factor: median of |ln ratio|, as a factor.";

impl Summary {
    /// The cells of its row.
    pub fn cells(&self) -> [String; 5] {
        let Self { figures, shown, effects, same_sign, significant, .. } = self;
        let Self { intervals, inside, median_factor, .. } = self;
        [
            format!("{shown} of {figures}"),
            format!("{same_sign} of {effects}"),
            format!("{significant} of {same_sign}"),
            format!("{inside} of {intervals}"),
            median_factor.map_or("-".into(), |factor| format!("{factor:.2}x")),
        ]
    }
}

/// Summaries as a table, each with the name of its paper.
pub struct Table<'a>(pub Vec<(&'a str, Summary)>);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        type Row<'a> = (&'a str, [String; 5]);
        let rows = self.0.iter().map(|(paper, summary)| (*paper, summary.cells()));
        let columns = [
            left("paper", 16, |row: &Row| row.0.to_string()),
            right(TITLES[0], 12, |row| row.1[0].clone()),
            right(TITLES[1], 13, |row| row.1[1].clone()),
            right(TITLES[2], 13, |row| row.1[2].clone()),
            right(TITLES[3], 13, |row| row.1[3].clone()),
            right(TITLES[4], 9, |row| row.1[4].clone()),
        ];
        table::write(f, &columns, rows)?;
        for (paper, summary) in &self.0 {
            if let Some(ranks) = summary.ranks_text() {
                writeln!(f, "Kendall's tau by program, {paper}: {ranks}")?;
            }
        }
        f.write_str(LEGEND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Interval;
    use crate::compared::compared;
    use crate::figure;
    use crate::ranks::ranks;

    const FILE: &str = r#"
        [[figure]]
        id = "X1"
        quantity = "speedups"
        neutral = 1.0
        paper = "20 %, -10 %"
        place = "-"
        numbers = { "x.a" = 1.2, "x.b" = 0.9, "x.c" = 1.1, none = 1.0, missing = 1.3 }
        [[figure]]
        id = "X2"
        quantity = "bytes"
        paper = "8"
        place = "-"
        numbers = { bytes = 8.0 }
        [[figure]]
        id = "X3"
        quantity = "power"
        paper = "3 %"
        place = "-"
        numbers = { power = 3.0 }
    "#;

    fn figures(bytes: f64) -> Vec<Figure> {
        let mut figures = figure::figures(FILE, |id| match id {
            "X1" => figure::ours(
                String::new(),
                [("x.a", 1.5), ("x.b", 0.9), ("x.c", 0.55), ("none", 2.0)],
            ),
            "X2" => figure::ours(String::new(), [("bytes", bytes)]),
            _ => None,
        });
        let interval = |low, high| Interval { low, high, resamples: 1000 };
        for (name, low, high) in
            [("x.a", 1.1, 1.6), ("x.b", 0.8, 1.0), ("x.c", 0.5, 0.6), ("none", 1.0, 3.0)]
        {
            figures[0].intervals.insert(name.into(), interval(low, high));
        }
        for figure in &mut figures {
            figure.compared = compared(figure);
            figure.ranks = ranks(figure, &["a", "b", "c"]);
        }
        figures
    }

    #[test]
    fn numbers_are_counted_one_by_one() {
        let all = Summary::of(figures(16.0).iter());
        assert_eq!((all.figures, all.shown), (3, 2));
        // Of a, b, c and the missing one; `none` is no effect, bytes have no sign.
        assert_eq!((all.effects, all.same_sign, all.significant), (4, 2, 1));
        // Of a, b, c and `none`; c lies outside.
        assert_eq!((all.intervals, all.inside), (4, 3));
        // The factors are 1, 1.25, 2, 2 and 2.
        assert_eq!(all.ratios, 5);
        assert!((all.median_factor.unwrap() - 2.0).abs() < 1e-9);
        // Of three pairs a and b, and a and c, are in order.
        let [FigureRank { figure, rank }] = &all.ranks[..] else { panic!("not one") };
        assert_eq!((&**figure, &*rank.name, rank.programs), ("X1", "x", 3));
        assert!((rank.tau - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(all.to_string(), "2 of 3 figures shown, 2 of 4 effects with the paper's sign");
    }

    #[test]
    fn median_is_of_distances_and_what_has_the_other_sign_is_beyond_any_factor() {
        let factor = |bytes| Summary::of(figures(bytes)[1..].iter()).median_factor;
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} {b}");
        close(factor(16.0), 2.0);
        close(factor(4.0), 2.0);
        assert_eq!(factor(-8.0), None);
        assert_eq!(factor(0.0), None);
        close(median(vec![3.0, 1.0, 2.0, 10.0]), 2.5);
        close(median(vec![f64::INFINITY, 1.0, 2.0]), 2.0);
        assert_eq!(median(Vec::new()), None);
        assert_eq!(Summary::of([].into_iter()), Summary::default());
    }

    #[test]
    fn table_fits_into_80_columns() {
        let figures = figures(16.0);
        let rows = vec![
            ("race-detection", Summary::of(figures.iter())),
            ("all", Summary::of(figures[1..].iter())),
        ];
        let text = Table(rows).to_string();
        let expected = [
            "paper                figures    same sign  significant       inside   factor",
            "race-detection        2 of 3       2 of 4       1 of 2       3 of 4    2.00x",
            "all                   1 of 2       0 of 0       0 of 0       0 of 0    2.00x",
            "Kendall's tau by program, race-detection: X1 0.33 (3 programs)",
        ];
        assert_eq!(text.lines().take(4).collect::<Vec<_>>(), expected);
    }
}
