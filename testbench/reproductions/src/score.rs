//! How near figures come to a paper's.

use std::fmt::{self, Display, Formatter};
use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::Serialize;

use crate::figure::Figure;

/// What counts as near: so much of the paper's effect.
const NEAR: f64 = 0.25;

/// How many figures come out as the paper's do. A figure with several numbers does where all do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Score {
    /// Figures of the paper.
    pub figures: usize,
    /// Of these, those that are shown.
    pub shown: usize,
    /// Of these, those with a number of the paper's whose direction says something: above or below
    /// a ratio of 1, say.
    pub directed: usize,
    /// Of these, those of the paper's direction; noise does not turn it.
    pub direction_agrees: usize,
    /// Of those shown, those with a number of the paper's.
    pub compared: usize,
    /// Of these, those whose effect is within 25 % of the paper's: the distance from where there is
    /// no effect, or, where there is no such place, from 0.
    pub within: usize,
}

impl Score {
    /// Of those figures that are the paper's: their ids begin so.
    pub fn of(figures: &[Figure], id: &str) -> Self {
        let mut score = Self::default();
        for figure in figures.iter().filter(|figure| figure.id.starts_with(id)) {
            score += Self::of_one(figure);
        }
        score
    }

    fn of_one(figure: &Figure) -> Self {
        let base = figure.neutral().unwrap_or(0.0);
        // The paper's effect, ours, and whether noise turns that.
        let effects = figure.numbers.iter().filter_map(|(name, paper)| {
            let ours = figure.values.get(name)?;
            Some((paper - base, ours - base, figure.unsure.contains(name)))
        });
        // Of no effect a share says nothing.
        let effects: Vec<_> = effects.filter(|(paper, ..)| *paper != 0.0).collect();
        let compared = !effects.is_empty();
        let directed = compared && figure.neutral().is_some();
        let agrees = effects.iter().all(|(paper, ours, unsure)| paper * ours > 0.0 && !unsure);
        let near =
            effects.iter().all(|(paper, ours, _)| (ours - paper).abs() <= NEAR * paper.abs());
        Self {
            figures: 1,
            shown: figure.ours.is_some().into(),
            directed: directed.into(),
            direction_agrees: (directed && agrees).into(),
            compared: compared.into(),
            within: (compared && near).into(),
        }
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.figures += other.figures;
        self.shown += other.shown;
        self.directed += other.directed;
        self.direction_agrees += other.direction_agrees;
        self.compared += other.compared;
        self.within += other.within;
    }
}

impl Display for Score {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Self { figures, shown, directed, direction_agrees, compared, within } = self;
        write!(
            f,
            "{figures} figures, {shown} shown, direction agrees in {direction_agrees} of \
             {directed}, {within} of {compared} within 25 %"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure;

    const FILE: &str = r#"
        [[figure]]
        id = "X1"
        quantity = "speedups"
        neutral = 1.0
        paper = "20 %, -10 %"
        place = "-"
        numbers = { a = 1.2, b = 0.9, c = 1.0, missing = 5.0 }
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
        [[figure]]
        id = "ours"
        quantity = "what the paper has not"
        paper = "-"
        place = "-"
    "#;

    fn figures(a: f64, b: f64, bytes: f64) -> Vec<Figure> {
        figure::figures(FILE, |id| match id {
            "X1" => figure::ours(String::new(), [("a", a), ("b", b), ("c", 7.0)]),
            "X2" => figure::ours(String::new(), [("bytes", bytes)]),
            "X3" => None,
            _ => figure::ours(String::new(), [("other", 1.0)]),
        })
    }

    fn score(a: f64, b: f64, bytes: f64) -> (usize, usize) {
        let score = Score::of(&figures(a, b, bytes), "X");
        let Score { figures, shown, directed, compared, .. } = score;
        assert_eq!((figures, shown, directed, compared), (3, 2, 1, 2));
        (score.direction_agrees, score.within)
    }

    #[test]
    fn direction_and_nearness_are_those_of_effects() {
        assert_eq!(score(1.2, 0.9, 8.0), (1, 2));
        // A quarter of an effect is no quarter of a ratio.
        assert_eq!(score(1.249, 0.9, 8.0), (1, 2));
        assert_eq!(score(1.26, 0.9, 8.0), (1, 1));
        assert_eq!(score(1.01, 0.9, 10.1), (1, 0));
        assert_eq!(score(1.2, 1.1, 6.0), (0, 1));
        assert_eq!(score(1.2, 1.1, 5.9), (0, 0));
    }

    #[test]
    fn what_noise_turns_has_no_direction() {
        let noisy = figure::with_noise(figures(1.2, 0.9, 8.0), &[figures(0.9, 0.9, 8.0)]);
        assert_eq!(Score::of(&noisy, "X").direction_agrees, 0);
    }

    #[test]
    fn sum_is_told_in_one_line() {
        let mut all = Score::of(&figures(1.2, 0.9, 5.0), "X");
        all += all;
        let line = "6 figures, 4 shown, direction agrees in 2 of 2, 2 of 4 within 25 %";
        assert_eq!(all.to_string(), line);
    }
}
