//! OpenCL C as herd has it: a function for each thread, with locations as its parameters.

mod call;
mod scopes;
mod statement;

use super::first_values::{self, First};
use super::words::{Word, Words};
use super::writer::Writer;
use super::{MOST_THREADS, ParseError, condition, find_location, number, types};
use crate::test::Test;

/// Reads the threads, and their scopes where these stand behind them.
pub fn threads(
    words: &mut Words,
    test: &Test,
    registers: &[First],
) -> Result<Vec<Writer>, ParseError> {
    words.be_c();
    let (mut threads, mut labels) = (Vec::new(), Vec::new());
    let mut is_placed = false;
    loop {
        let (name, wanted) = (words.peek(), format!("P{}", threads.len()));
        let is_thread = name.text.starts_with('P') && condition::thread(&name.text).is_some();
        match (name.text == wanted, threads.is_empty() || is_thread) {
            (true, _) => words.next(),
            (false, true) => {
                let problem = format!("must be {wanted}, the next thread");
                return Err(words.error(&name, &problem));
            }
            (false, false) => break,
        };
        if threads.len() == MOST_THREADS {
            return Err(words.error(&name, &format!("is more than {MOST_THREADS} threads")));
        }
        let place = place(words)?;
        is_placed |= place.is_some();
        let number = threads.len();
        let mut writer = Writer::new(number, place.unwrap_or((number as u32, 0)));
        first_values::give(words, registers, test, &mut writer)?;
        writer.labels = labels;
        body(words, test, &mut writer)?;
        labels = std::mem::take(&mut writer.labels);
        threads.push(writer);
    }
    first_values::check(words, registers, threads.len())?;
    scopes::read(words, test, is_placed, &mut threads)?;
    Ok(threads)
}

/// `@wg 0, dev 0`: the work-group and the device. None: it stands in a tree, or nowhere.
fn place(words: &mut Words) -> Result<Option<(u32, u32)>, ParseError> {
    if !words.pass_if("@") {
        return Ok(None);
    }
    let how = "as in P0@wg 0, dev 0";
    words.must("wg", &format!("wg, {how}"))?;
    let group = words.next();
    let group = number(words, &group)?;
    words.must(",", &format!(",, {how}"))?;
    words.must("dev", &format!("dev, {how}"))?;
    let device = words.next();
    Ok(Some((group, number(words, &device)?)))
}

/// `(global atomic_int* x) { … }`.
fn body(words: &mut Words, test: &Test, writer: &mut Writer) -> Result<(), ParseError> {
    let parameters = parameters(words, test)?;
    words.must("{", "{, before the thread's statements")?;
    while !words.pass_if("}") {
        let word = words.peek();
        statement::read(words, &parameters, writer)?;
        writer.check(words, &word)?;
    }
    Ok(())
}

/// Names of the parameters, with their locations.
fn parameters(words: &mut Words, test: &Test) -> Result<Vec<(String, usize)>, ParseError> {
    words.must("(", "(, before the thread's parameters")?;
    let mut all = Vec::new();
    loop {
        while region(words)? || types::pass(words)? {}
        if words.peek().text == ")" && all.is_empty() {
            break;
        }
        words.must("*", "*: a parameter is a pointer to a location, as in global atomic_int* x")?;
        while types::pass(words)? {}
        let name = words.next();
        let location = find_location(words, &name, &test.locations)?;
        all.push((name.text, location));
        if !words.pass_if(",") {
            break;
        }
    }
    words.must(")", ", or ), after a parameter")?;
    Ok(all)
}

/// Passes the name of a region of memory, if one comes.
fn region(words: &mut Words) -> Result<bool, ParseError> {
    let word = words.peek();
    match word.text.trim_start_matches("__") {
        "global" | "global_fga" => {
            words.next();
            Ok(true)
        }
        "local" | "private" | "constant" | "generic" => Err(no_region(words, &word)),
        _ => Ok(false),
    }
}

fn no_region(words: &Words, word: &Word) -> ParseError {
    words.error(word, "must be global: traces and caches hold no other memory")
}
