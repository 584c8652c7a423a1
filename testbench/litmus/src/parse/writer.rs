//! A thread while it is read: its steps, and what its registers hold.

use std::collections::BTreeMap;

use super::words::{Word, Words};
use super::{MOST_STEPS, ParseError};
use crate::test::{Scope, Step, Thread};

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A number that the file says.
    Number(u32),
    /// The address of a location.
    Address(usize),
    /// What was loaded into the register of this number.
    Loaded(u32),
    /// Whether a compare-and-swap has written: it has loaded what it expected.
    Swapped {
        /// The register that it has loaded into.
        register: u32,
        /// What it expected.
        expected: u32,
    },
}

/// Which fences stand around an access.
#[derive(Clone, Copy)]
pub struct Around {
    pub before: bool,
    pub behind: bool,
}

impl Around {
    pub const NONE: Self = Self { before: false, behind: false };
    pub const ACQUIRE: Self = Self { before: false, behind: true };
    pub const RELEASE: Self = Self { before: true, behind: false };
    pub const BOTH: Self = Self { before: true, behind: true };
}

/// A barrier of a thread.
#[derive(Clone, Debug)]
pub struct Use {
    /// Its number.
    pub number: u32,
    /// Threads that meet there; without it all of the work-group.
    pub count: Option<u32>,
    /// How the file names it, and where.
    pub word: Word,
}

/// A thread while it is read.
#[derive(Debug)]
pub struct Writer {
    /// Its number.
    pub number: usize,
    pub thread: Thread,
    pub barriers: Vec<Use>,
    /// Labels of barriers, by their numbers; the threads of a test share them.
    pub labels: Vec<String>,
    held: BTreeMap<String, Held>,
}

impl Writer {
    pub fn new(number: usize, (cta, gpu): (u32, u32)) -> Self {
        let thread = Thread { cta, gpu, steps: Vec::new(), registers: Vec::new() };
        Self { number, thread, barriers: Vec::new(), labels: Vec::new(), held: BTreeMap::new() }
    }

    /// What a register holds. None: the thread has not named it.
    pub fn held(&self, name: &str) -> Option<Held> {
        self.held.get(name).copied()
    }

    /// A register gets what needs no access.
    pub fn set(&mut self, name: &str, held: Held) {
        self.held.insert(name.to_string(), held);
    }

    /// The number of a register into which something is loaded.
    pub fn load_into(&mut self, name: &str) -> u32 {
        let registers = &mut self.thread.registers;
        let number = registers.iter().position(|other| other == name).unwrap_or_else(|| {
            registers.push(name.to_string());
            registers.len() - 1
        });
        self.set(name, Held::Loaded(number as u32));
        number as u32
    }

    /// The same, of a register that no other load is into.
    pub fn load_into_own(&mut self, name: &str) -> u32 {
        let mut own = name.to_string();
        while self.thread.registers.contains(&own) {
            own.push('\'');
        }
        let number = self.load_into(&own);
        self.set(name, Held::Loaded(number));
        number
    }

    /// The number in a register.
    pub fn number_in(&self, words: &Words, word: &Word, name: &str) -> Result<u32, ParseError> {
        let thread = self.number;
        let problem = match self.held(name) {
            Some(Held::Number(number)) => return Ok(number),
            Some(Held::Loaded(_) | Held::Swapped { .. }) => format!(
                "depends on a value that P{thread} has loaded: a trace holds the values of one \
                 run, so no operation can"
            ),
            Some(Held::Address(_)) => "holds an address: must be a number".into(),
            None => format!(
                "has no value in P{thread}: must be a number or a register that holds \
                             one"
            ),
        };
        Err(words.error(word, &problem))
    }

    /// Adds an access with its fences. None: no other thread is in the scope.
    pub fn access(&mut self, step: Step, around: Around, scope: Option<Scope>) {
        let fence = |is_there: bool| scope.filter(|_| is_there).map(Step::Fence);
        self.thread.steps.extend(fence(around.before));
        self.thread.steps.push(step);
        self.thread.steps.extend(fence(around.behind));
    }

    /// Adds a fence.
    pub fn fence(&mut self, scope: Scope) {
        self.thread.steps.push(Step::Fence(scope));
    }

    /// The number of the barriers of a label.
    pub fn label(&mut self, label: &str) -> u32 {
        let known = self.labels.iter().position(|other| other == label);
        known.unwrap_or_else(|| {
            self.labels.push(label.to_string());
            self.labels.len() - 1
        }) as u32
    }

    /// Adds a barrier.
    pub fn barrier(&mut self, of: Use) {
        self.thread.steps.push(Step::Barrier(of.number));
        self.barriers.push(of);
    }

    /// Refuses more operations than are tried.
    pub fn check(&self, words: &Words, word: &Word) -> Result<(), ParseError> {
        match self.thread.steps.len() <= MOST_STEPS {
            true => Ok(()),
            false => Err(words.error(word, &format!("is more than {MOST_STEPS} operations"))),
        }
    }
}
