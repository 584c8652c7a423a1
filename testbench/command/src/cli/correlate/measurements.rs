//! Measurement files: JSON arrays with an object for each launch, in the order of the launches.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::super::Failure;
use super::counters::{COUNTERS, Values};

/// The measurements of an H100, and the name that messages have for them.
const H100: (&str, &str) = ("h100.json", include_str!("../../../../correlation/h100.json"));

/// Clock frequencies that a GPU can have [MHz]: others mean that `time` is not in microseconds.
const CLOCK: std::ops::RangeInclusive<f64> = 100.0..=10_000.0;
/// Bytes that DRAM is read in: others mean that `dram_read` is not in bytes.
const BURST: u64 = 32;
/// Sectors of a load of a warp with 64 lanes of 16 bytes.
const MOST_SECTORS: u64 = 64;

/// A measured launch.
#[derive(Debug)]
pub struct Launch {
    /// Kernel.
    pub kernel: String,
    /// Work-groups.
    pub grid: u64,
    /// Work-items of a work-group.
    pub block: u64,
    /// Cycles from a cold start.
    pub cycles: f64,
    /// Counters.
    pub counters: Values<f64>,
}

/// A program with its sizes, and its launches.
#[derive(Debug)]
pub struct Case {
    /// The file that it is from.
    pub file: String,
    /// Program of `kernels.cl`, or of the user.
    pub program: String,
    /// Sizes.
    pub sizes: [u32; 2],
    /// In the order of the program.
    pub launches: Vec<Launch>,
}

impl Case {
    /// What its trace is called, and `--case`.
    pub fn name(&self) -> String {
        let [n, m] = self.sizes;
        format!("{}-{n}-{m}", self.program)
    }

    /// Errors of one of its launches.
    pub fn refused(&self, launch: usize, problem: &str) -> Failure {
        let Self { file, .. } = self;
        Failure::usage(format!("{file}: {}, launch {launch}: {problem}", self.name()))
    }
}

/// Reads a file, or the measurements of an H100.
pub fn read(path: Option<&Path>) -> Result<Vec<Case>, Failure> {
    let Some(path) = path else { return parse(H100.0, H100.1).map_err(Failure::usage) };
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
    parse(&name, &text).map_err(Failure::usage)
}

/// The cases of a file's text. Errors: what is wrong, and where.
fn parse(file: &str, text: &str) -> Result<Vec<Case>, String> {
    let records: Vec<Map<String, Value>> = serde_json::from_str(text)
        .map_err(|e| format!("{file}: must be an array of objects: {e}"))?;
    let mut cases: Vec<Case> = Vec::new();
    for (number, object) in records.iter().enumerate() {
        let refused = |problem: String| format!("{file}: {}: {problem}", place(number, object));
        let record = Record(object);
        let program = record.name("program").map_err(refused)?;
        let sizes = [record.size("n").map_err(refused)?, record.size("m").map_err(refused)?];
        let at = cases.iter().position(|case| case.program == program && case.sizes == sizes);
        let at = at.unwrap_or(cases.len());
        if at == cases.len() {
            cases.push(Case { file: file.to_string(), program, sizes, launches: Vec::new() });
        } else if at + 1 < cases.len() {
            return Err(refused("the launches of a case must follow one another".to_string()));
        }
        let launches = &mut cases[at].launches;
        let launch = record.count("launch").map_err(refused)?;
        if launch != launches.len() as u64 {
            return Err(refused(format!("launch = {launch}: must be {}", launches.len())));
        }
        launches.push(record.launch().map_err(refused)?);
    }
    if cases.is_empty() {
        return Err(format!("{file}: no launch"));
    }
    Ok(cases)
}

/// The record, and what of its name is there.
fn place(number: usize, object: &Map<String, Value>) -> String {
    let part = |field: &str| match object.get(field) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "?".to_string(),
    };
    let [program, n, m, launch] = ["program", "n", "m", "launch"].map(part);
    format!("record {number} ({program}-{n}-{m}, launch {launch})")
}

/// An object of a measurement file.
struct Record<'a>(&'a Map<String, Value>);

impl Record<'_> {
    fn field(&self, field: &str) -> Result<&Value, String> {
        self.0.get(field).ok_or_else(|| format!("{field} is missing"))
    }

    /// A name: it becomes part of a file's.
    fn name(&self, field: &str) -> Result<String, String> {
        let value = self.field(field)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = value.as_str().filter(|name| !name.is_empty() && name.chars().all(is_plain));
        let name = name.map(String::from);
        name.ok_or_else(|| format!("{field} = {value}: must be letters, digits and underscores"))
    }

    fn text(&self, field: &str) -> Result<String, String> {
        let value = self.field(field)?;
        let text = value.as_str().filter(|text| !text.is_empty()).map(String::from);
        text.ok_or_else(|| format!("{field} = {value}: must be a text"))
    }

    /// A number above 0.
    fn positive(&self, field: &str) -> Result<f64, String> {
        let value = self.field(field)?;
        let number = value.as_f64().filter(|number| *number > 0.0);
        number.ok_or_else(|| format!("{field} = {value}: must be a number above 0"))
    }

    /// A whole number. Tools write some of them as 512.0.
    fn count(&self, field: &str) -> Result<u64, String> {
        let value = self.field(field)?;
        // Every whole number below 2^53 is one of f64.
        let is_count = |number: &f64| *number >= 0.0 && *number < 9e15 && number.fract() == 0.0;
        let number = value.as_f64().filter(is_count).map(|number| number as u64);
        number.ok_or_else(|| format!("{field} = {value}: must be a whole number from 0 on"))
    }

    fn size(&self, field: &str) -> Result<u32, String> {
        let value = self.count(field)?;
        u32::try_from(value).map_err(|_| format!("{field} = {value}: must be below 2^32"))
    }

    /// What was measured, with what its units imply.
    fn launch(&self) -> Result<Launch, String> {
        let [cycles, time] = [self.positive("cycles")?, self.positive("time")?];
        let clock = cycles / time;
        if !CLOCK.contains(&clock) {
            return Err(format!(
                "cycles = {cycles}, time = {time}: a clock of {clock:.1} MHz; time must be in \
                 microseconds"
            ));
        }
        let mut counters = [0; COUNTERS.len()];
        for (value, counter) in counters.iter_mut().zip(&COUNTERS) {
            *value = self.count(counter.field)?;
        }
        let [requests, sectors, hits, _, _, read, _] = counters;
        if sectors > MOST_SECTORS * requests {
            return Err(format!(
                "l1_load_sectors = {sectors}, l1_load_requests = {requests}: at most \
                 {MOST_SECTORS} sectors for each request of a warp"
            ));
        }
        if hits > sectors {
            return Err(format!(
                "l1_load_sector_hits = {hits}: more than l1_load_sectors = {sectors}"
            ));
        }
        if !read.is_multiple_of(BURST) {
            return Err(format!("dram_read = {read}: must be in bytes, a multiple of {BURST}"));
        }
        Ok(Launch {
            kernel: self.text("kernel")?,
            grid: self.count("grid")?,
            block: self.count("block")?,
            cycles,
            counters: counters.map(|value| value as f64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measurements_of_an_h100_have_all_cases_of_the_suite() {
        let cases = parse(H100.0, H100.1).unwrap();
        let suite = include_str!("../../../../correlation/suite.h");
        let (_, list) = suite.split_once("CASES[] = {").unwrap();
        let (list, _) = list.split_once("};").unwrap();
        assert_eq!(cases.len(), list.matches("{\"").count());
        assert!(cases.iter().all(|case| list.contains(&format!("{{\"{}\",", case.program))));
    }
}
