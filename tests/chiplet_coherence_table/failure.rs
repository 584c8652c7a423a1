//! What a run finds wrong.

use std::fmt;

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A load, of a chiplet or of the host, returns the last value written.
    Value,
    /// An acquire meets no dirty line: its chiplet is released before.
    Dirty,
    /// The end of the program leaves empty L2s and an empty table.
    End,
    /// The invariants of section 8.
    Invariant,
    /// Tag, shares, signal, rejection, counters.
    Outcome,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub check: Check,
    /// Number of the item whose packet or end it was.
    pub item: usize,
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { check, item, what } = self;
        write!(f, "{check:?} at item {item}: {what}")
    }
}
