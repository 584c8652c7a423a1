//! The condition at the end of a file.

use super::words::{Word, Words};
use super::{ParseError, instruction, number};
use crate::test::{Condition, Quantifier, Seen, Step, Test};

/// The number of a thread: `P1`, or `1` alone.
pub fn thread(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('P').unwrap_or(text);
    digits.parse().ok()
}

/// Whether the condition comes next.
pub fn begins(words: &Words) -> bool {
    matches!(&words.peek().text[..], "exists" | "~" | "forall" | "")
}

/// Reads it to the end of the file.
pub fn read(words: &mut Words, test: &mut Test) -> Result<(), ParseError> {
    let word = words.next();
    test.quantifier = match &word.text[..] {
        "exists" => Quantifier::Exists,
        "forall" => Quantifier::ForAll,
        "~" => {
            words.must("exists", "exists, behind ~")?;
            Quantifier::NotExists
        }
        _ => return Err(words.error(&word, "must be exists, ~exists or forall")),
    };
    test.condition = any(words, test)?;
    let end = words.next();
    match end.text.is_empty() {
        true => Ok(()),
        false => Err(words.error(&end, "must be /\\, \\/ or the end of the file")),
    }
}

fn any(words: &mut Words, test: &Test) -> Result<Condition, ParseError> {
    let mut list = vec![all(words, test)?];
    while matches!(&words.peek().text[..], "\\/" | "||") {
        words.next();
        list.push(all(words, test)?);
    }
    Ok(if list.len() == 1 { list.remove(0) } else { Condition::Any(list) })
}

fn all(words: &mut Words, test: &Test) -> Result<Condition, ParseError> {
    let mut list = vec![one(words, test)?];
    while matches!(&words.peek().text[..], "/\\" | "&&") {
        words.next();
        list.push(one(words, test)?);
    }
    Ok(if list.len() == 1 { list.remove(0) } else { Condition::All(list) })
}

fn one(words: &mut Words, test: &Test) -> Result<Condition, ParseError> {
    let word = words.next();
    match &word.text[..] {
        "~" => return Ok(Condition::Not(Box::new(one(words, test)?))),
        "(" => {
            let inner = any(words, test)?;
            words.must(")", ")")?;
            return Ok(inner);
        }
        _ => {}
    }
    let seen = match thread(&word.text) {
        Some(number) => register(words, test, &word, number)?,
        None => Seen::Location(instruction::find_location(words, &word, &test.locations)?),
    };
    let sign = words.next();
    let is = match &sign.text[..] {
        "=" | "==" => true,
        "!=" => false,
        _ => return Err(words.error(&sign, "must be ==, = or !=")),
    };
    let value = words.next();
    let condition = Condition::Is(seen, number(words, &value)?);
    Ok(if is { condition } else { Condition::Not(Box::new(condition)) })
}

/// A register that its thread loads.
fn register(
    words: &mut Words,
    test: &Test,
    thread: &Word,
    number: usize,
) -> Result<Seen, ParseError> {
    let Some(of) = test.threads.get(number) else {
        let last = test.threads.len() - 1;
        return Err(words.error(thread, &format!("must be a thread, P0 to P{last}")));
    };
    words.must(":", ":, before a register")?;
    let word = words.next();
    let register = instruction::register(words, &word)?;
    let is_loaded = of.steps.iter().any(|step| match *step {
        Step::Load { register: other, .. } => other == register,
        Step::Atomic { register: other, .. } => other == Some(register),
        _ => false,
    });
    match is_loaded {
        true => Ok(Seen::Register(number, register)),
        false => {
            let problem = format!("must be a register into which P{number} loads");
            Err(words.error(&word, &problem))
        }
    }
}
