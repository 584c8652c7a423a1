//! What stands behind the threads: `locations`, `filter` and the condition.

use super::words::{Word, Words};
use super::writer::{Held, Writer};
use super::{ParseError, find_location, is_name, number};
use crate::test::{Comparison, Condition, Operand, Quantifier, Seen, Test};

/// The number of a thread: `P1`, or `1` alone.
pub fn thread(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('P').unwrap_or(text);
    digits.parse().ok()
}

/// Whether it comes next.
pub fn begins(words: &Words) -> bool {
    let first = ["exists", "~", "not", "forall", "filter", "locations", ""];
    first.contains(&&words.peek().text[..])
}

/// Reads it to the end of the file.
pub fn read(words: &mut Words, test: &mut Test, threads: &[Writer]) -> Result<(), ParseError> {
    if words.pass_if("locations") {
        words.must("[", "[, before the observed values")?;
        while !words.pass_if("]") {
            test.shown.extend(operand(words, test, threads)?.seen());
            words.pass_if(";");
        }
    }
    if words.pass_if("filter") {
        test.filter = Some(any(words, test, threads)?);
        words.pass_if(";");
    }
    let word = words.next();
    test.quantifier = match &word.text[..] {
        "exists" => Quantifier::Exists,
        "forall" => Quantifier::ForAll,
        "~" | "not" => {
            words.must("exists", "exists, after ~")?;
            Quantifier::NotExists
        }
        _ => return Err(words.error(&word, "must be exists, ~exists or forall")),
    };
    test.condition = any(words, test, threads)?;
    words.pass_if(";");
    let end = words.next();
    match end.text.is_empty() {
        true => Ok(()),
        false => Err(words.error(&end, "must be /\\, \\/ or the end of the file")),
    }
}

fn any(words: &mut Words, test: &Test, threads: &[Writer]) -> Result<Condition, ParseError> {
    let mut list = vec![all(words, test, threads)?];
    while words.pass_if("\\/") || is_or(words)? {
        list.push(all(words, test, threads)?);
    }
    Ok(if list.len() == 1 { list.remove(0) } else { Condition::Any(list) })
}

/// `||`, which is no word: in a row of instructions it is two ends of columns.
fn is_or(words: &mut Words) -> Result<bool, ParseError> {
    let is_first = words.pass_if("|");
    if is_first {
        words.must("|", "||")?;
    }
    Ok(is_first)
}

fn all(words: &mut Words, test: &Test, threads: &[Writer]) -> Result<Condition, ParseError> {
    let mut list = vec![one(words, test, threads)?];
    while words.pass_if("/\\") || words.pass_if("&&") {
        list.push(one(words, test, threads)?);
    }
    Ok(if list.len() == 1 { list.remove(0) } else { Condition::All(list) })
}

fn one(words: &mut Words, test: &Test, threads: &[Writer]) -> Result<Condition, ParseError> {
    if words.pass_if("~") || words.pass_if("not") {
        return Ok(Condition::Not(Box::new(one(words, test, threads)?)));
    }
    if words.pass_if("(") {
        let inner = any(words, test, threads)?;
        words.must(")", ")")?;
        return Ok(inner);
    }
    if words.pass_if("true") {
        return Ok(Condition::All(Vec::new()));
    }
    let left = operand(words, test, threads)?;
    let sign = words.next();
    let comparison = match &sign.text[..] {
        "=" | "==" => Comparison::Equal,
        "!=" => Comparison::Different,
        "<" => Comparison::Less,
        "<=" => Comparison::AtMost,
        ">" => Comparison::Greater,
        ">=" => Comparison::AtLeast,
        _ => return Err(words.error(&sign, "must be ==, =, !=, <, <=, > or >=")),
    };
    Ok(Condition::Compare(left, comparison, operand(words, test, threads)?))
}

/// A number, a location, or a register of a thread.
fn operand(words: &mut Words, test: &Test, threads: &[Writer]) -> Result<Operand, ParseError> {
    let mut word = words.next();
    if word.text == "[" {
        word = words.next();
        let location = find_location(words, &word, &test.locations)?;
        words.must("]", "]")?;
        return Ok(Operand::Seen(Seen::Location(location)));
    }
    if thread(&word.text).is_some() && words.peek().text == ":" {
        return register(words, &word, threads);
    }
    if is_name(&word.text) || word.text.is_empty() {
        let location = find_location(words, &word, &test.locations)?;
        return Ok(Operand::Seen(Seen::Location(location)));
    }
    if word.text == "-" {
        word = words.next();
        return Ok(Operand::Number(number(words, &word)?.wrapping_neg()));
    }
    Ok(Operand::Number(number(words, &word)?))
}

fn register(words: &mut Words, word: &Word, threads: &[Writer]) -> Result<Operand, ParseError> {
    let number = thread(&word.text).expect("the caller has checked");
    let Some(of) = threads.get(number) else {
        let last = threads.len() - 1;
        return Err(words.error(word, &format!("must be a thread, P0 to P{last}")));
    };
    words.must(":", ":, before a register")?;
    let name = words.next();
    let seen = |register| Seen::Register(number, register);
    match of.held(name.text.trim_start_matches('%')) {
        Some(Held::Number(value)) => Ok(Operand::Number(value)),
        Some(Held::Loaded(register)) => Ok(Operand::Seen(seen(register))),
        Some(Held::Swapped { register, expected }) => Ok(Operand::Equals(seen(register), expected)),
        Some(Held::Address(_)) => Err(words.error(&name, "holds an address: must be a number")),
        None => {
            let problem = format!("must be a register into which P{number} loads");
            Err(words.error(&name, &problem))
        }
    }
}
