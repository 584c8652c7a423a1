//! A statement of a thread: a declaration, an assignment or a call.

use super::super::words::{Word, Words};
use super::super::writer::{Around, Held, Writer};
use super::super::{ONE_RUN, ParseError, is_name, number, types};
use super::call;
use crate::test::Step;

const BRANCHES: [&str; 9] =
    ["if", "else", "while", "for", "do", "switch", "goto", "break", "return"];

/// Names of parameters, with their locations.
pub type Parameters = [(String, usize)];

/// Reads one.
pub fn read(
    words: &mut Words,
    parameters: &Parameters,
    writer: &mut Writer,
) -> Result<(), ParseError> {
    let is_declaration = {
        let mut is_type = false;
        while types::pass(words)? {
            is_type = true;
        }
        is_type
    };
    let word = words.next();
    match &word.text[..] {
        ";" => return Ok(()),
        branch if BRANCHES.contains(&branch) => return Err(words.error(&word, ONE_RUN)),
        "*" => {
            let location = location(words, parameters)?;
            words.must("=", "=, before the stored value")?;
            let value = expression(words, writer)?;
            writer.access(Step::Store { location, value }, Around::NONE, None);
            return end(words);
        }
        name if call::is_known(name) => {
            call::read(words, &word, None, (parameters, writer))?;
            return end(words);
        }
        name if !is_name(name) => {
            return Err(
                words.error(&word, "must be a statement: a declaration, an assignment or a call")
            );
        }
        _ => {}
    }
    match &words.peek().text[..] {
        ":" => {
            words.next();
            let labelled = words.next();
            if !matches!(&labelled.text[..], "barrier" | "work_group_barrier") {
                return Err(words.error(&word, ONE_RUN));
            }
            call::read(words, &labelled, Some(&word), (parameters, writer))?;
        }
        "(" => return Err(call::unknown(words, &word)),
        "=" => {
            words.next();
            assign(words, &word, parameters, writer)?;
        }
        _ if is_declaration => {}
        _ => {
            return Err(
                words.error(&word, "must be a statement: a declaration, an assignment or a call")
            );
        }
    }
    end(words)
}

fn end(words: &mut Words) -> Result<(), ParseError> {
    words.must(";", ";, after a statement: operators on loaded values are not supported")
}

/// What stands behind `name =`.
fn assign(
    words: &mut Words,
    name: &Word,
    parameters: &Parameters,
    writer: &mut Writer,
) -> Result<(), ParseError> {
    if parameters.iter().any(|(parameter, _)| *parameter == name.text) {
        return Err(words.error(name, "is a parameter: must be a variable, or *PARAMETER"));
    }
    let word = words.peek();
    if words.pass_if("*") {
        let location = location(words, parameters)?;
        let register = writer.load_into(&name.text);
        writer.access(Step::Load { register, location }, Around::NONE, None);
    } else if call::is_known(&word.text) {
        words.next();
        call::read(words, &word, Some(name), (parameters, writer))?;
    } else {
        let value = expression(words, writer)?;
        writer.set(&name.text, Held::Number(value));
    }
    Ok(())
}

/// The location of a parameter.
pub fn location(words: &mut Words, parameters: &Parameters) -> Result<usize, ParseError> {
    let word = words.next();
    let found = parameters.iter().find(|(name, _)| *name == word.text);
    found.map(|(_, location)| *location).ok_or_else(|| {
        let names: Vec<_> = parameters.iter().map(|(name, _)| &name[..]).collect();
        let names = names.join(", ");
        words.error(&word, &format!("must be a parameter of the thread: one of {names}"))
    })
}

/// A sum of products of what the file says.
pub fn expression(words: &mut Words, writer: &Writer) -> Result<u32, ParseError> {
    let mut sum = product(words, writer)?;
    loop {
        if words.pass_if("+") {
            sum = sum.wrapping_add(product(words, writer)?);
        } else if words.pass_if("-") {
            sum = sum.wrapping_sub(product(words, writer)?);
        } else {
            return Ok(sum);
        }
    }
}

fn product(words: &mut Words, writer: &Writer) -> Result<u32, ParseError> {
    let mut product = factor(words, writer)?;
    while words.pass_if("*") {
        product = product.wrapping_mul(factor(words, writer)?);
    }
    Ok(product)
}

fn factor(words: &mut Words, writer: &Writer) -> Result<u32, ParseError> {
    let word = words.next();
    match &word.text[..] {
        "-" => Ok(factor(words, writer)?.wrapping_neg()),
        "(" => {
            let inner = expression(words, writer)?;
            words.must(")", ")")?;
            Ok(inner)
        }
        name if call::is_known(name) => Err(words.error(
            &word,
            "is a call within an expression: must be the whole right side \
                                    of =",
        )),
        _ if words.peek().text == "(" => Err(call::unknown(words, &word)),
        name if is_name(name) => writer.number_in(words, &word, name),
        _ => number(words, &word),
    }
}
