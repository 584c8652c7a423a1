//! Controls: situations in which an effect cannot exist. A figure is worth something where the
//! effect that it shows is the design's and nothing else's; so designs that are compared with each
//! other must not differ where nothing of what distinguishes them is used, latencies and rates are
//! those of the system file, what is counted adds up, and more of a resource does not cost time.
//!
//! A control is an entry of [`CONTROLS`]: a name, what it says, and a function from runs to rows.
//! Designs come from the machine's own registry, so a new one is controlled without an entry here.

mod bounds;
mod conservation;
mod egress;
mod equality;
mod hash;
mod idle;
mod latency;
mod monotonicity;
mod programs;
mod random_rows;
mod rates;
mod row;
mod runner;
mod sharing;
mod situations;
#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Formatter};

use schemars::JsonSchema;
use serde::Serialize;

pub use row::Row;
pub use runner::{Outcome, Runner, Spec};

/// What a control compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Designs with each other, where they must not differ.
    Equality,
    /// The machine with its system file.
    SystemFile,
    /// Counts with each other.
    Conservation,
    /// A machine with one that has more.
    Monotonicity,
    /// Designs with one that has an advantage.
    Bound,
}

/// A control.
pub struct Control {
    /// Name.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
    /// Kind.
    pub kind: Kind,
    /// Rows. It is called with outcomes that hold nothing, to learn which runs it asks for, then
    /// with the outcomes, and again where it has asked for more then.
    pub rows: fn(&mut Runner) -> Vec<Row>,
}

/// All controls.
pub const CONTROLS: &[&[Control]] = &[
    equality::CONTROLS,
    sharing::CONTROLS,
    egress::CONTROLS,
    latency::CONTROLS,
    idle::CONTROLS,
    rates::CONTROLS,
    random_rows::CONTROLS,
    hash::CONTROLS,
    conservation::CONTROLS,
    monotonicity::CONTROLS,
    bounds::CONTROLS,
];

/// All controls, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Control> {
    CONTROLS.iter().copied().flatten()
}

/// Rows of a control.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Part {
    /// Name of the control.
    pub control: &'static str,
    /// What it says.
    pub about: &'static str,
    /// Kind.
    pub kind: Kind,
    /// Rows.
    pub rows: Vec<Row>,
}

/// All results.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Whether the small set was asked for.
    pub quick: bool,
    /// Machines that ran a program.
    pub runs: usize,
    /// Loads that were compared with what the programs saw.
    pub loads_checked: u64,
    /// By control.
    pub controls: Vec<Part>,
}

impl Report {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.controls.iter().flat_map(|part| &part.rows)
    }

    /// Rows that have failed.
    pub fn failed(&self) -> usize {
        self.rows().filter(|row| !row.passed).count()
    }
}

/// Runs the controls for which `wanted` says so.
pub fn run(quick: bool, wanted: impl Fn(&Control) -> bool) -> Report {
    run_on(&mut Runner::new(quick), wanted)
}

/// Likewise, on machines of the caller's.
fn run_on(runner: &mut Runner, wanted: impl Fn(&Control) -> bool) -> Report {
    let wanted: Vec<_> = all().filter(|control| wanted(control)).collect();
    let controls = loop {
        let part = |control: &&Control| {
            let Control { name, about, kind, rows } = **control;
            Part { control: name, about, kind, rows: rows(runner) }
        };
        let parts = wanted.iter().map(part).collect();
        if runner.is_done() {
            break parts;
        }
        runner.run_all();
    };
    let (runs, loads_checked) = (runner.runs(), runner.loads_checked());
    Report { quick: runner.quick(), runs, loads_checked, controls }
}

impl Report {
    fn write(
        &self,
        f: &mut Formatter,
        table: fn(&mut Formatter, &[Row]) -> fmt::Result,
    ) -> fmt::Result {
        for part in &self.controls {
            writeln!(f, "`{}`: {}\n", part.control, part.about)?;
            table(f, &part.rows)?;
            writeln!(f)?;
        }
        Ok(())
    }

    /// A table for each control, as the documents hold it: of rows about one situation on one
    /// machine the one that is nearest its limit.
    pub fn worst(&self) -> impl Display {
        Worst(self)
    }
}

struct Worst<'a>(&'a Report);

impl Display for Worst<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.0.write(f, row::write_worst)
    }
}

impl Display for Report {
    /// A table for each control.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.write(f, row::write)
    }
}
