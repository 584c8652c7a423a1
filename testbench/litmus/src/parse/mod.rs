//! Litmus files: the PTX dialect in which each thread names its place, `P0@cta 0,gpu 0`, and herd's
//! of OpenCL C (docs/trust.md has the words of both).

mod barrier;
mod condition;
mod first_values;
mod opencl;
mod ptx;
mod types;
mod words;
mod writer;

use crate::model;
use crate::test::{Condition, Quantifier, Test};
use words::{Word, Words};

/// What is wrong with a litmus file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {word:?}: {problem}")]
pub struct ParseError {
    /// The file, as it was named.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// The word.
    pub word: String,
    /// What it must be.
    pub problem: String,
}

/// Most threads and locations of a test, and operations of a thread: what is allowed is found by
/// trying all.
const MOST_THREADS: usize = 8;
const MOST_LOCATIONS: usize = 6;
const MOST_STEPS: usize = 16;

/// Most ways in which a test's operations may go, all of which are tried.
const MOST_WAYS: u64 = 1_000_000;

/// Why branches and labels are refused.
const ONE_RUN: &str = "labels and branches are refused: a trace holds the values of one run, so no \
                       operation can depend on a loaded value";

/// Reads a test. `file` names it in errors.
pub fn parse(file: &str, text: &str) -> Result<Test, ParseError> {
    let mut words = Words::new(file, text);
    let dialect = words.next();
    let threads = match &dialect.text.to_ascii_uppercase()[..] {
        "PTX" => ptx::threads,
        "OPENCL" => opencl::threads,
        _ => {
            return Err(words.error(&dialect, "must be PTX or OPENCL, the supported dialects"));
        }
    };
    let name = words.rest_of_line();
    if name.text.is_empty() {
        return Err(words.error(&name, "must be the name of the test"));
    }
    let mut test = Test {
        name: name.text,
        locations: Vec::new(),
        threads: Vec::new(),
        quantifier: Quantifier::Exists,
        condition: Condition::All(Vec::new()),
        filter: None,
        shown: Vec::new(),
    };
    words.pass_strings()?;
    let registers = first_values::read(&mut words, &mut test)?;
    let threads = threads(&mut words, &test, &registers)?;
    condition::read(&mut words, &mut test, &threads)?;
    test.threads = threads.iter().map(|writer| writer.thread.clone()).collect();
    barrier::check(&words, &test, &threads)?;
    let ways = model::ways(&test);
    match ways <= MOST_WAYS {
        true => Ok(test),
        false => {
            let word = Word { text: test.name.clone(), line: 1 };
            let problem = format!("{ways} possible executions: must be at most {MOST_WAYS}");
            Err(words.error(&word, &problem))
        }
    }
}

/// A number, in decimal or `0x` hexadecimal.
fn number(words: &Words, word: &Word) -> Result<u32, ParseError> {
    let (is_negative, digits) = match word.text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, &word.text[..]),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let value = value.map_err(|_| words.error(word, "must be a number below 2^32"))?;
    Ok(if is_negative { value.wrapping_neg() } else { value })
}

/// Whether a word may name a location.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The number of a location.
fn find_location(
    words: &Words,
    word: &Word,
    locations: &[(String, u32)],
) -> Result<usize, ParseError> {
    let found = locations.iter().position(|(name, _)| *name == word.text);
    found.ok_or_else(|| {
        let names: Vec<_> = locations.iter().map(|(name, _)| &name[..]).collect();
        let known = names.join(", ");
        words.error(word, &format!("must be a location with a first value: one of {known}"))
    })
}

#[cfg(test)]
mod tests;
