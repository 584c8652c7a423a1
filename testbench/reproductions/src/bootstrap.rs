//! Intervals of the figures' values: a bootstrap over programs and perturbed repetitions.
//!
//! A resample is as many programs as the experiment has, drawn with replacement, each with its runs
//! of one repetition: that without perturbation or a perturbed one, drawn too. Every program keeps
//! its runs whether it is drawn or not. A program that is drawn several times has one repetition,
//! as figures look runs up by the program's name: an interval is slightly too wide, not too narrow.

use std::collections::BTreeMap;
use std::thread;

use schemars::JsonSchema;
use serde::Serialize;
use traces::workloads::SplitMix64;

use crate::experiment::{Experiment, Runs, threads};
use crate::figure::Figure;

/// Resamples of an experiment (chosen: Efron and Tibshirani, "An Introduction to the Bootstrap",
/// 1993, section 13.3, need about as many for percentiles).
pub const RESAMPLES: usize = 1000;

/// Seed of the draws: an interval is the same in each run.
const SEED: u64 = 1;

/// One value in so many lies below a 95 % interval, and one above.
const TAIL: usize = 40;

/// Means of one value that is there a few times differ by less.
const ROUNDING: f64 = 1e-9;

/// In which 95 % of the resamples have a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    /// The 2.5 percentile.
    pub low: f64,
    /// The 97.5 percentile.
    pub high: f64,
    /// Resamples, of 1000, in which the figure has the value.
    pub resamples: usize,
}

impl Interval {
    /// Of the values of resamples; none where there is none.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let outside = values.len() / TAIL;
        let low = *values.get(outside)?;
        let high = values[values.len() - 1 - outside];
        Some(Self { low, high, resamples: values.len() })
    }

    /// Whether values differ by more than sums of the same values in other numbers do.
    fn is_wide(&self) -> bool {
        self.high - self.low > ROUNDING * self.high.abs()
    }

    /// Whether a value lies inside, or at an end.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The values of a figure in resamples, by name.
type Values = BTreeMap<String, Vec<f64>>;

/// The intervals of each figure's values, by name.
///
/// A value that comes out without any program is not measured in runs, and has none: storage, say.
/// Neither has one that does not vary where no repetition is perturbed: that of one program.
pub fn intervals(
    experiment: &Experiment,
    of: impl Fn(&Runs) -> Vec<Figure> + Sync,
) -> Vec<BTreeMap<String, Interval>> {
    let Experiment { runs, perturbed } = experiment;
    let without_programs = of(&runs.drawn(Vec::new(), runs.records.clone()));
    let mut random = SplitMix64::new(SEED);
    let resamples: Vec<_> = (0..RESAMPLES).map(|_| resample(experiment, &mut random)).collect();
    // All figures of one resample take milliseconds.
    let parts = thread::scope(|scope| {
        let part = resamples.len().div_ceil(threads());
        let (of, parts) = (&of, resamples.chunks(part));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || collected(part, of))).collect();
        parts.into_iter().map(|part| part.join().expect("no figure panics")).collect::<Vec<_>>()
    });
    let mut all: Vec<Values> = vec![Values::new(); without_programs.len()];
    for part in parts {
        for (all, part) in all.iter_mut().zip(part) {
            part.into_iter().for_each(|(name, values)| all.entry(name).or_default().extend(values));
        }
    }
    let each = all.into_iter().zip(without_programs).map(|(values, without)| {
        let measured = values.into_iter().filter(|(name, values)| {
            let constant = without.values.get(name);
            !constant.is_some_and(|constant| values.iter().all(|value| value == constant))
        });
        let found = measured.filter_map(|(name, values)| Some((name, Interval::of(values)?)));
        found.filter(|(_, interval)| !perturbed.is_empty() || interval.is_wide()).collect()
    });
    each.collect()
}

/// The values of each figure in some resamples; those that are no numbers are left out.
fn collected(resamples: &[Runs], of: impl Fn(&Runs) -> Vec<Figure>) -> Vec<Values> {
    let mut all: Vec<Values> = Vec::new();
    for figures in resamples.iter().map(of) {
        all.resize_with(figures.len(), Values::new);
        for (all, figure) in all.iter_mut().zip(figures) {
            for (name, value) in figure.values.into_iter().filter(|(_, value)| value.is_finite()) {
                all.entry(name).or_default().push(value);
            }
        }
    }
    all
}

