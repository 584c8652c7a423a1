//! `{ x=0; [y]=1; int z; P1:r0=2; P0:r1=x; }`.

use super::words::{Word, Words};
use super::writer::{Held, Writer};
use super::{MOST_LOCATIONS, ParseError, condition, is_name, number, types};
use crate::test::Test;

/// A register with what it begins with.
#[derive(Debug)]
pub struct First {
    thread: (Word, usize),
    name: String,
    value: Word,
}

/// Reads them. Registers wait for their threads.
pub fn read(words: &mut Words, test: &mut Test) -> Result<Vec<First>, ParseError> {
    words.must("{", "{, before the first values")?;
    let mut registers = Vec::new();
    loop {
        while types::pass(words)? {}
        let mut word = words.next();
        match &word.text[..] {
            "}" => return Ok(registers),
            ";" | "," => continue,
            _ => {}
        }
        if let Some(thread) = condition::thread(&word.text) {
            words.must(":", ":, before a register")?;
            let name = words.next().text.trim_start_matches('%').to_string();
            let value = match words.pass_if("=") {
                true => words.next(),
                false => Word { text: "0".into(), line: word.line },
            };
            registers.push(First { thread: (word, thread), name, value });
            continue;
        }
        let is_in_brackets = word.text == "[";
        if is_in_brackets {
            word = words.next();
        }
        if !is_name(&word.text) {
            return Err(words.error(&word, "must be a location, P0:r0, ; or }"));
        }
        if is_in_brackets {
            words.must("]", "]")?;
        }
        let value = first_value(words, &word)?;
        if test.locations.iter().any(|(name, _)| *name == word.text) {
            return Err(words.error(&word, "already has a first value"));
        }
        if test.locations.len() == MOST_LOCATIONS {
            return Err(words.error(&word, &format!("is more than {MOST_LOCATIONS} locations")));
        }
        test.locations.push((word.text, value));
    }
}

fn first_value(words: &mut Words, word: &Word) -> Result<u32, ParseError> {
    match &words.peek().text[..] {
        ";" | "}" => return Ok(0),
        "@" => {
            let problem = "is another proxy of a location, but a machine has one path to memory";
            return Err(words.error(word, problem));
        }
        "[" => return Err(words.error(word, "is an array: must be a location of 4 bytes")),
        _ => {}
    }
    words.must("=", "=, before a value")?;
    let value = words.next();
    if value.text == "&" || is_name(&value.text) {
        let problem = "is an address in a location: must be a number";
        return Err(words.error(&value, problem));
    }
    number(words, &value)
}

/// Gives a thread its registers.
pub fn give(
    words: &Words,
    registers: &[First],
    test: &Test,
    writer: &mut Writer,
) -> Result<(), ParseError> {
    let number_of = writer.number;
    let own = registers.iter().filter(|first| first.thread.1 == number_of);
    for First { name, value, .. } in own {
        let location = test.locations.iter().position(|(name, _)| *name == value.text);
        let held = match location {
            Some(location) => Held::Address(location),
            None => Held::Number(number(words, value)?),
        };
        writer.set(name, held);
    }
    Ok(())
}

/// That there are the threads whose registers have first values.
pub fn check(words: &Words, registers: &[First], threads: usize) -> Result<(), ParseError> {
    match registers.iter().find(|first| first.thread.1 >= threads) {
        None => Ok(()),
        Some(first) => {
            let problem = format!("must be a thread, P0 to P{}", threads - 1);
            Err(words.error(&first.thread.0, &problem))
        }
    }
}
