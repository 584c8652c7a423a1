//! How near two series are.

/// The mean; none of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Pearson's correlation of pairs; none where one side does not vary.
pub fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let [xs, ys]: [Vec<f64>; 2] =
        [pairs.iter().map(|(x, _)| *x).collect(), pairs.iter().map(|(_, y)| *y).collect()];
    let (x_mean, y_mean) = (mean(&xs)?, mean(&ys)?);
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs.iter().map(|(x, y)| of(x - x_mean, y - y_mean)).sum()
    };
    let variances = sum(&|x, _| x * x) * sum(&|_, y| y * y);
    (variances > 0.0).then(|| sum(&|x, y| x * y) / variances.sqrt())
}

/// Spearman's correlation: Pearson's of the ranks.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let xs: Vec<_> = pairs.iter().map(|(x, _)| *x).collect();
    let ys: Vec<_> = pairs.iter().map(|(_, y)| *y).collect();
    let ranks: Vec<_> = ranks(&xs).into_iter().zip(ranks(&ys)).collect();
    pearson(&ranks)
}

/// The rank of each value, from 1; equal values have the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let less = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        less as f64 + (equal + 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_are_those_computed_by_hand() {
        assert_eq!((mean(&[]), mean(&[1.0, 2.0, 6.0])), (None, Some(3.0)));
        // Deviations -1 0 1 and -1 1 0: sum of products 1, of squares 2 and 2.
        assert_eq!(pearson(&[(1.0, 10.0), (2.0, 12.0), (3.0, 11.0)]), Some(0.5));
        assert_eq!(pearson(&[(1.0, 4.0), (2.0, 6.0)]), Some(1.0));
        assert_eq!(pearson(&[(1.0, 6.0), (2.0, 4.0)]), Some(-1.0));
        assert_eq!((pearson(&[]), pearson(&[(1.0, 2.0), (3.0, 2.0)])), (None, None));
        // Any growth in step has ranks in step.
        assert_eq!(spearman(&[(1.0, 1.0), (10.0, 2.0), (100.0, 50.0)]), Some(1.0));
        // Ranks 1 2 3 4 and 1 3 2 4: 1 - 6 x 2 / (4 x 15).
        let pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 4.0)];
        assert!((spearman(&pairs).unwrap() - 0.8).abs() < 1e-12);
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
    }
}
