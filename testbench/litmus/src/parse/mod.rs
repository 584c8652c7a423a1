//! Litmus files: the PTX dialect in which each thread names its place, `P0@cta 0,gpu 0`
//! (docs/trust.md has the words).

mod condition;
mod instruction;
mod words;

use crate::model;
use crate::test::{Condition, Quantifier, Test, Thread};
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

/// Reads a test. `file` names it in errors.
pub fn parse(file: &str, text: &str) -> Result<Test, ParseError> {
    let mut words = Words::new(file, text);
    words.must("PTX", "PTX: the only dialect that is read here")?;
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
    };
    words.pass_string();
    first_values(&mut words, &mut test)?;
    threads(&mut words, &mut test)?;
    rows(&mut words, &mut test)?;
    condition::read(&mut words, &mut test)?;
    check(&words, &test)?;
    Ok(test)
}

/// `{ x=0; y=0; P1:r0=0; }`.
fn first_values(words: &mut Words, test: &mut Test) -> Result<(), ParseError> {
    words.must("{", "{, before the first values")?;
    loop {
        let word = words.next();
        match &word.text[..] {
            "}" => return Ok(()),
            ";" => continue,
            _ => {}
        }
        if condition::thread(&word.text).is_some() {
            words.must(":", ":, before a register")?;
            let register = words.next();
            instruction::register(words, &register)?;
            words.must("=", "=, before a value")?;
            let value = words.next();
            if number(words, &value)? != 0 {
                return Err(words.error(&value, "must be 0: a register begins with nothing else"));
            }
            continue;
        }
        if !is_name(&word.text) {
            return Err(words.error(&word, "must be a location, P0:r0, ; or }"));
        }
        words.must("=", "=, before a value")?;
        let value = words.next();
        let value = number(words, &value)?;
        if test.locations.iter().any(|(name, _)| *name == word.text) {
            return Err(words.error(&word, "has a first value already"));
        }
        if test.locations.len() == MOST_LOCATIONS {
            return Err(words.error(&word, &format!("is more than {MOST_LOCATIONS} locations")));
        }
        test.locations.push((word.text, value));
    }
}

/// `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`.
fn threads(words: &mut Words, test: &mut Test) -> Result<(), ParseError> {
    loop {
        let name = words.next();
        let wanted = format!("P{}", test.threads.len());
        if name.text != wanted {
            let problem = format!("must be {wanted}, the next thread, as in {wanted}@cta 0,gpu 0");
            return Err(words.error(&name, &problem));
        }
        if test.threads.len() == MOST_THREADS {
            return Err(words.error(&name, &format!("is more than {MOST_THREADS} threads")));
        }
        words.must("@", "@, before the thread's place")?;
        words.must("cta", "cta, as in P0@cta 0,gpu 0")?;
        let cta = words.next();
        let cta = number(words, &cta)?;
        words.must(",", ",, as in P0@cta 0,gpu 0")?;
        words.must("gpu", "gpu, as in P0@cta 0,gpu 0")?;
        let gpu = words.next();
        let gpu = number(words, &gpu)?;
        test.threads.push(Thread { cta, gpu, steps: Vec::new() });
        let end = words.next();
        match &end.text[..] {
            "|" => {}
            ";" => return Ok(()),
            _ => return Err(words.error(&end, "must be | or ;")),
        }
    }
}

/// Rows of instructions, one of each thread, until a condition begins.
fn rows(words: &mut Words, test: &mut Test) -> Result<(), ParseError> {
    while !condition::begins(words) {
        for thread in 0..test.threads.len() {
            let locations = &test.locations;
            let steps = &mut test.threads[thread].steps;
            let word = words.peek();
            if !matches!(&word.text[..], "|" | ";") {
                instruction::read(words, locations, steps)?;
            }
            if steps.len() > MOST_STEPS {
                return Err(words.error(&word, &format!("is more than {MOST_STEPS} operations")));
            }
            let last = thread + 1 == test.threads.len();
            words.must(
                if last { ";" } else { "|" },
                match last {
                    true => "; behind the last thread's instruction",
                    false => "| before the next thread's instruction",
                },
            )?;
        }
    }
    Ok(())
}

/// Threads of a work-group come to the same barriers.
fn check(words: &Words, test: &Test) -> Result<(), ParseError> {
    let barriers = |thread: &Thread| {
        thread.steps.iter().filter(|step| **step == crate::test::Step::Barrier).count()
    };
    for (k, thread) in test.threads.iter().enumerate() {
        let is_like = |other: &&Thread| (other.gpu, other.cta) == (thread.gpu, thread.cta);
        let first = test.threads.iter().find(is_like).expect("it is there itself");
        if barriers(first) != barriers(thread) {
            let word = Word { text: format!("P{k}"), line: words.line() };
            return Err(words.error(&word, "must have as many bar.cta.sync as all of its cta"));
        }
    }
    let ways = model::ways(test);
    match ways <= MOST_WAYS {
        true => Ok(()),
        false => {
            let word = Word { text: test.name.clone(), line: 1 };
            let problem = format!("{ways} ways in which it may go: must be at most {MOST_WAYS}");
            Err(words.error(&word, &problem))
        }
    }
}

/// A number, in decimal or `0x` hexadecimal.
fn number(words: &Words, word: &Word) -> Result<u32, ParseError> {
    let hexadecimal = word.text.strip_prefix("0x");
    let value = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => word.text.parse(),
    };
    value.map_err(|_| words.error(word, "must be a number below 2^32"))
}

/// Whether a word may name a location.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests;