/// Programs drawn with replacement, each with its runs of a drawn repetition.
fn resample(Experiment { runs, perturbed }: &Experiment, random: &mut SplitMix64) -> Runs {
    let mut below = |n: usize| random.below(n as u64) as usize;
    let inputs = runs.inputs.iter().map(|_| runs.inputs[below(runs.inputs.len())]).collect();
    let repetition: BTreeMap<_, _> = runs
        .inputs
        .iter()
        .map(|input| {
            let of = below(perturbed.len() + 1).checked_sub(1).map_or(runs, |at| &perturbed[at]);
            (input.program, of)
        })
        .collect();
    let records = runs.records.iter().enumerate();
    let records = records.map(|(at, record)| repetition[record.program].records[at].clone());
    runs.drawn(inputs, records.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Record, input};
    use crate::figure::{self, Each, ours};

    const FILE: &str = r#"
        [[figure]]
        id = "time"
        quantity = "of each program, and the mean"
        neutral = 1.0
        paper = "-"
        place = "-"
        numbers.mean = 1.2
        [[figure]]
        id = "ratio"
        quantity = "of two machines"
        paper = "-"
        place = "-"
        [[figure]]
        id = "storage"
        quantity = "what no run measures"
        paper = "-"
        place = "-"
        [[figure]]
        id = "both"
        quantity = "what needs two programs"
        paper = "-"
        place = "-"
        [[figure]]
        id = "nothing"
        quantity = "over a count that may be 0"
        paper = "-"
        place = "-"
    "#;

    /// Cycles of programs on a machine, and on another so many more times.
    fn runs(cycles: &[(&'static str, u64)], times: u64) -> Runs {
        let record = |program, machine, cycles| Record {
            program,
            machine,
            cycles,
            loads_checked: 1,
            loads_determined: 1,
            counters: BTreeMap::new(),
            kept: &[],
        };
        let records = cycles.iter().flat_map(|&(program, cycles)| {
            [record(program, "own", cycles), record(program, "other", times * cycles)]
        });
        Runs::new(cycles.iter().map(|(program, _)| input(program, "", 1, 1)).collect(), records)
    }

    fn figures(r: &Runs) -> Vec<Figure> {
        let cycles = |program: &str| r.record(program, "own").cycles as f64 / 100.0;
        let drawn = |program: &str| r.inputs.iter().any(|input| input.program == program);
        figure::figures(FILE, |id| match id {
            "time" => {
                let each = Each::of(r, |program| Some(cycles(program))).unless_empty()?;
                ours(String::new(), each.named("of").chain([("mean".into(), each.mean())]))
            }
            "ratio" => {
                let each = Each::ratio(r, "other", "own", |record| record.cycles as f64);
                ours(String::new(), [("mean", each.mean())])
            }
            "storage" => {
                ours(String::new(), [("bytes", 48.0), ("programs", r.inputs.len() as f64)])
            }
            "both" => {
                (drawn("a") && drawn("b")).then(|| ours(String::new(), [("sum", 3.0)])).flatten()
            }
            _ => ours(String::new(), [("over a", if drawn("a") { cycles("a") } else { f64::NAN })]),
        })
    }

    fn found(runs: Runs, perturbed: Vec<Runs>) -> BTreeMap<String, Interval> {
        let all = intervals(&Experiment { runs, perturbed }, figures);
        let names = ["time", "ratio", "storage", "both", "nothing"].into_iter().zip(all);
        let named = |(figure, all): (&str, BTreeMap<String, Interval>)| {
            all.into_iter().map(|(name, own)| (format!("{figure} {name}"), own)).collect::<Vec<_>>()
        };
        names.flat_map(named).collect()
    }

    /// The ends of an interval.
    fn ends(all: &BTreeMap<String, Interval>, name: &str) -> (f64, f64) {
        (all[name].low, all[name].high)
    }

    #[test]
    fn interval_leaves_2_and_a_half_per_cent_on_each_side() {
        let of = |n: u32| Interval::of((0..n).rev().map(f64::from).collect()).unwrap();
        assert_eq!(of(1000), Interval { low: 25.0, high: 974.0, resamples: 1000 });
        assert_eq!(of(39), Interval { low: 0.0, high: 38.0, resamples: 39 });
        assert_eq!(of(40), Interval { low: 1.0, high: 38.0, resamples: 40 });
        assert_eq!(of(1), Interval { low: 0.0, high: 0.0, resamples: 1 });
        assert_eq!(Interval::of(Vec::new()), None);
    }

    #[test]
    fn interval_of_rounding_errors_has_no_width() {
        let of = |low: f64, high: f64| Interval { low, high, resamples: 1000 }.is_wide();
        assert!(of(0.992, 0.993) && of(-0.993, -0.992) && of(0.0, 1e-30));
        assert!(!of(0.992, 0.992_f64.next_up().next_up()) && !of(0.0, 0.0));
    }

    #[test]
    fn programs_are_drawn_with_replacement() {
        // Both once in half of the resamples, one of them twice in a quarter each.
        let all =
            found(runs(&[("a", 100), ("b", 300)], 2), vec![runs(&[("a", 100), ("b", 300)], 2)]);
        assert_eq!(ends(&all, "time mean"), (1.0, 3.0));
        assert_eq!(all["time mean"].resamples, RESAMPLES);
        // A program is drawn at all in three of four resamples, and has its one value.
        assert_eq!(ends(&all, "time of.b"), (3.0, 3.0));
        assert!((700..800).contains(&all["time of.b"].resamples));
        // That of a is drawn 4, 3, 2, 1, 0 times in 1, 12, 54, 108, 81 of 256 resamples: 0.4 % have
        // a mean of 4, 4.7 % one of 3.25, and 31.6 % one of 1.
        let four = [("a", 400), ("b", 100), ("c", 100), ("d", 100)];
        assert_eq!(ends(&found(runs(&four, 2), vec![]), "time mean"), (1.0, 3.25));
    }

    #[test]
    fn interval_of_equal_values_is_a_point() {
        let equal = || runs(&[("a", 150), ("b", 150)], 2);
        let all = found(equal(), vec![equal()]);
        assert_eq!(ends(&all, "time mean"), (1.5, 1.5));
        assert_eq!(ends(&all, "ratio mean"), (2.0, 2.0));
    }

    #[test]
    fn value_of_one_program_has_the_spread_of_its_repetitions() {
        let of = |cycles| runs(&[("a", cycles)], 2);
        let mut all = found(of(120), vec![of(110), of(130)]);
        assert_eq!(ends(&all, "time of.a"), (1.1, 1.3));
        // One that turns the sign widens the interval past no effect.
        all = found(of(120), vec![of(90), of(130)]);
        assert_eq!(ends(&all, "time of.a"), (0.9, 1.3));
        // Without a perturbed repetition nothing varies, and there is no interval.
        all = found(of(120), vec![]);
        assert!(!all.contains_key("time of.a") && !all.contains_key("time mean"));
    }

    #[test]
    fn sign_that_a_repetition_turns_is_not_significant() {
        let of = |cycles| runs(&[("a", cycles)], 2);
        let mean = |turned| {
            let experiment = Experiment { runs: of(120), perturbed: vec![of(turned)] };
            experiment.figures(figures)[0].compared[0].clone()
        };
        let sure = mean(110);
        assert_eq!((sure.same_sign, sure.significant), (Some(true), Some(true)));
        assert_eq!(sure.paper_inside, Some(true));
        let turned = mean(90);
        assert_eq!((turned.same_sign, turned.significant), (Some(true), Some(false)));
    }

    #[test]
    fn runs_of_a_program_are_of_one_repetition() {
        // On both machines twice as long: the ratio stays, whichever repetition is drawn.
        let all = found(runs(&[("a", 100)], 3), vec![runs(&[("a", 200)], 3)]);
        assert_eq!(ends(&all, "time mean"), (1.0, 2.0));
        assert_eq!(ends(&all, "ratio mean"), (3.0, 3.0));
    }

    #[test]
    fn what_no_run_measures_has_no_interval() {
        let two = || runs(&[("a", 100), ("b", 300)], 2);
        let all = found(two(), vec![two()]);
        assert!(!all.contains_key("storage bytes"), "{all:?}");
        assert_eq!(ends(&all, "storage programs"), (2.0, 2.0));
    }

    #[test]
    fn resamples_in_which_a_value_is_missing_or_no_number_do_not_count() {
        let two = || runs(&[("a", 100), ("b", 300)], 2);
        let all = found(two(), vec![two()]);
        // Both are drawn in half of the resamples, a in three quarters.
        assert!((450..550).contains(&all["both sum"].resamples), "{all:?}");
        assert!((700..800).contains(&all["nothing over a"].resamples), "{all:?}");
        assert_eq!(ends(&all, "nothing over a"), (1.0, 1.0));
    }

    #[test]
    fn intervals_are_the_same_in_each_run() {
        let all = || {
            let programs = [("a", 100), ("b", 217), ("c", 305)];
            found(runs(&programs, 2), vec![runs(&[("a", 104), ("b", 211), ("c", 309)], 2)])
        };
        assert_eq!(all(), all());
        let Interval { low, high, resamples } = all()["time of.b"];
        assert_eq!((low, high, resamples), (2.11, 2.17, PINNED));
    }

    /// Resamples that draw the second of three programs, with this generator and seed.
    const PINNED: usize = 695;
}
