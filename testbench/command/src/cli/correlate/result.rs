//! What a correlation finds: what `--json` writes, and what text and page show.

use std::collections::BTreeMap;

use reproductions::figure::geometric_mean;
use schemars::JsonSchema;
use serde::Serialize;

use super::counters::{COUNTERS, Counter, Values};
use super::statistics::{mean, pearson, spearman};

/// The case that cold launch costs are fitted to: a copy so small that nothing else takes time.
pub const FITTED: (&str, [u32; 2]) = ("copy1", [16_384, 0]);

/// The result of `duet correlate`.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// PASS or FAIL.
    pub verdict: &'static str,
    /// Name of the system.
    pub system: String,
    /// What its sizes and bandwidths were divided by.
    pub scale: u32,
    /// All cases together.
    pub summary: Summary,
    /// The cases that ran, in the order of the measurement file.
    pub cases: Vec<Case>,
}

/// A number of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Sides {
    /// The machine's; null where it does not count this.
    pub ours: Option<f64>,
    /// The GPU's.
    pub measured: f64,
}

impl Sides {
    /// Ours over the measurement; none of 0.
    pub fn ratio(&self) -> Option<f64> {
        self.ours.filter(|_| self.measured > 0.0).map(|ours| ours / self.measured)
    }
}

/// A launch.
#[derive(Serialize, JsonSchema)]
pub struct Launch {
    /// Kernel.
    pub kernel: String,
    /// It has loads whose value depends on the order of accesses.
    pub racy: bool,
    /// Cycles from a cold start.
    pub cycles: Sides,
    /// Of ours, the cold launch cost of the system; null where it has none.
    pub cold_cycles: Option<f64>,
    /// Counters, by their name in the measurement file.
    pub counters: BTreeMap<&'static str, Sides>,
}

impl Launch {
    /// Of the machine's cycles and counters, and the measured ones.
    pub fn new(
        (kernel, racy): (String, bool),
        cycles: Sides,
        cold_cycles: Option<f64>,
        counters: (&Values<Option<f64>>, &Values<f64>),
    ) -> Self {
        let side = |(at, counter): (usize, &Counter)| {
            (counter.field, Sides { ours: counters.0[at], measured: counters.1[at] })
        };
        let counters = COUNTERS.iter().enumerate().map(side).collect();
        Self { kernel, racy, cycles, cold_cycles, counters }
    }

    /// |ours / measured - 1| of the cycles.
    fn error(&self) -> Option<f64> {
        self.cycles.ratio().map(|ratio| (ratio - 1.0).abs())
    }

    /// The same of the cycles above the cold launch cost; none where the GPU has none above it.
    fn error_above_cold(&self) -> Option<f64> {
        let cold = self.cold_cycles?;
        let Sides { ours, measured } = self.cycles;
        let above = Sides { ours: ours.map(|ours| ours - cold), measured: measured - cold };
        above.ratio().map(|ratio| (ratio - 1.0).abs())
    }

    /// The measured counters.
    fn measured(&self) -> Values<f64> {
        COUNTERS.each_ref().map(|counter| self.counters[counter.field].measured)
    }
}

/// A program with its sizes.
#[derive(Serialize, JsonSchema)]
pub struct Case {
    /// Program.
    pub program: String,
    /// Its first size.
    pub n: u32,
    /// Its second size.
    pub m: u32,
    /// It has a launch with racy loads.
    pub racy: bool,
    /// The cold launch cost is fitted to it, so that no mean and no correlation includes it.
    pub fitted: bool,
    /// Cycles of all launches.
    pub cycles: Sides,
    /// Mean of |ours / measured - 1| over the launches.
    pub error: Option<f64>,
    /// The same of the cycles above the cold launch cost; null where there is none.
    pub error_above_cold: Option<f64>,
    /// Sums of the counters of all launches.
    pub counters: BTreeMap<&'static str, Sides>,
    /// The launches, in the order of the program.
    pub launches: Vec<Launch>,
}

