//! How near figures come to a paper's.

use std::fmt::{self, Display, Formatter};
use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::Serialize;

use crate::compared::{Compared, compared};
use crate::figure::Figure;

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

/// Compares all figures with the paper's, and counts those that are the paper's: their ids begin
/// so.
pub fn scored(mut figures: Vec<Figure>, id: &str) -> (Vec<Figure>, Score) {
    let mut score = Score::default();
    for figure in &mut figures {
        figure.compared = compared(figure);
        if figure.id.starts_with(id) {
            score += Score::of(figure);
        }
    }
    (figures, score)
}

impl Score {
    /// Of a figure that has been compared.
    fn of(figure: &Figure) -> Self {
        // Whether there are answers, and all of them are yes.
        let all = |of: fn(&Compared) -> Option<bool>| {
            let answers: Vec<_> = figure.compared.iter().filter_map(of).collect();
            let there_are = !answers.is_empty();
            (there_are.into(), (there_are && answers.into_iter().all(|yes| yes)).into())
        };
        let (directed, direction_agrees) = all(|number| number.direction_agrees);
        let (compared, within) = all(|number| number.within);
        let shown = figure.ours.is_some().into();
        Self { figures: 1, shown, directed, direction_agrees, compared, within }
    }

    /// Of how many figures something can be said.
    pub fn bases(&self) -> String {
        let Self { directed, compared, .. } = self;
        format!(
            "of the shown figures {directed} have a sign of effect, {compared} have numbers of \
                 the paper"
        )
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
        let Self { figures, shown, direction_agrees, within, .. } = self;
        write!(
            f,
            "{figures} figures, {shown} shown, {direction_agrees} with the same sign of effect, \
             {within} within 25 %"
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
        numbers = { a = 1.2, b = 0.9, c = 1.0 }
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
        let (_, score) = scored(figures(a, b, bytes), "X");
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
        assert_eq!(scored(noisy, "X").1.direction_agrees, 0);
    }

    #[test]
    fn figure_without_all_of_the_papers_numbers_does_not_agree() {
        let some = figure::figures(FILE, |id| match id {
            "X1" => figure::ours(String::new(), [("a", 1.2), ("c", 1.0)]),
            _ => None,
        });
        let (_, score) = scored(some, "X");
        assert_eq!((score.directed, score.direction_agrees), (1, 0));
        assert_eq!((score.compared, score.within), (1, 0));
    }

    #[test]
    fn sum_is_told_in_one_line() {
        let (_, mut all) = scored(figures(1.2, 0.9, 5.0), "X");
        all += all;
        let line = "6 figures, 4 shown, 2 with the same sign of effect, 2 within 25 %";
        assert_eq!(all.to_string(), line);
        let bases = "of the shown figures 2 have a sign of effect, 4 have numbers of the paper";
        assert_eq!(all.bases(), bases);
    }
}
