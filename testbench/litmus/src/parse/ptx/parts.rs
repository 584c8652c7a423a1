//! Parts of an instruction's word: orders, scopes and operations.

use ports::did_you_mean;
use traces::trace::AtomicOp;

use super::super::ParseError;
use super::super::words::{Word, Words};
use super::super::writer::Around;
use crate::test::Scope;

const SCOPES: [(&str, Scope); 3] = [("cta", Scope::Cta), ("gpu", Scope::Gpu), ("sys", Scope::Sys)];
const ORDERS: [(&str, Around); 4] = [
    ("relaxed", Around::NONE),
    ("acquire", Around::ACQUIRE),
    ("release", Around::RELEASE),
    ("acq_rel", Around::BOTH),
];

/// What an atomic does with its operand.
#[derive(Clone, Copy)]
pub enum Op {
    Of(AtomicOp),
    /// Adds the negative.
    Subtract,
    CompareSwap,
}

/// `red` has all but the last.
const OPS: [(&str, Op); 11] = [
    ("exch", Op::Of(AtomicOp::Exchange)),
    ("add", Op::Of(AtomicOp::Add)),
    ("plus", Op::Of(AtomicOp::Add)),
    ("sub", Op::Subtract),
    ("minus", Op::Subtract),
    ("min", Op::Of(AtomicOp::UMin)),
    ("max", Op::Of(AtomicOp::UMax)),
    ("and", Op::Of(AtomicOp::And)),
    ("or", Op::Of(AtomicOp::Or)),
    ("xor", Op::Of(AtomicOp::Xor)),
    ("cas", Op::CompareSwap),
];

/// The parts that are left.
pub struct Parts {
    /// The whole word.
    word: Word,
    left: std::iter::Peekable<std::vec::IntoIter<String>>,
}

impl Parts {
    /// Those behind the first one.
    pub fn new(word: &Word) -> Self {
        let left: Vec<_> = word.text.split('.').skip(1).map(str::to_string).collect();
        Self { word: word.clone(), left: left.into_iter().peekable() }
    }

    /// The next part must be one of these.
    fn one_of<T: Copy>(&mut self, words: &Words, known: &[(&str, T)]) -> Result<T, ParseError> {
        let part = self.left.next().unwrap_or_default();
        let found = known.iter().find(|(name, _)| *name == part).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            let near = did_you_mean(&part, names.iter().copied());
            let problem = format!("must be one of {}{near}", names.join(", "));
            match part.is_empty() {
                true => words.error(&self.word, &format!("is incomplete: the next part {problem}")),
                false => self.refuse(words, &part, &problem),
            }
        })
    }

    /// The next part, if it is one of these.
    fn optional<T: Copy>(&mut self, known: &[(&str, T)]) -> Option<T> {
        let part = self.left.peek()?;
        let found = known.iter().find(|(name, _)| name == part).map(|(_, value)| *value);
        found.inspect(|_| drop(self.left.next()))
    }

    fn refuse(&self, words: &Words, part: &str, problem: &str) -> ParseError {
        words.error(&Word { text: part.to_string(), line: self.word.line }, problem)
    }

    fn end(&mut self, words: &Words) -> Result<(), ParseError> {
        match self.left.next() {
            None => Ok(()),
            Some(part) => {
                Err(self.refuse(words, &part, "is unexpected: the instruction is complete"))
            }
        }
    }

    /// `ld` and `st`: without an order they are weak, `volatile` is relaxed of scope sys.
    pub fn access(
        &mut self,
        words: &Words,
        (name, around): (&str, Around),
    ) -> Result<(Around, Scope), ParseError> {
        let orders = [
            ("weak", None),
            ("relaxed", Some(Around::NONE)),
            (name, Some(around)),
            ("volatile", None),
        ];
        let order = match self.left.peek() {
            None => None,
            Some(_) => self.one_of(words, &orders)?,
        };
        let access = match order {
            None => (Around::NONE, Scope::Sys),
            Some(around) => (around, self.one_of(words, &SCOPES)?),
        };
        self.end(words)?;
        Ok(access)
    }

    /// `atom` and `red`: without an order they are relaxed, without that and a scope of scope gpu.
    pub fn atomic(
        &mut self,
        words: &Words,
        has_result: bool,
    ) -> Result<(Around, Scope, Op), ParseError> {
        let (around, scope) = match self.optional(&ORDERS) {
            Some(around) => (around, self.one_of(words, &SCOPES)?),
            None => (Around::NONE, self.optional(&SCOPES).unwrap_or(Scope::Gpu)),
        };
        let ops = if has_result { &OPS[..] } else { &OPS[..OPS.len() - 1] };
        let op = self.one_of(words, ops)?;
        self.end(words)?;
        Ok((around, scope, op))
    }

    /// `fence`: without an order it is acq_rel. A machine has one kind.
    pub fn fence(&mut self, words: &Words) -> Result<Scope, ParseError> {
        if self.left.peek().is_some_and(|part| part == "proxy") {
            let problem = "orders proxies, but a machine has one path to memory";
            return Err(self.refuse(words, "fence.proxy", problem));
        }
        self.optional(&[("sc", ()), ("acq_rel", ())]);
        let scope = self.one_of(words, &SCOPES)?;
        self.end(words)?;
        Ok(scope)
    }

    /// `membar`, PTX's earlier name of `fence.sc`.
    pub fn membar(&mut self, words: &Words) -> Result<Scope, ParseError> {
        let scopes = [("cta", Scope::Cta), ("gl", Scope::Gpu), ("sys", Scope::Sys)];
        let scope = self.one_of(words, &scopes)?;
        self.end(words)?;
        Ok(scope)
    }

    /// `bar.sync`, `bar.cta.sync`.
    pub fn barrier(&mut self, words: &Words) -> Result<(), ParseError> {
        self.optional(&[("cta", ())]);
        if let Some(part) = self.left.next_if(|part| part == "arrive" || part == "red") {
            let problem = "is refused: all threads of a machine's barrier wait, and the barrier \
                           has no result";
            return Err(self.refuse(words, &format!("bar.{part}"), problem));
        }
        self.one_of(words, &[("sync", ())])?;
        self.optional(&[("aligned", ())]);
        self.end(words)
    }

    /// Instructions on numbers, of 4 bytes.
    pub fn number(&mut self, words: &Words) -> Result<(), ParseError> {
        let types = ["u32", "s32", "b32", "lo"].map(|name| (name, ()));
        while self.optional(&types).is_some() {}
        self.end(words)
    }
}