impl Case {
    /// Of its launches.
    pub fn new(program: &str, sizes: [u32; 2], launches: Vec<Launch>) -> Self {
        let sum = |of: &dyn Fn(&Launch) -> Sides| {
            let sides = launches.iter().map(of);
            let none = Sides { ours: Some(0.0), measured: 0.0 };
            sides.fold(none, |sum, one| Sides {
                ours: sum.ours.zip(one.ours).map(|(sum, one)| sum + one),
                measured: sum.measured + one.measured,
            })
        };
        let of_launches = |error: fn(&Launch) -> Option<f64>| {
            mean(&launches.iter().filter_map(error).collect::<Vec<_>>())
        };
        let counter =
            |counter: &Counter| (counter.field, sum(&|launch| launch.counters[counter.field]));
        Self {
            program: program.to_string(),
            n: sizes[0],
            m: sizes[1],
            racy: launches.iter().any(|launch| launch.racy),
            fitted: (program, sizes) == FITTED,
            cycles: sum(&|launch| launch.cycles),
            error: of_launches(Launch::error),
            error_above_cold: of_launches(Launch::error_above_cold),
            counters: COUNTERS.iter().map(counter).collect(),
            launches,
        }
    }

    /// Program and sizes.
    pub fn title(&self) -> String {
        format!("{} {} {}", self.program, self.n, self.m)
    }

    /// Of the counters that exceed their limit in a launch, the one whose ratio is farthest from 1,
    /// with the ratio, which is none where the GPU counts 0.
    pub fn farthest(&self) -> Option<(&'static Counter, Option<f64>)> {
        let exceeds =
            |at: usize| self.launches.iter().any(|launch| launch.is_within(at) == Some(false));
        let far = (0..COUNTERS.len()).filter(|at| exceeds(*at)).map(|at| {
            let ratio = self.counters[COUNTERS[at].field].ratio();
            let distance = ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs());
            (distance, &COUNTERS[at], ratio)
        });
        let far = far.max_by(|(one, ..), (other, ..)| one.total_cmp(other));
        far.map(|(_, counter, ratio)| (counter, ratio))
    }
}

impl Launch {
    /// Whether a counter is within its limit; none where that is unknown or does not count.
    fn is_within(&self, at: usize) -> Option<bool> {
        let has_limit = !self.racy || !COUNTERS[at].depends_on_order;
        let ours = self.counters[COUNTERS[at].field].ours.filter(|_| has_limit);
        Counter::is_within(at, ours, &self.measured())
    }
}

/// How near the machine is to the GPU. Nulls: of too few cases.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Cases in the means and correlations: all but the fitted one.
    pub cases: usize,
    /// Mean of the cases' errors.
    pub error: Option<f64>,
    /// Mean of the cases' errors above the cold launch cost.
    pub error_above_cold: Option<f64>,
    /// Geometric mean of ours over measured, of each case's cycles.
    pub ratio: Option<f64>,
    /// Pearson's correlation of the logarithms of the cases' cycles.
    pub pearson: Option<f64>,
    /// Spearman's correlation of the cases' cycles.
    pub spearman: Option<f64>,
    /// Launches within each counter's limit, by its name in the measurement file.
    pub counters: BTreeMap<&'static str, Within>,
}

/// Launches within a counter's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Within {
    /// How many.
    pub within: usize,
    /// Of how many.
    pub of: usize,
}

impl Summary {
    /// Of these cases.
    pub fn of(cases: &[Case]) -> Self {
        let counted: Vec<&Case> = cases.iter().filter(|case| !case.fitted).collect();
        let errors = |error: fn(&Case) -> Option<f64>| {
            mean(&counted.iter().filter_map(|case| error(case)).collect::<Vec<_>>())
        };
        // Of a case without cycles there is no logarithm.
        let pairs: Vec<(f64, f64)> = counted
            .iter()
            .filter_map(|case| Some((case.cycles.ours?, case.cycles.measured)))
            .filter(|(ours, _)| *ours > 0.0)
            .collect();
        let logarithms: Vec<_> = pairs.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
        let ratios: Vec<_> = pairs.iter().map(|(ours, measured)| ours / measured).collect();
        let within = |at: usize| {
            let launches = cases.iter().flat_map(|case| &case.launches);
            let known: Vec<bool> = launches.filter_map(|launch| launch.is_within(at)).collect();
            let within = known.iter().filter(|is_within| **is_within).count();
            (COUNTERS[at].field, Within { within, of: known.len() })
        };
        Self {
            cases: counted.len(),
            error: errors(|case| case.error),
            error_above_cold: errors(|case| case.error_above_cold),
            ratio: (!ratios.is_empty()).then(|| geometric_mean(&ratios)),
            pearson: pearson(&logarithms),
            spearman: spearman(&pairs),
            counters: (0..COUNTERS.len()).map(within).collect(),
        }
    }
}

