//! The table of cases and what is known of all of them, as text.

use cosim::fold::columns;

use super::counters::{COUNTERS, Counter};
use super::result::{Case, Launch, Report, Sides};

/// Columns of cycles, ratio and error behind the names.
const FIRST: [(&str, &str, usize); 4] = [
    ("cycles", "ours", 9),
    ("cycles", "measured", 9),
    ("cycles", "ratio", 6),
    ("mean", "error", 6),
];
/// Columns of a counter's ratio.
const WIDTH: usize = 7;
/// Cases in the list of the worst.
const WORST: usize = 5;

/// How the table's lines are laid out.
pub struct Table {
    name: usize,
    /// As many counters as fit.
    counters: usize,
}

impl Table {
    /// `name`: columns of the longest name.
    pub fn new(name: usize) -> Self {
        Self::of(columns(), name)
    }

    fn of(columns: usize, name: usize) -> Self {
        let first: usize = FIRST.iter().map(|(.., width)| width + 1).sum();
        let counters = columns.saturating_sub(name + first) / WIDTH;
        Self { name, counters: counters.min(COUNTERS.len()) }
    }

    /// The names of the columns.
    pub fn head(&self) -> String {
        let counters = &COUNTERS[..self.counters];
        let row = |name: &str,
                   first: fn(&(&'static str, &'static str, usize)) -> &'static str,
                   at: usize| {
            let first: Vec<_> = FIRST.iter().map(|column| first(column).to_string()).collect();
            let others = counters.iter().map(|counter| counter.heading[at].to_string());
            self.line(name, &first, others)
        };
        format!("{}\n{}", row("", |column| column.0, 0), row("case", |column| column.1, 1))
    }

    /// A case.
    pub fn case(&self, case: &Case) -> String {
        let racy = if case.racy { " *" } else { "" };
        self.row(&(case.title() + racy), case.cycles, case.error, |counter| {
            case.counters[counter.field]
        })
    }

    /// One of its launches.
    pub fn launch(&self, number: usize, launch: &Launch) -> String {
        let racy = if launch.racy { " *" } else { "" };
        let error = launch.cycles.ratio().map(|ratio| (ratio - 1.0).abs());
        self.row(&format!("  launch {number}{racy}"), launch.cycles, error, |counter| {
            launch.counters[counter.field]
        })
    }

    fn row(
        &self,
        name: &str,
        cycles: Sides,
        error: Option<f64>,
        of: impl Fn(&Counter) -> Sides,
    ) -> String {
        let whole = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.0}"));
        let first = [
            whole(cycles.ours),
            whole(Some(cycles.measured)),
            ratio(cycles.ratio()),
            percent(error),
        ];
        let counters = COUNTERS[..self.counters].iter().map(|counter| ratio(of(counter).ratio()));
        self.line(name, &first, counters)
    }

    fn line(&self, name: &str, first: &[String], counters: impl Iterator<Item = String>) -> String {
        let mut line = format!("{name:<width$}", width = self.name);
        for (cell, (.., width)) in first.iter().zip(FIRST) {
            line += &format!(" {cell:>width$}");
        }
        counters.for_each(|cell| line += &format!("{cell:>WIDTH$}"));
        line.trim_end().to_string()
    }

    /// What the columns mean.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            String::new(),
            "columns of counters: ours / measured; error: mean of |ours / measured - 1| over the \
             launches"
                .to_string(),
        ];
        let hidden: Vec<_> =
            COUNTERS[self.counters..].iter().map(|counter| counter.title).collect();
        if !hidden.is_empty() {
            notes.push(format!("in wider terminals and in files: {}", hidden.join(", ")));
        }
        notes
    }
}

/// All cases together.
pub fn summary(report: &Report) -> Vec<String> {
    let summary = &report.summary;
    let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
    let mut lines = vec![
        String::new(),
        format!(
            "mean absolute error       {:>7} of {} cases",
            percent(summary.error),
            summary.cases
        ),
        format!("  above cold launch cost  {:>7}", percent(summary.error_above_cold)),
        format!("geometric mean of ratios  {:>7}", number(summary.ratio)),
        format!("Pearson, log cycles       {:>7}", number(summary.pearson)),
        format!("Spearman                  {:>7}", number(summary.spearman)),
        String::new(),
        "launches within the limit".to_string(),
    ];
    for counter in &COUNTERS {
        let within = summary.counters[counter.field];
        lines.push(format!(
            "  {:<17} {:>3} of {:>3}  {}",
            counter.title,
            within.within,
            within.of,
            counter.limit()
        ));
    }
    let worst = report.worst(WORST);
    if !worst.is_empty() {
        lines.push(String::new());
        lines.push("greatest errors, and the farthest counter beyond its limit".to_string());
    }
    for case in worst {
        let far = match case.farthest() {
            None => "none".to_string(),
            Some((counter, value)) => format!("{} {}", counter.title, ratio(value)),
        };
        lines.push(format!("  {:<26} {:>6}  {far}", case.title(), percent(case.error)));
    }
    if let Some(case) = report.cases.iter().find(|case| case.fitted) {
        lines.push(format!(
            "{}: the cold launch cost is fitted to it; means and correlations leave it out",
            case.title()
        ));
    }
    if report.cases.iter().any(|case| case.racy) {
        lines.push("* loads race: stores and later launches depend on the order".to_string());
    }
    lines
}

/// The last line of a correlation.
pub fn pass(report: &Report) -> String {
    let Report { system, summary, cases, .. } = report;
    let error = percent(summary.error);
    format!("PASS correlate {system}: {} cases, mean absolute error {error}", cases.len())
}

/// A ratio in six columns.
pub fn ratio(value: Option<f64>) -> String {
    match value {
        None => "-".to_string(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// A share in per cent.
pub fn percent(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{:.1} %", 100.0 * value))
}

#[cfg(test)]
mod tests {
    use super::super::result::tests::cases;
    use super::*;

    #[test]
    fn lines_fit_the_terminal() {
        let cases = cases();
        for (width, counters) in [(80, 3), (100, 6), (120, 7), (40, 0)] {
            let table = Table::of(width, 24);
            assert_eq!(table.counters, counters, "{width}");
            let lines =
                [table.head(), table.case(&cases[0]), table.launch(0, &cases[1].launches[0])];
            let longest = lines.iter().flat_map(|text| text.lines()).map(str::len).max().unwrap();
            assert!(longest <= width.max(58), "{width}: {longest}");
        }
        assert!(Table::of(120, 24).notes().len() == 2);
        assert!(Table::of(80, 24).notes()[2].contains("DRAM bytes read"));
    }

    #[test]
    fn rows_show_ratios() {
        let cases = cases();
        let table = Table::of(120, 12);
        let words =
            |line: String| line.split_whitespace().map(String::from).collect::<Vec<_>>().join(" ");
        assert_eq!(
            words(table.case(&cases[1])),
            "a 1 0 500 600 0.83 50.0 % 1.25 1.25 1.25 1.25 1.25 1.25 1.25"
        );
        assert_eq!(
            words(table.launch(0, &cases[1].launches[0])),
            "launch 0 200 400 0.50 50.0 % 1.00 1.00 1.00 1.00 1.00 1.00 1.00"
        );
        assert_eq!([None, Some(0.987), Some(1234.5)].map(ratio), ["-", "0.99", "1234"]);
    }
}
