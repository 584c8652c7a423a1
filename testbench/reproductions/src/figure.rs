//! One figure of a paper: ours, the paper's, and why they may differ.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;

/// Columns of running text.
const WIDTH: usize = 100;

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Number in the source's specification, section 11, or `E4` for its worked example 4.
    pub id: &'static str,
    /// What is measured.
    pub quantity: &'static str,
    /// Ours, for a person; `None` where it cannot be shown yet.
    pub ours: Option<String>,
    /// Ours, by name.
    pub values: BTreeMap<String, f64>,
    /// The paper's.
    pub paper: &'static str,
    /// Place in the paper.
    pub place: &'static str,
    /// Why it cannot be shown, or why it may differ.
    pub note: &'static str,
}

impl Figure {
    /// The figure with our value, for a person and by name.
    pub fn with(mut self, ours: String, values: impl IntoIterator<Item = (String, f64)>) -> Self {
        self.ours = Some(ours);
        self.values.extend(values);
        self
    }
}

/// A figure without a value of ours: number, quantity, the paper's value, its place, note.
pub fn figure(
    id: &'static str,
    quantity: &'static str,
    paper: &'static str,
    place: &'static str,
    note: &'static str,
) -> Figure {
    Figure { id, quantity, ours: None, values: BTreeMap::new(), paper, place, note }
}

/// Of at least one positive value.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// Of at least one value.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "\n{:<4} {}", self.id, self.quantity)?;
        paragraph(f, "ours", self.ours.as_deref().unwrap_or("-"))?;
        paragraph(f, "paper", &format!("{} ({})", self.paper, self.place))?;
        paragraph(f, "note", self.note)
    }
}

/// `text` behind a label, broken at spaces.
fn paragraph(f: &mut Formatter, label: &str, text: &str) -> fmt::Result {
    let mut line = format!("     {label:<6}");
    let indent = line.len();
    for word in text.split(' ') {
        if line.len() > indent && line.len() + 1 + word.len() > WIDTH {
            writeln!(f, "{}", line.trim_end())?;
            line = " ".repeat(indent);
        }
        line.push_str(word);
        line.push(' ');
    }
    writeln!(f, "{}", line.trim_end())
}
