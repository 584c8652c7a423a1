//! One figure of a paper: ours, the paper's, and why they may differ.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// Columns of running text.
const WIDTH: usize = 100;

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Number in the source's specification, section 11, or `E4` for its worked example 4.
    pub id: String,
    /// What is measured.
    pub quantity: String,
    /// Ours, for a person; `None` where it cannot be shown yet.
    #[serde(skip_deserializing)]
    pub ours: Option<String>,
    /// Ours, by name.
    #[serde(skip_deserializing)]
    pub values: BTreeMap<String, f64>,
    /// The paper's.
    pub paper: String,
    /// Place in the paper.
    pub place: String,
    /// Why it cannot be shown, or why it may differ.
    #[serde(default)]
    pub note: String,
    /// In the file: the figure that has this note too.
    #[serde(default, skip_serializing)]
    same_note_as: Option<String>,
}

/// Ours, for a person and by name; none where it cannot be shown.
pub type Ours = Option<(String, BTreeMap<String, f64>)>;

/// Ours, where it can be shown.
pub fn ours<N: Into<String>>(text: String, values: impl IntoIterator<Item = (N, f64)>) -> Ours {
    Some((text, values.into_iter().map(|(name, value)| (name.into(), value)).collect()))
}

/// The figures that the file of a paper lists, with ours by their ids. Panics where the file is no
/// list of figures: it is a constant.
pub fn figures(file: &str, ours: impl Fn(&str) -> Ours) -> Vec<Figure> {
    #[derive(Deserialize)]
    struct File {
        figure: Vec<Figure>,
    }
    let File { figure: mut all } = toml::from_str(file).unwrap_or_else(|e| panic!("{e}"));
    let notes: BTreeMap<_, _> = all.iter().map(|f| (f.id.clone(), f.note.clone())).collect();
    for figure in &mut all {
        if let Some(other) = figure.same_note_as.take() {
            figure.note.clone_from(&notes[&other]);
        }
        if let Some((text, values)) = ours(&figure.id) {
            (figure.ours, figure.values) = (Some(text), values);
        }
    }
    all
}

/// One value of ours for each program in which it means something.
pub struct Each(pub Vec<(&'static str, f64)>);

impl Each {
    /// Those of some programs.
    pub fn only(self, is_kept: impl Fn(&str) -> bool) -> Self {
        Self(self.0.into_iter().filter(|(program, _)| is_kept(program)).collect())
    }

    /// None where there is no value.
    pub fn unless_empty(self) -> Option<Self> {
        (!self.0.is_empty()).then_some(self)
    }

    /// The values alone.
    pub fn values(&self) -> Vec<f64> {
        self.0.iter().map(|(_, value)| *value).collect()
    }

    /// Geometric mean; there must be a value, and all must be positive.
    pub fn geometric(&self) -> f64 {
        geometric_mean(&self.values())
    }

    /// Arithmetic mean; there must be a value.
    pub fn mean(&self) -> f64 {
        self.values().iter().sum::<f64>() / self.0.len() as f64
    }

    /// Program and value of each.
    pub fn listed(&self, digits: usize) -> String {
        self.listed_in(digits, "")
    }

    /// Program and value of each, with a unit.
    pub fn listed_in(&self, digits: usize, unit: &str) -> String {
        let each =
            self.0.iter().map(|(program, value)| format!("{program} {value:.digits$}{unit}"));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Into a figure's values.
    pub fn named(&self, what: &str) -> impl Iterator<Item = (String, f64)> {
        self.0.iter().map(move |(program, value)| (format!("{what}.{program}"), *value))
    }
}

/// Of at least one positive value.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "\n{:<4} {}", self.id, self.quantity)?;
        paragraph(f, "ours", self.ours.as_deref().unwrap_or("-"))?;
        paragraph(f, "paper", &format!("{} ({})", self.paper, self.place))?;
        paragraph(f, "note", &self.note)
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
