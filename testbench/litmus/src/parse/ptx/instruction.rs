//! An instruction: a word with points in it, and operands.

use ports::did_you_mean;
use traces::trace::AtomicOp;

use super::super::words::{Word, Words};
use super::super::writer::{Around, Held, Use, Writer};
use super::super::{ONE_RUN, ParseError, find_location, number};
use super::parts::{Op, Parts};
use crate::test::{Change, Scope, Step};

const KINDS: [&str; 12] =
    ["ld", "st", "atom", "red", "fence", "membar", "bar", "barrier", "mov", "add", "sub", "mul"];
const BRANCHES: [&str; 12] =
    ["beq", "bne", "blt", "ble", "bgt", "bge", "bra", "goto", "jmp", "setp", "call", "@"];
const PROXIES: [&str; 6] = ["tld", "suld", "cold", "sust", "suatom", "sured"];

/// Reads an instruction, and adds what it is in operations of the machine.
pub fn read(
    words: &mut Words,
    locations: &[(String, u32)],
    writer: &mut Writer,
) -> Result<(), ParseError> {
    let word = words.next();
    let kind = word.text.split('.').next().unwrap_or_default();
    if BRANCHES.contains(&kind) || words.peek().text == ":" {
        return Err(words.error(&word, ONE_RUN));
    }
    if PROXIES.contains(&kind) {
        return Err(words.error(&word, "is of another proxy, but a machine has one path to memory"));
    }
    let mut parts = Parts::new(&word);
    match kind {
        "ld" => {
            let (around, scope) = parts.access(words, ("acquire", Around::ACQUIRE))?;
            let name = register(words)?;
            comma(words)?;
            load(words, locations, writer, &name, (around, scope))
        }
        "st" => {
            let (around, scope) = parts.access(words, ("release", Around::RELEASE))?;
            let location = address(words, locations, writer)?;
            comma(words)?;
            let value = value(words, writer)?;
            writer.access(Step::Store { location, value }, around, Some(scope));
            Ok(())
        }
        "atom" | "red" => {
            let has_result = kind == "atom";
            let (around, scope, op) = parts.atomic(words, has_result)?;
            let mut name = None;
            if has_result {
                name = Some(register(words)?);
                comma(words)?;
            }
            let location = address(words, locations, writer)?;
            comma(words)?;
            let change = change(words, writer, op)?;
            let register = name.map(|name| writer.load_into(&name));
            writer.access(Step::Atomic { change, register, location }, around, Some(scope));
            Ok(())
        }
        "fence" => {
            writer.fence(parts.fence(words)?);
            Ok(())
        }
        "membar" => {
            writer.fence(parts.membar(words)?);
            Ok(())
        }
        "bar" | "barrier" => {
            parts.barrier(words)?;
            barrier(words, writer, &word)
        }
        "mov" | "add" | "sub" | "mul" => {
            parts.number(words)?;
            let name = register(words)?;
            comma(words)?;
            let mut result = value(words, writer)?;
            if kind != "mov" {
                comma(words)?;
                let other = value(words, writer)?;
                result = match kind {
                    "add" => result.wrapping_add(other),
                    "sub" => result.wrapping_sub(other),
                    _ => result.wrapping_mul(other),
                };
            }
            writer.set(&name, Held::Number(result));
            Ok(())
        }
        _ => {
            let near = did_you_mean(kind, KINDS.iter().copied());
            let problem = format!("must be one of {}{near}", KINDS.join(", "));
            Err(words.error(&Word { text: kind.to_string(), line: word.line }, &problem))
        }
    }
}

/// A load; of a number, the register gets it without an access.
fn load(
    words: &mut Words,
    locations: &[(String, u32)],
    writer: &mut Writer,
    name: &str,
    (around, scope): (Around, Scope),
) -> Result<(), ParseError> {
    let word = words.peek();
    if word.text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        words.next();
        writer.set(name, Held::Number(number(words, &word)?));
        return Ok(());
    }
    let location = address(words, locations, writer)?;
    let register = writer.load_into(name);
    writer.access(Step::Load { register, location }, around, Some(scope));
    Ok(())
}

fn change(words: &mut Words, writer: &Writer, op: Op) -> Result<Change, ParseError> {
    let first = value(words, writer)?;
    Ok(match op {
        Op::Of(op) => Change::Op(op, first),
        Op::Subtract => Change::Op(AtomicOp::Add, first.wrapping_neg()),
        Op::CompareSwap => {
            comma(words)?;
            Change::CompareSwap { expected: first, new: value(words, writer)? }
        }
    })
}

/// `NUMBER`, or `NUMBER, COUNT`.
fn barrier(words: &mut Words, writer: &mut Writer, word: &Word) -> Result<(), ParseError> {
    /// Barriers of a work-group in PTX.
    const BARRIERS: u32 = 16;
    let at = words.peek();
    let number = value(words, writer)?;
    if number >= BARRIERS {
        return Err(words.error(&at, &format!("must be a barrier, 0 to {}", BARRIERS - 1)));
    }
    let mut text = format!("{} {number}", word.text);
    let mut count = None;
    if words.pass_if(",") {
        let threads = value(words, writer)?;
        text = format!("{text}, {threads}");
        count = Some(threads);
    }
    let third = words.peek();
    if third.text == "," {
        let problem = "must be | or ;: a barrier has a number and a count of threads";
        return Err(words.error(&third, problem));
    }
    writer.barrier(Use { number, count, word: Word { text, line: word.line } });
    Ok(())
}

fn comma(words: &mut Words) -> Result<(), ParseError> {
    words.must(",", ",, before the next operand")
}

/// The name of a register, without `%`.
fn register(words: &mut Words) -> Result<String, ParseError> {
    let word = words.next();
    name_of(&word.text).ok_or_else(|| words.error(&word, "must be a register, r0, r1 and so on"))
}

fn name_of(text: &str) -> Option<String> {
    let name = text.trim_start_matches('%');
    let digits = name.strip_prefix('r')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| name.to_string())
}

/// A location, by its name or by a register that holds its address, in brackets or without.
fn address(
    words: &mut Words,
    locations: &[(String, u32)],
    writer: &Writer,
) -> Result<usize, ParseError> {
    let is_in_brackets = words.pass_if("[");
    let word = words.next();
    let held = name_of(&word.text).and_then(|name| writer.held(&name));
    let location = match held {
        Some(Held::Address(location)) => location,
        _ => find_location(words, &word, locations)?,
    };
    if is_in_brackets {
        words.must("]", "], after an address")?;
    }
    Ok(location)
}

/// A number, or a register that holds one.
fn value(words: &mut Words, writer: &Writer) -> Result<u32, ParseError> {
    let word = words.next();
    match name_of(&word.text) {
        Some(name) => writer.number_in(words, &word, &name),
        None => number(words, &word),
    }
}
