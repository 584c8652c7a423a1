//! An instruction: a word with points in it, and operands.

use ports::did_you_mean;
use traces::trace::AtomicOp;

use super::words::{Word, Words};
use super::{ParseError, is_name, number};
use crate::test::{Scope, Step};

const KINDS: [&str; 6] = ["ld", "st", "atom", "red", "fence", "bar"];
const SCOPES: [(&str, Scope); 3] = [("cta", Scope::Cta), ("gpu", Scope::Gpu), ("sys", Scope::Sys)];
const OPS: [(&str, AtomicOp); 8] = [
    ("exch", AtomicOp::Exchange),
    ("add", AtomicOp::Add),
    ("plus", AtomicOp::Add),
    ("min", AtomicOp::UMin),
    ("max", AtomicOp::UMax),
    ("and", AtomicOp::And),
    ("or", AtomicOp::Or),
    ("xor", AtomicOp::Xor),
];

/// Parts of an instruction's word.
struct Parts<'a> {
    words: &'a Words<'a>,
    line: usize,
    left: std::vec::IntoIter<String>,
}

impl Parts<'_> {
    /// The next part must be one of these.
    fn one_of<T: Copy>(&mut self, known: &[(&str, T)]) -> Result<T, ParseError> {
        let part = self.left.next().unwrap_or_default();
        let found = known.iter().find(|(name, _)| *name == part).map(|(_, value)| *value);
        found.ok_or_else(|| self.error(&part, known))
    }

    fn error<T>(&self, part: &str, known: &[(&str, T)]) -> ParseError {
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        let near = did_you_mean(part, names.iter().copied());
        let word = Word { text: part.to_string(), line: self.line };
        let problem = format!("must be one of {}{near}", names.join(", "));
        match part.is_empty() {
            true => self.words.error(&word, &format!("an instruction ends; {problem} comes next")),
            false => self.words.error(&word, &problem),
        }
    }

    fn end(&mut self) -> Result<(), ParseError> {
        match self.left.next() {
            None => Ok(()),
            Some(part) => {
                let word = Word { text: part, line: self.line };
                Err(self.words.error(&word, "must not be there: the instruction is complete"))
            }
        }
    }
}

/// Where fences stand around an access.
#[derive(Clone, Copy)]
struct Around {
    before: bool,
    behind: bool,
}

const NONE: Around = Around { before: false, behind: false };
const ACQUIRE: Around = Around { before: false, behind: true };
const RELEASE: Around = Around { before: true, behind: false };
const BOTH: Around = Around { before: true, behind: true };

/// Reads an instruction, and adds what it is in operations of the machine.
pub fn read(
    words: &mut Words,
    locations: &[(String, u32)],
    steps: &mut Vec<Step>,
) -> Result<(), ParseError> {
    let word = words.next();
    let mut texts: Vec<_> = word.text.split('.').map(str::to_string).collect();
    let kind = texts.remove(0);
    let mut parts = Parts { words, line: word.line, left: texts.into_iter() };
    let weak_or = |name, around| [("weak", None), ("relaxed", Some(NONE)), (name, Some(around))];
    // Which fence stands around it, what scope it has, and of an atomic its operation.
    let (around, scope, op) = match &kind[..] {
        "ld" | "st" => {
            let orders = if kind == "ld" {
                weak_or("acquire", ACQUIRE)
            } else {
                weak_or("release", RELEASE)
            };
            match parts.one_of(&orders)? {
                None => (NONE, Scope::Sys, None),
                Some(around) => (around, parts.one_of(&SCOPES)?, None),
            }
        }
        "atom" | "red" => {
            let orders =
                [("relaxed", NONE), ("acquire", ACQUIRE), ("release", RELEASE), ("acq_rel", BOTH)];
            let around = parts.one_of(&orders)?;
            let scope = parts.one_of(&SCOPES)?;
            (around, scope, Some(parts.one_of(&OPS)?))
        }
        "fence" => {
            parts.one_of(&[("sc", ()), ("acq_rel", ())])?;
            (NONE, parts.one_of(&SCOPES)?, None)
        }
        "bar" => {
            parts.one_of(&[("cta", ())])?;
            parts.one_of(&[("sync", ())])?;
            (NONE, Scope::Cta, None)
        }
        _ => {
            let known = KINDS.map(|name| (name, ()));
            return Err(parts.error(&kind, &known));
        }
    };
    parts.end()?;
    let step = operands(words, locations, &kind, scope, op)?;
    steps.extend(around.before.then_some(Step::Fence(scope)));
    steps.push(step);
    steps.extend(around.behind.then_some(Step::Fence(scope)));
    Ok(())
}

fn operands(
    words: &mut Words,
    locations: &[(String, u32)],
    kind: &str,
    scope: Scope,
    op: Option<AtomicOp>,
) -> Result<Step, ParseError> {
    let comma = |words: &mut Words| words.must(",", ",, before the next operand");
    Ok(match (kind, op) {
        ("ld", _) => {
            let register = read_register(words)?;
            comma(words)?;
            Step::Load { register, location: location(words, locations)? }
        }
        ("st", _) => {
            let location = location(words, locations)?;
            comma(words)?;
            Step::Store { location, value: value(words)? }
        }
        ("bar", _) => {
            let barrier = words.next();
            number(words, &barrier)?;
            Step::Barrier
        }
        (_, None) => Step::Fence(scope),
        (_, Some(op)) => {
            let register = match kind {
                "atom" => {
                    let register = read_register(words)?;
                    comma(words)?;
                    Some(register)
                }
                _ => None,
            };
            let location = location(words, locations)?;
            comma(words)?;
            Step::Atomic { op, register, location, value: value(words)? }
        }
    })
}

fn read_register(words: &mut Words) -> Result<u32, ParseError> {
    let word = words.next();
    register(words, &word)
}

/// The number of a register.
pub fn register(words: &Words, word: &Word) -> Result<u32, ParseError> {
    let number = word.text.strip_prefix('r').and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| words.error(word, "must be a register, r0, r1 and so on"))
}

fn location(words: &mut Words, locations: &[(String, u32)]) -> Result<usize, ParseError> {
    let word = words.next();
    find_location(words, &word, locations)
}

/// The number of a location.
pub fn find_location(
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

fn value(words: &mut Words) -> Result<u32, ParseError> {
    let word = words.next();
    if is_name(&word.text) {
        let problem = "must be a number: a trace has the values of one run, so no operation \
                       depends on a register";
        return Err(words.error(&word, problem));
    }
    number(words, &word)
}
