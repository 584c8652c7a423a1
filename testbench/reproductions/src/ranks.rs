//! Whether programs come in the paper's order: Kendall's tau-b.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

use schemars::JsonSchema;
use serde::Serialize;

use crate::figure::Figure;

/// Fewer programs have no order to speak of: two agree or disagree, and nothing lies between.
const PROGRAMS: usize = 3;

/// The rank correlation of our values and the paper's over programs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rank {
    /// What the programs' values are named before the program; empty where only the program is.
    pub name: String,
    /// Programs with a value of ours and one of the paper.
    pub programs: usize,
    /// Kendall's tau-b: 1 in the paper's order, -1 in its reverse, 0 without relation.
    pub tau: f64,
}

impl Display for Rank {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Self { name, programs, tau } = self;
        let of = if name.is_empty() { String::new() } else { format!(" of {name}") };
        write!(f, "Kendall's tau{of} {tau:.2}, {programs} programs")
    }
}

/// The rank correlations of a figure's values that the paper gives for at least three programs.
pub fn ranks(figure: &Figure, programs: &[&str]) -> Vec<Rank> {
    let mut groups: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for (name, &paper) in &figure.numbers {
        let of = |program: &&str| {
            let rest = name.strip_suffix(program)?;
            if rest.is_empty() { Some(rest) } else { rest.strip_suffix('.') }
        };
        let pair = figure.values.get(name).map(|&ours| (ours, paper));
        let Some((of, pair)) = programs.iter().find_map(of).zip(pair) else { continue };
        match groups.iter_mut().find(|(name, _)| *name == of) {
            Some((_, pairs)) => pairs.push(pair),
            None => groups.push((of, vec![pair])),
        }
    }
    let ranks = groups.into_iter().filter(|(_, pairs)| pairs.len() >= PROGRAMS);
    let ranks = ranks.filter_map(|(name, pairs)| {
        Some(Rank { name: name.into(), programs: pairs.len(), tau: tau_b(&pairs)? })
    });
    ranks.collect()
}

/// Kendall's tau-b, which allows for ties; none where all values of one side are equal.
fn tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut sum, mut left, mut right) = (0.0, 0.0, 0.0);
    let sign = |a: f64, b: f64| match a.total_cmp(&b) {
        Ordering::Less => -1.0,
        Ordering::Equal => 0.0,
        Ordering::Greater => 1.0,
    };
    for (at, a) in pairs.iter().enumerate() {
        for b in &pairs[..at] {
            let [x, y]: [f64; 2] = [sign(a.0, b.0), sign(a.1, b.1)];
            sum += x * y;
            left += x.abs();
            right += y.abs();
        }
    }
    (left > 0.0 && right > 0.0).then(|| sum / f64::sqrt(left * right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure;

    #[test]
    fn tau_counts_pairs_in_order_and_allows_for_ties() {
        let tau = |pairs: &[(f64, f64)]| tau_b(pairs).unwrap();
        assert_eq!(tau(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]), 1.0);
        assert_eq!(tau(&[(1.0, 30.0), (2.0, 20.0), (3.0, 10.0)]), -1.0);
        // Of three pairs, two are in order and one is not.
        assert!((tau(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)]) - 1.0 / 3.0).abs() < 1e-12);
        // Of six pairs, three are in order, one is not, and each side has one tie: 2 / 5.
        let ties = [(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (3.0, 2.0)];
        assert!((tau(&ties) - 0.4).abs() < 1e-12);
        // Three of six pairs tie on the left, none on the right: 3 / sqrt(3 * 6).
        let ties = [(1.0, 1.0), (1.0, 2.0), (1.0, 3.0), (2.0, 4.0)];
        assert!((tau(&ties) - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(tau_b(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(tau_b(&[(1.0, 1.0), (2.0, 1.0)]), None);
        assert_eq!(tau_b(&[]), None);
    }

    const FILE: &str = r#"
        [[figure]]
        id = "X1"
        quantity = "speedups by program, over two others"
        paper = "-"
        place = "-"
        numbers."a.lu" = 1.1
        numbers."a.fft" = 1.2
        numbers."a.bfs" = 1.3
        numbers."a.gone" = 2.0
        numbers."b.lu" = 1.1
        numbers."b.fft" = 1.2
        numbers.mean = 1.5
        [[figure]]
        id = "X2"
        quantity = "cycles by program"
        paper = "-"
        place = "-"
        numbers = { lu = 1.0, fft = 2.0, bfs = 3.0, xlu = 1.0, xfft = 2.0, xbfs = 3.0 }
    "#;

    #[test]
    fn order_is_of_at_least_three_programs_that_both_have() {
        let figures = figure::figures(FILE, |id| match id {
            "X1" => {
                let all = [("a.lu", 3.0), ("a.fft", 1.0), ("a.bfs", 2.0), ("mean", 9.0)];
                figure::ours(String::new(), all.into_iter().chain([("b.lu", 1.0), ("b.fft", 2.0)]))
            }
            _ => {
                let all = [("lu", 1.0), ("fft", 2.0), ("bfs", 3.0)];
                // No programs, though their names end like those of programs.
                let others = [("xlu", 3.0), ("xfft", 2.0), ("xbfs", 1.0)];
                figure::ours(String::new(), all.into_iter().chain(others))
            }
        });
        let programs = ["lu", "fft", "bfs", "gone"];
        let [first] = &ranks(&figures[0], &programs)[..] else { panic!("not one") };
        assert_eq!((&*first.name, first.programs), ("a", 3));
        assert!((first.tau + 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(first.to_string(), "Kendall's tau of a -0.33, 3 programs");
        let [second] = &ranks(&figures[1], &programs)[..] else { panic!("not one") };
        assert_eq!(second.to_string(), "Kendall's tau 1.00, 3 programs");
    }
}
