//! One figure of a paper: ours, the paper's, and why they may differ.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bootstrap::Interval;
use crate::compared::{self, Compared};
use crate::ranks::Rank;

/// Columns of running text.
const WIDTH: usize = 100;

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// By name, half of the span in which perturbed runs lie; none where there were none.
    #[serde(skip_deserializing)]
    pub noise: BTreeMap<String, f64>,
    /// By name, 95 % intervals of those that are measured in runs.
    #[serde(skip_deserializing)]
    pub intervals: BTreeMap<String, Interval>,
    /// Where there is no effect, of a figure whose sign says something: 1 of a ratio.
    #[serde(default, skip_serializing)]
    neutral: Option<f64>,
    /// The paper's.
    pub paper: String,
    /// Place in the paper.
    pub place: String,
    /// The paper's, where it gives them, by the names of ours.
    #[serde(default)]
    pub numbers: BTreeMap<String, f64>,
    /// Each of these beside ours, where the figure is shown.
    #[serde(skip_deserializing)]
    pub compared: Vec<Compared>,
    /// Whether programs come in the paper's order, where it gives values of several.
    #[serde(skip_deserializing)]
    pub ranks: Vec<Rank>,
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

/// The figures, with the noise that perturbed runs of the same experiment show.
pub fn with_noise(mut figures: Vec<Figure>, perturbed: &[Vec<Figure>]) -> Vec<Figure> {
    for (at, figure) in figures.iter_mut().enumerate() {
        for (name, &value) in &figure.values {
            let others = perturbed.iter().filter_map(|other| other[at].values.get(name).copied());
            let bounds = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
            let (low, high) = others.fold((value, value), bounds);
            if !perturbed.is_empty() {
                figure.noise.insert(name.clone(), (high - low) / 2.0);
            }
        }
    }
    figures
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

impl Figure {
    /// Where there is no effect, of a figure whose sign says something: 1 of a ratio.
    pub fn neutral(&self) -> Option<f64> {
        self.neutral
    }

    /// The largest run-to-run variation.
    fn noise_text(&self) -> Option<String> {
        let (name, most) = self.noise.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
        Some(format!("vary by at most {most:.3} ({name})"))
    }

    /// The values whose intervals do not say on which side of no effect they lie.
    fn unsure_text(&self) -> Option<String> {
        let neutral = self.neutral?;
        let unsure = self.intervals.iter().filter(|(_, interval)| interval.contains(neutral));
        let names: Vec<_> = unsure.map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("not significant: {}", names.join(", ")))
    }
}

/// Figures as text. `on`: the scale of the machine, the programs and their sizes.
pub struct Listed<'a> {
    /// The figures.
    pub figures: &'a [Figure],
    /// What all of them were measured on.
    pub on: String,
}

/// What figures were measured on: the scale, 1 for the paper's machine, the seed, and each program
/// with its size and how often it iterates.
pub fn on(scale: u32, seed: u64, inputs: impl Iterator<Item = String>) -> String {
    let inputs = inputs.collect::<Vec<_>>().join(", ");
    format!("scale {scale}, seed {seed}; programs with size x iterations: {inputs}")
}

impl Display for Listed<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.figures.iter().try_for_each(|figure| figure.write(f, &self.on))
    }
}

impl Figure {
    fn write(&self, f: &mut Formatter, on: &str) -> fmt::Result {
        writeln!(f, "\n{:<4} {}", self.id, self.quantity)?;
        paragraph(f, "ours", self.ours.as_deref().unwrap_or("not shown"))?;
        if let Some(noise) = self.noise_text() {
            paragraph(f, "runs", &noise)?;
        }
        if let Some(unsure) = self.unsure_text() {
            paragraph(f, "sign", &unsure)?;
        }
        paragraph(f, "paper", &format!("{} ({})", self.paper, self.place))?;
        compared::write(f, &self.compared)?;
        for rank in &self.ranks {
            paragraph(f, "order", &rank.to_string())?;
        }
        if self.ours.is_some() {
            paragraph(f, "on", on)?;
        }
        match self.note.as_str() {
            "" => Ok(()),
            note => paragraph(f, "note", note),
        }
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

/// The paper's numbers, of figures that are shown, that have none of ours beside them.
#[cfg(test)]
pub fn alone(figures: &[Figure]) -> Vec<String> {
    let shown = figures.iter().filter(|figure| figure.ours.is_some());
    let names = shown.flat_map(|f| f.numbers.keys().map(move |name| (f, name)));
    let alone = names.filter(|(figure, name)| !figure.values.contains_key(*name));
    alone.map(|(figure, name)| format!("{} {name}", figure.id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [[figure]]
        id = "1"
        quantity = "speedup"
        neutral = 1.0
        paper = "-"
        place = "-"
        [[figure]]
        id = "2"
        quantity = "bytes"
        paper = "-"
        place = "-"
    "#;

    fn of(a: f64, b: f64, bytes: f64) -> Vec<Figure> {
        figures(FILE, |id| match id {
            "1" => ours(String::new(), [("a", a), ("b", b)]),
            _ => ours(String::new(), [("bytes", bytes)]),
        })
    }

    #[test]
    fn noise_is_half_of_the_span() {
        let noisy = with_noise(of(1.01, 1.10, 8.0), &[of(0.99, 1.05, 8.0), of(1.0, 1.11, 0.5)]);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(noisy[0].noise["a"], 0.01) && close(noisy[0].noise["b"], 0.03));
        assert_eq!(noisy[0].noise_text().unwrap(), "vary by at most 0.030 (b)");
        assert_eq!(noisy[1].noise_text().unwrap(), "vary by at most 3.750 (bytes)");
        let quiet = with_noise(of(1.01, 1.10, 8.0), &[]);
        assert!(quiet.iter().all(|figure| figure.noise_text().is_none()));
    }

    #[test]
    fn sign_is_not_significant_where_the_interval_holds_no_effect() {
        let mut figures = of(1.01, 1.10, 8.0);
        let interval = |low, high| Interval { low, high, resamples: 1000 };
        for figure in &mut figures {
            figure.intervals =
                figure.values.keys().map(|n| (n.clone(), interval(0.9, 1.2))).collect();
        }
        assert_eq!(figures[0].unsure_text().unwrap(), "not significant: a, b");
        figures[0].intervals.insert("b".into(), interval(1.001, 1.2));
        assert_eq!(figures[0].unsure_text().unwrap(), "not significant: a");
        figures[0].intervals.insert("a".into(), interval(0.9, 0.999));
        assert_eq!(figures[0].unsure_text(), None);
        // Bytes have no sign.
        assert_eq!(figures[1].unsure_text(), None);
    }
}