impl Report {
    /// The counted cases with the greatest errors, the worst first.
    pub fn worst(&self, most: usize) -> Vec<&Case> {
        let mut cases: Vec<&Case> = self.cases.iter().filter(|case| !case.fitted).collect();
        let error = |case: &Case| case.error.unwrap_or(0.0);
        cases.sort_by(|one, other| error(other).total_cmp(&error(one)));
        cases.truncate(most);
        cases
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A launch with these cycles, ours and measured, a cold launch cost, and counters that measure
    /// 100, and ours `factor` times that.
    pub fn launch(ours: f64, measured: f64, cold: Option<f64>, factor: f64) -> Launch {
        let counters = (&[Some(100.0 * factor); COUNTERS.len()], &[100.0; COUNTERS.len()]);
        let cycles = Sides { ours: Some(ours), measured };
        Launch::new(("kernel".to_string(), false), cycles, cold, counters)
    }

    /// Three cases, the first of which is the fitted one.
    pub fn cases() -> Vec<Case> {
        let cold = Some(100.0);
        let (fitted, sizes) = FITTED;
        vec![
            Case::new(fitted, sizes, vec![launch(500.0, 1000.0, cold, 1.0)]),
            Case::new(
                "a",
                [1, 0],
                vec![launch(200.0, 400.0, cold, 1.0), launch(300.0, 200.0, cold, 1.5)],
            ),
            Case::new("b", [1, 0], vec![launch(4000.0, 1000.0, cold, 1.0)]),
        ]
    }

    #[test]
    fn summary_is_that_computed_by_hand() {
        let cases = cases();
        // Launches of `a`: |0.5 - 1| and |1.5 - 1|; above the cost |100 / 300 - 1| and
        // |200 / 100 - 1|.
        assert_eq!(cases[1].cycles, Sides { ours: Some(500.0), measured: 600.0 });
        assert_eq!(cases[1].error, Some(0.5));
        assert!((cases[1].error_above_cold.unwrap() - (2.0 / 3.0 + 1.0) / 2.0).abs() < 1e-12);
        let summary = Summary::of(&cases);
        // `b`: |4 - 1|, above the cost |3900 / 900 - 1|.
        assert_eq!((summary.cases, summary.error), (2, Some((0.5 + 3.0) / 2.0)));
        let above = ((2.0 / 3.0 + 1.0) / 2.0 + 30.0 / 9.0) / 2.0;
        assert!((summary.error_above_cold.unwrap() - above).abs() < 1e-12);
        assert!((summary.ratio.unwrap() - (500.0f64 / 600.0 * 4.0).sqrt()).abs() < 1e-12);
        assert!((summary.pearson.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(summary.spearman, Some(1.0));
        // L2 sectors count from 50 000 on. 150 of 100 exceeds all limits but 4096 bytes.
        let within = |within, of| Within { within, of };
        let expected = [
            ("dram_read", within(4, 4)),
            ("l1_load_requests", within(3, 4)),
            ("l1_load_sector_hits", within(3, 4)),
            ("l1_load_sectors", within(3, 4)),
            ("l2_read_sectors", within(0, 0)),
            ("l2_write_sectors", within(0, 0)),
            ("warp_instructions", within(3, 4)),
        ];
        assert_eq!(summary.counters, expected.into());
    }

    #[test]
    fn worst_cases_come_first_with_a_counter_beyond_its_limit() {
        let cases = cases();
        let (counter, ratio) = cases[1].farthest().unwrap();
        // All counters of `a` are 250 of 200; those of L2 and DRAM exceed no limit.
        assert!(!["L2 ", "DRAM"].iter().any(|other| counter.title.starts_with(other)));
        assert_eq!(ratio, Some(1.25));
        assert!(cases[2].farthest().is_none());
        let summary = Summary::of(&cases);
        let report = Report { verdict: "PASS", system: "s".into(), scale: 1, summary, cases };
        let worst: Vec<_> = report.worst(5).into_iter().map(|case| case.program.as_str()).collect();
        assert_eq!(worst, ["b", "a"]);
    }

    #[test]
    fn counters_that_the_machine_lacks_are_unknown() {
        let counters = (&[None; COUNTERS.len()], &[100.0; COUNTERS.len()]);
        let cycles = Sides { ours: Some(10.0), measured: 20.0 };
        let launch = Launch::new(("k".to_string(), true), cycles, None, counters);
        let case = Case::new("a", [1, 2], vec![launch]);
        assert_eq!((case.racy, case.error, case.error_above_cold), (true, Some(0.5), None));
        assert_eq!(case.counters["dram_read"], Sides { ours: None, measured: 100.0 });
        let summary = Summary::of(&[case]);
        assert_eq!(summary.counters["dram_read"], Within { within: 0, of: 0 });
        assert_eq!((summary.error_above_cold, summary.pearson), (None, None));
    }
}
