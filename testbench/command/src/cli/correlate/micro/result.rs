//! Latencies and rates beside the measured ones, as text and as values.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::text::{percent, ratio};
use super::points::{Point, Quantity};

/// What came of all lines.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// PASS, or FAIL if a line did not run.
    pub verdict: &'static str,
    /// Name of the system.
    pub system: String,
    /// Its scale.
    pub scale: u32,
    /// By quantity, and the footprints at which levels end.
    pub summary: Summary,
    /// The lines, in the order of the file.
    pub lines: Vec<Measured>,
}

/// A line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Measured {
    /// The line without its results.
    pub name: String,
    /// Kind of the quantity.
    pub quantity: &'static str,
    /// Ours.
    pub ours: f64,
    /// The GPU's.
    pub measured: f64,
    /// Greatest error; none for what is only shown, and for a latency between two levels.
    pub limit: Option<f64>,
    #[serde(skip)]
    kind: Quantity,
    /// Curve, and kilobytes.
    #[serde(skip)]
    curve: Option<(&'static str, f64)>,
}

impl Measured {
    /// A point, and what the machine takes.
    pub fn new(point: &Point, ours: f64) -> Self {
        Self {
            name: point.name.clone(),
            quantity: point.quantity.title(),
            ours,
            measured: point.measured,
            limit: point.quantity.limit(),
            kind: point.quantity,
            curve: point.curve,
        }
    }

    /// Ours over measured.
    pub fn ratio(&self) -> f64 {
        self.ours / self.measured
    }

    /// Whether the error is within the limit; nothing where there is no limit.
    pub fn is_within(&self) -> Option<bool> {
        self.limit.map(|limit| (self.ratio() - 1.0).abs() <= limit)
    }

    /// A row of the table.
    pub fn row(&self) -> String {
        let Self { name, ours, measured, .. } = self;
        format!("{name:<34} {ours:>10.1} {measured:>10.1} {:>6}", ratio(Some(self.ratio())))
    }
}

/// The names of the table's columns.
pub fn head() -> String {
    format!("{:<34} {:>10} {:>10} {:>6}", "line", "ours", "measured", "ratio")
}

/// What is known of all lines.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// By quantity.
    pub quantities: BTreeMap<&'static str, Within>,
    /// Footprints at which a level of a chase ends.
    pub footprints: Vec<Footprint>,
}

/// Lines within the limit of their quantity.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Within {
    /// How many.
    pub within: usize,
    /// Of how many.
    pub of: usize,
    /// Mean of the errors.
    pub error: f64,
    /// The limit.
    pub limit: Option<f64>,
}

/// Where a level ends: a chase takes the mean of two plateaus there.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Footprint {
    /// Curve.
    pub curve: &'static str,
    /// Mean of two neighbouring plateaus of the GPU [cycles].
    pub latency: f64,
    /// Kilobytes at which the machine reaches it; none where it never does.
    pub ours: Option<f64>,
    /// Kilobytes at which the GPU reaches it.
    pub measured: f64,
}

impl Footprint {
    /// The greatest error.
    const LIMIT: f64 = 0.10;

    fn is_within(&self) -> bool {
        self.ours.is_some_and(|ours| (ours / self.measured - 1.0).abs() <= Self::LIMIT)
    }
}

/// Latencies of one plateau differ by less than this.
const FLAT: f64 = 0.03;

/// The plateaus of a curve: groups of neighbours of which each differs little from the first.
fn plateaus(latencies: &[f64]) -> Vec<std::ops::Range<usize>> {
    let mut plateaus = Vec::new();
    let mut start = 0;
    for at in 1..=latencies.len() {
        let differs = |at: usize| (latencies[at] / latencies[start] - 1.0).abs() > FLAT;
        if at == latencies.len() || differs(at) {
            if at - start > 1 {
                plateaus.push(start..at);
            }
            start = at;
        }
    }
    plateaus
}

/// Kilobytes at which a curve first passes a latency, between two of its points.
fn crossing(curve: &[(f64, f64)], latency: f64) -> Option<f64> {
    curve.windows(2).find_map(|pair| {
        let [(kb, low), (next, high)] = [pair[0], pair[1]];
        let passes = low < latency && latency <= high;
        passes.then(|| kb + (next - kb) * (latency - low) / (high - low))
    })
}

impl Summary {
    /// Of these lines, whose latencies between two plateaus have no limit from now on.
    pub fn of(lines: &mut [Measured]) -> Self {
        let mut footprints = Vec::new();
        for curve in ["chase ca", "chase cg"] {
            let is_of = |line: &Measured| line.curve.is_some_and(|(name, _)| name == curve);
            let places: Vec<usize> = (0..lines.len()).filter(|at| is_of(&lines[*at])).collect();
            let measured: Vec<f64> = places.iter().map(|at| lines[*at].measured).collect();
            let levels = plateaus(&measured);
            for (number, place) in places.iter().enumerate() {
                if !levels.iter().any(|level| level.contains(&number)) {
                    lines[*place].limit = None;
                }
            }
            let kb = |at: &usize| lines[*at].curve.map_or(0.0, |(_, kb)| kb);
            let points = |of: fn(&Measured) -> f64| -> Vec<(f64, f64)> {
                places.iter().map(|at| (kb(at), of(&lines[*at]))).collect()
            };
            let [ours, theirs] = [points(|line| line.ours), points(|line| line.measured)];
            for pair in levels.windows(2) {
                let latency = (measured[pair[0].start] + measured[pair[1].start]) / 2.0;
                if let Some(measured) = crossing(&theirs, latency) {
                    let ours = crossing(&ours, latency);
                    footprints.push(Footprint { curve, latency, ours, measured });
                }
            }
        }
        let within = |quantity: Quantity| {
            let lines: Vec<_> = lines.iter().filter(|line| line.kind == quantity).collect();
            let known: Vec<_> = lines.iter().filter_map(|line| line.is_within()).collect();
            let errors = lines.iter().map(|line| (line.ratio() - 1.0).abs());
            let error = errors.sum::<f64>() / lines.len().max(1) as f64;
            let within = known.iter().filter(|is_within| **is_within).count();
            let of = if quantity.limit().is_some() { known.len() } else { lines.len() };
            (quantity.title(), Within { within, of, error, limit: quantity.limit() })
        };
        Self { quantities: Quantity::ALL.into_iter().map(within).collect(), footprints }
    }
}

