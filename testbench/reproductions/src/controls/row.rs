//! Rows of the table.

use std::fmt::{self, Display, Formatter};

use schemars::JsonSchema;
use serde::Serialize;

use super::runner::{Outcome, Spec};

/// A comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// Situation.
    pub case: String,
    /// Machine, with what is set besides.
    pub machine: String,
    /// Designs, or the resource.
    pub designs: String,
    /// Program.
    pub program: String,
    /// Measured values.
    pub measured: String,
    /// What they must keep to.
    pub limit: String,
    /// Whether they do.
    pub passed: bool,
    /// Which effects the situation excludes, or why it allows a difference.
    pub why: String,
    /// How far the value lies from its limit, as a share; more is worse.
    #[serde(skip)]
    beyond: f64,
}

impl Row {
    /// A row about a program on a machine; what is measured follows.
    pub fn of(case: &str, spec: &Spec, program: &impl ToString) -> Self {
        Self {
            case: case.to_string(),
            machine: spec.to_string(),
            designs: String::new(),
            program: program.to_string(),
            measured: String::new(),
            limit: String::new(),
            passed: false,
            why: String::new(),
            beyond: 0.0,
        }
    }

    /// Names the designs.
    pub fn designs(mut self, designs: impl ToString) -> Self {
        self.designs = designs.to_string();
        self
    }

    /// Names the situation.
    pub fn case(mut self, case: &str) -> Self {
        self.case = case.to_string();
        self
    }

    /// Says which effects are excluded.
    pub fn why(mut self, why: impl ToString) -> Self {
        self.why = why.to_string();
        self
    }

    /// A value that must be `right`, but for a share of it.
    pub fn equal(mut self, value: f64, right: f64, share: f64) -> Self {
        self.measured = format!("{} / {}{}", number(value), number(right), percent(value, right));
        self.limit = match share {
            0.0 => "equal".to_string(),
            share => format!("within {} %", number(100.0 * share)),
        };
        self.passed = (value - right).abs() <= share * right.abs();
        self.beyond = share_of((value - right).abs(), right.abs()) - share;
        self
    }

    /// A value that must be `right`, where a number does not say all of it.
    pub fn same(mut self, value: impl Display, right: impl Display, is_same: bool) -> Self {
        self.measured = format!("{value} / {right}");
        self.limit = "equal".to_string();
        self.passed = is_same;
        self.beyond = if is_same { 0.0 } else { f64::INFINITY };
        self
    }

    /// A value that must lie between two others.
    pub fn between(mut self, value: f64, low: f64, high: f64) -> Self {
        let [shown, least, most] = [value, low, high].map(number);
        self.measured = format!("{shown} / {least} to {most}");
        self.limit = "between".to_string();
        self.passed = low <= value && value <= high;
        self.beyond = share_of((low - value).max(value - high), high);
        self
    }

    /// A value that may be at most `most`, but for a share of it.
    pub fn at_most(mut self, value: f64, most: f64, share: f64) -> Self {
        self.measured = format!("{} / {}{}", number(value), number(most), percent(value, most));
        self.limit = match share {
            0.0 => "not more".to_string(),
            share => format!("at most {} % more", number(100.0 * share)),
        };
        self.passed = value <= most * (1.0 + share);
        self.beyond = share_of(value, most) - 1.0 - share;
        self
    }

    /// A value that must be at least a share of `of`.
    pub fn at_least(mut self, value: f64, of: f64, share: f64) -> Self {
        let part = if of == 0.0 { 0.0 } else { 100.0 * value / of };
        self.measured = format!("{value:.1} of {of:.1} ({part:.1} %)");
        self.limit = format!("at least {} %", number(100.0 * share));
        self.passed = value >= share * of;
        self.beyond = share - share_of(value, of);
        self
    }

    /// Fails where one of the runs did.
    pub fn needs<'a>(mut self, outcomes: impl IntoIterator<Item = &'a Outcome>) -> Self {
        if let Some(error) = outcomes.into_iter().find_map(|outcome| outcome.error.as_ref()) {
            (self.passed, self.measured) = (false, error.lines().next().unwrap_or("").to_string());
            self.beyond = f64::INFINITY;
        }
        self
    }

    /// What rows have in common that a document shows as one.
    fn group(&self) -> [&str; 4] {
        let preset = self.machine.split(' ').next().unwrap_or("");
        [&self.case, preset, &self.limit, &self.why]
    }
}

fn share_of(value: f64, of: f64) -> f64 {
    match (value, of) {
        (0.0, 0.0) => 0.0,
        _ => value / of,
    }
}

/// Without digits that mean nothing.
pub fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value}"),
        false => format!("{value:.3}").trim_end_matches('0').to_string(),
    }
}

fn percent(value: f64, of: f64) -> String {
    match value == of || of == 0.0 {
        true => String::new(),
        false => format!(" ({:+.2} %)", 100.0 * (value / of - 1.0)),
    }
}

/// The rows as a table.
pub fn write(f: &mut Formatter, rows: &[Row]) -> fmt::Result {
    let titles =
        ["situation", "machine", "designs", "program", "measured", "limit", "", "excluded"];
    head(f, &titles)?;
    for row in rows {
        let verdict = if row.passed { "passed" } else { "**FAILED**" };
        let Row { case, machine, designs, program, measured, limit, why, .. } = row;
        line(f, [case, machine, designs, program, measured, limit, verdict, why])?;
    }
    Ok(())
}

/// The rows as a table of a document: of those about one situation on one preset or twin, how many
/// there are and the one that is nearest its limit.
pub fn write_worst(f: &mut Formatter, rows: &[Row]) -> fmt::Result {
    let mut groups: Vec<(&Row, usize, usize)> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|(worst, ..)| worst.group() == row.group()) {
            None => groups.push((row, 1, row.passed.into())),
            Some((worst, all, passed)) => {
                (*all, *passed) = (*all + 1, *passed + usize::from(row.passed));
                *worst = if row.beyond > worst.beyond { row } else { worst };
            }
        }
    }
    let worst = ["situation", "limit", "rows passed", "worst row: machine", "designs", "program"];
    head(f, &[&worst[..], &["measured", "excluded"]].concat())?;
    for (row, all, passed) in groups {
        let Row { case, machine, designs, program, measured, limit, why, .. } = row;
        let of = format!("{passed} of {all}");
        line(f, [case, limit, &of, machine, designs, program, measured, why])?;
    }
    Ok(())
}

fn head(f: &mut Formatter, titles: &[&str]) -> fmt::Result {
    writeln!(f, "| {} |", titles.join(" | "))?;
    writeln!(f, "|{}", " --- |".repeat(titles.len()))
}

fn line(f: &mut Formatter, cells: [&str; 8]) -> fmt::Result {
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    writeln!(f, "| {} |", cells.join(" | "))
}
