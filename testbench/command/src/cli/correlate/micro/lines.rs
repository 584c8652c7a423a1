//! Lines of micro.cu's output: words, and names each with a number.

use std::fs;
use std::path::Path;

use super::super::super::Failure;

/// What an H100 printed, and the name that messages have for it.
const H100: (&str, &str) =
    ("h100_micro.txt", include_str!("../../../../../correlation/h100_micro.txt"));

/// A line, such as `chase ca kb 64 cycles 39.68`.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its file and number.
    pub place: String,
    /// Words at its beginning.
    pub words: Vec<String>,
    /// Names and numbers behind them.
    pub values: Vec<(String, f64)>,
}

impl Line {
    fn parse(place: String, text: &str) -> Self {
        let all: Vec<&str> = text.split_whitespace().collect();
        let number = |at: usize| all.get(at).and_then(|word| word.parse::<f64>().ok());
        // A name is the word before a number.
        let first = (1..=all.len()).find(|at| number(*at).is_some()).unwrap_or(all.len() + 1);
        let words = all[..first - 1].iter().map(ToString::to_string).collect();
        let mut values = Vec::new();
        let mut at = first;
        while let Some(value) = number(at) {
            values.push((all[at - 1].to_string(), value));
            at += 2;
        }
        Self { place, words, values }
    }

    /// The words as one text.
    pub fn head(&self) -> String {
        self.words.join(" ")
    }

    /// A value that the line must have.
    pub fn value(&self, name: &str) -> Result<f64, Failure> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| *value).ok_or_else(|| self.refused(&format!("{name} is missing")))
    }

    /// A value that must be a whole number of these.
    pub fn count(&self, name: &str, legal: std::ops::RangeInclusive<u32>) -> Result<u32, Failure> {
        let value = self.value(name)?;
        let whole = (value.fract() == 0.0 && (0.0..4e9).contains(&value)).then_some(value as u32);
        whole.filter(|value| legal.contains(value)).ok_or_else(|| {
            let (least, most) = (legal.start(), legal.end());
            self.refused(&format!(
                "{name} = {value}: must be a whole number from {least} to {most}"
            ))
        })
    }

    /// A measured value, which must be above 0.
    pub fn measured(&self, name: &str) -> Result<f64, Failure> {
        let value = self.value(name)?;
        let is_positive = value > 0.0 && value.is_finite();
        is_positive
            .then_some(value)
            .ok_or_else(|| self.refused(&format!("{name} = {value}: must be above 0")))
    }

    /// An error of this line.
    pub fn refused(&self, problem: &str) -> Failure {
        Failure::usage(format!("{}: {problem}", self.place))
    }
}

/// Reads a file, or what an H100 printed.
pub fn read(path: Option<&Path>) -> Result<Vec<Line>, Failure> {
    let Some(path) = path else { return Ok(parse(H100.0, H100.1)) };
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
    Ok(parse(&name, &text))
}

/// Lines of a file's text.
pub fn parse(file: &str, text: &str) -> Vec<Line> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| Line::parse(format!("{file}:{number}"), line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse("f:1".to_string(), text)
    }

    #[test]
    fn words_and_values_are_told_apart() {
        let chase = line("chase ca kb 64 cycles 39.68");
        assert_eq!((chase.head().as_str(), chase.values.len()), ("chase ca", 2));
        assert_eq!(chase.value("kb").unwrap(), 64.0);
        let device = line("device NVIDIA H100 80GB HBM3 sms 132 l2 52428800 smem_sm 233472");
        assert_eq!(device.value("sms").unwrap(), 132.0);
        let sms = line("sms 8 l2_bytes_per_cycle 544.5 hbm_bytes_per_cycle 410.1");
        assert_eq!((sms.head().as_str(), sms.value("sms").unwrap()), ("", 8.0));
        assert_eq!(line("no number here").values, []);
    }

    #[test]
    fn values_that_are_missing_or_beyond_are_refused_with_their_line() {
        let line = line("write mb 0.5 bytes_per_cycle 0");
        let message = |result: Result<u32, Failure>| result.unwrap_err().message;
        assert_eq!(
            message(line.count("mb", 1..=2048)),
            "f:1: mb = 0.5: must be a whole number from 1 to 2048"
        );
        assert_eq!(message(line.count("kb", 1..=9)), "f:1: kb is missing");
        let error = line.measured("bytes_per_cycle").unwrap_err().message;
        assert_eq!(error, "f:1: bytes_per_cycle = 0: must be above 0");
    }
}