/// All lines together.
pub fn summary(report: &Report) -> Vec<String> {
    let mut lines = vec![String::new(), "lines within the limit".to_string()];
    for quantity in Quantity::ALL {
        let Within { within, of, error, .. } = &report.summary.quantities[quantity.title()];
        if *of == 0 {
            continue;
        }
        let error = percent(Some(*error));
        lines.push(match quantity.limit() {
            Some(limit) => format!(
                "  {:<20} {within:>3} of {of:>3}  within {:.0} %; mean error {error}",
                quantity.title(),
                100.0 * limit
            ),
            None => format!("  {:<20}        {of:>3}  mean error {error}", quantity.title()),
        });
    }
    if !report.summary.footprints.is_empty() {
        lines.push(String::new());
        lines.push("footprints at which a level ends [KB], within 10 %".to_string());
    }
    for footprint in &report.summary.footprints {
        let Footprint { curve, latency, ours, measured } = footprint;
        let ours_text = ours.map_or("-".to_string(), |ours| format!("{ours:.0}"));
        let quotient = ratio(ours.map(|ours| ours / measured));
        let name = format!("{curve} {latency:.0} cycles");
        lines.push(format!("  {name:<32} {ours_text:>10} {measured:>10.0} {quotient:>6}"));
    }
    lines
}

/// The last line.
pub fn pass(report: &Report) -> String {
    let Report { system, summary, lines, .. } = report;
    let known: Vec<_> = lines.iter().filter_map(Measured::is_within).collect();
    let within = known.iter().filter(|is_within| **is_within).count()
        + summary.footprints.iter().filter(|footprint| footprint.is_within()).count();
    let all = known.len() + summary.footprints.len();
    format!("PASS correlate {system}: {} lines, {within} of {all} within their limits", lines.len())
}

#[cfg(test)]
mod tests {
    use super::super::{lines, points};
    use super::*;

    /// The H100's lines, with ours `factor` times as much.
    fn measured(factor: f64) -> Vec<Measured> {
        let points = points::points(&lines::read(None).unwrap()).unwrap();
        points.iter().map(|point| Measured::new(point, factor * point.measured)).collect()
    }

    #[test]
    fn an_equal_machine_is_within_all_limits() {
        let mut lines = measured(1.0);
        let summary = Summary::of(&mut lines);
        assert!(lines.iter().all(|line| line.is_within() != Some(false)));
        assert!(summary.footprints.iter().all(Footprint::is_within));
        // The L1 ends between 224 and 256 KB, the near half of the L2 between 24 and 28 MB, all of
        // it between 48 and 64 MB.
        let ends: Vec<_> =
            summary.footprints.iter().map(|end| (end.curve, end.measured as u32)).collect();
        let within = |curve, low, high| {
            ends.iter().any(|(name, kb)| *name == curve && (low..high).contains(kb))
        };
        assert!(within("chase ca", 224, 256), "{ends:?}");
        assert!(within("chase cg", 24_576, 28_672) && within("chase cg", 49_152, 65_536));
        // Latencies between two levels have no limit.
        let limit = |name: &str| lines.iter().find(|line| line.name == name).unwrap().limit;
        assert_eq!((limit("chase ca kb 224"), limit("chase ca kb 64")), (None, Some(0.03)));
    }

    #[test]
    fn a_machine_that_is_four_per_cent_slower_has_wrong_latencies_only() {
        let mut lines = measured(1.04);
        let Summary { quantities, .. } = Summary::of(&mut lines);
        let counts = |quantity: Quantity| {
            let within = &quantities[quantity.title()];
            (within.within, within.of)
        };
        let (right, all) = counts(Quantity::Latency);
        assert!(right == 0 && all > 40, "{right} of {all}");
        for quantity in [Quantity::Rate, Quantity::Chain, Quantity::Atomic] {
            let (right, all) = counts(quantity);
            assert_eq!(right, all, "{quantity:?}");
        }
    }

    #[test]
    fn plateaus_and_crossings_are_those_computed_by_hand() {
        assert_eq!(plateaus(&[10.0, 10.1, 15.0, 20.0, 20.0, 20.1]), [0..2, 3..6]);
        assert_eq!(plateaus(&[10.0, 20.0]), []);
        let curve = [(1.0, 10.0), (2.0, 10.0), (4.0, 20.0)];
        assert_eq!(crossing(&curve, 15.0), Some(3.0));
        assert_eq!(crossing(&curve, 25.0), None);
    }
}
