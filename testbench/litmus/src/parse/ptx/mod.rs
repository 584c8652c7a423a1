//! PTX: a column of instructions for each thread.

mod instruction;
mod parts;

use super::first_values::{self, First};
use super::words::Words;
use super::writer::Writer;
use super::{MOST_THREADS, ParseError, condition, number};
use crate::test::Test;

/// Reads the threads.
pub fn threads(
    words: &mut Words,
    test: &Test,
    registers: &[First],
) -> Result<Vec<Writer>, ParseError> {
    let mut threads = places(words)?;
    for writer in &mut threads {
        first_values::give(words, registers, test, writer)?;
    }
    first_values::check(words, registers, threads.len())?;
    rows(words, test, &mut threads)?;
    Ok(threads)
}

/// `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`.
fn places(words: &mut Words) -> Result<Vec<Writer>, ParseError> {
    let mut threads = Vec::new();
    loop {
        let name = words.next();
        let wanted = format!("P{}", threads.len());
        if name.text != wanted {
            let problem = format!("must be {wanted}, the next thread, as in {wanted}@cta 0,gpu 0");
            return Err(words.error(&name, &problem));
        }
        if threads.len() == MOST_THREADS {
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
        threads.push(Writer::new(threads.len(), (cta, gpu)));
        let end = words.next();
        match &end.text[..] {
            "|" => {}
            ";" => return Ok(threads),
            _ => return Err(words.error(&end, "must be | or ;")),
        }
    }
}

/// Rows of instructions, one of each thread, until a condition begins.
fn rows(words: &mut Words, test: &Test, threads: &mut [Writer]) -> Result<(), ParseError> {
    let last = threads.len() - 1;
    while !condition::begins(words) {
        for writer in &mut *threads {
            let word = words.peek();
            if !matches!(&word.text[..], "|" | ";") {
                instruction::read(words, &test.locations, writer)?;
            }
            writer.check(words, &word)?;
            match writer.number == last {
                true => words.must(";", "; after the last thread's instruction")?,
                false => words.must("|", "| before the next thread's instruction")?,
            }
        }
    }
    Ok(())
}
